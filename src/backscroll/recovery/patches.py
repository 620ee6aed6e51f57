"""Patches: the difference of two states of a file as a unified diff, byte for byte, in the form that `git apply` takes.

A file's name comes from a transcript, so it is foreign data.  Every name in a header is one line, with git's quotes.
`name_problem` finds names that must stay out of a patch.
"""

from collections.abc import Iterator

from backscroll.formats import diffs
from backscroll.recovery.names import is_repository

CONTEXT = 3
UNCOMPARED_NOTE = b" too different to compare: old lines, then new lines"
"""A text after the second @@ of a hunk, where git and patch ignore it."""
LONGEST_NAME = 255
LONGEST_PATH = 4000
_NO_END = b"\\ No newline at end of file\n"
_ESCAPES = {
    ord(character): b"\\" + letter.encode() for character, letter in zip('\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True)
}
_PLAIN = frozenset(range(0x20, 0x7F)) - _ESCAPES.keys()


def unified_diff(old: bytes, new: bytes) -> Iterator[bytes]:
    """Yield the hunks that lead from one content to another, line by line."""
    before, after = _lines(old), _lines(new)
    for hunk in diffs.hunks(diffs.compare(before, after).runs, CONTEXT):
        first, last = hunk[0], hunk[-1]
        ranges = (_range(first.old_start, last.old_end), _range(first.new_start, last.new_end))
        is_compared = all(run.kind != diffs.UNCOMPARED for run in hunk)
        yield b"@@ -%s +%s @@%s\n" % (*ranges, b"" if is_compared else UNCOMPARED_NOTE)
        for run in hunk:
            if run.kind == diffs.EQUAL:
                yield from _signed(b" ", before[run.old_start : run.old_end])
                continue
            yield from _signed(b"-", before[run.old_start : run.old_end])
            yield from _signed(b"+", after[run.new_start : run.new_end])


def file_patch(name: str, old: bytes | None, new: bytes | None) -> Iterator[bytes]:
    """Yield the patch of one file under its name in the project; None means that there is no file."""
    if old == new:
        return
    a, b = quoted(f"a/{name}"), quoted(f"b/{name}")
    yield b"diff --git %s %s\n" % (a, b)
    if old is None:
        yield b"new file mode 100644\n"
    if new is None:
        yield b"deleted file mode 100644\n"
    hunks = list(unified_diff(old or b"", new or b""))
    if not hunks:
        yield b"index 0000000..e69de29\n" if old is None else b"index e69de29..0000000\n"
        return
    yield b"--- %s\n" % (b"/dev/null" if old is None else _on_its_own(a))
    yield b"+++ %s\n" % (b"/dev/null" if new is None else _on_its_own(b))
    yield from hunks


def diff_header(path: str, old: int, new: int) -> Iterator[bytes]:
    """Yield the two header lines of a difference between versions of one file."""
    name = quoted(path)
    yield b"--- %s\tversion %d\n" % (name, old)
    yield b"+++ %s\tversion %d\n" % (name, new)


def is_patchable(data: bytes | None) -> bool:
    """Return True if a content fits into a patch; for git a content with a NUL is binary."""
    return data is None or b"\0" not in data


def name_problem(name: str) -> str | None:
    """Return why git must not get a name, or would refuse the whole patch because of it; None if it is fine."""
    try:
        raw = name.encode()
    except UnicodeEncodeError:
        return "its name holds a lone surrogate"
    parts = name.split("/")
    if b"\0" in raw:
        return "its name holds a NUL"
    if any(part in ("", ".", "..") for part in parts):
        return "its path is not plain"
    if is_repository([piece for part in parts for piece in part.split("\\")]):
        return "it lies in a directory of a version control system"
    if len(raw) > LONGEST_PATH or any(len(part.encode()) > LONGEST_NAME for part in parts):
        return "its name is too long"
    return None


def quoted(name: str) -> bytes:
    """Return a name in git's form, always one line: in quotes if it has any special character."""
    raw = name.encode(errors="surrogatepass")
    if _PLAIN.issuperset(raw) and not name.startswith(" ") and not name.endswith(" "):
        return raw
    pieces = (bytes([byte]) if byte in _PLAIN else _ESCAPES.get(byte, b"\\%03o" % byte) for byte in raw)
    return b'"' + b"".join(pieces) + b'"'


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    whole = [line + b"\n" for line in lines[:-1]]
    return [*whole, lines[-1]] if lines[-1] else whole


def _range(start: int, end: int) -> bytes:
    length = end - start
    first = start + 1 if length else start
    return b"%d" % first if length == 1 else b"%d,%d" % (first, length)


def _signed(sign: bytes, lines: list[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield sign + line if line.endswith(b"\n") else sign + line + b"\n" + _NO_END


def _on_its_own(name: bytes) -> bytes:
    """Return a name for a line of its own: a tab ends one with a blank, or git would take the rest for a date."""
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name
