"""H50 and H52 to H57, as a user meets them: damaged profiles on disk, read by the same verb as whole ones."""

import random
from pathlib import Path

import pytest
from leveldb_make import BLOCK, Files, beneath, dom_text, log_of, packed, store, stored_block, table

import backscroll
from backscroll.records import Damage

PREFIX = b"_https://claude.ai\0"
VALUES = {f"key-{number:03}": f"{number} " * (200 + number) for number in range(300)}
WRITES: list[tuple[bytes, bytes | None]] = [(PREFIX + dom_text(key), dom_text(value)) for key, value in VALUES.items()]
WHOLE = store({3: log_of(WRITES)})


def read(root: Path, files: dict[str, bytes]) -> tuple[dict[str, str | None], list[Damage]]:
    """Write a profile and return what pages would see in it, and all damage."""
    Files(beneath("Local Storage/leveldb/", files)).write(root)
    found = backscroll.storage(root=root)
    return {record.key: record.text for record in found.records}, found.damage


def assert_nothing_wrong(values: dict[str, str | None]) -> None:
    """Every value that was read is the one that was written."""
    assert [] == [key for key, value in values.items() if VALUES[key] != value]


def test_h52_torn_log(tmp_path: Path) -> None:
    """H52: of a log that is torn after 200 records those are read, and the tear is noted."""
    end = len(log_of(WRITES[:200])) + 5
    values, damage = read(tmp_path, store({3: log_of(WRITES)[:end]}))

    assert (200, 1) == (len(values), len(damage))
    assert_nothing_wrong(values)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_h53_bit_flips(seed: int, tmp_path: Path) -> None:
    """H53: flipped bits cost records and are damage; no wrong value is returned."""
    generator = random.Random(seed)  # noqa: S311 the same each time
    data = bytearray(WHOLE["000003.log"])
    for _ in range(3):
        data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
    values, damage = read(tmp_path, {**WHOLE, "000003.log": bytes(data)})

    assert 150 < len(values) < 300
    assert damage
    assert_nothing_wrong(values)


@pytest.mark.parametrize("damaged", [bytes(BLOCK), b"\xff" * 7], ids=["zeros", "length"])
def test_h54_zeroed_block_and_bad_length(damaged: bytes, tmp_path: Path) -> None:
    """H54: a zeroed block, or a length that leads astray, costs no more than its block."""
    data = bytearray(WHOLE["000003.log"])
    data[2 * BLOCK : 2 * BLOCK + len(damaged)] = damaged
    values, damage = read(tmp_path, {**WHOLE, "000003.log": bytes(data)})

    assert 300 - BLOCK // 600 < len(values) < 300
    assert damage
    assert_nothing_wrong(values)


@pytest.mark.parametrize("gone", [("CURRENT",), ("MANIFEST-000001",), ("CURRENT", "MANIFEST-000001")], ids=",".join)
def test_h50_h55_without_manifest(gone: tuple[str, ...], tmp_path: Path) -> None:
    """H50, H55: without CURRENT or manifest, and with a lock that somebody holds, all is read, and that is said."""
    files = {name: data for name, data in WHOLE.items() if name not in gone}
    values, damage = read(tmp_path, {**files, "LOCK": b""})

    assert VALUES == values
    assert 1 == len(damage)
    assert "deleted keys may appear" in damage[0].reason


def test_h56_bomb(tmp_path: Path) -> None:
    """H56: a packed block that claims to be far larger than it can be is damage; the other tables are read."""
    rows = [(key, place + 1, value) for place, (key, value) in enumerate(WRITES[:50])]
    bomb = bytearray(table([(PREFIX + dom_text("bomb"), 99, dom_text("x" * 100))]))
    claim = stored_block(b"\xff\xff\xff\xff\x0f" + packed(b"x" * 100)[1:], 1)
    bomb[: len(claim)] = claim
    values, damage = read(tmp_path, store(None, {5: table(rows), 6: bytes(bomb)}))

    assert 50 == len(values)
    assert damage
    assert_nothing_wrong(values)


def test_h57_newest_version_wins(tmp_path: Path) -> None:
    """H57: of many versions in logs and tables the one with the highest sequence number is shown, whatever its file."""
    key = PREFIX + dom_text("key-000")
    older, newer = [(key, n, dom_text(f"old {n}")) for n in range(1, 900)], dom_text(VALUES["key-000"])
    values, damage = read(
        tmp_path, store({3: log_of([(key, dom_text("older"))], 950)}, {9: table(older), 2: table([(key, 999, newer)])})
    )

    assert ({"key-000": VALUES["key-000"]}, []) == (values, damage)


def test_formats_9_row_21_no_library_is_needed() -> None:
    """Row 21: no library of LevelDB or of Chromium's formats is needed, IndexedDB included."""
    formats = Path(backscroll.__file__).parent / "formats"
    lines = [line.split() for path in formats.glob("*.py") for line in path.read_text().splitlines()]
    imported = {words[1].partition(".")[0] for words in lines if len(words) > 1 and words[0] in ("import", "from")}

    assert not imported & {"plyvel", "ccl_chromium_reader", "dfindexeddb", "snappy", "cramjam", "leveldb"}
