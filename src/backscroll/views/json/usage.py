"""Usage, tools, timeline and audit to JSON: the keys of docs/json.md, in its order."""

from collections.abc import Iterator

from backscroll.stats.model import Audit, Timeline, ToolReport, UsageReport, UsageRow
from backscroll.views.json.sessions import Object, array, dumps, object_of


def row_object(row: UsageRow) -> Object:
    """Return one row of `usage`; only a session has a title, and only a block has a rate."""
    value = object_of(row)
    if "session" not in row.keys:
        del value["title"]
    if row.burn is None:
        del value["burn"]
    return value


def usage_document(report: UsageReport) -> Iterator[str]:
    """Yield the answer of `usage`."""
    yield '{"rows": ' + array(map(row_object, report.rows))
    yield ',\n"total": ' + dumps(object_of(report.total))
    yield ',\n"unpriced": ' + array(map(object_of, report.unpriced))
    yield ',\n"by": ' + dumps(report.by) + ',\n"prices": ' + dumps(report.prices) + "}\n"


def tools_document(report: ToolReport) -> Iterator[str]:
    """Yield the answer of `tools`."""
    yield '{"tools": ' + array(map(object_of, report.tools))
    yield ',\n"servers": ' + array(map(object_of, report.servers))
    yield ',\n"skills": ' + array(map(object_of, report.skills))
    yield ',\n"agents": ' + array(map(object_of, report.agents))
    yield ',\n"total": ' + dumps(object_of(report.total)) + "}\n"


def timeline_document(timeline: Timeline) -> Iterator[str]:
    """Yield the answer of `usage --timeline`."""
    yield '{"session": ' + dumps(object_of(timeline.session))
    yield ',\n"turns": ' + array(map(object_of, timeline.turns))
    yield ',\n"context": ' + array(map(object_of, timeline.context))
    totals = {"working": timeline.working, "waiting": timeline.waiting, "tools": timeline.tools}
    yield "".join(f',\n"{name}": {dumps(seconds)}' for name, seconds in totals.items()) + "}\n"


def audit_document(audit: Audit) -> Iterator[str]:
    """Yield the answer of `usage --audit`."""
    counts = {name: getattr(audit, name) for name in ("records", "repeated", "copies", "counted", "synthetic")}
    yield "{" + ",\n".join(f'"{name}": {number}' for name, number in counts.items())
    yield ',\n"total": ' + dumps(object_of(audit.total))
    yield ',\n"unpriced": ' + array(map(object_of, audit.unpriced))
    yield ',\n"copied": ' + array(map(object_of, audit.copied))
    yield ',\n"comparisons": ' + array(map(object_of, audit.comparisons))
    yield ',\n"messages": ' + array(map(object_of, audit.messages))
    yield ',\n"uncounted": ' + array(map(object_of, audit.uncounted))
    yield ',\n"doubted": ' + array(map(object_of, audit.doubted))
    yield ',\n"prices": ' + dumps(audit.prices) + "}\n"
