"""Sparse files: holes are skipped, and read as what they are: NUL bytes."""

import io
import os
import time
from pathlib import Path

import orjson
import pytest
from make import line

from backscroll.files import open_readonly
from backscroll.formats.holes import SMALLEST_HOLE, data_ranges
from backscroll.formats.json.lines import Scan, scan
from backscroll.formats.reasons import NUL_BYTES
from backscroll.place import Place
from backscroll.records import Damage

HUGE = 10 << 30
pytestmark = pytest.mark.skipif(not hasattr(os, "SEEK_DATA"), reason="this system does not tell the holes of a file")

Written = list[tuple[int, bytes]]


def sparse(path: Path, written: Written, size: int) -> Path:
    """Write pieces of data into a file that is nothing but holes otherwise."""
    with path.open("wb") as file:
        file.truncate(size)
        for offset, data in written:
            file.seek(offset)
            file.write(data)
    with path.open("rb") as file:
        if data_ranges(file, 0, size) is None:
            pytest.skip("this file system keeps no holes")
    return path


def scanned(found: Scan) -> list[tuple[object, ...]]:
    """Return records as offset and bytes, damage as it is."""
    return [
        (item.place, item.reason) if isinstance(item, Damage) else (item.line, item.offset, item.raw) for item in found
    ]


RECORD, OTHER = line({"type": "user", "uuid": "u1"}), line({"type": "user", "uuid": "u2"})
CASES: dict[str, tuple[Written, int]] = {
    "a hole at the end": ([(0, RECORD)], 5 << 20),
    "a hole at the start": ([(4 << 20, RECORD)], (4 << 20) + len(RECORD)),
    "a hole between records": ([(0, RECORD), (4 << 20, OTHER)], (4 << 20) + len(OTHER)),
    "several holes": ([(n << 21, b"\n" + RECORD) for n in range(5)], 12 << 20),
    "a small hole": ([(0, RECORD), (64 << 10, OTHER), (8 << 20, OTHER)], 10 << 20),
    "nothing but a hole": ([], 3 << 20),
    "half a last line": ([(0, RECORD), (4 << 20, b'{"type": "us')], (4 << 20) + 12),
}


@pytest.mark.parametrize("case", CASES)
def test_a_hole_is_read_as_nul_bytes(case: str, tmp_path: Path) -> None:
    """Skipping a hole gives the same records and the same damage as reading all its NUL bytes."""
    path = sparse(tmp_path / "f", *CASES[case])
    whole = Scan(io.BytesIO(path.read_bytes()), "f", bytes_decoded)
    with open_readonly(path) as file:
        skipped = Scan(file, "f", bytes_decoded)
        found, expected = scanned(skipped), scanned(whole)

    assert expected == found
    assert (whole.record_bytes, whole.damage_bytes, whole.blank_bytes, whole.end, whole.next_line) == (
        skipped.record_bytes,
        skipped.damage_bytes,
        skipped.blank_bytes,
        skipped.end,
        skipped.next_line,
    )
    assert path.stat().st_size == skipped.record_bytes + skipped.damage_bytes + skipped.blank_bytes


def bytes_decoded(raw: bytes) -> object:
    """Decode a line as a scan does without a decoder of its own."""
    return orjson.loads(raw)


def test_ten_gigabytes_are_skipped(tmp_path: Path) -> None:
    """A hole of 10 GB takes no time, and the records around it are read."""
    path = sparse(tmp_path / "f", [(0, RECORD), (HUGE, OTHER)], HUGE + len(OTHER))
    begun = time.monotonic()
    with open_readonly(path) as file:
        found = scan(file, "f")
        first, hole, last = found

    assert (0, HUGE) == (first.offset, last.offset)  # type: ignore[union-attr]
    assert Damage(Place("f", 2, len(RECORD), HUGE - len(RECORD)), NUL_BYTES) == hole
    assert path.stat().st_size == found.record_bytes + found.damage_bytes + found.blank_bytes
    assert time.monotonic() - begun < 5


def test_a_record_that_a_hole_cuts(tmp_path: Path) -> None:
    """A record that was torn before a hole is damage, and the record behind the hole is read."""
    path = sparse(tmp_path / "f", [(0, RECORD), (8192 - 10, RECORD[:10]), (4 << 20, OTHER)], 6 << 20)
    with open_readonly(path) as file:
        found = scan(file, "f")
        items = scanned(found)

    assert [(1, 0, RECORD.rstrip()), (2, 4 << 20, OTHER.rstrip())] == [item for item in items if len(item) == 3]
    assert path.stat().st_size == found.record_bytes + found.damage_bytes + found.blank_bytes


def test_a_line_that_is_too_long_ends_at_a_hole(tmp_path: Path) -> None:
    """A line that is too long to be held is damage up to the hole, and what follows the hole is read."""
    path = sparse(tmp_path / "f", [(0, b"x" * 8192), (4 << 20, b"\n" + OTHER)], 6 << 20)
    with open_readonly(path) as file:
        found = Scan(file, "f", bytes_decoded, max_line=1024)
        items = scanned(found)

    assert OTHER.rstrip() in [item[2] for item in items if len(item) == 3]
    assert path.stat().st_size == found.record_bytes + found.damage_bytes + found.blank_bytes


def test_ranges_of_a_plain_file(tmp_path: Path) -> None:
    """A file without large holes, a small one and one in memory have no ranges."""
    plain = tmp_path / "plain"
    plain.write_bytes(b"x" * (SMALLEST_HOLE + 1))
    with plain.open("rb") as file:
        assert data_ranges(file, 0, SMALLEST_HOLE + 1) is None
        assert data_ranges(file, 0, 10) is None
    assert data_ranges(io.BytesIO(b"x" * (2 << 20)), 0, 2 << 20) is None
