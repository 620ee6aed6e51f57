"""Plan the repairs of `doctor --fix`: repaired copies of transcripts, and rows rebuilt from their transcripts.

No transcript is ever changed: a copy gets a new id.  A row is replaced only if its bytes are still those of the plan.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any

from backscroll.changes.in_use import desktop_owner, fresh_files, owners
from backscroll.changes.plan import COPY, REFUSE, SKIP, WRITE, ChangePlan, PlanStep, check_plan, digest_at
from backscroll.files import reason_of
from backscroll.health.chains import transcript_of
from backscroll.health.checks.sessions import LARGE
from backscroll.health.fitting import fitting
from backscroll.health.mending import mend
from backscroll.health.model import HealthFinding
from backscroll.health.surroundings import Surroundings, size_of
from backscroll.sessions.session import DesktopRow, Session
from backscroll.stores.desktop_files.rows import read_fields

MENDS = ("damaged", "chain", "ghost")
"""The kinds of findings that a repair can fix."""
_DATA = 3
"""The number of levels between Desktop's data directory and the directory of a row."""


@dataclass(frozen=True)
class Repairs:
    """The places that repairs may change."""

    around: Surroundings
    journal: Path
    is_named: bool
    """True if the user named one session: then a session that cannot be repaired is refused, not skipped."""

    def plan(self, findings: Iterable[HealthFinding]) -> ChangePlan:
        """Plan the repairs of findings, session by session."""
        kinds: dict[str, set[str]] = {}
        for item in findings:
            if item.kind in MENDS and item.session is not None and "doctor --fix" in (item.remedy or ""):
                kinds.setdefault(item.session, set()).add(item.kind)
        sessions = {session.id: session for session in self.around.sessions}
        steps: list[PlanStep] = []
        for name, met in kinds.items():
            steps += self._steps(sessions[name], met)
        command = f"doctor --fix{f' --session {next(iter(kinds))}' if self.is_named and kinds else ''}"
        return check_plan(ChangePlan(command, steps, sorted(_roots(steps))))

    def _steps(self, session: Session, kinds: set[str]) -> Iterator[PlanStep]:
        rows = [row for row in session.rows if row["product"] in ("code", "cowork") and _is_broken(row, session)]
        for row in rows:
            yield from self._row(row, session)
        path = transcript_of(session)
        has_damage = session.damage > sum(row["damage"] is not None for row in session.rows)
        if path is not None and ("chain" in kinds or ("damaged" in kinds and has_damage)):
            yield from self._copy(session, path)

    def _copy(self, session: Session, path: str) -> Iterator[PlanStep]:
        if (why := self._hindrance(session, path)) is not None:
            yield self._hindered(path, why)
            return
        try:
            mended = mend(path, self.around.open_file)
        except OSError as error:
            yield self._hindered(path, reason_of(error))
            return
        source = Path(path)
        target = source.with_name(f"{mended.session}.jsonl")
        yield PlanStep(WRITE, path, str(target), mended.why, content=mended.data)
        beside = source.with_suffix("")
        for file in sorted(beside.rglob("*")):
            if file.is_file() and not file.is_symlink():
                yield PlanStep(COPY, str(file), str(target.with_suffix("") / file.relative_to(beside)))

    def _row(self, row: DesktopRow, session: Session) -> Iterator[PlanStep]:
        match = session if session.transcripts else fitting(row, self.around.sessions)
        if match is None:
            return
        path = transcript_of(match) or match.transcripts[0]
        why = self._hindrance(match, path)
        if why is None and fresh_files([row["path"]], self.journal):
            why = "it changed less than 60 seconds ago; wait a minute"
        if why is None and desktop_owner(Path(row["path"]).parents[_DATA]) is not None:
            why = "Claude Desktop is running and would overwrite it; quit it first"
        if why is not None:
            yield self._hindered(row["path"], why)
            return
        try:
            before = digest_at(row["path"])
        except OSError as error:
            yield self._hindered(row["path"], reason_of(error))
            return
        data = json.dumps(_fields(row, match, PurePath(path).stem), ensure_ascii=False).encode(errors="replace")
        yield PlanStep(WRITE, path, row["path"], "a row rebuilt from its transcript", content=data, replaces=before)

    def _hindrance(self, session: Session, path: str) -> str | None:
        """Return the reason why a session must not be repaired now; None if it may be."""
        config = Path(path).parents[2]
        if (pid := owners(config).get(PurePath(path).stem)) is not None:
            return f"process {pid} has this session open; end it first"
        if path.startswith(str(self.around.part)):
            return "only the archive has it; restore it first"
        if fresh_files([path], self.journal):
            return "it changed less than 60 seconds ago; wait a minute"
        return f"larger than {LARGE >> 20} MiB" if size_of(path) > LARGE or session.bytes > LARGE else None

    def _hindered(self, path: str, why: str) -> PlanStep:
        return PlanStep(REFUSE if self.is_named else SKIP, path, None, why)


def _is_broken(row: DesktopRow, session: Session) -> bool:
    return row["damage"] is not None or (session.state == "ghost" and not row["temporary"])


def _roots(steps: Iterable[PlanStep]) -> set[Path]:
    """Return the directories that a plan may change: the directories of its rows and projects."""
    roots = set()
    for step in steps:
        if step.target is not None and step.source is not None:
            target = Path(step.target)
            is_row = step.replaces is not None
            roots.add(target.parent if is_row else next(path for path in target.parents if path.name == "projects"))
    return roots


def _fields(row: DesktopRow, session: Session, transcript: str) -> dict[str, Any]:
    """Return the fields of a row: the readable ones, and those from the transcript."""
    kept, _ = read_fields(row["path"])
    kept.pop("transcriptUnavailable", None)
    told: dict[str, Any] = {
        "sessionId": row["id"] if row["id"].startswith("local_") else f"local_{row['id']}",
        "createdAt": _milliseconds(session.started),
        "lastActivityAt": _milliseconds(session.updated),
        "cwd": session.cwd,
        "title": session.title,
        "titleSource": "auto",
        "model": session.model,
        "isArchived": False,
    }
    if row["product"] == "cowork":
        told |= {"processName": PurePath(session.cwd or "").name, "userSelectedFolders": []}
    else:
        told |= {"originCwd": session.cwd, "permissionMode": "default", "completedTurns": session.prompts}
    return {**{key: value for key, value in told.items() if value is not None}, **kept, "cliSessionId": transcript}


def _milliseconds(moment: datetime | None) -> int:
    return 0 if moment is None else int(moment.timestamp() * 1000)
