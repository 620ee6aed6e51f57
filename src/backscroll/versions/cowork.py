"""Cowork: where the folders of its virtual machines really lie, and the files that its sessions made and were given.

Inside the machine a session sees `/sessions/<name>/mnt/<folder>/…`; a manifest says which folder of this computer that
is.  What stands in `outputs` and `uploads` of a session's own directory is the file itself.
"""

import os
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple

from backscroll.index import query
from backscroll.index.db import Connection
from backscroll.records import Damage
from backscroll.sessions.filepaths import absolute, below
from backscroll.stores import manifests, rows
from backscroll.times import iso


class Kept(NamedTuple):
    """A file that lies in a Cowork session's own directory."""

    path: str
    session: str
    time: str


class Mount(NamedTuple):
    """A folder of this computer under its name inside the machine of a session."""

    inside: str
    real: str


class Cowork:
    """The folders and files of all Cowork sessions that the index knows."""

    def __init__(self, database: Connection) -> None:
        found = query.rows_with_sessions(database)
        self._rows = [(row["path"], session) for row, session in found if row["product"] == "cowork"]

    @cached_property
    def mounts(self) -> list[Mount]:
        """The folders that machines see, those with the longest names first."""
        found = {mount for path, _ in self._rows for mount in _mounts(path)}
        return sorted(found, key=lambda mount: (-len(mount.inside), mount))

    @cached_property
    def kept(self) -> dict[str, Kept]:
        """The files in the sessions' own directories, by their paths."""
        found = {}
        for path, session in self._rows:
            directory = manifests.session_directory(path)
            for _, item in manifests.files_of(directory) if directory else ():
                if not isinstance(item, Damage):
                    time = iso(datetime.fromtimestamp(item.status.st_mtime, UTC))
                    name = item.path.encode(errors="backslashreplace").decode()
                    found[name] = Kept(item.path, session, time)
        return found

    def real(self, path: str) -> str:
        """Return where a file really lies that a machine sees under this path."""
        for mount in self.mounts:
            rest = below(path, mount.inside)
            if rest is not None:
                return absolute(rest, mount.real)
        return path

    def aliases(self, path: str) -> list[str]:
        """Return the paths under which machines see a file."""
        rests = ((mount, below(path, mount.real)) for mount in self.mounts)
        return [f"{mount.inside}/{rest}" for mount, rest in rests if rest is not None]


def _mounts(path: str) -> list[Mount]:
    """Return the folders that one manifest names."""
    fields, _ = rows.read_fields(path)
    directory = manifests.session_directory(path)
    machines = [name for key in ("processName", "vmProcessName") if isinstance(name := fields.get(key), str) and name]
    folders = dict(_folders(fields))
    if directory is not None:
        folders |= {kind: os.path.join(directory, kind) for kind in ("outputs", "uploads")}
    return [Mount(f"/sessions/{machine}/mnt/{name}", real) for machine in machines for name, real in folders.items()]


def _folders(fields: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the names under which a machine sees the folders that its user chose: given, or their last names."""
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
