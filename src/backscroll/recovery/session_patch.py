"""One patch of all changes that a session made to the files of its project.

Input: the index and the id of a session.  Output: remarks, then the patch of each file, in the form that
`git apply` takes.  A file that the patch cannot hold is named in a remark with the reason.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from backscroll.errors import NotFoundError
from backscroll.files import open_readonly
from backscroll.index.db import Connection
from backscroll.index.queries import file_changes as stored
from backscroll.index.queries import sessions as query
from backscroll.index.queries.file_changes import FileFilter
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.index.queries.usage_records import family_of
from backscroll.recovery.history import Histories
from backscroll.recovery.model import GAP, PARTIAL
from backscroll.recovery.patches import file_patch, is_patchable, name_problem, quoted
from backscroll.recovery.replay import FileState
from backscroll.sessions.file_changes.change import RENAME
from backscroll.sessions.file_changes.paths import below
from backscroll.sessions.file_changes.statements import EDIT, WRITE
from backscroll.stores.base import Opener


def session_patch(database: Connection, session: str, open_file: Opener = open_readonly) -> Iterator[bytes]:
    """Yield one patch of all changes that a session made to the files of its project, remarks first."""
    family = set(family_of(database, session))
    found = query.session(database, session)
    root = found.cwd or found.project
    touched = stored.touched(database, FileFilter(SessionFilter(session=session)))
    histories = Histories(database, open_file)
    patch = _Patch()
    try:
        for item in sorted(touched, key=lambda item: item.folded):
            span = _span(histories, item.path, family)
            if span is not None:
                patch.add(item.path, below(item.path, root) if root else None, span)
    finally:
        histories.close()
    if not patch.lines:
        remarks = b"; ".join(patch.remarks).decode() or None
        raise NotFoundError("this session changed no file of its project", session, remarks)
    yield b"Session %s, to be applied in %s\n" % (quoted(session), quoted(root or ""))
    yield from (b"Not in this patch: %s\n" % remark for remark in patch.remarks)
    yield from patch.lines


@dataclass(frozen=True, slots=True)
class _Span:
    """The states of a file before a session's first change, after it, and after its last change."""

    base: FileState | None
    first: FileState
    last: FileState

    def before(self) -> bytes | None:
        return None if self.base is None or self.base.version.deleted else self.base.content.to_bytes()

    def after(self) -> bytes | None:
        return None if self.last.version.deleted else self.last.content.to_bytes()

    def problem(self) -> str | None:
        """Return the reason why this change does not fit into a patch; None if it does."""
        if self.base is None and not self.first.version.created:
            return "its content before the session is unknown"
        for state in (self.base, self.last):
            if state is not None and not state.version.deleted:
                if state.version.sure in (GAP, PARTIAL):
                    return "not all of its content is known"
                if not is_patchable(state.content.to_bytes()):
                    return "not a text"
        return None


@dataclass(slots=True)
class _Patch:
    """An unfinished patch: its lines, and remarks on the files that it omits."""

    lines: list[bytes] = field(default_factory=list)
    remarks: list[bytes] = field(default_factory=list)
    _files: set[str] = field(default_factory=set)
    _directories: set[str] = field(default_factory=set)

    def add(self, path: str, name: str | None, span: _Span) -> None:
        """Add the changes of one file, or a remark."""
        problem = "outside the project" if name is None else name_problem(name) or self._clash(name) or span.problem()
        if name is None or problem is not None:
            self.remarks.append(b"%s: %s" % (quoted(path), (problem or "").encode()))
            return
        before, after = span.before(), span.after()
        if after is not None:
            self._files.add(name)
            self._directories |= _directories_of(name)
        self.lines += file_patch(name, before, after)

    def _clash(self, name: str) -> str | None:
        """Return a problem if another file of this patch needs the same name."""
        if name in self._files or name in self._directories or not self._files.isdisjoint(_directories_of(name)):
            return "another file of this patch needs the same name"
        return None


def _directories_of(name: str) -> set[str]:
    parts = name.split("/")
    return {"/".join(parts[:count]) for count in range(1, len(parts))}


def _span(histories: Histories, path: str, family: set[str]) -> _Span | None:
    """Return the states around a session's own changes of a file; None if it changed nothing."""
    before = base = first = last = None
    for state in histories.states(path):
        is_own = state.version.session in family and not state.version.outside
        if is_own and (state.version.how in (WRITE, EDIT, RENAME) or state.version.deleted):
            if first is None:
                base, first = before, state
            last = state
        before = state
    return None if first is None or last is None else _Span(base, first, last)
