"""Replay the evidence of one file in the order of time, and yield its versions.

Only calls that succeeded are applied; others are candidates.  Every whole text that a record shows is compared with
the current state: an equal text confirms it, a different one is a version of its own, an outside change.
A version is yielded when the next one begins, because later records may still confirm it or show its line ends.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import NamedTuple

from backscroll.place import Place
from backscroll.recovery.content import (
    Content,
    Form,
    contradicts,
    edited_in_part,
    from_bytes,
    from_text,
    missing_lines,
    with_lines,
    written,
)
from backscroll.recovery.model import BYTES, DERIVED, GAP, PARTIAL, TEXT, Version
from backscroll.sessions.file_changes.change import ABSENT, BACKUP, DELETE, RENAME, content_key
from backscroll.sessions.file_changes.contents import is_doubtful
from backscroll.sessions.file_changes.edits import apply_edits
from backscroll.sessions.file_changes.statements import EDIT, SNAPSHOT, WRITE, Lines, Statement, result_of
from backscroll.sessions.transcript.outcomes import OK
from backscroll.times import parse

UNANSWERED = "unanswered"


class Evidence(NamedTuple):
    """One record about a file, and its origin."""

    kind: str
    time: str | None
    outcome: str | None
    place: Place
    session: str | None = None
    agent: str | None = None
    branch: str | None = None
    message: str | None = None
    call: str | None = None
    tool: str | None = None
    other: str | None = None


class FileState(NamedTuple):
    """A version together with its content."""

    version: Version
    content: Content


Read = Callable[[Evidence], Statement | None]
"""Reads the statement of a piece of evidence; None if it cannot be read any more."""
Origin = Callable[[Evidence], Content | None]
"""Returns the content of a renamed file before the rename."""


class Replay:
    """Replays the evidence of one file."""

    def __init__(self, evidence: list[Evidence], read: Read, origin: Origin) -> None:
        self._evidence = evidence
        self._read = read
        self._origin = origin
        self._current: FileState | None = None
        self._done: list[FileState] = []
        self._count = 0
        self._form_ahead = Form()
        self.bases: Counter[str] = Counter()
        """How often the base of an edit matched the replay, differed (outside), or was the first record."""
        self.candidates: list[FileState] = []
        self.lost: list[Place] = []

    def states(self) -> Iterator[FileState]:
        """Yield each version with its content, oldest first."""
        for number, item in enumerate(self._evidence):
            statement = self._read(item)
            if statement is None:
                self.lost.append(item.place)
                continue
            self._form_ahead = self._look_ahead(number)
            self._take(item, statement)
            yield from self._handed_out()
        if self._current is not None:
            self._done.append(self._current)
        yield from self._handed_out()

    def _handed_out(self) -> Iterator[FileState]:
        for state in self._done:
            yield FileState(_measured(state.version, state.content), state.content)
        self._done.clear()

    def _look_ahead(self, number: int) -> Form:
        """Return the form of the next known bytes, unless a write replaces the file before them."""
        if self._current is not None and None not in self._current.content.form:
            return Form()
        for item in self._evidence[number:]:
            if item.kind == BACKUP:
                statement = self._read(item)
                return from_bytes(statement.data).form if statement and statement.data is not None else Form()
            if item.kind == WRITE and item.outcome == OK:
                return Form()
        return Form()

    def _take(self, item: Evidence, statement: Statement) -> None:
        if item.kind == ABSENT:
            self._gone(item, is_seen=True)
        elif item.outcome != OK:
            self._offer(item, statement)
        elif item.kind in (DELETE, RENAME):
            self._gone_or_moved(item)
        elif item.kind in (WRITE, EDIT):
            self._change(item, statement)
        elif statement.data is not None:
            self._see(item, from_bytes(statement.data), DERIVED if is_doubtful(statement.data) else BYTES)
        elif statement.after is not None:
            self._see(item, from_text(statement.after, self._form()), TEXT)
        elif statement.lines is not None:
            self._see_part(item, statement.lines)

    def _form(self) -> Form:
        known = self._current.content.form if self._current else Form()
        return known.or_else(self._form_ahead)

    # Records that show a state

    def _see(self, item: Evidence, content: Content, sure: str) -> None:
        if self._is_same(content):
            self._confirm(content, sure)
        elif self._current is not None and self._completes(self._current, content):
            self._current.version.confirmed += 1
            self._current.version.sure = sure
            self._current = FileState(self._current.version, content)
        else:
            self._begin(item, content, sure, is_change=False)

    def _is_same(self, content: Content) -> bool:
        if self._current is None or self._current.version.deleted:
            return False
        mine = self._current.content
        if mine.text is not None and content.text is not None:
            return mine.text == content.text or content_key(mine.text) == content_key(content.text)
        return mine.data is not None and mine.data == content.data

    def _completes(self, current: FileState, content: Content) -> bool:
        """Return True if a whole text completes a state of which some lines are known."""
        if current.version.deleted or current.content.lines is None or content.text is None:
            return False
        lines = content.text.split("\n")
        return not contradicts(current.content, 1, lines, len(lines))

    def _confirm(self, content: Content, sure: str) -> None:
        """Add the certainty and the form that further evidence brings."""
        if self._current is None:
            return
        version, mine = self._current
        version.confirmed += 1
        if sure == BYTES:
            version.sure = BYTES
            self._current = FileState(version, content)
        elif sure == DERIVED:
            self._current = FileState(version, mine._replace(form=content.form.or_else(mine.form)))
        elif version.sure != BYTES:
            is_clear = "\ufffd" not in (mine.text or "")
            version.sure = TEXT if version.sure == DERIVED and is_clear else version.sure
            known = mine if mine.data is not None else mine._replace(form=mine.form.or_else(content.form))
            self._current = FileState(version, known)

    def _see_part(self, item: Evidence, lines: Lines) -> None:
        first, texts, total = lines
        current = self._current
        if current is not None and not current.version.deleted and current.version.sure != GAP:
            if current.content.data is not None and current.content.text is None:
                return  # pages of a document or a picture
            if not contradicts(current.content, first, texts, total):
                self._learn(current, lines)
                return
        elif current is not None and current.version.sure == GAP:
            current.version.sure = PARTIAL
            self._current = FileState(current.version, with_lines(None, first, texts, total, self._form()))
            return
        content = with_lines(None, first, texts, total, self._form())
        self._begin(item, content, PARTIAL if content.lines is not None else TEXT, is_change=False)

    def _learn(self, current: FileState, lines: Lines) -> None:
        """Add lines that a record shows to the present state."""
        current.version.confirmed += 1
        if current.content.lines is None:
            return
        content = with_lines(current.content, *lines, current.content.form)
        if content.lines is None:
            current.version.sure = TEXT
        self._current = FileState(current.version, content)

    # Records that change the file

    def _change(self, item: Evidence, statement: Statement) -> None:
        if statement.before is not None and not statement.is_created:
            before = from_text(statement.before, self._form())
            has_content = self._current is not None and self._current.content.to_bytes() is not None
            self.bases["matched" if self._is_same(before) else "outside" if has_content else "first"] += 1
            self._see(item._replace(kind=SNAPSHOT), before, TEXT)
        if item.kind == WRITE or (statement.is_created and len(statement.edits) == 1):
            self._write(item, statement)
            return
        current = self._current.content if self._current and not self._current.version.deleted else Content()
        if statement.is_created:
            current = Content("", Form())
        text = result_of(_on_base(statement, current), current.text)
        if text is not None:
            sure = TEXT if statement.before is not None or statement.after is not None else DERIVED
            form = current.form.or_else(self._form_ahead)
            content = Content(text, form) if statement.after is None else from_text(text, form)
            self._begin(item, content, sure, is_change=True)
            return
        part = edited_in_part(current, statement.edits) if current.lines is not None else None
        self._begin(item, part or Content(form=current.form), PARTIAL if part else GAP, is_change=True)

    def _write(self, item: Evidence, statement: Statement) -> None:
        text = statement.after if item.kind == WRITE else apply_edits("", statement.edits)
        if text is None:
            self._begin(item, Content(), GAP, is_change=True)
            return
        content = written(text, self._form(), expands=statement.has_raw_base)
        self._begin(item, content, TEXT, is_change=True, is_created=statement.is_created)

    def _gone_or_moved(self, item: Evidence) -> None:
        if item.kind == RENAME and item.tool is None:
            content = self._origin(item)
            if content is not None:
                is_new = self._current is None or self._current.version.deleted
                self._begin(item, content, DERIVED, is_change=True, is_created=is_new)
            return
        self._gone(item, is_seen=False)

    def _gone(self, item: Evidence, *, is_seen: bool) -> None:
        """Begin a version without a file, unless nothing is known of the file yet."""
        if self._current is None or self._current.version.deleted:
            return
        self._begin(item, Content(), TEXT if is_seen else DERIVED, is_change=not is_seen)
        self._current.version.deleted = True
        self._current.version.how = DELETE if item.kind == ABSENT else item.kind

    def _begin(self, item: Evidence, content: Content, sure: str, *, is_change: bool, is_created: bool = False) -> None:
        """Begin a version, and finish the one before."""
        if sure == TEXT and item.kind != WRITE and "\ufffd" in (content.text or ""):
            sure = DERIVED  # perhaps bytes that are no UTF-8, which no record can show
        is_first = self._current is None
        if self._current is not None:
            self._done.append(self._current)
        self._count += 1
        version = _version(item, self._count, sure)
        version.outside = not is_change and not is_first
        version.created = is_created
        self._current = FileState(version, content)

    def _offer(self, item: Evidence, statement: Statement) -> None:
        """Keep a change that never reached the disk, with the content that it would have made, if known."""
        if item.kind not in (WRITE, EDIT, SNAPSHOT):
            return
        form = self._form()
        base = self._current.content.text if self._current else None
        text = result_of(statement, base)
        content = Content() if text is None else from_text(text, form)
        version = _version(item, len(self.candidates) + 1, GAP if text is None else DERIVED)
        version.why = item.outcome or UNANSWERED
        self.candidates.append(FileState(_measured(version, content), content))


def _on_base(statement: Statement, current: Content) -> Statement:
    """Return a statement whose base has the line ends of a state, unless it is the present state itself."""
    if statement.before is None:
        return statement
    before = statement.before.removeprefix("\ufeff")
    return statement._replace(before=before if before == current.text else before.replace("\r\n", "\n"))


def _version(item: Evidence, number: int, sure: str) -> Version:
    return Version(
        n=number,
        time=parse(item.time),
        how="read" if item.kind == "part" else item.kind,
        sure=sure,
        session=item.session,
        agent=item.agent,
        branch=item.branch,
        message=item.message,
        call=item.call,
        tool=item.tool,
        place=item.place,
        other=item.other if item.kind == RENAME else None,
    )


def _measured(version: Version, content: Content) -> Version:
    """Set the size, hash and gaps of a version from its content."""
    data = content.to_bytes()
    version.bytes = None if data is None else len(data)
    version.sha256 = None if data is None else sha256(data).hexdigest()
    version.missing = missing_lines(content)
    if version.sure == GAP:
        version.missing = [(1, None)]
    if data is not None and content.text is not None:
        version.encoding = content.form.encoding or "utf-8"
        version.newline = content.form.newline
    return version
