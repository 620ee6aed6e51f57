"""Find the holes of a sparse file: ranges that were never written, read as NUL bytes and take no space.

A file of 10 GB may hold a few bytes of data.  If the system reports the holes, a reader can skip them.
"""

import os
from typing import BinaryIO

SMALLEST_HOLE = 1 << 20
"""A smaller hole is read like any other bytes."""
_BLOCK = 512
"""The unit of `st_blocks`, on every system."""


def data_ranges(file: BinaryIO, start: int, size: int) -> list[tuple[int, int]] | None:
    """Return (start, end) of the data of a sparse file from a byte on, or None if it has no large hole.

    The position of `file` is undefined afterwards: seek before reading.
    """
    if size - start < SMALLEST_HOLE or not hasattr(os, "SEEK_DATA"):
        return None
    try:
        number = file.fileno()
        if os.fstat(number).st_blocks * _BLOCK >= size:
            return None
        before = os.lseek(number, 0, os.SEEK_CUR)
        try:
            ranges = _ranges(number, start, size)
        finally:
            os.lseek(number, before, os.SEEK_SET)
    except (OSError, AttributeError, ValueError):  # a file in memory, or a file system without this information
        return None
    return None if ranges == [(start, size)] else ranges


def _ranges(number: int, start: int, size: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    position = start
    while position < size:
        try:
            data = os.lseek(number, position, os.SEEK_DATA)
        except OSError:  # no data any more
            break
        if data >= size:
            break
        end = min(os.lseek(number, data, os.SEEK_HOLE), size)
        data = data if data - position >= SMALLEST_HOLE else position
        if found and found[-1][1] == data:
            found[-1] = (found[-1][0], end)
        else:
            found.append((data, end))
        position = end
    if found and 0 < size - found[-1][1] < SMALLEST_HOLE:
        found[-1] = (found[-1][0], size)
    return found
