"""Plans of changes and their journals, for people and scripts."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from backscroll.changes.journal import JournalSummary
from backscroll.changes.plan import ChangePlan, PlanStep
from backscroll.records import Json
from backscroll.safe_text import one_line
from backscroll.views.figures import count, tilde
from backscroll.views.json.sessions import dumps, object_of
from backscroll.views.terminal.paper import Line, Paper, Span, word
from backscroll.views.terminal.table import Column, table

if TYPE_CHECKING:
    from backscroll.transfer.model import Packed

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
    """Yield a plan as a table, and then its outcome."""
    columns = [Column("status", most=8), Column("action", most=8), Column("place"), Column("why", shown_from=70)]
    yield from table(columns, [_row(step, paper) for step in plan.steps], paper)
    if plan.journal is not None and plan.applied:
        yield [Span(f"Journal: {plan.journal}", "dim")]


def _row(step: PlanStep, paper: Paper) -> list[Span]:
    place = step.target or step.source
    return [
        Span(step.status, _LOOKS.get(step.status, "title")),
        Span(step.action),
        word(None if place is None else tilde(place, paper)),
        word(step.why, "dim"),
    ]


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
