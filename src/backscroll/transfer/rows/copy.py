"""Plan to copy rows of Claude Desktop into another account's directory, and Cowork sessions with their folder.

A row is a pointer: Desktop reads `cliSessionId` from it and finds the transcript, which belongs to no account.
So only the row is copied, and only if its transcript exists.  A session of Cowork has its own folder.
docs/formats.md, "Desktop rows" and "Cowork".
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from backscroll.changes.plan import (
    COPY,
    KEEP,
    MOVE,
    REFUSE,
    SAME,
    SKIP,
    WRITE,
    ChangePlan,
    PlanStep,
    check_plan,
    digest_at,
)
from backscroll.sessions.session import DesktopRow, Session
from backscroll.stores.desktop import CODE_ROWS, COWORK_ROWS
from backscroll.stores.desktop_files.manifests import session_directory
from backscroll.stores.project_key import could_be, encode
from backscroll.transfer.guard import TransferScope, guards
from backscroll.transfer.json_style import read_json
from backscroll.transfer.model import RowCopies, absence
from backscroll.transfer.path_map import PathMap
from backscroll.transfer.rows.row_fields import Fields, both_kept, cleaned
from backscroll.transfer.rows.targets import AccountPlace, chosen_owner

_SECRETS = (".audit-key", ".credentials.json")
_PROJECTS = [".claude", "projects"]
_RELEASED = ".desktop-released.json"


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """The options of one `transfer copy`, and its places."""

    to: str
    """ACCOUNT[/ORG]."""
    journal: Path
    configs: Sequence[Path]
    emails: Mapping[str, str] = field(default_factory=dict)
    undelete: bool = False
    force: bool = False
    is_bulk: bool = False
    """The sessions were chosen by project or all at once: then one that cannot go is skipped."""


def plan_copy(sessions: Sequence[Session], wish: CopyOptions, command: str) -> RowCopies:
    """Plan to copy the rows of sessions to an account."""
    planner = _Planner(wish)
    steps = [step for session in sessions for step in planner.steps_of(session)]
    touched = planner.touched
    if any(step.action in (COPY, MOVE, WRITE) for step in steps):
        steps += guards(touched, wish.configs, wish.journal, force=wish.force)
    changes = ChangePlan(command, steps, sorted({*touched.desktops, *wish.configs}))
    return RowCopies(check_plan(changes), sorted(planner.dropped))


class _Planner:
    """Plans session by session; owners are looked up once for each Desktop."""

    def __init__(self, wish: CopyOptions) -> None:
        self._wish = wish
        self._owners: dict[Path, AccountPlace] = {}
        self._moved: set[str] = set()
        self.dropped: set[str] = set()
        self.touched = TransferScope()

    def steps_of(self, session: Session) -> Iterator[PlanStep]:
        """Yield the steps for every row of a session."""
        rows = [row for row in session.rows if row["product"] in ("code", "cowork") and not row["temporary"]]
        if not rows:
            why = f"Desktop has no row of {session.id}; `backscroll transfer row {session.id}` makes one"
            yield self._cannot(None, why)
        elif not (outside := self._outside(rows)):
            yield PlanStep(KEEP, None, rows[0]["path"], "the account has this row already", SAME)
        for row in outside if rows else ():
            yield from self._steps_of_row(session, row)

    def _outside(self, rows: Sequence[DesktopRow]) -> list[DesktopRow]:
        """Return the newest row of each id, except rows that the target already has."""
        found: dict[str, DesktopRow] = {}
        for row in rows:
            owner = self._owner(row)
            if (row["account"], row["organization"]) != (owner.account, owner.organization):
                found.setdefault(row["id"], row)
        return list(found.values())

    def _owner(self, row: DesktopRow) -> AccountPlace:
        data = data_of(row)
        if data not in self._owners:
            self._owners[data] = chosen_owner(data, self._wish.to, self._wish.emails)
        return self._owners[data]

    def _cannot(self, path: str | None, why: str) -> PlanStep:
        return PlanStep(SKIP if self._wish.is_bulk else REFUSE, path, None, why)

    def _steps_of_row(self, session: Session, row: DesktopRow) -> Iterator[PlanStep]:
        try:
            fields, style = read_json(row["path"])
        except (OSError, ValueError) as error:
            yield self._cannot(row["path"], f"its row cannot be read: {error}")
            return
        why = _hindrance(session, row, fields) if isinstance(fields, dict) else "its row is not a JSON object"
        if why is not None:
            yield self._cannot(row["path"], why)
            return
        data, owner = data_of(row), self._owner(row)
        rows = CODE_ROWS if row["product"] == "code" else COWORK_ROWS
        inner = ["agent"] if Path(row["path"]).parent.name == "agent" else []
        directory = data.joinpath(rows, owner.account, owner.organization)
        tombstones = list(self._tombstones(directory, row))
        yield from tombstones
        if any(step.action != MOVE for step in tombstones):
            return
        clean, dropped = cleaned(fields)
        target = directory.joinpath(*inner, Path(row["path"]).name)
        folder = _moved_folder(row["path"], target)
        if folder is not None and isinstance(cwd := clean.get("cwd"), str):
            clean["cwd"] = folder.moved(cwd) or cwd  # a session that ran on the host has its directory in there
        step = _row_step(row["path"], str(target), clean)
        if step.action == WRITE and step.content is None:
            step.content = style.text(clean)
        yield step
        if step.action != WRITE:
            return
        self.dropped.update(dropped)
        self._touch(session, row, data)
        yield from self._released(session)
        if row["product"] == "cowork":
            yield from self._folder(folder, fields.get("cwd"))

    def _touch(self, session: Session, row: DesktopRow, data: Path) -> None:
        self.touched.sessions.update((session.id, row["id"], *row["lineage"]))
        self.touched.sources.append(row["path"])
        self.touched.desktops.add(data)

    def _tombstones(self, directory: Path, row: DesktopRow) -> Iterator[PlanStep]:
        """Yield a step for each tombstone at the target, of the row's own id and of every id of its conversation."""
        ids = dict.fromkeys([row["id"].removeprefix("local_"), *row["lineage"]])
        for name in (f"deleted_{prefix}{one}" for one in ids for prefix in ("", "local_")):
            path = directory / name
            if not os.path.lexists(path) or str(path) in self._moved:
                continue
            if self._wish.undelete:
                self._moved.add(str(path))
                yield PlanStep(MOVE, str(path), str(_free(directory / f"un{name}")), "no longer deleted")
            else:
                why = "it was deleted in this account; --undelete moves the tombstone aside"
                yield self._cannot(str(path), why)

    def _released(self, session: Session) -> Iterator[PlanStep]:
        """Yield a step for each mark that makes Claude Code delete the transcript at its next clean-up."""
        for path in map(Path, session.transcripts if self._wish.undelete else ()):
            mark = path.with_name(path.stem + _RELEASED)
            if mark.is_file() and str(mark) not in self._moved:
                self._moved.add(str(mark))
                yield PlanStep(MOVE, str(mark), str(_free(mark.with_name(f"{mark.name}.undone"))), "no longer released")

    def _folder(self, folder: PathMap | None, cwd: object) -> Iterator[PlanStep]:
        """Yield the steps that copy the folder of a Cowork session, byte for byte."""
        if folder is None:
            return
        moved = folder.moved(cwd) if isinstance(cwd, str) else None
        for path in sorted(Path(folder.old).rglob("*")):
            below = path.relative_to(folder.old)
            if path.is_dir() and not path.is_symlink():
                continue
            if path.is_symlink() or not path.is_file():
                yield PlanStep(SKIP, str(path), None, "not a regular file")
            elif path.name in _SECRETS or path.suffix == ".key":
                yield PlanStep(SKIP, str(path), None, "a secret: it never leaves its account")
            elif below.parts == (".claude", ".claude.json"):
                yield PlanStep(SKIP, str(path), None, "the settings of the other account")
            else:
                self.touched.sources.append(str(path))
                names = list(below.parts)
                if moved is not None and names[:2] == _PROJECTS and could_be(names[2], str(cwd)):
                    names[2] = encode(moved)
                yield PlanStep(COPY, str(path), str(Path(folder.new, *names)))


def _moved_folder(manifest: str, target: Path) -> PathMap | None:
    """Return the folder of a Cowork session, and its new place."""
    source = session_directory(manifest)
    return None if source is None else PathMap(source, str(target.parent / Path(source).name))


def _hindrance(session: Session, row: DesktopRow, fields: Fields) -> str | None:
    """Return the reason why a row cannot be copied to another account."""
    if row["kind"] in ("ssh", "wsl", "cloud"):
        return f"its conversation is not on this machine: it is {row['held']}"
    if not row["loads"]:
        return "Claude Desktop would not load this row: it lacks an id or a time"
    if not session.transcripts:
        return absence(session, "its transcript is not on this machine, so the row would open nothing")
    name = fields.get("cliSessionId")
    if row["product"] == "code" and name not in {Path(path).stem for path in session.transcripts}:
        return f"its transcript {name} is gone; `backscroll transfer row {session.id}` points the row to another"
    return None


def _row_step(source: str, target: str, clean: Fields) -> PlanStep:
    """Return the step that writes a row, or that keeps the ids of both if the target has one."""
    if not os.path.lexists(target):
        return PlanStep(WRITE, source, target)
    try:
        there, style = read_json(target)
    except (OSError, ValueError) as error:
        return PlanStep(SKIP, source, target, f"the account has a row of this id that cannot be read: {error}")
    if not isinstance(there, dict) or there.get("cliSessionId") == clean.get("cliSessionId"):
        return PlanStep(KEEP, source, target, "the account has this row already", SAME)
    merged = both_kept(there, clean)
    if merged == there:
        return PlanStep(KEEP, source, target, "the row there knows this conversation already", SAME)
    why = "the account has a row of this id for another conversation: the newer one stays, the other in its lineage"
    return PlanStep(WRITE, source, target, why, content=style.text(merged), replaces=digest_at(target))


def data_of(row: DesktopRow) -> Path:
    """Return the data directory of the Desktop of a row."""
    path = Path(row["path"])
    names = (CODE_ROWS, COWORK_ROWS)
    return next((parent.parent for parent in path.parents if parent.name in names), path.parent)


def _free(path: Path) -> Path:
    """Return a path, or the first one with a number behind it that nothing has."""
    number, place = 1, path
    while os.path.lexists(place):
        number += 1
        place = path.with_name(f"{path.name}.{number}")
    return place
