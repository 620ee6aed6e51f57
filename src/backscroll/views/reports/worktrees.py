"""Git worktrees of Claude Desktop for people and scripts."""

from collections.abc import Iterator, Sequence

from backscroll.stores.desktop_files.worktrees import Worktree, WorktreeReport
from backscroll.views.figures import ago, last_name, tilde
from backscroll.views.json.sessions import dumps, object_of
from backscroll.views.terminal.listing import damage_lines
from backscroll.views.terminal.paper import Line, Paper, Span, word
from backscroll.views.terminal.table import Column, table


def worktrees_document(report: WorktreeReport) -> Iterator[str]:
    """Yield the answer of `worktrees` as JSON."""
    objects = [object_of(item) for item in report.worktrees]
    yield dumps({"worktrees": objects, "damage": [object_of(item) for item in report.damage]}) + "\n"


def worktree_list(report: WorktreeReport, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `worktrees`: a table, then everything that could not be read."""
    if report.worktrees:
        yield from _table(report.worktrees, paper)
    else:
        yield [Span("No worktrees found.")]
    if report.damage:
        yield [Span("Damage", "heading")]
        yield from damage_lines(report.damage, paper, "  ")


def _table(worktrees: Sequence[Worktree], paper: Paper) -> Iterator[Line]:
    columns = [
        Column("worktree", most=24),
        Column("branch", most=28),
        Column("from", most=12, shown_from=110),
        Column("session", most=36, is_kept=True),
        Column("created", most=16, shown_from=90),
        Column("there", most=7, shown_from=60),
        Column("path", shown_from=70, is_path=True),
    ]
    yield from table(columns, [_row(item, paper) for item in worktrees], paper)


def _row(item: Worktree, paper: Paper) -> list[Span]:
    return [
        word(item.name, "title"),
        word(item.branch),
        word(item.source_branch, "dim"),
        word(item.session if paper.width is None else item.session[:8], "id") if item.session else Span("free", "dim"),
        Span(ago(item.created, paper), "time"),
        Span("unknown", "dim") if item.exists is None else Span("yes") if item.exists else Span("gone", "warn"),
        Span(tilde(item.path, paper) if paper.width is None else f"{last_name(item.base)}: {tilde(item.path, paper)}"),
    ]
