"""Keys: the names under which messages, calls and records are known over all files, whatever copies them."""

from collections.abc import Sequence

from backscroll.sessions.fingerprint import fingerprint
from backscroll.sessions.model import SHORTEST_GLOBAL_ID
from backscroll.sessions.rows import ASSISTANT, SPOKEN_KINDS, Row
from backscroll.sessions.tree import Tree

OLD_COPY_VERSIONS = ("0.", "1.0.")
"""Versions of Claude Code that wrote everything again under new ids when a session was resumed."""


class Keys:
    """Makes the keys of one conversation; `paths` are its files, for what has no name but its place."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths

    def api_message(self, row: Row) -> bytes:
        """Name the API message that a row is of, by its id; without one by the record."""
        return self._by_api_id(row.group, row) if row.group else self.record(row)

    def call(self, name: str, row: Row) -> bytes:
        """Name a call by its id, which copies keep."""
        if len(name) < SHORTEST_GLOBAL_ID or "#" in name:
            return _key("call", self._paths[row.source], name)
        return _key("call", name)

    def record(self, row: Row) -> bytes:
        """Name a record by its own id, or by its place where it has none that is its alone."""
        if row.uuid and len(row.uuid) >= SHORTEST_GLOBAL_ID:
            return _key("row", row.uuid)
        return _key("place", self._paths[row.source], str(row.offset))

    def origin(self, row: Row) -> bytes:
        """Name a record by the record that it was copied from, or as itself."""
        if row.copied_from is not None and row.copied_from.messageUuid:
            return _key("row", row.copied_from.messageUuid)
        return self.record(row)

    def message(self, row: Row, answer: str | None = None) -> bytes:
        """Name a message: by its API id, by its text and `answer`, by its results, or by its record's origin."""
        if row.kind == ASSISTANT and row.group:
            return self._by_api_id(row.group, row)
        if answer is not None and row.text_key is not None:
            return _key("text", row.text_key.hex(), answer)
        if row.results and all(len(call) >= SHORTEST_GLOBAL_ID for call in row.results):
            return _key("results", *row.results)
        return self.origin(row)

    def messages(self, tree: Tree, *, is_rewriting: bool) -> dict[int, bytes]:
        """Name every message of a tree, by its number; prompts by text and answer where resumes rewrote ids."""
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
        if len(name) < SHORTEST_GLOBAL_ID:
            return _key("api", self._paths[row.source], name)
        return _key("api", name)


def is_rewriting_version(version: str | None) -> bool:
    """Say whether a version of Claude Code wrote everything again when a session was resumed."""
    return (version or "").startswith(OLD_COPY_VERSIONS)


def _key(*parts: str | None) -> bytes:
    return fingerprint("\0".join(part or "" for part in parts).encode(errors="replace"), 16)


def id_key(uuid: str) -> bytes:
    """Return the short form under which a record's own id is kept."""
    return fingerprint(uuid.encode(errors="replace"), 8)
