"""Files with wrong bytes and files that are cut: nothing raised, nothing lost but what was hit, nothing invented."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
from formats.lines import BOM, dice, good, raw, raws, read, row, span
from hypothesis import given
from hypothesis import strategies as st

from backscroll.formats.json.salvage import has_shape
from backscroll.records import Record

NASTY = b'{}[]",:\\\n\r\0 09ex\x80\xff\t'


def built_file() -> bytes:
    """Return a file of many kinds of records."""
    lines = good(6)
    lines.append(raw({"type": "summary", "summary": "s", "leafUuid": "l"}) + b"\n")
    lines.append(raw({"type": "mode", "mode": "normal", "sessionId": "s"}) + b"\n")
    lines.append(raw(row(7, text='quo"ted \\ {"type":"user"} \n\t 😀 日本', n=[1, 2.5, -3, None, {}])) + b"\n")
    inner = {"type": "assistant", "message": {"role": "assistant"}, "uuid": "u", "timestamp": "t"}
    lines.append(raw(row(8, type="progress", data={"message": inner, "list": [{"type": "text"}, {}]})) + b"\n")
    return b"".join([*lines, b"\n", *good(4, start=20)])


def examine(data: bytes, place: int, byte: int, whole: list[Record]) -> None:
    """Put a wrong byte into a file and hold the reading of it against the laws."""
    mutated = data[:place] + bytes([byte]) + data[place + 1 :]
    _, items = read(mutated)
    got = {(item.offset, item.raw) for item in items if isinstance(item, Record)}
    spans = {span(record) for record in whole}
    hit = next((record for record in whole if record.offset <= place <= record.offset + record.length), None)

    lost = [record for record in whole if record is not hit and (record.offset, record.raw) not in got]
    invented = {(offset, len(text)) for offset, text in got} - spans

    assert set() == invented, (place, byte)
    assert [] == [record.line for record in lost if has_shape(record.value)], (place, byte)


def examine_many(data: bytes, count: int, seed: int) -> None:
    """Try single wrong bytes in a file, half of them of the kinds that matter to JSON."""
    chance = dice(seed)
    whole = [item for item in read(data)[1] if isinstance(item, Record)]
    for _ in range(count):
        byte = chance.choice(NASTY) if chance.random() < 0.5 else chance.randrange(256)
        examine(data, chance.randrange(len(data)), byte, whole)


@pytest.mark.slow
def test_single_wrong_bytes() -> None:
    """One wrong byte costs at most the record that it lies in."""
    examine_many(built_file(), 2_000, seed=1)


@pytest.mark.slow
def test_many_single_wrong_bytes() -> None:
    """The same, twenty thousand times."""
    examine_many(built_file(), 20_000, seed=2)


def small_files(corpus: Path) -> list[Path]:
    """Return some real transcripts of moderate size, of as many directories as possible."""
    files = {path.parent: path for path in sorted(corpus.rglob("*.jsonl")) if 1_000 < path.stat().st_size < 60_000}
    return [files[parent] for parent in sorted(files)]


@pytest.mark.corpus
def test_single_wrong_bytes_in_real_files(corpus: Path) -> None:
    """Real transcripts stand a wrong byte as well as built ones do."""
    for seed, path in enumerate(small_files(corpus)[::8]):
        examine_many(path.read_bytes(), 60, seed)


@pytest.mark.slow
@pytest.mark.corpus
def test_many_single_wrong_bytes_in_real_files(corpus: Path) -> None:
    """The same with all of them, a hundred times each."""
    for seed, path in enumerate(small_files(corpus)):
        examine_many(path.read_bytes(), 100, seed)


@pytest.mark.corpus
def test_real_files_are_read_whole(corpus: Path) -> None:
    """Every transcript of the corpus is accounted for, with a typed decoder too."""
    decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
    for path in sorted(corpus.rglob("*.jsonl")):
        if path.is_file() and path.stat().st_size < 3_000_000:
            data = path.read_bytes()

            assert raws(read(data)[1]) == raws(read(data, decode)[1])


@pytest.mark.slow
def test_every_prefix_of_a_small_file() -> None:
    """Cut at each byte, a file never has fewer records than it had when cut earlier, and at most one damage."""
    nesting = raw(row(29, data={"message": row(99), "list": [row(98), row(97)]})) + b"\n"
    data = BOM + built_file() + nesting + raw(row(30)) + raw(row(31)) + b"\n"
    before: list[bytes] = []
    for cut in range(len(data) + 1):
        _, items = read(data[:cut])
        now = raws(items)

        assert before == now[: len(before)], cut
        assert len(items) - len(now) <= 1
        before = now

    assert 17 == len(before)


@pytest.mark.slow
def test_every_prefix_of_200_records() -> None:
    """The same for a larger file, each cut being read on from where the whole lines before it end."""
    for number in range(1, 201):
        record = raw({"type": "mode", "mode": str(number), "sessionId": "s"})
        for cut in range(len(record) + 2):
            data = (record + b"\n")[:cut]
            account, items = read(data)

            assert ([record] if cut >= len(record) else []) == raws(items)
            assert (0 < cut < len(record)) == (account.open_tail is not None)


def blocks(data: bytes, size: int) -> Iterable[tuple[int, int]]:
    """Return the ranges of blocks of one size."""
    return ((start, min(start + size, len(data))) for start in range(0, len(data), size))


@pytest.mark.parametrize("size", [64, 512, 4096])
def test_blocks_of_nul_bytes(size: int) -> None:
    """A block that a power loss left empty costs no record but those that it touches, and invents none."""
    data = b"".join(good(40))
    whole = [item for item in read(data)[1] if isinstance(item, Record)]
    for start, end in blocks(data, size):
        _, items = read(data[:start] + b"\0" * (end - start) + data[end:])
        untouched = [record.raw for record in whole if record.offset + record.length <= start or end <= record.offset]

        # A text with NUL bytes in it is a text: the record is there, with its note.
        assert untouched == [item.raw for item in items if isinstance(item, Record) and b"\0" not in item.raw]


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    """Whatever a file holds, it is read without an error and accounted for."""
    read(data)


LINE = good(1)[0]
SYNTAX = [*(bytes([byte]) for byte in NASTY), b'{"a":1}', LINE, LINE[:60], b"\0" * 70, BOM, b"\r\n", b"null"]


@given(st.lists(st.sampled_from(SYNTAX), max_size=40).map(b"".join), st.integers(min_value=0))
def test_any_lines(data: bytes, cut: int) -> None:
    """The same for pieces of records, and the two halves of a file that is read in two scans add up to the whole."""
    begun = data[: cut % (len(data) + 1)]
    account, _ = read(begun)
    start = account.end if account.open_tail is None else account.open_tail
    later, _ = read(data, start=start, line=account.next_line)

    assert 1 + begun.count(b"\n") == account.next_line
    assert 1 + data.count(b"\n") == later.next_line
