"""Plan a row of Claude Desktop for a terminal transcript, or repair a row that points to no transcript."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from backscroll.changes.plan import KEEP, REFUSE, SAME, WRITE, ChangePlan, PlanStep, check_plan, digest_at
from backscroll.sessions.session import DesktopRow, Session
from backscroll.stores.desktop import CODE_ROWS
from backscroll.times import parse
from backscroll.transfer.guard import TransferScope, guards
from backscroll.transfer.json_style import COMPACT, read_json
from backscroll.transfer.model import absence
from backscroll.transfer.rows.copy import data_of
from backscroll.transfer.rows.row_fields import with_prior
from backscroll.transfer.rows.targets import signed_in_owner

_NEAR = timedelta(minutes=10)
"""A transcript begins within this time of the row that was made for it."""


@dataclass(frozen=True, slots=True)
class RowOptions:
    """The options of one `transfer row`, and its places."""

    desktops: Sequence[Path]
    """The data directories of all Desktops."""
    configs: Sequence[Path]
    journal: Path
    to: str | None = None
    emails: Mapping[str, str] = field(default_factory=dict)
    force: bool = False


def plan_row(session: Session, others: Sequence[Session], wish: RowOptions) -> ChangePlan:
    """Plan a row for a session; `others` are all sessions, among which a lost transcript may be."""
    rows = [row for row in session.rows if row["product"] == "code" and not row["temporary"]]
    touched = TransferScope({session.id})
    steps = list(_mended(session, rows, others, touched) if rows else _made(session, wish, touched))
    if any(step.action == WRITE for step in steps):
        steps += guards(touched, wish.configs, wish.journal, force=wish.force)
    roots = sorted({*wish.desktops, *touched.desktops})
    return check_plan(ChangePlan(f"transfer row {session.id}", steps, roots))


def _made(session: Session, wish: RowOptions, touched: TransferScope) -> Iterator[PlanStep]:
    """Yield the step that makes a row, with Desktop's name for sessions of the terminal."""
    transcript = _transcript_in(wish.configs, session)
    if transcript is None:
        yield PlanStep(REFUSE, None, None, absence(session, "Claude Code has no transcript of this session here"))
        return
    if not wish.desktops:
        yield PlanStep(REFUSE, None, None, "Claude Desktop was not found here")
        return
    data, owner = signed_in_owner(wish.desktops, wish.to, wish.emails, session.account)
    directory = data.joinpath(CODE_ROWS, owner.account, owner.organization)
    if (
        tombstone := next((path for path in _tombstones(directory, transcript.stem) if path.exists()), None)
    ) is not None:
        yield PlanStep(
            REFUSE, str(tombstone), None, "this session was deleted in this account; remove the tombstone first"
        )
        return
    touched.desktops.add(data)
    touched.sources.append(str(transcript))
    target = directory / f"local_{transcript.stem}.json"
    yield PlanStep(WRITE, str(transcript), str(target), content=COMPACT.text(_fields(session, transcript)))


def _tombstones(directory: Path, name: str) -> list[Path]:
    return [directory / f"deleted_{name}", directory / f"deleted_local_{name}"]


def _transcript_in(configs: Sequence[Path], session: Session) -> Path | None:
    """Return the transcript that Desktop would find: one below `projects` of a configuration directory."""
    places = [Path(path) for path in session.transcripts if path.endswith(".jsonl")]
    found = [path for path in places if any(path.is_relative_to(config / "projects") for config in configs)]
    return next((path for path in found if path.stem == session.id), found[0] if found else None)


def _fields(session: Session, transcript: Path) -> dict[str, Any]:
    written = transcript.stat().st_mtime * 1000
    started, updated = _milliseconds(session.started, written), _milliseconds(session.updated, written)
    given = {
        "sessionId": f"local_{transcript.stem}",
        "cliSessionId": transcript.stem,
        "cwd": session.cwd,
        "originCwd": session.cwd,
        "createdAt": started,
        "lastActivityAt": updated,
        "model": session.model,
        "isArchived": False,
        "title": session.title,
        "titleSource": "auto",
        "permissionMode": "default",
        "completedTurns": session.prompts,
    }
    return {name: value for name, value in given.items() if value is not None}


def _milliseconds(moment: datetime | None, otherwise: float) -> int:
    return int(otherwise if moment is None else moment.timestamp() * 1000)


def _mended(
    session: Session, rows: Sequence[DesktopRow], others: Sequence[Session], touched: TransferScope
) -> Iterator[PlanStep]:
    """Yield a step for each row: it is valid, or gets the id of its transcript."""
    for row in rows:
        if row["kind"] in ("ssh", "wsl", "cloud"):
            yield PlanStep(REFUSE, row["path"], None, f"its conversation is not on this machine: it is {row['held']}")
            continue
        try:
            fields, style = read_json(row["path"])
        except (OSError, ValueError) as error:
            yield PlanStep(REFUSE, row["path"], None, f"its row cannot be read: {error}")
            continue
        here = {Path(path).stem for path in session.transcripts}
        if not isinstance(fields, dict) or fields.get("cliSessionId") in here:
            yield PlanStep(KEEP, None, row["path"], "the row points to its transcript", SAME)
            continue
        if session.state == "unreadable":
            yield PlanStep(REFUSE, row["path"], None, absence(session))
            continue
        right = next((one for one in row["lineage"] if one in here), None)
        found = [right] if right is not None else [one.id for one in others if _is_lost(one, row)]
        if len(found) != 1:
            why = "several transcripts may be its own: " + ", ".join(found) if found else "no transcript here fits it"
            yield PlanStep(REFUSE, row["path"], None, why)
            continue
        touched.desktops.add(data_of(row))
        touched.sources.append(row["path"])
        mended = with_prior({**fields, "cliSessionId": found[0]}, fields.get("cliSessionId"))
        why = "an earlier transcript of its lineage is here" if right else "same directory and same beginning"
        digest = digest_at(row["path"])
        yield PlanStep(WRITE, found[0], row["path"], why, content=style.text(mended), replaces=digest)


def _is_lost(session: Session, row: DesktopRow) -> bool:
    """Return True if a session without a row was held in a row's directory and began when the row was made."""
    created = parse(row["created"])
    if session.rows or not session.transcripts or session.started is None or created is None:
        return False
    is_there = session.cwd is not None and session.cwd in (row["cwd"], row["worktree"], row["origin"])
    return is_there and abs(session.started - created) <= _NEAR
