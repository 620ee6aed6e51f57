r"""Forms: other spellings of the same text.

Input: bytes.  Output: decoded views of the parts that are written in another form.
A view knows for each of its bytes the place in the source, so that a finding in it can be replaced there.

    json       \/ and \u0041 as in a JSON string, \_ and \- as in Markdown
    url        %41
    html       &amp; and &#65;
    terminal   colours and invisible characters between the visible ones
    wrapped    a long word that was broken over lines
    base64     text in base64; a finding covers the whole run
    hex        text in hexadecimal digits; a finding covers the whole run
"""

import binascii
import html
import re
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

_JSON_ESCAPE = re.compile(rb'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt_-]))')
_URL_ESCAPE = re.compile(rb"%([0-9a-fA-F]{2})")
_HTML_ESCAPE = re.compile(rb"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);")
_TERMINAL_ESCAPE = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,2048}(?:\x07|\x1b\\)|[@-Z\\-_])"
    rb"|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf|\xc2\xad"
)
_LINE_BREAK = re.compile(rb"\\{0,8}\r?\n[ \t>|]*[+]?")
_SHORT = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}

_RARE_JSON = compile_pattern(r"\\(?:[/_-]|u[0-9a-fA-F]{4})", captures=False)
_HTML = compile_pattern(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);", captures=False)
_TERMINAL = compile_pattern(r"[\x1b\x{ad}\x{200b}-\x{200f}\x{2060}\x{feff}]", captures=False)
_URL_WORD = compile_pattern(r"""[^\s"'<>\\]*%[0-9a-fA-F]{2}[^\s"'<>\\]*""", captures=False)
_WORD = "[A-Za-z0-9_+/=.~-]"
_BREAK = r"\\{0,8}\r?\n[ \t>|]*[+]?"
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
    yield from _mapped_views("terminal", data, _lines_with(_TERMINAL, data, NEARBY), _TERMINAL_ESCAPE, _drop)
    yield from _mapped_views("wrapped", data, _words(_WRAPPED, data), _LINE_BREAK, _drop)
    yield from _run_views("base64", data, _BASE64, _decode_base64)
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
    code, short = found.groups()
    return chr(int(code, 16)).encode("utf-8", "surrogatepass") if code else _SHORT.get(short, short)


def _decode_url(found: re.Match[bytes]) -> bytes:
    return bytes((int(found[1], 16),))


def _decode_html(found: re.Match[bytes]) -> bytes:
    return html.unescape(found[0].decode()).encode("utf-8", "surrogatepass")


def _drop(_found: re.Match[bytes]) -> bytes:
    return b""


def _decode_base64(run: bytes) -> bytes:
    digits = run.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    digits = digits[: len(digits) - (len(digits) % 4 == 1)]
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4))


def _decode_hex(run: bytes) -> bytes:
    return bytes.fromhex(run.decode())


def is_base64_of_text(text: str) -> bool:
    """Return False if a text is base64 of something that is not text: an image, or a signature."""
    return _BASE64_ONLY.fullmatch(text) is None or _BASE64.match(text[:64].encode()) is not None
