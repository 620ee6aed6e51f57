"""Updates that look at few sessions: they give what an index made anew would hold, and they are used."""

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

import pytest
from catalogue import dump, dump_stores, dump_words
from make import UUID, Draft, assistant, home, line, row, user, write_demo_home, write_side
from searched import Searched

from backscroll.index import few, units
from backscroll.index import update as updating
from backscroll.index.db import open_index
from backscroll.index.few import few_changes
from backscroll.index.glance import Glance, glance
from backscroll.index.texting import Words
from backscroll.index.update import update
from backscroll.stores import find_stores

OTHER = "33333333-3333-4333-8333-333333333333"


class Noted:
    """Whether each update of an index had to sort everything."""

    def __init__(self) -> None:
        self._all: list[tuple[sqlite3.Connection, bool]] = []

    def note(self, database: sqlite3.Connection, *, is_much: bool) -> None:
        """Take down one update."""
        self._all.append((database, is_much))

    def of(self, searched: Searched) -> list[bool]:
        """Return what was taken down of one index."""
        return [is_much for database, is_much in self._all if database is searched.database]


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Noted:
    """Take down for each update whether everything had to be sorted."""
    taken, real = Noted(), updating._few_changes

    def noting(database: sqlite3.Connection, words: Words | None, seen: Glance) -> few.Few | None:
        found = real(database, words, seen)
        taken.note(database, is_much=found is None)
        return found

    monkeypatch.setattr(updating, "_few_changes", noting)
    return taken


def same_as_anew(searched: Searched) -> None:
    """Compare with an index that is made now."""
    with Searched(searched.root) as anew:
        assert dump(anew.database) == dump(searched.database)
        assert dump_stores(anew.database) == dump_stores(searched.database)
        assert dump_words(anew) == dump_words(searched)


def transcripts(root: Path) -> list[Path]:
    """Return every transcript of Claude Code."""
    return sorted((root / ".claude" / "projects").rglob("*.jsonl"))


def append(path: Path, text: str) -> None:
    """Let a transcript grow by a prompt."""
    with path.open("ab") as file:
        file.write(line(user(str(uuid5(NAMESPACE_OID, text)), None, text, sessionId=path.stem)))


def an_agent(session: Path) -> Path:
    """Return the place of an agent's transcript that is not there yet."""
    return session.with_suffix("") / "subagents" / "agent-af00ba4.jsonl"


def write(path: Path, data: bytes) -> None:
    """Write a file, and the directories that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a home with two sessions, one of which has an agent."""
    made = home(tmp_path)
    draft = Draft(UUID).prompt("Where does the okapi live?").answer("In the forest.")
    draft.join(draft.agent("Look", "Look for it"), "Found").write(made)
    Draft(OTHER).prompt("And the tapir?").answer("Elsewhere.").write(made)
    write_side(made, "todos/x.json", b'[{"content": "feed it"}]')
    return made


CHANGES: dict[str, Callable[[Path], object]] = {
    "grown": lambda path: append(path, "one more"),
    "torn": lambda path: path.write_bytes(path.read_bytes()[:-30]),
    "rewritten": lambda path: path.write_bytes(path.read_bytes().replace(b"okapi", b"panda")),
    "a new agent": lambda path: write(
        an_agent(path), line(assistant("b1", None, "From the agent", isSidechain=True, agentId="af00ba4"))
    ),
    "an agent is gone": lambda path: next((path.with_suffix("") / "subagents").glob("*.jsonl")).unlink(),
    "its meta file": lambda path: write(an_agent(path).with_suffix(".meta.json"), b'{"agentType": "Explore"}'),
    "an output": lambda path: write(path.with_suffix("") / "tool-results" / "a.txt", b"a long output"),
    "a title": lambda path: write(path.with_suffix("") / "custom-title.json", b'{"customTitle": "Of animals"}'),
    "archived": lambda path: write(path.with_suffix("") / "archived.json", b'{"archived": true}'),
    "an earlier version": lambda path: shutil.copy(path, path.with_name(path.name + ".bak")),
    "a todo": lambda path: write(path.parents[2] / "todos" / "x.json", b'[{"content": "milk it"}]'),
    "a plan": lambda path: write(path.parents[2] / "plans" / "p.md", b"A plan for the okapi"),
    "history": lambda path: write(
        path.parents[2] / "history.jsonl", line({"display": "long gone", "timestamp": 1, "project": "/p"})
    ),
    "settings": lambda path: write(path.parents[2] / "settings.json", b'{"cleanupPeriodDays": 7}'),
    "projects that are known": lambda path: write(path.parents[3] / ".claude.json", b'{"projects": {"/r/new": {}}}'),
    "prompts that a config remembers": lambda path: write(
        path.parents[3] / ".claude.json", b'{"projects": {"/r": {"history": ["a lost okapi"]}}}'
    ),
    "a backup of the config": lambda path: write(
        path.parents[2] / "backups" / ".claude.json.backup.1", b'{"projects": {"/r": {"history": ["a lost gnu"]}}}'
    ),
    "memory": lambda path: write(path.parent / "memory" / "m.md", b"It likes leaves"),
    "an index of sessions": lambda path: write(path.parent / "sessions-index.json", b'{"entries": []}'),
}


@pytest.mark.parametrize("change", CHANGES)
def test_few(root: Path, noted: Noted, change: str) -> None:
    """Whatever changes in a session or beside all of them, no other session is looked at, and all is as made anew."""
    path = next(path for path in transcripts(root) if path.stem == UUID)
    with Searched(root) as searched:
        CHANGES[change](path)
        searched.refresh()
        assert [True, False] == noted.of(searched)
        same_as_anew(searched)
        searched.refresh()
        assert 2 == len(noted.of(searched))  # all was in step


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_words_that_follow_later(root: Path, noted: Noted, change: str) -> None:
    """Where only the catalogue was brought up to date, the words learn later what changed meanwhile."""
    path = next(path for path in transcripts(root) if path.stem == UUID)
    with Searched(root) as searched:
        CHANGES[change](path)
        update(searched.database, find_stores(root, {}))
        append(transcripts(root)[-1], "and this")
        update(searched.database, find_stores(root, {}))
        searched.refresh()
        assert [True, False, False, False] == noted.of(searched)
        same_as_anew(searched)


def test_everything_is_sorted(root: Path, noted: Noted) -> None:
    """A session that comes or goes, a row of Desktop, a transcript without an id: everything is looked at."""
    with Searched(root) as searched:
        for change in (
            lambda: Draft("44444444-4444-4444-8444-444444444444").prompt("New").write(root),
            lambda: next(path for path in transcripts(root) if path.stem == OTHER).unlink(),
            lambda: row(root, cliSessionId=UUID),
            lambda: Draft("notes").prompt("Named otherwise").write(root),
        ):
            change()
            searched.refresh()
            same_as_anew(searched)
        assert [True] * 5 == noted.of(searched)


def test_more_than_a_few(root: Path, noted: Noted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where many sessions changed, everything is sorted."""
    monkeypatch.setattr(few, "MOST", 1)
    with Searched(root) as searched:
        for path in transcripts(root):
            append(path, "all of them")
        searched.refresh()
        assert [True, True] == noted.of(searched)
        same_as_anew(searched)


def test_nothing_is_taken_on_trust(root: Path, noted: Noted) -> None:
    """Where the catalogue holds a session otherwise than its files were, everything is sorted."""
    with Searched(root) as searched:
        kept = searched.database.execute("SELECT * FROM glance").fetchone()
        searched.database.execute("UPDATE unit SET fingerprint = 'another'")
        searched.database.execute("INSERT INTO glance VALUES (?, ?, ?, ?)", kept)
        append(transcripts(root)[0], "one more")
        searched.refresh()
        assert [True, True] == noted.of(searched)
        same_as_anew(searched)


def test_a_damaged_glance(root: Path, noted: Noted) -> None:
    """A glance that is not what was written is not read."""
    with Searched(root) as searched:
        searched.database.execute("UPDATE glance SET state = substr(state, 1, 40)")
        append(transcripts(root)[0], "one more")
        searched.refresh()
        assert [True, True] == noted.of(searched)
        same_as_anew(searched)


def test_somebody_else_writes_meanwhile(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another process writes while few sessions are looked at is not taken for being in step."""
    real = units.sort
    with Searched(root, tmp_path) as searched, closing(open_index(tmp_path / "i.db")) as theirs:

        def meanwhile(*args: object) -> object:
            theirs.execute("UPDATE unit SET fingerprint = 'another' WHERE session = ?", (OTHER,))
            return real(*args)  # type: ignore[arg-type]

        append(next(path for path in transcripts(root) if path.stem == UUID), "one more")
        with monkeypatch.context() as patched:
            patched.setattr(few, "sort", meanwhile)
            searched.refresh()
        assert searched.database.execute("SELECT count(*) FROM glance").fetchone() == (0,)
        searched.refresh()
        same_as_anew(searched)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_a_home_that_lives(tmp_path: Path, seed: int, noted: Noted) -> None:
    """Files of all kinds that come, grow, change and go give at every step what an index made anew would hold.

    Not so backups of files, for Claude Code writes each of them once, nor a row of Desktop that is torn: what it said
    before is remembered.
    """
    chance = random.Random(seed)  # noqa: S311 - no secret
    write_demo_home(tmp_path)
    root = home(tmp_path)
    with Searched(root) as searched:
        for number in range(25):
            files = sorted(path for path in root.rglob("*") if path.is_file() and "file-history" not in path.parts)
            sessions = [path for path in transcripts(root) if not path.name.startswith("agent-")]
            step = chance.choice(["grow", "grow", "grow", *CHANGES, "gone", "copied", "any"])
            path = chance.choice(sessions)
            if step == "grow":
                append(chance.choice(transcripts(root)), f"step {number}")
            elif step == "gone":
                chance.choice(files).unlink()
            elif step == "copied":
                other = path.with_name(f"{chance.getrandbits(32):08x}{path.stem[8:]}.jsonl")
                other.write_bytes(path.read_bytes().replace(path.stem.encode(), other.stem.encode()))
            elif step == "any":
                file = chance.choice([file for file in files if ".claude" in file.parts])
                file.write_bytes(file.read_bytes()[: chance.randrange(4000)] + b"\n")
            elif step != "an agent is gone" or list(path.with_suffix("").glob("subagents/*.jsonl")):
                CHANGES[step](path)
            if chance.random() < 0.3:
                update(searched.database, find_stores(root, {}))
                continue
            searched.refresh()
            same_as_anew(searched)
        assert False in noted.of(searched)


def test_a_difference_is_what_changed(root: Path) -> None:
    """Every file that changed is named, and no other."""
    with Searched(root) as searched:
        path = next(path for path in transcripts(root) if path.stem == UUID)
        append(path, "one more")
        write(path.with_suffix("") / "tool-results" / "a.txt", b"x")
        (root / ".claude" / "todos" / "x.json").unlink()
        found = few_changes(searched.database, glance(find_stores(root, {})))
        assert found is not None
        changed = {str(path), str(path.with_suffix("") / "tool-results" / "a.txt"), f"{root}/.claude/todos/x.json"}
        assert changed == found.changed
        assert {UUID} == {unit.session for unit in found.found.units.values()}
