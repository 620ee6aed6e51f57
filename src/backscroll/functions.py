"""The functions of the package: each opens a Library, calls one method and closes it.

Written by scripts/write_public_names.py from the methods in verbs/; change those, then run `make docs`.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import tzinfo

from backscroll.archive import model as archive_model
from backscroll.archive import sources as archive_sources
from backscroll.changes import journal as journalling
from backscroll.changes import plan as plans
from backscroll.health import model as health
from backscroll.index.progress import Report
from backscroll.index.search import search as searching
from backscroll.inventory import report as drift_report
from backscroll.library import open_library
from backscroll.query import hits
from backscroll.records import Damage, Json
from backscroll.recovery import model as recovery_model
from backscroll.sessions import desktop_model, model, summaries
from backscroll.sessions import message as message_model
from backscroll.sessions import page as pages
from backscroll.sessions.joining import marks as desktop_marks
from backscroll.sessions.session import MAIN, Session, SessionList
from backscroll.stats import model as stats_model
from backscroll.stores.desktop_files import flags as feature_flags
from backscroll.stores.desktop_files import storage as browser_storage
from backscroll.stores.desktop_files import worktrees as registry
from backscroll.transfer import model as transfer_model
from backscroll.verbs.base import Directory, OnProgress, OwnPrices, Root, When
from backscroll.verbs.search import SearchFunction


def archive_sync(
    root: Root = None, *, dry_run: bool = False, update: bool = True, on_progress: OnProgress = None
) -> archive_sources.SyncReport:
    """Copy everything new into the archive."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_sync(dry_run=dry_run)


def archive_verify(
    root: Root = None, *, read_data: bool = False, update: bool = True, on_progress: OnProgress = None
) -> archive_model.Verification:
    """Check the archive: its structure, or every byte."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_verify(read_data=read_data)


def archive_restore(
    sessions: str | Sequence[str],
    root: Root = None,
    *,
    cwd: str | os.PathLike[str] | None = None,
    as_new: bool = False,
    version: int | None = None,
    apply: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> archive_model.Restoration:
    """Plan to restore sessions from the archive; `apply=True` carries the plan out."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_restore(sessions, cwd=cwd, as_new=as_new, version=version, apply=apply)


def archive_list(
    root: Root = None,
    *,
    limit: int | None = 20,
    project: str | None = None,
    store: str | None = None,
    account: str | None = None,
    since: When = None,
    until: When = None,
    state: str | None = None,
    prices: OwnPrices = None,
    title: Sequence[str] = (),
    model: str | None = None,
    branch: str | None = None,
    sort: str = "updated",
    update: bool = True,
    on_progress: OnProgress = None,
) -> SessionList:
    """Return the sessions that the archive has, live or not; the arguments are those of `list_sessions`."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_list(
            limit=limit,
            project=project,
            store=store,
            account=account,
            since=since,
            until=until,
            state=state,
            prices=prices,
            title=title,
            model=model,
            branch=branch,
            sort=sort,
        )


def archive_files(
    root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[archive_model.ArchivedFile]:
    """Return every file that the archive has."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_files()


def archive_facts(
    root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[archive_model.ArchivedFact]:
    """Return the values of settings and browser storage that the archive has, each since it changed."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_facts()


def archive_versions(
    session: str, root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[archive_model.ArchivedVersion]:
    """Return every version of every file of a session that the archive has."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_versions(session)


def archive_status(
    root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> archive_model.ArchiveStatus:
    """Return the contents of the archive, and its timer."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_status()


def archive_install(
    root: Root = None,
    *,
    every: int = 10,
    hook: bool = False,
    apply: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> archive_model.Installation:
    """Plan a timer that runs `archive sync` every few minutes, and a Stop hook on request; `apply=True` acts."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_install(every=every, hook=hook, apply=apply)


def archive_uninstall(
    root: Root = None, *, apply: bool = False, update: bool = True, on_progress: OnProgress = None
) -> archive_model.Installation:
    """Plan to remove the timer and the hook; `apply=True` acts.  The archive stays."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_uninstall(apply=apply)


def archive_import(
    directories: Directory | Sequence[Directory],
    root: Root = None,
    *,
    dry_run: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> archive_sources.SyncReport:
    """Copy the sessions of backups or other homes into the archive, as if they lay in this one."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_import(directories, dry_run=dry_run)


def archive_mirror(
    directory: Directory,
    root: Root = None,
    *,
    verify: bool = False,
    apply: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> archive_model.Mirroring:
    """Plan to copy the archive to a directory on another disk; `apply=True` acts, `verify=True` reads it all."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_mirror(directory, verify=verify, apply=apply)


def archive_prune(
    root: Root = None,
    *,
    older_than: When = None,
    session: str | Sequence[str] | None = None,
    superseded: bool = False,
    apply: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> archive_model.Pruning:
    """Plan to move versions into the bin; all rules that are given must hold.  `apply=True` acts."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_prune(older_than=older_than, session=session, superseded=superseded, apply=apply)


def archive_repair(
    root: Root = None, *, apply: bool = False, update: bool = True, on_progress: OnProgress = None
) -> archive_model.Repair:
    """Plan to repair damage in the archive from live files; `apply=True` acts."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.archive_repair(apply=apply)


def transfer_pack(
    sessions: str | Sequence[str] = (),
    root: Root = None,
    *,
    output: str | os.PathLike[str],
    project: str | None = None,
    redact: bool = False,
    passphrase_file: str | os.PathLike[str] | None = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> transfer_model.Packed:
    """Write sessions, or all of a project, into a new bundle."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.transfer_pack(
            sessions, output=output, project=project, redact=redact, passphrase_file=passphrase_file
        )


def transfer_unpack(
    bundle: str | os.PathLike[str],
    root: Root = None,
    *,
    maps: Iterable[str] = (),
    to: str | None = None,
    passphrase_file: str | os.PathLike[str] | None = None,
    apply: bool = False,
    force: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> transfer_model.Unpacking:
    """Plan to unpack a bundle; each map has the form `OLD=NEW`; `apply=True` acts."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.transfer_unpack(
            bundle, maps=maps, to=to, passphrase_file=passphrase_file, apply=apply, force=force
        )


def transfer_pins(
    account: str,
    root: Root = None,
    *,
    to: str,
    apply: bool = False,
    force: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> plans.ChangePlan:
    """Plan to copy the groups of Desktop's sidebar to another account; `apply=True` acts."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.transfer_pins(account, to=to, apply=apply, force=force)


def accounts(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> desktop_model.Accounts:
    """Return every account that a file on this disk names, the signed-in programs, and Desktop's counters."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.accounts()


def cowork(
    session: str | None = None, root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[desktop_model.Manifest]:
    """Return the manifests of one session with their audits, or those of all Cowork sessions without."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.cowork(session)


def schedules(
    root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[desktop_model.Schedule]:
    """Return the scheduled tasks of each account in Desktop."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.schedules()


def mcp_servers(
    root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[desktop_model.McpServer]:
    """Return the MCP servers in Desktop's settings, without the values of their variables."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.mcp_servers()


def log_files(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> list[str]:
    """Return the paths of the logs of Desktop and Cowork."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.log_files()


def logs(
    session: str, root: Root = None, *, zone: tzinfo | None = None, update: bool = True, on_progress: OnProgress = None
) -> tuple[Session, list[desktop_model.LogLine | Damage]]:
    """Return a session, and the errors in Desktop's logs that are near it in time or name it."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.logs(session, zone=zone)


def storage(
    key: str | None = None,
    root: Root = None,
    *,
    origin: str | None = None,
    indexeddb: bool = False,
    deleted: bool = False,
    everything: bool = False,
    secrets: bool = False,
) -> browser_storage.Storage:
    """Return the browser data of Claude Desktop's pages: Local Storage, and IndexedDB on request."""
    with open_library(root) as library:
        return library.storage(
            key, origin=origin, indexeddb=indexeddb, deleted=deleted, everything=everything, secrets=secrets
        )


def marks(root: Root = None) -> list[desktop_marks.DesktopMarks]:
    """Return each Desktop's marks on sessions outside their rows, with the file that holds each mark."""
    with open_library(root) as library:
        return library.marks()


def flags(root: Root = None, *, prefix: str = "") -> feature_flags.FlagReport:
    """Return the feature flags that Claude Code last received."""
    with open_library(root) as library:
        return library.flags(prefix=prefix)


def compare_flags(
    other: str | os.PathLike[str], root: Root = None, *, prefix: str = ""
) -> feature_flags.FlagDifference:
    """Return the feature flags that differ between this home, or `root`, and another one."""
    with open_library(root) as library:
        return library.compare_flags(other, prefix=prefix)


def worktrees(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> registry.WorktreeReport:
    """Return the git worktrees that Claude Desktop made for sessions, each with the session that was held in it."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.worktrees()


def drift(root: Root = None, *, on_progress: OnProgress = None) -> drift_report.Drift:
    """Return the record types and fields on the disk, compared with the known ones."""
    with open_library(root, on_progress=on_progress) as library:
        return library.drift()


def drift_json_schema(root: Root = None, *, on_progress: OnProgress = None) -> dict[str, Json]:
    """Return a JSON Schema inferred from the records on the disk."""
    with open_library(root, on_progress=on_progress) as library:
        return library.drift_json_schema()


def list_files(
    root: Root = None,
    *,
    session: str | None = None,
    project: str | None = None,
    match: str | None = None,
    since: When = None,
    until: When = None,
    limit: int | None = 50,
    deleted: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> recovery_model.FileList:
    """Return the files that sessions touched, the most recent first; `limit=None` for all of them."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.list_files(
            session=session, project=project, match=match, since=since, until=until, limit=limit, deleted=deleted
        )


def recover(
    path: str, root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> recovery_model.FileHistory:
    """Return all versions of a file, oldest first, and the changes that never reached the disk."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.recover(path)


def recover_content(
    path: str,
    root: Root = None,
    *,
    version: int | None = None,
    at: When = None,
    message: str | None = None,
    candidate: int | None = None,
    partly: bool = False,
    redact: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> recovery_model.Recovered:
    """Return one version of a file with its bytes: by number, moment or message, or the last one."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.recover_content(
            path, version=version, at=at, message=message, candidate=candidate, partly=partly, redact=redact
        )


def blame(
    path: str,
    root: Root = None,
    *,
    version: int | None = None,
    at: When = None,
    lines: str | None = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> recovery_model.Blame:
    """Return the lines of a version of a file, each with the session, message and time that wrote it."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.blame(path, version=version, at=at, lines=lines)


def recover_diff(
    path: str, old: int, new: int, root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[bytes]:
    """Return the unified diff from one version of a file to another, line by line."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.recover_diff(path, old, new)


def recover_search(
    text: str,
    root: Root = None,
    *,
    session: str | None = None,
    project: str | None = None,
    match: str | None = None,
    since: When = None,
    until: When = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Iterator[recovery_model.Match]:
    """Yield the lines with a text in any version of any file, with the versions that have them."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        yield from library.recover_search(text, session=session, project=project, match=match, since=since, until=until)


def recover_files(
    directory: str | os.PathLike[str] | None,
    path: str | None = None,
    root: Root = None,
    *,
    project: str | None = None,
    match: str | None = None,
    version: int | None = None,
    at: When = None,
    message: str | None = None,
    candidate: int | None = None,
    risky: bool = False,
    apply: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> recovery_model.WritePlan:
    """Write one file, or all files of a project as of a moment, into a new or empty directory."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.recover_files(
            directory,
            path,
            project=project,
            match=match,
            version=version,
            at=at,
            message=message,
            candidate=candidate,
            risky=risky,
            apply=apply,
        )


def session_patch(
    session: str, root: Root = None, *, redact: bool = False, update: bool = True, on_progress: OnProgress = None
) -> list[bytes]:
    """Return one patch of all changes of a session to its project, for `git apply`."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.session_patch(session, redact=redact)


def doctor(
    session: str | None = None,
    root: Root = None,
    *,
    kind: str | None = None,
    program: str = "backscroll",
    update: bool = True,
    on_progress: OnProgress = None,
) -> health.HealthReport:
    """Return the findings about one session, or about everything; remedies name the program as `program`."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.doctor(session, kind=kind, program=program)


def doctor_fix(
    session: str | None = None,
    root: Root = None,
    *,
    kind: str | None = None,
    apply: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> plans.ChangePlan:
    """Plan to repair one session, or all that can be repaired; `apply=True` carries the plan out."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.doctor_fix(session, kind=kind, apply=apply)


def update_index(root: Root = None, *, rebuild: bool = False, on_progress: OnProgress = None) -> Report:
    """Update the catalogue and the full-text index, or rebuild them, and return a report."""
    with open_library(root, on_progress=on_progress) as library:
        return library.update_index(rebuild=rebuild)


def search(
    wanted: str,
    root: Root = None,
    *,
    options: searching.Options | None = None,
    fields: Mapping[str, str | None] | None = None,
    since: When = None,
    until: When = None,
    context: int = 0,
    counts: str | None = None,
    redact: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> hits.Found:
    """Return the matches of a query, best first; docs/search.md describes the query language."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.search(
            wanted,
            options=options,
            fields=fields,
            since=since,
            until=until,
            context=context,
            counts=counts,
            redact=redact,
        )


@contextmanager
def search_index(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> Iterator[SearchFunction]:
    """Hold the open index for many searches; the yielded function takes the arguments of `search`, but no `redact`."""
    with open_library(root, update=update, on_progress=on_progress) as library, library.search_index() as opened:
        yield opened


def overview(
    root: Root = None, *, prices: OwnPrices = None, update: bool = True, on_progress: OnProgress = None
) -> summaries.Overview:
    """Return the stores, their totals, the latest sessions, and those that Claude Code will delete soon."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.overview(prices=prices)


def list_stores(
    root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[summaries.StoreAccount]:
    """Return all stores with their paths, totals and byte accounts."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.list_stores()


def list_sessions(
    root: Root = None,
    *,
    limit: int | None = 20,
    offset: int = 0,
    project: str | None = None,
    store: str | None = None,
    account: str | None = None,
    since: When = None,
    until: When = None,
    state: str | None = None,
    sidebar: str | None = None,
    pinned: bool = False,
    agents: bool = False,
    prices: OwnPrices = None,
    title: Sequence[str] = (),
    model: str | None = None,
    branch: str | None = None,
    sort: str = "updated",
    update: bool = True,
    on_progress: OnProgress = None,
) -> SessionList:
    """Return sessions, newest first; `limit=None` for all of them, `offset` to leave out the first ones."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.list_sessions(
            limit=limit,
            offset=offset,
            project=project,
            store=store,
            account=account,
            since=since,
            until=until,
            state=state,
            sidebar=sidebar,
            pinned=pinned,
            agents=agents,
            prices=prices,
            title=title,
            model=model,
            branch=branch,
            sort=sort,
        )


def show(
    session: str,
    root: Root = None,
    *,
    branch: str = MAIN,
    all_branches: bool = False,
    at: str | None = None,
    internal: bool = False,
    images: bool = False,
    prices: OwnPrices = None,
    redact: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> model.Transcript:
    """Return one session with its branches, the requested messages, and its damage."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.show(
            session,
            branch=branch,
            all_branches=all_branches,
            at=at,
            internal=internal,
            images=images,
            prices=prices,
            redact=redact,
        )


def messages(
    session: str,
    root: Root = None,
    *,
    offset: int = 0,
    limit: int = 50,
    around: str | None = None,
    branch: str | None = None,
    all_branches: bool = False,
    prices: OwnPrices = None,
    redact: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> pages.MessagePage:
    """Return a page of a session's messages, in the order of `show`."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.messages(
            session,
            offset=offset,
            limit=limit,
            around=around,
            branch=branch,
            all_branches=all_branches,
            prices=prices,
            redact=redact,
        )


def media(
    session: str,
    message: str,
    number: int = 1,
    root: Root = None,
    *,
    update: bool = True,
    on_progress: OnProgress = None,
) -> summaries.Media:
    """Return an image or document of a message, counted from 1; NotFoundError if the transcript does not have it."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.media(session, message, number)


def outline(
    session: str, root: Root = None, *, prices: OwnPrices = None, update: bool = True, on_progress: OnProgress = None
) -> pages.Outline:
    """Return the landmarks of a session: prompts, compactions, forks, agents, errors and file changes."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.outline(session, prices=prices)


def resume(
    session: str, root: Root = None, *, prices: OwnPrices = None, update: bool = True, on_progress: OnProgress = None
) -> Session:
    """Return a session with the command that resumes it in Claude Code, or the reason why there is none."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.resume(session, prices=prices)


def raw(session: str, root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> Iterator[bytes]:
    """Yield the stored lines of a session's transcripts, unchanged."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.raw(session)


def tree(
    session: str, root: Root = None, *, prices: OwnPrices = None, update: bool = True, on_progress: OnProgress = None
) -> tuple[Session, list[model.TreeNode]]:
    """Return a session and its branches, compactions, agents, copies and forks."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.tree(session, prices=prices)


def calls(
    session: str | None = None,
    root: Root = None,
    *,
    tool: str | None = None,
    errors: bool = False,
    internal: bool = False,
    redact: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Iterator[model.Call]:
    """Yield tool calls with their results: of one session with copies marked, or of all, each call once."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        yield from library.calls(session, tool=tool, errors=errors, internal=internal, redact=redact)


def transfer_log(
    root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> list[journalling.JournalSummary]:
    """Return the journals of all changes that were made here, oldest first."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.transfer_log()


def transfer_undo(
    journal: str | None = None, root: Root = None, *, update: bool = True, on_progress: OnProgress = None
) -> plans.ChangePlan:
    """Undo a journal, or the last one that is not undone; files that were used since stay unchanged."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.transfer_undo(journal)


def transfer_resume(
    session: str,
    root: Root = None,
    *,
    cwd: str | os.PathLike[str] | None = None,
    move: bool = False,
    as_new: bool = False,
    apply: bool = False,
    force: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> transfer_model.Resumption:
    """Plan to make a session resumable in a directory; `apply=True` acts."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.transfer_resume(session, cwd=cwd, move=move, as_new=as_new, apply=apply, force=force)


def transfer_copy(
    sessions: str | Sequence[str] = (),
    root: Root = None,
    *,
    to: str,
    project: str | None = None,
    everything: bool = False,
    undelete: bool = False,
    apply: bool = False,
    force: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> transfer_model.RowCopies:
    """Plan to copy rows of Claude Desktop to an account, `ACCOUNT[/ORG]`; `apply=True` acts."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.transfer_copy(
            sessions, to=to, project=project, everything=everything, undelete=undelete, apply=apply, force=force
        )


def transfer_row(
    session: str,
    root: Root = None,
    *,
    to: str | None = None,
    apply: bool = False,
    force: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> plans.ChangePlan:
    """Plan a row of Claude Desktop for a session, or repair its row; `apply=True` acts."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.transfer_row(session, to=to, apply=apply, force=force)


def transfer_project(
    old: str,
    new: str,
    root: Root = None,
    *,
    move_files: bool = False,
    apply: bool = False,
    force: bool = False,
    update: bool = True,
    on_progress: OnProgress = None,
) -> plans.ChangePlan:
    """Plan to rename a project wherever Claude's products name it; `apply=True` acts."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.transfer_project(old, new, move_files=move_files, apply=apply, force=force)


def usage(
    root: Root = None,
    *,
    by: str | Sequence[str] = "day",
    since: When = None,
    until: When = None,
    project: str | None = None,
    store: str | None = None,
    account: str | None = None,
    session: str | None = None,
    model: str | None = None,
    zone: tzinfo | None = None,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> stats_model.UsageReport:
    """Return tokens and cost, each API message once, grouped by one key or a combination of keys."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.usage(
            by=by,
            since=since,
            until=until,
            project=project,
            store=store,
            account=account,
            session=session,
            model=model,
            zone=zone,
            prices=prices,
        )


def usage_audit(
    session: str | None = None,
    root: Root = None,
    *,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> stats_model.Audit:
    """Return the steps from the records on disk to the total, of everything or of one session."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.usage_audit(session, prices=prices)


def timeline(
    session: str, root: Root = None, *, prices: OwnPrices = None, update: bool = True, on_progress: OnProgress = None
) -> stats_model.Timeline:
    """Return one session turn by turn: working and waiting time, calls, cost, and the growth of its context."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.timeline(session, prices=prices)


def tools(
    root: Root = None,
    *,
    since: When = None,
    until: When = None,
    project: str | None = None,
    store: str | None = None,
    account: str | None = None,
    session: str | None = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> stats_model.ToolReport:
    """Return the number of calls of each tool, how they ended and their duration, each call once."""
    with open_library(root, update=update, on_progress=on_progress) as library:
        return library.tools(since=since, until=until, project=project, store=store, account=account, session=session)


def watch(
    session: str | None = None,
    root: Root = None,
    *,
    wakes: Iterable[object] | None = None,
    on_progress: OnProgress = None,
) -> Iterator[message_model.Message]:
    """Yield new messages of all sessions, or of one with its agents, until `wakes` ends."""
    with open_library(root, on_progress=on_progress) as library:
        return library.watch(session, wakes=wakes)
