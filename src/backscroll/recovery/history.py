"""History: all records about one file, joined from traces, renames and backups, and replayed.

The index knows the place of each piece of evidence; records are read from there one by one.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from backscroll.files import open_readonly
from backscroll.index.db import Connection
from backscroll.index.queries import file_changes as stored
from backscroll.index.queries.file_changes import StoredChange
from backscroll.place import Place
from backscroll.recovery.content import Content
from backscroll.recovery.cowork import Cowork
from backscroll.recovery.model import GAP, FileHistory
from backscroll.recovery.replay import Evidence, FileState, Replay
from backscroll.sessions.file_changes.backups import LARGEST_BACKUP, backup_stem
from backscroll.sessions.file_changes.change import ABSENT, BACKUP, DELETE, RENAME
from backscroll.sessions.file_changes.changes import Answered, inputs_of, read_call, read_record
from backscroll.sessions.file_changes.paths import absolute, folded, is_windows
from backscroll.sessions.file_changes.statements import SNAPSHOT, Statement
from backscroll.sessions.transcript.heads import decoded_object
from backscroll.sessions.transcript.outcomes import OK
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.stores import side
from backscroll.stores.archived import kept_backups
from backscroll.stores.base import Opener
from backscroll.times import iso, of_file

MOST_OPEN = 8
DEEPEST_RENAME = 5
MOST_RENAMES = 100
"""The most renames to follow back for one file, all chains together."""
Traces = dict[Evidence, StoredChange]
UNNAMED = "file-history:"
"""The prefix of the name of a backup whose path is no longer known."""


class Histories:
    """Builds the histories of files from one index, and keeps a few transcripts open meanwhile."""

    def __init__(self, database: Connection, open_file: Opener = open_readonly) -> None:
        self._database = database
        self.open_file = open_file
        self._sources: OrderedDict[str, TranscriptSource] = OrderedDict()
        self._renames = MOST_RENAMES
        self._shelf: Shelf | None = None
        self.cowork = Cowork(database)

    @property
    def shelf(self) -> "Shelf":
        """All backups, on disk and in the archive."""
        if self._shelf is None:
            self._shelf = Shelf(stored.configs(self._database), stored.archives(self._database))
        return self._shelf

    def history(self, path: str) -> FileHistory:
        """Return the versions of a file without their contents."""
        replay = self.replay(path)
        versions = [state.version for state in replay.states()]
        candidates = [state.version for state in replay.candidates]
        return FileHistory(self.shown(path), versions, candidates, lost=replay.lost)

    def states(self, path: str) -> Iterator[FileState]:
        """Yield the versions of a file with their contents, oldest first."""
        return self.replay(path).states()

    def candidates(self, path: str) -> list[FileState]:
        """Return the changes that never reached the disk."""
        replay = self.replay(path)
        for _ in replay.states():
            pass
        return replay.candidates

    def traces(self, paths: Iterable[str]) -> list[StoredChange]:
        """Return all records about some files, also under their names in machines of Cowork."""
        names = [folded(name) for path in paths for name in (path, *self.cowork.aliases(path))]
        return stored.of_paths(self._database, names)

    def shown(self, path: str) -> str:
        """Return a path in the spelling of the transcripts."""
        spelled = {trace.path for trace in stored.of_paths(self._database, [folded(path)])}
        return path if path in spelled or not spelled else min(spelled)

    def has_unnamed(self, path: str, own: list[StoredChange]) -> bool:
        """Return True if a file has copies that no transcript names."""
        return path.startswith(UNNAMED) or self.cowork.kept_at(path) is not None or any(self._unnamed(path, own))

    def close(self) -> None:
        """Close all transcripts."""
        for source in self._sources.values():
            source.close()
        self._sources.clear()

    def replay(self, path: str, depth: int = 0) -> Replay:
        """Return the replay of all records about a file."""
        self._renames = self._renames if depth else MOST_RENAMES
        traces: Traces = {}

        def origin(item: Evidence) -> Content | None:
            return self._content_before(item, depth + 1)

        def read(item: Evidence) -> Statement | None:
            return self._statement(item, traces.get(item))

        return Replay(self._evidence(path, traces), read, origin)

    def _evidence(self, path: str, traces: Traces) -> list[Evidence]:
        """Return the records about a file, in order: its own traces, those of its directories, and its backups."""
        if path.startswith(UNNAMED):
            return [self._loose_backup(item) for item in self.shelf.of_stem(path.removeprefix(UNNAMED))]
        name = folded(path)
        own = self.traces([path])
        above = [
            trace
            for trace in stored.of_paths(self._database, directories_of(name))
            if trace.kind in (DELETE, RENAME) and trace.outcome == OK
        ]
        for trace in (*own, *above):
            traces[_of_trace(trace)] = trace
        found = [*traces, *(_moved_here(trace, path) for trace in self._renames_to(path))]
        found += [self._loose_backup(item) for item in self._unnamed(path, own)]
        kept = self.cowork.kept_at(path)
        if kept is not None:
            found.append(Evidence(BACKUP, kept.time, OK, Place(kept.path), session=kept.session))
        return sorted(found, key=lambda item: item.time or "")

    def _renames_to(self, path: str) -> list[StoredChange]:
        return stored.renamed_to(self._database, [path, *directories_of(path)])

    def _content_before(self, item: Evidence, depth: int) -> Content | None:
        """Return the content of a renamed file before the rename."""
        self._renames -= 1
        if item.other is None or depth > DEEPEST_RENAME or self._renames < 0:
            return None
        held: FileState | None = None
        for state in self.replay(item.other, depth).states():
            if item.time is None or state.version.time is None or iso(state.version.time) < item.time:
                held = state
        return held.content if held is not None and held.version.sure != GAP and not held.version.deleted else None

    def _unnamed(self, path: str, own: list[StoredChange]) -> Iterator["side.Backup"]:
        """Yield the backups of a file that no transcript names, each content once."""
        named = {trace.other for trace in own if trace.kind == BACKUP}
        for item in self.shelf.of_stem(backup_stem(path)):
            if item.name not in named:
                named.add(item.name)
                yield item

    def _loose_backup(self, item: "side.Backup") -> Evidence:
        moment = of_file(item.mtime_ns / 1e9)
        return Evidence(
            BACKUP, iso(moment) if moment else None, OK, Place(item.path), session=item.session, other=item.name
        )

    # Reading by place

    def _statement(self, item: Evidence, trace: StoredChange | None) -> Statement | None:
        if item.kind == BACKUP:
            return self._backup(item, trace)
        if item.kind in (DELETE, RENAME, ABSENT) or trace is None:
            return Statement(item.kind, None)
        record = self._record(trace.transcript, trace.offset, trace.length)
        if not record:
            return None
        if trace.call is None:
            return next((found for found in read_record(record) if _is_of(found, trace, record)), None)
        answer = None
        path = trace.answer_transcript
        if path is not None:
            place = (trace.answer_offset or 0, trace.answer_length or 0)
            answer = Answered(self._record(path, *place), path)
            if not answer.record:
                return None
        return read_call(trace.tool or "", inputs_of(record).get(trace.call), trace.call, answer)

    def _record(self, path: str, offset: int, length: int) -> dict[str, object]:
        try:
            return decoded_object(self._source(path).read(offset, length))
        except OSError:
            return {}

    def _source(self, path: str) -> TranscriptSource:
        if path in self._sources:
            self._sources.move_to_end(path)
        else:
            self._sources[path] = TranscriptSource(path, self.open_file)
            if len(self._sources) > MOST_OPEN:
                self._sources.popitem(last=False)[1].close()
        return self._sources[path]

    def _backup(self, item: Evidence, trace: StoredChange | None) -> Statement | None:
        paths = [item.place.path] if trace is None else self.shelf.named(item.other or "", item.session)
        for path in paths:
            try:
                with self.open_file(path) as file:
                    data = file.read(LARGEST_BACKUP + 1)
            except OSError:
                continue
            if len(data) <= LARGEST_BACKUP:
                return Statement(BACKUP, None, data=data)
        return None


def _of_trace(trace: StoredChange) -> Evidence:
    offset = trace.answer_offset if trace.answer_offset is not None else trace.offset
    length = trace.answer_length if trace.answer_length is not None else trace.length
    return Evidence(
        trace.kind,
        trace.time,
        trace.outcome,
        Place(trace.answer_transcript or trace.transcript, offset=offset, length=length),
        trace.session,
        trace.agent,
        trace.branch,
        trace.message,
        trace.call,
        trace.tool,
        trace.other,
    )


def _moved_here(trace: StoredChange, path: str) -> Evidence:
    """Return the evidence that a file came from elsewhere; `other` is its path there."""
    inside = path[len(trace.other or "") :]
    return _of_trace(trace)._replace(tool=None, other=trace.path + inside)


def _is_of(statement: Statement, trace: StoredChange, record: dict[str, object]) -> bool:
    """Return True if a trace belongs to this statement of a record with several statements."""
    cwd = record.get("cwd")
    path = absolute(statement.path or "", cwd if isinstance(cwd, str) else None, trace.transcript)
    return folded(path) == trace.folded or statement.kind != SNAPSHOT


class Shelf:
    """The backups, by the digest of the path that begins their names."""

    def __init__(self, configs: Iterable[str], archives: Iterable[Path] = ()) -> None:
        self._by_stem: dict[str, list[side.Backup]] = defaultdict(list)
        found = chain(*map(side.backups, configs), *map(kept_backups, archives))
        for item in found:
            self._by_stem[item.name.partition("@")[0]].append(item)

    def of_stem(self, stem: str) -> list["side.Backup"]:
        """Return all backups of one file, the oldest version first."""
        return sorted(self._by_stem.get(stem, ()), key=lambda item: (item.mtime_ns, _number(item.name), item.session))

    def named(self, name: str, session: str | None) -> list[str]:
        """Return the possible paths of a backup: in its session's directory, or in that of a session that copied it."""
        items = [item for item in self._by_stem.get(name.partition("@")[0], ()) if item.name == name]
        return [item.path for item in sorted(items, key=lambda item: item.session != session)]

    def stems(self) -> Iterable[str]:
        """Return the digests of all paths that have backups."""
        return self._by_stem.keys()


def _number(name: str) -> int:
    number = name.rpartition("@v")[2]
    return int(number) if number.isdecimal() else 0


def directories_of(path: str) -> list[str]:
    """Return the directories above a path, without the root."""
    separator = "\\" if is_windows(path) else "/"
    pieces = path.split(separator)
    return [separator.join(pieces[:count]) for count in range(2, len(pieces))]
