"""One version of a file with its bytes, the difference of two versions, and a search in all versions."""

from collections.abc import Iterator
from datetime import datetime

from backscroll.errors import NotFoundError, QueryError
from backscroll.files import open_readonly
from backscroll.index.db import Connection
from backscroll.index.queries import file_changes as stored
from backscroll.index.queries import sessions as query
from backscroll.index.queries.file_changes import FileFilter
from backscroll.recovery.catalogue import project_of, touched_files
from backscroll.recovery.history import Histories
from backscroll.recovery.model import PARTIAL, Match, OnFile, Recovered, Version
from backscroll.recovery.patches import diff_header, is_patchable, unified_diff
from backscroll.recovery.replay import FileState
from backscroll.recovery.restore import WantedFile
from backscroll.sessions.transcript.conversation import read_conversation
from backscroll.sessions.transcript.moments import moment_of
from backscroll.sessions.transcript.tree import Node
from backscroll.stores.base import Opener


def choose(
    histories: Histories, path: str, number: int | None, at: datetime | None, candidate: int | None
) -> FileState:
    """Return one version with its content: a candidate, by number, by moment, or the last one."""
    if candidate is not None:
        return _by_number(histories.candidates(path), candidate, path, "candidate")
    if number is not None:
        return _by_number(histories.states(path), number, path, "version")
    state = state_at(histories, path, at)
    if state is None:
        raise NotFoundError(
            "no version of this file is known at that time", path, "Leave out --at to see all versions."
        )
    return state


def state_at(histories: Histories, path: str, at: datetime | None) -> FileState | None:
    """Return the state of a file at a moment; without a moment, the last known state that is not a deletion."""
    held = None
    for state in histories.states(path):
        time = state.version.time
        if at is not None and time is not None and time > at:
            break
        if at is not None or not state.version.deleted:
            held = state
    return held


def _by_number(states: Iterator[FileState] | list[FileState], number: int, path: str, noun: str) -> FileState:
    last = 0
    for state in states:
        last = state.version.n
        if last == number:
            return state
    remedy = f"The last {noun} is {last}." if last else f"It has no {noun}s."
    raise NotFoundError(f"this file has no {noun} {number}", path, remedy)


def recovered(path: str, state: FileState, *, partly: bool = False) -> Recovered:
    """Return a version's bytes; `partly` also takes a version with unknown lines."""
    version = state.version
    data = state.content.known_bytes() if partly else state.content.to_bytes()
    if version.deleted:
        raise NotFoundError("the file was deleted then", path, f"Version {version.n - 1} is the file before that.")
    if data is None:
        raise NotFoundError(*_unknown(path, version))
    return Recovered(path, version, data)


def _unknown(path: str, version: Version) -> tuple[str, str, str]:
    if version.sure == PARTIAL:
        gaps = ", ".join(f"{first}–{last or 'end'}" for first, last in version.missing)
        return "only a part of this version is known", path, f"Missing lines: {gaps}. Add --partly to get the others."
    return "the content of this version is unknown", path, "Run `backscroll recover PATH` to see the other versions."


def message_time(database: Connection, histories: Histories, path: str, asked: str) -> datetime | None:
    """Return the time of a message, by its id or that of one of its records, in the sessions that touch a file."""
    names = dict.fromkeys(state.version.session for state in histories.states(path) if state.version.session)
    for name in names:
        for agent, paths in query.unit_paths(database, name):
            with read_conversation(paths, is_agent=agent is not None, open_file=histories.open_file) as conversation:
                for _, tree in conversation.trees():
                    for node in tree.nodes:
                        ids = [node.head.group or "", *(row.id for row in node.rows)]
                        if any(found.startswith(asked) for found in ids if found):
                            return _after(tree.nodes, node)
    raise NotFoundError(
        "no session that touches this file has this message",
        asked,
        "Run `backscroll recover PATH` to see its sessions.",
    )


def _after(nodes: list[Node], node: Node) -> datetime | None:
    """Return the moment after a message and the results of its calls."""
    calls = {call for row in node.rows for call, _ in row.calls}
    answers = [row for other in nodes for row in other.rows if calls.intersection(row.results)]
    moments = [moment for row in (*node.rows, *answers) if (moment := moment_of(row.time))]
    return max(moments, default=None)


def diff(histories: Histories, path: str, old: int, new: int) -> Iterator[bytes]:
    """Yield the unified diff from one version of a file to another."""
    found, last = {}, 0
    for state in histories.states(path):
        last = state.version.n
        if last in (old, new):
            found[last] = state
    for number in (old, new):
        if number not in found:
            raise NotFoundError(f"this file has no version {number}", path, f"The last version is {last}.")
    before, after = (_diffable(found[number], path) for number in (old, new))
    if not is_patchable(before) or not is_patchable(after):
        raise QueryError("these versions are not text", path)
    yield from diff_header(path, old, new)
    yield from unified_diff(before, after)


def _diffable(state: FileState, path: str) -> bytes:
    return b"" if state.version.deleted else recovered(path, state, partly=True).data


def search(  # noqa: PLR0913, PLR0917 - as the verb
    database: Connection,
    text: str,
    wanted: FileFilter,
    match: str | None,
    on_file: OnFile | None = None,
    open_file: Opener = open_readonly,
) -> Iterator[Match]:
    """Yield the lines of any version of any file that hold a text, each line of a file once."""
    if not text:
        raise QueryError("the text to search for is empty", remedy="Give a text: --grep TEXT.")
    histories = Histories(database, open_file)
    try:
        found = touched_files(database, histories, wanted, match)
        for number, item in enumerate(found, 1):
            yield from _matches_in(histories, item.path, text)
            if on_file is not None:
                on_file(number, len(found))
    finally:
        histories.close()


def _matches_in(histories: Histories, path: str, text: str) -> Iterator[Match]:
    lines: dict[str, Match] = {}
    for version, content in histories.states(path):
        known = content.lines if content.lines is not None else (content.text or "").split("\n")
        for number, line in enumerate(known, 1):
            if line is not None and text in line:
                first = lines[line].first if line in lines else version
                lines[line] = Match(path, number, line, first, version)
    yield from lines.values()


def wanted_files(  # noqa: PLR0913, PLR0917 - as the verb
    database: Connection,
    wanted: FileFilter,
    match: str | None,
    at: datetime | None,
    on_file: OnFile | None,
    open_file: Opener = open_readonly,
) -> Iterator[WantedFile]:
    """Yield every file of a project in its state at a moment, or in its last one."""
    histories = Histories(database, open_file)
    found = touched_files(database, histories, wanted, match)
    if not found:
        raise NotFoundError(
            "no file is recorded for this project", wanted.sessions.project, "Run `backscroll files` to list all files."
        )
    roots = stored.roots(database)
    projects = {item.path: project_of(item.path, roots) for item in found}
    is_one = len(set(projects.values()) - {None}) == 1
    for number, item in enumerate(found, 1):
        yield WantedFile(item.path, projects[item.path] if is_one else None, state_at(histories, item.path, at))
        if on_file is not None:
            on_file(number, len(found))


def wanted_file(database: Connection, path: str, state: FileState) -> WantedFile:
    """Return one file to write, in its state at a time or in its last one."""
    return WantedFile(path, project_of(path, stored.roots(database)), state)
