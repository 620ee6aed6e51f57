"""Plain, gzip and UTF-16 files as streams of plain UTF-8 bytes."""

import gzip
import io
import zlib

import pytest
from formats.lines import dice, good, raws, read
from hypothesis import given
from hypothesis import strategies as st

from backscroll.formats.json.lines import scan
from backscroll.formats.json.streams import MAX_RATIO, MAX_UNPACKED, RATIO_FREE, open_stream

TEXT = b"".join(good(20))
CHUNK = 1 << 16


def unwrapped(data: bytes) -> tuple[bytes, str | None, list[tuple[int, int, str]]]:
    """Return what a file holds, how it was wrapped, and what was lost."""
    with open_stream(io.BytesIO(data)) as stream:
        content = stream.file.read()

        assert len(content) == stream.size
        assert len(data) == stream.physical_size
        assert all(0 <= offset and 0 <= length and offset + length <= len(data) for offset, length, _ in stream.damage)

        return content, stream.wrapping, stream.damage


@pytest.mark.parametrize("data", [b"", b"\n", b"\x1f", b"\xff", TEXT, b"\x00" * 100])
def test_plain_file_is_passed_on_without_a_copy(data: bytes) -> None:
    """A file that is neither gzip nor UTF-16 is its own stream, from its beginning."""
    file = io.BytesIO(data)
    file.seek(0, io.SEEK_END)

    with open_stream(file) as stream:
        assert file is stream.file
        assert (data, None, [], len(data)) == (stream.file.read(), stream.wrapping, stream.damage, stream.size)


def test_plain_file_stays_open() -> None:
    """Leaving the stream closes nothing that the caller opened."""
    file = io.BytesIO(TEXT)
    with open_stream(file):
        pass

    assert not file.closed


def test_temporary_file_is_freed() -> None:
    """Leaving the stream closes the file that holds the unwrapped bytes, and not the one that was passed in."""
    file = io.BytesIO(gzip.compress(TEXT))
    with open_stream(file) as stream:
        pass

    assert stream.file.closed
    assert not file.closed


def test_gzip_is_unpacked() -> None:
    """A gzip file is read as what was packed into it."""
    assert (TEXT, "gzip", []) == unwrapped(gzip.compress(TEXT))


def test_gzip_records_are_scanned() -> None:
    """A scan works on the unpacked bytes, and its offsets are offsets into them."""
    with open_stream(io.BytesIO(gzip.compress(TEXT))) as stream:
        items = list(scan(stream.file, "s.jsonl"))

    assert read(TEXT)[1] == items


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1])
def test_gzip_members_follow_one_another(size: int) -> None:
    """All members are read, wherever in a block of reading the next one begins."""
    noise = dice(size).randbytes(size)
    packed = gzip.compress(noise, 0) + gzip.compress(TEXT) + gzip.compress(b"")

    assert (noise + TEXT, "gzip", []) == unwrapped(packed)


def test_gzip_member_begins_with_the_last_byte_of_a_block() -> None:
    """A member whose two magic bytes are read in two blocks is found."""
    noise = dice(1).randbytes(CHUNK - 100)
    overhead = len(gzip.compress(noise, 0)) - len(noise)
    noise = dice(1).randbytes(CHUNK - 1 - overhead)

    assert CHUNK - 1 == len(gzip.compress(noise, 0))
    assert (noise + TEXT, "gzip", []) == unwrapped(gzip.compress(noise, 0) + gzip.compress(TEXT))


def test_cut_gzip_gives_all_up_to_the_cut() -> None:
    """Cut at any byte, a gzip file gives a beginning of its content and says that it is cut short."""
    packed = gzip.compress(TEXT)
    before = -1
    for cut in range(2, len(packed)):
        content, _, damage = unwrapped(packed[:cut])

        assert [(cut, 0, "gzip data is cut short")] == damage
        assert TEXT.startswith(content)
        assert len(content) >= before
        before = len(content)

    assert len(TEXT) == before


def test_wrong_checksum_loses_no_data() -> None:
    """A checksum that does not match is damage at the end, and the content is there."""
    packed = bytearray(gzip.compress(TEXT))
    packed[-8] ^= 1
    content, _, [(offset, length, reason)] = unwrapped(bytes(packed))

    assert TEXT == content
    assert "gzip checksum does not match" == reason
    assert len(packed) == offset + length
    assert len(packed) - 8 <= offset


def test_damaged_gzip_gives_all_up_to_the_fault() -> None:
    """A file that is damaged in its middle gives exactly what zlib can unpack before the fault."""
    packer = zlib.compressobj(wbits=31)
    start = packer.compress(TEXT) + packer.flush(zlib.Z_FULL_FLUSH)
    wrong_block_type = b"\x07"
    packed = start + wrong_block_type + gzip.compress(TEXT)

    assert (TEXT, "gzip", [(len(start), len(packed) - len(start), "gzip data is damaged")]) == unwrapped(packed)


@pytest.mark.parametrize("rest", [b"garbage", b"\x00" * 512, b"\x1f", b"{"])
def test_bytes_after_gzip_are_damage(rest: bytes) -> None:
    """What follows the last member and is no member is reported with its place."""
    packed = gzip.compress(TEXT)

    assert (TEXT, "gzip", [(len(packed), len(rest), "bytes after the gzip data")]) == unwrapped(packed + rest)


def test_gzip_magic_alone_is_damage() -> None:
    """A file that only begins like gzip gives no bytes, and is damage from where it stops making sense."""
    content, wrapping, [(offset, length, reason)] = unwrapped(b"\x1f\x8bnot gzip at all")

    assert (b"", "gzip", "gzip data is damaged") == (content, wrapping, reason)
    assert 17 == offset + length


@pytest.mark.slow
def test_bomb_is_stopped_by_its_ratio() -> None:
    """A file that unpacks to a thousand times its size is unpacked no further than the ratio allows."""
    packed = gzip.compress(b"\x00" * (100 << 20))
    content, _, [(offset, length, reason)] = unwrapped(packed)

    assert RATIO_FREE < len(content) <= RATIO_FREE + MAX_RATIO * len(packed)
    assert (len(packed), f"gzip data unpacks to more than {MAX_RATIO} times its size") == (offset + length, reason)


def test_small_file_may_pack_well() -> None:
    """Below the size at which a bomb would matter, any ratio is fine."""
    assert (b" " * RATIO_FREE, "gzip", []) == unwrapped(gzip.compress(b" " * RATIO_FREE))


@pytest.mark.slow
def test_unpacking_is_capped() -> None:
    """A file of any ratio is unpacked up to the cap, and the rest of it is damage."""
    member = gzip.compress(dice(4).randbytes(8000) + b"\x00" * ((1 << 20) - 8000))
    packed = member * (MAX_UNPACKED // (1 << 20) + 10)
    with open_stream(io.BytesIO(packed)) as stream:
        [(offset, length, reason)] = stream.damage

        assert MAX_UNPACKED <= stream.size <= MAX_UNPACKED + (1 << 20)
        assert (len(packed), "gzip data is larger than 1024 MiB") == (offset + length, reason)


def test_error_of_the_disk_is_passed_on() -> None:
    """A file that cannot be read to its end raises, and leaves no temporary file behind."""

    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > CHUNK:
                raise OSError(5, "Input/output error")
            return super().read(size)

    with pytest.raises(OSError, match="Input/output error"):
        open_stream(Failing(gzip.compress(dice(7).randbytes(4 * CHUNK))))


@pytest.mark.parametrize(
    "wrapping, encoding, mark", [("UTF-16 LE", "utf-16-le", b"\xff\xfe"), ("UTF-16 BE", "utf-16-be", b"\xfe\xff")]
)
@pytest.mark.parametrize("shift", range(-4, 5))
def test_utf16_is_transcoded(wrapping: str, encoding: str, mark: bytes, shift: int) -> None:
    """UTF-16 comes out as UTF-8, also where a surrogate pair lies across two blocks of reading."""
    text = "x" * (CHUNK // 2 + shift) + "日本語 😀 \n"

    assert (text.encode(), wrapping, []) == unwrapped(mark + text.encode(encoding))


def test_odd_last_byte_is_damage() -> None:
    """A UTF-16 file cut inside a character gives all whole ones and reports the odd byte."""
    data = b"\xff\xfe" + "ab".encode("utf-16-le") + b"c"

    assert (b"ab", "UTF-16 LE", [(6, 1, "odd last byte in UTF-16")]) == unwrapped(data)


def test_lone_surrogates_in_utf16_are_damage() -> None:
    """A surrogate without its other half becomes U+FFFD, and its two bytes are reported where they lie."""
    text = "a😀\ud800b\udc00\udc00😀\ud83d"
    data = b"\xff\xfe" + text.encode("utf-16-le", "surrogatepass")
    reason = "lone surrogate in UTF-16"

    content, _, damage = unwrapped(data)

    assert "a😀\ufffdb\ufffd\ufffd😀\ufffd" == content.decode()
    assert [(8, 2, reason), (12, 2, reason), (14, 2, reason), (20, 2, reason)] == damage


def test_utf16_records_are_read() -> None:
    """A transcript that went through a PowerShell redirect has all its records."""
    data = b"\xff\xfe" + TEXT.decode().replace("\n", "\r\n").encode("utf-16-le")

    assert raws(read(TEXT)[1]) == raws(read(unwrapped(data)[0])[1])


@given(st.sampled_from([b"\x1f\x8b", b"\x1f\x8b\x08\x00", b"\xff\xfe", b"\xfe\xff", b""]), st.binary(max_size=400))
def test_any_bytes_can_be_opened(head: bytes, body: bytes) -> None:
    """Whatever follows the first bytes, a stream comes out of it, of valid UTF-8 if it had to be transcoded."""
    content, wrapping, _ = unwrapped(head + body)
    if wrapping and wrapping.startswith("UTF-16"):
        content.decode()


@given(st.integers(min_value=0), st.integers(min_value=0, max_value=255))
def test_any_byte_of_a_gzip_file_may_be_wrong(place: int, byte: int) -> None:
    """One wrong byte in a gzip file is noticed, unless the content is the same."""
    packed = bytearray(gzip.compress(TEXT, mtime=0))
    place %= len(packed) - 10
    packed[10 + place] = byte
    content, _, damage = unwrapped(bytes(packed))

    assert damage or content == TEXT
