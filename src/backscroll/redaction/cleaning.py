"""Streams to scan or to clean: transcripts line by line, anything else as text.

Input: chunks of a file, of standard input or of stored lines.  Output: findings with their places, or clean bytes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import orjson

from backscroll.place import Place
from backscroll.redaction.values import ValueRedactor

LONGEST_RECORD = 64 << 20
_SIGNS = frozenset({"sessionId", "uuid", "leafUuid", "message", "messageId", "session_id"})


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """A secret or identity: its rule and place, a masked sample, and False in `sure` if a check failed."""

    rule: str
    place: Place
    sample: str
    sure: bool


class ByteCount:
    """The bytes of a stream, counted as they pass."""

    def __init__(self) -> None:
        self.bytes = 0

    def counted(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the chunks unchanged."""
        for chunk in chunks:
            self.bytes += len(chunk)
            yield chunk


def find_in(redactor: ValueRedactor, name: str, chunks: Iterable[bytes]) -> Iterator[SecretFinding]:
    """Yield the findings in a stream of any size."""
    for one in redactor.scan_chunks(chunks):
        yield SecretFinding(one.rule, Place(name, one.line, one.offset), one.sample, one.sure)


def clean(redactor: ValueRedactor, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a stream without secrets; the records of a transcript stay records, in the same order."""
    source = iter(chunks)
    head = b""
    while b"\n" not in head and len(head) < LONGEST_RECORD and (chunk := next(source, b"")):
        head += chunk
    whole = chain([head], source)
    return _clean_lines(redactor, whole) if _is_transcript(head) else redactor.chunks(whole)


def _is_transcript(head: bytes) -> bool:
    """Return True if the first line is a record of a transcript."""
    try:
        record = orjson.loads(head.partition(b"\n")[0])
    except orjson.JSONDecodeError:
        return False
    return isinstance(record, dict) and "type" in record and not _SIGNS.isdisjoint(record)


def _clean_lines(redactor: ValueRedactor, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a transcript; a line too long to be a record is cleaned as text."""
    rest = bytearray()
    for chunk in chunks:
        rest += chunk
        cut = rest.rfind(b"\n") + 1
        if cut:
            yield from map(redactor.line, _lines(bytes(rest[:cut])))
            del rest[:cut]
        elif len(rest) > LONGEST_RECORD:
            yield from redactor.chunks([bytes(rest)])
            rest.clear()
    if rest:
        yield redactor.line(bytes(rest))


def _lines(data: bytes) -> Iterator[bytes]:
    """Yield lines with their ends; only a line feed ends one."""
    return (line + b"\n" for line in data.split(b"\n")[:-1])
