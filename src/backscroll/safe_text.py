r"""Make text from a store safe to show: control and invisible characters become escapes.

Input: any string, hostile ones included.  Output: a string of line feeds, tabs and printable characters.
All output to a terminal, plain text, Markdown or HTML passes through here once.
JSON does not: its own escapes cover the same characters and lose nothing.

    >>> printable("\x1b]0;title\x07 [b]")
    '\\x1b]0;title\\x07 [b]'
"""

import re
from functools import cache

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb"
)
_TAGS = "\U000e0000-\U000e007f"
_SURROGATES = "\ud800-\udfff"
_ALWAYS = _CONTROLS + _BIDI + _INVISIBLE + _TAGS + _SURROGATES

_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"

_PLAIN = re.compile(r"[\t\n\x20-\x7e]*")


@cache  # compiled at first use: it takes 3 ms, and most text does not need it
def suspect() -> re.Pattern[str]:
    """Return the pattern of all characters that may need an escape."""
    return re.compile(f"[{_ALWAYS}{_JOINERS}{_SELECTORS}]")


@cache
def _hidden() -> re.Pattern[str]:
    """Return the pattern of the characters to escape.

    A joiner is legitimate only between two characters beyond ASCII, in a word or an emoji.  A selector is legitimate
    only directly after one (or after the base of a keycap).  Elsewhere, and in runs, they hide or fake text.
    """
    return re.compile(
        rf"\r{{1,4}}\n|[{_ALWAYS}]"
        rf"|(?<![^\x00-\x7f{_JOINERS}])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f{_JOINERS}])"
        rf"|(?<![^\x00-\x7f{_SELECTORS}])(?<![0-9#*])[{_SELECTORS}]"
    )


def printable(text: str) -> str:
    r"""Return `text` with every control, bidirectional, invisible and broken character shown as an escape.

    Line feeds and tabs stay; `\r\n` and `\r\r\n` become a line feed; undecodable bytes of a file name become `\xff`.
    """
    if _PLAIN.fullmatch(text) or suspect().search(text) is None:  # 400 MB/s for plain text, 65 MB/s beyond ASCII
        return text
    return _hidden().sub(_escape, text)


def one_line(text: str) -> str:
    """Return `text` made printable and folded to one line: for titles, paths, names and cells of tables."""
    return " ".join(printable(text).split())


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character[-1] == "\n":
        return "\n"
    if character == "\r":
        return "\\r"
    return escaped(character)


def escaped(character: str) -> str:
    r"""Return the escape for one character: `\x1b`, `\u202e`, `\U000e0041`.

    A byte that Python could not decode in a file name (U+DC80 to U+DCFF) becomes that byte.
    """
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
