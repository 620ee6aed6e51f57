"""Raster images: their type by their bytes, and the same image without its metadata.

Input: bytes that claim to be an image.  Output: media type and bytes of a PNG, JPEG, GIF or WebP, else None.
Metadata (places, names, comments, previews) is dropped; pixels and colours stay unchanged.
"""

from collections.abc import Callable, Iterator

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"sBIT", b"acTL", b"fcTL", b"fdAT"}
_WEBP_KEPT = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF"}
_WEBP_METADATA = 0x2C
"""The flags of VP8X that promise a colour profile, EXIF and XMP."""
_JPEG_SCAN, _JPEG_END, _JPEG_COMMENT, _JPEG_ADOBE = 0xDA, 0xD9, 0xFE, 0xEE
_JPEG_BARE = {0x01, *range(0xD0, 0xD9)}
_GIF_EXTENSION, _GIF_IMAGE, _GIF_END = 0x21, 0x2C, 0x3B
_GIF_KEPT = {0xF9}
"""The extension that times frames; others hold comments, texts and data of programs."""


def raster_image(data: bytes) -> tuple[str, bytes] | None:
    """Return the media type of an image and its bytes without metadata; None for anything else."""
    kind = raster_kind(data)
    try:
        return None if kind is None else (f"image/{kind}", b"".join(_CLEANED[kind](data)))
    except (IndexError, ValueError):
        return None


def raster_kind(data: bytes) -> str | None:
    """Return png, jpeg, gif or webp by the first bytes of an image; None for anything else."""
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return "png" if data.startswith(_PNG) else "jpeg" if data.startswith(b"\xff\xd8\xff") else None


def _png(data: bytes) -> Iterator[bytes]:
    yield _PNG
    place, kind = len(_PNG), b""
    while kind != b"IEND":
        length = int.from_bytes(_exactly(data, place, 4))
        kind = _exactly(data, place + 4, 4)
        whole = _exactly(data, place, length + 12)
        if kind in _PNG_KEPT:
            yield whole
        place += len(whole)


def _jpeg(data: bytes) -> Iterator[bytes]:
    yield data[:2]
    place = 2
    while True:
        mark, kind = _exactly(data, place, 2)
        if mark != 0xFF:
            raise ValueError("not a segment")
        if kind in _JPEG_BARE or kind == 0xFF:
            place += 1 if kind == 0xFF else 2
            continue
        if kind == _JPEG_END:
            yield b"\xff\xd9"
            return
        length = int.from_bytes(_exactly(data, place + 2, 2))
        whole = _exactly(data, place, length + 2)
        if kind == _JPEG_ADOBE or not (0xE1 <= kind <= 0xEF or kind == _JPEG_COMMENT):
            yield whole
        place += len(whole)
        if kind == _JPEG_SCAN:
            end = _end_of_scan(data, place)
            yield data[place:end]
            place = end


def _end_of_scan(data: bytes, place: int) -> int:
    """Return the position of the next segment after the encoded pixels."""
    while (place := data.find(b"\xff", place)) >= 0:
        following = data[place + 1]
        if following not in {0x00, 0xFF, *_JPEG_BARE}:
            return place
        place += 1 if following == 0xFF else 2
    raise ValueError("no end")


def _gif(data: bytes) -> Iterator[bytes]:
    place = 13 + _gif_table(data[10])
    yield _exactly(data, 0, place)
    while (kind := data[place]) != _GIF_END:
        if kind == _GIF_EXTENSION:
            end = _end_of_blocks(data, place + 2)
            if data[place + 1] in _GIF_KEPT or data[place + 3 : place + 14] == b"NETSCAPE2.0":
                yield data[place:end]
        elif kind == _GIF_IMAGE:
            end = _end_of_blocks(data, place + 10 + _gif_table(data[place + 9]) + 1)
            yield data[place:end]
        else:
            raise ValueError("not a block")
        place = end
    yield bytes([_GIF_END])


def _gif_table(flags: int) -> int:
    return 3 << (flags % 8 + 1) if flags & 0x80 else 0


def _end_of_blocks(data: bytes, place: int) -> int:
    while data[place]:
        place += data[place] + 1
    return place + 1


def _webp(data: bytes) -> Iterator[bytes]:
    chunks = list(_webp_chunks(data))
    yield b"RIFF" + (4 + sum(map(len, chunks))).to_bytes(4, "little") + b"WEBP"
    yield from chunks


def _webp_chunks(data: bytes) -> Iterator[bytes]:
    place, end = 12, min(len(data), 8 + int.from_bytes(data[4:8], "little"))
    while place + 8 <= end:
        kind, length = data[place : place + 4], int.from_bytes(data[place + 4 : place + 8], "little")
        whole = _exactly(data, place, 8 + length + length % 2)
        if kind == b"VP8X":
            whole = whole[:8] + bytes([whole[8] & ~_WEBP_METADATA]) + whole[9:]
        if kind in _WEBP_KEPT:
            yield whole
        place += len(whole)


def _exactly(data: bytes, place: int, length: int) -> bytes:
    found = data[place : place + length]
    if len(found) != length:
        raise ValueError("cut short")
    return found


_CLEANED: dict[str, Callable[[bytes], Iterator[bytes]]] = {"gif": _gif, "jpeg": _jpeg, "png": _png, "webp": _webp}
