"""Streams: input of any size, in windows that overlap.

Input: chunks of bytes.  Output: windows with their sightings, cleaned bytes, or findings.
The detector reads each window with some bytes before and behind it, so that no window's end hides a secret.
"""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from backscroll.redact.detector import Detector
from backscroll.redact.findings import Finding, report
from backscroll.redact.redactor import Redactor
from backscroll.redact.rules import Rule, Sighting

WINDOW = 1 << 20
BEHIND = 1 << 16
BEFORE = 1 << 13

_RUN = re.compile(rb"[A-Za-z0-9+/=_.~%\\-]*")


@dataclass(frozen=True, slots=True)
class Window:
    """A piece of the input, and the sightings in it."""

    data: bytes = field(repr=False)
    sightings: tuple[Sighting, ...]


def windows(detector: Detector, chunks: Iterable[bytes]) -> Iterator[Window]:
    """Yield the input piece by piece; memory stays flat."""
    before, carried = b"", None
    buffer = bytearray()
    for chunk in _with_end(chunks):
        buffer += chunk or b""
        while len(buffer) > WINDOW + BEHIND or (chunk is None and buffer):
            seen = bytes(buffer[: WINDOW + BEHIND])
            is_last = len(seen) == len(buffer) and chunk is None
            window, carried = _make_window(detector, before, seen, carried, is_last=is_last)
            yield window
            before = (before + window.data)[-BEFORE:]
            del buffer[: len(window.data)]


def _with_end(chunks: Iterable[bytes]) -> Iterator[bytes | None]:
    """Yield all chunks, and None behind the last."""
    yield from chunks
    yield None


def _make_window(
    detector: Detector, before: bytes, seen: bytes, carried: Rule | None, *, is_last: bool
) -> tuple[Window, Rule | None]:
    """Return the first window of the bytes seen, and the rule whose match continues after them."""
    if not seen.strip(b"\0"):  # a hole of a sparse file, or blocks that a crash left
        return Window(seen if is_last else seen[:WINDOW], ()), None
    found = _clipped(detector.find(before + seen), len(before))
    if carried is not None:
        found = detector.merge([*_rest_of(carried, seen), *found])
    cut = len(seen) if is_last else _cut(seen, found)
    inside = tuple(one for one in found if one.start < cut)
    goes_on = bool(inside) and not is_last and inside[-1].end == len(seen)
    return Window(seen[:cut], inside), inside[-1].rule if goes_on else None


def _clipped(sightings: Iterable[Sighting], start: int) -> list[Sighting]:
    """Return the sightings that end behind `start`, counted from there."""
    return [replace(one, start=max(0, one.start - start), end=one.end - start) for one in sightings if one.end > start]


def _rest_of(rule: Rule, data: bytes) -> Iterator[Sighting]:
    """Yield the rest of a match that is longer than a window."""
    run = _RUN.match(data)
    if run is not None and run.end():
        yield Sighting(0, run.end(), rule, sure=True, value=run[0])


def _cut(data: bytes, sightings: Iterable[Sighting]) -> int:
    """Return the end of the last whole line in a window; later if a sighting crosses it."""
    cut = data.rfind(b"\n", WINDOW // 2, WINDOW) + 1 or WINDOW
    for one in sightings:
        if one.start < cut < one.end:
            cut = one.end
    return cut


def redact_chunks(redactor: Redactor, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a stream without secrets; UTF-16 stays UTF-16."""
    source = iter(chunks)
    first = next(source, b"")
    encoding = _utf16(first)
    if encoding is None:
        yield from _redact_utf8(redactor, _chain(first, source))
        return
    yield first[:2]
    for data in _redact_utf8(redactor, to_utf8(_chain(first, source))):
        yield data.decode("utf-8", "replace").encode(encoding, "replace")


def _redact_utf8(redactor: Redactor, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for window in windows(redactor.detector, chunks):
        data = window.data
        yield redactor.redact_bytes(redactor.replace(data, window.sightings)) if window.sightings else data


def to_utf8(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the chunks unchanged, or as UTF-8 if the first begins with the mark of UTF-16."""
    source = iter(chunks)
    first = next(source, b"")
    encoding = _utf16(first)
    if encoding is None:
        yield from _chain(first, source)
        return
    decoder = getincrementaldecoder(encoding)("replace")
    for chunk in _chain(first[2:], source):
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _utf16(data: bytes) -> str | None:
    """Return the name of the encoding if data begins with the mark of UTF-16."""
    return {BOM_UTF16_LE: "utf-16-le", BOM_UTF16_BE: "utf-16-be"}.get(data[:2])


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def scan_bytes(detector: Detector, data: bytes) -> list[Finding]:
    """Return the findings in `data`."""
    return list(report(data, detector.find(data)))


def scan_chunks(detector: Detector, chunks: Iterable[bytes]) -> Iterator[Finding]:
    """Yield the findings in a stream of chunks, with offsets in the whole stream; memory stays flat."""
    offset, line = 0, 1
    for window in windows(detector, to_utf8(chunks)):
        yield from report(window.data, window.sightings, offset, line)
        offset += len(window.data)
        line += window.data.count(b"\n")
