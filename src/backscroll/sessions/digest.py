"""Digest: all that the index needs to know of one session's or agent's files, without their texts.

A digest is made once when a file changes; lists, totals and joins are computed from digests alone.
"""

import os
from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from backscroll.place import Place
from backscroll.records import Damage, Note
from backscroll.sessions import prompts
from backscroll.sessions.conversation import Conversation, InlineAgent, is_internal_agent
from backscroll.sessions.facts import AgentCall, Facts
from backscroll.sessions.fingerprint import fingerprint, text_key
from backscroll.sessions.model import SHORTEST_GLOBAL_ID
from backscroll.sessions.rows import ASSISTANT, BOUNDARY, QUEUED, SYNTHETIC, Row, Tokens
from backscroll.sessions.tree import NOBODY, Node, Tree
from backscroll.times import iso, parse
from backscroll.value import NamedTuple

FIRST_PLAUSIBLE_YEAR, LAST_PLAUSIBLE_YEAR = 2020, 2100
OLD_COPY_VERSIONS = ("0.", "1.0.")


class Spend(NamedTuple):
    """The usage of one API message as one transcript records it."""

    key: bytes
    request: str | None
    time: str | None
    is_copy: bool
    model: str | None
    tokens: Tokens
    agent: str | None = None
    """The inline agent that spent it."""
    records: int = 1
    """How many records of the transcript repeat this usage."""
    source: int = 0
    line: int | None = None
    """The record that counts: its file's number in the conversation, and its line."""


class Said(NamedTuple):
    """The identity of one message across all files, and the id of its last record."""

    key: bytes
    last: bytes | None
    role: str


class Counts(msgspec.Struct, array_like=True):
    """What one tree holds, and when."""

    messages: int = 0
    prompts: int = 0
    calls: int = 0
    branches: int = 0
    compactions: int = 0
    started: str | None = None
    updated: str | None = None


class InlineDigest(msgspec.Struct, array_like=True):
    """An agent inside the session's own file."""

    id: str
    counts: Counts
    first_text: bytes | None
    is_internal: bool


class Evidence(msgspec.Struct, array_like=True):
    """What a transcript says about the agents that it started."""

    calls: dict[str, tuple[bytes | None, str | None, str | None, str | None]]
    """Call to (key of its prompt, description, agent type, time)."""
    results: dict[str, str]
    runs: dict[str, str]
    progress: dict[str, str]
    notices: dict[str, str | None]


Told = tuple[bytes, int | None, int | None, int | None, str]
"""Damage or a note: path (as bytes, for not every file name is text), line, offset, length, reason."""


class Digest(msgspec.Struct):
    """What is known of one session or agent from its own files."""

    counts: Counts
    size: int = 0
    records: int = 0
    record_bytes: int = 0
    damage_bytes: int = 0
    blank_bytes: int = 0
    damage: list[Told] = []
    notes: list[Told] = []
    born: str | None = None
    cwds: list[str] = []
    version: str | None = None
    git_branch: str | None = None
    entrypoint: str | None = None
    models: list[str] = []
    custom_title: str | None = None
    ai_title: str | None = None
    agent_name: str | None = None
    last_prompt: str | None = None
    first_prompt: str | None = None
    summaries: dict[str, str] = {}
    tag: str | None = None
    relocated: str | None = None
    worktree_of: str | None = None
    account: str | None = None
    session_ids: list[str] = []
    forked_from: str | None = None
    derived_from: list[str] = []
    context_from: str | None = None
    first_text: bytes | None = None
    is_internal: bool = False
    inline: list[InlineDigest] = []
    evidence: Evidence | None = None
    types: dict[str, int] = {}
    unknown_types: dict[str, int] = {}


def make_digest(conversation: Conversation, agent: str | None = None) -> Digest:
    """Sum up a conversation that has just been read."""
    facts, tree, sources = conversation.facts, conversation.tree, conversation.sources
    return Digest(
        counts=_counts(tree),
        size=sum(source.size for source in sources),
        records=sum(source.records for source in sources),
        record_bytes=sum(source.record_bytes for source in sources),
        damage_bytes=sum(source.damage_bytes for source in sources),
        blank_bytes=sum(source.blank_bytes for source in sources),
        damage=[_told(item) for source in sources for item in source.damage],
        notes=[_told(item) for source in sources for item in source.notes],
        born=min((moment for moment in map(stored_moment, facts.born.values()) if moment), default=None),
        cwds=list(facts.cwds),
        version=next(reversed(facts.versions), None),
        git_branch=facts.git_branch,
        entrypoint=facts.entrypoint,
        models=_models(tree),
        custom_title=facts.custom_title,
        ai_title=facts.ai_title,
        agent_name=facts.agent_name,
        last_prompt=facts.last_prompt,
        first_prompt=_first_prompt(tree),
        summaries=facts.summaries,
        tag=facts.tag,
        relocated=facts.relocated,
        worktree_of=facts.worktree_of,
        account=facts.account,
        session_ids=list(facts.session_ids),
        forked_from=_forked_from(tree),
        derived_from=facts.derived_from,
        context_from=facts.context_from,
        first_text=_first_text(tree),
        is_internal=agent is not None and is_internal_agent(agent, tree),
        inline=[_inline(item) for item in conversation.inline],
        evidence=_evidence(facts),
        types=dict(facts.types),
        unknown_types=dict(facts.unknown_types),
    )


def _told(item: Damage | Note) -> Told:
    path, line, offset, length = item.place
    return os.fsencode(path), line, offset, length, item.reason


def places_told(items: Iterable[Told]) -> Iterator[tuple[Place, str]]:
    """Yield place and reason of damage or notes as a digest keeps them."""
    for path, line, offset, length, reason in items:
        yield Place(os.fsdecode(path), line, offset, length), reason


def _counts(tree: Tree) -> Counts:
    spoken = [node for node in tree.nodes if node.head.is_spoken]
    calls = {call for node in tree.nodes for row in node.rows for call, _ in row.calls}
    moments = [moment for node in tree.nodes for row in node.rows if (moment := stored_moment(row.time))]
    return Counts(
        messages=len(spoken),
        prompts=sum(node.head.kind in {prompts.TYPED, QUEUED} for node in spoken),
        calls=len(calls),
        branches=sum(path.spoken > 0 for path in tree.branches),
        compactions=sum(1 for _ in compaction_nodes(tree)),
        started=min(moments, default=None),
        updated=max(moments, default=None),
    )


def compaction_nodes(tree: Tree) -> Iterator[Node]:
    """Yield the boundaries of a tree, and the summaries that have none."""
    for node in tree.nodes:
        has_no_boundary = node.head.kind == prompts.SUMMARY and not _follows_boundary(tree, node)
        if node.head.kind == BOUNDARY or has_no_boundary:
            yield node


def _follows_boundary(tree: Tree, node: Node) -> bool:
    return node.parent != NOBODY and tree.nodes[node.parent].head.kind == BOUNDARY


def moment_of(value: str | float | None) -> datetime | None:
    """Return a record's time where it is plausible: clocks go wrong, and so do writers."""
    moment = parse(value)
    return moment if moment is not None and FIRST_PLAUSIBLE_YEAR <= moment.year <= LAST_PLAUSIBLE_YEAR else None


def stored_moment(value: str | float | None) -> str | None:
    """Return a record's time as the index keeps it, None where it is not plausible."""
    if type(value) is str and len(value) == 24 and value[-1] == "Z" and value[:2] == "20" and parse(value):
        return value
    moment = moment_of(value)
    return iso(moment) if moment else None


def _models(tree: Tree) -> list[str]:
    """Return the models in the order of their first use, the last used one first."""
    used = [row.model for node in tree.nodes for row in node.rows if row.model]
    return list(dict.fromkeys(used[-1:] + used))


def _first_prompt(tree: Tree) -> str | None:
    kinds = ({prompts.TYPED, QUEUED}, {prompts.PROMPT}, {prompts.COMMAND})
    heads = [node.head for node in tree.nodes if node.head.is_spoken and node.head.label]
    return next((head.label for wanted in kinds for head in heads if head.kind in wanted), None)


def _first_text(tree: Tree) -> bytes | None:
    return next((node.head.text_key for node in tree.nodes if node.head.text_key), None)


def _forked_from(tree: Tree) -> str | None:
    copies = (row.copied_from for node in tree.nodes for row in node.rows)
    return next((copy.sessionId for copy in copies if copy is not None and copy.sessionId), None)


def _inline(agent: InlineAgent) -> InlineDigest:
    return InlineDigest(agent.id, _counts(agent.tree), _first_text(agent.tree), is_internal_agent(agent.id, agent.tree))


def _evidence(facts: Facts) -> Evidence:
    return Evidence(
        calls={call: _called(task) for call, task in facts.agent_calls.items()},
        results=facts.result_agents,
        runs=facts.result_runs,
        progress=facts.progress_agents,
        notices={task: notice.call for task, notice in facts.notices.items()},
    )


def _called(task: AgentCall) -> tuple[bytes | None, str | None, str | None, str | None]:
    return (text_key(task.prompt) if task.prompt else None, task.description, task.type, stored_moment(task.time))


def spends(conversation: Conversation) -> Iterator[Spend]:
    """Yield each API message's usage once: the record with the greatest output, the later on a tie."""
    best: dict[tuple[bytes, str | None], Spend] = {}
    for agent, tree in trees_of(conversation):
        for node in tree.nodes:
            for row in (*node.rows, *node.repeats):
                if row.tokens is not None:
                    _keep_greater(best, _spend(row, row.tokens, agent, conversation))
    return iter(best.values())


def trees_of(conversation: Conversation) -> Iterator[tuple[str | None, Tree]]:
    """Yield the tree of the session or agent itself, then those of the agents inside its files, with their ids."""
    yield None, conversation.tree
    for agent in conversation.inline:
        yield agent.id, agent.tree


def _spend(row: Row, tokens: Tokens, agent: str | None, conversation: Conversation) -> Spend:
    key = _spend_key(row, conversation)
    is_copy = row.copied_from is not None
    return Spend(key, row.request, stored_moment(row.time), is_copy, row.model, tokens, agent, 1, row.source, row.line)


def _keep_greater(best: dict[tuple[bytes, str | None], Spend], spend: Spend) -> None:
    name = (spend.key, spend.request)
    kept = best.get(name)
    if kept is None:
        best[name] = spend
        return
    earliest = min((time for time in (kept.time, spend.time) if time), default=None)
    greater = spend if (spend.tokens.output or 0) >= (kept.tokens.output or 0) else kept
    best[name] = greater._replace(time=earliest, agent=kept.agent, records=kept.records + 1)


def _spend_key(row: Row, conversation: Conversation) -> bytes:
    return _api_key(row.group, row, conversation) if row.group else _record_key(row, conversation)


def _api_key(name: str, row: Row, conversation: Conversation) -> bytes:
    if len(name) < SHORTEST_GLOBAL_ID:
        return _key("api", conversation.sources[row.source].path, name)
    return _key("api", name)


def synthetic_records(conversation: Conversation) -> int:
    """Count the records that stand in a model's place and cost nothing: error notices and the program's own words."""
    nodes = (node for _, tree in trees_of(conversation) for node in tree.nodes)
    return sum(row.kind == SYNTHETIC for node in nodes for row in (*node.rows, *node.repeats))


def call_key(name: str, row: Row, conversation: Conversation) -> bytes:
    """Name a call across all files by its id, which copies keep."""
    if len(name) < SHORTEST_GLOBAL_ID or "#" in name:
        return _key("call", conversation.sources[row.source].path, name)
    return _key("call", name)


def _record_key(row: Row, conversation: Conversation) -> bytes:
    """Name a record by its own id, or by its place where it has none that is its alone."""
    if row.uuid and len(row.uuid) >= SHORTEST_GLOBAL_ID:
        return _key("row", row.uuid)
    return _key("place", conversation.sources[row.source].path, str(row.offset))


def _key(*parts: str | None) -> bytes:
    return fingerprint("\0".join(part or "" for part in parts).encode(errors="replace"), 16)


def said(conversation: Conversation) -> Iterator[Said]:
    """Yield the identity of every message of the session itself, by which copies of it are known."""
    tree = conversation.tree
    for node, identity in zip(tree.nodes, identities(tree, conversation), strict=True):
        if node.head.is_spoken:
            yield Said(identity, _last_id(node), node.head.kind)


def identities(tree: Tree, conversation: Conversation) -> list[bytes]:
    """Return the identity of every node of a tree, by which copies of it are known."""
    by_content = next(reversed(conversation.facts.versions), "").startswith(OLD_COPY_VERSIONS)
    answer: str | None = None
    keys: list[bytes] = []
    for node in reversed(tree.nodes):
        row = node.head
        if row.kind == ASSISTANT:
            answer = row.group or row.id
        keys.append(_identity(row, answer if by_content and row.is_spoken else None, conversation))
    return keys[::-1]


def _identity(row: Row, answer: str | None, conversation: Conversation) -> bytes:
    """Name a message: by its API id, by the record it was copied from, by its text and answer, or by its own id."""
    if row.kind == ASSISTANT and row.group:
        return _api_key(row.group, row, conversation)
    if answer is not None and row.text_key is not None:
        return _key("text", row.text_key.hex(), answer)
    if row.results and all(len(call) >= SHORTEST_GLOBAL_ID for call in row.results):
        return _key("results", *row.results)
    return origin_key(row, conversation)


def origin_key(row: Row, conversation: Conversation) -> bytes:
    """Name a record across all files: by the record that it was copied from, or as itself."""
    if row.copied_from is not None and row.copied_from.messageUuid:
        return _key("row", row.copied_from.messageUuid)
    return _record_key(row, conversation)


def _last_id(node: Node) -> bytes | None:
    uuid = node.rows[-1].uuid
    return id_key(uuid) if uuid else None


def id_key(uuid: str) -> bytes:
    """Return the short form under which a record's own id is kept."""
    return fingerprint(uuid.encode(errors="replace"), 8)
