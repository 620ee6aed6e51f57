"""Output for programs: documents and bytes, straight to standard output."""

import sys
from collections.abc import Iterable

from backscroll.cli.settings import Settings
from backscroll.errors import DAMAGE_MET, DONE, NOT_FOUND

_MOST_NAMED = 3


def print_document(pieces: Iterable[str]) -> None:
    """Print a document, always in UTF-8: JSON, Markdown, HTML."""
    for piece in pieces:
        sys.stdout.buffer.write(piece.encode())
    sys.stdout.buffer.flush()


def print_bytes(pieces: Iterable[bytes]) -> None:
    """Print stored bytes unchanged."""
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def with_damage(code: int, settings: Settings) -> int:
    """Report the damage that an answer met on standard error, and return the exit code of the command.

    With --strict every answer that met damage exits with 3, even without a hit, because the damage may hide it.
    Without it, commands over all sessions do not report damage elsewhere each time.
    """
    if not (settings.damage or settings.is_incomplete) or code not in (DONE, NOT_FOUND):
        return code
    if settings.damage and (settings.strict or settings.is_damage_near) and not (settings.json or settings.jsonl):
        sys.stdout.flush()
        noun = "place" if settings.damage == 1 else "places"
        sys.stderr.write(f"backscroll: {settings.damage:,} damaged {noun}\n")
        sys.stderr.writelines(f"  Read more: {settings.command} {command}\n" for command in _showing_damage(settings))
    return DAMAGE_MET if settings.strict else code


def _showing_damage(settings: Settings) -> list[str]:
    """Return the commands that show the damage, for a few sessions each its own."""
    names = settings.damaged
    shown = [f"show {name}" for name in names] if len(names) <= _MOST_NAMED else ["doctor --kind damaged"]
    return [*shown, *(["stores"] if settings.is_damage_beside else [])]
