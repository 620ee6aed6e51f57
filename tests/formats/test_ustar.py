"""Plain tar archives: what we write the standard library reads, and the other way round."""

import io
import tarfile

import pytest

from backscroll.formats import ustar
from backscroll.formats.cursor import MalformedError

LONGEST = f"{'d' * 155}/{'e' * 100}"
NAMES = ["a", "a/b", f"{'d' * 60}/{'e' * 60}/{'f' * 90}", "x" * 100, LONGEST, f"{'d' * 153}/e/{'f' * 90}"]


@pytest.mark.parametrize("name", NAMES)
def test_the_standard_library_reads_it(name: str) -> None:
    """Name and content come out as they went in."""
    data = b"content" * 100
    archive = (ustar.header(name, len(data)) or b"") + data + ustar.padding(len(data)) + ustar.END

    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        member = tar.getmembers()[0]
        file = tar.extractfile(member)
        assert file is not None
        assert (name, 0o600, data) == (member.name, member.mode, file.read())


@pytest.mark.parametrize("name", NAMES)
def test_it_reads_the_standard_library(name: str) -> None:
    """A file of the standard library's plain form is read, and then the end."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        info = tarfile.TarInfo(name)
        info.size = 700
        tar.addfile(info, io.BytesIO(b"y" * 700))
    stream.seek(0)

    assert ustar.TarMember(name, 700) == ustar.read_member(stream)
    assert b"y" * 700 == b"".join(ustar.pieces(stream, 700))
    assert ustar.read_member(stream) is None


def test_names_and_sizes_that_do_not_fit() -> None:
    """A name that is too long, or a file beyond 8 GB, has no header."""
    assert ustar.header("x" * 101, 1) is None
    assert ustar.header(f"{'d' * 160}/x", 1) is None
    assert ustar.header("x", 8**11) is None


@pytest.mark.parametrize("place", [0, 130, 150, 156, 257, 400])
def test_every_changed_header_is_refused(place: int) -> None:
    """One flipped bit anywhere in a header is a wrong checksum or worse."""
    block = bytearray(ustar.header("name", 5) or b"")
    block[place] ^= 1

    with pytest.raises(MalformedError):
        ustar.read_member(io.BytesIO(bytes(block) + bytes(512)))


@pytest.mark.parametrize("place, byte", [(156, b"1"), (156, b"2"), (156, b"5"), (156, b"x"), (257, b"U")])
def test_other_kinds_of_members_are_refused(place: int, byte: bytes) -> None:
    """A link, a directory, an extension or another form of tar is refused although its checksum is right."""
    block = bytearray(ustar.header("name", 0) or b"")
    block[place : place + 1] = byte
    block[148:156] = b"%06o\0 " % (sum(block[:148]) + 8 * 32 + sum(block[156:]))

    with pytest.raises(MalformedError, match="not a regular file"):
        ustar.read_member(io.BytesIO(bytes(block)))


def test_a_cut_is_refused() -> None:
    """An archive that ends too early is malformed, wherever it ends."""
    archive = (ustar.header("name", 5) or b"") + b"12345" + ustar.padding(5) + ustar.END
    for cut in range(0, len(archive), 100):
        stream = io.BytesIO(archive[:cut])
        with pytest.raises(MalformedError):
            read_all(stream)


def read_all(stream: io.BytesIO) -> None:
    """Read an archive to its end."""
    while (member := ustar.read_member(stream)) is not None:
        for _ in ustar.pieces(stream, member.size):
            pass
