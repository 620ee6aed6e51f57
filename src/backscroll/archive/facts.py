"""Facts that the archive keeps instead of whole files: allowed fields of settings, and browser storage about sessions.

Settings may hold tokens and browser storage holds cookies of pages, so neither file is copied.  The lists of copied
fields are here and in `stores/desktop_files/allowed`.
"""

import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from backscroll.files import open_readonly
from backscroll.lazy import lazily
from backscroll.records import Damage, Json
from backscroll.stores.archived import KeptFile
from backscroll.stores.base import FoundFile
from backscroll.stores.browser import BrowserStore
from backscroll.stores.side import known_cwds, read_object
from backscroll.times import iso

if TYPE_CHECKING:
    from backscroll.sessions.joining import marks as desktop_marks
    from backscroll.stores.desktop_files import allowed, page_cache
else:  # most syncs find settings and browser storage unchanged
    desktop_marks = lazily("backscroll.sessions.joining.marks")
    allowed = lazily("backscroll.stores.desktop_files.allowed")
    page_cache = lazily("backscroll.stores.desktop_files.page_cache")

BY_FIELDS = frozenset(["settings", "global-config", "desktop-config"])
"""The kinds of files of which only some fields are kept."""
BROWSER_FACTS = "browser-facts"
"""The kind of the facts of a browser storage."""
FIELDS = "fields"
"""The kind of the fields of a settings file."""
_SETTINGS = ("cleanupPeriodDays", "model", "outputStyle", "language", "plansDirectory", "includeCoAuthoredBy")
_LONGEST = 200


def open_fields(path: str, kind: str) -> BinaryIO:
    """Return the allowed fields of a settings file as JSON; the same fields give the same bytes."""
    damage: list[Damage] = []
    fields = _fields(path, kind, damage)
    if damage:
        raise OSError(damage[0].reason)
    return BytesIO(json.dumps(fields, sort_keys=True, indent=1).encode() + b"\n")


def open_live(row: KeptFile) -> BinaryIO:
    """Open the live bytes of an archived file, or the fields that its settings file has now; raise OSError."""
    path = source_of(row)
    if row.kind != FIELDS:
        return open_readonly(path)
    name = Path(path).name
    return open_fields(path, "desktop-config" if name == "config.json" else _kind_of(name))


def _kind_of(name: str) -> str:
    return "settings" if name.startswith("settings") else "global-config"


def _fields(path: str, kind: str, damage: list[Damage]) -> dict[str, Any]:
    if kind == "settings":
        settings = read_object(path, damage)
        return {name: settings[name] for name in _SETTINGS if _is_plain(settings.get(name))}
    if kind == "desktop-config":
        return {"lastKnownAccountUuid": allowed.desktop_account(path, damage)}
    prompts = [{"display": item.text, "project": item.project} for item in allowed.config_prompts(path, damage)]
    account = allowed.cli_account(path, damage)
    return {"account": account, "projects": sorted(known_cwds(path, damage)), "history": prompts}


def _is_plain(value: Any) -> bool:
    return isinstance(value, bool | int) or (isinstance(value, str) and len(value) <= _LONGEST)


def source_of(row: KeptFile) -> str:
    """Return the path of the live file: the part before the mark."""
    path = os.fsdecode(row.path)
    return path.rpartition("#")[0] if row.kind in (FIELDS, BROWSER_FACTS) else path


def facts_file(store: BrowserStore) -> FoundFile:
    """Return the label of a browser storage's facts; its state changes with any file of the storage."""
    files = [file for file in store.files() if isinstance(file, FoundFile)]
    size, newest = sum(file.size for file in files), max((file.mtime_ns for file in files), default=0)
    changed = max((file.ctime_ns for file in files), default=0)
    inodes = sum(file.inode for file in files)
    state = (size, newest, changed, inodes, len(files))
    return FoundFile(f"{store.path}#{BROWSER_FACTS}.jsonl", BROWSER_FACTS, *state, None, None, None, str(store.path))


def open_browser_facts(store: BrowserStore, before: bytes) -> BinaryIO:
    """Return the archived facts, and after them a line for each changed fact."""
    known = {line.get("fact"): line.get("value") for line in _lines(before)}
    now = iso(datetime.fromtimestamp(time.time(), UTC))
    current = _browser_facts(store)
    gone = {name: None for name, value in known.items() if value is not None and name not in current}
    changed = {name: value for name, value in current.items() if known.get(name) != value} | gone
    lines = [{"time": now, "fact": name, "value": value} for name, value in changed.items()]
    return BytesIO(before + b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def _lines(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.splitlines():
        value = json.loads(line)
        if isinstance(value, dict):
            yield value


def _browser_facts(store: BrowserStore) -> dict[str, Json]:
    """Return the marks of Desktop, the transcripts that its pages cached and the server's list of sessions."""
    marks = desktop_marks.read_desktop_marks(store).marks
    told: dict[str, Any] = {
        "pinned": marks.pinned,
        "unread": marks.unread,
        "groups": None if marks.groups is None else [asdict(group) for group in marks.groups],
    }
    for session in page_cache.cached_sessions(store.records()):
        told[f"{session.key}/{session.id}"] = asdict(session)
    # Through JSON, so that the values compare with those that were read back.
    return {name: json.loads(json.dumps(value, default=str)) for name, value in told.items() if value is not None}


def browser_stores_in(stores: Iterable[Any]) -> list[BrowserStore]:
    """Return the browser storages among some stores."""
    return [store for store in stores if isinstance(store, BrowserStore)]
