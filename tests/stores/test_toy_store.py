"""A store of another making: transcripts that lie on disk packed are listed, shown, searched and recovered."""

import io
import os
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import pytest
from make import UUID, Draft, bash, edit, write
from searched import NOW

from backscroll.index.db import open_in_memory
from backscroll.index.queries import details
from backscroll.index.queries import sessions as query
from backscroll.index.queries.damage import damage_and_notes
from backscroll.index.queries.file_changes import FileFilter
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.index.search import search
from backscroll.index.update.update import update
from backscroll.index.words.store import FullText, open_fulltext
from backscroll.index.words.update import Words
from backscroll.query.hits import Hit
from backscroll.query.language import parse_query
from backscroll.records import Damage
from backscroll.recovery import catalogue
from backscroll.recovery import versions as recovery
from backscroll.recovery.history import Histories
from backscroll.sessions.message import Message
from backscroll.sessions.reading.reader import SessionReader, stored_lines
from backscroll.stores.base import DiskStore, FileEntry, FoundFile, Label, Store, Walk, files_of, found, opener
from backscroll.verbs.files import FileVerbs
from backscroll.verbs.search import SearchVerbs

OTHER = "22222222-2222-4222-8222-222222222222"
FILE = "/home/ann/app/a.py"


class ToyStore:
    """Keeps each transcript as `<session>.z`, and each agent's as `<session>.<agent>.z`, packed by zlib."""

    def __init__(self, path: Path) -> None:
        self.kind = "toy"
        self.path = path

    def entries(self) -> Iterator[FileEntry | FoundFile | Damage]:
        """Yield every file."""
        return Walk(str(self.path), str(self.path)).below()

    def named(self, entry: FileEntry) -> FoundFile:
        """Say what kind of file an entry is."""
        session, *agent = entry.parts[-1].removesuffix(".z").split(".")
        kind = ("agent" if agent else "transcript") if entry.path.endswith(".z") else "other"
        return found(entry, Label(kind, session, agent[0] if agent else None, "toys"), str(self.path))

    def files(self) -> Iterator[FoundFile | Damage]:
        """Yield the same files with their kinds."""
        return files_of(self, self.entries())

    def open(self, path: str) -> BinaryIO:
        """Open a file: a seekable stream of its unpacked bytes."""
        try:
            return io.BytesIO(zlib.decompress(Path(path).read_bytes()))
        except zlib.error as error:
            raise OSError(None, f"not packed: {error}") from error


def pack(store: Path, draft: Draft) -> Path:
    """Write a session and its agents as the toy store keeps them, and return the path of the session."""
    store.mkdir(parents=True, exist_ok=True)
    for agent in draft.all_agents():
        (store / f"{draft.session}.{agent.agent_id}.z").write_bytes(zlib.compress(agent.text()))
    path = store / f"{draft.session}.z"
    path.write_bytes(zlib.compress(draft.text()))
    return path


def told() -> Draft:
    """Return a session that runs a command, starts an agent and changes a file twice."""
    draft = Draft(UUID, "/home/ann/app").prompt("feed the okapi").answer("On it.", calls=[bash("ls", "quagga.txt")])
    draft.join(draft.agent("Look around", "find the kudu").answer("The kudu dozes."), "It sleeps.")
    draft.answer(calls=[write(FILE, "one\n")]).prompt("and now").answer(calls=[edit(FILE, "one\n", "one", "two")])
    return draft.title("Okapis")


class Toys:
    """A toy store with its catalogue and words."""

    def __init__(self, path: Path) -> None:
        self.store: Store = ToyStore(path)
        self.database = open_in_memory()
        self.text: FullText = open_fulltext(None)
        self.open_file = opener([self.store])

    def refresh(self) -> None:
        """Bring catalogue and words up to date."""
        update(self.database, [self.store], words=Words(self.database, self.text))

    def messages(self, session: str) -> list[Message]:
        """Read a session."""
        files = details.files_of(self.database, session)
        agents = query.agents(self.database, session)
        return list(
            SessionReader(query.session(self.database, session), agents, files, None, self.open_file).messages()
        )

    def hits(self, text: str) -> list[Hit]:
        """Search."""
        options = search.Options(all_hits=True)
        return search.search(self.database, self.text, parse_query(text, NOW), options, self.open_file).hits


@pytest.fixture
def toys(tmp_path: Path) -> Iterator[Toys]:
    """Give a toy store that holds one session, taken in."""
    pack(tmp_path / "toys", told())
    made = Toys(tmp_path / "toys")
    made.refresh()
    with closing(made.database):
        yield made


def test_it_is_a_store_that_lies_on_no_disk_as_it_is(tmp_path: Path) -> None:
    """The toy store has all that a store needs, and none of the ways of the stores that we know."""
    store: Store = ToyStore(tmp_path)

    assert not isinstance(store, DiskStore)


def test_list(toys: Toys) -> None:
    """A session stands in the list with all that its records say, and with the kind of its store."""
    (session,) = query.sessions(toys.database, SessionFilter(), None)

    assert (UUID, "Okapis", "/home/ann/app", ["toy"], "live", 0) == (
        session.id,
        session.title,
        session.cwd,
        session.stores,
        session.state,
        session.damage,
    )
    assert (2, 4, 1) == (session.prompts, session.calls, session.agents)
    assert [UUID] == [item.id for item in query.sessions(toys.database, SessionFilter(store="toy"), None)]
    assert [("toy", 2)] == [(item.kind, item.files) for item in query.stores(toys.database)]


def test_show(toys: Toys) -> None:
    """Its messages are told with their texts, the agent's below the call that started it."""
    messages = toys.messages(UUID)
    texts = [part.text for message in messages for part in message.parts if part.text]

    assert "feed the okapi" in texts
    assert "The kudu dozes." in texts
    assert 1 in {message.depth for message in messages}


def test_the_stored_lines(toys: Toys) -> None:
    """Its lines are given as they were before they were packed."""
    (session,) = query.sessions(toys.database, SessionFilter(), None)

    assert told().lines() == list(stored_lines(session.transcripts, toys.open_file))


@pytest.mark.parametrize("word, agent", [("okapi role:user", False), ("quagga", False), ("dozes", True)])
def test_search(toys: Toys, word: str, agent: bool) -> None:
    """A word of a prompt, of an output or of an agent is found with the text around it."""
    (hit,) = toys.hits(word)

    assert (UUID, agent) == (hit.session, hit.agent is not None)
    assert word.split(maxsplit=1)[0] in hit.snippet


def test_recover(toys: Toys) -> None:
    """A file that the session changed is had back in both its versions."""
    listed = catalogue.list_files(toys.database, FileFilter(), None, None, open_file=toys.open_file)
    histories = Histories(toys.database, toys.open_file)
    states = [recovery.choose(histories, FILE, number, None, None) for number in (1, 2)]
    texts = [recovery.recovered(FILE, state).data for state in states]
    histories.close()

    assert [(FILE, 2)] == [(item.path, item.versions) for item in listed.files]
    assert [b"one\n", b"two\n"] == texts


def test_growth(toys: Toys) -> None:
    """A packed transcript that was written anew with more in it is taken in with that."""
    pack(toys.store.path, told().prompt("then the gnu").answer("Fed."))
    toys.refresh()

    assert 3 == query.session(toys.database, UUID).prompts
    assert 1 == len(toys.hits("gnu"))
    assert 1 == len(toys.hits("okapi role:user"))


def test_a_session_that_goes(toys: Toys) -> None:
    """A packed transcript that is deleted is neither listed nor found any more."""
    for path in toys.store.path.iterdir():
        path.unlink()
    toys.refresh()

    assert [] == query.sessions(toys.database, SessionFilter(), None)
    assert [] == toys.hits("okapi OR kudu OR quagga")


def test_a_file_that_cannot_be_unpacked(toys: Toys) -> None:
    """A damaged file is damage of its session, and no other session suffers."""
    (toys.store.path / f"{OTHER}.z").write_bytes(b"no zlib")
    toys.refresh()
    damage, _ = damage_and_notes(toys.database, OTHER)

    assert ("damaged", 1) == (query.session(toys.database, OTHER).state, len(damage))
    assert str(toys.store.path / f"{OTHER}.z") == damage[0].place.path
    assert ("live", 0) == (query.session(toys.database, UUID).state, query.session(toys.database, UUID).damage)


def test_files_of_other_stores_are_opened_as_they_are(tmp_path: Path) -> None:
    """One function opens the files of all stores, each in its own way."""
    path = pack(tmp_path / "toys", Draft(UUID).prompt("A"))
    plain = tmp_path / "plain.jsonl"
    plain.write_bytes(b"{}\n")
    open_file = opener([ToyStore(tmp_path / "toys")])
    with open_file(str(path)) as packed, open_file(str(plain)) as other:
        assert (Draft(UUID).prompt("A").text(), b"{}\n") == (packed.read(), other.read())
    assert 0 == path.stat().st_mode & os.X_OK


class ToyLibrary(SearchVerbs, FileVerbs):
    """The verbs over a toy store."""

    def stores(self) -> list[Store]:
        """Return the toy store below the root."""
        return [ToyStore(Path(self.root or "."))]


def test_verbs(tmp_path: Path) -> None:
    """The verbs answer over any store, for they open files through it alone."""
    pack(tmp_path / "toys", told())
    with ToyLibrary(tmp_path / "toys") as library:
        (session,) = library.list_sessions().sessions
        shown = library.show(session.id)
        texts = [part.text for message in shown.messages for part in message.parts]
        found = library.search("dozes")
        recovered = library.recover_content(FILE)

    assert (UUID, []) == (session.id, shown.damage)
    assert "feed the okapi" in texts
    assert ["The kudu dozes."] == [hit.snippet for hit in found.hits]
    assert b"two\n" == recovered.data
