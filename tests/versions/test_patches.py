"""Patches: what git makes of them is what they say."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backscroll.versions.patches import MOST_COMPARED, file_patch, unified_diff

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


def test_long_files_are_compared_in_bounded_time() -> None:
    """Beyond a limit the part that differs is replaced as a whole."""
    size = int(MOST_COMPARED**0.5) + 10
    old, new = (b"".join(b"%s%d\n" % (sign, number) for number in range(size)) for sign in (b"a", b"b"))
    lines = list(unified_diff(b"same\n" + old, b"same\n" + new))

    assert f"@@ -1,{size + 1} +1,{size + 1} @@\n".encode() == lines[0]
    assert 2 * size + 2 == len(lines)


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
