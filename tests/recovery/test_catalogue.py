"""Catalogue: all files, by filter, with numbers that a replay agrees with."""

from datetime import timedelta
from pathlib import Path

import pytest
from make import NOON, UUID, Draft, Tool, bash, edit, home, read, write, write_demo_home

import backscroll
from backscroll.recovery.catalogue import matches

OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with two sessions in two projects."""
    draft = Draft(UUID, "/home/ann/app").prompt("x").answer(calls=[write("/home/ann/app/a.py", "a\n")])
    draft.answer(calls=[edit("/home/ann/app/a.py", "a\n", "a", "b"), read("/home/ann/app/b.md", "b\n")])
    draft.answer(calls=[bash("rm a.py", "")]).write(home(tmp_path))
    Draft(OTHER, "/home/ann/lib").prompt("x").answer(calls=[write("/home/ann/lib/c.py", "c\n")]).write(home(tmp_path))
    return tmp_path


def test_files_with_their_numbers(root: Path) -> None:
    """Each file says how often it changed, who touched it, and whether it was made and removed."""
    found = {Path(file.path).name: file for file in backscroll.list_files(root).files}

    assert {"a.py": 3, "b.md": 1, "c.py": 1} == {name: file.versions for name, file in found.items()}
    assert (2, True, True, [UUID]) == (
        found["a.py"].changes,
        found["a.py"].created,
        found["a.py"].deleted,
        found["a.py"].sessions,
    )
    assert (0, False, False) == (found["b.md"].changes, found["b.md"].created, found["b.md"].deleted)
    assert "/home/ann/lib" == found["c.py"].project


@pytest.mark.parametrize(
    "wanted, expected",
    [
        ({"session": UUID}, {"a.py", "b.md"}),
        ({"project": "lib"}, {"c.py"}),
        ({"match": "*.py"}, {"a.py", "c.py"}),
        ({"match": "app/*"}, {"a.py", "b.md"}),
        ({"since": NOON + timedelta(days=900)}, set()),
        ({"until": NOON - timedelta(days=900)}, set()),
        ({"session": UUID, "match": "*.md"}, {"b.md"}),
    ],
)
def test_filters(wanted: dict[str, object], expected: set[str], root: Path) -> None:
    """Files are chosen by session, project, pattern and time."""
    found = backscroll.list_files(root, **wanted)  # type: ignore[arg-type]

    assert expected == {Path(file.path).name for file in found.files}
    assert len(expected) == found.total


def test_a_limit_does_not_change_the_total(root: Path) -> None:
    """How many there are is known without looking at all of them."""
    found = backscroll.list_files(root, limit=1)

    assert (3, 1) == (found.total, len(found.files))


def test_what_only_failed_is_listed_without_versions(tmp_path: Path) -> None:
    """A file that was never written still has candidates."""
    tool = Tool("Write", {"file_path": "/x/a", "content": "a"}, "no", "Error: no", error=True)
    Draft(UUID).prompt("x").answer(calls=[tool]).write(home(tmp_path))
    (file,) = backscroll.list_files(tmp_path).files

    assert (0, 1, 0) == (file.versions, file.candidates, file.changes)


def test_the_list_agrees_with_the_replay(home: Path) -> None:
    """The numbers that the index alone gives are those of a replay of every file."""
    write_demo_home(home)
    files = backscroll.list_files(limit=None).files

    assert len(files) > 5
    assert [(file.path, file.versions) for file in files] == [
        (file.path, len(backscroll.recover(file.path).versions)) for file in files
    ]


@pytest.mark.parametrize(
    "path, pattern, expected",
    [
        ("/a/b/c.py", "*.py", True),
        ("/a/b/c.py", "c.py", True),
        ("/a/b/c.py", "b/*.py", True),
        ("/a/b/c.py", "/a/*", True),
        ("/a/b/c.py", "b", False),
        ("/a/b/c.PY", "*.py", False),
        ("C:\\A\\c.PY", "*.py", True),
        ("C:\\A\\c.py", "a/*", True),
    ],
)
def test_patterns(path: str, pattern: str, expected: bool) -> None:
    """A pattern without slashes is for the name, one with slashes for the end of the path."""
    assert expected is matches(path, pattern)
