"""Traces: what a conversation's records say about files, one light entry for each, with the places of the records.

Contents stay in the transcripts.  A trace keeps short keys of the text before and after a change, so that a list of
files and of their versions needs no transcript; the texts are read by place when somebody asks for them.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from backscroll.files import read_small
from backscroll.formats.lenient import value_of
from backscroll.lazy import lazily
from backscroll.sessions.calls import result_part
from backscroll.sessions.conversation import Conversation
from backscroll.sessions.digest import call_key, origin_key, stored_moment, trees_of
from backscroll.sessions.filebytes import decode_file
from backscroll.sessions.filepaths import absolute, folded
from backscroll.sessions.fingerprint import fingerprint
from backscroll.sessions.model import MAIN
from backscroll.sessions.outcomes import OK
from backscroll.sessions.outputs import output_directories, persisted_name, whole_output
from backscroll.sessions.rows import ATTACHMENT, SYSTEM, Row
from backscroll.sessions.shell import may_remove, removals
from backscroll.sessions.statements import (
    PLAN_TOOLS,
    SHELL_TOOLS,
    TEXT_TOOLS,
    Statement,
    result_of,
    statement_of_attachment,
    statement_of_call,
    statements_of_snapshot,
    tool_name,
)
from backscroll.sessions.tree import Node, Tree
from backscroll.value import NamedTuple

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = lazily("hashlib")

BACKUP, ABSENT, DELETE, RENAME, PART = "backup", "absent", "delete", "rename", "part"
LARGEST_BACKUP = 256 << 20
_PROJECTS = f"{os.sep}projects{os.sep}"


class Spot(NamedTuple):
    """Where a record lies: the number of its file in the conversation, offset and length."""

    source: int
    offset: int
    length: int


class Trace(NamedTuple):
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


def content_key(content: str | bytes) -> bytes:
    """Return a short key that is equal for equal content, whatever is lost of line ends and byte order marks."""
    if isinstance(content, str):
        content = content.removeprefix("\ufeff").replace("\r\n", "\n").encode(errors="surrogatepass")
    return fingerprint(content, 12)


def traces(conversation: Conversation, known: Iterable[Trace] = ()) -> Iterator[Trace]:
    """Yield the traces of files in a conversation, call by call and record by record.

    `known` are those in what was known of its files from an earlier reading.
    """
    earlier = _Earlier(known, conversation.known)
    for agent, tree in trees_of(conversation):
        yield from _TreeReader(conversation, agent, tree, earlier).traces()
    yield from _backups(conversation, earlier)


class _Earlier:
    """The traces that an earlier reading found, up to the ends of that reading."""

    def __init__(self, known: Iterable[Trace], ends: Sequence[int]) -> None:
        self._ends = ends
        self._by_record: dict[tuple[int, int], list[Trace]] = defaultdict(list)
        for trace in known:
            self._by_record[trace.source, trace.offset].append(trace)

    def holds(self, *places: tuple[int, int]) -> bool:
        """Say whether everything at some places, each a source and an offset, was read then."""
        return bool(self._ends) and all(offset < self._ends[source] for source, offset in places)

    def at(self, source: int, offset: int) -> list[Trace]:
        """Return the traces of one record."""
        return self._by_record.get((source, offset), [])


class _TreeReader:
    """Reads the traces of one tree."""

    def __init__(self, conversation: Conversation, agent: str | None, tree: Tree, earlier: _Earlier) -> None:
        self._conversation = conversation
        self._agent = agent
        self._tree = tree
        self._earlier = earlier
        self._answers: dict[str, tuple[Row, str]] = {}
        for node in tree.nodes:
            for row in node.rows:
                for call, outcome in zip(row.results, row.outcomes, strict=True):
                    self._answers.setdefault(call, (row, outcome))

    def traces(self) -> Iterator[Trace]:
        seen: set[str] = set()
        for node in self._tree.nodes:
            for row in node.rows:
                wanted = [(call, name) for call, name in row.calls if call not in seen and _is_wanted(name)]
                seen.update(call for call, _ in wanted)
                if not wanted and row.kind not in (ATTACHMENT, SYSTEM):
                    continue
                if self._is_known(row, wanted):
                    yield from self._known(node, row)
                elif wanted:
                    yield from self._of_calls(node, row, wanted)
                else:
                    yield from self._of_record(node, row)

    def _is_known(self, row: Row, wanted: list[tuple[str, str]]) -> bool:
        """Say whether an earlier reading had seen a record and the answers to its calls."""
        answers = [self._answers[call][0] for call, _ in wanted if call in self._answers]
        return self._earlier.holds(*((item.source, item.offset) for item in (row, *answers)))

    def _known(self, node: Node, row: Row) -> Iterator[Trace]:
        message = _storable(node.head.id)
        for trace in self._earlier.at(row.source, row.offset):
            yield trace._replace(message=message, branch=node.branch)

    def _of_calls(self, node: Node, row: Row, wanted: list[tuple[str, str]]) -> Iterator[Trace]:
        raw = self._raw(row)
        if all(tool_name(name) in SHELL_TOOLS for _, name in wanted) and not may_remove(raw):
            return
        record = decoded(raw)
        inputs = inputs_of(record)
        for call, name in wanted:
            answer, outcome = self._answers.get(call, (None, None))
            said = _Said(node, row, record, call, name, answer, outcome)
            if tool_name(name) in SHELL_TOOLS:
                yield from self._removed(said, inputs.get(call))
                continue
            answered = self._answered(answer) if answer else None
            statement = read_call(name, inputs.get(call), call, answered)
            path = (statement.path or _plan_path(name, record)) if statement else None
            if statement is not None and path:
                said = said._replace(outcome=statement.failure or outcome)
                yield self._trace(said, statement._replace(path=path))

    def _answered(self, row: Row) -> "Answered":
        return Answered(decoded(self._raw(row)), self._conversation.sources[row.source].path)

    def _raw(self, row: Row) -> bytes:
        return self._conversation.sources[row.source].read(row.offset, row.length)

    def _removed(self, said: "_Said", asked: Any) -> Iterator[Trace]:
        command = asked.get("command") if isinstance(asked, dict) else None
        if said.outcome != OK or not isinstance(command, str):
            return
        for number, (path, target) in enumerate(removals(command, _cwd(said.record))):
            trace = self._trace(said, Statement(DELETE if target is None else RENAME, path))
            yield trace._replace(key=trace.key + bytes([number % 256]), other=_storable(target))

    def _of_record(self, node: Node, row: Row) -> Iterator[Trace]:
        raw = self._raw(row)
        if not may_state(raw):
            return
        said = _Said(node, row, decoded(raw), outcome=OK)
        for number, statement in enumerate(read_record(said.record)):
            if statement.path:
                trace = self._trace(said, statement)
                yield trace._replace(key=trace.key + bytes([number % 256]))

    def _trace(self, said: "_Said", statement: Statement) -> Trace:
        conversation, row, answer = self._conversation, said.row, said.answer
        path = absolute(str(statement.path), _cwd(said.record), conversation.sources[row.source].path)
        after = statement.data if statement.data is not None else result_of(statement, None)
        return Trace(
            key=call_key(said.call, row, conversation) if said.call else origin_key(row, conversation),
            agent=self._agent,
            path=_storable(path) or "",
            folded=_storable(folded(path)) or "",
            kind=_kind(statement, after),
            tool=_storable(said.tool),
            time=stored_moment((answer or row).time),
            is_copy=row.copied_from is not None,
            outcome=said.outcome,
            call=_storable(said.call),
            message=_storable(said.node.head.id),
            branch=said.node.branch,
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


class _Said(NamedTuple):
    """A record that says something about files: where it stands, and for a call how it ended."""

    node: Node
    row: Row
    record: dict[str, Any]
    call: str | None = None
    tool: str | None = None
    answer: Row | None = None
    outcome: str | None = None


def _plan_path(name: str, record: dict[str, Any]) -> str | None:
    """Return where a plan is kept whose call does not say so: under the name that the session gave it."""
    slug = record.get("slug")
    is_named = tool_name(name) in PLAN_TOOLS and isinstance(slug, str) and _is_plain_name(slug)
    return f"~/.claude/plans/{slug}.md" if is_named else None


def _kind(statement: Statement, after: object) -> str:
    if statement.is_absent:
        return ABSENT
    return PART if statement.kind == "read" and after is None else statement.kind


def _is_wanted(name: str) -> bool:
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
    if text is not None and (output := persisted_name(text)):
        _, text = whole_output(output, output_directories([answer.transcript])) or (None, text)
    return statement_of_call(name, asked, text, detail, is_error=bool(part and part.data.get("error")))


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


def _backups(conversation: Conversation, earlier: _Earlier) -> Iterator[Trace]:
    """Yield the copies of files that Claude Code made before it changed them, each once."""
    seen: set[tuple[str, str | None]] = set()
    for spot in conversation.facts.backups:
        found = earlier.at(*spot[:2]) if earlier.holds(spot[:2]) else _backups_at(conversation, Spot(*spot), seen)
        for trace in found:
            seen.add((trace.path, trace.other))
            yield trace


def _backups_at(conversation: Conversation, spot: Spot, seen: set[tuple[str, str | None]]) -> Iterator[Trace]:
    """Yield what one record names beyond what was seen already."""
    source = conversation.sources[spot.source]
    record = decoded(source.read(spot.offset, spot.length))
    cwds = list(conversation.facts.cwds)
    message = record.get("messageId")
    for tracked, backup in tracked_backups(record):
        name = backup.get("backupFileName")
        name = name if isinstance(name, str) and _is_plain_name(name) else None
        path = _tracked_path(tracked, name, cwds, source.path)
        if (_storable(path), _storable(name)) not in seen:
            trace = _backup_trace(conversation, spot, path, name, stored_moment(backup.get("backupTime")))
            yield trace._replace(message=_storable(message) if isinstance(message, str) else None)


def _tracked_path(tracked: str, name: str | None, cwds: list[str], transcript: str) -> str:
    """Return the path of a tracked file: relative to that working directory by which its backup is named."""
    paths = [absolute(tracked, cwd, transcript) for cwd in cwds] or [absolute(tracked, None, transcript)]
    if name is None or len(paths) == 1:
        return paths[0]
    return next((path for path in paths if name.startswith(backup_stem(path))), paths[0])


def backup_stem(path: str) -> str:
    """Return how the backups of a file are named, up to their version."""
    return hashlib.sha256(path.encode(errors="surrogatepass")).hexdigest()[:16]


def _backup_trace(conversation: Conversation, spot: Spot, path: str, name: str | None, time: str | None) -> Trace:
    data = _backup_bytes(conversation, name) if name else None
    text = decode_file(data) if data is not None else None
    identity = f"{folded(path)}\0{name}\0{time}"
    return Trace(
        key=fingerprint(identity.encode(errors="replace"), 16),
        agent=None,
        path=_storable(path) or "",
        folded=_storable(folded(path)) or "",
        kind=BACKUP if name else ABSENT,
        tool=None,
        time=time,
        is_copy=False,
        outcome=OK,
        call=None,
        message=None,
        branch=MAIN,
        source=spot.source,
        offset=spot.offset,
        length=spot.length,
        after=None if data is None else content_key(data if text is None else text.text),
        other=_storable(name),
    )


def _backup_bytes(conversation: Conversation, name: str) -> bytes | None:
    for directory in backup_directories(source.path for source in conversation.sources):
        try:
            return read_small(os.path.join(directory, name), LARGEST_BACKUP)
        except OSError:
            continue
    return None


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


def _cwd(record: dict[str, Any]) -> str | None:
    cwd = record.get("cwd")
    return cwd if isinstance(cwd, str) and cwd else None


def _storable(text: str | None) -> str | None:
    return text.encode(errors="backslashreplace").decode() if text else text
