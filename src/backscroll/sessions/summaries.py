"""Media, summaries of stores and the overview: values that neither `list` nor `show` needs."""

from dataclasses import dataclass

from backscroll.records import Damage
from backscroll.sessions.session import Session


@dataclass(frozen=True, slots=True)
class Media:
    """The result of `media`: one image or document of a message."""

    image_type: str | None
    """image/png, image/jpeg, image/gif or image/webp by its bytes; None for anything else."""
    data: bytes


@dataclass(frozen=True, slots=True)
class StoreSummary:
    """One store: its path, and the number of its files and sessions."""

    kind: str
    path: str
    files: int
    bytes: int
    sessions: int
    damage: list[Damage]


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file or directory that is not read, and why."""

    path: str
    reason: str
    bytes: int | None
    """Its size, or None for a place that was not walked."""


@dataclass(frozen=True, slots=True)
class StoreAccount(StoreSummary):
    """One store with its byte account: every byte is in a record, damaged or blank."""

    record_bytes: int
    damage_bytes: int
    blank_bytes: int
    """Line ends, white space and byte order marks."""
    unread: list[UnreadFile]
    """Files that are counted and not read: with the three numbers above they are all bytes of the store."""
    left_alone: list[UnreadFile]
    """Places in or beside the store that are neither counted nor read."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The result of `overview`."""

    stores: list[StoreSummary]
    sessions: int
    latest: list[Session]
    expiring: list[Session]
    """Sessions whose transcripts Claude Code will delete within a week, the most urgent first."""
    messages: int = 0
    damage: int = 0
    unkept: int = 0
    """The number of expiring sessions, while the archive has nothing."""
