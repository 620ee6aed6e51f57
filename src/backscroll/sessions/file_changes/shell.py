"""Shell commands that remove or rename files: only plain commands with a certain effect.

The effect of most command lines on files is unknown.  `rm`, `mv`, `git rm` and `git mv` with
plain paths are certain; we ignore patterns, variables and everything that needs a guess.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from backscroll.lazy import lazily
from backscroll.sessions.file_changes.paths import absolute

if TYPE_CHECKING:
    import shlex
else:
    shlex = lazily("shlex")

_ENDS = {";", "&&", "||", "|", "&", "\n"}
_UNPLAIN = set("*?[]{}$`")
_LONGEST = 20_000


class Removal(NamedTuple):
    """A path that a command removed, and its new path if it was a rename."""

    path: str
    target: str | None = None


def may_remove(record: bytes) -> bool:
    """Return True if a record's bytes may hold a removal."""
    return b"rm " in record or b"mv " in record


def removals(command: str, cwd: str | None) -> Iterator[Removal]:
    """Yield the files that a successful command line removed or renamed."""
    for words in _simple_commands(command):
        if words[:1] == ["cd"]:
            if len(words) != 2 or not _is_plain(words[1]):
                return
            cwd = absolute(words[1], cwd)
            continue
        yield from _removed(words[1:] if words[:1] == ["git"] else words, cwd)


def _simple_commands(command: str) -> list[list[str]]:
    """Split a command line into commands; return nothing if it is too long or its quotes do not match."""
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
