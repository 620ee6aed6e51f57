"""Cowork: all fields of a session's manifest, in groups, with its files, permissions and runs."""

import os
from collections.abc import Iterator

from backscroll.files import open_readonly, reason_of
from backscroll.index.db import Connection
from backscroll.index.queries import sessions as query
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.sessions.desktop_model import AuditTrail, Manifest, Schedule, SessionFile
from backscroll.sessions.session import DesktopRow
from backscroll.sessions.transcript import audit, source
from backscroll.stores.desktop_files import allowed, manifests, rows
from backscroll.times import of_file


def read_manifests(database: Connection, session: str | None) -> Iterator[Manifest]:
    """Yield the manifests and Code-tab rows of one session, or the manifests of all Cowork sessions.

    It reads audits, which may be as long as transcripts, only for one session.
    """
    for row, name in query.rows_with_sessions(database):
        is_asked = name == session if session is not None else row["product"] == "cowork"
        if is_asked and row["product"] in ("code", "cowork"):
            yield _manifest(name, row, with_audit=session is not None)


def read_schedules(database: Connection) -> list[Schedule]:
    """Return the scheduled tasks of every account, unchanged."""
    paths = query.settings_and_logs(database, "schedule")
    return [Schedule(*rows.owners_of(path), path, allowed.tasks(path)) for path in paths]


def _manifest(session: str, row: DesktopRow, *, with_audit: bool) -> Manifest:
    fields, reason = rows.read_fields(row["path"])
    sorted_fields = manifests.sort_fields(fields)
    damage = [Damage(Place(row["path"]), reason)] if reason is not None else []
    directory = manifests.session_directory(row["path"])
    files, is_cut = _files(directory, damage) if directory else ([], False)
    trail = _trail(os.path.join(directory, source.AUDIT), damage) if directory and with_audit else None
    return Manifest(
        session, row, sorted_fields.groups, sorted_fields.unknown, sorted_fields.odd, files, is_cut, trail, damage
    )


def _files(directory: str, damage: list[Damage]) -> tuple[list[SessionFile], bool]:
    files: list[SessionFile] = []
    for kind, item in manifests.files_of(directory):
        if isinstance(item, Damage):
            damage.append(item)
        elif len(files) == manifests.MOST_FILES:
            return files, True
        else:
            files.append(SessionFile(kind, item.path, item.status.st_size, of_file(item.status.st_mtime)))
    return files, False


def _trail(path: str, damage: list[Damage]) -> AuditTrail | None:
    if not os.path.lexists(path):
        return None
    try:
        with open_readonly(path) as file:
            return audit.read_trail(file, path)
    except OSError as error:
        damage.append(Damage(Place(path), reason_of(error)))
        return None
