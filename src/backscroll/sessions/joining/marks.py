"""Marks: Claude Desktop's notes on sessions outside their rows (pins, groups, unread marks, panes), and its settings.

Input: every version of every value that its pages stored, and the groups in its settings.  Output: `Marks`.

Desktop moved these values between versions and leaves the old copies, so each mark has several sources.  We read all of
them.  The source that changed last wins; the versions that are left on the disk show the time of that change.  If it is
unknown, the source of newer Desktops wins.  docs/formats.md, "Marks of Desktop".
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from backscroll.formats.chromium.records import StorageRecord
from backscroll.formats.state import State
from backscroll.records import Damage, Json
from backscroll.stores.browser import BrowserStore
from backscroll.times import parse

ORIGIN = "https://claude.ai"
PINS, GROUPS = "store:pin-state:dframe-starred-code", "store:pin-state:dframe-session-groups"

_EVER = datetime.min.replace(tzinfo=UTC)
_PANES = ("epitaxy.sidePaneStore.v1", *(f"epitaxy.sidePaneStore.v1.{corner}" for corner in ("tr", "br", "bl")))


@dataclass(frozen=True, slots=True)
class Group:
    """The group of a session, for one account and organisation if known."""

    session: str
    name: str
    scope: str | None


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a mark, and its time."""

    key: str
    kind: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of one Desktop; None if no source has any."""

    pinned: list[str] | None = None
    """Ids of rows, in the order of the sidebar."""
    groups: list[Group] | None = None
    unread: list[str] | None = None
    panes: Mapping[str, Json] | None = None
    """The layout of panes, by the id of the row."""
    current: str | None = None
    """The last session on the screen."""
    folder: str | None = None
    """The last chosen project folder."""
    model: str | None = None
    branches: Mapping[str, Json] | None = None
    """The last known state of the git branch, by directory."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    """The source of each of these fields."""


class Setting(NamedTuple):
    """A value from Desktop's settings file, and the time of that file."""

    value: Any
    time: datetime | None


@dataclass(frozen=True, slots=True)
class DesktopMarks:
    """The marks of one data directory of Desktop, and the damage there."""

    path: str
    marks: Marks
    damage: list[Damage]


class _Candidate(NamedTuple):
    value: Any
    source: Source


_Part = Callable[[Any], Any]


def read_marks(records: Iterable[StorageRecord], group_setting: Setting | None = None) -> Marks:
    """Return Desktop's marks from the values that its pages stored; `group_setting` are the groups in its settings."""
    versions = _versions(records)

    def local(key: str, part: _Part) -> list[_Candidate]:
        return _found(versions, "local-storage", key, part)

    candidates = {
        "pinned": [
            *_found(versions, "indexeddb", PINS, _starred),
            *local("LSS-persisted.starred-local-code-sessions", _any_ids),
            *local("dframe-store", lambda value: _ids(_state(value).get("pinnedOrder"))),
        ],
        "groups": [
            *_found(versions, "indexeddb", GROUPS, _scopes),
            *_set(group_setting),
            *local("LSS-persisted.dframe-group-scopes", _scopes),
            *local("dframe-store", _groups_of_sidebar),
        ],
        "unread": local("epitaxy-unread-v1", _unread),
        "panes": [pane for key in _PANES for pane in local(key, _panes)],
        "current": [pane for key in _PANES for pane in local(key, _current)],
        "folder": local("ccd-session-store", lambda value: _text(_state(value).get("selectedFolder"))),
        "model": local("default-model", _text),
        "branches": local("branch-status-cache", _object),
    }
    chosen = {name: _newest(found) for name, found in candidates.items() if found}
    return Marks(
        **{name: candidate.value for name, candidate in chosen.items()},
        sources={name: candidate.source for name, candidate in chosen.items()},
    )


def read_desktop_marks(store: BrowserStore) -> DesktopMarks:
    """Read the marks of one Desktop."""
    items = store.records()
    scopes = store.group_scopes()
    records = [item for item in items if isinstance(item, StorageRecord)]
    read = read_marks(records, Setting(*scopes) if scopes else None)
    return DesktopMarks(str(store.path), read, [item for item in items if isinstance(item, Damage)])


def row_id(text: str) -> str:
    """Return the id of a row without its prefix: `code:local_x` to `local_x`."""
    return text.rpartition(":")[2]


def _newest(candidates: list[_Candidate]) -> _Candidate:
    """Return the newest value; if times are equal or unknown, the first, from the newest generation."""
    return max(candidates, key=lambda candidate: candidate.source.since or _EVER)


_Versions = dict[tuple[str, str], list[StorageRecord]]


def _versions(records: Iterable[StorageRecord]) -> _Versions:
    """Return the versions of each key of Claude's own pages whose newest one is live, newest first."""
    found: _Versions = {}
    for record in records:
        if record.origin == ORIGIN and record.partition is None and record.kind != "metadata":
            found.setdefault((record.kind, record.key), []).append(record)
    for versions in found.values():
        versions.sort(key=lambda record: (record.state is State.LIVE, record.sequence or 0), reverse=True)
    return {key: versions for key, versions in found.items() if versions[0].state is State.LIVE}


def _found(versions: _Versions, kind: str, key: str, part: _Part) -> list[_Candidate]:
    """Return the value of one mark in a key, if it exists, and its time."""
    records = versions.get((kind, key), [])
    values = [part(record.json if record.has_json else record.text) for record in records]
    if not values or values[0] is None:
        return []
    same = next((place for place, value in enumerate(values) if value != values[0]), len(values))
    oldest = records[same - 1]
    updated = parse(oldest.json.get("updatedAt")) if isinstance(oldest.json, dict) else None
    return [_Candidate(values[0], Source(key, kind, updated or oldest.time))]


def _set(setting: Setting | None) -> list[_Candidate]:
    groups = _scopes(setting.value) if setting else None
    if setting is None or groups is None:
        return []
    return [_Candidate(groups, Source("dframe-group-scopes", "settings", setting.time))]


def _object(value: Any) -> Any:
    """Return an object, also if it is stored as text inside other JSON."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _state(value: Any) -> dict[str, Any]:
    """Return the state inside a value of Desktop's pages; its version is beside it."""
    outer = _object(value) or {}
    return _object(outer.get("state")) or _object(outer.get("value")) or outer


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _ids(value: Any) -> list[str] | None:
    if not isinstance(value, list):
        return None
    return list(dict.fromkeys(row_id(item) for item in value if isinstance(item, str)))


def _starred(value: Any) -> list[str] | None:
    """Return the pins of the newest Desktops; a missing key means that Desktop dropped them."""
    return _ids(_state(value).get("starredIds")) or None


def _any_ids(value: Any) -> list[str] | None:
    """Return the ids of a list, or of the first list in an object."""
    if isinstance(value, list):
        return _ids(value)
    return next((_ids(item) for item in _state(value).values() if isinstance(item, list)), None)


def _unread(value: Any) -> list[str] | None:
    state = _state(value)
    known = [ids for ids in (_ids(state.get("unreadIds")), _ids(state.get("explicitUnreadIds"))) if ids is not None]
    return list(dict.fromkeys(item for ids in known for item in ids)) if known else None


def _panes(value: Any) -> dict[str, Any] | None:
    layouts = _object(_state(value).get("tileLayoutBySession"))
    return None if layouts is None else {row_id(name): layout for name, layout in layouts.items() if layout is not None}


def _current(value: Any) -> str | None:
    name = _text(_state(value).get("currentSessionId"))
    return None if name is None else row_id(name)


def _groups_of_sidebar(value: Any) -> list[Group] | None:
    state = _state(value)
    if isinstance(state.get("customGroupsByScope"), dict):
        return _scopes(state["customGroupsByScope"])
    if "customGroupAssignments" not in state:
        return None
    return list(_groups(state.get("customGroups"), state["customGroupAssignments"], None))


def _scopes(value: Any) -> list[Group] | None:
    """Return the groups of all scopes; a scope is `account/organisation`."""
    if _object(value) is None:
        return None
    scopes = _state(value)
    if "groups" in scopes and "assignments" in scopes:
        return list(_groups(scopes["groups"], scopes["assignments"], None))
    scopes = _object(scopes.get("customGroupsByScope")) or scopes
    known = {name: scope for name, item in scopes.items() if (scope := _object(item)) and "assignments" in scope}
    if not known and scopes:
        return None
    return [
        group for name, scope in known.items() for group in _groups(scope.get("groups"), scope["assignments"], name)
    ]


def _groups(groups: Any, assignments: Any, scope: str | None) -> Iterator[Group]:
    """Yield the group of each session: a list of groups has the names, sessions refer to them by id."""
    listed = groups if isinstance(groups, list) else list((_object(groups) or {}).values())
    names = {
        item["id"]: item["name"]
        for item in listed
        if isinstance(item, dict) and isinstance(item.get("id"), str) and isinstance(item.get("name"), str)
    }
    for session, group in (_object(assignments) or {}).items():
        if isinstance(group, str):
            yield Group(row_id(session), names.get(group, group), scope)
