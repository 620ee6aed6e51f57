"""Checks of one session by the facts in its row of the catalogue."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path, PurePath

from backscroll.formats.json.lines import INCOMPLETE
from backscroll.health.fitting import fitting
from backscroll.health.surroundings import CheckResult, Surroundings, counted
from backscroll.index.health_facts import messages_of_agents, records_after
from backscroll.index.queries import damage
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.sessions.session import DesktopRow, Session
from backscroll.stores.project_key import could_be
from backscroll.times import of_file

LARGE = 256 << 20
"""Files of a session beyond this size are slow to resume and to read."""
FRESH = timedelta(minutes=1)
"""A file that changed within this time may still be being written."""
FIX = "doctor --fix --session={id}"
CUT_OFF = "the last record was cut off"
COMPACTION = "acompact"
"""The ids of agents that compact a conversation begin with this; they begin with a copy of it."""


def _living(session: Session) -> list[DesktopRow]:
    return [row for row in session.rows if row["product"] != "tombstone"]


def is_in_vm(session: Session) -> bool:
    """Return True if a Cowork session has no transcript on this machine, only in its virtual machine."""
    return session.state == "ghost" and any(row["kind"] == "vm" for row in session.rows)


def ghost(session: Session, around: Surroundings) -> Iterator[CheckResult]:
    """Report that a row of Desktop has no transcript, and name a transcript that fits it."""
    if session.state != "ghost" or is_in_vm(session):
        return
    match = next((one for row in _living(session) if (one := fitting(row, around.sessions))), None)
    if match is not None:
        text = f"Desktop lost the transcript of this session, but that of {match.id} fits it: same directory and time."
        yield CheckResult("error", text, remedy=FIX)
    else:
        yield CheckResult("error", "Desktop still lists this session, but its transcript is gone.")


def in_vm(session: Session, _: Surroundings) -> Iterator[CheckResult]:
    """Report that the transcript of a Cowork session is only in its virtual machine."""
    if is_in_vm(session):
        text = (
            "The transcript of this Cowork session is only in its virtual machine; an update of Cowork may delete it."
        )
        yield CheckResult("warning", text)


def orphan(session: Session, around: Surroundings) -> Iterator[CheckResult]:
    """Report that only agents of a session are left, and that one of them may hold a copy of the conversation."""
    if session.state != "orphan":
        return
    text = "Only agents of this session are left; its own transcript is gone."
    if messages := messages_of_agents(around.database, session.id, COMPACTION):
        text += f" The agent that compacted it has a copy of the conversation: {messages:,} messages."
    yield CheckResult("error", text)


def deleted(session: Session, around: Surroundings) -> Iterator[CheckResult]:
    """Report that a deleted session still has its transcript."""
    if session.state == "deleted" and session.transcripts:
        text = "Desktop deleted this session, but its transcript is there until the next clean-up of Claude Code."
        yield CheckResult("note", text, remedy="show {id}" if around.has_copies(session) else None)


def cloud(session: Session, _: Surroundings) -> Iterator[CheckResult]:
    """Report that the transcript of a session is on another machine."""
    if session.state == "remote":
        held = next((row["held"] for row in session.rows if row["held"]), None) or "on another machine"
        yield CheckResult("note", f"The transcript of this session is {held}, not here.")


def damaged(session: Session, around: Surroundings) -> Iterator[CheckResult]:
    """Report that places of a session cannot be read."""
    yield from _damaged_rows(session, around)
    places = damage.damage_of(around.database, [session.id]) if session.damage else []
    if session.state == "damaged":
        text = "Nothing in the files of this session can be read as a message."
        if not session.transcripts:
            return  # only a row, which is already reported
        yield CheckResult("error", text, places[0].place if places else None, "show {id}")
    elif places:
        yield _damaged_places(session, places, around)


def _damaged_rows(session: Session, around: Surroundings) -> Iterator[CheckResult]:
    for row in _living(session):
        if row["damage"] is None:
            continue
        text = f"Desktop's row of this session cannot be read: {row['damage']}."
        if session.transcripts and session.messages:
            yield CheckResult("warning", f"{text} Its transcript is whole.", Place(row["path"]), FIX)
        elif match := fitting(row, around.sessions):
            yield CheckResult("error", f"{text} The transcript {match.id} fits it.", Place(row["path"]), FIX)
        else:
            yield CheckResult("error", text, Place(row["path"]), "show {id}")


def _damaged_places(session: Session, places: list[Damage], around: Surroundings) -> CheckResult:
    first = places[0]
    line = f"Line {first.place.line:,}" if first.place.line is not None else "A part"
    more = f", and {len(places) - 1:,} more" if len(places) > 1 else ""
    is_growing = len(places) == 1 and first.reason == INCOMPLETE and _is_fresh(session, around)
    reason = CUT_OFF if first.reason == INCOMPLETE and not is_growing else first.reason
    text = f"{line} of the transcript cannot be read{more}: {reason}."
    if first.place.offset is not None and (after := records_after(around.database, session.id, first.place)):
        text += f" {_whole(after)}."
    remedy = FIX if "code" in session.stores and session.bytes <= LARGE else "show {id}"
    return CheckResult("note" if is_growing else "warning", text, first.place, "show {id}" if is_growing else remedy)


def _whole(records: int) -> str:
    return f"{counted(records, 'whole record')} {'follows' if records == 1 else 'follow'}"


def _is_fresh(session: Session, around: Surroundings) -> bool:
    age = around.ages.get(session.id)
    written = of_file(age.mtime) if age else None
    return written is not None and around.now - written < FRESH


def unanswered(session: Session, around: Surroundings) -> Iterator[CheckResult]:
    """Report that calls of a session have no result."""
    found = around.unanswered.get(session.id)
    if found is None:
        return
    text = f"Tool calls without a recorded result: {found.calls:,}."
    if found.goes_on:
        text += " The conversation goes on after them; some versions of Claude Code cannot resume it then."
    yield CheckResult("note", text, found.place)


def twice(session: Session, _: Surroundings) -> Iterator[CheckResult]:
    """Report that one id is in two project directories."""
    paths = [PurePath(path) for path in session.transcripts]
    keys = {path.parent.name for path in paths if path.name == f"{session.id}.jsonl"}
    if len(keys) > 1:
        yield CheckResult("warning", f"This id is in {len(keys)} project directories.")


def moved(session: Session, around: Surroundings) -> Iterator[CheckResult]:
    """Report that the directory of a session is gone, or that its transcript has the key of another directory."""
    if session.state != "live" or session.cwd is None or "code" not in session.stores:
        return
    if around.is_own and not Path(session.cwd).is_dir():  # unknown for another home
        yield CheckResult("note", f"The directory {session.cwd} is gone, so a resume needs another one.")
        return
    named = [path for row in _living(session) for path in (row["cwd"], row["worktree"], row["origin"]) if path]
    key = session.project_key
    if named and key is not None and not any(could_be(key, path) for path in named):
        text = f"Desktop looks for this session below {named[0]}, but its transcript is in the project directory {key}."
        yield CheckResult("warning", text)


def large(session: Session, _: Surroundings) -> Iterator[CheckResult]:
    """Report that the files of a session are very large."""
    if session.bytes > LARGE:
        yield CheckResult("warning", f"Its files hold {session.bytes >> 20:,} MiB, which Claude Code may fail to load.")
