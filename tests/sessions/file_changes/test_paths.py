"""File paths of other systems, compared by their own rules."""

import pytest

from backscroll.sessions.file_changes.paths import absolute, below, folded, home_of, parts


@pytest.mark.parametrize(
    "path, cwd, expected",
    [
        ("/a/b.py", "/x", "/a/b.py"),
        ("b.py", "/home/ann/x", "/home/ann/x/b.py"),
        ("../b.py", "/home/ann/x", "/home/ann/b.py"),
        ("~/b.py", "/home/ann/x", "/home/ann/b.py"),
        ("~/b.py", "/Users/ann/x", "/Users/ann/b.py"),
        ("~/b.py", None, "~/b.py"),
        ("//a//b/./c", "/", "/a/b/c"),
        ("b.py", None, "b.py"),
        ("C:/Code/b.py", "C:\\", "C:\\Code\\b.py"),
        ("src/b.py", "C:\\Code", "C:\\Code\\src\\b.py"),
        ("~\\b.py", "C:\\Users\\ann\\x", "C:\\Users\\ann\\b.py"),
        ("\\\\server\\share\\b", None, "\\\\server\\share\\b"),
        ("/../../etc/passwd", "/", "/etc/passwd"),
    ],
)
def test_paths_are_made_absolute(path: str, cwd: str | None, expected: str) -> None:
    """Relative paths and ~ are resolved by the record's own directory, in the style of its system."""
    assert expected == absolute(path, cwd)


def test_a_home_is_that_of_the_directory_or_of_the_transcript() -> None:
    """Where the working directory does not show it, the transcript's own place does."""
    assert "/home/ann" == home_of("/home/ann/x")
    assert "/odd" == home_of("/srv/x", "/odd/.claude/projects/-srv-x/s.jsonl")
    assert home_of("/srv/x") is None


def test_windows_tells_neither_case_nor_slashes_apart() -> None:
    """Equal paths are equal when folded, and those of other systems stay as they are."""
    assert folded("C:\\Code\\A.py") == folded("c:/code/a.PY")
    assert folded("/Code/A.py") != folded("/code/a.py")
    assert folded("/cafe\u0301") == folded("/caf\u00e9")


def test_parts_have_no_root_and_no_drive() -> None:
    """A path is taken apart into plain names."""
    assert ["a", "b"] == parts("/a//b")
    assert ["C", "a", "b"] == parts("C:\\a\\b")
    assert ["server", "share", "b"] == parts("\\\\server\\share\\b")


@pytest.mark.parametrize(
    "path, directory, expected",
    [
        ("/a/b/c", "/a", "b/c"),
        ("/a/b/c", "/a/", "b/c"),
        ("/ab/c", "/a", None),
        ("/a", "/a", None),
        ("C:\\Code\\x\\y", "c:\\code", "x/y"),
    ],
)
def test_below(path: str, directory: str, expected: str | None) -> None:
    """A path is relative only to a directory that it lies in."""
    assert expected == below(path, directory)
