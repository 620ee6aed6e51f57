"""Plan to make a session resumable: its files under the key of a directory, in the configuration of Claude Code here.

The place of a transcript alone decides where Claude Code finds it, so no record is ever rewritten.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote

from backscroll.changes.copies import copy_id
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
    digest_of,
)
from backscroll.errors import QueryError, RefusedError
from backscroll.formats.json.lines import scan
from backscroll.records import Damage
from backscroll.sessions.session import Session
from backscroll.sessions.transcript.source import AUDIT
from backscroll.stores.base import Opener
from backscroll.stores.project_key import encode
from backscroll.transfer.from_audit import build_transcript
from backscroll.transfer.guard import TransferScope, guards
from backscroll.transfer.model import Resumption, absence

_SIDE = ("file-history", "todos", "tasks", "session-env")
"""The directories of a configuration whose entries begin with the id of a session."""
_SLUG = re.compile(r"[A-Za-z0-9_-]{1,100}")
_FIRST_RECORDS = 200
"""The number of records in which we look for the name of a plan."""


@dataclass(frozen=True, slots=True)
class ResumeOptions:
    """The options of one `transfer resume`, and its places."""

    config: Path
    """The configuration directory that gets the session."""
    journal: Path
    cwd: str | None = None
    move: bool = False
    as_new: bool = False
    is_usual: bool = True
    """Claude Code takes this configuration by itself."""
    force: bool = False


def target_config(root: Path | None, env: Mapping[str, str]) -> tuple[Path, bool]:
    """Return the configuration directory that gets sessions, and True if Claude Code takes it by itself."""
    if root is not None:
        return (root if root.name == ".claude" else root / ".claude"), False
    named = env.get("CLAUDE_CONFIG_DIR")
    return Path(named or Path(env.get("HOME", ""), ".claude")).absolute(), True


def plan_resume(session: Session, wish: ResumeOptions, open_file: Opener) -> Resumption:
    """Plan to make one session resumable in a directory."""
    if wish.move and wish.as_new:
        raise QueryError("--move and --as-new exclude each other", remedy="Leave out one of them.")
    transcript = _transcript(session)
    if transcript is None:
        refusal = PlanStep(REFUSE, None, None, absence(session))
        return Resumption(_plan(session, [refusal], wish), None, session.id, None)
    cwd = directory_for(session, wish.cwd)
    if transcript.name.endswith(AUDIT):
        return _built(session, transcript, cwd, wish, open_file)
    name = transcript.stem
    there = sorted(wish.config.glob(f"projects/*/{name}.jsonl"))
    target = wish.config / "projects" / encode(cwd) / f"{name}.jsonl"
    new = name
    if wish.as_new:
        with open_file(str(transcript)) as stream:
            new = copy_id(name, target.parent, digest_of(stream))
    if wish.as_new or not there:
        steps = list(_copies(transcript, new, target.parent, wish, open_file))
    elif target in there:
        steps = [PlanStep(KEEP, None, str(target), "it is there already", SAME)]
    elif len(there) > 1:
        steps = [
            PlanStep(REFUSE, str(path), None, "this id exists under several project keys; use --as-new")
            for path in there
        ]
    elif wish.move:
        transcript = there[0]
        steps = list(_moves(transcript, target.parent))
    else:
        why = "Claude Code has it under another key; versions before 2.1.250 need --move or --as-new"
        steps = [PlanStep(KEEP, None, str(there[0]), why, SAME)]
    if any(step.action in (COPY, MOVE) for step in steps):
        steps += _in_use(transcript, wish)
    changes = check_plan(_plan(session, steps, wish))
    return Resumption(changes, None if changes.is_refused else _command(cwd, new, wish), new, cwd)


def has_only_audit(session: Session) -> bool:
    """Return True if Cowork's audit is all that is left of a session."""
    return all(path.endswith(AUDIT) for path in session.transcripts)


def _plan(session: Session, steps: list[PlanStep], wish: ResumeOptions) -> ChangePlan:
    return ChangePlan(f"transfer resume {session.id}", steps, [wish.config])


def _transcript(session: Session) -> Path | None:
    """Return the newest transcript of a session, if it can be copied."""
    if session.state in ("remote", "ghost", "orphan", "unreadable"):
        return None
    paths = [Path(path) for path in session.transcripts if path.endswith(".jsonl")]
    return next((path for path in paths if path.stem == session.id), paths[0] if paths else None)


def _built(session: Session, audit: Path, cwd: str, wish: ResumeOptions, open_file: Opener) -> Resumption:
    """Plan a transcript made of Cowork's audit, under a new id."""
    with open_file(str(audit)) as stream:
        built = build_transcript(stream, str(audit), cwd)
    if not built.records:
        refusal = PlanStep(REFUSE, str(audit), None, "its transcript is gone, and the audit log holds no message")
        return Resumption(_plan(session, [refusal], wish), None, session.id, None)
    lost = f"; {built.damage} lines could not be read" if built.damage else ""
    why = f"its transcript is gone: {built.records} records are built from the audit log, under a new id{lost}"
    target = wish.config / "projects" / encode(cwd) / f"{built.id}.jsonl"
    if (there := sorted(wish.config.glob(f"projects/*/{built.id}.jsonl"))) and target not in there:
        steps = [PlanStep(KEEP, None, str(there[0]), "it was built before, for another directory", SAME)]
    elif there:
        steps = [PlanStep(KEEP, None, str(target), "it was built before", SAME)]
    else:
        steps = [PlanStep(WRITE, str(audit), str(target), why, content=built.data), *_in_use(audit, wish)]
    changes = check_plan(_plan(session, steps, wish))
    return Resumption(changes, None if changes.is_refused else _command(cwd, built.id, wish), built.id, cwd)


def directory_for(session: Session, cwd: str | None) -> str:
    """Return the directory in which to resume a session; refuse a missing one."""
    named = cwd or session.cwd
    if named is None or not os.path.isdir(named):  # noqa: PTH112 - a stored path may be none of this system
        what = "no such directory" if cwd else "the directory of the session is not here"
        raise RefusedError(what, named, "Name a directory that exists: --cwd DIR.")
    return os.path.realpath(named)


def files_beside(transcript: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Yield the files that belong to a transcript, each with the names below the configuration directory."""
    config, key, name = transcript.parents[2], transcript.parent.name, transcript.stem
    for path in _below(transcript.with_suffix("")):
        yield path, ("projects", key, name, *path.relative_to(transcript.with_suffix("")).parts)
    for side in _SIDE:
        for top in sorted((config / side).glob(f"{name}*")):
            for path in _below(top) if top.is_dir() else [top]:
                yield path, path.relative_to(config).parts


def _below(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if path.is_symlink() or not path.is_dir())


def _copies(transcript: Path, new: str, place: Path, wish: ResumeOptions, open_file: Opener) -> Iterator[PlanStep]:
    content = partial(open_file, str(transcript))
    yield PlanStep(COPY, str(transcript), str(place / f"{new}.jsonl"), content=content)
    name = transcript.stem
    plan = plan_document(transcript, open_file)
    if plan is not None and plan.parents[1] != wish.config:
        yield PlanStep(COPY, str(plan), str(wish.config / "plans" / plan.name))
    for path, parts in files_beside(transcript):
        names = [part.replace(name, new) if wish.as_new else part for part in parts]
        if names[0] == "projects":
            names[1] = place.name
        if path.is_symlink() or not path.is_file():
            yield PlanStep(SKIP, str(path), None, "not a regular file")
        elif path.suffix == ".key":
            yield PlanStep(SKIP, str(path), None, "may hold a secret")
        else:
            yield PlanStep(COPY, str(path), str(wish.config.joinpath(*names)))


def _moves(transcript: Path, place: Path) -> Iterator[PlanStep]:
    yield PlanStep(MOVE, str(transcript), str(place / transcript.name))
    beside = transcript.with_suffix("")
    for path in _below(beside):
        target = place / beside.name / path.relative_to(beside)
        if path.is_symlink() or not path.is_file():
            yield PlanStep(SKIP, str(path), None, "not a regular file")
        else:
            yield PlanStep(MOVE, str(path), str(target))


def _in_use(transcript: Path, wish: ResumeOptions) -> Iterator[PlanStep]:
    """Yield a refusal if the session is in use."""
    touched = TransferScope({transcript.stem}, [str(transcript)])
    configs = dict.fromkeys((transcript.parents[2], wish.config))
    return guards(touched, configs, wish.journal, force=wish.force)


def plan_document(transcript: Path, open_file: Opener) -> Path | None:
    """Return the plan that a session wrote: its first records name it by a slug."""
    with open_file(str(transcript)) as stream:
        for number, item in enumerate(scan(stream, str(transcript))):
            slug = item.value.get("slug") if not isinstance(item, Damage) and isinstance(item.value, dict) else None
            if isinstance(slug, str) and _SLUG.fullmatch(slug):
                path = transcript.parents[2] / "plans" / f"{slug}.md"
                return path if path.is_file() and not path.is_symlink() else None
            if number > _FIRST_RECORDS:
                return None
    return None


def _command(cwd: str, name: str, wish: ResumeOptions) -> str:
    config = "" if wish.is_usual else f"CLAUDE_CONFIG_DIR={quote(str(wish.config))} "
    return f"cd {quote(cwd)} && {config}claude --resume {quote(name)}"
