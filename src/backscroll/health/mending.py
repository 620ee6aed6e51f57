"""Make a repaired copy of a transcript: the same records under a new session id, without damage, with valid parents.

A missing, circular or stale parent is replaced by the record before it in the file.
Of records with one id, a later one with other content gets an id of its own, and a mere repetition is left out.
"""

import json
import uuid
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from backscroll.formats.json.lenient import value_of
from backscroll.health.chains import LINKED, links
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.sessions.transcript.tree import CONTINUE_TEXT
from backscroll.stores.base import Opener

_NAMESPACE = uuid.UUID("6f1c1f5e-8a53-4f0c-9b51-0d7a5f9f2c11")


class Mended(NamedTuple):
    """A repaired transcript."""

    session: str
    """Its new id, the same for the same bytes."""
    data: bytes
    records: int
    relinked: int
    dropped: int
    """The damaged places and repetitions that were left out."""

    @property
    def why(self) -> str:
        """The result of the repair, as text for a plan."""
        return f"a repaired copy: {self.records:,} records, {self.relinked:,} relinked, {self.dropped:,} left out"


def mend(path: str, open_file: Opener) -> Mended:
    """Return the repaired copy of a transcript; raise OSError."""
    with open_file(path) as file:
        digest = sha256()
        while piece := file.read(1 << 20):
            digest.update(piece)
    is_list = not any(link.parent for link in links(path, open_file))
    mender = _Mender(str(uuid.uuid5(_NAMESPACE, digest.hexdigest())), is_list=is_list)
    with TranscriptSource(path, open_file) as source:
        lines = [line for record in source.heads() for line in mender.lines(record.raw)]
        dropped = len(source.damage) + mender.repeated
    return Mended(mender.session, b"".join(lines), len(lines), mender.relinked, dropped)


class _Mender:
    """Rewrites the records of one transcript, in file order."""

    def __init__(self, session: str, *, is_list: bool) -> None:
        self.session = session
        self._is_list = is_list
        """True if no record names a parent."""
        self.relinked = 0
        self.repeated = 0
        self._current: dict[str, str] = {}
        """The new id of the last record with each id."""
        self._seen: set[tuple[str, bytes]] = set()
        self._previous: str | None = None

    def lines(self, raw: bytes) -> Iterator[bytes]:
        """Yield the record as a line, or nothing if it repeats an earlier one."""
        value, _ = value_of(raw)
        if not isinstance(value, dict):
            return
        name = value.get("uuid")
        if isinstance(name, str) and value.get("type") in LINKED and value.get("isSidechain") is not True:
            if (key := (name, sha256(raw).digest())) in self._seen:
                self.repeated += 1
                return
            self._seen.add(key)
            self._link(value, name)
        if isinstance(value.get("sessionId"), str):
            value["sessionId"] = self.session
        yield _dumped(value) + b"\n"

    def _link(self, value: dict[str, Any], name: str) -> None:
        """Give a record a unique id and an existing parent."""
        parent = value.get("parentUuid")
        if isinstance(parent, str) or not self._is_root(value):
            known = None if _is_restart(value) or not isinstance(parent, str) else self._current.get(parent)
            value["parentUuid"] = self._previous if known is None else known
            self.relinked += value["parentUuid"] != parent
        own = name
        if name in self._current:
            own = str(uuid.uuid5(_NAMESPACE, f"{self.session} {name} {len(self._seen)}"))
            value["uuid"] = own
        self._current[name] = self._previous = own

    def _is_root(self, value: dict[str, Any]) -> bool:
        """Return True if a record without a parent starts a conversation: a compaction, or a user, unless in a list."""
        is_prompt = value.get("type") == "user" and "parentUuid" in value and not self._is_list
        return is_prompt or value.get("subtype") == "compact_boundary"


def _is_restart(value: dict[str, Any]) -> bool:
    """Return True if the program itself continued after a restart; it may then name an old parent."""
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list) and content and isinstance(content[0], dict):
        content = content[0].get("text")
    return isinstance(content, str) and content.startswith(CONTINUE_TEXT) and value.get("type") == "user"


def _dumped(value: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(value)
    except (TypeError, ValueError):  # numbers beyond 64 bits, lone surrogates
        return json.dumps(value, separators=(",", ":")).encode()
