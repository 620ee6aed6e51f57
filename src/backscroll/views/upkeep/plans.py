"""Plans of changes and their journals, for people and scripts."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from backscroll.changes.journal import JournalSummary
from backscroll.changes.plan import UNDONE, ChangePlan, PlanStep
from backscroll.records import Json
from backscroll.safe_text import one_line
from backscroll.views.figures import count, tilde
from backscroll.views.json.sessions import dumps, object_of
from backscroll.views.terminal.paper import Line, Paper, Span, word, wrap
from backscroll.views.terminal.table import Column, table

if TYPE_CHECKING:
    from backscroll.transfer.model import Packed

_INDENT = " " * 10
_LOOKS = {"refused": "warn", "failed": "warn", "skipped": "dim", "same": "dim"}


def plan_object(plan: ChangePlan) -> dict[str, Json]:
    """Return a plan with the keys of PLAN and STEP."""
    steps: list[Json] = [
        {"action": step.action, "from": step.source, "to": step.target, "why": step.why, "status": step.status}
        for step in plan.steps
    ]
    return {"plan": steps, "applied": plan.applied, "journal": plan.journal}


def plan_document(plan: ChangePlan, **more: Json) -> Iterator[str]:
    """Yield a plan as JSON, with further keys."""
    yield dumps(plan_object(plan) | more) + "\n"


def plan_list(plan: ChangePlan, paper: Paper) -> Iterator[Line]:
    """Yield a plan as a table, each reason below its step, and then the outcome; on a pipe a line for each step."""
    rows = [_row(step, paper) for step in plan.steps]
    columns = [Column("status", most=8), Column("action", most=8, shown_from=60), Column("place", is_path=True)]
    if paper.width is None:
        yield from table([*columns, Column("why")], rows, paper)
        if plan.journal is not None and plan.applied:
            yield [Span(f"Journal: {plan.journal}", "dim")]
        return
    head, *lines = table(columns, [row[:3] for row in rows], paper)
    yield head
    for step, line in zip(plan.steps, lines, strict=True):
        yield line
        if step.why and step.status != UNDONE:
            yield from wrap(
                [Span(_INDENT), word(step.why, _LOOKS.get(step.status, "dim"))], paper.width, paper, _INDENT
            )
    yield from _outcome(plan, paper)


def _row(step: PlanStep, paper: Paper) -> list[Span]:
    place = step.target or step.source
    return [
        Span(step.status, _LOOKS.get(step.status, "title")),
        Span(step.action),
        word(None if place is None else tilde(place, paper)),
        word(step.why, "dim"),
    ]


def _outcome(plan: ChangePlan, paper: Paper) -> Iterator[Line]:
    """Yield the next command, or the reason why there is none."""
    if plan.applied and plan.journal is not None:
        is_undo = plan.command == f"undo {plan.journal}"
        told = f"Journal: {plan.journal}" if is_undo else f"Undo: {paper.command} transfer undo {plan.journal}"
        yield [word(told, "dim")]
    elif plan.is_refused:
        yield [Span("Nothing was changed.", "warn")]
    elif plan.is_settled:
        yield [Span("Nothing is left to do.", "dim")]
    else:
        yield from wrap([Span("This is only the plan. Add --apply to make the changes.", "dim")], paper.width, paper)


def remark_lines(plan: ChangePlan, remarks: Sequence[str], paper: Paper) -> Iterator[Line]:
    """Yield remarks about the changes of a plan; none if it changes nothing."""
    if not plan.is_refused and (plan.applied or not plan.is_settled):
        for remark in remarks:
            yield from wrap([word(remark, "dim")], paper.width, paper)


def packed_document(packed: "Packed") -> Iterator[str]:
    """Yield the answer of `transfer pack` as JSON."""
    yield dumps(object_of(packed)) + "\n"


def packed_lines(packed: "Packed") -> Iterator[str]:
    """Yield the answer of `transfer pack`."""
    amount = f"{count(packed.sessions, 'session')} in {count(packed.files, 'file')}, {packed.bytes:,} bytes"
    yield f"{one_line(packed.file)}: {amount}\nsha256 {packed.sha256}\n"
    for one in packed.skipped:
        yield f"left out: {one_line(one.path)}: {one_line(one.reason)}\n"


def log_document(journals: Sequence[JournalSummary]) -> Iterator[str]:
    """Yield the answer of `transfer log` as JSON."""
    yield dumps({"journals": [object_of(item) for item in journals]}) + "\n"


def log_list(journals: Sequence[JournalSummary], paper: Paper) -> Iterator[Line]:
    """Yield the answer of `transfer log`."""
    if not journals:
        yield [Span("Nothing was changed yet.")]
        return
    columns = [Column("journal", most=22), Column("state", most=7), Column("acts", most=6), Column("command")]
    rows = [[word(item.id, "id"), Span(item.state), Span(f"{item.steps:,}"), word(item.command)] for item in journals]
    yield from table(columns, rows, paper)
