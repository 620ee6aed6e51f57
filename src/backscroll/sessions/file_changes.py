"""File changes: what a conversation's records say about files, one light entry for each, with places.

Contents stay in the transcripts.  An entry keeps short keys of the text before and after a change, so that a list of
files and of their versions needs no transcript; the texts are read by place when somebody asks for them.
`FileChanges` hears each record once, while it is decoded.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson
from msgspec import Raw, Struct

from backscroll.files import read_small
from backscroll.formats.lenient import value_of
from backscroll.lazy import lazily
from backscroll.records import Record
from backscroll.sessions.calls import result_part
from backscroll.sessions.filebytes import decode_file
from backscroll.sessions.filepaths import absolute, folded
from backscroll.sessions.fingerprint import fingerprint
from backscroll.sessions.heads import Block, Head
from backscroll.sessions.keys import Keys
from backscroll.sessions.model import MAIN
from backscroll.sessions.moments import stored_moment
from backscroll.sessions.outcomes import OK
from backscroll.sessions.outputs import output_directories, persisted_name, whole_output
from backscroll.sessions.rows import ATTACHMENT, SYSTEM, Row
from backscroll.sessions.shell import may_remove, removals
from backscroll.sessions.source import Source
from backscroll.sessions.statements import (
    PLAN_TOOLS,
    READ_TOOLS,
    SHELL_TOOLS,
    TEXT_TOOLS,
    Statement,
    result_of,
    statement_of_attachment,
    statement_of_call,
    statements_of_snapshot,
    tool_name,
)
from backscroll.sessions.tree import Node
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = lazily("hashlib")

BACKUP, ABSENT, DELETE, RENAME, PART = "backup", "absent", "delete", "rename", "part"
BACKUP_TYPES = {"file-history-snapshot", "file-history-delta"}
LARGEST_BACKUP = 256 << 20
_PROJECTS = f"{os.sep}projects{os.sep}"


class Change(NamedTuple):
    """What one call or record says about one file."""

    key: bytes
    agent: str | None
    path: str
    folded: str
    kind: str
    """write, edit, read, part, snapshot, backup, absent, delete, rename."""
    tool: str | None
    time: str | None
    is_copy: bool
    outcome: str | None
    """ok, error, refused or staged; None where no result was recorded."""
    call: str | None
    message: str | None
    branch: str
    source: int
    offset: int
    length: int
    answer_source: int | None = None
    answer_offset: int | None = None
    answer_length: int | None = None
    before: bytes | None = None
    after: bytes | None = None
    is_created: bool = False
    other: str | None = None
    """The name of the backup, or the path that a file was renamed to."""


_MESSAGE = Change._fields.index("message")


def content_key(content: str | bytes) -> bytes:
    """Return a short key that is equal for equal content, whatever is lost of line ends and byte order marks."""
    if isinstance(content, str):
        content = content.removeprefix("\ufeff").replace("\r\n", "\n").encode(errors="surrogatepass")
    return fingerprint(content, 12)


class Asked(Struct):
    """A call of a tool that is about files: where it stands, and what it was given."""

    call: str
    name: str
    row: Row
    node: Node
    agent: str | None
    cwd: str | None
    slug: str | None
    input: Any
    """Decoded JSON, or its bytes."""
    answer: Row | None = None
    """The record of its first result."""
    changes: list[Change] = []


class _Backup(NamedTuple):
    """A copy of a file that a record names."""

    source: int
    offset: int
    length: int
    tracked: str
    name: str | None
    time: str | None
    message: str | None


Recall = Callable[[str], Asked | None]
"""Returns a call that was made before the first record that is heard."""


class FileChanges:
    """Hears the records of a conversation, and says in the end what they tell about files."""

    def __init__(self, sources: Sequence[Source], recall: Recall | None = None) -> None:
        self._sources = sources
        self._keys = Keys([source.path for source in sources])
        self._recall = recall
        self._seen: set[tuple[str | None, str]] = set()
        self._asked: dict[tuple[str | None, str], Asked] = {}
        self._early: dict[tuple[str | None, str], tuple[Row, str]] = {}
        """Results that came before their calls."""
        self._stated: list[tuple[Node, list[Change]]] = []
        self._source = 0
        self._backups: list[_Backup] = []
        self._tracked: set[tuple[str, str | None]] = set()
        self._shelves: dict[str, frozenset[str]] | None = None
        """Directories of backups, and what is in them."""

    def begin(self, source: int) -> None:
        """Take the records of another source from now on."""
        self._source = source

    def hear(self, record: Record, head: Head, row: Row | None, node: Node | None, agent: str | None) -> None:
        """Take a record."""
        if row is None:
            if head.type in BACKUP_TYPES:
                self._hear_backups(record)
        elif node is not None:
            if row.calls:
                self._hear_calls(record, head, row, node, agent)
            if row.results:
                self._hear_results(head, row, agent)
            if row.kind in (ATTACHMENT, SYSTEM) and may_state(record.raw):
                self._hear_statement(record, row, node, agent)

    def _hear_calls(self, record: Record, head: Head, row: Row, node: Node, agent: str | None) -> None:
        new = [(call, name) for call, name in row.calls if (agent, call) not in self._seen]
        self._seen.update((agent, call) for call, _ in new)
        wanted = [(call, name) for call, name in new if _is_about_files(name)]
        if not wanted or (all(tool_name(name) in SHELL_TOOLS for _, name in wanted) and not may_remove(record.raw)):
            return
        inputs = {block.id: block.input for block in _blocks(head) if block.id}
        for call, name in wanted:
            given = inputs.get(call)
            asked = Asked(
                call, name, row, node, agent, head.cwd or None, head.slug, None if given is None else bytes(given)
            )
            self._asked[agent, call] = asked
            early = self._early.pop((agent, call), None)
            if early is not None:
                self._answer_by_place(asked, *early)

    def _hear_results(self, head: Head, row: Row, agent: str | None) -> None:
        for call, outcome in zip(row.results, row.outcomes, strict=True):
            asked = self._asked.get((agent, call))
            if asked is None and (agent, call) not in self._seen:
                self._seen.add((agent, call))
                asked = self._recall(call) if self._recall else None
                if asked is not None:
                    self._asked[agent, call] = asked
                else:
                    self._early[agent, call] = (row, outcome)
                    self._seen.discard((agent, call))
            if asked is not None and asked.answer is None:
                asked.answer = row
                self._take(asked, self._statement(asked, head, row), outcome)

    def _statement(self, asked: Asked, head: Head, row: Row) -> Statement | None:
        """Return what a call says about a file, from the head of the record of its answer."""
        tool = tool_name(asked.name)
        if tool in SHELL_TOOLS:
            return None
        blocks = _blocks(head)
        results = [block for block in blocks if block.type == "tool_result"]
        detail = _loaded(head.toolUseResult) if len(results) <= 1 else None
        block = next((block for block in blocks if block.tool_use_id == asked.call and _is_result(block)), None)
        is_error = bool(block is not None and block.is_error)
        text = None
        if tool in READ_TOOLS and (is_error or not (isinstance(detail, dict) and isinstance(detail.get("file"), dict))):
            text = self._text(asked.call, head, block, row)
        return statement_of_call(asked.name, _input(asked), text, detail, is_error=is_error)

    def _text(self, call: str, head: Head, block: Block | None, row: Row) -> str | None:
        """Return the text of a result; where that is only a notice of a larger output, the output."""
        content = head.message.content if head.message else None
        if block is None:
            return content if isinstance(content, str) else None
        shown = {"type": block.type, "tool_use_id": call, "content": _loaded(block.content)}
        part = result_part(call, [shown])
        return _whole_text(part.text if part else None, self._sources[row.source].path)

    def _answer_by_place(self, asked: Asked, row: Row, outcome: str) -> None:
        """Take a result that came before its call."""
        asked.answer = row
        source = self._sources[row.source]
        answered = Answered(decoded(source.read(row.offset, row.length)), source.path)
        self._take(asked, read_call(asked.name, _input(asked), asked.call, answered), outcome)

    def _take(self, asked: Asked, statement: Statement | None, outcome: str | None) -> None:
        if tool_name(asked.name) in SHELL_TOOLS:
            asked.changes = list(self._removed(asked, outcome))
        elif statement is not None and (path := statement.path or _plan_path(asked)):
            asked.changes = [self._change(asked.row, statement, path, asked.cwd, statement.failure or outcome, asked)]
        asked.input = None

    def _removed(self, asked: Asked, outcome: str | None) -> Iterator[Change]:
        given = _input(asked)
        command = given.get("command") if isinstance(given, dict) else None
        if outcome != OK or not isinstance(command, str):
            return
        for number, (path, target) in enumerate(removals(command, asked.cwd)):
            statement = Statement(DELETE if target is None else RENAME, path)
            change = self._change(asked.row, statement, path, asked.cwd, outcome, asked)
            yield change._replace(key=change.key + bytes([number % 256]), other=storable(target))

    def _hear_statement(self, record: Record, row: Row, node: Node, agent: str | None) -> None:
        value = decoded(record.raw)
        cwd = value.get("cwd")
        found = []
        for number, statement in enumerate(read_record(value)):
            if statement.path:
                cwd = cwd if isinstance(cwd, str) and cwd else None
                change = self._change(row, statement, statement.path, cwd, OK)
                found.append(change._replace(key=change.key + bytes([number % 256]), agent=agent))
        if found:
            self._stated.append((node, found))

    def _change(  # noqa: PLR0913, PLR0917 - all that a change is made of
        self,
        row: Row,
        statement: Statement,
        named: str,
        cwd: str | None,
        outcome: str | None,
        asked: Asked | None = None,
    ) -> Change:
        path = _absolute(named, cwd, self._sources[row.source].path)
        after = statement.data if statement.data is not None else result_of(statement, None)
        answer = asked.answer if asked else None
        return Change(
            key=self._keys.call(asked.call, row) if asked else self._keys.origin(row),
            agent=asked.agent if asked else None,
            path=path,
            folded=_folded(path),
            kind=_kind(statement, after),
            tool=storable(asked.name) if asked else None,
            time=(answer or row).moment,
            is_copy=row.copied_from is not None,
            outcome=outcome,
            call=storable(asked.call) if asked else None,
            message=None,
            branch=MAIN,
            source=row.source,
            offset=row.offset,
            length=row.length,
            answer_source=answer.source if answer else None,
            answer_offset=answer.offset if answer else None,
            answer_length=answer.length if answer else None,
            before=None if statement.before is None else content_key(statement.before),
            after=None if after is None else content_key(after),
            is_created=statement.is_created,
        )

    def _hear_backups(self, record: Record) -> None:
        value = decoded(record.raw)
        message = value.get("messageId")
        for tracked, backup in tracked_backups(value):
            name = backup.get("backupFileName")
            name = name if isinstance(name, str) and _is_plain_name(name) else None
            if (tracked, name) not in self._tracked:
                self._tracked.add((tracked, name))
                said = storable(message) if isinstance(message, str) else None
                time = stored_moment(backup.get("backupTime"))
                self._backups.append(_Backup(self._source, record.offset, record.length, tracked, name, time, said))

    def changes(self, cwds: Sequence[str], known: Iterable[tuple[str, str | None]] = ()) -> Iterator[Change]:
        """Yield what was heard about files, once the trees are made.

        `cwds` are the directories that the conversation was held in; `known` are path and name of backups that were
        told before.
        """
        for asked in self._asked.values():
            if asked.answer is None:
                given = statement_of_call(asked.name, _input(asked), None, None, is_error=False)
                self._take(asked, given, None)
            yield from _placed(asked.node, asked.changes)
        for node, found in self._stated:
            yield from _placed(node, found)
        seen = set(known)
        for backup in self._backups:
            change = self._backup_change(backup, cwds)
            if (change.path, change.other) not in seen:
                seen.add((change.path, change.other))
                yield change

    def _backup_change(self, backup: _Backup, cwds: Sequence[str]) -> Change:
        path = _tracked_path(backup.tracked, backup.name, cwds, self._sources[backup.source].path)
        data = self._backup_bytes(backup.name) if backup.name else None
        text = decode_file(data) if data is not None else None
        identity = f"{folded(path)}\0{backup.name}\0{backup.time}"
        return Change(
            key=fingerprint(identity.encode(errors="replace"), 16),
            agent=None,
            path=path,
            folded=_folded(path),
            kind=BACKUP if backup.name else ABSENT,
            tool=None,
            time=backup.time,
            is_copy=False,
            outcome=OK,
            call=None,
            message=backup.message,
            branch=MAIN,
            source=backup.source,
            offset=backup.offset,
            length=backup.length,
            after=None if data is None else content_key(data if text is None else text.text),
            other=storable(backup.name),
        )

    def _backup_bytes(self, name: str) -> bytes | None:
        if self._shelves is None:
            directories = backup_directories(source.path for source in self._sources)
            self._shelves = {directory: _names_in(directory) for directory in directories}
        for directory, names in self._shelves.items():
            if name in names:
                try:
                    return read_small(os.path.join(directory, name), LARGEST_BACKUP)
                except OSError:
                    continue
        return None


@lru_cache(1 << 12)
def _absolute(path: str, cwd: str | None, transcript: str) -> str:
    return storable(absolute(path, cwd, transcript)) or ""


@lru_cache(1 << 12)
def _folded(path: str) -> str:
    return folded(path)


def _placed(node: Node, changes: Iterable[Change]) -> Iterator[Change]:
    """Yield changes with the message and the branch that they stand in."""
    said = (storable(node.head.id), node.branch)
    return (Change._make((*change[:_MESSAGE], *said, *change[_MESSAGE + 2 :])) for change in changes)


def _blocks(head: Head) -> list[Block]:
    content = head.message.content if head.message else None
    return [block for block in content if isinstance(block, Block)] if isinstance(content, list) else []


def _is_result(block: Block) -> bool:
    return (block.type or "").endswith("tool_result")


def _input(asked: Asked) -> Any:
    return _loaded(asked.input) if isinstance(asked.input, bytes) else asked.input


def _loaded(raw: Raw | bytes) -> Any:
    """Decode a part of a record: quickly, and with the repairs of a lenient reading where needed."""
    data = memoryview(raw)
    try:
        return orjson.loads(data) if data.nbytes else None
    except ValueError:
        try:
            return value_of(bytes(raw))[0]
        except ValueError:
            return None


def _plan_path(asked: Asked) -> str | None:
    """Return where a plan is kept whose call does not say so: under the name that the session gave it."""
    is_named = tool_name(asked.name) in PLAN_TOOLS and asked.slug and _is_plain_name(asked.slug)
    return f"~/.claude/plans/{asked.slug}.md" if is_named else None


def _kind(statement: Statement, after: object) -> str:
    if statement.is_absent:
        return ABSENT
    return PART if statement.kind == "read" and after is None else statement.kind


def _is_about_files(name: str) -> bool:
    tool = tool_name(name)
    return tool in TEXT_TOOLS or tool in SHELL_TOOLS


def decoded(raw: bytes) -> dict[str, Any]:
    """Decode a record for what it says about files: quickly, and with the repairs of a lenient reading where needed."""
    try:
        value = orjson.loads(raw)
    except ValueError:
        try:
            value, _ = value_of(raw)
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}


def inputs_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs of the calls that a record holds, by their ids."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    return {str(block.get("id")): block.get("input") for block in blocks if isinstance(block, dict)}


class Answered(NamedTuple):
    """The record that answers a call, and the transcript that it lies in."""

    record: dict[str, Any]
    transcript: str


def read_call(name: str, asked: Any, call: str, answer: Answered | None) -> Statement | None:
    """Return what a call says about a file, from the record of its answer."""
    if answer is None:
        return statement_of_call(name, asked, None, None, is_error=False)
    message = answer.record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    part = result_part(call, blocks)
    results = sum(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)
    detail = answer.record.get("toolUseResult") if results <= 1 else None
    text = part.text if part else content if isinstance(content, str) else None
    text = _whole_text(text, answer.transcript)
    return statement_of_call(name, asked, text, detail, is_error=bool(part and part.data.get("error")))


def _whole_text(text: str | None, transcript: str) -> str | None:
    """Return the output that lies in a file of its own, where a text is only a notice of it."""
    if text is None or not (name := persisted_name(text)):
        return text
    _, whole = whole_output(name, output_directories([transcript])) or (None, text)
    return whole


def may_state(record: bytes) -> bool:
    """Say whether it is worth decoding an attachment's or a notice's bytes."""
    return any(
        word in record
        for word in (b"edited_text_file", b'"file"', b"file_snapshot", b"plan_file_reference", b"nested_memory")
    )


def read_record(record: dict[str, Any]) -> Iterator[Statement]:
    """Yield what an attachment or a notice says about files."""
    attachment = record.get("attachment")
    if isinstance(attachment, dict):
        yield from statement_of_attachment(attachment)
    elif record.get("subtype") == "file_snapshot":
        yield from statements_of_snapshot(record)


def _names_in(directory: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(directory))
    except OSError:
        return frozenset()


def _tracked_path(tracked: str, name: str | None, cwds: Sequence[str], transcript: str) -> str:
    """Return the path of a tracked file: relative to that working directory by which its backup is named."""
    paths = [_absolute(tracked, cwd, transcript) for cwd in cwds] or [_absolute(tracked, None, transcript)]
    if name is None or len(paths) == 1:
        return paths[0]
    return next((path for path in paths if name.startswith(backup_stem(path))), paths[0])


def backup_stem(path: str) -> str:
    """Return how the backups of a file are named, up to their version."""
    return hashlib.sha256(path.encode(errors="surrogatepass")).hexdigest()[:16]


def backup_directories(transcripts: Iterator[str]) -> Iterator[str]:
    """Yield where the backups lie that belong to transcripts."""
    for path in transcripts:
        config, found, inner = path.rpartition(_PROJECTS)
        if found:
            session = inner.split(os.sep)[1].split(".jsonl")[0] if os.sep in inner else ""
            yield os.path.join(config, "file-history", session)


def tracked_backups(record: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield path and backup as a file-history record, a whole one or a difference, names them."""
    snapshot = record.get("snapshot")
    tracked = snapshot.get("trackedFileBackups") if isinstance(snapshot, dict) else None
    if isinstance(tracked, dict):
        yield from ((path, backup) for path, backup in tracked.items() if isinstance(backup, dict))
    path, backup = record.get("trackingPath"), record.get("backup")
    if isinstance(path, str) and isinstance(backup, dict):
        yield path, backup


def _is_plain_name(name: str) -> bool:
    return bool(name) and not any(mark in name for mark in "/\\\0") and name not in (".", "..")


def storable(text: str | None) -> str | None:
    """Return a text as every database can hold it: lone surrogates become escapes."""
    return text.encode(errors="backslashreplace").decode() if text else text
