"""Lineage: which session each row of Desktop belongs to, and which transcripts are one conversation.

A row names the id under which the command line knows its session now, and the ids from before: each resume and
rewind in Desktop may have begun a new transcript.  All of them that are on this disk are joined into one unit, the
present one read last.  A row without any transcript gets a unit without files, so that it is listed as what it is.
Nothing is opened here.  docs/formats.md, "From row to transcript".
"""

import os
from collections import defaultdict
from collections.abc import Iterable

from backscroll.index.update.units import Found, Unit
from backscroll.lazy import pattern
from backscroll.scrub import one_line
from backscroll.stores.rows import Row, session_directories

EARLIER = "earlier"
"""The kind of a transcript that a later one of the same conversation continues."""
_SHORT = pattern(r"[0-9a-f]{8}")


def bare(name: str) -> str:
    """Return an id without the prefix that Desktop gives it."""
    return name.removeprefix("local_")


def join(found: Found, rows: list[Row]) -> dict[str, str]:
    """Join rows with units, changing both, and return path of a row to its session; a mere copy has none."""
    _spell_out(rows)
    current = _newest_first(_without_copies(row for row in rows if row["product"] in ("code", "cowork")))
    places = _Places(found, current)
    sessions = {row["path"]: places.session_of(row) for row in current}
    known = {name: sessions[row["path"]] for row in current for name in row["names"]}
    for row in rows:
        if row["product"] == "cloud":
            sessions[row["path"]] = known.get(row["names"][0]) or places.session_of(row)
    places.merge()
    places.use_audits()
    for row in rows:
        if row["product"] == "tombstone":
            name = found.merged.get(row["lineage"][0], row["lineage"][0])
            if name in places.units:
                sessions[row["path"]] = name
    return sessions


def _spell_out(rows: list[Row]) -> None:
    """Give accounts and organizations that a path shortened to eight digits their whole ids, where those are known."""
    for key in ("account", "organization"):
        whole = {row[key] for row in rows if row[key] and not _SHORT.fullmatch(row[key])}
        for row in rows:
            if row[key] and _SHORT.fullmatch(row[key]):
                meant = [name for name in whole if name.startswith(row[key])]
                row[key] = meant[0] if len(meant) == 1 else row[key]


def _without_copies(rows: Iterable[Row]) -> list[Row]:
    """Return one row for each id in an account: the sound one, the newest; it names the others as its copies."""
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
    """The units on disk, by what leads from a row to them."""

    def __init__(self, found: Found, rows: list[Row]) -> None:
        self.found = found
        self.units = {unit.session: unit for unit in found.units.values() if unit.kind == "session" and unit.session}
        self.taken: set[str] = set()
        self.meant: dict[str, set[str]] = defaultdict(set)
        """Id of a transcript to the ids of the rows that mean it now."""
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
        """Return the session that a row means, and remember which transcripts continue which."""
        ids = self._ids(row)
        here = [name for name in ids if name in self.units and self.units[name].files]
        here = here or [name for name in ids if name in self.units]
        if not here:
            name = one_line(row["lineage"][0] if row["lineage"] else bare(row["id"]))
            here = [self._add(name, "cowork" if row["product"] == "cowork" else "desktop")]
        head = self.found.merged.get(here[0], here[0])
        self.taken.add(head)
        for other in here[1:]:
            # What another row means now is an entry of its own in Desktop, and stays one here.
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
        """Let an audit stand for a transcript that is gone."""
        audit = next((self.audits[path] for path in directories if path in self.audits), None)
        if audit is not None and not unit.files:
            unit.files = [audit._replace(kind="transcript", session=unit.session)]
            unit.config = os.path.join(os.path.dirname(audit.path), ".claude")

    def _ids(self, row: Row) -> list[str]:
        """Return every id that may name a transcript of the row, the likeliest first."""
        beside = [unit for directory in session_directories(row["path"]) for unit in self.inside.get(directory, ())]
        beside.sort(key=lambda unit: unit.mtime or 0, reverse=True)
        names = [*row["lineage"], *(unit.session or "" for unit in beside), bare(row["id"])]
        return list(dict.fromkeys(names))

    def merge(self) -> None:
        """Put the transcripts, side files and agents of earlier ids to the session that continues them."""
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
        """List what only an audit is left of: no row, no transcript."""
        known = {directory for row in self.found.rows for directory in session_directories(row.path)}
        for directory in self.audits:
            name = one_line(bare(os.path.basename(directory)))
            if directory not in self.inside and directory not in known and name not in self.units:
                self._fall_back(self.units[self._add(name, "cowork")], [directory])
