"""Accounts, Cowork's manifests, declared servers and logs as text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from backscroll.records import Damage, Json
from backscroll.sessions.desktop_model import Accounts, AuditTrail, LogLine, Manifest, McpServer, Schedule, SessionFile
from backscroll.sessions.session import Session
from backscroll.times import parse
from backscroll.views.figures import ago, count, dollars, duration_of, moment, size, tilde
from backscroll.views.json.sessions import dumps
from backscroll.views.terminal.listing import damage_lines
from backscroll.views.terminal.paper import Line, Paper, Span, fit, word, wrap
from backscroll.views.terminal.table import Column, table

_INDENT = "  "
_LONGEST_VALUE = 600
_MOST_LINES = 200
_WIDEST_NAME = 32
_SHORT_LIST = 60
_MOST_FILES = 40
_SHORT = 8
_ROOM_FOR_IDS = 100
"""The width from which whole account ids leave room for the e-mail addresses."""


def account_list(found: Accounts, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `accounts`."""
    if not found.accounts:
        yield [Span("No accounts found.")]
        return
    columns = [
        Column("account", most=36),
        Column("e-mail"),
        Column("name", most=20, shown_from=90),
        Column("rows", most=5, right=True, shown_from=80),
        Column("cowork", most=6, right=True, shown_from=80),
        Column("sessions", most=8, right=True, shown_from=70),
        Column("used", most=11, shown_from=60),
        Column("signed in", most=12, shown_from=50),
        Column("workspaces", most=36, shown_from=120),
    ]
    is_narrow = paper.width is not None and paper.width < _ROOM_FOR_IDS
    rows = [
        [
            word(account.id[:_SHORT] if is_narrow else account.id, "id"),
            word(account.email),
            word(account.name),
            Span(f"{account.rows:,}"),
            Span(f"{account.cowork:,}"),
            Span(f"{account.sessions:,}"),
            Span(ago(account.updated, paper), "time"),
            word(", ".join(account.current), "title"),
            word(", ".join(workspace.name or workspace.id for workspace in account.workspaces), "dim"),
        ]
        for account in found.accounts
    ]
    yield from table(columns, rows, paper)
    if found.agree is False:
        yield []
        warning = Span("The command line and Desktop are not signed in with the same account:", "warn")
        yield from wrap([warning], paper.width, paper)
        for one in found.signed_in:
            line = [
                Span(f"{_INDENT}{one.program:<8}"),
                word(one.account, "id"),
                Span("  " + tilde(one.path, paper), "dim"),
            ]
            yield from wrap(line, paper.width, paper, hang=_INDENT * 2)
    for counter in found.counters:
        yield []
        line = [word(counter.name, "heading"), Span("  " + tilde(counter.path, paper), "dim")]
        yield from wrap(line, paper.width, paper, hang=_INDENT * 2)
        yield from _values(counter.values if isinstance(counter.values, dict) else {"": counter.values}, paper)


def cowork_list(manifests: Sequence[Manifest], schedules: Sequence[Schedule], paper: Paper) -> Iterator[Line]:
    """Yield the answer of `cowork` without a session: one line for each manifest, then the scheduled tasks."""
    if not manifests and not schedules:
        yield [Span("No Cowork sessions found.")]
        return
    columns = [
        Column("id", most=36),
        Column("active", most=11, shown_from=50),
        Column("title"),
        Column("kind", most=6, shown_from=60),
        Column("files", most=5, right=True, shown_from=70),
        Column("account", most=8, shown_from=100),
        Column("schedule", most=18, shown_from=110),
        Column("error", most=60 if (paper.width or 0) >= 160 else 24, shown_from=90),
    ]
    rows = [
        [
            word(one.session if paper.width is None else one.session[:8], "id"),
            Span(ago(parse(one.row["active"]), paper), "time"),
            word(one.row["title"] or "(no title)", "title" if one.row["title"] else "dim"),
            word(one.row["kind"], "dim"),
            Span(f"{len(one.files)}{'+' if one.is_cut else ''}" if one.files else "", "dim"),
            word((one.row["account"] or "")[:8], "dim"),
            word(one.row["schedule"], "dim"),
            word(one.row["damage"] or one.row["error"], "error"),
        ]
        for one in manifests
    ]
    yield from table(columns, rows, paper)
    for schedule in schedules:
        yield []
        line = [Span("scheduled", "heading"), Span("  " + tilde(schedule.path, paper), "dim")]
        yield from wrap(line, paper.width, paper, hang=_INDENT * 2)
        yield from _values(schedule.tasks, paper)


def manifest(one: Manifest, paper: Paper) -> Iterator[Line]:
    """Yield one manifest with everything in it, group by group."""
    yield [word(one.row["title"] or "(no title)", "title")]
    yield from _fact("session", word(one.session, "id"), paper)
    yield from _fact("row", Span(tilde(one.row["path"], paper), "project"), paper)
    yield from _fact("ran", word(_KINDS.get(one.row["kind"] or "", one.row["kind"] or "")), paper)
    for group, fields in one.groups.items():
        yield []
        yield [word(group, "heading")]
        yield from _values(fields, paper)
    yield from _files(one.files, paper, is_cut=one.is_cut)
    if one.trail is not None:
        yield from _trail(one.trail, paper)
    damage = [*one.damage, *(one.trail.damage if one.trail else ())]
    if damage:
        yield []
        yield [Span("damage", "heading")]
        yield from damage_lines(damage, paper, _INDENT)


_KINDS = {
    "local": "on this machine",
    "vm": "in the virtual machine on this machine",
    "host": "on this machine, outside the virtual machine",
    "cloud": "in Anthropic's cloud",
    "ssh": "on an SSH host",
    "wsl": "inside WSL",
}


def _fact(name: str, value: Span, paper: Paper) -> Iterator[Line]:
    yield from wrap([Span(f"{_INDENT}{name:<10}", "dim"), value], paper.width, paper, hang=" " * 12)


def _values(fields: Json, paper: Paper) -> Iterator[Line]:
    items = fields.items() if isinstance(fields, dict) else ()
    told = [pair for name, value in items for pair in _flat(name, value)]
    width = min(max((len(name) for name, _ in told), default=0), _WIDEST_NAME)
    for name, text in told:
        line = [Span(_INDENT), word(name.ljust(width), "dim"), Span(" " * max(1, width + 2 - len(name)))]
        yield from wrap([*line, word(_cut(text, paper))], paper.width, paper, hang=_INDENT * 3)


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield a field as name and text; items that would not fit on a line each have their own."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, list) and value:
        texts = [item if isinstance(item, str) else dumps(item) for item in value]
        yield from (
            [(name, ", ".join(texts))] if sum(map(len, texts)) < _SHORT_LIST else [(name, text) for text in texts]
        )
    elif isinstance(value, dict) and value:
        for key, item in value.items():
            yield f"{name}.{key}", item if isinstance(item, str) else dumps(item)
    else:
        yield name, dumps(value)


def _cut(text: str, paper: Paper) -> str:
    return text if paper.is_full or len(text) <= _LONGEST_VALUE else fit(text, _LONGEST_VALUE, paper)


def _files(files: Sequence[SessionFile], paper: Paper, *, is_cut: bool) -> Iterator[Line]:
    for kind in ("outputs", "uploads"):
        own = [file for file in files if file.kind == kind]
        if not own:
            continue
        yield []
        yield [Span(kind, "heading"), Span(f"  {count(len(own), 'file')}{' and more' if is_cut else ''}", "dim")]
        shown = own if paper.is_full or paper.width is None else own[:_MOST_FILES]
        columns = [Column("path", is_path=True), Column("size", most=7, right=True), Column("written", most=11)]
        rows = [
            [
                Span(tilde(file.path, paper), "project"),
                Span(size(file.bytes)),
                Span(ago(file.time, paper)),
            ]
            for file in shown
        ]
        yield from table(columns, rows, paper, _INDENT)


def _trail(trail: AuditTrail, paper: Paper) -> Iterator[Line]:
    if trail.permissions:
        yield []
        yield [Span("permissions decided", "heading")]
        columns = [Column("time", most=16), Column("tool", most=30), Column("decision", most=20), Column("reason")]
        rows = [
            [
                Span(moment(one.time, paper) if one.time else "", "time"),
                word(one.tool),
                word(one.decision),
                word(one.reason),
            ]
            for one in trail.permissions
        ]
        yield from table(columns, rows, paper, _INDENT)
    if trail.runs:
        yield []
        heading = [Span("runs", "heading"), Span("  as Cowork states them; not added to usage", "dim")]
        yield from wrap(heading, paper.width, paper, _INDENT)
        columns = [
            Column("time", most=16),
            Column("outcome", most=20),
            Column("cost", most=9, right=True, is_kept=True),
            Column("turns", most=5, right=True),
            Column("took", most=12),
        ]
        rows = [
            [
                Span(moment(run.time, paper) if run.time else "", "time"),
                word(run.outcome),
                Span(dollars(run.cost)),
                Span("" if run.turns is None else f"{run.turns:.0f}"),
                Span("" if run.milliseconds is None else duration_of(run.milliseconds / 1000)),
            ]
            for run in trail.runs
        ]
        yield from table(columns, rows, paper, _INDENT)


def server_list(servers: Sequence[McpServer], paper: Paper) -> Iterator[Line]:
    """Yield the answer of `stores --mcp`."""
    if not servers:
        yield [Span("Desktop declares no MCP servers.")]
        return
    columns = [
        Column("server", most=24),
        Column("command", most=40),
        Column("variables", most=30),
        Column("declared in", is_path=True),
    ]
    rows = [
        [
            word(one.name, "title"),
            word(one.command or one.url),
            word(", ".join(one.env), "dim"),
            Span(tilde(one.path, paper), "project"),
        ]
        for one in servers
    ]
    yield from table(columns, rows, paper)


def log_file_list(paths: Sequence[str], paper: Paper) -> Iterator[Line]:
    """Yield the answer of `stores --logs`."""
    if not paths:
        yield [Span("No logs of Desktop found.")]
    for path in paths:
        yield [Span(tilde(path, paper), "project")]


def log_list(session: Session, lines: Iterable[LogLine | Damage], paper: Paper) -> Iterator[Line]:
    """Yield the answer of `show --logs`: the errors near a session's time, those that name it marked."""
    yield [word(session.title or session.id, "title")]
    shown = 0
    for line in lines:
        shown += 1
        if shown > _MOST_LINES and paper.width is not None and not paper.is_full:
            yield [Span(f"{_INDENT}… more; --full or --json has them all", "dim")]
            return
        if isinstance(line, Damage):
            yield from damage_lines([line], paper, _INDENT)
            continue
        mark = "*" if line.names_session else " "
        where = f"{mark} {tilde(line.path, paper)}:{line.line}"
        yield from wrap([Span(where, "project")], paper.width, paper, hang=_INDENT)
        style = "error" if line.level == "error" else "warn"
        yield from wrap([Span(_INDENT * 2), word(line.text, style)], paper.width, paper, hang=_INDENT * 3)
    if not shown:
        yield [Span(f"{_INDENT}No errors near its time.")]
    elif paper.width is not None:
        yield [Span(f"{_INDENT}* names this session", "dim")]
