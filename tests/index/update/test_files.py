"""Did anything change?  One walk gives the answer, and says no wrong no."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, home, line, user, write_side, write_transcript
from searched import Searched

from backscroll.formats.json import lines as jsonl
from backscroll.index.db import open_in_memory
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.index.update import files
from backscroll.index.update.files import CHECKED, SETTLED, Seen, checks_of, look
from backscroll.index.update.update import update
from backscroll.sessions.transcript import source
from backscroll.stores.find import find_stores

OTHER = "22222222-2222-4222-8222-222222222222"
SOON = SETTLED // 1_000_000_000
"""Seconds within which a file that changed is not settled."""


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    """Give a new index in memory."""
    with closing(open_in_memory()) as made:
        yield made


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let walks happen some seconds later than they do."""
    return lambda seconds: monkeypatch.setattr(files, "time_ns", lambda: time.time_ns() + seconds * 1_000_000_000)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Take down which transcripts are scanned, and from which byte on."""
    found: list[tuple[str, int]] = []

    def noted(*given: Any, **more: Any) -> jsonl.Scan:
        found.append((Path(given[1]).stem, given[3]))
        return jsonl.scan(*given, **more)

    monkeypatch.setattr(source, "scan", noted)
    return found


def updated(database: sqlite3.Connection, root: Path) -> None:
    """Bring the index up to date."""
    update(database, find_stores(root, {}))


def seen(database: sqlite3.Connection, root: Path) -> Seen:
    """Look whether anything changed."""
    return look(database, find_stores(root, {}))


def told(*words: str) -> list[bytes]:
    """Return records of prompts, one for each word."""
    ids = [f"{number:08}-0000-4000-8000-000000000000" for number in range(len(words) + 1)]
    return [line(user(ids[n + 1], ids[n] if n else None, word, version="2.1.325")) for n, word in enumerate(words)]


def test_an_equal_state_is_unchanged(tmp_path: Path, database: sqlite3.Connection, later: Any) -> None:
    """Files that were taken in some seconds after their last change are not looked at again."""
    Draft(UUID).prompt("A").write(home(tmp_path))
    write_side(tmp_path, "settings.json", b"{}")
    later(60)
    updated(database, tmp_path)
    found = seen(database, tmp_path)

    assert (True, set(), set()) == (found.is_same, found.changed, found.gone)


def test_an_unchanged_home_is_only_looked_at(
    tmp_path: Path, database: sqlite3.Connection, later: Any, begun: list[tuple[str, int]]
) -> None:
    """An update that finds nothing new reads no transcript and writes nothing."""
    Draft(UUID).prompt("A").write(home(tmp_path))
    later(60)
    updated(database, tmp_path)
    del begun[:]
    before = database.total_changes
    updated(database, tmp_path)

    assert ([], before) == (begun, database.total_changes)


def test_a_change_just_before_is_looked_at_again(
    tmp_path: Path, database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that changed less than two seconds before it was taken in is compared once more, and then settled."""
    Draft(UUID).prompt("A").write(home(tmp_path))
    updated(database, tmp_path)
    compared: list[str] = []
    real = files.checks_of

    def noted(path: str, end: int) -> bytes:
        compared.append(path)
        return real(path, end)

    monkeypatch.setattr(files, "checks_of", noted)
    monkeypatch.setattr(files, "time_ns", lambda: time.time_ns() + SETTLED + 1)

    assert [set(), set()] == [seen(database, tmp_path).changed for _ in range(2)]
    assert 1 == len(compared)


def test_two_changes_of_one_moment(
    tmp_path: Path, database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another text of the same length, which a coarse clock dates alike, is taken in by the next update."""
    path = write_transcript(home(tmp_path), "-p", UUID, told("one"))
    updated(database, tmp_path)
    before = path.stat()
    path.write_bytes(b"".join(told("two")))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    # As if its time of change were equal too, which nobody can set.
    database.execute("UPDATE file SET ctime = ? WHERE path = ?", (path.stat().st_ctime_ns, os.fsencode(path)))
    updated(database, tmp_path)

    assert "two" == query.session(database, UUID).title


@pytest.mark.parametrize("what", ["size", "mtime", "ctime", "inode", "device"])
def test_every_part_of_a_state_counts(tmp_path: Path, database: sqlite3.Connection, later: Any, what: str) -> None:
    """A file of another size, time, inode or device is another file."""
    path = Draft(UUID).prompt("A").write(home(tmp_path))
    later(60)
    updated(database, tmp_path)
    database.execute(f"UPDATE file SET {what} = {what} - 1 WHERE path = ?", (os.fsencode(path),))  # noqa: S608 - above

    assert {str(path)} == seen(database, tmp_path).changed


def test_files_that_come_and_go(tmp_path: Path, database: sqlite3.Connection, later: Any) -> None:
    """A file that is new is changed, and one that is not met any more is gone."""
    old = Draft(UUID).prompt("A").write(home(tmp_path))
    later(60)
    updated(database, tmp_path)
    old.unlink()
    new = write_side(tmp_path, "plans/a.md", b"a plan")
    found = seen(database, tmp_path)

    assert ({str(new)}, {str(old)}, False) == (found.changed, found.gone, found.is_same)


def test_damage_of_a_store_is_a_change(tmp_path: Path, database: sqlite3.Connection, later: Any) -> None:
    """A place that cannot be looked at any more, or again, means that something changed."""
    Draft(UUID).prompt("A").write(home(tmp_path))
    later(60)
    updated(database, tmp_path)
    link = tmp_path / ".claude/projects/-p.jsonl"
    link.symlink_to("nowhere")
    broken = seen(database, tmp_path)
    updated(database, tmp_path)
    settled = seen(database, tmp_path)
    link.unlink()

    assert (True, True) == (broken.is_damage_new, seen(database, tmp_path).is_damage_new)
    assert (False, True) == (settled.is_damage_new, settled.is_same)


def test_another_store_is_a_change(tmp_path: Path, database: sqlite3.Connection, later: Any) -> None:
    """Where another set of stores is read, something changed, though no file did."""
    Draft(UUID).prompt("A").write(home(tmp_path))
    later(60)
    updated(database, tmp_path)
    (tmp_path / ".claude-work" / "projects").mkdir(parents=True)

    assert not seen(database, tmp_path).is_same


@pytest.mark.parametrize("is_settled", [True, False])
def test_growth_goes_on_from_the_end(
    tmp_path: Path, database: sqlite3.Connection, begun: list[tuple[str, int]], later: Any, is_settled: bool
) -> None:
    """Of a transcript that grew, only the end is read; the files beside it are not read at all."""
    later(60 if is_settled else 0)
    words = ["word " * 2000, "more " * 2000, "last"]
    path = write_transcript(home(tmp_path), "-p", UUID, told(*words))
    Draft(OTHER).prompt("A").write(tmp_path)
    updated(database, tmp_path)
    size = path.stat().st_size
    del begun[:]
    path.write_bytes(b"".join(told(*words, "new")))
    updated(database, tmp_path)

    assert [(UUID, size)] == begun
    assert 4 == query.session(database, UUID).prompts


@pytest.mark.parametrize("changed", [0, CHECKED - 1, -CHECKED, -3])
def test_a_changed_beginning_or_end_is_read_anew(
    tmp_path: Path, database: sqlite3.Connection, begun: list[tuple[str, int]], changed: int
) -> None:
    """A transcript that grew, and of whose first or last 4 KB a byte is another one, is read from its start."""
    words = ["a" * 6000, "b" * 6000]
    before = b"".join(told(*words))
    path = write_transcript(home(tmp_path), "-p", UUID, before)
    updated(database, tmp_path)
    del begun[:]
    other = bytearray(before)
    other[changed] ^= 1
    path.write_bytes(bytes(other) + told(*words, "new")[2])
    updated(database, tmp_path)

    assert [(UUID, 0)] == begun


def test_a_file_is_known_by_both_its_ends(tmp_path: Path) -> None:
    """The beginning of a file is told by its first and its last bytes."""
    path = tmp_path / "a"
    path.write_bytes(bytes(range(256)) * 100)
    known = checks_of(str(path), 20_000)
    with path.open("ab") as file:
        file.write(b"more")

    assert known == checks_of(str(path), 20_000)
    for place in (0, CHECKED - 1, 20_000 - CHECKED, 19_999):
        changed = bytearray(path.read_bytes())
        changed[place] ^= 1
        (tmp_path / "b").write_bytes(changed)

        assert known != checks_of(str(tmp_path / "b"), 20_000)

    os.truncate(path, 19_999)

    assert known != checks_of(str(path), 20_000)


def test_a_file_that_cannot_be_read_has_no_checks(tmp_path: Path) -> None:
    """A file that is not there is known by nothing, and nothing is no file's key."""
    assert b"" == checks_of(str(tmp_path / "gone"), 10)


def test_the_words_of_a_gone_file_are_not_found(tmp_path: Path) -> None:
    """What stood in files that are gone is found no longer, nor are the files remembered."""
    root = home(tmp_path)
    paths = [
        Draft(UUID).prompt("feed the okapi").title("Okapis").write(root),
        write_side(root, "plans/a.md", b"the okapi plan"),
        write_side(root, "history.jsonl", b'{"display":"an okapi wish","project":"/p","timestamp":1780000000000}\n'),
    ]
    with Searched(root) as searched:
        before = searched.documents()
        for path in paths:
            path.unlink()
        searched.refresh()

        assert before >= 4
        assert (0, 0) == (searched("okapi*").total, searched.documents())
        assert [] == searched.database.execute("SELECT path FROM file").fetchall()


def test_words_of_a_file_that_went_while_none_were_taken_in(tmp_path: Path) -> None:
    """A file that only the catalogue has seen go is taken out of the words by the next search."""
    root = home(tmp_path)
    path = Draft(UUID).prompt("feed the okapi").write(root)
    with Searched(root) as searched:
        path.unlink()
        updated(searched.database, root)
        listed = query.sessions(searched.database, SessionFilter(), None)
        searched.refresh()

        assert ([], 0, 0) == (listed, searched("okapi").total, searched.documents())
