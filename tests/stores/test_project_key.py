"""The name of a project's directory: exact for every path that the real program was run in."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backscroll.stores.project_key import _base36, _hash, canon, could_be, encode

LONG = "/home/ann/" + "x" * 100 + "/" + "y" * 100


@pytest.mark.parametrize(
    "cwd, key",
    [
        ("/Users/ann/my_app.v2", "-Users-ann-my-app-v2"),
        ("/home/u/.config/x", "-home-u--config-x"),
        (r"C:\Work\a b", "C--Work-a-b"),
        ("/x/caf\u00e9", "-x-caf-"),
        ("/x/cafe\u0301", "-x-cafe-"),
        ("/x/日本語", "-x----"),
        ("/x/emo😀ji", "-x-emo--ji"),
        (r"\\wsl.localhost\Ubuntu\home\u", "--wsl-localhost-Ubuntu-home-u"),
        ("/", "-"),
        ("", ""),
        ("/a\udcff", "-a-"),
    ],
)
def test_the_known_table(cwd: str, key: str) -> None:
    """The table of docs/formats.md holds."""
    assert encode(cwd) == key


def test_exactly_200_are_not_cut() -> None:
    """A key of 200 characters is whole, one of 201 is cut and hashed."""
    assert encode("/" + "a" * 199) == "-" + "a" * 199
    assert encode("/" + "a" * 200).startswith("-" + "a" * 199 + "-")
    assert len(encode("/" + "a" * 200)) > 201


@pytest.mark.corpus
def test_every_directory_that_the_program_made(corpus: Path) -> None:
    """Each directory that the real 2.1.325 made has the name of a working directory recorded inside."""
    for directory in (corpus / "cli" / "project-dir-encoding-2.1.325" / "projects").iterdir():
        lines = [line for file in directory.glob("*.jsonl") for line in file.read_bytes().splitlines()]
        (cwd,) = {record["cwd"] for record in map(json.loads, lines) if "cwd" in record}

        if len(cwd) <= 200:
            assert directory.name == encode(cwd)
        else:  # its home was renamed for the corpus, to a shorter name: the hash is that of the true path
            assert canon(cwd).startswith(directory.name.rpartition("-")[0])


@pytest.mark.parametrize(
    "text, number, key",
    [("hello", 99162322, "1n1e4y"), ("polygenelubricants", -(2**31), "zik0zk"), ("😀", 1772899, "11zz7"), ("", 0, "0")],
)
def test_the_hash_of_long_paths(text: str, number: int, key: str) -> None:
    """The hash is the well-known one of UTF-16 units in 32 bits with a sign, written without it in base 36."""
    assert (_hash(text), _base36(abs(_hash(text)))) == (number, key)


@pytest.mark.parametrize("cwd", ["/a/b", "/a-b", "/a_b", "/a.b"])
def test_several_projects_share_a_key(cwd: str) -> None:
    """H22: one directory may hold sessions of several projects, so a key is never decoded."""
    assert could_be("-a-b", cwd)


@pytest.mark.parametrize(
    "key, cwd, expected",
    [
        ("-a-b", "/a/c", False),
        ("-a_b", "/a_b", True),
        ("c--work-a", r"C:\Work\a", True),
        ("C--Work-a", "c:/work/a", True),
        ("-home-Ann", "/home/ann", False),
        (encode(LONG), LONG, True),
        (canon(LONG), LONG, True),
        (canon(LONG)[:200] + "-3k9zq81bunhash", LONG, False),
        (canon(LONG)[:200] + "-3k9zq81bunhas", LONG, True),
        (canon(LONG)[:200] + "-y/y", LONG, False),
        (canon(LONG)[:200], LONG, False),
        ("session", "/sessions/calm-river", False),
    ],
)
def test_what_a_key_may_mean(key: str, cwd: str, expected: bool) -> None:
    """A key fits its path, an old spelling with other characters, another drive case and an unknown hash."""
    assert could_be(key, cwd) is expected


@given(st.text(st.characters(), max_size=300))
def test_a_path_always_fits_its_key(cwd: str) -> None:
    """Any text at all has a key of dashes, letters and digits, at most 207 long, that it fits."""
    key = encode(cwd)

    assert re.fullmatch(r"[A-Za-z0-9-]{0,207}", key)
    assert could_be(key, cwd)
    assert len(canon(cwd)) == len(cwd.encode("utf-16-le", "surrogatepass")) // 2
