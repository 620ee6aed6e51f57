"""LevelDB's table files (.ldb, .sst): blocks to versions of keys; the checksum of each block is verified first.

    table     blocks of data, then filter, metaindex and index block, then the footer
    footer    40 bytes: two handles (metaindex, index), filled up; 8 bytes: the magic number
    handle    offset and size of a block, varints
    block     data; 1 byte: 0 plain, 1 snappy, 2 Zstandard; 4 bytes: masked CRC-32C of both
    data      entries; offsets of the entries with a complete key, 4 bytes each; 4 bytes: their number
    entry     varints: bytes of the key shared with the entry before, bytes of key that follow, bytes of value;
              then those bytes
    key       the user's key; 8 bytes: sequence << 8 | kind (1 value, 0 deletion)

In the index block, keys are separators between blocks and each value is a handle.  Without footer or index,
the blocks are read one after the other: the content of a block shows its possible ends, and the checksum
proves the right one.  Filter and metaindex hold no user data and are not read.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from backscroll.formats.cursor import Cursor, MalformedError, little
from backscroll.formats.leveldb import snappy
from backscroll.formats.leveldb.crc32c import crc32c, unmasked
from backscroll.formats.leveldb.log import KeyVersion
from backscroll.lazy import lazily
from backscroll.place import Place
from backscroll.records import Damage

if TYPE_CHECKING:
    from backscroll.formats.chromium import zstd
else:
    zstd = lazily("backscroll.formats.chromium.zstd")

MAX_BLOCK = 256 << 20

NO_FOOTER = "table without a footer: not whole, or damaged"
BAD_CHECKSUM = "block checksum does not match"
NOT_WALKED = "blocks cannot be separated without the index"

_MAGIC = bytes.fromhex("57fb808b247547db")
_FOOTER = 48
_TRAILER = 5
_PLAIN, _SNAPPY, _ZSTD = 0, 1, 2
_MOST_KEYS = 256
"""The keys of a block may expand to this many times its size; LevelDB itself stays below 16."""


class Handle(NamedTuple):
    """The position of a block; a trailer of 5 bytes follows it."""

    offset: int
    size: int


class TableBlock(NamedTuple):
    """The unpacked data of a block."""

    handle: Handle
    data: bytes
    is_compressed: bool


class TableItem(NamedTuple):
    """One entry of a block: its complete key, its value, and its start in the block."""

    key: bytes
    value: bytes
    position: int


def has_footer(file: BinaryIO, size: int) -> bool:
    """Return True if the file ends as a finished table does."""
    file.seek(max(0, size - len(_MAGIC)))
    return size >= _FOOTER and file.read(len(_MAGIC)) == _MAGIC


def table_versions(file: BinaryIO, path: str, size: int) -> Iterator[KeyVersion | Damage]:
    """Yield every write in a table of `size` bytes, in the table's order: by key, newest first."""
    handles = _index(file, path, size)
    if isinstance(handles, Damage):
        yield handles
        yield from _walked(file, path, size)
        return
    done = 0
    for handle in handles:
        try:
            block = _read_block(file, handle, size, done)
        except MalformedError as error:
            yield _damage(path, handle, str(error))
        else:
            yield from _versions(block, path)
        done = max(done, handle.offset + handle.size + _TRAILER)


def _index(file: BinaryIO, path: str, size: int) -> list[Handle] | Damage:
    """Return the positions of the data blocks, or the reason why they are unknown."""
    place = Place(path, None, max(0, size - _FOOTER), min(size, _FOOTER))
    if not has_footer(file, size):
        return Damage(place, NO_FOOTER)
    file.seek(size - _FOOTER)
    footer = Cursor(file.read(_FOOTER))
    try:
        _handle(footer)
        index = _handle(footer)
        if index.offset + index.size + _TRAILER <= size:
            place = Place(path, None, index.offset, index.size + _TRAILER)
        return [_handle(Cursor(item.value)) for item in _items(_read_block(file, index, size).data)]
    except MalformedError as error:
        return Damage(place, f"index: {error}")


def _handle(cursor: Cursor) -> Handle:
    return Handle(cursor.varint(), cursor.varint())


def _read_block(file: BinaryIO, handle: Handle, size: int, start: int = 0) -> TableBlock:
    """Return the block between `start` and `size`, or raise MalformedError."""
    if handle.offset < start:
        raise MalformedError("block overlaps the one before")
    if handle.offset + handle.size + _TRAILER > size:
        raise MalformedError("block reaches over the end of the file")
    if handle.size > MAX_BLOCK:
        raise MalformedError(f"block larger than {MAX_BLOCK >> 20} MiB")
    file.seek(handle.offset)
    stored = file.read(handle.size + _TRAILER)
    if not _is_checked(stored, 0, handle.size):
        raise MalformedError(BAD_CHECKSUM)
    kind = stored[handle.size]
    if kind == _PLAIN:
        return TableBlock(handle, stored[: handle.size], is_compressed=False)
    if kind == _SNAPPY:
        return TableBlock(handle, snappy.unpack(stored[: handle.size], MAX_BLOCK), is_compressed=True)
    if kind == _ZSTD:
        return TableBlock(handle, zstd.unpack(stored[: handle.size], MAX_BLOCK), is_compressed=True)
    raise MalformedError(f"block compressed in an unknown way ({kind})")


def _is_checked(stored: bytes, start: int, end: int) -> bool:
    """Return True if the trailer at `end` has the checksum of the data at `start`."""
    if end + _TRAILER > len(stored):
        return False
    return unmasked(little(stored[end + 1 : end + _TRAILER])) == crc32c(memoryview(stored)[start : end + 1])


def _items(data: bytes) -> Iterator[TableItem]:
    """Yield the entries of a block; a malformed entry raises, after the entries before it."""
    count = little(data[-4:])
    end = len(data) - 4 * (count + 1)
    if len(data) < 4 or end < 0:
        raise MalformedError("restart points do not fit into the block")
    cursor, key, unfolded = Cursor(data, 0, end), b"", 0
    while cursor.left:
        position = cursor.position
        shared, fresh, length = cursor.varint(), cursor.varint(), cursor.varint()
        if shared > len(key):
            raise MalformedError("entry shares more bytes than the key before it has")
        key = key[:shared] + cursor.take(fresh)
        unfolded += len(key)
        if unfolded > _MOST_KEYS * len(data):
            raise MalformedError("keys out of proportion")
        yield TableItem(key, cursor.take(length), position)


def _versions(block: TableBlock, path: str) -> Iterator[KeyVersion | Damage]:
    offset, is_compressed = block.handle.offset, block.is_compressed
    try:
        for key, value, position in _items(block.data):
            user_key, sequence, is_value = _split(key)
            at = offset if is_compressed else offset + position
            yield KeyVersion(user_key, value if is_value else None, sequence, at, is_compressed)
    except MalformedError as error:
        yield _damage(path, block.handle, str(error))


def _split(key: bytes) -> tuple[bytes, int, bool]:
    """Return the user's key, the sequence number, and True if the entry has a value."""
    if len(key) < 8 or key[-8] > 1:
        raise MalformedError("entry without sequence number")
    return key[:-8], int.from_bytes(key[-7:], "little"), bool(key[-8])


def _damage(path: str, handle: Handle, reason: str) -> Damage:
    return Damage(Place(path, None, handle.offset, handle.size + _TRAILER), reason)


def _walked(file: BinaryIO, path: str, size: int) -> Iterator[KeyVersion | Damage]:
    """Yield the entries of the consecutive blocks from the start of a table without index."""
    file.seek(0)
    stored = file.read(size) if size <= MAX_BLOCK else b""
    walked: list[Handle] = []
    position = 0
    while block := _block_at(stored, position):
        if _is_index(block, walked):
            return
        yield from _versions(block, path)
        walked.append(block.handle)
        position += block.handle.size + _TRAILER
    end = size - _FOOTER if has_footer(file, size) else size
    if position < end:
        yield Damage(Place(path, None, position, end - position), NOT_WALKED)


def _is_index(block: TableBlock, walked: list[Handle]) -> bool:
    """Return True if a block's values are the handles of the blocks before it."""
    try:
        found = [_handle(Cursor(item.value)) for item in _items(block.data)]
    except MalformedError:
        return False
    return bool(found) and found == walked[: len(found)]


def _block_at(stored: bytes, position: int) -> TableBlock | None:
    """Return the block at `position`; None if there is none."""
    try:
        data, end = snappy.unpack_from(stored, position, MAX_BLOCK)
        if stored[end : end + 1] == b"\x01" and _is_checked(stored, position, end):
            return TableBlock(Handle(position, end - position), data, is_compressed=True)
    except MalformedError:
        pass
    for end in _possible_ends(stored, position):
        if stored[end : end + 1] == b"\x00" and _is_checked(stored, position, end):
            return TableBlock(Handle(position, end - position), stored[position:end], is_compressed=False)
    return None


def _possible_ends(stored: bytes, position: int) -> Iterator[int]:
    """Yield the possible ends of a plain block: restart points follow its entries, the first 0, then their number."""
    cursor, entries = Cursor(stored, position), 0
    try:
        # No entry begins with four zeros, for a key that shares nothing has at least its 8 last bytes.
        while stored[cursor.position : cursor.position + 4] != b"\0\0\0\0":
            cursor.varint()
            fresh, length = cursor.varint(), cursor.varint()
            cursor.take(fresh + length)
            entries += 1
    except MalformedError:
        return
    for count in range(1, entries + 2):
        end = cursor.position + 4 * count
        if little(stored[end : end + 4]) == count:
            yield end + 4
