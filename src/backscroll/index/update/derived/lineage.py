"""Lineage: the session of each row of Desktop, and the transcripts that form one conversation.

A row names the current id of its session on the command line, and the earlier ids: each resume and
rewind in Desktop may have started a new transcript.  All of them on this disk are joined into one unit, the
current one last.  A row without any transcript gets a unit without files, so that it appears in lists.
This module opens nothing.  docs/formats.md, "From row to transcript".
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache

from backscroll.index.update.units import FoundUnits, Unit
from backscroll.safe_text import one_line
from backscroll.stores.desktop_files.rows import PAGE, PAGE_LIST, Row, session_directories

_STORE = {"cowork": "cowork", PAGE: "browser", PAGE_LIST: "browser"}
"""Product of a row to the store of a session that has nothing else."""
EARLIER = "earlier"
"""The kind of a transcript that a later one of the same conversation continues."""


@cache
def _short() -> re.Pattern[str]:
    return re.compile(r"[0-9a-f]{8}")


def bare(name: str) -> str:
    """Return an id without the prefix that Desktop gives it."""
    return name.removeprefix("local_")


def join(found: FoundUnits, rows: list[Row]) -> dict[str, str]:
    """Join rows with units, changing both, and return the session of each row's path; a mere copy has none."""
    _spell_out(rows)
    current = _newest_first(_without_copies(row for row in rows if row["product"] in ("code", "cowork")))
    places = _Places(found, current)
    sessions = {row["path"]: places.session_of(row) for row in current}
    known = {name: sessions[row["path"]] for row in current for name in row["names"]}
    for row in rows:
        if row["product"] == "cloud":
            sessions[row["path"]] = known.get(row["names"][0]) or places.session_of(row)
    _join_pages(rows, sessions, known, places)
    places.merge()
    places.use_audits()
    for row in rows:
        if row["product"] == "tombstone":
            name = found.merged.get(row["lineage"][0], row["lineage"][0])
            if name in places.units:
                sessions[row["path"]] = name
    return sessions


def _join_pages(rows: list[Row], sessions: dict[str, str], known: dict[str, str], places: "_Places") -> None:
    """Join the transcripts from page caches; a transcript on this disk needs no cached copy."""
    by_name = known | {bare(row["id"]): sessions[row["path"]] for row in rows if row["path"] in sessions}
    by_name |= {name: sessions[row["path"]] for row in rows if row["path"] in sessions for name in row["names"]}
    for row in rows:
        if row["product"] not in (PAGE, PAGE_LIST):
            continue
        name = next((by_name[name] for name in (*row["names"], bare(row["id"])) if name in by_name), bare(row["id"]))
        name = places.found.merged.get(name, name)
        unit = places.units.get(name)
        if unit is None or not unit.files:
            sessions[row["path"]] = name if unit is not None else places.session_of(row)


def _spell_out(rows: list[Row]) -> None:
    """Complete the ids of accounts and organizations that a path shortened to eight digits, if known."""
    for key in ("account", "organization"):
        whole = {row[key] for row in rows if row[key] and not _short().fullmatch(row[key])}
        for row in rows:
            if row[key] and _short().fullmatch(row[key]):
                meant = [name for name in whole if name.startswith(row[key])]
                row[key] = meant[0] if len(meant) == 1 else row[key]


def _without_copies(rows: Iterable[Row]) -> list[Row]:
    """Return one row for each id in an account: the readable one, the newest; it names the others as copies."""
    groups: dict[tuple[str | None, str | None, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[(row["account"], row["organization"], row["id"])].append(row)
    kept = []
    for group in groups.values():
        best = max(
            group, key=lambda row: (row["damage"] is None, not row["temporary"], row["active"] or "", row["path"])
        )
        best["copies"] = sorted(row["path"] for row in group if row is not best)
        kept.append(best)
    return kept


def _newest_first(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row["active"] or "", row["path"]), reverse=True)


class _Places:
    """The units on disk, by the ids and paths in rows."""

    def __init__(self, found: FoundUnits, rows: list[Row]) -> None:
        self.found = found
        self.units = {unit.session: unit for unit in found.units.values() if unit.kind == "session" and unit.session}
        self.taken: set[str] = set()
        self.meant: dict[str, set[str]] = defaultdict(set)
        """The ids of the rows that name each transcript now."""
        for row in rows:
            for name in row["lineage"][:1]:
                self.meant[name].add(row["id"])
        self.inside: dict[str, list[Unit]] = defaultdict(list)
        """The units of each session directory of Cowork."""
        for unit in self.units.values():
            if unit.files and os.path.basename(unit.config) == ".claude":
                self.inside[os.path.dirname(unit.config)].append(unit)
        self.audits = {os.path.dirname(file.path): file for file in found.audits}

    def session_of(self, row: Row) -> str:
        """Return the session of a row, and remember which transcripts continue which."""
        ids = self._ids(row)
        here = [name for name in ids if name in self.units and self.units[name].files]
        here = here or [name for name in ids if name in self.units]
        if not here:
            name = one_line(row["lineage"][0] if row["lineage"] else bare(row["id"]))
            here = [self._add(name, _STORE.get(row["product"], "desktop"))]
        head = self.found.merged.get(here[0], here[0])
        self.taken.add(head)
        for other in here[1:]:
            # A transcript that another row names now is a separate entry in Desktop, and stays one here.
            if other not in self.taken and other not in self.found.merged and self.meant[other] <= {row["id"]}:
                self.found.merged[other] = head
        self._fall_back(self.units[head], session_directories(row["path"]))
        return head

    def _add(self, name: str, store: str) -> str:
        """Add a unit without files."""
        unit = Unit(b"s:" + os.fsencode(name), name, None, "session", store, "", None)
        self.found.units[unit.key] = self.units[name] = unit
        return name

    def _fall_back(self, unit: Unit, directories: Iterable[str]) -> None:
        """Use an audit instead of a lost transcript."""
        audit = next((self.audits[path] for path in directories if path in self.audits), None)
        if audit is not None and not unit.files:
            unit.files = [audit._replace(kind="transcript", session=unit.session)]
            unit.config = os.path.join(os.path.dirname(audit.path), ".claude")

    def _ids(self, row: Row) -> list[str]:
        """Return every id that may name a transcript of the row, the most likely first."""
        beside = [unit for directory in session_directories(row["path"]) for unit in self.inside.get(directory, ())]
        beside.sort(key=lambda unit: unit.mtime or 0, reverse=True)
        names = [*row["lineage"], *(unit.session or "" for unit in beside), bare(row["id"])]
        return list(dict.fromkeys(names))

    def merge(self) -> None:
        """Move the transcripts, side files and agents of earlier ids to the session that continues them."""
        for other, head in self.found.merged.items():
            unit = self.units.pop(other)
            del self.found.units[unit.key]
            target = self.units[head]
            target.files += [file._replace(kind=EARLIER) for file in unit.files]
            target.side_files += unit.side_files
        for unit in self.found.units.values():
            if unit.session in self.found.merged:
                unit.session = self.found.merged[unit.session]

    def use_audits(self) -> None:
        """Add the sessions that have only an audit: no row, no transcript."""
        known = {directory for row in self.found.rows for directory in session_directories(row.path)}
        for directory in self.audits:
            name = one_line(bare(os.path.basename(directory)))
            if directory not in self.inside and directory not in known and name not in self.units:
                self._fall_back(self.units[self._add(name, "cowork")], [directory])
