"""The command that resumes a session in Claude Code, or the reason why there is none.

Claude Code finds transcripts by its current directory, so the command changes to the session's directory first.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from shlex import quote

from backscroll.dirs import named_in, program_with
from backscroll.sessions.session import Session
from backscroll.stores.desktop import is_of_cowork

_NOTES = {
    "unreadable": "you have no permission to read its files; `backscroll stores` names them",
    "ghost": (
        "the transcript is gone, and the archive has no copy; import a backup with archive import, then run"
        " `backscroll archive restore {id}`"
    ),
    "kept": "only the archive has it; run `backscroll archive restore {id}`",
    "remote": "it ran on another machine; resume it there; `backscroll show {id}` shows the known facts",
    "orphan": "only its agents are left; `backscroll show {id}` reads them",
}
_REMOTE_COPY = "it ran on another machine; resume it there, or run `backscroll transfer resume {id}{option}`"
_ONLY_COWORK = "only Cowork has it; run `backscroll transfer resume {id}{option}`"
_TWICE = "the id is in two project directories; run `backscroll transfer resume {id} --as-new{option}`"
_GONE = "the directory {cwd} is gone; make it again, or run `backscroll transfer resume {id} --cwd DIR`"
_UNKNOWN = (
    "the directory is not known; start claude where the session ran, or run `backscroll transfer resume {id} --cwd DIR`"
)

IsDirectory = Callable[[str], bool]


def add_resume(sessions: list[Session], roots: Sequence[os.PathLike[str]], env: Mapping[str, str]) -> None:
    """Add the resume command to sessions, and a note with the roots."""
    is_directory, program = cache(os.path.isdir), program_with(roots)
    root = roots[0] if roots else None
    for session in sessions:
        session.resume, note = resume_of(session, root, env, is_directory)
        session.resume_note = None if note is None else named_in(note, program)


def resume_of(
    session: Session, root: os.PathLike[str] | None, env: Mapping[str, str], is_directory: IsDirectory = os.path.isdir
) -> tuple[str | None, str | None]:
    """Return the command that resumes a session, and a note; None for both means unknown or not needed."""
    is_here = session.cwd is not None and is_directory(session.cwd)
    if (note := _hindrance(session)) is not None:
        return None, note.format(id=session.id, option="" if is_here else " --cwd DIR")
    command = f"claude --resume {quote(_transcript_id(session))}"
    if (config := _config(session, root, env)) is not None:
        command = f"CLAUDE_CONFIG_DIR={quote(config)} {command}"
    if session.cwd is not None and is_here:
        return f"cd {quote(session.cwd)} && {command}", None
    note = _UNKNOWN if session.cwd is None else _GONE
    return command, note.format(id=session.id, cwd=session.cwd)


def _hindrance(session: Session) -> str | None:
    """Return why a session cannot be resumed."""
    if session.state == "remote" and session.transcripts:
        return _REMOTE_COPY
    if session.state in _NOTES:
        return _NOTES[session.state]
    paths = map(os.path.split, session.transcripts)
    keys = {directory for directory, name in paths if name == f"{session.id}.jsonl"}
    if len(keys) > len({os.path.dirname(directory) for directory in keys}):  # one configuration has two
        return _TWICE
    return _NOTES["ghost"] if not session.transcripts else _ONLY_COWORK if "code" not in session.stores else None


def _transcript(session: Session) -> str:
    """Return the transcript that Claude Code goes on with; it would also append to one of Cowork's."""
    return next((path for path in session.transcripts if not is_of_cowork(path)), session.transcripts[0])


def _transcript_id(session: Session) -> str:
    """Return the name of the transcript, which is the session's id in Claude Code."""
    stem, suffix = os.path.splitext(os.path.basename(_transcript(session)))
    return stem if suffix == ".jsonl" else session.id


def _config(session: Session, root: os.PathLike[str] | None, env: Mapping[str, str]) -> str | None:
    """Return the configuration directory for the command; None if it is Claude Code's default."""
    config = os.path.dirname(os.path.dirname(os.path.dirname(_transcript(session))))
    if root is not None:
        return config
    usual = env.get("CLAUDE_CONFIG_DIR") or os.path.join(env.get("HOME", ""), ".claude")
    return None if os.path.normpath(usual) == config else config
