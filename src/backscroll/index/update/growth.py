"""The end of one transcript that grew: read its new records, attach them to the tail, append their rows.

`Growth.read` refuses if that would not give the same rows as reading the whole file.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from backscroll.index.schema import INSERT
from backscroll.index.update import tail
from backscroll.index.update.extract import (
    Extract,
    TableRow,
    change_row,
    counts_of,
    evidence_rows,
    forked_from,
    message_row,
    models_of,
    seconds_between,
)
from backscroll.index.update.fact_columns import fact_columns, facts_before
from backscroll.index.update.read import FileEnd, ListenerPair, WordListener, end_of
from backscroll.index.update.tail import Tail
from backscroll.index.update.units import Unit
from backscroll.index.update.write import SHARED_TABLES, mark_sharing
from backscroll.sessions.file_changes.changes import Asked, FileChanges, inputs_of
from backscroll.sessions.session import MAIN
from backscroll.sessions.transcript.conversation import Conversation, ConversationReader
from backscroll.sessions.transcript.facts import ZERO_UUID, Facts
from backscroll.sessions.transcript.heads import decoded_object, head_of
from backscroll.sessions.transcript.keys import Keys, id_key, is_rewriting_version
from backscroll.sessions.transcript.moments import quarter_of
from backscroll.sessions.transcript.rows import SPOKEN_KINDS, SYNTHETIC, Row, rows_of
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.sessions.transcript.tree import NOBODY, Node, Said
from backscroll.stores.base import Opener

_LINK = "SELECT parent, marks FROM record WHERE unit = ? AND agent = '' AND node = ? AND part = 0"
_LAST = {table: f"SELECT max(rowid) FROM {table}" for table in (*SHARED_TABLES, "summary")}


class ReadFile(NamedTuple):
    """A transcript in the catalogue."""

    number: int
    end: int
    checks: bytes
    words: int | None
    state: tuple[Any, ...]


class Growth:
    """The end of one transcript."""

    def __init__(  # noqa: PLR0913, PLR0917 - all facts about it
        self,
        database: sqlite3.Connection,
        unit: Unit,
        before: Mapping[str, Any],
        left: Tail,
        file: ReadFile,
        open_file: Opener,
    ) -> None:
        self._database = database
        self._unit = unit
        self._before = before
        self._number: int = before["id"]
        self._left = left
        self._file = file
        self.source = TranscriptSource(unit.files[0].path, open_file)
        self.source.end, self.source.next_line = left.end, left.next_line
        self._keys = Keys([self.source.path])
        self._changes = FileChanges([self.source], self._keys, self._recall)
        self._held = 0
        self.quarters: list[int] = []
        """The quarters of an hour with changed sums."""
        self._conversation: Conversation | None = None
        self.end: FileEnd = (0, b"")

    @property
    def records(self) -> int:
        """Return the number of new records."""
        return self.source.records

    @property
    def damage(self) -> int:
        """Return the number of new damaged places."""
        return len(self.source.damage)

    def read(self, words: WordListener | None) -> bool:
        """Read the new records; return True if they can be appended."""
        reader = ConversationReader(
            [self.source],
            is_agent=self._unit.agent is not None,
            listener=ListenerPair(self._changes, words) if words else self._changes,
        )
        reader.facts = facts_before(self._before)
        for row in self._left.rows:
            reader.own.add(row)
        self._held = len(reader.own.nodes)
        counted = reader.own.said.links
        with self.source:
            reader.take(self.source.heads(), 0)
            said = Said(self._left.said.links + reader.own.said.links - counted)
            if not self._may_append(reader, said):
                return False
            tree = reader.own.tree(reader.facts.leaf, said)
            self._conversation = Conversation([self.source], reader.facts, tree)
            if (
                len(tree.branches) > 1
                or any(node.marks for node in tree.nodes[self._held :])
                or not self._is_in_order()
            ):
                return False
            numbers = self._numbers()
            self._packed = tail.pack(tree, numbers, said, self.source.end, self.source.next_line)
            if words is not None:
                words.finish(self._conversation)
            self.end = end_of(self.source, self.source.end)
        return True

    def _may_append(self, reader: ConversationReader, said: Said) -> bool:
        facts, nodes = reader.facts, reader.own.nodes
        is_old = is_rewriting_version(next(reversed(facts.versions), None))
        if not self.source.is_whole or reader.inline or is_old or said.is_linear != self._left.said.is_linear:
            return False
        ids = {row.uuid for node in nodes for row in (*node.rows, *node.repeats) if row.uuid}
        if facts.leaf is not None and facts.leaf.uuid not in ids | {ZERO_UUID}:
            return False
        models = models_of(nodes[self._held :])
        if models and models[0] != (json.loads(self._before["models"]) or models)[0]:
            return False
        new = [row for node in nodes for row in node.rows if self._is_new(row)]
        return not self._is_known(new, nodes)

    def _is_known(self, rows: list[Row], nodes: list[Node]) -> bool:
        """Return True if an id of a record or of an API message occurs before the tail."""
        asked = json.dumps([row.uuid for row in rows if row.uuid])
        known = "SELECT 1 FROM record WHERE unit = ? AND id IN (SELECT value FROM json_each(?)) LIMIT 1"
        if self._database.execute(known, (self._number, asked)).fetchone():
            return True
        keys = [self._keys.message(node.head) for node in nodes[self._held :] if node.head.group]
        asked_for = "SELECT 1 FROM message WHERE key = ? AND unit = ?"
        return any(self._database.execute(asked_for, (key, self._number)).fetchone() for key in keys)

    def _is_in_order(self) -> bool:
        """Return True if new rows follow the old rows of the messages in the tail, and none of these repeats."""
        for node in self._nodes[: self._held]:
            old = sum(not self._is_new(row) for row in node.rows)
            is_grown = old < len(node.rows)
            if any(self._is_new(row) for row in node.rows[:old]) or (is_grown and node.repeats):
                return False
        return True

    @property
    def _nodes(self) -> list[Node]:
        return self._conversation.tree.nodes if self._conversation else []

    @property
    def _facts(self) -> Facts:
        return self._conversation.facts if self._conversation else Facts()

    def _is_new(self, row: Row) -> bool:
        return row.offset >= self._left.end

    def _numbers(self) -> list[int]:
        new = len(self._nodes) - self._held
        return [*self._left.numbers, *range(self._left.nodes, self._left.nodes + new)]

    def write(self) -> None:
        """Append the new rows, within the caller's transaction."""
        behind = {table: self._last(table) for table in (*SHARED_TABLES, "summary")}
        extract = Extract(self._conversation or Conversation([], Facts(), None), [self._file.number], self._keys)  # type: ignore[arg-type]
        self._insert("record", self._record_rows())
        self._write_messages()
        calls = self._write_calls(extract) if not self._before["is_internal"] else 0
        self._write_usage(extract)
        if not self._before["is_internal"]:
            self._write_changes()
        self._write_statements(extract)
        self._insert("named_original", extract.named_originals(self._nodes[self._held :], self._left.nodes))
        self._insert("damage", extract.damage())
        self._write_unit(calls)
        mark_sharing(self._database, self._number, behind)

    def _insert(self, table: str, rows: "Iterator[TableRow] | list[TableRow]") -> None:
        self._database.executemany(INSERT[table], ((self._number, *row) for row in rows))

    def _last(self, table: str) -> int:
        return int(self._database.execute(_LAST[table]).fetchone()[0] or 0)

    def _record_rows(self) -> Iterator[TableRow]:
        numbers = self._numbers()
        for place, node in enumerate(self._nodes):
            if not any(self._is_new(row) for row in (*node.rows, *node.repeats)):
                continue
            parent, marks = numbers[node.parent] if node.parent >= 0 else NOBODY, " ".join(node.marks) or None
            if place < self._held:  # its parent lies before the tail
                parent, marks = self._database.execute(_LINK, (self._number, numbers[place])).fetchone()
            for part, row in enumerate((*node.rows, *node.repeats)):
                if self._is_new(row):
                    yield (
                        *("", numbers[place], part, parent, row.kind, MAIN, marks, part >= len(node.rows)),
                        *(row.uuid, row.moment, self._file.number, row.line, row.offset, row.length),
                    )

    def _write_messages(self) -> None:
        rows = []
        for number, node in zip(self._numbers(), self._nodes, strict=True):
            if node.head.kind not in SPOKEN_KINDS:
                continue
            if number >= self._left.nodes:
                rows.append(message_row(number, node, self._keys.message(node.head)))
            elif self._is_new(node.rows[-1]):
                last = node.rows[-1].uuid
                values = (id_key(last) if last else None, self._number, number)
                self._database.execute("UPDATE message SET last = ? WHERE unit = ? AND node = ?", values)
        self._insert("message", rows)

    def _write_calls(self, extract: Extract) -> int:
        """Write new calls and new results; return the number of new calls."""
        known = "SELECT 1 FROM call WHERE key = ? AND unit = ?"
        rows = []
        for number, node in zip(self._numbers(), self._nodes, strict=True):
            fresh = Node([row for row in node.rows if self._is_new(row)] or [node.head], 0)
            if self._is_new(fresh.rows[0]):
                rows += [
                    row
                    for row in extract.calls([fresh], None, number)
                    if not self._database.execute(known, (row[0], self._number)).fetchone()
                ]
        self._insert("call", rows)
        self.quarters += [row[7] for row in rows if row[7] is not None]
        for node in self._nodes:
            for row in node.rows:
                if row.results and self._is_new(row):
                    self._write_answers(row)
        return len(rows)

    def _write_answers(self, row: Row) -> None:
        for call, outcome in zip(row.results, row.outcomes, strict=True):
            key = self._keys.call(call, row)
            asked = self._database.execute(
                "SELECT rowid, time FROM call WHERE key = ? AND unit = ? AND outcome IS NULL", (key, self._number)
            ).fetchone()
            if asked is not None:
                self.quarters += [quarter for quarter in [quarter_of(asked[1])] if quarter is not None]
                seconds = seconds_between(asked[1], row.moment)
                self._database.execute(
                    "UPDATE call SET outcome = ?, seconds = ?, answer_file = ?, answer_offset = ?, answer_length = ?"
                    " WHERE rowid = ?",
                    (outcome, seconds, self._file.number, row.offset, row.length, asked[0]),
                )

    def _write_usage(self, extract: Extract) -> None:
        """Write the usage of every message with a new record again."""
        nodes = [node for node in self._nodes if any(self._is_new(row) for row in (*node.rows, *node.repeats))]
        rows = list(extract.usage([(None, nodes)]))
        self._database.executemany(
            "DELETE FROM usage WHERE key = ? AND unit = ?", ((row[0], self._number) for row in rows)
        )
        self._insert("usage", rows)
        self.quarters += [row[4] for row in rows if row[4] is not None]

    def _write_changes(self) -> None:
        files, cwds = [self._file.number], list(self._facts.cwds)
        rows = [change_row(change, files) for change in self._changes.changes(cwds, self._known_backups())]
        calls = {row[9] for row in rows if row[9] is not None}
        for call in calls:
            self._database.execute("DELETE FROM change WHERE unit = ? AND call = ?", (self._number, call))
        self._insert("change", rows)

    def _known_backups(self) -> Iterator[tuple[str, str | None]]:
        """Yield path and name of each backup in the catalogue; only new backups ask for them."""
        asked = "SELECT path, other FROM change WHERE unit = ? AND kind IN ('backup', 'absent') AND call IS NULL"
        yield from self._database.execute(asked, (self._number,)).fetchall()

    def _recall(self, call: str) -> Asked | None:
        """Return an earlier call, read from its place."""
        asked = self._database.execute(
            "SELECT name, node, offset, length, answer_offset FROM call WHERE unit = ? AND id = ?", (self._number, call)
        ).fetchone()
        if asked is None or asked[4] is not None:
            return None
        name, number, offset, length, _ = asked
        head = self._database.execute(
            "SELECT id, line FROM record WHERE unit = ? AND agent = '' AND node = ? AND part = 0",
            (self._number, number),
        ).fetchone() or (None, 0)
        record = self.source.record(0, offset, length)
        row = next((row for _, _, row in rows_of([record], 0, Facts()) if row is not None), None)
        if row is None:
            return None
        said = msgspec.structs.replace(row, uuid=head[0], line=head[1])
        value = decoded_object(record.raw)
        slug = value.get("slug")
        return Asked(
            call,
            name,
            row,
            Node([said], 0),
            None,
            head_of(record.value).cwd or None,
            slug if isinstance(slug, str) else None,
            inputs_of(value).get(call),
        )

    def tool_of(self, call: str) -> str | None:
        """Return the tool of an earlier call."""
        found = self._database.execute(
            "SELECT name FROM call WHERE unit = ? AND id = ?", (self._number, call)
        ).fetchone()
        return found[0] if found else None

    def _write_statements(self, extract: Extract) -> None:
        """Write the records beside the tree, by the same rules as a read of the whole file."""
        names = {name for (name,) in self._database.execute("SELECT name FROM aside WHERE unit = ?", (self._number,))}
        self._insert("aside", [row for row in extract.asides() if row[1] not in names])
        for leaf, text in self._facts.summaries.items():
            self._database.execute("DELETE FROM summary WHERE unit = ? AND leaf = ?", (self._number, leaf))
            # The new row may get the number of the deleted one, so its number does not show that it is new.
            self._database.execute("INSERT OR IGNORE INTO changed_leaf VALUES (?)", (leaf,))
            self._insert("summary", [(leaf, text)])
        rows = self._database.execute("SELECT rowid, kind, name, call FROM evidence WHERE unit = ?", (self._number,))
        known = {(kind, name): (rowid, call) for rowid, kind, name, call in rows}
        for kind, name, call, *rest in evidence_rows(self._facts):
            rowid, named = known.get((kind, name), (None, None))
            if rowid is None:
                self._insert("evidence", [(kind, name, call, *rest)])
            elif kind == "notice" and call is not None:
                self._database.execute("UPDATE evidence SET call = ? WHERE rowid = ?", (call, rowid))
            elif kind == "call":
                self._database.execute("DELETE FROM evidence WHERE rowid = ?", (rowid,))
                self._insert("evidence", [(kind, name, named, *rest)])

    def _write_unit(self, calls: int) -> None:
        before, facts, source = self._before, self._facts, self.source
        new = self._nodes[self._held :]
        counts, counted = counts_of(self._nodes), counts_of(self._nodes[: self._held])
        fresh = [row for node in self._nodes for row in (*node.rows, *node.repeats) if self._is_new(row)]
        forked = forked_from(row for node in self._nodes for row in node.rows if self._is_new(row))
        values = {
            **fact_columns(facts),
            "bytes": source.size,
            "record_bytes": before["record_bytes"] + source.record_bytes,
            "damage_bytes": before["damage_bytes"] + source.damage_bytes,
            "blank_bytes": before["blank_bytes"] + source.blank_bytes,
            "records": before["records"] + source.records,
            "messages": before["messages"] + sum(node.head.kind in SPOKEN_KINDS for node in new),
            "prompts": before["prompts"] + counts.prompts - counted.prompts,
            "calls": before["calls"] + calls,
            "compactions": before["compactions"] + counts.compactions - counted.compactions,
            "synthetic": before["synthetic"] + sum(row.kind == SYNTHETIC for row in fresh),
            "started": min(filter(None, (before["started"], counts.started, facts.first_time)), default=None),
            "updated": max(filter(None, (before["updated"], counts.updated, facts.last_time)), default=None),
            "first_prompt": self._first_prompt(),
            "forked_from": forked["forked_from"] or before["forked_from"],
            "is_branched": forked["is_branched"] or before["is_branched"],
            "models": json.dumps(list(dict.fromkeys([*json.loads(before["models"]), *models_of(new)]))),
            "side": self._unit.side_facts(),
            "mtime": self._unit.mtime,
            "tail": self._packed,
        }
        statement = f"UPDATE unit SET {', '.join(f'{name} = ?' for name in values)} WHERE id = ?"
        self._database.execute(statement, (*values.values(), self._number))

    def _first_prompt(self) -> str | None:
        row = self._database.execute(
            "SELECT label FROM message WHERE unit = ? AND coalesce(label, '') != '' ORDER BY CASE kind"
            " WHEN 'typed' THEN 0 WHEN 'queued' THEN 0 WHEN 'prompt' THEN 1 WHEN 'plan' THEN 2 ELSE 3 END, node"
            " LIMIT 1",
            (self._number,),
        ).fetchone()
        first: str | None = row[0] if row else self._before["first_prompt"]
        return first
