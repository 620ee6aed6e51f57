"""Findings of the doctor for people and scripts."""

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from backscroll.changes.plan import ChangePlan
from backscroll.health.model import HealthFinding, HealthReport
from backscroll.place import Place
from backscroll.views.figures import count, cut_path, tilde
from backscroll.views.json.sessions import dumps, object_of
from backscroll.views.terminal.listing import short_ids
from backscroll.views.terminal.paper import Line, Paper, Span, word, wrap
from backscroll.views.upkeep.plans import plan_list, plan_object

MOST = 5
"""The number of shown findings of one kind, unless the user asked for that kind."""
_STYLES = {"error": "error", "warning": "warn", "note": "dim"}


def doctor_document(report: HealthReport, plan: ChangePlan | None = None) -> Iterator[str]:
    """Yield the answer of `doctor` as JSON, with the plan of `--fix`."""
    findings = [object_of(item) for item in report.findings]
    document = {"findings": findings, "checked": object_of(report.checked), "summary": report.summary}
    yield dumps(document | (plan_object(plan) if plan is not None else {})) + "\n"


def doctor_report(report: HealthReport, paper: Paper, most: int | None = MOST) -> Iterator[Line]:
    """Yield a summary, then the findings by severity and kind, each with its proof, and the command that helps."""
    checked = report.checked
    amount = f"{count(checked.sessions, 'session')} and {count(checked.files, 'file')}"
    if not report.findings:
        yield [Span(f"Nothing found in {amount}.")]
        return
    found = [count(number, name) for name, number in report.summary.items() if number]
    yield from wrap([Span(f"{', '.join(found)} in {amount}.")], paper.width, paper)
    names = short_ids(item.session for item in report.findings if item.session)
    for _, items in groupby(report.findings, key=lambda item: (item.severity, item.kind)):
        yield []
        yield from _group(list(items), names, paper, most)


def _group(items: list[HealthFinding], names: Mapping[str, str], paper: Paper, most: int | None) -> Iterator[Line]:
    """Yield the findings of one severity and kind."""
    severity, kind = items[0].severity, items[0].kind
    number = f" ({len(items):,})" if len(items) > 1 else ""
    yield [Span(severity, _STYLES[severity]), Span(f" {kind}{number}", "title")]
    shown = items[:most]
    common = _common_remedy(items)
    widest = max((len(names[item.session]) for item in shown if item.session), default=0)
    for item in shown:
        about = names[item.session] if item.session else ""
        blanks = " " * (widest + 2 - len(about)) if about else ""
        yield from _finding_lines(item, [word(about, "id"), Span(blanks)], paper, has_remedy=common is None)
    if len(shown) < len(items):
        yield [Span(f"  {len(items) - len(shown):,} more: "), word(f"{paper.command} doctor --kind {kind}", "dim")]
    if common is not None:
        yield _remedy_line(common)


def _common_remedy(items: Sequence[HealthFinding]) -> str | None:
    """Return the command that helps against all findings of a group."""
    remedies = {item.remedy for item in items}
    return items[0].remedy if len(remedies) == 1 else None


def _finding_lines(item: HealthFinding, about: Line, paper: Paper, *, has_remedy: bool) -> Iterator[Line]:
    margin = " " * (2 + sum(len(span.text) for span in about))
    yield from wrap([Span("  "), *about, word(_sentence(item, paper))], paper.width, paper, margin)
    if item.place is not None:
        yield [Span(margin), word(_place(item.place, paper.inset(len(margin))), "dim")]
    if has_remedy and item.remedy is not None:
        yield _remedy_line(item.remedy)


def _place(place: Place, paper: Paper) -> str:
    if paper.width is None:
        return str(place)
    line = "" if place.line is None else f":{place.line}"
    return cut_path(tilde(place.path, paper), paper.width - len(line), paper) + line


def _sentence(item: HealthFinding, paper: Paper) -> str:
    """Return the sentence of a finding; on a terminal a path in the home directory begins with `~`."""
    return item.text.replace(f"{paper.home}{os.sep}", f"~{os.sep}") if paper.home else item.text


def _remedy_line(remedy: str) -> Line:
    """Return a command on a line of its own, whole, so that it can be pasted."""
    return [Span("  $ ", "dim"), word(remedy)]


def fix_report(plan: ChangePlan, paper: Paper) -> Iterator[Line]:
    """Yield the plan of `--fix`, and the command that carries it out or undoes it."""
    if not plan.steps:
        yield [Span("Nothing that doctor can repair.")]
        return
    yield from plan_list(plan, paper)
    if plan.applied and paper.width is None:
        yield _remedy_line(f"{paper.command} transfer undo {plan.journal}")
