"""Shell commands that remove or rename files: only what a plain command line says for certain.

Most of what a shell does to files cannot be known from its command line.  `rm`, `mv`, `git rm` and `git mv` with
plain paths can; patterns, variables and anything that would have to be guessed are left alone.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from backscroll.lazy import lazily
from backscroll.sessions.filepaths import absolute
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    import shlex
else:
    shlex = lazily("shlex")

_ENDS = {";", "&&", "||", "|", "&", "\n"}
_UNPLAIN = set("*?[]{}$`")
_LONGEST = 20_000


class Removal(NamedTuple):
    """A path that a command removed, and where it went if it was renamed."""

    path: str
    target: str | None = None


def may_remove(record: bytes) -> bool:
    """Say whether it is worth looking for a removal in a record's bytes."""
    return b"rm " in record or b"mv " in record


def removals(command: str, cwd: str | None) -> Iterator[Removal]:
    """Yield what a command line that succeeded removed or renamed."""
    for words in _simple_commands(command):
        if words[:1] == ["cd"]:
            if len(words) != 2 or not _is_plain(words[1]):
                return
            cwd = absolute(words[1], cwd)
            continue
        yield from _removed(words[1:] if words[:1] == ["git"] else words, cwd)


def _simple_commands(command: str) -> list[list[str]]:
    """Part a command line into its commands; nothing where it is too long or its quotes do not match."""
    if len(command) > _LONGEST or "<<" in command:
        return []
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    commands: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word in _ENDS or set(word) <= {";", "&", "|", "\n"}:
                commands.append([])
            else:
                commands[-1].append(word)
    except ValueError:
        return []
    return [words for words in commands if words]


def _removed(words: list[str], cwd: str | None) -> Iterator[Removal]:
    paths = [word for word in words[1:] if not word.startswith("-")]
    if not paths or not all(map(_is_plain, paths)) or "--cached" in words:
        return
    if words[0] == "rm":
        yield from (Removal(absolute(path, cwd)) for path in paths)
    elif words[0] == "mv" and len(paths) == 2 and not paths[1].endswith("/"):
        yield Removal(absolute(paths[0], cwd), absolute(paths[1], cwd))


def _is_plain(word: str) -> bool:
    return bool(word) and not _UNPLAIN & set(word) and ">" not in word and "<" not in word
