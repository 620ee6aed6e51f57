"""Patches: what git makes of them is what they say."""

import shutil
import subprocess
from pathlib import Path

import pytest
from chance import chance
from hypothesis import given, settings
from hypothesis import strategies as st

from backscroll.recovery.patches import UNCOMPARED_NOTE, file_patch, name_problem, quoted

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git, which is not installed")


def applied(directory: Path, patch: bytes) -> None:
    """Have git apply a patch."""
    subprocess.run(["git", "apply", "-"], input=patch, cwd=directory, check=True, capture_output=True)


@needs_git
@pytest.mark.parametrize(
    "before, after",
    [
        (b"one\ntwo\n", b"one\n2\n"),
        (b"one", b"two"),
        (b"one\n", b"one"),
        (b"a\r\nb\r\n", b"a\r\nB\r\n"),
        (None, b"new\n"),
        (None, b""),
        (b"gone\n", None),
        (b"", b"filled\n"),
        (b"x\n" * 50, b"x\n" * 25 + b"y\n" + b"x\n" * 25),
        (b"\xff\n", b"\xfe\n"),
        (b"--- a\n+++ b\n", b"--- b\n"),
    ],
)
def test_git_applies_it(before: bytes | None, after: bytes | None, tmp_path: Path) -> None:
    """A patch leads from one state to the other, however the file begins and ends."""
    path = tmp_path / "plain.txt"
    if before is not None:
        path.write_bytes(before)

    applied(tmp_path, b"".join(file_patch("plain.txt", before, after)))

    assert after == (path.read_bytes() if path.exists() else None)


@needs_git
def test_git_understands_every_name(tmp_path: Path) -> None:
    """Blanks, quotes, tabs and letters beyond ASCII are written as git reads them."""
    names = ["with blank.txt", 'quote".txt', "d/é\t.txt", "back\\slash", "-dash"]

    applied(tmp_path, b"".join(line for name in names for line in file_patch(name, None, name.encode())))

    assert [name.encode() for name in names] == [(tmp_path / name).read_bytes() for name in names]


def test_equal_states_make_no_patch() -> None:
    """Where nothing changed there is nothing to apply."""
    assert [] == list(file_patch("x", b"a", b"a"))


@needs_git
def test_texts_that_differ_too_much_are_replaced_and_that_is_said(tmp_path: Path) -> None:
    """The hunk has a note behind its numbers, and git applies it all the same."""
    generator = chance(1)
    old, new = (b"".join(generator.choice([b"a\n", b"b\n"]) for _ in range(2000)) for _ in range(2))
    (tmp_path / "x").write_bytes(b"first\n" + old + b"x\n")
    patch = list(file_patch("x", b"first\n" + old + b"x\n", b"1st\n" + new))
    applied(tmp_path, b"".join(patch))

    assert any(line.startswith(b"@@") and line.endswith(UNCOMPARED_NOTE + b"\n") for line in patch)
    assert b"1st\n" + new == (tmp_path / "x").read_bytes()


@pytest.mark.parametrize(
    "name, expected",
    [
        ("plain.txt", b"plain.txt"),
        ("with blank", b"with blank"),
        (" blanks at the ends ", b'" blanks at the ends "'),
        ("a\nb", b'"a\\nb"'),
        ('t\tq"b\\', b'"t\\tq\\"b\\\\"'),
        ("é", b'"\\303\\251"'),
        ("\x7f\x1b", b'"\\177\\033"'),
        ("\ud800", b'"\\355\\240\\200"'),
    ],
)
def test_names_are_quoted_as_git_does(name: str, expected: bytes) -> None:
    """A quoted name is always one line of ASCII."""
    assert expected == quoted(name)


@pytest.mark.parametrize(
    "name",
    [
        *("a/../b", "../b", "/b", "a//b", "./a", "a/", "", "a\0b", "a\ud800", "x" * 256, "/".join(["d"] * 2100)),
        *(".git/config", "a/.GIT/x", "git~1/x", ".git /x", ".git:s/x", "a\\.git\\x", ".hg/hgrc", ".g\u200cit/x"),
    ],
)
def test_names_that_git_must_not_get(name: str) -> None:
    """A name that leads elsewhere, into a repository, or that git refuses has a reason to stay out."""
    assert name_problem(name)
    assert name_problem("src/-rf \n.txt") is None


@needs_git
@pytest.mark.slow
@settings(max_examples=60)
@given(
    before=st.lists(st.sampled_from([b"a", b"b", b"", b"c\r"])).map(b"\n".join),
    after=st.lists(st.sampled_from([b"a", b"b", b"", b"c\r"])).map(b"\n".join),
)
def test_any_two_states(before: bytes, after: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever two states are, git gets from one to the other."""
    directory = tmp_path_factory.mktemp("any")
    (directory / "x").write_bytes(before)
    patch = b"".join(file_patch("x", before, after))
    if patch:
        applied(directory, patch)

    assert after == (directory / "x").read_bytes()
