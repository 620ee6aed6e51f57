r"""Forms: other spellings of the same text.

Input: bytes.  Output: decoded views of the parts that are written in another form.
A view knows for each of its bytes the place in the source, so that a finding in it can be replaced there.

    json       \/, \u0041, \x41 and \101 as in a string of JSON, Python or C; \_ and \- as in Markdown
    url        %41
    html       &amp; and &#65;
    terminal   colours, also as `^[[31m` or without the escape, and ** of Markdown; invisible characters;
               letters that only look like those of ASCII
    wrapped    a long word that was broken over lines, also with line numbers or the border of a table
    base64     text in base64, also of UTF-16; a finding covers the whole run
    hex        text in hexadecimal digits; a finding covers the whole run
"""

import binascii
import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from backscroll.redact.patterns import BytesPattern, compile_pattern

LARGEST_VIEW = 1 << 20
OVERLAP = 1 << 14
NEARBY = 1 << 12

_Decode = Callable[[re.Match[bytes]], bytes]
Region = tuple[int, int]

SEPARATOR = b"\n\x00\n"

_JSON_ESCAPE = re.compile(rb'\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([01][0-7]{2})|(["\\/bfnrt_-]|e(?=\[)))')
_URL_ESCAPE = re.compile(rb"%([0-9a-fA-F]{2})")
_HTML_ESCAPE = re.compile(rb"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);")
_LOOKALIKES = dict(
    zip(
        "АВЕКМНОРСТХІЅЈаеорсухіјѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧον",
        "ABEKMHOPCTXISJaeopcyxijshdqwABEZHIKMNOPTYXov",
        strict=True,
    )
)
"""Letters of Cyrillic and Greek, and the letters of ASCII that they look like."""
# The first byte stands in one set, so that Python's search is quick; the rest follows a look-back at it.
_ESCAPE = rb"(?<=\x1b)(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,2048}(?:\x07|\x1b\\)|[@-Z\\-_])"
_CARET = rb"(?:(?<=\^)|(?<=\xe2)\x90\x9b)\[[0-9;]{0,16}[A-Za-z]"
_BARE_COLOUR = rb"(?<=\[)[0-9;]{1,16}m"
_CONTROL = rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]"
_INVISIBLE = (
    rb"(?<=%b)%b*" % (_CONTROL, _CONTROL) + rb"|(?<=\xc2)\xad|(?<=\xcd)\x8f|(?<=\xe1)(?:\x85[\x9f\xa0]|\xa0[\x8b-\x8e])"
    rb"|(?<=\xe2)(?:\x80[\x8b-\x8f\xaa-\xae]|\x81[\xa0-\xaf])|(?<=\xe3)\x85\xa4|(?<=\xef)(?:\xb8[\x80-\x8f]|\xbb\xbf)"
    rb"|(?<=\xf3)\xa0[\x80\x81][\x80-\xbf]|(?<=\*)\*(?=[A-Za-z0-9_-])"
)
_WIDE = rb"(?<=\xef)(?:\xbc[\x90-\x99\xa1-\xba\xbf]|\xbd[\x81-\x9a])|(?<=\xf0)\x9d[\x90-\x9f][\x80-\xbf]"
_OTHER_LETTER = b"|".join(b"(?<=%c)%c" % tuple(letter.encode()) for letter in _LOOKALIKES)
_TERMINAL_ESCAPE = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f*\[^\xc2\xcd-\xd4\xe1-\xe3\xef\xf0\xf3](?:"
    + b"|".join((_ESCAPE, _CARET, _BARE_COLOUR, _INVISIBLE, b"(?:%s|%s)()" % (_WIDE, _OTHER_LETTER)))
    + b")"
)
_LINE_BREAK = re.compile(
    rb"(?:[ \t]{0,8}(?:\||\xe2\x94\x82))?\\{0,8}\r?\n(?:[ \t>|]|\xe2\x94\x82)*"
    rb"(?:[0-9]{1,6}(?:\xe2\x86\x92|\t|: ?))?[+]?"
)
_SHORT = {b"b": b"\b", b"e": b"\x1b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}

_RARE_JSON = compile_pattern(r"\\(?:[/_-]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[01][0-7]{2}|e\[)", captures=False)
_HTML = compile_pattern(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);", captures=False)
_LETTER = "[A-Za-z0-9_-]"
_LOOKALIKE = f"[{''.join(_LOOKALIKES)}]"
_TERMINAL = compile_pattern(
    r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f\x{ad}\x{34f}\x{115f}\x{1160}\x{180b}-\x{180e}\x{200b}-\x{200f}\x{202a}-\x{202e}"
    r"\x{2060}-\x{206f}\x{3164}\x{fe00}-\x{fe0f}\x{feff}\x{e0000}-\x{e007f}"
    r"\x{ff10}-\x{ff19}\x{ff21}-\x{ff3a}\x{ff3f}\x{ff41}-\x{ff5a}\x{1d400}-\x{1d7ff}]"
    rf"|\x00[^\n]|(?:^|[^3BEbe])\[[0-9;]{{1,16}}m|(?:\^\[|\x{{241b}})\[|{_LETTER}(?:\*\*{_LETTER}|{_LOOKALIKE})|{_LOOKALIKE}{_LETTER}",
    captures=False,
)
_URL_WORD = compile_pattern(r"""[^\s"'<>\\]*%[0-9a-fA-F]{2}[^\s"'<>\\]*""", captures=False)
_WORD = "[A-Za-z0-9_+/=.~-]"
_BREAK = r"(?:[ \t]{0,8}[|│])?\\{0,8}\r?\n[ \t>|│]*(?:[0-9]{1,6}(?:→|\t|: ?))?[+]?"
_WRAPPED = compile_pattern(
    f"{_WORD}{{2,}}(?:{_BREAK}{_WORD}{{16,}})+(?:{_BREAK}{_WORD}+)?|{_WORD}{{16,}}{_BREAK}{_WORD}{{2,}}",
    captures=False,
)
# Base64 of ASCII text has only these digits at the first, second and third place of each group of four.
_BASE64 = compile_pattern(
    "(?:[CDI-Za-f][ACDEFGHQSTUVWXgi-nwyz0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_-]){5}"
    "[A-Za-z0-9+/_-]*={0,2}",
    captures=False,
)
# In base64 of ASCII text in UTF-16 every second byte is 0.
_BASE64_UTF16 = compile_pattern(
    "(?:[A-Za-z0-9+/_-][AQgw][AB][A-Za-z0-9+/_-]A[A-H][AEIMQUYcgkosw048]A){4,}[A-Za-z0-9+/_-]*={0,2}", captures=False
)
_BASE64_ONLY = re.compile("[A-Za-z0-9+/_=-]{16,}")
_HEX = compile_pattern("(?:[2-7][0-9a-fA-F]|0[9aAdD]){10,}", captures=False)


@dataclass(frozen=True, slots=True)
class DecodedView:
    """Decoded bytes, with the marks that lead from an offset in them to the source.

    Even marks begin bytes that are unchanged in the source; odd marks begin decoded bytes.
    Without marks the whole view comes from the whole run in the source.
    """

    form: str
    data: bytes
    start: int
    end: int
    marks: tuple[list[int], list[int]] | None = None

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the bytes of the source that a span of the view was decoded from."""
        if self.marks is None:
            return self.start, self.end
        return self._source(start)[0], self._source(end - 1)[1]

    def _source(self, place: int) -> tuple[int, int]:
        decoded, source = self.marks or ([], [])
        mark = bisect_right(decoded, place) - 1
        if mark % 2:
            return source[mark], source[mark + 1]
        there = source[mark] + place - decoded[mark]
        return there, there + 1


def views(data: bytes) -> Iterator[DecodedView]:
    """Yield views of the parts of `data` that are written in another form."""
    if b"\\" in data:
        yield from _mapped_views("json", data, _lines_with(_RARE_JSON, data), _JSON_ESCAPE, _decode_json)
    if b"%" in data:
        yield from _mapped_views("url", data, _words(_URL_WORD, data), _URL_ESCAPE, _decode_url)
    if b"&" in data:
        yield from _mapped_views("html", data, _lines_with(_HTML, data), _HTML_ESCAPE, _decode_html)
    yield from _mapped_views("terminal", data, _lines_with(_TERMINAL, data, NEARBY), _TERMINAL_ESCAPE, _plain)
    yield from _mapped_views("wrapped", data, _words(_WRAPPED, data), _LINE_BREAK, _drop)
    yield from _run_views("base64", data, _BASE64, _decode_base64)
    yield from _run_views("base64", data, _BASE64_UTF16, _decode_utf16)
    yield from _run_views("hex", data, _HEX, _decode_hex)


def end_words_at_escapes(data: bytes) -> bytes:
    r"""Make a line end of each `\n`, `\r` or tab that is written as two characters; no byte changes its place.

    So a token behind `\n` does not look like the rest of a word, at any depth of JSON in JSON.
    """
    return data.replace(b"\\n", b"\\\n").replace(b"\\r", b"\\\r").replace(b"\\t", b"\\\t")


def _lines_with(sign: BytesPattern, data: bytes, nearby: int = 0) -> Iterator[Region]:
    """Yield the lines that hold a sign; lines with less than `nearby` bytes between them belong together."""
    first = end = 0
    for start, following in _single_lines(sign, data):
        if end and start - end > nearby:
            yield first, end
        first, end = (first if end and start - end <= nearby else start), following
    if end:
        yield first, end


def _single_lines(sign: BytesPattern, data: bytes) -> Iterator[Region]:
    end = 0
    while (found := sign.search(data, end)) is not None:
        place = found.span()[0]
        start = data.rfind(b"\n", end, place) + 1 or end
        end = _end_of_line(data, place)
        yield start, end


def _end_of_line(data: bytes, place: int) -> int:
    end = data.find(b"\n", place)
    return len(data) if end < 0 else end


def _words(word: BytesPattern, data: bytes) -> Iterator[Region]:
    return (found.span() for found in word.finditer(data))


def _mapped_views(
    form: str, data: bytes, regions: Iterable[Region], escape: re.Pattern[bytes], decode: _Decode
) -> Iterator[DecodedView]:
    """Yield views that hold many regions each, up to a megabyte."""
    batch: list[Region] = []
    size = 0
    for start, end in _sliced(regions):
        if batch and size + end - start > LARGEST_VIEW:
            yield _mapped_view(form, data, batch, escape, decode)
            batch, size = [], 0
        batch.append((start, end))
        size += end - start
    if batch:
        yield _mapped_view(form, data, batch, escape, decode)


def _sliced(regions: Iterable[Region]) -> Iterator[Region]:
    """Cut regions of more than a megabyte into slices that overlap."""
    for start, end in regions:
        while end - start > LARGEST_VIEW:
            yield start, start + LARGEST_VIEW
            start += LARGEST_VIEW - OVERLAP  # noqa: PLW2901 - the rest of the region is the next slice
        yield start, end


def _mapped_view(
    form: str, data: bytes, regions: Sequence[Region], escape: re.Pattern[bytes], decode: _Decode
) -> DecodedView:
    """Decode the escapes in some regions, with marks; a separator stands between two regions."""
    decoded, source = [0], [regions[0][0]]
    pieces: list[bytes] = []
    length = 0
    for start, end in regions:
        last = source[-1] = start
        for found in escape.finditer(data, start, end):
            here, there = found.span()
            replacement = decode(found)
            pieces += (data[last:here], replacement)
            decoded += (length + here - last, length := length + here - last + len(replacement))
            source += (here, there)
            last = there
        pieces += (data[last:end], SEPARATOR)
        decoded += (length + end - last, length := length + end - last + len(SEPARATOR))
        source += (end, end)
    return DecodedView(form, b"".join(pieces), regions[0][0], regions[-1][1], (decoded, source))


def _run_views(form: str, data: bytes, run: BytesPattern, decode: Callable[[bytes], bytes]) -> Iterator[DecodedView]:
    """Yield a view of each run that decodes to text."""
    for found in run.finditer(data):
        start, end = found.span()
        decoded = decode(data[start : min(end, start + 2 * LARGEST_VIEW)])
        yield DecodedView(form, decoded[:LARGEST_VIEW], start, end)


def _decode_json(found: re.Match[bytes]) -> bytes:
    code, byte, octal, short = found.groups()
    if code:
        return chr(int(code, 16)).encode("utf-8", "surrogatepass")
    if byte or octal:
        return bytes((int(byte, 16) if byte else int(octal, 8),))
    return _SHORT.get(short, short)


def _decode_url(found: re.Match[bytes]) -> bytes:
    return bytes((int(found[1], 16),))


def _decode_html(found: re.Match[bytes]) -> bytes:
    return html.unescape(found[0].decode()).encode("utf-8", "surrogatepass")


def _drop(_found: re.Match[bytes]) -> bytes:
    return b""


def _plain(found: re.Match[bytes]) -> bytes:
    """Return the ASCII letter that a letter looks like; nothing for a colour or an invisible character."""
    if found[1] is None:
        return b""
    letter = found[0].decode()
    return (_LOOKALIKES.get(letter) or unicodedata.normalize("NFKC", letter)).encode()


def _decode_base64(run: bytes) -> bytes:
    digits = run.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    digits = digits[: len(digits) - (len(digits) % 4 == 1)]
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4))


def _decode_utf16(run: bytes) -> bytes:
    return _decode_base64(run).replace(b"\0", b"")


def _decode_hex(run: bytes) -> bytes:
    return bytes.fromhex(run.decode())


def is_base64_of_text(text: str) -> bool:
    """Return False if a text is base64 of something that is not text: an image, or a signature."""
    return _BASE64_ONLY.fullmatch(text) is None or _BASE64.match(text[:64].encode()) is not None
