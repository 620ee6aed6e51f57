"""Catalogue: all files that sessions touched, counted from the index; and the search for the file of a request.

The index stores keys of contents, which mostly suffice to count versions.  They do not for a file read in part, an
edit without its base, or a backup that no record names: such a file is replayed to count.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase

from backscroll.errors import NotFoundError, QueryError
from backscroll.files import open_readonly
from backscroll.index.db import Connection
from backscroll.index.queries import file_changes as stored
from backscroll.index.queries.file_changes import FileFilter, StoredChange, Touched
from backscroll.recovery.history import UNNAMED, Histories, directories_of
from backscroll.recovery.model import FileList, FileSummary, OnFile
from backscroll.sessions.file_changes.backups import backup_stem
from backscroll.sessions.file_changes.change import ABSENT, BACKUP, DELETE, PART, RENAME
from backscroll.sessions.file_changes.paths import absolute, below, folded, is_windows
from backscroll.sessions.file_changes.statements import EDIT, SNAPSHOT, WRITE
from backscroll.sessions.transcript.outcomes import OK
from backscroll.stores.base import Opener
from backscroll.times import parse

MOST_CANDIDATES = 10
_AT_ONCE = 200


def list_files(  # noqa: PLR0913, PLR0917 - as the verb
    database: Connection,
    wanted: FileFilter,
    match: str | None,
    limit: int | None,
    on_file: OnFile | None = None,
    open_file: Opener = open_readonly,
) -> FileList:
    """Return the files that pass a filter, the last touched first."""
    histories = Histories(database, open_file)
    try:
        found = touched_files(database, histories, wanted, match)
        if match is None and wanted == FileFilter():
            found += _without_path(database, histories)
        chosen = found if limit is None else found[:limit]
        return FileList(len(found), list(_summaries(database, histories, chosen, on_file)))
    finally:
        histories.close()


def touched_files(database: Connection, histories: Histories, wanted: FileFilter, match: str | None) -> list[Touched]:
    """Return the files that pass a filter, by their real paths, the last touched first."""
    found: dict[str, Touched] = {}
    for item in stored.touched(database, wanted):
        path = histories.cowork.real(item.path)
        found.setdefault(folded(path), item if path == item.path else Touched(folded(path), path, item.last))
    if wanted.sessions.project is None and wanted.since is None and wanted.until is None:
        for kept in histories.cowork.kept():
            if wanted.sessions.session in (None, kept.session):
                item = found.setdefault(folded(kept.path), Touched(folded(kept.path), kept.path, kept.time))
                if (kept.time or "") > (item.last or ""):
                    found[item.folded] = Touched(item.folded, item.path, kept.time)
    chosen = [item for item in found.values() if match is None or matches(item.path, match)]
    return sorted(chosen, key=lambda item: item.last or "", reverse=True)


def matches(path: str, pattern: str) -> bool:
    """Return True if a path matches a pattern: its name, or its end if the pattern has slashes."""
    if is_windows(path):
        path, pattern = folded(path).replace("\\", "/"), pattern.replace("\\", "/").lower()
    if "/" not in pattern:
        path = path.rpartition("/")[2]
    return fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern.removeprefix('./')}")


def find_path(database: Connection, asked: str, histories: Histories) -> str:
    """Return the requested file: by its path, or by the end of its path if that is unique."""
    if asked.startswith(UNNAMED):
        if histories.shelf.of_stem(asked.removeprefix(UNNAMED)):
            return asked
        raise NotFoundError("there is no such backup", asked, "Run `backscroll files` to list recorded files.")
    text = histories.cowork.real(asked.encode(errors="backslashreplace").decode())
    whole = absolute(text, os.getcwd())
    if histories.cowork.kept_at(whole) is not None or any(
        stored.is_known(database, folded(name)) for name in (whole, *histories.cowork.aliases(whole))
    ):
        return histories.shown(whole)
    tails = {"/" + text.replace("\\", "/").removeprefix("./").lstrip("/")}
    tails.add(next(iter(tails)).replace("/", "\\").lower())
    names = {histories.cowork.real(name) for tail in tails for name in stored.ending_in(database, tail)}
    names |= {kept.path for kept in histories.cowork.kept() if kept.path.endswith(tuple(tails))}
    found = sorted(names)
    if not found:
        raise NotFoundError("no session recorded this file", asked, _near_files(database, text))
    if len(found) > 1:
        listed = "\n  ".join(found[:MOST_CANDIDATES])
        raise QueryError(f"{len(found)} files end with this path", asked, f"Give more of the path:\n  {listed}")
    return histories.shown(found[0])


def _near_files(database: Connection, asked: str) -> str:
    """Return a sentence with the files whose names contain, or resemble, the last name of a path."""
    wanted = _last_name(asked)
    names = {item.path: _last_name(item.path) for item in stored.touched(database, FileFilter())}
    found = [path for path, name in names.items() if wanted and wanted in name]
    if not found:
        from difflib import get_close_matches  # noqa: PLC0415  (5 ms, and only a slip needs it)

        near = get_close_matches(wanted, set(names.values()), MOST_CANDIDATES)
        found = [path for like in near for path, name in names.items() if name == like]
    listed = "\n  ".join(found[:MOST_CANDIDATES])
    return f"Did you mean:\n  {listed}" if found else "Run `backscroll files` to list recorded files."


def _last_name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2].lower()


def related(database: Connection, path: str) -> list[str]:
    """Return the same file in worktrees of its repository, or in the repository of its worktree."""
    twins = stored.worktrees(database)
    inside = {project: rest for cwd, project in twins for rest in [below(path, cwd)] if rest is not None}
    inside |= {
        project: rest
        for _, project in twins
        for rest in [below(path, project)]
        if rest is not None and project not in inside
    }
    found = set()
    for cwd, project in twins:
        if project in inside:
            found |= {_join(directory, inside[project]) for directory in (cwd, project)}
    return sorted(name for name in found if folded(name) != folded(path) and stored.is_known(database, folded(name)))


def project_of(path: str, roots: list[str]) -> str | None:
    """Return the directory of the project that holds a file; of several, the innermost."""
    return next((root for root in roots if below(path, root) is not None), None)


def _join(directory: str, rest: str) -> str:
    return f"{directory}\\{rest}".replace("/", "\\") if is_windows(directory) else f"{directory}/{rest}"


def _without_path(database: Connection, histories: Histories) -> list[Touched]:
    """Return the backups of files with unknown paths: a backup's name holds only a digest of the path."""
    stems = set(histories.shelf.stems())
    if not stems:
        return []
    stems -= {backup_stem(item.path) for item in stored.touched(database, FileFilter())}
    return [Touched(UNNAMED + stem, UNNAMED + stem, None) for stem in sorted(stems)]


def _summaries(
    database: Connection, histories: Histories, chosen: list[Touched], on_file: OnFile | None
) -> Iterator[FileSummary]:
    removed, roots = stored.removals(database), stored.roots(database)
    for start in range(0, len(chosen), _AT_ONCE):
        some = chosen[start : start + _AT_ONCE]
        traces: dict[str, list[StoredChange]] = defaultdict(list)
        for trace in histories.traces(item.path for item in some):
            traces[folded(histories.cowork.real(trace.path))].append(trace)
        for item in some:
            yield _summary(item, traces[item.folded], histories, removed, roots)
        if on_file is not None:
            on_file(min(start + _AT_ONCE, len(chosen)), len(chosen))


def _summary(
    item: Touched, traces: list[StoredChange], histories: Histories, removed: set[str], roots: list[str]
) -> FileSummary:
    is_moved = any(name in removed for name in (item.folded, item.path, *directories_of(item.folded)))
    is_unread = any(_is_unread_backup(trace, histories) for trace in traces)
    count = None if is_moved or is_unread else count_versions(traces)
    if count is None or histories.has_unnamed(item.path, traces):
        history = histories.history(item.path)
        versions, deleted = len(history.versions), bool(history.versions) and history.versions[-1].deleted
    else:
        versions, deleted = count
    moments = [trace.time for trace in traces if trace.time and trace.kind not in (DELETE, RENAME)]
    kept = histories.cowork.kept_at(item.path)
    sessions = [trace.session for trace in traces] + ([kept.session] if kept else [])
    moments += [kept.time] if kept and kept.time else []
    changed = [trace for trace in traces if trace.kind in (WRITE, EDIT) and trace.outcome == OK]
    return FileSummary(
        path=item.path,
        versions=versions,
        first=parse(min(moments, default=None)),
        last=parse(max(moments, default=None)),
        sessions=list(dict.fromkeys(sessions)),
        created=any(trace.is_created for trace in changed),
        deleted=deleted,
        changes=len(changed),
        candidates=sum(trace.kind in (WRITE, EDIT, SNAPSHOT) and trace.outcome != OK for trace in traces),
        project=project_of(item.path, roots),
    )


def _is_unread_backup(trace: StoredChange, histories: Histories) -> bool:
    """Return True for a backup that the index could not read but the archive has."""
    is_unread = trace.kind == BACKUP and trace.after is None and trace.other is not None
    return is_unread and bool(histories.shelf.named(trace.other or "", trace.session))


def count_versions(traces: list[StoredChange]) -> tuple[int, bool] | None:
    """Return the number of proven versions, and True if the last is a deletion; None if that takes a replay."""
    count, current, is_gone = 0, None, False
    for trace in traces:
        if trace.kind == ABSENT:
            is_new = current is not None and not is_gone
            count, is_gone = count + is_new, is_gone or is_new
            continue
        if trace.outcome != OK or (trace.after is None and trace.kind in (SNAPSHOT, BACKUP)):
            continue
        if trace.kind in (PART, DELETE, RENAME) or trace.after is None:
            return None
        if trace.kind in (WRITE, EDIT):
            count += trace.before is not None and not trace.is_created and (trace.before != current or is_gone)
            count += 1
        else:
            count += trace.after != current or is_gone
        current, is_gone = trace.after, False
    return count, is_gone
