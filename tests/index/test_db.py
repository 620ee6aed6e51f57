"""The index's file: private, disposable, made anew where it is of no use, and not needed at all."""

import hashlib
import os
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest
from make import UUID, Draft, as_nobody

import backscroll
from backscroll.errors import CorruptError, IndexWarning
from backscroll.index import file_state
from backscroll.index.db import BUSY_SECONDS, open_in_memory, open_index, path_for, remove_index
from backscroll.index.schema import VERSION


def tables(database: sqlite3.Connection) -> set[str]:
    """Return the names of the tables."""
    return {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def count(root: Path) -> int:
    """Return how many sessions a home has, through an index on disk."""
    return backscroll.list_sessions(root).total


def test_a_new_index_is_private(tmp_path: Path) -> None:
    """Its directories and its file can be read by their owner alone."""
    path = tmp_path / "ours" / "index" / "home.db"
    open_index(path).close()

    assert [0o600, 0o700, 0o700] == [
        stat.S_IMODE(item.stat().st_mode) for item in (path, path.parent, path.parent.parent)
    ]


def test_an_index_is_opened_again(tmp_path: Path) -> None:
    """What was written is there the next time."""
    path = tmp_path / "home.db"
    first = open_index(path)
    first.execute("INSERT INTO dirty VALUES ('s')")
    first.close()
    again = open_index(path)

    assert [("s",)] == again.execute("SELECT session FROM dirty").fetchall()
    assert (VERSION,) == again.execute("PRAGMA user_version").fetchone()
    again.close()


def test_an_index_waits_for_another_writer(tmp_path: Path) -> None:
    """While another process writes, a query waits for it instead of failing at once."""
    for _ in ("new", "opened again"):
        with closing(open_index(tmp_path / "index.db")) as database:
            assert database.execute("PRAGMA busy_timeout").fetchone() == (BUSY_SECONDS * 1000,)


def test_one_file_for_each_root(tmp_path: Path) -> None:
    """Each root has an index of its own, however it is spelled; the user's own home has another."""
    paths = {path_for(tmp_path, root) for root in (None, Path("/a"), Path("/b"), Path("/a/"))}

    assert 3 == len(paths)
    assert "home.db" == path_for(tmp_path, None).name


def test_the_name_is_a_hash_that_nobody_can_collide(tmp_path: Path) -> None:
    """Nobody can choose a directory so that two roots share one index: the name is 128 bits of BLAKE2b."""
    expected = hashlib.blake2b(b"/srv/backup", digest_size=16).hexdigest()

    assert f"root-{expected}.db" == path_for(tmp_path, Path("/srv/backup")).name


def test_another_version_is_replaced(tmp_path: Path) -> None:
    """An index of another version is made anew, never migrated."""
    path = tmp_path / "home.db"
    old = sqlite3.connect(path)
    old.execute("CREATE TABLE old (x)")
    old.execute("PRAGMA user_version = 99")
    old.close()
    database = open_index(path)

    assert "old" not in tables(database)
    assert "session" in tables(database)
    database.close()


def test_a_foreign_database_is_replaced(tmp_path: Path) -> None:
    """A database that is not ours, though without a version, is no index."""
    path = tmp_path / "home.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE other (x)")
    other.close()
    database = open_index(path)

    assert "other" not in tables(database)
    database.close()


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to be looked at" * 50, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_damaged_file_is_replaced(tmp_path: Path, content: bytes) -> None:
    """Rubbish in the place of the index costs nothing but the time to make it anew."""
    path = tmp_path / "home.db"
    path.write_bytes(content)
    database = open_index(path)

    assert "session" in tables(database)
    database.close()


def test_an_index_damaged_inside_is_replaced(tmp_path: Path, home: Path) -> None:
    """A damaged page behind a sound beginning is found in use; the index is then made anew, and the answer given."""
    root = tmp_path / "root"
    for number in range(30):
        Draft(f"{number:08d}-1111-4111-8111-111111111111").prompt("A").answer("B").write(root)
    backscroll.list_sessions(root)
    (path,) = (home.parent / "ours" / "index").glob("*.db")
    with closing(sqlite3.connect(path)) as database:
        (page,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'unit'").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    times = path.stat()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    with pytest.raises(CorruptError, match="the index was damaged and is now deleted"):
        backscroll.update_index(root)
    assert 30 == count(root)


def test_another_writer_costs_a_rebuild(tmp_path: Path, home: Path) -> None:
    """An index that something else wrote to is made anew; an open one, and one that was killed, are not judged."""
    root = tmp_path / "root"
    Draft("00000001-1111-4111-8111-111111111111").prompt("A").answer("B").write(root)
    assert 1 == count(root)
    (path,) = (home.parent / "ours" / "index").glob("*.db")
    assert not file_state.is_foreign(path)

    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE session SET messages = 7")
        database.commit()
        assert not file_state.is_foreign(path)
    assert file_state.is_foreign(path)
    assert [2] == [session.messages for session in backscroll.list_sessions(root).sessions]
    assert not file_state.is_foreign(path)


@pytest.mark.parametrize("noted", [b"", b"\xff" * 9, None])
def test_a_lost_note_costs_nothing(tmp_path: Path, home: Path, noted: bytes | None) -> None:
    """Whatever happens to the note of the file's state, answers are right, and it is there again afterwards."""
    root = tmp_path / "root"
    Draft("00000001-1111-4111-8111-111111111111").prompt("A").answer("B").write(root)
    assert 1 == count(root)
    (note,) = (home.parent / "ours" / "index").glob("*.db-state")
    expected = len(note.read_bytes().split())
    if noted is None:
        note.unlink()
    else:
        note.write_bytes(noted)

    assert 1 == count(root)
    assert expected == len(note.read_bytes().split())


def test_rebuilding_removes_what_was_there(tmp_path: Path) -> None:
    """An index may be made anew at any time."""
    path = tmp_path / "home.db"
    first = open_index(path)
    first.execute("INSERT INTO dirty VALUES ('s')")
    first.close()
    again = open_index(path, rebuild=True)

    assert [] == again.execute("SELECT session FROM dirty").fetchall()
    again.close()


def test_removing_an_index_that_is_not_there(tmp_path: Path) -> None:
    """There is nothing to complain about."""
    remove_index(tmp_path / "home.db")

    assert [] == list(tmp_path.iterdir())


def test_in_memory_where_nothing_can_be_written(tmp_path: Path) -> None:
    """Where no directory can be made, the index lives for one run."""
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(IndexWarning, match="Set BACKSCROLL_HOME"):
        database = open_index(tmp_path / "file" / "home.db")

    assert "session" in tables(database)
    assert ["file"] == [path.name for path in tmp_path.iterdir()]
    database.close()


def test_in_memory_where_a_directory_is_in_the_way(tmp_path: Path) -> None:
    """A directory of the index's name is left alone."""
    (tmp_path / "home.db" / "kept").mkdir(parents=True)
    with pytest.warns(IndexWarning, match="not saved after this run"):
        database = open_index(tmp_path / "home.db")

    assert "session" in tables(database)
    assert (tmp_path / "home.db" / "kept").is_dir()
    database.close()


def test_a_home_is_listed_without_a_writable_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions are found though nothing can be written."""
    Draft(UUID).prompt("A").write(tmp_path)
    monkeypatch.setenv("BACKSCROLL_HOME", "/dev/null/nowhere")

    with pytest.warns(IndexWarning):
        assert 1 == count(tmp_path)


def test_an_index_of_somebody_else_is_not_needed(home: Path) -> None:
    """An index that can be read but not written, root's for instance, does not stop anybody."""
    Draft(UUID).prompt("A").write(home)
    count(home)
    Draft("22222222-2222-4222-8222-222222222222").prompt("A").write(home)
    for path in (home.parent, *home.parent.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o444)

    def counted() -> int:
        with pytest.warns(IndexWarning):
            return count(home)

    assert 2 == as_nobody(counted)


def test_two_at_once(tmp_path: Path) -> None:
    """Who makes the index while another does so waits, and both find it whole."""
    path = tmp_path / "home.db"
    found: list[set[str]] = []

    def work() -> None:
        database = open_index(path)
        found.append(tables(database))
        database.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 4 == len(found)
    assert 1 == len({frozenset(names) for names in found})


def test_every_index_in_memory_is_its_own() -> None:
    """Two indexes in memory have nothing in common."""
    one, other = open_in_memory(), open_in_memory()
    one.execute("INSERT INTO dirty VALUES ('s')")

    assert [] == other.execute("SELECT session FROM dirty").fetchall()
    one.close()
    other.close()
