"""The images and documents of a message, in order, those in results of calls too."""

from collections.abc import Iterable, Iterator
from typing import Any

from backscroll.formats.images import raster_image
from backscroll.sessions.message import Part
from backscroll.sessions.reading.join import IMAGE_DATA, decoded
from backscroll.sessions.summaries import Media

MEDIA = ("image", "document")


def media_of(parts: Iterable[Part]) -> Iterator[dict[str, Any]]:
    """Yield the data of each image and document of some parts."""
    for part in parts:
        if part.kind in MEDIA:
            yield part.data
        inner = part.data.get("parts") if part.kind == "result" else None
        if isinstance(inner, list):
            yield from (one for one in inner if isinstance(one, dict) and one.get("kind") in MEDIA)


def read_media(data: dict[str, Any]) -> Media | None:
    """Return an image without its metadata, other data unchanged; None if the transcript has no bytes."""
    stored = data.get(IMAGE_DATA)
    if not isinstance(stored, str) or not (found := decoded(stored)):
        return None
    image = raster_image(found)
    return Media(None, found) if image is None else Media(*image)
