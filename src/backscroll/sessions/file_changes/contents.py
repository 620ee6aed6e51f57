"""Decode the bytes of a file as Claude Code does: UTF-8, or UTF-16 after its byte order mark."""

from typing import NamedTuple

_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_REPLACED = "\ufffd".encode()
_MANGLED_MARK = _REPLACED * 2


class Decoded(NamedTuple):
    r"""A file's text with its byte order mark as `\ufeff`, and its encoding."""

    text: str
    encoding: str
    is_mended: bool = False
    """True if the bytes are not the file's own: an earlier program copied UTF-16 as if it were UTF-8."""


def decode_file(data: bytes) -> Decoded | None:
    """Return the text of a file, or None if it is not text."""
    if data.startswith(_MANGLED_MARK):
        return _mended(data)
    encoding = _MARKS.get(data[:2], "utf-8")
    try:
        return Decoded(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        return None


def is_doubtful(data: bytes) -> bool:
    """Return True if a copy may have passed through UTF-8 text, which destroys other bytes (up to 2.0.77)."""
    return _REPLACED in data


def _mended(data: bytes) -> Decoded | None:
    """Repair a UTF-16 file that was copied as UTF-8: its mark became two U+FFFD, plain ASCII survived."""
    rest = data[len(_MANGLED_MARK) :]
    if _REPLACED in rest or b"\0" not in rest or len(rest) % 2:
        return Decoded(data.decode(), "utf-8") if b"\0" not in rest else None
    encoding = "utf-16-le" if rest[1:2] == b"\0" else "utf-16-be"
    return Decoded("\ufeff" + rest.decode(encoding, "replace"), encoding, is_mended=True)
