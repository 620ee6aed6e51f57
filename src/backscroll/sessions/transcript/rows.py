"""Rows: the records of a transcript that make its tree, each as a small entry with its place.

Input: the heads of a file.  Output: `Row` values in file order; `Facts` gets all statements beside the tree
(titles, working directories, agents).
Texts, inputs and results stay in the files until a caller asks for them.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from msgspec import UNSET, Struct

from backscroll.records import Record
from backscroll.sessions.transcript import outcomes, prompts
from backscroll.sessions.transcript.facts import Facts, queued_text
from backscroll.sessions.transcript.fingerprint import text_key
from backscroll.sessions.transcript.heads import (
    Block,
    ForkedFrom,
    Head,
    MessageHead,
    UsageHead,
    decoded,
    head_of,
    is_there,
)
from backscroll.sessions.transcript.moments import stored_moment

TREE_TYPES = {"user", "assistant", "system", "attachment", "progress"}
ASSISTANT, SYNTHETIC, BOUNDARY, SYSTEM, ATTACHMENT, QUEUED, PROGRESS, OTHER = (
    "assistant",
    "synthetic",
    "boundary",
    "system",
    "attachment",
    "queued",
    "progress",
    "other",
)
USER_KINDS = {prompts.TYPED, prompts.PROMPT, prompts.COMMAND, prompts.PLAN, QUEUED}
SPOKEN_KINDS = USER_KINDS | {ASSISTANT}
"""The kinds that count as messages of a conversation."""
BRANCH_KINDS = SPOKEN_KINDS - {prompts.COMMAND}
"""Prompts and answers: a path without either is no branch."""
_ROLES = {ASSISTANT: "assistant", prompts.RESULTS: "tool"} | dict.fromkeys(USER_KINDS, "user")
LAST_PLACEHOLDER_VERSION = (2, 1, 97)
LABEL_LENGTH = 300
PRICE_LIMITS = (200_000, 100_000)
"""The prompt lengths at which the price of some model changes, the greatest first."""


class Tokens(NamedTuple):
    """The usage of one record; None for a missing count."""

    input: int | None
    output: int | None
    cache_write: int | None
    cache_read: int | None
    cache_write_5m: int | None
    cache_write_1h: int | None
    is_lower_bound: bool
    cost: float | None
    """The price of this message according to Claude Code."""
    web_searches: int | None = None
    web_fetches: int | None = None
    tier: str | None = None
    speed: str | None = None
    geo: str | None = None
    branch: str | None = None
    """The current git branch."""

    @property
    def context(self) -> int:
        """The length of the prompt, cached or not."""
        return (self.input or 0) + (self.cache_write or 0) + (self.cache_read or 0)

    @property
    def price_class(self) -> int:
        """The greatest limit that the prompt exceeds, or 0."""
        length = self.context
        return next((limit for limit in PRICE_LIMITS if length > limit), 0)


class Row(Struct, array_like=True, gc=False, eq=False):
    """One record of the tree: its ids, its parent, its kind and its place."""

    source: int
    line: int
    offset: int
    length: int
    uuid: str | None
    is_root: bool
    parent: str | None
    time: str | int | float | None
    is_sidechain: bool
    agent: str | None
    copied_from: ForkedFrom | None
    kind: str = OTHER
    group: str | None = None
    request: str | None = None
    model: str | None = None
    tokens: Tokens | None = None
    calls: tuple[tuple[str, str], ...] = ()
    targets: tuple[str | None, ...] = ()
    """The target of each call: a file, a skill, a type of agent."""
    results: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    """The outcome of the call of each result."""
    label: str | None = None
    text_key: bytes | None = None
    block: int | None = None
    moment: str | None = None
    """Its time for the index; None if it is not plausible."""

    @property
    def id(self) -> str:
        """The record's own id, or its place if it has none."""
        return self.uuid or f"line-{self.line}"

    @property
    def role(self) -> str:
        """Its speaker."""
        return _ROLES.get(self.kind, "system")

    @property
    def is_spoken(self) -> bool:
        """True if it is part of the conversation of people and model."""
        return self.kind in SPOKEN_KINDS


def row_of(record: Record, head: Head, source: int = 0) -> Row:
    """Return a record as a row with only its place, its links and its time."""
    row = Row(
        source,
        record.line,
        record.offset,
        record.length,
        head.uuid,
        head.parentUuid is None,
        None if head.parentUuid is UNSET else head.parentUuid,
        head.timestamp,
        bool(head.isSidechain),
        head.agentId,
        head.forkedFrom if head.requestSessionId is None else _copied_from(head),
    )
    row.moment = stored_moment(head.timestamp)
    return row


def _copied_from(head: Head) -> ForkedFrom | None:
    """Return the original of a copied record: the record that it names, else the session of its request."""
    if head.forkedFrom is not None or head.requestSessionId == head.sessionId:
        return head.forkedFrom
    return ForkedFrom(head.requestSessionId)


def rows_of(records: Iterable[Record], source: int, facts: Facts) -> Iterator[tuple[Record, Head, Row | None]]:
    """Yield each record with its head, and its row if it is part of the tree; all others state facts."""
    fillers = _FILLERS
    for record in records:
        head = head_of(record.value)
        facts.note(head, source)
        fill = fillers.get(head.type)
        if fill is not None:
            row = row_of(record, head, source)
            fill(row, head, facts)
            yield record, head, row
        elif head.uuid is not None and head.parentUuid is not UNSET:
            yield record, head, row_of(record, head, source)
        else:
            yield record, head, None


def _text_and_blocks(message: MessageHead | None) -> tuple[str, list[Block]]:
    content = message.content if message else None
    if isinstance(content, str):
        return content, []
    if content and len(content) == 1 and type(block := content[0]) is Block:  # nearly every record
        return (block.text or "") if block.type == "text" else "", [block]
    blocks, texts = [], []
    for block in content or ():
        if type(block) is Block:
            blocks.append(block)
            if block.type == "text" and block.text:
                texts.append(block.text)
        else:
            texts.append(str(block))
    return (texts[0] if len(texts) == 1 else "\n".join(texts)), blocks


def _fill_user(row: Row, head: Head, facts: Facts) -> None:
    text, blocks = _text_and_blocks(head.message)
    _fill_results(row, blocks, head)
    has_results = is_there(head.toolUseResult) or any(block.type == "tool_result" for block in blocks)
    row.kind = prompts.kind_of(head, text, has_results=has_results, is_empty=not blocks and not text.strip())
    if not has_results:
        row.label = prompts.spoken(text)[:LABEL_LENGTH]
    if row.kind in USER_KINDS:
        row.text_key = text_key(text)
    elif row.kind == prompts.NOTICE or (head.origin and head.origin.kind == "task-notification"):
        facts.notice(text, row.source, row.offset, row.length)
    if row.results:
        facts.answered(row.results, head)


def _fill_assistant(row: Row, head: Head, facts: Facts) -> None:
    message = head.message or MessageHead()
    text, blocks = _text_and_blocks(message)
    is_synthetic = message.model == "<synthetic>" or head.isApiErrorMessage
    row.kind = SYNTHETIC if is_synthetic else ASSISTANT
    row.group = message.id
    row.request = head.requestId
    row.block = head.apiBlockIndex
    row.label = text[:LABEL_LENGTH] or None
    called = [(number, block) for number, block in enumerate(blocks) if block.type and block.type.endswith("tool_use")]
    if called:
        row.calls = tuple([(block.id or f"{row.id}#{number}", block.name or "?") for number, block in called])
        row.targets = tuple([outcomes.target_of(block) for _, block in called])
    _fill_results(row, blocks, head)
    for block in blocks:
        if block.id and block.name in facts.AGENT_TOOLS:
            facts.called_agent(block, head)
    if not is_synthetic:
        row.model = _shared(message.model)
        row.tokens = _tokens(message.usage, head) if message.usage else None


def _fill_results(row: Row, blocks: list[Block], head: Head) -> None:
    answers = [block for block in blocks if block.tool_use_id]
    if answers:
        row.results = tuple([str(block.tool_use_id) for block in answers])
        row.outcomes = tuple([outcomes.outcome_of(block, head.toolUseResult) for block in answers])


def _tokens(usage: UsageHead, head: Head) -> Tokens:
    cache, server = usage.cache_creation, usage.server_tool_use
    tokens = Tokens(
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_creation_input_tokens,
        usage.cache_read_input_tokens,
        cache.ephemeral_5m_input_tokens if cache else None,
        cache.ephemeral_1h_input_tokens if cache else None,
        head.costUSD is None and _is_placeholder_version(head.version),
        head.costUSD,
        server.web_search_requests if server else None,
        server.web_fetch_requests if server else None,
        _shared(usage.service_tier),
        _shared(usage.speed),
        _shared(usage.inference_geo),
        _shared(head.gitBranch),
    )
    return _same(tokens)


@lru_cache(16)
def _same(tokens: Tokens) -> Tokens:
    """Return one value for equal ones that follow each other: the records of a message repeat its usage."""
    return tokens


def _shared(text: str | None) -> str | None:
    """Return a short text that many records repeat, stored once; None for an empty one."""
    return sys.intern(text) if text else None


@lru_cache(1 << 10)
def _is_placeholder_version(version: str | None) -> bool:
    parts = (version or "").split(".")[:3]
    numbers = tuple(int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 10)
    return numbers < LAST_PLACEHOLDER_VERSION


def _fill_system(row: Row, head: Head, facts: Facts) -> None:
    row.kind = SYSTEM
    if head.subtype == "compact_boundary":
        row.kind = BOUNDARY
        row.parent = head.logicalParentUuid or row.parent
        row.is_root = False
        facts.compaction_details[row.id] = head.compactMetadata


def _fill_attachment(row: Row, head: Head, facts: Facts) -> None:
    row.kind = ATTACHMENT
    attachment = head.attachment
    if attachment is None or attachment.type != "queued_command":
        return
    text = queued_text(decoded(attachment.prompt))
    origin = attachment.origin or head.origin
    is_human = origin is None or origin.kind in prompts.HUMAN_ORIGINS
    if attachment.commandMode in (None, "prompt", "bash") and is_human and prompts.is_typed(text):
        row.kind = QUEUED
        row.label = prompts.spoken(text)[:LABEL_LENGTH]
        row.text_key = text_key(text)
    facts.notice(text, row.source, row.offset, row.length)


def _fill_progress(row: Row, head: Head, facts: Facts) -> None:
    row.kind = PROGRESS
    if head.data is not None and head.data.agentId and head.parentToolUseID:
        facts.progress_agents.setdefault(head.data.agentId, head.parentToolUseID)


_FILLERS: dict[str | None, Callable[[Row, Head, Facts], None]] = {
    "user": _fill_user,
    "assistant": _fill_assistant,
    "system": _fill_system,
    "attachment": _fill_attachment,
    "progress": _fill_progress,
}
