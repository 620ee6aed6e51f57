"""Paths that move: only those at or below the old directory, in the spelling of the new one."""

import pytest

from backscroll.errors import QueryError
from backscroll.transfer.path_map import PathMap, checked_path, moved_by, parsed_map
from backscroll.transfer.renaming import CONFIG, renamed_json


@pytest.mark.parametrize(
    "old, new, path, moved",
    [
        ("/a/b", "/c", "/a/b", "/c"),
        ("/a/b", "/c", "/a/b/x", "/c/x"),
        ("/a/b", "/c", "/a/bc", None),
        ("/a/b", "/c", "/A/B", None),
        ("/a/b", "/c", "/x/a/b", None),
        ("C:\\a", "D:\\b", "c:\\A\\x", "D:\\b\\x"),
        ("C:\\a", "D:\\b", "C:/a/x", "D:/b/x"),
        ("C:\\a", "D:\\b", "C:\\ab", None),
        ("C:\\a", "/b", "C:\\a\\x\\y", "/b/x/y"),
        ("/a", "C:\\b", "/a/x/y", "C:\\b\\x\\y"),
        ("\\\\host\\share", "/b", "\\\\HOST\\share\\x", "/b/x"),
    ],
)
def test_moved(old: str, new: str, path: str, moved: str | None) -> None:
    """Windows ignores case and kinds of slashes, other systems do not."""
    assert moved == PathMap(old, new).moved(path)


def test_the_longest_map_wins() -> None:
    """Of two maps that fit, the one with the longer directory counts."""
    maps = [PathMap("/a", "/x"), PathMap("/a/b", "/y")]

    assert ["/y/c", "/x/d", "/e"] == [moved_by(maps, path) for path in ("/a/b/c", "/a/d", "/e")]


@pytest.mark.parametrize("path", ["", "a", "./a", "~/a", "/", "//", "C:\\", "C:a", "/a\0b"])
def test_paths_that_are_refused(path: str) -> None:
    """Relative paths and the top of a disk are wrong use."""
    with pytest.raises(QueryError):
        checked_path(path)


def test_a_map_needs_both_sides() -> None:
    """OLD=NEW, both absolute."""
    assert PathMap("/a", "/b") == parsed_map("/a/=/b/")
    for text in ("/a", "/a=", "=/b", "a=/b"):
        with pytest.raises(QueryError):
            parsed_map(text)


def test_entries_of_both_names_become_one() -> None:
    """Where the new name has an entry already, its values count more, and nothing else is lost."""
    data = b'{"projects":{"/a":{"x":1,"y":1},"/b":{"y":2},"/c":{}},"z":1.50}'

    found = renamed_json(data, CONFIG, PathMap("/a", "/b"))

    assert found is not None
    assert b'{"projects": {"/b": {"x": 1, "y": 2}, "/c": {}}, "z": 1.5}' == found.data.replace(b":", b": ").replace(
        b",", b", "
    )
