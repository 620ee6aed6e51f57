"""Extract: the columns and rows of all tables of the catalogue, from the conversation of one unit."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from backscroll.index.update.fact_columns import fact_columns, stored_texts
from backscroll.records import Damage, Note
from backscroll.sessions.file_changes.change import Change
from backscroll.sessions.transcript import prompts
from backscroll.sessions.transcript.conversation import Conversation, is_internal_agent
from backscroll.sessions.transcript.facts import AgentCall, Facts
from backscroll.sessions.transcript.fingerprint import text_key
from backscroll.sessions.transcript.keys import Keys, id_key, is_rewriting_version
from backscroll.sessions.transcript.moments import quarter_of, stored_moment
from backscroll.sessions.transcript.rows import BOUNDARY, QUEUED, SPOKEN_KINDS, SYNTHETIC, USER_KINDS, Row, Tokens
from backscroll.sessions.transcript.tree import NOBODY, Node, Tree, follows_boundary
from backscroll.times import parse

TableRow = tuple[Any, ...]
Rows = Mapping[str, Iterable[TableRow]]
"""The rows of each table, without their first column, the number of the unit."""

MANY = 10_000
"""With more messages than this, the rows of the largest tables are made while they are written."""


class Counts(Struct):
    """The number of things in one tree, and its times."""

    messages: int = 0
    prompts: int = 0
    calls: int = 0
    compactions: int = 0
    synthetic: int = 0
    """The model's records without cost: error notices and texts that the program wrote."""
    started: str | None = None
    updated: str | None = None


class Extract:
    """Makes the rows of all tables from a conversation."""

    def __init__(self, conversation: Conversation, files: Sequence[int], keys: Keys) -> None:
        self._conversation = conversation
        self._facts = conversation.facts
        self._tree = conversation.tree
        self._files = files
        self._keys = keys
        self.is_rewriting = is_rewriting_version(next(reversed(self._facts.versions), None))

    def columns(self, agent: str | None) -> dict[str, Any]:
        """Return the columns of the unit's own row."""
        facts, tree, sources = self._facts, self._tree, self._conversation.sources
        counts = counts_of(tree.nodes)
        every = [counts, *(counts_of(inline.tree.nodes) for inline in self._conversation.inline)]
        return {
            **fact_columns(facts),
            "bytes": sum([source.size for source in sources]),
            "record_bytes": sum([source.record_bytes for source in sources]),
            "damage_bytes": sum([source.damage_bytes for source in sources]),
            "blank_bytes": sum([source.blank_bytes for source in sources]),
            "records": sum([source.records for source in sources]),
            "messages": counts.messages,
            "prompts": counts.prompts,
            "calls": counts.calls,
            "branches": sum(path.spoken > 0 for path in tree.branches),
            "compactions": counts.compactions,
            "synthetic": sum(item.synthetic for item in every),
            "started": min(filter(None, [facts.first_time, *(item.started for item in every)]), default=None),
            "updated": max(filter(None, [facts.last_time, *(item.updated for item in every)]), default=None),
            "born": min((moment for moment in map(stored_moment, facts.born.values()) if moment), default=None),
            "first_prompt": first_prompt(tree.nodes),
            "own_summary": next(reversed(facts.summaries.values()), None) if not counts.messages else None,
            **forked_from(row for node in tree.nodes for row in node.rows),
            "first_text": first_text(tree),
            "is_internal": agent is not None and is_internal_agent(agent, tree),
            "models": stored_texts(tuple(models_of(tree.nodes))),
        }

    def rows(self) -> dict[str, Iterable[TableRow]]:
        """Return the rows of all tables except `change`."""
        keep = _Made if len(self._tree.nodes) > MANY else _kept
        return {
            "record": keep(self.all_records),
            "message": keep(self.messages),
            "call": keep(self.all_calls),
            "usage": keep(self.all_usage),
            "change": [],
            "evidence": keep(partial(evidence_rows, self._facts)),
            "inline": [_inline_row(agent.id, agent.tree) for agent in self._conversation.inline],
            "aside": self.asides(),
            "summary": list(self._facts.summaries.items()),
            "named_original": list(self.named_originals(self._tree.nodes)),
            "damage": self.damage(),
        }

    def all_records(self) -> Iterator[TableRow]:
        """Yield every record of all trees."""
        for name, tree in self._conversation.trees():
            yield from self.records(tree.nodes, name)

    def all_calls(self) -> Iterator[TableRow]:
        """Yield the calls of all trees, without those of internal agents."""
        for name, tree in self._conversation.trees():
            if name is None or not is_internal_agent(name, tree):
                yield from self.calls(tree.nodes, name)

    def all_usage(self) -> Iterator[TableRow]:
        """Yield the usage of all trees."""
        return self.usage((name, tree.nodes) for name, tree in self._conversation.trees())

    def records(self, nodes: Iterable[Node], agent: str | None, first: int = 0) -> Iterator[TableRow]:
        """Yield every record of a tree; `first` is the number of its first node."""
        files, name = self._files, agent or ""
        for number, node in enumerate(nodes, first):
            marks = " ".join(node.marks) if node.marks else None
            parent = node.parent + first if node.parent != NOBODY else NOBODY
            own = len(node.rows)
            for part, row in enumerate((*node.rows, *node.repeats) if node.repeats else node.rows):
                yield (
                    *(name, number, part, parent, row.kind, node.branch, marks, part >= own, row.uuid, row.moment),
                    *(files[row.source], row.line, row.offset, row.length),
                )

    def messages(self) -> Iterator[TableRow]:
        """Yield every message of the session itself; all its copies have the same key."""
        nodes = self._tree.nodes
        if not self.is_rewriting:
            spoken = ((number, node) for number, node in enumerate(nodes) if node.rows[0].kind in SPOKEN_KINDS)
            return (message_row(number, node, self._keys.message(node.rows[0])) for number, node in spoken)
        keys = self._keys.messages(self._tree, is_rewriting=True)
        return (message_row(number, nodes[number], keys[number]) for number in sorted(keys))

    def named_originals(self, nodes: Iterable[Node], first: int = 0) -> Iterator[TableRow]:
        """Yield the records that name their original, unless the API's ids identify them: answers and results."""
        for number, node in enumerate(nodes, first):
            row = node.rows[0]
            if row.copied_from is not None and row.copied_from.messageUuid:
                origin = self._keys.origin(row)
                if self._keys.message(row) == origin:
                    yield number, self._keys.record(row), origin, origin

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
                if not row.calls:
                    continue
                for (call, name), target in zip(row.calls, row.targets, strict=True):
                    if call not in seen:
                        seen.add(call)
                        yield self._call_row(call, name, target, row, agent, number, *answers.get(call, (None, None)))

    def _call_row(  # noqa: PLR0913, PLR0917 - one argument per column group
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
            *(row.copied_from is not None, outcome, seconds_between(time, answer.moment) if answer else None),
            *(self._files[row.source], row.offset, row.length),
            *((self._files[answer.source], answer.offset, answer.length) if answer else (None, None, None)),
        )

    def usage(self, trees: Iterable[tuple[str | None, Iterable[Node]]]) -> Iterator[TableRow]:
        """Yield the usage of each API message once: the record with the greatest output, the later on a tie."""
        best: dict[tuple[bytes, str | None], _Spent] = {}
        for agent, nodes in trees:
            for node in nodes:
                key = None  # one for all records of a node: they belong to one API message
                for row in (*node.rows, *node.repeats) if node.repeats else node.rows:
                    if row.tokens is not None:
                        key = key or self._keys.api_message(node.rows[0])
                        _keep_greater(best, key, row, row.tokens, agent)
        for (key, request), spent in best.items():
            yield self._usage_row(key, request, spent)

    def _usage_row(self, key: bytes, request: str | None, spent: "_Spent") -> TableRow:
        row, tokens, time = spent.row, spent.tokens, spent.time
        *amounts, branch = tokens
        return (
            *(key, request, spent.agent, time, quarter_of(time), row.copied_from is not None, row.model),
            *(*amounts, branch, tokens.price_class, spent.records, self._files[row.source], row.line),
        )

    def asides(self) -> list[TableRow]:
        """Return the records beside the tree with a text for people."""
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
        """Return the unreadable places, and the repaired ones as notes."""
        sources = self._conversation.sources
        told: list[tuple[Damage | Note, bool]] = [(item, False) for source in sources for item in source.damage]
        told += [(item, True) for source in sources for item in source.notes]
        return [damage_row(item, is_note=is_note) for item, is_note in told]


def _kept(make: Callable[[], Iterator[TableRow]]) -> Iterable[TableRow]:
    return list(make())


class _Made:
    """Rows that are made again in each iteration."""

    def __init__(self, make: Callable[[], Iterator[TableRow]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[TableRow]:
        return self._make()


def damage_row(item: Damage | Note, *, is_note: bool) -> TableRow:
    """Return damage or a note as a row."""
    place = item.place
    return os.fsencode(place.path), place.line, place.offset, place.length, item.reason, is_note


def message_row(number: int, node: Node, key: bytes) -> TableRow:
    """Return a message as a row; a prompt with the key of its text."""
    last, head = node.rows[-1].uuid, node.head
    is_prompt = head.text_key is not None
    label = head.label if is_prompt else None
    is_copy = head.copied_from is not None
    return number, key, id_key(last) if last else None, head.kind, head.text_key, label, is_copy


def change_row(change: Change, files: Sequence[int]) -> TableRow:
    """Return a change as a row, with file numbers instead of source numbers."""
    answer = None if change.answer_source is None else files[change.answer_source]
    return (*change[:_SOURCE], files[change.source], change.offset, change.length, answer, *change[_SOURCE + 4 :])


def counts_of(nodes: Sequence[Node]) -> Counts:
    """Sum up the nodes of one tree."""
    counts = Counts()
    calls: set[str] = set()
    started = updated = None
    for node in nodes:
        kind = node.rows[0].kind
        if kind in SPOKEN_KINDS:
            counts.messages += 1
            counts.prompts += kind in _TYPED_KINDS
        elif kind == BOUNDARY or (kind == prompts.SUMMARY and not follows_boundary(nodes, node)):
            counts.compactions += 1
        for row in (*node.rows, *node.repeats) if node.repeats else node.rows:
            if (moment := row.moment) is not None:
                if started is None or moment < started:
                    started = moment
                if updated is None or moment > updated:
                    updated = moment
            if row.calls:
                calls.update([call for call, _ in row.calls])
            if row.kind == SYNTHETIC:
                counts.synthetic += 1
    counts.calls = len(calls)
    counts.started, counts.updated = started, updated
    return counts


_SOURCE = Change._fields.index("source")
_TYPED_KINDS = {prompts.TYPED, QUEUED}


def models_of(nodes: Iterable[Node]) -> list[str]:
    """Return the models in order of their first use, but the last used one first."""
    used = [row.model for node in nodes for row in node.rows if row.model]
    return list(dict.fromkeys(used[-1:] + used))


def first_prompt(nodes: Iterable[Node]) -> str | None:
    """Return the first prompt: typed by a person, else written by a program, else a plan, else a command."""
    kinds = (_TYPED_KINDS, {prompts.PROMPT}, {prompts.PLAN}, {prompts.COMMAND})
    heads = [node.rows[0] for node in nodes if node.rows[0].kind in USER_KINDS and node.rows[0].label]
    return next((head.label for wanted in kinds for head in heads if head.kind in wanted), None)


def first_text(tree: Tree) -> bytes | None:
    """Return the key of the first prompt's text."""
    return next((node.rows[0].text_key for node in tree.nodes if node.rows[0].text_key), None)


def forked_from(rows: Iterable[Row]) -> dict[str, Any]:
    """Return the session that the last copied record names, and whether records name their originals."""
    copies = [row.copied_from for row in rows if row.copied_from is not None]
    named = next((copy.sessionId for copy in reversed(copies) if copy.sessionId), None)
    return {"forked_from": named, "is_branched": any(copy.messageUuid for copy in copies)}


def seconds_between(asked: str | None, answered: str | None) -> float | None:
    """Return the duration of a call, including the wait for a person's permission."""
    started, finished = parse(asked), parse(answered)
    if started is None or finished is None or finished < started:
        return None
    return (finished - started).total_seconds()


class _Spent(Struct, gc=False):
    """The usage record of an API message that counts so far."""

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
    """Yield the statements of a transcript about the agents that it started, and the texts that were notices."""
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
