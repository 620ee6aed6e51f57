"""The words of everything, kept in step: each message once, whatever happens to files and processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tantivy
from command import TIMEOUT
from hypothesis import given, settings
from hypothesis import strategies as some
from make import UUID, Draft, bash, home, line, user, write_side, write_transcript
from searched import Searched

import backscroll
from backscroll.index.words import documents
from backscroll.index.words.documents import Entry
from backscroll.index.words.store import open_fulltext
from backscroll.index.words.update import Words

FORK = "22222222-2222-4222-8222-222222222222"
THIRD = "33333333-3333-4333-8333-333333333333"


def told(*words: str) -> list[bytes]:
    """Return records of prompts, one for each word."""
    ids = [f"{number:08}-0000-4000-8000-000000000000" for number in range(len(words) + 1)]
    return [line(user(ids[n + 1], ids[n] if n else None, word, version="2.1.325")) for n, word in enumerate(words)]


def test_each_message_once(tmp_path: Path) -> None:
    """What forks and resumes copy is found once, in the session that said it first."""
    root = home(tmp_path)
    draft = Draft(UUID).prompt("alpha").answer("beta", calls=[bash("gamma", "delta")])
    draft.fork(FORK).prompt("epsilon").write(root)
    draft.write(root)
    old = Draft(THIRD, version="1.0.44").prompt("zeta").answer("eta")
    old.fork("44444444-4444-4444-8444-444444444444", style="resume").prompt("theta").write(root)
    old.write(root)
    with Searched(root) as searched:
        assert [1] * 7 == [
            len(searched(word).hits) for word in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta")
        ]
        assert UUID == searched("alpha").hits[0].session


def test_an_earlier_copy_gives_way(tmp_path: Path) -> None:
    """A session of old versions that a later one contains is found in the later one, whichever was read first."""
    root = home(tmp_path)
    old = Draft(UUID, version="1.0.44").prompt("zeta").answer("eta")
    old.write(root)
    with Searched(root) as searched:
        assert [UUID] == [hit.session for hit in searched("zeta").hits]
        later = old.fork(FORK, style="resume").prompt("theta").answer("iota").write(root)
        searched.refresh()

        (hit,) = searched("zeta").hits
        assert FORK == hit.session
        assert str(hit.message).encode() in later.read_bytes()


def test_an_heir_takes_over(tmp_path: Path) -> None:
    """When the session that said it first is deleted, its copy is found instead."""
    root = home(tmp_path)
    draft = Draft(UUID).prompt("alpha").answer("beta")
    draft.fork(FORK).prompt("gamma").write(root)
    first = draft.write(root)
    with Searched(root) as searched:
        assert [UUID] == [hit.session for hit in searched("alpha").hits]
        first.unlink()
        searched.refresh()

        assert [FORK] == [hit.session for hit in searched("alpha").hits]
        assert [FORK] == [hit.session for hit in searched("beta").hits]


def test_changes_are_seen(tmp_path: Path) -> None:
    """Grown, shrunk, rewritten, moved and vanished files are."""
    root = home(tmp_path)
    path = write_transcript(root, "-p", UUID, told("one", "two"))
    with Searched(root) as searched:
        for words in (("one", "two", "three"), ("one",), ("four", "five"), ("six", "five")):
            path.write_bytes(b"".join(told(*words)))
            searched.refresh()
            assert set(words) == {
                word for word in ("one", "two", "three", "four", "five", "six") if searched(word).hits
            }
        path.rename(path.with_name(f"{FORK}.jsonl"))
        searched.refresh()
        assert [FORK] == [hit.session for hit in searched("six").hits]
        path.with_name(f"{FORK}.jsonl").unlink()
        searched.refresh()
        assert 0 == searched.documents()


def test_side_files_change(tmp_path: Path) -> None:
    """Plans, outputs and prompts of lost sessions are kept in step too."""
    root = home(tmp_path)
    plan = write_side(root, "plans/a.md", b"first plan")
    write_side(root, "history.jsonl", b'{"display":"lost wish","sessionId":"%s","timestamp":1}\n' % UUID.encode())
    with Searched(root) as searched:
        assert searched("first plan").hits
        assert searched("lost wish").hits
        plan.write_bytes(b"second plan")
        Draft(UUID).prompt("lost wish").write(root)
        searched.refresh()

        assert not searched("first plan").hits
        assert searched("second plan").hits
        assert ["prompt"] == [hit.role.replace("user", "prompt") for hit in searched("lost wish").hits]


def test_a_persisted_output_names_its_message(tmp_path: Path) -> None:
    """An output in a file of its own is found, and leads to the message that tells of it."""
    root = home(tmp_path)
    notice = "<persisted-output>\nOutput too large. Full output saved to: /x/tool-results/b1.txt\n</persisted-output>"
    path = Draft(UUID).prompt("go").answer(calls=[bash("seq", notice)]).write(root)
    output = path.with_suffix("") / "tool-results" / "b1.txt"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("needle in the haystack")
    with Searched(root) as searched:
        (hit,) = searched("needle").hits
        (notice_hit,) = searched("tool:bash role:tool").hits

        assert (UUID, notice_hit.message, str(output)) == (hit.session, hit.message, hit.place and hit.place.path)


@pytest.mark.slow
@given(some.data())
@settings(max_examples=25)
def test_grown_is_as_read_anew(tmp_path_factory: pytest.TempPathFactory, data: some.DataObject) -> None:
    """Whatever prefix was taken in first, and however it grew, the index is as if it was read at once."""
    draft = Draft(UUID).prompt("alpha one").answer("beta two", thinking="gamma", calls=[bash("delta", "epsilon")])
    draft.rewind(to=1).prompt("zeta").answer("eta theta", calls=[bash("iota", "kappa")]).compact("lambda").prompt("mu")
    draft.record(**queued("nu")).record(**queued("xi")).title("omicron").prompt("nu").title("pi").title("omicron")
    whole = draft.text()
    root = home(tmp_path_factory.mktemp("grown"))
    cuts = sorted(data.draw(some.lists(some.integers(0, len(whole)), min_size=1, max_size=3)))
    path = write_transcript(root, "-p", UUID, whole[: cuts[0]])
    with Searched(root) as grown:
        for cut in [*cuts[1:], len(whole)]:
            path.write_bytes(whole[:cut])
            grown.refresh()
        with Searched(root) as anew:
            words = "alpha beta gamma delta epsilon zeta eta iota kappa lambda mu nu xi omicron pi".split()  # noqa: SIM905
            assert anew.documents() == grown.documents()
            assert [ids(anew, word) for word in words] == [ids(grown, word) for word in words]


def queued(text: str) -> dict[str, str]:
    """Return a prompt that was typed while Claude worked."""
    return {"type": "queue-operation", "operation": "enqueue", "timestamp": "2026-05-01T10:00:00Z", "content": text}


def ids(searched: Searched, word: str) -> list[str]:
    """Return the messages that hold a word."""
    return sorted(str(hit.message) for hit in searched(word).hits)


def test_growth_costs_only_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a transcript that grew, only new messages are taken in."""
    root = home(tmp_path)
    path = write_transcript(root, "-p", UUID, told("one", "two"))
    added: list[str] = []
    make = documents.document_of

    def noted(entry: Entry, number: int, session: str | None) -> tantivy.Document:
        added.append(entry.fields["prompt"][0])
        return make(entry, number, session)

    monkeypatch.setattr(documents, "document_of", noted)
    with Searched(root) as searched:
        path.write_bytes(b"".join(told("one", "two", "three")))
        searched.refresh()

        assert ["one", "two", "three"] == added


def ranked(searched: Searched, *words: str) -> list[list[tuple[str | None, float | None]]]:
    """Return the hits of some searches in their order, with their scores."""
    return [[(hit.message, hit.score) for hit in searched(word).hits] for word in words]


def test_the_order_after_growth_is_that_of_a_new_index(tmp_path: Path) -> None:
    """Where messages were only added, scores and order are those of an index made at once."""
    root = home(tmp_path)
    words = [f"alpha beta{'beta ' * (n % 3)} {'gamma ' * (n % 7)}" for n in range(60)]
    path = write_transcript(root, "-p", UUID, told(*words[:5]))
    with Searched(root, tmp_path / "grown") as grown:
        for length in range(8, 61, 4):
            path.write_bytes(b"".join(told(*words[:length])))
            grown.refresh()
        with Searched(root, tmp_path / "anew") as anew:
            asked = ("alpha", "gamma", "beta OR gamma", "alpha gamma")
            assert ranked(anew, *asked) == ranked(grown, *asked)


def test_an_index_of_mostly_deleted_documents_is_made_anew(tmp_path: Path) -> None:
    """Deleted documents distort scores, so they go as soon as they are more than the others."""
    root = home(tmp_path)
    Draft(FORK).prompt("alpha gamma").answer("beta").prompt("gamma gamma").write(root)
    path = write_transcript(root, "-p", UUID, told(*(["alpha beta"] * 20)))
    with Searched(root, tmp_path / "grown") as grown:
        path.unlink()
        grown.refresh()
        assert (20, 3) == grown.text.document_counts()
        grown.refresh()

        assert (0, 3) == grown.text.document_counts()
        with Searched(root, tmp_path / "anew") as anew:
            assert ranked(anew, "alpha", "gamma OR beta") == ranked(grown, "alpha", "gamma OR beta")


def test_documents_deleted_while_an_index_is_made_are_no_reason_for_another(tmp_path: Path) -> None:
    """An index that holds more deleted documents than others from the beginning is not made anew each time."""
    root = home(tmp_path)
    Draft(FORK).prompt("alpha").write(root)
    path = write_transcript(root, "-p", UUID, told(*(["alpha beta"] * 20)))
    with Searched(root, tmp_path / "ours") as searched:
        path.unlink()
        searched.refresh()
        assert (20, 1) == searched.text.document_counts()
        searched.database.execute("UPDATE meta SET value = '20' WHERE name = 'words deleted'")
        searched.refresh()

        assert (20, 1) == searched.text.document_counts()


class Killed(Exception):  # noqa: N818 - it stands for a kill
    """The process ends here."""


@pytest.mark.parametrize("moment", ["before the words", "between words and catalogue"])
def test_a_kill_between_the_commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """Killed before, between or after the two commits: the next run loses nothing and doubles nothing."""
    root, ours = home(tmp_path / "root"), tmp_path / "ours"
    write_transcript(root, "-p", UUID, told("one", "two"))
    with Searched(root, ours):
        pass
    write_transcript(root, "-p", UUID, told("one", "two", "three"))
    write_transcript(root, "-p", FORK, told("one", "two", "four"))
    commit = Words.commit

    def killed(self: Words) -> None:
        if moment == "between words and catalogue" and self._writer is not None:
            self._writer.commit()
        raise Killed

    monkeypatch.setattr(Words, "commit", killed)
    with pytest.raises(Killed):
        Searched(root, ours)
    monkeypatch.setattr(Words, "commit", commit)
    with Searched(root, ours) as searched:
        assert [1, 1, 1, 1] == [len(searched(word).hits) for word in ("one", "two", "three", "four")]
        assert 4 == searched.documents()


def test_damage_means_a_new_index(tmp_path: Path) -> None:
    """An index that cannot be opened is made anew."""
    root, ours = home(tmp_path / "root"), tmp_path / "ours"
    write_transcript(root, "-p", UUID, told("one"))
    with Searched(root, ours):
        pass
    for path in (ours / "i.words").rglob("*.json"):
        path.write_bytes(b"{")
    with Searched(root, ours) as searched:
        assert searched("one").hits


def test_private(tmp_path: Path) -> None:
    """Everything of the index is its owner's alone."""
    root, ours = home(tmp_path / "root"), tmp_path / "ours"
    write_transcript(root, "-p", UUID, told("one"))
    before = os.umask(0)
    try:
        with Searched(root, ours):
            modes = {path: path.stat().st_mode & 0o077 for path in (ours / "i.words").rglob("*")}
    finally:
        os.umask(before)

    assert modes
    assert {0} == set(modes.values())


def test_a_second_writer_waits_or_goes_without(tmp_path: Path) -> None:
    """While somebody takes words in, a search answers from what is committed."""
    root, ours = home(tmp_path / "root"), tmp_path / "ours"
    write_transcript(root, "-p", UUID, told("one"))
    with Searched(root, ours) as searched:
        other = open_fulltext(ours / "i.words")
        with other.writer():
            write_transcript(root, "-p", FORK, told("one", "two"))
            searched.refresh()
            assert not searched("two").hits
        searched.refresh()
        assert searched("two").hits


@pytest.mark.slow
def test_indexers_and_readers_at_once(tmp_path: Path) -> None:
    """Two indexers and eight readers at once never see a lock."""
    root = home(tmp_path)
    for number in range(40):
        Draft(f"{number:08}-1111-4111-8111-111111111111").prompt(f"word{number} shared").answer("fine").write(root)
    program = [sys.executable, "-m", "backscroll", "--root", str(root)]
    commands = [["index"], ["index", "--json"], *[["search", "shared"], ["list", "--all"]] * 4]
    for turn in range(3):
        running = [
            subprocess.Popen([*program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for words in commands
        ]
        Draft(f"{turn:08}-2222-4222-8222-222222222222").prompt(f"later{turn} shared").answer("fine").write(root)
        for process in running:
            _, errors = process.communicate(timeout=TIMEOUT)
            text = errors.decode()
            assert not [text for sign in ("lock", "traceback", "internal", "busy", "damage") if sign in text.lower()]
            assert process.returncode == (4 if "nothing found yet" in text else 0), text
    with backscroll.search_index(root) as search:
        assert 43 == search("shared", backscroll.Options(all_hits=True, limit=100)).total


def test_another_version_of_the_words(tmp_path: Path) -> None:
    """The words of another version of the program are deleted when new ones are made."""
    Draft(UUID).prompt("okapi").write(home(tmp_path))
    old = tmp_path / "i.words" / "words-1"
    old.mkdir(parents=True)
    (old / "meta.json").write_bytes(b"{}")
    with Searched(home(tmp_path), tmp_path) as searched:
        assert 1 == searched("okapi").total
    assert not old.exists()
