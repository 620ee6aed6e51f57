"""Raster images: known by their bytes, and without metadata."""

import struct
import zlib

import pytest

from backscroll.formats.images import raster_image


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


HEAD = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
PIXELS = chunk(b"IDAT", zlib.compress(b"\0\xff\0\0"))
PNG = b"\x89PNG\r\n\x1a\n" + HEAD + PIXELS + chunk(b"IEND", b"")
PNG_WITH_TEXT = PNG.replace(PIXELS, chunk(b"tEXt", b"Author\0marguerite") + chunk(b"eXIf", b"place") + PIXELS)
GIF_HEAD = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff"
GIF_PIXELS = b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0"
GIF = GIF_HEAD + GIF_PIXELS + b";"
GIF_WITH_COMMENT = GIF_HEAD + b"!\xfe\x0amarguerite\0" + GIF_PIXELS + b";"
JPEG = b"\xff\xd8\xff\xe0\0\x07JFIF\0\xff\xdb\0\x03x\xff\xda\0\x03y\x12\xff\x00\x34\xff\xd9"
JPEG_WITH_EXIF = JPEG.replace(b"\xff\xdb", b"\xff\xe1\0\x0cmarguerite\xff\xfe\0\x06note\xff\xdb", 1)
PIECE = b"VP8L" + struct.pack("<I", 4) + b"data"
EXTENDED = b"VP8X" + struct.pack("<I", 10) + b"\x3c" + bytes(9)
CLEAN_EXTENDED = b"VP8X" + struct.pack("<I", 10) + b"\x10" + bytes(9)
EXIF = b"EXIF" + struct.pack("<I", 10) + b"marguerite"


def webp(*chunks: bytes) -> bytes:
    """Return a WebP file of chunks."""
    return b"RIFF" + struct.pack("<I", 4 + sum(map(len, chunks))) + b"WEBP" + b"".join(chunks)


@pytest.mark.parametrize(
    "stored, clean, media_type",
    [
        (PNG, PNG, "image/png"),
        (PNG_WITH_TEXT, PNG, "image/png"),
        (GIF, GIF, "image/gif"),
        (GIF_WITH_COMMENT, GIF, "image/gif"),
        (JPEG, JPEG, "image/jpeg"),
        (JPEG_WITH_EXIF, JPEG, "image/jpeg"),
        (webp(EXTENDED, PIECE, EXIF), webp(CLEAN_EXTENDED, PIECE), "image/webp"),
        (PNG + b"hidden behind the end", PNG, "image/png"),
    ],
)
def test_an_image_keeps_its_pixels_and_loses_its_metadata(stored: bytes, clean: bytes, media_type: str) -> None:
    """Comments, EXIF and everything behind the end are dropped; the type comes from the bytes."""
    assert (media_type, clean) == raster_image(stored)


@pytest.mark.parametrize("data", [b"", b"<svg onload=x>", b"GIF", b"%PDF-1.7", b"BM1234", b"\x89PNG\r\n\x1a\n"])
def test_anything_else_is_no_image(data: bytes) -> None:
    """SVG can run scripts, and is not taken for an image."""
    assert raster_image(data) is None


@pytest.mark.parametrize("whole", [PNG_WITH_TEXT, GIF_WITH_COMMENT, JPEG_WITH_EXIF])
def test_a_torn_image_is_no_image(whole: bytes) -> None:
    """An image that is cut at any byte is refused, and nothing raises."""
    assert [] == [end for end in range(len(whole)) if raster_image(whole[:end]) is not None]
