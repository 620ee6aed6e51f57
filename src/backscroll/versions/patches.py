"""Patches: the difference of two states of a file as a unified diff, byte for byte, as `git apply` takes it."""

from collections.abc import Iterator
from difflib import SequenceMatcher

CONTEXT = 3
MOST_COMPARED = 4_000_000
"""Lines of one side times lines of the other: beyond it the differing middle is replaced as a whole."""
_NO_END = b"\\ No newline at end of file\n"

Opcode = tuple[str, int, int, int, int]


def unified_diff(old: bytes, new: bytes) -> Iterator[bytes]:
    """Yield the hunks that lead from one content to another, line by line."""
    before, after = _lines(old), _lines(new)
    for group in _groups(before, after):
        first, last = group[0], group[-1]
        yield b"@@ -%s +%s @@\n" % (_range(first[1], last[2]), _range(first[3], last[4]))
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                yield from _signed(b" ", before[old_start:old_end])
                continue
            yield from _signed(b"-", before[old_start:old_end])
            yield from _signed(b"+", after[new_start:new_end])


def file_patch(name: str, old: bytes | None, new: bytes | None) -> Iterator[bytes]:
    """Yield the patch of one file under its name in the project; None stands for no file."""
    if old == new:
        return
    a, b = _quoted(f"a/{name}"), _quoted(f"b/{name}")
    yield b"diff --git %s %s\n" % (a, b)
    if old is None:
        yield b"new file mode 100644\n"
    if new is None:
        yield b"deleted file mode 100644\n"
    hunks = list(unified_diff(old or b"", new or b""))
    if not hunks:
        yield b"index 0000000..e69de29\n" if old is None else b"index e69de29..0000000\n"
        return
    yield b"--- %s\n" % (b"/dev/null" if old is None else _named(a))
    yield b"+++ %s\n" % (b"/dev/null" if new is None else _named(b))
    yield from hunks


def is_patchable(data: bytes | None) -> bool:
    """Say whether a content can stand in a patch: git takes one with a NUL for binary."""
    return data is None or b"\0" not in data


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    whole = [line + b"\n" for line in lines[:-1]]
    return [*whole, lines[-1]] if lines[-1] else whole


def _groups(before: list[bytes], after: list[bytes]) -> Iterator[list[Opcode]]:
    """Yield the groups of changes with their context."""
    if before == after:
        return
    matcher: SequenceMatcher[bytes] = SequenceMatcher(None, [], [])
    matcher.opcodes = _opcodes(before, after)  # type: ignore[attr-defined] # where it keeps them
    yield from matcher.get_grouped_opcodes(CONTEXT)


def _opcodes(before: list[bytes], after: list[bytes]) -> list[Opcode]:
    """Compare only what lies between the lines that both begin and end with."""
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    codes: list[Opcode] = [("equal", 0, start, 0, start)] if start else []
    if len(old) * len(new) > MOST_COMPARED or not old or not new:
        codes.append(("replace", start, start + len(old), start, start + len(new)))
    else:
        middle = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        codes += [(tag, a + start, b + start, c + start, d + start) for tag, a, b, c, d in middle]
    if end:
        codes.append(("equal", len(before) - end, len(before), len(after) - end, len(after)))
    return codes


def _shared(one: list[bytes], other: list[bytes]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _range(start: int, end: int) -> bytes:
    length = end - start
    first = start + 1 if length else start
    return b"%d" % first if length == 1 else b"%d,%d" % (first, length)


def _signed(sign: bytes, lines: list[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield sign + line if line.endswith(b"\n") else sign + line + b"\n" + _NO_END


def _quoted(name: str) -> bytes:
    """Return a name as git writes it: quoted where it holds anything but plain characters."""
    raw = name.encode(errors="surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in raw):
        return raw
    pieces = (bytes([byte]) if 0x20 <= byte < 0x7F and byte not in b'"\\' else b"\\%03o" % byte for byte in raw)
    return b'"' + b"".join(pieces) + b'"'


def _named(name: bytes) -> bytes:
    """Return a name for a line of its own: one with a blank ends in a tab, or git would take it for a date."""
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name
