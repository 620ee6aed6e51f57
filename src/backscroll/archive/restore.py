"""Plan to restore sessions from the archive: every file to its place, nothing overwritten, with the current time."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from backscroll.archive.model import Restoration, Restored
from backscroll.archive.part import known_rows, require_ours
from backscroll.changes.copies import copy_id
from backscroll.changes.in_use import owners
from backscroll.changes.plan import (
    COPY,
    REFUSE,
    REFUSED,
    SKIPPED,
    ChangePlan,
    PlanStep,
    check_plan,
    digest_of,
    open_content,
)
from backscroll.errors import NotFoundError, RefusedError
from backscroll.files import reason_of
from backscroll.sessions.joining.resume import resume_of
from backscroll.sessions.session import Session
from backscroll.sessions.transcript.source import AUDIT
from backscroll.stores.archived import CONVERSATIONS, SEGMENTS, KeptFile, open_kept, path_of
from backscroll.stores.desktop import COWORK_ROWS
from backscroll.stores.desktop_files.rows import session_directories
from backscroll.stores.project_key import encode

_CONVERSATION = ("transcript", "agent")
_IDS = ("cliSessionId", "unarchivedCliSessionId", "preClearCliSessionId")
_SLUG = re.compile(rb'"slug"\s*:\s*"([0-9A-Za-z_-]{1,100})"')
_LARGEST_ROW = 16 << 20
_PIECE = 1 << 20
_LONGEST_SLUG = 200
_OF_COWORK = ("output", "upload", "audit")
_LEFT_OUT = ("tombstone", "released")
"""Marks by which Claude's products would hide or delete the session again."""


@dataclass(frozen=True, slots=True)
class RestoreOptions:
    """The options of one `archive restore`, and its places."""

    part: Path
    root: Path | None
    env: Mapping[str, str]
    cwd: str | None = None
    as_new: bool = False
    version: int | None = None


@dataclass(frozen=True, slots=True)
class _Move:
    """The names that change in a restore."""

    old: str
    new: str
    key: str | None
    """The project key, if it changes."""

    def target(self, row: KeptFile) -> str:
        """Return the target path of a file."""
        path, config = Path(os.fsdecode(row.path)), Path(row.config)
        if not path.is_relative_to(config):
            return str(path)
        names = [name.replace(self.old, self.new) for name in path.relative_to(config).parts]
        if self.key is not None and names[0] == "projects":
            names[1] = self.key
        return str(config.joinpath(*names))


def plan_restore(sessions: Sequence[tuple[Session, Sequence[str]]], wish: RestoreOptions) -> Restoration:
    """Plan to restore sessions; each has the paths of its agents' transcripts."""
    require_ours(wish.part)
    rows = known_rows(wish.part)
    steps: list[PlanStep] = []
    moves = []
    roots: set[Path] = set()
    for session, agents in sessions:
        chosen = _chosen(session, agents, rows, wish)
        move = _move(chosen[0], wish)
        moves.append((session, chosen[0], move))
        roots.update(_existing(Path(row.config)) for row in chosen)
        steps += _steps(chosen, move, wish)
    names = " ".join(session.id for session, _ in sessions)
    changes = check_plan(ChangePlan(f"archive restore {names}", steps, sorted(roots)))
    _explain(changes)
    told = [Restored(move.new, _command(session, row, move, wish)) for session, row, move in moves]
    return Restoration(changes, [replace(one, command=None) for one in told] if changes.is_refused else told)


def _chosen(session: Session, agents: Sequence[str], rows: list[KeptFile], wish: RestoreOptions) -> list[KeptFile]:
    """Return the version to restore of each file of a session, the transcript first."""
    named = {*session.transcripts, *agents}
    own = [row for row in rows if os.fsdecode(row.path) in named or path_of(wish.part, row) in named]
    names = {session.id} | {row.session for row in own if row.kind in CONVERSATIONS}
    newest = {row.path: row for row in rows if row in own or (row.session in names and row.kind not in _LEFT_OUT)}
    transcripts = _main_of(rows, names)
    if wish.version is not None:
        newest |= {row.path: row for row in transcripts if row.version == wish.version}
    asked = [row for row in newest.values() if row in transcripts and wish.version in (None, row.version)]
    if not asked:
        what = "the archive has no transcript of this session" if not transcripts else "the archive has no such version"
        remedy = "`backscroll archive sync` keeps those that are still there." if not transcripts else None
        raise NotFoundError(what, session.id, remedy)
    first = next((row for row in asked if row.session == session.id), asked[0])
    if not wish.as_new:  # a row and a plan name the old session
        of_session = {name for name in names if name is not None}
        for row in _belongings(wish.part, rows, of_session, asked):
            newest.setdefault(row.path, row)
    return [first, *(row for row in newest.values() if row is not first)]


def _main_of(rows: list[KeptFile], names: set[str | None]) -> list[KeptFile]:
    """Return every version of the transcripts of a session; of its audit if Cowork left nothing else."""
    found = [row for row in rows if row.kind == "transcript" and row.session in names]
    return found or [row for row in rows if row.kind == "audit" and row.session in names]


def _move(transcript: KeptFile, wish: RestoreOptions) -> _Move:
    name = transcript.session or ""
    key = None
    if wish.cwd is not None:
        if not Path(wish.cwd).is_dir():
            raise RefusedError("no such directory", wish.cwd, "Name a directory that exists: --cwd DIR.")
        key = encode(os.path.realpath(wish.cwd))
    move = _Move(name, name, key)
    if not wish.as_new:
        return move
    return replace(move, new=copy_id(name, Path(move.target(transcript)).parent, transcript.whole))


def _steps(rows: list[KeptFile], move: _Move, wish: RestoreOptions) -> Iterator[PlanStep]:
    transcript, config = rows[0], Path(rows[0].config)
    place = move.target(transcript)
    if transcript.kind == "audit" and wish.as_new:
        yield PlanStep(REFUSE, None, place, "only an audit of Cowork is left, which has no id of its own")
    for other in sorted(config.glob(f"projects/*/{move.new}.jsonl")):
        if str(other) != place:
            yield PlanStep(REFUSE, None, str(other), "this id already exists under another project key; use --as-new")
    if (pid := owners(config).get(move.new)) is not None:
        yield PlanStep(REFUSE, None, place, f"process {pid} has this session open; end it first")
    for row in rows:
        segment = str(wish.part / SEGMENTS / row.segment)
        step = PlanStep(COPY, segment, move.target(row), content=partial(open_kept, wish.part, row))
        if (why := _fault(step, row)) is not None:
            step.status, step.why = REFUSED if row is transcript else SKIPPED, why
        elif row.kind == "row" and (mark := _deletion_mark(step.target or "")) is not None:
            step.status, step.why = SKIPPED, f"Desktop deleted the session; its mark stays: {mark}"
        elif row is not transcript and row.kind not in _CONVERSATION and _is_taken(step, row):
            step.status, step.why = SKIPPED, "another file is in its place, and stays"
        yield step


def _deletion_mark(row: str) -> str | None:
    """Return the mark that Desktop left for a deleted row."""
    name = Path(row).name.removesuffix(".json")
    marks = (Path(row).with_name(f"deleted_{spelling}") for spelling in (name, name.removeprefix("local_")))
    return next((str(mark) for mark in marks if os.path.lexists(mark)), None)


def _fault(step: PlanStep, row: KeptFile) -> str | None:
    """Read a whole archived file; return the reason if it is damaged."""
    try:
        with open_content(step) as file:
            is_whole = digest_of(file) == row.whole
    except OSError as error:
        return reason_of(error)
    return None if is_whole else "the archive is damaged: the bytes differ from those that it stored"


def _is_taken(step: PlanStep, row: KeptFile) -> bool:
    """Return True if something else has the place of an archived file."""
    place = Path(step.target or "")
    try:
        return os.path.lexists(place) and sha256(place.read_bytes()).hexdigest() != row.whole
    except OSError:
        return True


def _existing(directory: Path) -> Path:
    """Return a directory, or its nearest existing parent."""
    while not directory.is_dir() and directory != directory.parent:
        directory = directory.parent
    return directory


def _explain(changes: ChangePlan) -> None:
    """Add a remedy if a live file has the target path."""
    for step in changes.steps:
        if step.action == COPY and step.status == REFUSED and step.why == "something else is in its place already":
            is_audit = (step.target or "").endswith(AUDIT)
            step.why = f"the live file is longer or different, and stays{'' if is_audit else '; use --as-new'}"


def _command(session: Session, row: KeptFile, move: _Move, wish: RestoreOptions) -> str | None:
    cwd = session.cwd if wish.cwd is None else os.path.realpath(wish.cwd)
    stores = ["cowork" if COWORK_ROWS in Path(row.config).parts or row.kind == "audit" else "code"]
    back = replace(session, id=move.new, state="live", stores=stores, transcripts=[move.target(row)], cwd=cwd)
    return resume_of(back, wish.root, wish.env)[0]


def _belongings(part: Path, rows: list[KeptFile], names: set[str], transcripts: Sequence[KeptFile]) -> list[KeptFile]:
    """Return the current version of every file of a session, except files with its name."""
    current = {row.path: row for row in rows}.values()
    audited = {directory_of(row) for row in transcripts if row.kind == "audit"}
    around = set(map(directory_of, transcripts))
    all_rows = (row for row in current if row.kind == "row")
    found = [row for row in all_rows if names & named_in_row(part, row) or around & directories_beside(row)]
    beside = audited.union(*map(directories_beside, found))
    directories = tuple(os.fsencode(directory) + b"/" for directory in beside)
    found += [row for row in current if row.kind in _OF_COWORK and row.path.startswith(directories)]
    slugs = {slug for row in transcripts for slug in _slugs(part, row)}
    return found + [row for row in current if row.kind == "plan" and _stem(row) in slugs]


def directory_of(row: KeptFile) -> str:
    """Return the directory of a Cowork session that holds a transcript or an audit, or a directory above."""
    return str(Path(os.fsdecode(row.path) if row.kind == "audit" else row.config).parent)


def directories_beside(row: KeptFile) -> set[str]:
    """Return the possible directories of a row's session."""
    return set(session_directories(os.fsdecode(row.path)))


def _stem(row: KeptFile) -> str:
    return Path(os.fsdecode(row.path)).stem.partition("-agent-")[0]


def _pieces(part: Path, row: KeptFile) -> Iterator[bytes]:
    try:
        with open_kept(part, row) as file:
            while piece := file.read(_PIECE):
                yield piece
    except OSError:
        return  # a damaged transcript is refused elsewhere; a damaged row names no session


def named_in_row(part: Path, row: KeptFile) -> set[str]:
    """Return the sessions that a row of Desktop names."""
    if not 0 < row.length <= _LARGEST_ROW:
        return set()
    try:
        fields = json.loads(b"".join(_pieces(part, row)))
    except (ValueError, RecursionError):
        return set()
    if not isinstance(fields, dict):
        return set()
    prior = fields.get("priorCliSessionIds")
    ids = [*(fields.get(name) for name in _IDS), *(prior if isinstance(prior, list) else [])]
    return {name for name in ids if isinstance(name, str)}


def _slugs(part: Path, row: KeptFile) -> set[str]:
    """Return the names of plans in a transcript."""
    found: set[str] = set()
    rest = b""
    for piece in _pieces(part, row):
        found.update(name.decode() for name in _SLUG.findall(rest + piece))
        rest = piece[-_LONGEST_SLUG:]
    return found
