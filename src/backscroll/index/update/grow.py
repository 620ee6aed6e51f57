"""Take in the end of a transcript that only grew: new records are decoded, and new rows written, nothing else.

`Grower.grow` says no where that would not give the same rows as reading the whole file; see `tail`.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from backscroll.index.schema import COLUMNS, INSERT
from backscroll.index.update import tail
from backscroll.index.update.files import checks_of, state_of
from backscroll.index.update.read import (
    Both,
    Extract,
    TableRow,
    Words,
    change_row,
    counts_of,
    evidence_rows,
    message_row,
    models_of,
)
from backscroll.index.update.tail import Tail
from backscroll.index.update.units import Unit
from backscroll.index.update.write import SHARED_TABLES, UnitWriter, mark_sharing, write_states
from backscroll.sessions.conversation import Conversation, ConversationReader
from backscroll.sessions.facts import ZERO_UUID, CostState, Facts
from backscroll.sessions.file_changes import Asked, FileChanges, decoded, inputs_of
from backscroll.sessions.heads import head_of
from backscroll.sessions.keys import Keys, id_key, is_rewriting_version
from backscroll.sessions.model import MAIN
from backscroll.sessions.moments import quarter_of
from backscroll.sessions.rows import SPOKEN_KINDS, SYNTHETIC, Row, rows_of
from backscroll.sessions.source import Source
from backscroll.sessions.tree import NOBODY, Node, Said
from backscroll.stores.base import Opener
from backscroll.times import parse
from backscroll.value import NamedTuple

NEVER = 1 << 61
"""Behind every quarter of an hour."""
_LINK = "SELECT parent, marks FROM record WHERE unit = ? AND agent = '' AND node = ? AND part = 0"
_LAST = {table: f"SELECT max(rowid) FROM {table}" for table in (*SHARED_TABLES, "summary")}

MakeWords = Callable[[Source, int, Callable[[str], str | None]], Words | None]
"""Makes the listener that takes in words behind a byte of a file, given what returns the tool of an earlier call."""


class _File(NamedTuple):
    """A transcript as the catalogue has it."""

    number: int
    end: int
    checks: bytes
    words: int | None
    state: tuple[Any, ...]


class Grower:
    """Takes in transcripts that grew."""

    def __init__(self, database: sqlite3.Connection, writer: UnitWriter, open_file: Opener, looked: int) -> None:
        self._database = database
        self._writer = writer
        self._open_file = open_file
        self._looked = looked

    def is_kept(self, unit: Unit, before: frozenset[str]) -> bool:
        """Say whether a unit has the same single transcript as before, which begins as it did."""
        paths = {file.path for file in (*unit.files, *unit.side_files)}
        if paths != before or len(unit.files) != 1:
            return False
        file = self._file(unit.files[0].path)
        if file is None or unit.files[0].size < file.end:
            return False
        return checks_of(unit.files[0].path, file.end, self._open_file) == file.checks

    def _file(self, path: str) -> _File | None:
        row = self._database.execute(
            "SELECT id, end, checks, words, size, mtime, ctime, inode, device FROM file WHERE path = ?",
            (os.fsencode(path),),
        ).fetchone()
        if row is None or row[1] is None or not row[2]:
            return None
        number, end, checks, words, *state = row
        return _File(number, end, checks, words, tuple(state))

    def grow(  # noqa: PLR0911 - each is a reason to read the file from its start
        self, unit: Unit, number: int, make_words: MakeWords | None
    ) -> "Grown | None":
        """Take in what was appended to a unit; None where it must be read again from its start."""
        file = self._file(unit.files[0].path)
        if file is None:
            return None
        if state_of(unit.files[0]) == file.state:
            return self._settle(unit, number)
        columns = COLUMNS["unit"]
        row = self._database.execute("SELECT * FROM unit WHERE id = ?", (number,)).fetchone()
        before = dict(zip(columns, row, strict=True))
        left = tail.unpacked(before["tail"])
        if left is None or left.end != file.end:
            return None
        growth = _Growth(self._database, unit, before, left, file, self._open_file)
        words = None
        if make_words is not None and file.words == file.end:
            words = make_words(growth.source, file.number, growth.tool_of)
        if not growth.read(words):
            return None
        self._database.execute("BEGIN IMMEDIATE")
        try:
            (now,) = self._database.execute("SELECT tail FROM unit WHERE id = ?", (number,)).fetchone() or (None,)
            if now != before["tail"]:  # somebody else was faster
                self._database.rollback()
                return None
            growth.write()
            self._writer.write_files(unit, number, [growth.source.end])
            self._database.execute("INSERT OR IGNORE INTO dirty VALUES (?)", (before["session"],))
        except UnicodeEncodeError:  # only a whole reading cleans what no database can hold
            self._database.rollback()
            return None
        except BaseException:
            self._database.rollback()
            raise
        self._database.execute("COMMIT")
        return Grown(growth.records, growth.damage, words is not None, min(growth.quarters, default=NEVER))

    def _settle(self, unit: Unit, number: int) -> "Grown":
        """Write down that a transcript is as it was; the small files beside it may have changed."""
        files = (*unit.files, *unit.side_files)
        self._database.execute("BEGIN IMMEDIATE")
        (side, session) = self._database.execute("SELECT side, session FROM unit WHERE id = ?", (number,)).fetchone()
        if unit.side_facts() != side:
            self._database.execute("UPDATE unit SET side = ? WHERE id = ?", (unit.side_facts(), number))
            self._database.execute("INSERT OR IGNORE INTO dirty VALUES (?)", (session,))
        write_states(self._database, ((file.path, state_of(file)) for file in files), self._looked)
        self._database.execute("COMMIT")
        return Grown(0, 0, with_words=False, is_same=True)


class Grown(NamedTuple):
    """How many records and damaged places were new, and whether words were taken in."""

    records: int
    damage: int
    with_words: bool
    since: int = 0
    """The first quarter of an hour whose sums are others."""
    is_same: bool = False
    """The transcript is as it was."""


class _Growth:
    """The end of one transcript."""

    def __init__(  # noqa: PLR0913, PLR0917 - all that is known of it
        self,
        database: sqlite3.Connection,
        unit: Unit,
        before: Mapping[str, Any],
        left: Tail,
        file: _File,
        open_file: Opener,
    ) -> None:
        self._database = database
        self._unit = unit
        self._before = before
        self._number: int = before["id"]
        self._left = left
        self._file = file
        self.source = Source(unit.files[0].path, open_file)
        self.source.end, self.source.next_line = left.end, left.next_line
        self._changes = FileChanges([self.source], self._recall)
        self._keys = Keys([self.source.path])
        self._held = 0
        self.quarters: list[int] = []
        """The quarters of an hour whose sums change."""
        self._conversation: Conversation | None = None

    @property
    def records(self) -> int:
        """How many records were read."""
        return self.source.records

    @property
    def damage(self) -> int:
        """How many damaged places were met."""
        return len(self.source.damage)

    def read(self, words: Words | None) -> bool:
        """Read the new records; say whether they can be appended."""
        reader = ConversationReader(
            [self.source],
            is_agent=self._unit.agent is not None,
            listener=Both(self._changes, words) if words else self._changes,
        )
        reader.facts = _facts_before(self._before)
        for row in self._left.rows:
            reader.own.add(row)
        self._held = len(reader.own.nodes)
        counted = reader.own.said.spoken, reader.own.said.without_parent
        with self.source:
            reader.take(self.source.heads(), 0)
            said = Said(
                self._left.said.spoken + reader.own.said.spoken - counted[0],
                self._left.said.without_parent + reader.own.said.without_parent - counted[1],
            )
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
        new = [row for node in nodes for row in node.rows if row.offset >= self._left.end]
        return not self._is_known(new, nodes)

    def _is_known(self, rows: list[Row], nodes: list[Node]) -> bool:
        """Say whether an id of a record or of an API message came before the tail."""
        asked = json.dumps([row.uuid for row in rows if row.uuid])
        known = "SELECT 1 FROM record WHERE unit = ? AND id IN (SELECT value FROM json_each(?)) LIMIT 1"
        if self._database.execute(known, (self._number, asked)).fetchone():
            return True
        keys = [self._keys.message(node.head) for node in nodes[self._held :] if node.head.group]
        asked_for = "SELECT 1 FROM message WHERE key = ? AND unit = ?"
        return any(self._database.execute(asked_for, (key, self._number)).fetchone() for key in keys)

    def _is_in_order(self) -> bool:
        """Say whether new rows come after the old ones of the messages that are held, and none of these repeats."""
        for node in self._nodes[: self._held]:
            old = sum(row.offset < self._left.end for row in node.rows)
            is_grown = old < len(node.rows)
            if any(row.offset >= self._left.end for row in node.rows[:old]) or (is_grown and node.repeats):
                return False
        return True

    @property
    def _nodes(self) -> list[Node]:
        return self._conversation.tree.nodes if self._conversation else []

    @property
    def _facts(self) -> Facts:
        return self._conversation.facts if self._conversation else Facts()

    def _numbers(self) -> list[int]:
        new = len(self._nodes) - self._held
        return [*self._left.numbers, *range(self._left.nodes, self._left.nodes + new)]

    def write(self) -> None:
        """Append the new rows, within a transaction of the caller's."""
        behind = {table: self._last(table) for table in (*SHARED_TABLES, "summary")}
        extract = Extract(self._conversation or Conversation([], Facts(), None), [self._file.number], self._keys)  # type: ignore[arg-type]
        self._insert("record", self._record_rows())
        self._write_messages()
        calls = self._write_calls(extract) if not self._before["is_internal"] else 0
        self._write_usage(extract)
        if not self._before["is_internal"]:
            self._write_changes()
        self._write_statements(extract)
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
            if not any(row.offset >= self._left.end for row in (*node.rows, *node.repeats)):
                continue
            parent, marks = numbers[node.parent] if node.parent >= 0 else NOBODY, " ".join(node.marks) or None
            if place < self._held:  # what it hangs on lies before the tail
                parent, marks = self._database.execute(_LINK, (self._number, numbers[place])).fetchone()
            for part, row in enumerate((*node.rows, *node.repeats)):
                if row.offset >= self._left.end:
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
            elif node.rows[-1].offset >= self._left.end:
                last = node.rows[-1].uuid
                values = (id_key(last) if last else None, self._number, number)
                self._database.execute("UPDATE message SET last = ? WHERE unit = ? AND node = ?", values)
        self._insert("message", rows)

    def _write_calls(self, extract: Extract) -> int:
        """Write new calls and new answers; return how many calls are new."""
        known = "SELECT 1 FROM call WHERE key = ? AND unit = ?"
        rows = []
        for number, node in zip(self._numbers(), self._nodes, strict=True):
            fresh = Node([row for row in node.rows if row.offset >= self._left.end] or [node.head], 0)
            if fresh.rows[0].offset >= self._left.end:
                rows += [
                    row
                    for row in extract.calls([fresh], None, number)
                    if not self._database.execute(known, (row[0], self._number)).fetchone()
                ]
        self._insert("call", rows)
        self.quarters += [row[7] for row in rows if row[7] is not None]
        for node in self._nodes:
            for row in node.rows:
                if row.results and row.offset >= self._left.end:
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
                started, finished = parse(asked[1]), parse(row.moment)
                is_timed = started is not None and finished is not None and finished >= started
                seconds = (finished - started).total_seconds() if is_timed and started and finished else None
                self._database.execute(
                    "UPDATE call SET outcome = ?, seconds = ?, answer_file = ?, answer_offset = ?, answer_length = ?"
                    " WHERE rowid = ?",
                    (outcome, seconds, self._file.number, row.offset, row.length, asked[0]),
                )

    def _write_usage(self, extract: Extract) -> None:
        """Write the usage of every message that has a new record anew."""
        nodes = [
            node for node in self._nodes if any(row.offset >= self._left.end for row in (*node.rows, *node.repeats))
        ]
        rows = extract.usage([(None, nodes)])
        self._database.executemany(
            "DELETE FROM usage WHERE key = ? AND unit = ?", ((row[0], self._number) for row in rows)
        )
        self._insert("usage", rows)
        self.quarters += [row[4] for row in rows if row[4] is not None]

    def _write_changes(self) -> None:
        known = self._database.execute(
            "SELECT path, other FROM change WHERE unit = ? AND kind IN ('backup', 'absent') AND call IS NULL",
            (self._number,),
        ).fetchall()
        files = [self._file.number]
        rows = [change_row(change, files) for change in self._changes.changes(list(self._facts.cwds), known)]
        calls = {row[9] for row in rows if row[9] is not None}
        for call in calls:
            self._database.execute("DELETE FROM change WHERE unit = ? AND call = ?", (self._number, call))
        self._insert("change", rows)

    def _recall(self, call: str) -> Asked | None:
        """Return a call that was made before, from its place."""
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
        value = decoded(record.raw)
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
        """Return the tool of a call that was made before."""
        found = self._database.execute(
            "SELECT name FROM call WHERE unit = ? AND id = ?", (self._number, call)
        ).fetchone()
        return found[0] if found else None

    def _write_statements(self, extract: Extract) -> None:
        """Write what records beside the tree say, by the same rules as a whole reading."""
        names = {name for (name,) in self._database.execute("SELECT name FROM aside WHERE unit = ?", (self._number,))}
        self._insert("aside", [row for row in extract.asides() if row[1] not in names])
        for leaf, text in self._facts.summaries.items():
            self._database.execute("DELETE FROM summary WHERE unit = ? AND leaf = ?", (self._number, id_key(leaf)))
            self._insert("summary", [(id_key(leaf), text)])
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
        counts = counts_of(self._nodes)
        fresh = [row for node in self._nodes for row in (*node.rows, *node.repeats) if row.offset >= self._left.end]
        copied = (row.copied_from.sessionId for row in fresh if row.copied_from and row.copied_from.sessionId)
        cost = facts.cost_state
        values = {
            "bytes": source.size,
            "record_bytes": before["record_bytes"] + source.record_bytes,
            "damage_bytes": before["damage_bytes"] + source.damage_bytes,
            "blank_bytes": before["blank_bytes"] + source.blank_bytes,
            "records": before["records"] + source.records,
            "messages": before["messages"] + sum(node.head.kind in SPOKEN_KINDS for node in new),
            "prompts": before["prompts"] + counts_of(new).prompts,
            "calls": before["calls"] + calls,
            "compactions": before["compactions"]
            + counts.compactions
            - counts_of(self._nodes[: self._held]).compactions,
            "synthetic": before["synthetic"] + sum(row.kind == SYNTHETIC for row in fresh),
            "started": min(filter(None, (before["started"], counts.started)), default=None),
            "updated": max(filter(None, (before["updated"], counts.updated)), default=None),
            "version": next(reversed(facts.versions), None),
            "git_branch": facts.git_branch,
            "entrypoint": facts.entrypoint,
            "custom_title": facts.custom_title,
            "ai_title": facts.ai_title,
            "agent_name": facts.agent_name,
            "last_prompt": facts.last_prompt,
            "first_prompt": self._first_prompt(),
            "tag": facts.tag,
            "relocated": facts.relocated,
            "worktree_of": facts.worktree_of,
            "account": facts.account,
            "named_session": next(iter(facts.session_ids), None),
            "forked_from": before["forked_from"] or next(copied, None),
            "cwds": json.dumps(list(facts.cwds)),
            "models": json.dumps(list(dict.fromkeys([*json.loads(before["models"]), *models_of(new)]))),
            "cost": cost.cost if cost else None,
            "cost_models": json.dumps(cost.models) if cost else None,
            "side": self._unit.side_facts(),
            "mtime": self._unit.mtime,
            "tail": self._packed,
        }
        statement = f"UPDATE unit SET {', '.join(f'{name} = ?' for name in values)} WHERE id = ?"
        self._database.execute(statement, (*values.values(), self._number))

    def _first_prompt(self) -> str | None:
        row = self._database.execute(
            "SELECT label FROM message WHERE unit = ? AND coalesce(label, '') != '' ORDER BY CASE kind"
            " WHEN 'typed' THEN 0 WHEN 'queued' THEN 0 WHEN 'prompt' THEN 1 ELSE 2 END, node LIMIT 1",
            (self._number,),
        ).fetchone()
        first: str | None = row[0] if row else self._before["first_prompt"]
        return first


def _facts_before(before: Mapping[str, Any]) -> Facts:
    """Return the facts that an earlier reading left, so that later ones win as they would have then."""
    facts = Facts()
    for name in (
        *("git_branch", "entrypoint", "custom_title", "ai_title", "agent_name", "last_prompt"),
        *("tag", "relocated", "worktree_of", "account"),
    ):
        setattr(facts, name, before[name])
    facts.cwds = dict.fromkeys(json.loads(before["cwds"]), 1)
    facts.versions = {before["version"]: 1} if before["version"] is not None else {}
    facts.session_ids = {before["named_session"]: 1} if before["named_session"] is not None else {}
    facts.born = {0: before["born"]} if before["born"] is not None else {}
    if before["cost"] is not None:
        facts.cost_state = CostState(before["cost"], json.loads(before["cost_models"]))
    return facts
