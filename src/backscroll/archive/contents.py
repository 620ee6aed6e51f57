"""List the contents of the archive: files, their versions, and the sessions that it has."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from backscroll.archive.facts import BROWSER_FACTS, FIELDS, source_of
from backscroll.archive.model import ArchivedFact, ArchivedFile, ArchivedVersion
from backscroll.archive.part import known_rows
from backscroll.errors import CorruptError
from backscroll.files import reason_of
from backscroll.records import Json
from backscroll.stores.archived import CONVERSATIONS, KeptFile, open_kept
from backscroll.times import parse


def kept_sessions(part: Path) -> set[str]:
    """Return the ids of the sessions with transcripts in the archive."""
    return {row.session for row in known_rows(part) if row.kind in CONVERSATIONS and row.session is not None}


def files(part: Path) -> list[ArchivedFile]:
    """Return every source file that the archive has, by path."""
    rows = known_rows(part)
    versions = Counter(row.path for row in rows)
    newest = {row.path: row for row in rows}
    return [
        ArchivedFile(os.fsdecode(path), row.session, row.kind, row.length, row.whole, versions[path])
        for path, row in newest.items()
    ]


def versions_of(part: Path, session: str) -> list[ArchivedVersion]:
    """Return every version of every file of a session, oldest version first."""
    return [
        ArchivedVersion(
            os.fsdecode(row.path),
            row.session,
            row.kind,
            row.version,
            row.length,
            row.whole,
            _copied(row),
        )
        for row in sorted(known_rows(part), key=lambda row: (row.path, row.version))
        if row.session == session
    ]


def facts(part: Path) -> list[ArchivedFact]:
    """Return every value of settings and browser storage that the archive has, by path, oldest first."""
    rows = known_rows(part)
    current = {
        row.path: row for row in rows if row.kind == BROWSER_FACTS
    }  # a newer version begins with all lines of the older one
    found = [fact for row in current.values() for fact in _browser_facts(part, row)]
    before: dict[bytes, dict[str, Json]] = {}
    for row in sorted((row for row in rows if row.kind == FIELDS), key=lambda row: (row.path, row.version)):
        fields = _object(_content(part, row))
        found += _changed(row, before.get(row.path, {}), fields)
        before[row.path] = fields
    return found


def _browser_facts(part: Path, row: KeptFile) -> Iterator[ArchivedFact]:
    """Yield the facts of a browser storage, one per line."""
    for text in _content(part, row).splitlines():
        line = _object(text)
        yield ArchivedFact(source_of(row), str(line.get("fact")), line.get("value"), parse(line.get("time")))


def _changed(row: KeptFile, before: dict[str, Json], fields: dict[str, Json]) -> Iterator[ArchivedFact]:
    """Yield the fields of a settings file that differ from its previous version."""
    for name in before | fields:
        if name not in before or before[name] != fields.get(name):
            yield ArchivedFact(source_of(row), name, fields.get(name), _copied(row))


def _object(text: bytes) -> dict[str, Json]:
    value = json.loads(text)
    return value if isinstance(value, dict) else {}


def _content(part: Path, row: KeptFile) -> bytes:
    try:
        with open_kept(part, row) as file:
            return file.read()
    except OSError as error:
        remedy = "Run: backscroll archive repair --apply"
        raise CorruptError(f"cannot read the archive: {reason_of(error)}", source_of(row), remedy) from error


def _copied(row: KeptFile) -> datetime | None:
    return datetime.fromtimestamp(row.time / 1e9, UTC) if row.time else None
