"""Recovery: one version of a file with its bytes, the difference of two, a text in all of them, a session's patch."""

from collections.abc import Iterator
from datetime import datetime

from backscroll.errors import NotFoundError, QueryError
from backscroll.files import open_readonly
from backscroll.index import file_changes as stored
from backscroll.index import query
from backscroll.index.db import Connection
from backscroll.index.evidence import family_of
from backscroll.index.file_changes import Wanted
from backscroll.index.session_filter import SessionFilter
from backscroll.sessions.conversation import read_conversation
from backscroll.sessions.file_changes import RENAME
from backscroll.sessions.filepaths import below
from backscroll.sessions.moments import moment_of
from backscroll.sessions.statements import EDIT, WRITE
from backscroll.sessions.tree import Node
from backscroll.stores.base import Opener
from backscroll.versions.catalogue import project_of, touched_files
from backscroll.versions.history import Histories
from backscroll.versions.model import GAP, PARTIAL, Match, OnFile, Recovered, Version
from backscroll.versions.patches import file_patch, is_patchable, unified_diff
from backscroll.versions.replay import State
from backscroll.versions.restore import Wish


def choose(histories: Histories, path: str, number: int | None, at: datetime | None, candidate: int | None) -> State:
    """Return one version with its content: a candidate, by number, by moment, or the last one."""
    if candidate is not None:
        return _by_number(histories.candidates(path), candidate, path, "candidate")
    if number is not None:
        return _by_number(histories.states(path), number, path, "version")
    state = state_at(histories, path, at)
    if state is None:
        raise NotFoundError("nothing is known of this file at that time", path, "Leave out --at to see all versions.")
    return state


def state_at(histories: Histories, path: str, at: datetime | None) -> State | None:
    """Return the state that a file was in at a moment; without one, the last that is known and is not a deletion."""
    held = None
    for state in histories.states(path):
        time = state.version.time
        if at is not None and time is not None and time > at:
            break
        if at is not None or not state.version.deleted:
            held = state
    return held


def _by_number(states: Iterator[State] | list[State], number: int, path: str, noun: str) -> State:
    last = 0
    for state in states:
        last = state.version.n
        if last == number:
            return state
    raise NotFoundError(f"this file has no {noun} {number}", path, f"It has {last}.")


def recovered(path: str, state: State, *, partly: bool = False) -> Recovered:
    """Return a version's bytes; `partly` also gives one of which only some lines are known."""
    version = state.version
    data = state.content.known_bytes() if partly else state.content.to_bytes()
    if version.deleted:
        raise NotFoundError("the file was deleted then", path, f"Version {version.n - 1} is what was there before.")
    if data is None:
        raise NotFoundError(*_unknown(path, version))
    return Recovered(path, version, data)


def _unknown(path: str, version: Version) -> tuple[str, str, str]:
    if version.sure == PARTIAL:
        gaps = ", ".join(f"{first}–{last or 'end'}" for first, last in version.missing)
        return "only a part of this version is known", path, f"Missing lines: {gaps}. --partly gives the others."
    return "this version is known only to exist", path, "backscroll recover PATH shows which versions have content."


def message_time(database: Connection, histories: Histories, path: str, asked: str) -> datetime | None:
    """Return when a message was said, by its id or the id of one of its records, in the sessions that touch a file."""
    names = dict.fromkeys(state.version.session for state in histories.states(path) if state.version.session)
    for name in names:
        for agent, paths in query.unit_paths(database, name):
            with read_conversation(paths, is_agent=agent is not None, open_file=histories.open_file) as conversation:
                for _, tree in conversation.trees():
                    for node in tree.nodes:
                        ids = [node.head.group or "", *(row.id for row in node.rows)]
                        if any(found.startswith(asked) for found in ids if found):
                            return _after(tree.nodes, node)
    raise NotFoundError("no session that touches this file has this message", asked)


def _after(nodes: list[Node], node: Node) -> datetime | None:
    """Return the moment at which a message and the results of its calls were there."""
    calls = {call for row in node.rows for call, _ in row.calls}
    answers = [row for other in nodes for row in other.rows if calls.intersection(row.results)]
    moments = [moment for row in (*node.rows, *answers) if (moment := moment_of(row.time))]
    return max(moments, default=None)


def diff(histories: Histories, path: str, old: int, new: int) -> Iterator[bytes]:
    """Yield the unified diff from one version of a file to another."""
    found = {state.version.n: state for state in histories.states(path) if state.version.n in (old, new)}
    for number in (old, new):
        if number not in found:
            raise NotFoundError(f"this file has no version {number}", path)
    before, after = (_diffable(found[number], path) for number in (old, new))
    if not is_patchable(before) or not is_patchable(after):
        raise QueryError("these versions are not text", path)
    yield f"--- {path}\tversion {old}\n".encode(errors="replace")
    yield f"+++ {path}\tversion {new}\n".encode(errors="replace")
    yield from unified_diff(before, after)


def _diffable(state: State, path: str) -> bytes:
    return b"" if state.version.deleted else recovered(path, state, partly=True).data


def search(  # noqa: PLR0913, PLR0917 - as the verb
    database: Connection,
    text: str,
    wanted: Wanted,
    match: str | None,
    on_file: OnFile | None = None,
    open_file: Opener = open_readonly,
) -> Iterator[Match]:
    """Yield the lines of any version of any file that hold a text, each line of a file once."""
    if not text:
        raise QueryError("there is nothing to look for", remedy="Give a text: --grep TEXT.")
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


def session_patch(database: Connection, session: str, open_file: Opener = open_readonly) -> Iterator[bytes]:
    """Yield one patch of all that a session did to the files of its project; what it cannot hold is said on top."""
    family = set(family_of(database, session))
    found = query.session(database, session)
    root = found.cwd or found.project
    histories = Histories(database, open_file)
    patches: list[list[bytes]] = []
    remarks: list[str] = []
    try:
        for item in sorted(
            stored.touched(database, Wanted(SessionFilter(session=session))), key=lambda item: item.folded
        ):
            name = below(item.path, root) if root else None
            base, first, last = _span(histories, item.path, family)
            if first is None or last is None:
                continue
            why = _obstacle(name, base, first, last)
            if why is not None:
                remarks.append(f"{item.path}: {why}")
                continue
            before = None if base is None or base.version.deleted else base.content.to_bytes()
            after = None if last.version.deleted else last.content.to_bytes()
            patches.append(list(file_patch(name or "", before, after)))
    finally:
        histories.close()
    if not any(patches):
        raise NotFoundError("this session changed no file of its project", session, "; ".join(remarks) or None)
    yield f"Session {session}, to be applied in {root}\n".encode(errors="replace")
    yield from (f"Not in this patch: {remark}\n".encode(errors="replace") for remark in remarks)
    for patch in patches:
        yield from patch


def _span(histories: Histories, path: str, family: set[str]) -> tuple[State | None, State | None, State | None]:
    """Return the state before a session's first change of a file, the one after it, and the one after its last."""
    before = base = first = last = None
    for state in histories.states(path):
        is_own = state.version.session in family and not state.version.outside
        if is_own and (state.version.how in (WRITE, EDIT, RENAME) or state.version.deleted):
            if first is None:
                base, first = before, state
            last = state
        before = state
    return base, first, last


def _obstacle(name: str | None, base: State | None, first: State, last: State) -> str | None:
    """Return why a change cannot stand in a patch; None where it can."""
    if name is None:
        return "outside the project"
    if base is None and not first.version.created:
        return "what it replaced is not known"
    for state in (base, last):
        if state is not None and not state.version.deleted:
            if state.version.sure in (GAP, PARTIAL):
                return "not all of its content is known"
            if not is_patchable(state.content.to_bytes()):
                return "not a text"
    return None


def all_wishes(  # noqa: PLR0913, PLR0917 - as the verb
    database: Connection,
    wanted: Wanted,
    match: str | None,
    at: datetime | None,
    on_file: OnFile | None,
    open_file: Opener = open_readonly,
) -> Iterator[Wish]:
    """Yield every file of a project in the state that it was in at a moment, or in its last one."""
    histories = Histories(database, open_file)
    found = touched_files(database, histories, wanted, match)
    if not found:
        raise NotFoundError(
            "no file is recorded for this project", wanted.sessions.project, "backscroll files shows all files."
        )
    roots = stored.roots(database)
    projects = {item.path: project_of(item.path, roots) for item in found}
    is_one = len(set(projects.values()) - {None}) == 1
    for number, item in enumerate(found, 1):
        yield Wish(item.path, projects[item.path] if is_one else None, state_at(histories, item.path, at))
        if on_file is not None:
            on_file(number, len(found))


def wish(database: Connection, path: str, state: State) -> Wish:
    """Return the wish to have one file back."""
    return Wish(path, project_of(path, stored.roots(database)), state)
