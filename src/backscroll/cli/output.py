"""Where answers go that are not for reading: documents and bytes, straight to standard output."""

import sys
from collections.abc import Iterable

from backscroll.cli.options import Settings
from backscroll.errors import DAMAGE_MET, DONE


def print_document(pieces: Iterable[str]) -> None:
    """Print a document, always in UTF-8: JSON, Markdown, HTML."""
    for piece in pieces:
        sys.stdout.buffer.write(piece.encode())
    sys.stdout.buffer.flush()


def print_bytes(pieces: Iterable[bytes]) -> None:
    """Print stored bytes as they are."""
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def report_damage(places: int, settings: Settings) -> int:
    """Say on standard error what could not be read, and return the exit code that this is worth."""
    if places and not (settings.json or settings.jsonl):
        sys.stdout.flush()
        noun = "place" if places == 1 else "places"
        sys.stderr.write(f"backscroll: {places:,} damaged {noun}, see --json damage\n")
    return DAMAGE_MET if places and settings.strict else DONE
