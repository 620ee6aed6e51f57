"""Read one unit in one pass: each record is decoded once, and rows of all tables come from that decode.

In come the files of a session or of an agent; out come the columns of its row in `unit` and the rows of all tables
that belong to it.  Words are told of the same records, where they are wanted.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from msgspec import Struct

from backscroll.index.update import tail
from backscroll.place import Place
from backscroll.records import Damage, Note, Record
from backscroll.sessions import prompts
from backscroll.sessions.conversation import Conversation, ConversationReader, is_internal_agent
from backscroll.sessions.facts import AgentCall, Facts
from backscroll.sessions.file_changes import Change, FileChanges
from backscroll.sessions.fingerprint import text_key
from backscroll.sessions.heads import Head
from backscroll.sessions.keys import Keys, id_key, is_rewriting_version
from backscroll.sessions.moments import quarter_of, stored_moment
from backscroll.sessions.rows import BOUNDARY, QUEUED, SPOKEN_KINDS, SYNTHETIC, USER_KINDS, Row, Tokens
from backscroll.sessions.source import Source
from backscroll.sessions.tree import NOBODY, Node, Tree, follows_boundary
from backscroll.stores.base import Opener
from backscroll.times import parse
from backscroll.value import NamedTuple

TableRow = tuple[Any, ...]
Rows = dict[str, list[TableRow]]
"""Table to rows, without the number of the unit that they begin with."""

UNIT_TABLES = ("record", "message", "call", "usage", "change", "evidence", "inline", "aside", "summary", "damage")
"""The tables whose rows belong to a unit."""


class Words(Protocol):
    """Takes in the words of a unit while it is read."""

    def begin(self, source: int) -> None:
        """Take the records of another source from now on."""

    def hear(self, record: Record, head: Head, row: Row | None, node: Node | None, agent: str | None) -> None:
        """Take a record."""

    def finish(self, conversation: Conversation) -> None:
        """Take what is known only in the end."""


class Reading(NamedTuple):
    """What reading one unit gave."""

    columns: dict[str, Any]
    rows: Rows
    ends: list[int]
    """How far each file was read."""


class Both:
    """Tells two listeners of each record."""

    def __init__(self, one: FileChanges, other: Words) -> None:
        self._listeners = (one, other)

    def begin(self, source: int) -> None:
        """Take the records of another source from now on."""
        for listener in self._listeners:
            listener.begin(source)

    def hear(self, record: Record, head: Head, row: Row | None, node: Node | None, agent: str | None) -> None:
        """Take a record."""
        for listener in self._listeners:
            listener.hear(record, head, row, node, agent)


def read_unit(
    paths: Sequence[str],
    files: Sequence[int],
    agent: str | None,
    open_file: Opener,
    make_words: Callable[[list[Source]], Words] | None = None,
) -> Reading:
    """Read the files of one unit; `files` are their numbers.  All that cannot be read is damage."""
    sources = [Source(path, open_file) for path in paths]
    changes = FileChanges(sources)
    words = make_words(sources) if make_words is not None else None
    reader = ConversationReader(
        sources, is_agent=agent is not None, listener=Both(changes, words) if words else changes
    )
    with reader.read() as conversation:
        if words is not None:
            words.finish(conversation)
        extract = Extract(conversation, files, Keys(paths))
        columns, rows = extract.columns(agent), extract.rows(is_internal=False)
        if columns["is_internal"]:
            rows["call"] = []
        else:
            cwds = list(conversation.facts.cwds)
            rows["change"] = [change_row(change, files) for change in changes.changes(cwds)]
        columns["tail"] = tail.packed(reader, conversation)
        return Reading(columns, rows, [source.settled for source in sources])


def failed(paths: Sequence[str], error: Exception) -> Reading:
    """Return the reading of a unit that an unforeseen fault kept from being read: damage, and nothing else."""
    reason = f"a fault of backscroll while it was read: {type(error).__name__}: {error}"[:500]
    sources = [Source(path) for path in paths]
    conversation = Conversation(sources, Facts(), Tree([], []))
    extract = Extract(conversation, [0] * len(sources), Keys(paths))
    if sources:
        sources[-1].damage.append(Damage(Place(paths[-1]), reason.encode(errors="replace").decode()))
    columns = extract.columns(None) | {"tail": None}
    return Reading(columns, {table: [] for table in UNIT_TABLES} | {"damage": extract.damage()}, [0] * len(sources))


class Counts(Struct):
    """What one tree holds, and when."""

    messages: int = 0
    prompts: int = 0
    calls: int = 0
    compactions: int = 0
    started: str | None = None
    updated: str | None = None


class Extract:
    """Takes the rows of all tables from a conversation that was just read."""

    def __init__(self, conversation: Conversation, files: Sequence[int], keys: Keys) -> None:
        self._conversation = conversation
        self._facts = conversation.facts
        self._tree = conversation.tree
        self._files = files
        self._keys = keys
        self.is_rewriting = is_rewriting_version(next(reversed(self._facts.versions), None))

    def columns(self, agent: str | None) -> dict[str, Any]:
        """Return what the unit's own row says."""
        facts, tree, sources = self._facts, self._tree, self._conversation.sources
        counts = counts_of(tree.nodes)
        cost = facts.cost_state
        return {
            "bytes": sum(source.size for source in sources),
            "record_bytes": sum(source.record_bytes for source in sources),
            "damage_bytes": sum(source.damage_bytes for source in sources),
            "blank_bytes": sum(source.blank_bytes for source in sources),
            "records": sum(source.records for source in sources),
            "messages": counts.messages,
            "prompts": counts.prompts,
            "calls": counts.calls,
            "branches": sum(path.spoken > 0 for path in tree.branches),
            "compactions": counts.compactions,
            "synthetic": sum(_synthetic(tree) for _, tree in self._conversation.trees()),
            "started": counts.started,
            "updated": counts.updated,
            "born": min((moment for moment in map(stored_moment, facts.born.values()) if moment), default=None),
            "version": next(reversed(facts.versions), None),
            "git_branch": facts.git_branch,
            "entrypoint": facts.entrypoint,
            "custom_title": facts.custom_title,
            "ai_title": facts.ai_title,
            "agent_name": facts.agent_name,
            "last_prompt": facts.last_prompt,
            "first_prompt": first_prompt(tree.nodes),
            "own_summary": next(reversed(facts.summaries.values()), None) if not counts.messages else None,
            "tag": facts.tag,
            "relocated": facts.relocated,
            "worktree_of": facts.worktree_of,
            "account": facts.account,
            "named_session": next(iter(facts.session_ids), None),
            "forked_from": _forked_from(tree),
            "first_text": first_text(tree),
            "is_internal": agent is not None and is_internal_agent(agent, tree),
            "cwds": json.dumps(list(facts.cwds)),
            "models": json.dumps(models_of(tree.nodes)),
            "cost": cost.cost if cost else None,
            "cost_models": json.dumps(cost.models) if cost else None,
        }

    def rows(self, *, is_internal: bool) -> Rows:
        """Return the rows of all tables but `change`."""
        facts = self._facts
        rows: Rows = {table: [] for table in UNIT_TABLES}
        for name, tree in self._conversation.trees():
            rows["record"] += self.records(tree.nodes, name)
            if not is_internal and (name is None or not is_internal_agent(name, tree)):
                rows["call"] += self.calls(tree.nodes, name)
        rows["message"] = list(self.messages())
        rows["usage"] = self.usage((name, tree.nodes) for name, tree in self._conversation.trees())
        rows["evidence"] = list(evidence_rows(facts))
        rows["inline"] = [_inline_row(agent.id, agent.tree) for agent in self._conversation.inline]
        rows["aside"] = self.asides()
        rows["summary"] = [(id_key(leaf), text) for leaf, text in facts.summaries.items()]
        rows["damage"] = self.damage()
        return rows

    def records(self, nodes: Iterable[Node], agent: str | None, first: int = 0) -> Iterator[TableRow]:
        """Yield every record of a tree; `first` is the number of its first node."""
        files, name = self._files, agent or ""
        for number, node in enumerate(nodes, first):
            marks = " ".join(node.marks) or None
            parent = node.parent + first if node.parent != NOBODY else NOBODY
            for part, row in enumerate((*node.rows, *node.repeats) if node.repeats else node.rows):
                place = (files[row.source], row.line, row.offset, row.length)
                is_repeat = part >= len(node.rows)
                shape = (name, number, part, parent, row.kind, node.branch, marks, is_repeat, row.uuid, row.moment)
                yield shape + place

    def messages(self) -> Iterator[TableRow]:
        """Yield every message of the session itself, by the key that copies of it share."""
        keys = self._keys.messages(self._tree, is_rewriting=self.is_rewriting)
        return (message_row(number, self._tree.nodes[number], keys[number]) for number in sorted(keys))

    def calls(self, nodes: Sequence[Node], agent: str | None, first: int = 0) -> Iterator[TableRow]:
        """Yield each call of a tree once, with its first result."""
        answers: dict[str, tuple[Row, str]] = {}
        for node in nodes:
            for row in node.rows:
                if row.results:
                    for call, outcome in zip(row.results, row.outcomes, strict=True):
                        answers.setdefault(call, (row, outcome))
        seen: set[str] = set()
        for number, node in enumerate(nodes, first):
            for row in node.rows:
                for (call, name), target in zip(row.calls, row.targets, strict=True) if row.calls else ():
                    if call not in seen:
                        seen.add(call)
                        yield self._call_row(call, name, target, row, agent, number, *answers.get(call, (None, None)))

    def _call_row(  # noqa: PLR0913, PLR0917 - one argument for each thing that a call is
        self,
        call: str,
        name: str,
        target: str | None,
        row: Row,
        agent: str | None,
        node: int,
        answer: Row | None,
        outcome: str | None,
    ) -> TableRow:
        time = row.moment
        return (
            *(self._keys.call(call, row), call, agent, node, name, target, time, quarter_of(time)),
            *(row.copied_from is not None, outcome, seconds_between(row, answer)),
            *(self._files[row.source], row.offset, row.length),
            *((self._files[answer.source], answer.offset, answer.length) if answer else (None, None, None)),
        )

    def usage(self, trees: Iterable[tuple[str | None, Iterable[Node]]]) -> list[TableRow]:
        """Return each API message's usage once: the record with the greatest output, the later on a tie."""
        best: dict[tuple[bytes, str | None], _Spent] = {}
        for agent, nodes in trees:
            for node in nodes:
                rows = (*node.rows, *node.repeats) if node.repeats else node.rows
                if any(row.tokens is not None for row in rows):
                    key = self._keys.api_message(node.rows[0])  # all records of a node are of one API message
                    for row in rows:
                        if row.tokens is not None:
                            _keep_greater(best, key, row, row.tokens, agent)
        return [self._usage_row(key, request, spent) for (key, request), spent in best.items()]

    def _usage_row(self, key: bytes, request: str | None, spent: "_Spent") -> TableRow:
        row, tokens, time = spent.row, spent.tokens, spent.time
        *amounts, branch = tokens
        return (
            *(key, request, spent.agent, time, quarter_of(time), row.copied_from is not None, row.model),
            *(*amounts, branch, tokens.price_class, spent.records, self._files[row.source], row.line),
        )

    def asides(self) -> list[TableRow]:
        """Return what records beside the tree say to people."""
        return [
            (
                *(
                    aside.type,
                    name,
                    aside.key,
                    aside.opening,
                    None if aside.time is None else str(aside.time),
                    aside.session,
                ),
                *(self._files[aside.source], aside.offset, aside.length, aside.line),
            )
            for name, aside in self._facts.asides.items()
        ]

    def damage(self) -> list[TableRow]:
        """Return what could not be read, and as notes what was read only after a repair."""
        sources = self._conversation.sources
        told: list[tuple[Damage | Note, bool]] = [(item, False) for source in sources for item in source.damage]
        told += [(item, True) for source in sources for item in source.notes]
        return [damage_row(item, is_note=is_note) for item, is_note in told]


def damage_row(item: Damage | Note, *, is_note: bool) -> TableRow:
    """Return damage or a note as a row."""
    path, line, offset, length = item.place
    return os.fsencode(path), line, offset, length, item.reason, is_note


def message_row(number: int, node: Node, key: bytes) -> TableRow:
    """Return a message as a row; of a prompt with what it is found again by."""
    last, head = node.rows[-1].uuid, node.head
    is_prompt = head.text_key is not None
    return number, key, id_key(last) if last else None, head.kind, head.text_key, head.label if is_prompt else None


def change_row(change: Change, files: Sequence[int]) -> TableRow:
    """Return a change as a row, with the numbers of files in the place of those of sources."""
    answer = None if change.answer_source is None else files[change.answer_source]
    return (*change[:_SOURCE], files[change.source], change.offset, change.length, answer, *change[_SOURCE + 4 :])


def counts_of(nodes: Sequence[Node]) -> Counts:
    """Sum up the nodes of one tree."""
    counts = Counts()
    calls: set[str] = set()
    moments: list[str] = []
    for node in nodes:
        kind = node.rows[0].kind
        if kind in SPOKEN_KINDS:
            counts.messages += 1
            counts.prompts += kind in _TYPED_KINDS
        elif kind == BOUNDARY or (kind == prompts.SUMMARY and not follows_boundary(nodes, node)):
            counts.compactions += 1
        for row in node.rows:
            if (moment := row.moment) is not None:
                moments.append(moment)
            calls.update(call for call, _ in row.calls)
    counts.calls = len(calls)
    counts.started, counts.updated = min(moments, default=None), max(moments, default=None)
    return counts


_SOURCE = Change._fields.index("source")
_TYPED_KINDS = {prompts.TYPED, QUEUED}


def models_of(nodes: Iterable[Node]) -> list[str]:
    """Return the models in the order of their first use, the last used one first."""
    used = [row.model for node in nodes for row in node.rows if row.model]
    return list(dict.fromkeys(used[-1:] + used))


def first_prompt(nodes: Iterable[Node]) -> str | None:
    """Return the first thing that was asked: typed by a person, else by a program, else a command."""
    kinds = (_TYPED_KINDS, {prompts.PROMPT}, {prompts.COMMAND})
    heads = [node.rows[0] for node in nodes if node.rows[0].kind in USER_KINDS and node.rows[0].label]
    return next((head.label for wanted in kinds for head in heads if head.kind in wanted), None)


def first_text(tree: Tree) -> bytes | None:
    """Return the key of the first prompt's text."""
    return next((node.rows[0].text_key for node in tree.nodes if node.rows[0].text_key), None)


def _forked_from(tree: Tree) -> str | None:
    copies = (row.copied_from for node in tree.nodes for row in node.rows)
    return next((copy.sessionId for copy in copies if copy is not None and copy.sessionId), None)


def _synthetic(tree: Tree) -> int:
    """Count the records that stand in a model's place and cost nothing: error notices and the program's own words."""
    return sum(row.kind == SYNTHETIC for node in tree.nodes for row in (*node.rows, *node.repeats))


def seconds_between(row: Row, answer: Row | None) -> float | None:
    """Return how long a call took, the wait for a person's leave included."""
    started, finished = parse(row.moment), parse(answer.moment) if answer else None
    if started is None or finished is None or finished < started:
        return None
    return (finished - started).total_seconds()


class _Spent(Struct):
    """The record of an API message's usage that counts so far."""

    row: Row
    tokens: Tokens
    time: str | None
    agent: str | None
    records: int = 1


def _keep_greater(
    best: dict[tuple[bytes, str | None], _Spent], key: bytes, row: Row, tokens: Tokens, agent: str | None
) -> None:
    time = row.moment
    kept = best.get((key, row.request))
    if kept is None:
        best[key, row.request] = _Spent(row, tokens, time, agent)
        return
    kept.records += 1
    kept.time = min((moment for moment in (kept.time, time) if moment), default=None)
    if (tokens.output or 0) >= (kept.tokens.output or 0):
        kept.row, kept.tokens = row, tokens


def evidence_rows(facts: Facts) -> Iterator[TableRow]:
    """Yield what a transcript says about the agents that it started, and which texts were notices."""
    nothing = (None, None, None, None)
    for call, task in facts.agent_calls.items():
        yield ("call", call, None, *_asked_for(task))
    for kind, named in (
        ("result", facts.result_agents),
        ("run", facts.result_runs),
        ("progress", facts.progress_agents),
    ):
        yield from ((kind, name, call, *nothing) for name, call in named.items())
    yield from (("notice", task, notice.call, *nothing) for task, notice in facts.notices.items())
    yield from (("notified", key.hex(), None, *nothing) for key in facts.notified)


def _asked_for(task: AgentCall) -> tuple[bytes | None, str | None, str | None, str | None]:
    return (text_key(task.prompt) if task.prompt else None, task.description, task.type, stored_moment(task.time))


def _inline_row(name: str, tree: Tree) -> TableRow:
    counts = counts_of(tree.nodes)
    return (
        *(name, counts.messages, counts.calls, counts.started, counts.updated),
        *(first_text(tree), is_internal_agent(name, tree)),
    )
