"""Units: the files found on disk, sorted into sessions and agents.

A unit is read as a whole: all transcripts of one session, or one agent's file.  This module opens nothing but the
small files beside transcripts.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from backscroll.index.update.files import Met
from backscroll.records import Damage
from backscroll.safe_text import one_line
from backscroll.stores import side
from backscroll.stores.base import FoundFile, Store, files_of
from backscroll.stores.code import uuid_pattern

MAIN_KINDS = {"transcript", "superseded"}
SIDE_OF_SESSION = {"title", "archived", "released"}
ROW_KINDS = {"row", "row-tmp"}
DESKTOP_KINDS = {"desktop-config", "desktop-settings", "counter", "log", "schedule"}


@dataclass(slots=True)
class Unit:
    """The files of one session or one agent."""

    key: bytes
    session: str | None
    agent: str | None
    kind: str
    """session, flat, nested or workflow; sidecar for a session with only side files left."""
    store: str
    config: str
    project_key: str | None
    files: list[FoundFile] = field(default_factory=list)
    side_files: list[FoundFile] = field(default_factory=list)
    run: str | None = None

    @property
    def transcripts(self) -> list[FoundFile]:
        """The files to read: earlier versions first, the current one last."""
        return sorted(self.files, key=_reading_order) if len(self.files) > 1 else self.files

    @property
    def paths(self) -> list[str]:
        """Their paths."""
        return [file.path for file in self.transcripts]

    @property
    def size(self) -> int:
        """The size of all its transcripts."""
        return sum(file.size for file in self.files)

    @property
    def mtime(self) -> float | None:
        """The modification time of its current transcript."""
        return (
            max((file.mtime_ns for file in self.files if file.kind in ("transcript", "agent")), default=0) / 1e9 or None
        )

    def side_facts(self) -> str:
        """Read the small files beside the transcripts: title, archived, released, an agent's meta file."""
        facts: dict[str, object] = {"run": self.run} if self.run else {}
        for file in self.side_files:
            if file.kind == "title":
                facts["title"] = side.custom_title(file.path)
            elif file.kind == "archived":
                facts["archived"] = side.archived(file.path)
            elif file.kind == "released":
                facts["released"] = side.released(file.path)
            elif file.kind == "agent-meta":
                facts["meta"] = side.agent_meta(file.path)
        return json.dumps(facts) if facts else "{}"


def _states(files: Iterable[FoundFile]) -> list[tuple[bytes, str, int, int, int, int, int]]:
    return sorted(
        (os.fsencode(file.path), file.kind, file.size, file.mtime_ns, file.ctime_ns, file.inode, file.device)
        for file in files
    )


def state_of(files: Iterable[FoundFile]) -> str:
    """Return a state that changes whenever any of the files changes."""
    return repr(_states(files))


def _reading_order(file: FoundFile) -> tuple[bool, int, str]:
    return (file.kind == "transcript", file.mtime_ns, file.path)


@dataclass(slots=True)
class FoundUnits:
    """The result of a walk through all stores."""

    units: dict[bytes, Unit] = field(default_factory=dict)
    totals: list["StoreTotal"] = field(default_factory=list)
    settings: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The settings files of each configuration directory."""
    global_configs: list[str] = field(default_factory=list)
    project_indexes: list[str] = field(default_factory=list)
    hint_files: list[FoundFile] = field(default_factory=list)
    """The files of the two lists above."""
    rows: list[FoundFile] = field(default_factory=list)
    tombstones: list[FoundFile] = field(default_factory=list)
    audits: list[FoundFile] = field(default_factory=list)
    cloud_lists: list[FoundFile] = field(default_factory=list)
    desktop_files: list[FoundFile] = field(default_factory=list)
    """Desktop's settings, counters and logs."""
    browser_files: list[FoundFile] = field(default_factory=list)
    merged: dict[str, str] = field(default_factory=dict)
    """The later session of each earlier transcript, according to rows of Desktop."""


@dataclass(slots=True)
class StoreTotal:
    """The contents of one store."""

    kind: str
    path: str
    files: int = 0
    bytes: int = 0
    sessions: set[str] = field(default_factory=set)
    damage: list[Damage] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    """The paths of its rows."""
    cloud_lists: list[str] = field(default_factory=list)


def sort(met: Iterable[tuple[Store, list[Met]]]) -> FoundUnits:
    """Sort the files of a walk into units."""
    found = FoundUnits()
    metas: dict[tuple[str, str], FoundFile] = {}
    for store, items in met:
        total = StoreTotal(store.kind, str(store.path))
        found.totals.append(total)
        for item in files_of(store, items):
            if isinstance(item, Damage):
                total.damage.append(item)
                continue
            total.files += 1
            total.bytes += item.size
            _sort(found, item, store.kind, total, metas)
    _tell_apart(found.units.values())
    for unit in found.units.values():
        if unit.agent is not None:
            unit.side_files += [meta for file in unit.files if (meta := metas.get(_meta_key(file)))][:1]
    return found


def _sort(
    found: FoundUnits, file: FoundFile, store: str, total: StoreTotal, metas: dict[tuple[str, str], FoundFile]
) -> None:
    if file.kind == "agent" or (file.kind == "superseded" and file.agent is not None):
        _add(_agent_unit(found, file, store), file)
    elif file.kind in MAIN_KINDS:
        unit = _session_unit(found, file, store)
        _add(unit, file)
        total.sessions.add(unit.session or "")
    elif file.kind == "agent-meta":
        metas[_meta_key(file)] = file
    elif file.kind in SIDE_OF_SESSION or (file.kind == "tool-result" and file.session):
        unit = _session_unit(found, file, store)
        if file.kind in SIDE_OF_SESSION:
            unit.side_files.append(file)
    elif file.kind == "settings":
        found.settings[file.config].append(file.path)
    elif file.kind == "global-config":
        found.global_configs.append(file.path)
        found.hint_files.append(file)
    elif file.kind == "project-index":
        found.project_indexes.append(file.path)
        found.hint_files.append(file)
    else:
        _sort_of_desktop(found, file, total)


def _add(unit: Unit, file: FoundFile) -> None:
    """Add a transcript once: a private directory of Cowork may also be a CLAUDE_CONFIG_DIR."""
    if all(known.path != file.path for known in unit.files):
        unit.files.append(file)


def _sort_of_desktop(found: FoundUnits, file: FoundFile, total: StoreTotal) -> None:
    if file.kind in ROW_KINDS:
        found.rows.append(file)
        total.rows.append(file.path)
    elif file.kind == "tombstone":
        found.tombstones.append(file)
    elif file.kind == "audit":
        found.audits.append(file)
    elif file.kind == "cloud-list":
        found.cloud_lists.append(file)
        total.cloud_lists.append(file.path)
    elif file.kind in DESKTOP_KINDS:
        found.desktop_files.append(file)
    elif file.kind == "browser":
        found.browser_files.append(file)


def _meta_key(file: FoundFile) -> tuple[str, str]:
    return os.path.dirname(file.path), file.agent or ""


def _session_key(file: FoundFile) -> str:
    """Return the key of a session's files: a UUID anywhere, any other name within its project directory."""
    name = file.session or ""
    return name if uuid_pattern().fullmatch(name) else f"{file.project_key}\0{name}"


def _session_unit(found: FoundUnits, file: FoundFile, store: str) -> Unit:
    """Return the unit for the session in a file's name, and create it if it is new."""
    name = file.session or ""
    key = b"s:" + os.fsencode(_session_key(file))
    unit = found.units.get(key)
    if unit is None:
        unit = Unit(key, one_line(name) or "(unnamed)", None, "session", store, file.config, file.project_key)
        found.units[key] = unit
    if file.kind == "transcript" and (store != "archive" or not unit.files):
        unit.project_key, unit.config, unit.store = file.project_key, file.config, store
    return unit


def _agent_unit(found: FoundUnits, file: FoundFile, store: str) -> Unit:
    parts = os.path.dirname(file.path).replace("\\", "/").split("/")
    is_workflow = parts[-2:-1] == ["workflows"] and file.session is not None
    run, agent = parts[-1] if is_workflow else None, file.agent or ""
    key = b"a:" + os.fsencode(f"{_session_key(file)}\0{run or ''}\0{agent}")
    if key not in found.units:
        kind = "flat" if file.session is None else "workflow" if is_workflow else "nested"
        session = one_line(file.session) if file.session else None
        found.units[key] = Unit(key, session, one_line(agent), kind, store, file.config, file.project_key)
        found.units[key].run = run
    return found.units[key]


def _tell_apart(units: Iterable[Unit]) -> None:
    """Give different sessions with the same name ids of their own."""
    directories: dict[str, set[str | None]] = defaultdict(set)
    for unit in units:
        if unit.kind == "session" and unit.session and not uuid_pattern().fullmatch(unit.session):
            directories[unit.session].add(unit.project_key)
    for unit in units:
        if unit.session and len(directories.get(unit.session, ())) > 1:
            unit.session = f"{unit.session}@{unit.project_key}"
    taken: set[str] = set()
    for unit in sorted((unit for unit in units if unit.kind == "session"), key=lambda unit: unit.key):
        name, number = unit.session, 1
        while unit.session in taken:  # names that differ only in invisible characters
            number += 1
            unit.session = f"{name}#{number}"
        taken.add(unit.session or "")


def storable(text: str | None) -> str | None:
    """Return a file name as text that a database can hold."""
    return text.encode(errors="backslashreplace").decode() if text else text
