"""Shell commands that remove or rename files."""

import pytest

from backscroll.sessions.file_changes.shell import Removal, may_remove, removals


@pytest.mark.parametrize(
    "command, expected",
    [
        ("rm a.txt", [Removal("/w/a.txt")]),
        ("rm -rf build dist", [Removal("/w/build"), Removal("/w/dist")]),
        ("git rm 'a b.txt' && echo done", [Removal("/w/a b.txt")]),
        ("mv a.txt b.txt", [Removal("/w/a.txt", "/w/b.txt")]),
        ("git mv old.py sub/new.py", [Removal("/w/old.py", "/w/sub/new.py")]),
        ("cd sub && rm x; ls", [Removal("/w/sub/x")]),
        ("cd /else && mv x y", [Removal("/else/x", "/else/y")]),
        ("echo hi\nrm a", [Removal("/w/a")]),
        ("rm a;\n\nrm b", [Removal("/w/a"), Removal("/w/b")]),
    ],
)
def test_plain_removals_are_known(command: str, expected: list[Removal]) -> None:
    """What a plain command line says for certain is taken."""
    assert expected == list(removals(command, "/w"))


@pytest.mark.parametrize(
    "command",
    [
        "rm *.txt",
        "rm $FILE",
        "rm `ls`",
        "mv a b c dir",
        "mv a dir/",
        "git rm --cached a",
        "echo rm a",
        "cat <<EOF\nrm a\nEOF",
        "rm 'unclosed",
        "cd $DIR && rm a",
        "xargs rm",
        "x" * 30_000 + "; rm a",
    ],
)
def test_guesses_are_not_made(command: str) -> None:
    """Patterns, variables, here-documents and what is only an argument say nothing."""
    assert [] == list(removals(command, "/w"))


def test_most_records_need_no_look() -> None:
    """Only records that could hold such a command are decoded."""
    assert may_remove(b'{"command":"rm a"}')
    assert not may_remove(b'{"command":"ls"}')
