"""File changes: the statements of a conversation's records about files, one small entry each, with places.

Contents stay in the transcripts.  An entry keeps short keys of the text before and after a change, so that a list of
files and versions needs no transcript.  Recovery reads the texts by place.
`FileChanges` gets each record once, while it is decoded.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from backscroll.records import Record
from backscroll.sessions.file_changes.backups import BACKUP_TYPES, Backups
from backscroll.sessions.file_changes.change import (
    ABSENT,
    DELETE,
    PART,
    RENAME,
    Change,
    absolute_path,
    content_key,
    folded_path,
    is_plain_name,
    storable,
)
from backscroll.sessions.file_changes.shell import may_remove, removals
from backscroll.sessions.file_changes.statements import (
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
from backscroll.sessions.reading.outputs import output_directories, persisted_name, whole_output
from backscroll.sessions.reading.results import result_block, text_of_answer, text_of_result
from backscroll.sessions.session import MAIN
from backscroll.sessions.transcript.heads import Block, Head, decoded, decoded_object
from backscroll.sessions.transcript.keys import Keys
from backscroll.sessions.transcript.outcomes import OK
from backscroll.sessions.transcript.rows import ATTACHMENT, SYSTEM, Row
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.sessions.transcript.tree import Node

_MESSAGE = Change._fields.index("message")


class Asked(Struct):
    """A call of a file tool: its place and its input."""

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


Recall = Callable[[str], Asked | None]
"""Returns a call from before the first record that we read."""


class FileChanges:
    """Gets the records of a conversation, and yields their statements about files at the end."""

    def __init__(self, sources: Sequence[TranscriptSource], keys: Keys, recall: Recall | None = None) -> None:
        self._sources = sources
        self._keys = keys
        self._recall = recall
        self._seen: set[tuple[str | None, str]] = set()
        self._asked: dict[tuple[str | None, str], Asked] = {}
        self._early: dict[tuple[str | None, str], tuple[Row, str]] = {}
        """Results that came before their calls."""
        self._stated: list[tuple[Node, list[Change]]] = []
        self._source = 0
        self._backups = Backups(sources)

    def begin(self, source: int) -> None:
        """Expect records of another source from now on."""
        self._source = source

    def hear(self, record: Record, head: Head, row: Row | None, node: Node | None, agent: str | None) -> None:
        """Add a record."""
        if row is None:
            if head.type in BACKUP_TYPES:
                self._backups.hear(self._source, record)
        elif node is not None:
            if row.calls:
                self._hear_calls(record, head, row, node, agent)
            if row.results:
                self._hear_results(head, row, agent)
            if row.kind in (ATTACHMENT, SYSTEM) and may_state(record.raw):
                self._hear_statement(record, row, node, agent)

    def _hear_calls(self, record: Record, head: Head, row: Row, node: Node, agent: str | None) -> None:
        wanted = []
        for call, name in row.calls:
            if (agent, call) not in self._seen:
                self._seen.add((agent, call))
                tool = tool_name(name)
                if tool in TEXT_TOOLS or (tool in SHELL_TOOLS and may_remove(record.raw)):
                    wanted.append((call, name))
        if not wanted:
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
        """Return the statement of a call about a file, from the head of the record of its result."""
        tool = tool_name(asked.name)
        if tool in SHELL_TOOLS:
            return None
        blocks = _blocks(head)
        results = [block for block in blocks if block.type == "tool_result"]
        detail = decoded(head.toolUseResult) if len(results) <= 1 else None
        block = next((block for block in blocks if block.tool_use_id == asked.call and _is_result(block)), None)
        is_error = bool(block is not None and block.is_error)
        text = None
        if tool in READ_TOOLS and (is_error or not (isinstance(detail, dict) and isinstance(detail.get("file"), dict))):
            text = self._text(head, block, row)
        return statement_of_call(asked.name, _input(asked), text, detail, is_error=is_error)

    def _text(self, head: Head, block: Block | None, row: Row) -> str | None:
        """Return the text of a result; for a notice of a larger output, return that output."""
        content = head.message.content if head.message else None
        if block is None:
            return content if isinstance(content, str) else None
        return _whole_text(text_of_result(decoded(block.content)), self._sources[row.source].path)

    def _answer_by_place(self, asked: Asked, row: Row, outcome: str) -> None:
        """Keep a result that came before its call."""
        asked.answer = row
        source = self._sources[row.source]
        answered = Answered(decoded_object(source.read(row.offset, row.length)), source.path)
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
        value = decoded_object(record.raw)
        cwd = value.get("cwd")
        found = []
        for number, statement in enumerate(read_record(value)):
            if statement.path:
                cwd = cwd if isinstance(cwd, str) and cwd else None
                change = self._change(row, statement, statement.path, cwd, OK)
                found.append(change._replace(key=change.key + bytes([number % 256]), agent=agent))
        if found:
            self._stated.append((node, found))

    def _change(  # noqa: PLR0913, PLR0917 - one argument per part of a change
        self,
        row: Row,
        statement: Statement,
        named: str,
        cwd: str | None,
        outcome: str | None,
        asked: Asked | None = None,
    ) -> Change:
        path = absolute_path(named, cwd, self._sources[row.source].path)
        after = statement.data if statement.data is not None else result_of(statement, None)
        answer = asked.answer if asked else None
        return Change(
            key=self._keys.call(asked.call, row) if asked else self._keys.origin(row),
            agent=asked.agent if asked else None,
            path=path,
            folded=folded_path(path),
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

    def changes(self, cwds: Sequence[str], known: Iterable[tuple[str, str | None]] = ()) -> Iterator[Change]:
        """Yield the changes, once the trees are complete.

        `cwds` are the working directories of the conversation; `known` has path and name of backups that earlier
        records name.
        """
        for asked in self._asked.values():
            if asked.answer is None:
                given = statement_of_call(asked.name, _input(asked), None, None, is_error=False)
                self._take(asked, given, None)
            yield from _placed(asked.node, asked.changes)
        for node, found in self._stated:
            yield from _placed(node, found)
        yield from self._backups.changes(cwds, known)


def _placed(node: Node, changes: Iterable[Change]) -> Iterator[Change]:
    """Yield changes with their message and their branch."""
    said = (storable(node.head.id), node.branch)
    return (Change._make((*change[:_MESSAGE], *said, *change[_MESSAGE + 2 :])) for change in changes)


def _blocks(head: Head) -> list[Block]:
    content = head.message.content if head.message else None
    return [block for block in content if isinstance(block, Block)] if isinstance(content, list) else []


def _is_result(block: Block) -> bool:
    return (block.type or "").endswith("tool_result")


def _input(asked: Asked) -> Any:
    return decoded(asked.input) if isinstance(asked.input, bytes) else asked.input


def _plan_path(asked: Asked) -> str | None:
    """Return the path of a plan whose call has none: the session's name for it gives the path."""
    is_named = tool_name(asked.name) in PLAN_TOOLS and asked.slug and is_plain_name(asked.slug)
    return f"~/.claude/plans/{asked.slug}.md" if is_named else None


def _kind(statement: Statement, after: object) -> str:
    if statement.is_absent:
        return ABSENT
    return PART if statement.kind == "read" and after is None else statement.kind


def inputs_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs of the calls in a record, by id."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    return {str(block.get("id")): block.get("input") for block in blocks if isinstance(block, dict)}


class Answered(NamedTuple):
    """The record that answers a call, and its transcript."""

    record: dict[str, Any]
    transcript: str


def read_call(name: str, asked: Any, call: str, answer: Answered | None) -> Statement | None:
    """Return the statement of a call about a file, from the record of its result."""
    if answer is None:
        return statement_of_call(name, asked, None, None, is_error=False)
    message = answer.record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    block = result_block(call, content)
    results = sum(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)
    detail = answer.record.get("toolUseResult") if results <= 1 else None
    text = _whole_text(text_of_answer(block, content), answer.transcript)
    is_error = block is not None and block.get("is_error") is True
    return statement_of_call(name, asked, text, detail, is_error=is_error)


def _whole_text(text: str | None, transcript: str) -> str | None:
    """Return the output in a file of its own, if the text is only a notice of it."""
    if text is None or not (name := persisted_name(text)):
        return text
    _, whole = whole_output(name, output_directories([transcript])) or (None, text)
    return whole


def may_state(record: bytes) -> bool:
    """Return True if the bytes of an attachment or notice are worth decoding."""
    return any(
        word in record
        for word in (b"edited_text_file", b'"file"', b"file_snapshot", b"plan_file_reference", b"nested_memory")
    )


def read_record(record: dict[str, Any]) -> Iterator[Statement]:
    """Yield the statements of an attachment or a notice about files."""
    attachment = record.get("attachment")
    if isinstance(attachment, dict):
        yield from statement_of_attachment(attachment)
    elif record.get("subtype") == "file_snapshot":
        yield from statements_of_snapshot(record)
