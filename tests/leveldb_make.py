"""Builds LevelDB files, Chromium's stores and their values byte by byte, and directories of them in memory.

Nothing here is read back by our own reader's code but for CRC-32C, which has its own tests; plyvel opens
what is built here, and our reader opens what plyvel builds.
"""

import errno
import io
import random
import struct
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from backscroll.formats.leveldb.crc32c import crc32c

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

zstd_packed, ZstdParameter = zstd.compress, zstd.CompressionParameter

BLOCK = 32768
MAGIC = 0xDB4775248B80FB57
BYTEWISE = b"leveldb.BytewiseComparator"

Write = tuple[bytes, bytes | None]
Row = tuple[bytes, int, bytes | None]
"""Key, sequence number, and value or deletion."""


class Files:
    """A directory in memory, or one on disk; `opened` lists what was opened."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.opened: list[str] = []

    @classmethod
    def of(cls, root: Path) -> "Files":
        """Read all files below a directory."""
        return cls({p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()})

    def names(self) -> list[str]:
        """Return the names of all files."""
        return list(self.files)

    def open(self, name: str) -> BinaryIO:
        """Open one file."""
        self.opened.append(name)
        if name not in self.files:
            raise FileNotFoundError(errno.ENOENT, "No such file", name)
        return io.BytesIO(self.files[name])

    def state(self, name: str) -> int:
        """Return the size of one file."""
        return len(self.files[name])

    @contextmanager
    def copy(self, names: Iterable[str]) -> Iterator[str]:
        """Write some files side by side into a temporary directory."""
        with tempfile.TemporaryDirectory() as directory:
            for name in names:
                with self.open(name) as file:
                    Path(directory, name.rpartition("/")[2]).write_bytes(file.read())
            yield directory

    def write(self, root: Path) -> Path:
        """Write all files below `root`."""
        for name, data in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return root


def varint(number: int) -> bytes:
    """Write a number seven bits a byte."""
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*data, number])


def prefixed(data: bytes) -> bytes:
    """Write bytes behind their own number."""
    return varint(len(data)) + data


def masked(data: bytes) -> bytes:
    """Write the checksum of `data` as LevelDB stores it."""
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def piece(kind: int, data: bytes) -> bytes:
    """Write one piece of a log."""
    return masked(bytes([kind]) + data) + struct.pack("<HB", len(data), kind) + data


def log(records: Iterable[bytes]) -> bytes:
    """Write a log of these records, cut into pieces where a block ends."""
    output = bytearray()
    for record in records:
        is_first, left = True, record
        while is_first or left:
            room = BLOCK - len(output) % BLOCK
            if room < 7:
                output += bytes(room)
                room = BLOCK
            part, left = left[: room - 7], left[room - 7 :]
            kind = (1 if is_first else 4) if not left else (2 if is_first else 3)
            output += piece(kind, part)
            is_first = False
    return bytes(output)


def batch(sequence: int, writes: Sequence[Write], count: int | None = None) -> bytes:
    """Write a batch of changes; None deletes."""
    data = struct.pack("<QI", sequence, len(writes) if count is None else count)
    for key, value in writes:
        data += b"\0" + prefixed(key) if value is None else b"\1" + prefixed(key) + prefixed(value)
    return data


def log_of(writes: Iterable[Write], sequence: int = 1) -> bytes:
    """Write a log with a batch for each change."""
    return log(batch(sequence + place, [write]) for place, write in enumerate(writes))


def packed(data: bytes) -> bytes:
    """Pack with snappy: copies where four bytes came before, literals elsewhere."""
    output, at, start = bytearray(varint(len(data))), 0, 0
    places: dict[bytes, int] = {}

    def literal(end: int) -> None:
        for begin in range(start, end, 60):
            part = data[begin : min(end, begin + 60)]
            output.extend([len(part) - 1 << 2, *part])

    while at < len(data):
        seen = places.get(data[at : at + 4])
        places[data[at : at + 4]] = at
        if seen is None or at - seen > 0xFFFF or at + 4 > len(data):
            at += 1
            continue
        length = 4
        while length < 64 and at + length < len(data) and data[seen + length] == data[at + length]:
            length += 1
        literal(at)
        output += struct.pack("<BH", length - 1 << 2 | 2, at - seen)
        at = start = at + length
    literal(len(data))
    return bytes(output)


def stored_block(data: bytes, kind: int = 0) -> bytes:
    """Write a block with its kind and checksum; `data` is as stored."""
    return data + bytes([kind]) + masked(data + bytes([kind]))


def block_of(items: Sequence[tuple[bytes, bytes]], restart: int = 16) -> bytes:
    """Write the entries of a block, each key sharing what it can with the one before."""
    data, restarts, before = bytearray(), [], b""
    for place, (key, value) in enumerate(items):
        shared = 0
        if place % restart == 0:
            restarts.append(len(data))
        else:
            while shared < min(len(key), len(before)) and key[shared] == before[shared]:
                shared += 1
        data += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        before = key
    restarts = restarts or [0]
    return bytes(data) + struct.pack(f"<{len(restarts) + 1}I", *restarts, len(restarts))


def internal(key: bytes, sequence: int, value: bytes | None) -> bytes:
    """Write a key as a table has it."""
    return key + struct.pack("<Q", sequence << 8 | (value is not None))


def sorted_rows(rows: Iterable[Row]) -> list[Row]:
    """Return rows in a table's order: by key, newest first."""
    return sorted(rows, key=lambda row: (row[0], -row[1]))


def table(
    rows: Iterable[Row],
    size: int = 4096,
    pack: Callable[[bytes], bytes] | None = packed,
    kind: int = 1,
    filter_block: bytes | None = None,
) -> bytes:
    """Write a table with blocks of about `size` bytes."""
    output, index, group = bytearray(), [], list[tuple[bytes, bytes]]()

    def put(data: bytes, pack: Callable[[bytes], bytes] | None) -> bytes:
        stored = data if pack is None else pack(data)
        handle = varint(len(output)) + varint(len(stored))
        output.extend(stored_block(stored, 0 if pack is None else kind))
        return handle

    rows = sorted_rows(rows)
    for place, (key, sequence, value) in enumerate(rows):
        group.append((internal(key, sequence, value), value or b""))
        if place == len(rows) - 1 or sum(len(k) + len(v) for k, v in group) >= size:
            index.append((group[-1][0], put(block_of(group), pack)))
            group = []
    meta = [] if filter_block is None else [(b"filter.leveldb.BuiltinBloomFilter2", put(filter_block, None))]
    handles = put(block_of(meta), None) + put(block_of(index, 1), None)
    return bytes(output) + handles.ljust(40, b"\0") + struct.pack("<Q", MAGIC)


def edit(
    tables: Iterable[int] = (),
    removed: Iterable[int] = (),
    log_number: int = 0,
    comparator: bytes | None = BYTEWISE,
    sizes: Mapping[int, int] | None = None,
) -> bytes:
    """Write one record of a manifest; every table is said to hold any key."""
    data = b"" if comparator is None else b"\1" + prefixed(comparator)
    data += b"\2" + varint(log_number) + b"\3" + varint(100) + b"\4" + varint(1000)
    data += b"".join(b"\6\0" + varint(number) for number in removed)
    keys = prefixed(internal(b"", (1 << 56) - 1, b"")) + prefixed(internal(b"\xff" * 30, 0, b""))
    return data + b"".join(b"\7\0" + varint(n) + varint((sizes or {}).get(n, 1000)) + keys for n in tables)


def manifest(*edits: bytes) -> dict[str, bytes]:
    """Write a manifest of these records, and CURRENT."""
    return {"CURRENT": b"MANIFEST-000001\n", "MANIFEST-000001": log(edits)}


def store(
    logs: Mapping[int, bytes] | None = None,
    tables: Mapping[int, bytes] | None = None,
    listed: Iterable[int] | None = None,
    log_number: int = 0,
) -> dict[str, bytes]:
    """Write a whole store; `listed` are the tables that the manifest names, all if None."""
    logs, tables = logs or {}, tables or {}
    sizes = {number: len(data) for number, data in tables.items()}
    return {
        **manifest(edit(tables if listed is None else listed, log_number=log_number, sizes=sizes)),
        **{f"{number:06}.log": data for number, data in logs.items()},
        **{f"{number:06}.ldb": data for number, data in tables.items()},
    }


def records_300(length: int = 1700) -> list[Write]:
    """Return 300 writes of different keys, as reliability.md damages them."""
    generator = random.Random(7)  # noqa: S311 the same each time
    return [(b"key-%03d" % place, generator.randbytes(length)) for place in range(300)]


def beneath(prefix: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files as they are named from a directory above."""
    return {prefix + name: data for name, data in files.items()}


def text_be(text: str) -> bytes:
    """Write a text behind its length as IndexedDB does."""
    data = text.encode("utf-16-be", "surrogatepass")
    return varint(len(data) // 2) + data


def idb_key(database: int, object_store: int, index: int, rest: bytes) -> bytes:
    """Write a key of IndexedDB's LevelDB whose three numbers take one byte each."""
    return bytes([0, database, object_store, index]) + rest


def idb_names(database: str = "db", object_store: str = "os") -> list[Write]:
    """Return the writes that name database 1 and its object store 1."""
    return [
        (idb_key(0, 0, 0, b"\xc9" + text_be("https_a.example_0@1") + text_be(database)), b"\1"),
        (idb_key(1, 0, 0, b"\x32\x01\x00"), object_store.encode("utf-16-be")),
    ]


def v8_text(text: str) -> bytes:
    """Write a text as a value of IndexedDB, in Blink's envelope."""
    return b"\xff\x15\xfe" + bytes(12) + b"\xff\x0f" + b'"' + prefixed(text.encode("latin-1"))


def dom_text(text: str) -> bytes:
    """Write a key or value as Local Storage does: in Latin-1 where that can be, else in UTF-16."""
    try:
        return b"\1" + text.encode("latin-1")
    except UnicodeEncodeError:
        return b"\0" + text.encode("utf-16-le", "surrogatepass")


def local_storage(
    *commits: Mapping[str, str | None], origin: str = "https://claude.ai", start: int = 1_777_000_000
) -> dict[str, bytes]:
    """Return the files of a Local Storage; each commit comes a minute after the one before, None removes a key."""
    batches, sequence = [], 1
    for place, values in enumerate(commits):
        writes: list[Write] = [
            (b"_" + origin.encode() + b"\0" + dom_text(key), None if value is None else dom_text(value))
            for key, value in values.items()
        ]
        moment = (start + 60 * place + 11_644_473_600) * 1_000_000
        writes.append((b"META:" + origin.encode(), b"\x08" + varint(moment) + b"\x10\x01"))
        batches.append(batch(sequence, writes))
        sequence += len(writes)
    return beneath("Local Storage/leveldb/", store({3: log(batches)}))


def keyval_store(values: Mapping[str, str], origin: str = "https_claude.ai_0") -> dict[str, bytes]:
    """Return the files of an IndexedDB with the object store that Desktop's pages use; values are texts."""
    writes = [(idb_key(1, 1, 1, b"\x01" + text_be(key)), b"\1" + v8_text(value)) for key, value in values.items()]
    return beneath(
        f"IndexedDB/{origin}.indexeddb.leveldb/", store({3: log_of([*idb_names("keyval-store", "keyval"), *writes])})
    )
