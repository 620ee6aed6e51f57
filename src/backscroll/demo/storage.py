"""Browser storage for the demo home: a Local Storage of Chromium with a few keys, as a log of LevelDB.

log record      checksum (4) length (2) kind (1) data
write batch     sequence (8) number of writes (4), then for each: kind (1) key value, each behind its length
key             _ origin NUL 1 name in Latin-1
"""

import struct
from collections.abc import Mapping
from datetime import datetime

from backscroll.formats.leveldb.crc32c import crc32c

ORIGIN = b"https://claude.ai"
PLACE = "Local Storage/leveldb"
_WHOLE = 1
_CHROMIUM_EPOCH = 11_644_473_600
"""Seconds between the years 1601 and 1970."""


def local_storage(values: Mapping[str, str], now: datetime) -> dict[str, bytes]:
    """Return the files of a Local Storage that holds some texts, by their names below Desktop's data."""
    moment = int((now.timestamp() + _CHROMIUM_EPOCH) * 1_000_000)
    writes = {b"_" + ORIGIN + b"\0" + _text(key): _text(value) for key, value in values.items()}
    writes[b"META:" + ORIGIN] = b"\x08" + _number(moment) + b"\x10\x01"
    batch = struct.pack("<QI", 1, len(writes))
    batch += b"".join(b"\1" + _behind_length(key) + _behind_length(value) for key, value in writes.items())
    manifest = b"\1" + _behind_length(b"leveldb.BytewiseComparator") + b"\2\3\3\4\4" + _number(len(writes))
    return {
        f"{PLACE}/CURRENT": b"MANIFEST-000001\n",
        f"{PLACE}/MANIFEST-000001": _record(manifest),
        f"{PLACE}/000003.log": _record(batch),
    }


def _record(data: bytes) -> bytes:
    checksum = crc32c(bytes([_WHOLE]) + data)
    masked = ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF
    return struct.pack("<IHB", masked, len(data), _WHOLE) + data


def _text(text: str) -> bytes:
    return b"\1" + text.encode("latin-1")


def _behind_length(data: bytes) -> bytes:
    return _number(len(data)) + data


def _number(number: int) -> bytes:
    """Return a number with seven bits in each byte."""
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*data, number])
