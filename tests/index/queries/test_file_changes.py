"""Changes of files in the index: kept in step with the transcripts, each call once."""

from pathlib import Path

from make import UUID, Draft, edit, home, indexed, write

from backscroll.index.queries.file_changes import FileFilter, of_paths, touched
from backscroll.sessions.file_changes.paths import folded

FILE = "/home/ann/app/a.py"
OTHER = "22222222-2222-4222-8222-222222222222"


def test_copies_of_a_call_are_one_change(tmp_path: Path) -> None:
    """A fork holds the same call; the session that made it has it."""
    draft = Draft(UUID, "/home/ann/app").prompt("x").answer(calls=[write(FILE, "one\n")])
    draft.fork(OTHER).prompt("y").answer("z").write(home(tmp_path))
    draft.write(home(tmp_path))

    assert [UUID] == [change.session for change in of_paths(indexed(tmp_path), [FILE])]


def test_the_order_is_that_of_results(tmp_path: Path) -> None:
    """Changes of several sessions are in the order of their times."""
    later = Draft(OTHER, "/home/ann/app").prompt("x", after=90_000).answer(calls=[edit(FILE, "b\n", "b", "c")])
    later.write(home(tmp_path))
    Draft(UUID, "/home/ann/app").prompt("x").answer(calls=[write(FILE, "b\n")]).write(home(tmp_path))
    found = of_paths(indexed(tmp_path), [FILE, folded(FILE)])

    assert [("write", UUID), ("edit", OTHER)] == [(change.kind, change.session) for change in found]
    assert found[0].after == found[1].before


def test_what_is_gone_leaves_no_change(tmp_path: Path) -> None:
    """When a transcript is deleted, so are the changes that stood in it."""
    path = Draft(UUID, "/home/ann/app").prompt("x").answer(calls=[write(FILE, "b\n")]).write(home(tmp_path))
    before = touched(indexed(tmp_path), FileFilter())
    path.unlink()

    assert [FILE] == [item.path for item in before]
    assert [] == touched(indexed(tmp_path), FileFilter())
