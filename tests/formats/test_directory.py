"""One directory seen below another."""

from leveldb_make import Files

from backscroll.formats.directory import Below, file_size

FILES = Files({"a/b/1": b"one", "a/b/c/2": b"two", "a/3": b"three"})


def test_names_below() -> None:
    """Only the files of the directory itself are named, unless those further down are wanted too."""
    assert list(Below(FILES, "a/b/").names()) == ["1"]
    assert list(Below(FILES, "a/b/", is_deep=True).names()) == ["1", "c/2"]


def test_opening_below() -> None:
    """A file is opened by its name as seen from here."""
    with Below(FILES, "a/b/").open("c/2") as file:
        assert (3, b"two") == (file_size(file), file.read())
