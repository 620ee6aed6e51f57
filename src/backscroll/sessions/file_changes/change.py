"""A change: the statement of one call or record about one file, as the catalogue keeps it."""

from functools import lru_cache
from typing import NamedTuple

from backscroll.sessions.file_changes.paths import absolute, folded
from backscroll.sessions.transcript.fingerprint import fingerprint

BACKUP, ABSENT, DELETE, RENAME, PART = "backup", "absent", "delete", "rename", "part"


class Change(NamedTuple):
    """The statement of one call or record about one file."""

    key: bytes
    agent: str | None
    path: str
    folded: str
    kind: str
    """write, edit, read, part, snapshot, backup, absent, delete, rename."""
    tool: str | None
    time: str | None
    is_copy: bool
    outcome: str | None
    """ok, error, refused or staged; None without a recorded result."""
    call: str | None
    message: str | None
    branch: str
    source: int
    offset: int
    length: int
    answer_source: int | None = None
    answer_offset: int | None = None
    answer_length: int | None = None
    before: bytes | None = None
    after: bytes | None = None
    is_created: bool = False
    other: str | None = None
    """The name of the backup, or the new path of a renamed file."""


def content_key(content: str | bytes) -> bytes:
    """Return a short key of a content, equal for texts that differ only in line ends and byte order marks."""
    if isinstance(content, str):
        content = content.removeprefix("\ufeff")
        content = (content.replace("\r\n", "\n") if "\r" in content else content).encode(errors="surrogatepass")
    return fingerprint(content, 12)


def storable(text: str | None) -> str | None:
    """Return a text that every database can hold: lone surrogates become escapes."""
    return text.encode(errors="backslashreplace").decode() if text else text


def is_plain_name(name: str) -> bool:
    """Return True if a name is one of a file, without a path."""
    return bool(name) and not any(mark in name for mark in "/\\\0") and name not in (".", "..")


@lru_cache(1 << 12)
def absolute_path(path: str, cwd: str | None, transcript: str) -> str:
    """Return the absolute path of a file that a record of a transcript names."""
    return storable(absolute(path, cwd, transcript)) or ""


@lru_cache(1 << 12)
def folded_path(path: str) -> str:
    """Return a path folded for comparison."""
    return folded(path)
