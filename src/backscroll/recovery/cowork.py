"""Cowork: the real folders behind its virtual machines, and the files that its sessions made and were given.

Inside the machine a session sees `/sessions/<name>/mnt/<folder>/…`; its manifest names that folder of this computer.
The directories `outputs` and `uploads` of a session hold the files themselves.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

from backscroll.index.db import Connection
from backscroll.index.queries import sessions as query
from backscroll.records import Damage
from backscroll.sessions.file_changes.paths import absolute, below
from backscroll.stores.desktop_files import manifests, rows
from backscroll.times import iso, of_file

MACHINES = "/sessions/"


class Kept(NamedTuple):
    """A file in a Cowork session's own directory."""

    path: str
    session: str
    time: str | None


class Mount(NamedTuple):
    """A folder of this computer under its name inside the machine of a session."""

    inside: str
    real: str


class Room(NamedTuple):
    """One Cowork session: its manifest, its directory, and the folders that its user chose."""

    manifest: str
    session: str
    directory: str | None
    folders: list[str]


class Cowork:
    """The folders and files of all Cowork sessions in the index; reads only the manifests that it needs."""

    def __init__(self, database: Connection) -> None:
        self._database = database

    @cached_property
    def _rooms(self) -> list[Room]:
        found = query.rows_with_sessions(self._database)
        return [
            Room(row["path"], session, manifests.session_directory(row["path"]), row.get("folders") or [])
            for row, session in found
            if row["product"] == "cowork"
        ]

    @cached_property
    def _mounts(self) -> list[Mount]:
        """The folders that machines see, those with the longest names first."""
        found = {mount for room in self._rooms for mount in _mounts(room)}
        return sorted(found, key=lambda mount: (-len(mount.inside), mount))

    def kept(self) -> Iterator[Kept]:
        """Yield the files in the sessions' own directories."""
        for room in self._rooms:
            for _, item in manifests.files_of(room.directory) if room.directory else ():
                if not isinstance(item, Damage):
                    yield Kept(item.path, room.session, _time(item.status))

    def kept_at(self, path: str) -> Kept | None:
        """Return the file at a path, if the path is in a session's own directory."""
        for room in self._rooms:
            rest = below(path, room.directory) if room.directory else None
            if rest is not None and rest.startswith(("outputs/", "uploads/")):
                with suppress(OSError, ValueError):
                    status = os.lstat(path)
                    return Kept(path, room.session, _time(status)) if stat.S_ISREG(status.st_mode) else None
        return None

    def real(self, path: str) -> str:
        """Return the real path of a file that a machine sees under this path."""
        if path.startswith(MACHINES):
            for mount in self._mounts:
                rest = below(path, mount.inside)
                if rest is not None:
                    return absolute(rest, mount.real)
        return path

    def aliases(self, path: str) -> list[str]:
        """Return the paths under which machines see a file."""
        near = (
            room
            for room in self._rooms
            if any(below(path, folder) is not None for folder in (*room.folders, *filter(None, [room.directory])))
        )
        rests = ((mount, below(path, mount.real)) for room in near for mount in _mounts(room))
        return [f"{mount.inside}/{rest}" for mount, rest in rests if rest is not None]


def _time(status: os.stat_result) -> str | None:
    moment = of_file(status.st_mtime)
    return iso(moment) if moment else None


def _mounts(room: Room) -> list[Mount]:
    """Return the folders that one session's machine sees."""
    fields, _ = rows.read_fields(room.manifest)
    machines = [name for key in ("processName", "vmProcessName") if isinstance(name := fields.get(key), str) and name]
    folders = dict(_folders(fields))
    if room.directory is not None:
        folders |= {kind: os.path.join(room.directory, kind) for kind in ("outputs", "uploads")}
    return [Mount(f"{MACHINES}{machine}/mnt/{name}", real) for machine in machines for name, real in folders.items()]


def _folders(fields: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the folders that the user chose with their names in the machine: as given, or their last names."""
    chosen, named = fields.get("userSelectedFolders"), fields.get("folderMountNames")
    folders = [folder for folder in chosen if isinstance(folder, str)] if isinstance(chosen, list) else []
    names = named if isinstance(named, dict) else {}
    turned = {value: key for key, value in names.items() if isinstance(value, str)}
    found = []
    for folder in folders:
        name = names.get(folder) or turned.get(folder) or folder.replace("\\", "/").rstrip("/").rpartition("/")[2]
        if isinstance(name, str) and name and "/" not in name:
            found.append((name, folder))
    return found
