"""Keys: names of messages, calls and records that are the same in all their copies."""

from collections.abc import Mapping, Sequence

from backscroll.sessions.session import SHORTEST_GLOBAL_ID
from backscroll.sessions.transcript.fingerprint import fingerprint
from backscroll.sessions.transcript.rows import ASSISTANT, SPOKEN_KINDS, Row
from backscroll.sessions.transcript.tree import Tree

MOST_KEPT = 4096
"""The number of keys to keep: rows of one API message are near each other."""
OLD_COPY_VERSIONS = ("0.", "1.0.")
"""The last versions of Claude Code that rewrote everything under new ids on resume."""


class Keys:
    """Makes the keys of one conversation; its files (`paths`) name records without an id."""

    def __init__(self, paths: Sequence[str], roots: Mapping[bytes, bytes] | None = None) -> None:
        self._paths = paths
        self._roots = roots or {}
        """The key of the first original for the key of each original that is a copy itself."""
        self._made: dict[tuple[str, ...], bytes] = {}
        """Keys of API messages and calls: several rows of the catalogue have the same."""

    def api_message(self, row: Row) -> bytes:
        """Return the key of a row's API message: by its id, else by the record."""
        return self._by_api_id(row.group, row) if row.group else self.record(row)

    def call(self, name: str, row: Row) -> bytes:
        """Return the key of a call: its id, which copies keep."""
        is_local = len(name) < SHORTEST_GLOBAL_ID or "#" in name
        return self._kept("call", self._paths[row.source], name) if is_local else self._kept("call", name)

    def record(self, row: Row) -> bytes:
        """Return the key of a record: its own id, else its place."""
        if row.uuid and len(row.uuid) >= SHORTEST_GLOBAL_ID:
            return _key("row", row.uuid)
        return _key("place", self._paths[row.source], str(row.offset))

    def origin(self, row: Row) -> bytes:
        """Return the key of a record's original, or its own key."""
        if row.copied_from is not None and row.copied_from.messageUuid:
            key = _key("row", row.copied_from.messageUuid)
            return self._roots.get(key, key)
        return self.record(row)

    def message(self, row: Row, answer: str | None = None) -> bytes:
        """Return the key of a message: by its API id, its text and `answer`, its results, or its record's original."""
        if row.kind == ASSISTANT and row.group:
            return self._by_api_id(row.group, row)
        if answer is not None and row.text_key is not None:
            return _key("text", row.text_key.hex(), answer)
        if row.results and all(len(call) >= SHORTEST_GLOBAL_ID for call in row.results):
            return _key("results", *row.results)
        return self.origin(row)

    def messages(self, tree: Tree, *, is_rewriting: bool) -> dict[int, bytes]:
        """Return the keys of all messages of a tree, by number; prompts by text and answer if resumes rewrote ids."""
        answer: str | None = None
        keys: dict[int, bytes] = {}
        for number in range(len(tree.nodes) - 1, -1, -1):
            row = tree.nodes[number].rows[0]
            if row.kind in SPOKEN_KINDS:
                if row.kind == ASSISTANT:
                    answer = row.group or row.id
                keys[number] = self.message(row, answer if is_rewriting else None)
        return keys

    def _by_api_id(self, name: str, row: Row) -> bytes:
        is_local = len(name) < SHORTEST_GLOBAL_ID
        return self._kept("api", self._paths[row.source], name) if is_local else self._kept("api", name)

    def _kept(self, *parts: str) -> bytes:
        key = self._made.get(parts)
        if key is None:
            if len(self._made) >= MOST_KEPT:
                self._made.clear()
            key = self._made[parts] = _key(*parts)
        return key


def is_rewriting_version(version: str | None) -> bool:
    """Return True if a version of Claude Code rewrote everything on resume."""
    return (version or "").startswith(OLD_COPY_VERSIONS)


def _key(*parts: str) -> bytes:
    return fingerprint("\0".join(parts).encode(errors="replace"), 16)


def id_key(uuid: str) -> bytes:
    """Return the short form of a record's own id in the index."""
    return fingerprint(uuid.encode(errors="replace"), 8)
