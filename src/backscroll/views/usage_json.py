"""Usage, tools, timeline and audit to JSON: the keys of docs/json.md, in its order."""

from collections.abc import Iterator
from datetime import datetime

from backscroll.stats.model import (
    Amount,
    Audit,
    AuditMessage,
    Burn,
    Comparison,
    ContextPoint,
    CopiedFrom,
    ModelDifference,
    Timeline,
    ToolReport,
    ToolUse,
    Turn,
    Unpriced,
    UsageReport,
    UsageRow,
)
from backscroll.times import iso
from backscroll.views.json import Object, dumps, place_object, session_object


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else iso(moment)


def amount_object(amount: Amount) -> Object:
    """Return tokens and cost."""
    return {
        "input": amount.input,
        "output": amount.output,
        "cache_write": amount.cache_write,
        "cache_read": amount.cache_read,
        "cost": amount.cost,
        "messages": amount.messages,
        "cache_write_5m": amount.cache_write_5m,
        "cache_write_1h": amount.cache_write_1h,
        "web_searches": amount.web_searches,
        "web_fetches": amount.web_fetches,
        "lower_bound": amount.lower_bound,
        "lower_bound_messages": amount.lower_bound_messages,
        "lower_bound_output": amount.lower_bound_output,
        "unpriced": amount.unpriced,
        "first": _time(amount.first),
        "last": _time(amount.last),
    }


def row_object(row: UsageRow) -> Object:
    """Return one row of `usage`."""
    value = {"key": row.key, **amount_object(row), "keys": row.keys}
    if "session" in row.keys:
        value["title"] = row.title
    if row.burn is not None:
        value["burn"] = burn_object(row.burn)
    return value


def burn_object(burn: Burn) -> Object:
    """Return how quickly a block is used up."""
    return {
        "start": iso(burn.start),
        "end": iso(burn.end),
        "active": burn.is_active,
        "tokens_per_minute": burn.tokens_per_minute,
        "cost_per_hour": burn.cost_per_hour,
        "projected_tokens": burn.projected_tokens,
        "projected_cost": burn.projected_cost,
    }


def unpriced_object(unpriced: Unpriced) -> Object:
    """Return what has no price."""
    return {
        "model": unpriced.model,
        "messages": unpriced.messages,
        "input": unpriced.input,
        "output": unpriced.output,
        "cache_write": unpriced.cache_write,
        "cache_read": unpriced.cache_read,
    }


def usage_document(report: UsageReport) -> Iterator[str]:
    """Yield the answer of `usage`."""
    yield '{"rows": [' + ",".join("\n" + dumps(row_object(row)) for row in report.rows) + "],\n"
    yield '"total": ' + dumps(amount_object(report.total)) + ",\n"
    yield '"unpriced": ' + dumps([unpriced_object(item) for item in report.unpriced]) + ",\n"
    yield '"by": ' + dumps(report.by) + ',\n"prices": ' + dumps(report.prices) + "}\n"


def tool_object(use: ToolUse) -> Object:
    """Return how often something was called."""
    return {
        "name": use.name,
        "calls": use.calls,
        "errors": use.errors,
        "sessions": use.sessions,
        "seconds": use.seconds,
        "refusals": use.refusals,
        "unanswered": use.unanswered,
        "files": use.files,
        "slowest": use.slowest,
        "server": use.server,
    }


def tools_document(report: ToolReport) -> Iterator[str]:
    """Yield the answer of `tools`."""
    groups = (
        ("tools", report.tools),
        ("servers", report.servers),
        ("skills", report.skills),
        ("agents", report.agents),
    )
    for number, (name, uses) in enumerate(groups):
        yield (
            ("{" if number == 0 else ",\n")
            + f'"{name}": ['
            + ",".join("\n" + dumps(tool_object(use)) for use in uses)
            + "]"
        )
    yield ',\n"total": ' + dumps(tool_object(report.total)) + "}\n"


def turn_object(turn: Turn) -> Object:
    """Return one turn of a timeline."""
    return {
        "number": turn.number,
        "message": turn.message,
        "text": turn.text,
        "time": _time(turn.time),
        "first_answer": _time(turn.first_answer),
        "end": _time(turn.end),
        "working": turn.working,
        "waiting": turn.waiting,
        "tools": turn.tools,
        "calls": turn.calls,
        "errors": turn.errors,
        "usage": amount_object(turn.usage),
        "context": turn.context,
        "branch": turn.branch,
        "compactions": turn.compactions,
    }


def point_object(point: ContextPoint) -> Object:
    """Return how long one prompt was."""
    return {
        "time": _time(point.time),
        "message": point.message,
        "tokens": point.tokens,
        "turn": point.turn,
        "is_compaction": point.is_compaction,
    }


def timeline_document(timeline: Timeline) -> Iterator[str]:
    """Yield the answer of `usage --timeline`."""
    yield '{"session": ' + dumps(session_object(timeline.session))
    yield ',\n"turns": [' + ",".join("\n" + dumps(turn_object(turn)) for turn in timeline.turns) + "]"
    yield ',\n"context": ' + dumps([point_object(point) for point in timeline.context])
    totals = {"working": timeline.working, "waiting": timeline.waiting, "tools": timeline.tools}
    yield "".join(f',\n"{name}": {dumps(seconds)}' for name, seconds in totals.items()) + "}\n"


def copied_object(copied: CopiedFrom) -> Object:
    """Return what a session holds of another's."""
    return {
        "session": copied.session,
        "first_session": copied.first_session,
        "first_transcript": copied.first_transcript,
        "amount": amount_object(copied.amount),
    }


def difference_object(difference: ModelDifference) -> Object:
    """Return two counts of one model."""
    return {
        "model": difference.model,
        "stated": amount_object(difference.stated),
        "found": amount_object(difference.found),
    }


def comparison_object(comparison: Comparison) -> Object:
    """Return a cost that Claude Code recorded, beside ours."""
    return {
        "session": comparison.session,
        "source": comparison.source,
        "recorded": comparison.recorded,
        "computed": comparison.computed,
        "with_copies": comparison.with_copies,
        "repriced": comparison.repriced,
        "is_equal": comparison.is_equal,
        "reasons": comparison.reasons,
        "models": [difference_object(item) for item in comparison.models],
    }


def audit_message_object(message: AuditMessage) -> Object:
    """Return one API message and why it counts."""
    return {
        "place": place_object(message.place),
        "model": message.model,
        "usage": amount_object(message.usage),
        "counted": message.counted,
        "reason": message.reason,
        "records": message.records,
        "first_place": None if message.first_place is None else place_object(message.first_place),
        "first_session": message.first_session,
    }


def audit_document(audit: Audit) -> Iterator[str]:
    """Yield the answer of `usage --audit`."""
    counts = {name: getattr(audit, name) for name in ("records", "repeated", "copies", "counted", "synthetic")}
    yield "{" + ",\n".join(f'"{name}": {number}' for name, number in counts.items())
    yield ',\n"total": ' + dumps(amount_object(audit.total))
    yield ',\n"unpriced": ' + dumps([unpriced_object(item) for item in audit.unpriced])
    yield ',\n"copied": [' + ",".join("\n" + dumps(copied_object(item)) for item in audit.copied) + "]"
    yield ',\n"comparisons": [' + ",".join("\n" + dumps(comparison_object(item)) for item in audit.comparisons) + "]"
    yield ',\n"messages": [' + ",".join("\n" + dumps(audit_message_object(item)) for item in audit.messages) + "]"
    yield ',\n"prices": ' + dumps(audit.prices) + "}\n"
