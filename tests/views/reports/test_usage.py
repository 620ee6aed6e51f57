"""Usage, tools, timeline and audit as people see them: on a terminal, in a pipe, as CSV, as JSON, as SVG."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from make import NOON, UUID, Draft, bash, failed, home

import backscroll
from backscroll.stats.model import Amount, ToolReport, ToolUse, Unpriced, UsageReport, UsageRow
from backscroll.views.json import usage as usage_json
from backscroll.views.reports import audit, timeline, tool_use, usage
from backscroll.views.terminal.paper import Line, Paper, plain

OTHER = "22222222-2222-4222-8222-222222222222"
WIDE = Paper(width=130, now=NOON, zone=UTC)
NARROW = Paper(width=50, now=NOON, zone=UTC)
PIPE = Paper(zone=UTC)
EVIL = "=cmd|' /C calc'!A0\x1b[31m\u202e"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home of two sessions, one of them a fork, over two weeks."""
    draft = Draft(UUID).prompt("Repair it").answer("Yes", calls=[bash("ls", "a"), failed("make", 1, "no")])
    draft.now = draft.now + timedelta(days=12)
    draft.compact("So far").prompt("Go on").answer("Done").record(type="cost-state", totalCostUSD=1, modelUsage={})
    draft.write(home(tmp_path))
    draft.fork(OTHER).prompt("And now?").answer("Nothing.").write(tmp_path)
    return tmp_path


def text(lines: object) -> list[str]:
    """Return lines without styles."""
    found: list[Line] = list(lines)  # type: ignore[call-overload]
    return [plain(line) for line in found]


def evil() -> UsageReport:
    """Return a report whose every name is hostile."""
    row = UsageRow(key=EVIL, keys={"project": EVIL, "session": EVIL}, title=EVIL, input=1, messages=1, unpriced=[EVIL])
    return UsageReport(["project", "session"], [row], Amount(messages=1), [Unpriced(EVIL, 1, 1, 1, None, None)], "none")


def test_usage_on_a_terminal(root: Path) -> None:
    """The total comes first, then a chart, then the table with bars, then what must be known to read it."""
    lines = text(usage.usage_report(backscroll.usage(root, by="day", zone=UTC), WIDE))

    assert lines[0].startswith("$")
    assert " in 3 messages" in lines[0]
    assert "2026-05-01" in "\n".join(lines)
    assert any("█" in line for line in lines)
    assert lines[-1].startswith("total")


def test_a_calendar_where_there_are_days_enough(tmp_path: Path) -> None:
    """From eight days on a calendar stands above the table."""
    home(tmp_path)
    for number in range(9):
        name = f"{number}1111111-1111-4111-8111-111111111111"
        Draft(name, started=NOON + timedelta(days=number)).prompt("A").answer("B").write(tmp_path)
    lines = text(usage.usage_report(backscroll.usage(tmp_path, by="day", zone=UTC), WIDE))

    assert any(line.startswith("Mon") for line in lines)


def test_usage_in_a_pipe(root: Path) -> None:
    """A pipe gets a head, whole numbers in columns and a total, and nothing that only pleases the eye."""
    lines = text(usage.usage_report(backscroll.usage(root, by="model", zone=UTC), PIPE))
    total = backscroll.usage(root, by="model").total

    assert ["model", "messages", "input", "output", "cache", "write", "cache", "read", "cost"] == lines[0].split()
    assert ["total", "3", str(total.input), str(total.output)] == lines[-1].split()[:4]
    assert f"{total.cost:.6f}" == lines[-1].split()[-1]
    assert not any("█" in line for line in lines)


@pytest.mark.parametrize(
    "by", ["day", "week", "block", "model", "project", "session", "agent", "session,model", "month,project"]
)
@pytest.mark.parametrize("paper", [WIDE, NARROW], ids=["wide", "narrow"])
def test_lines_fit_the_terminal(root: Path, by: str, paper: Paper) -> None:
    """No line is wider than the paper, however it is grouped."""
    lines = text(usage.usage_report(backscroll.usage(root, by=by, zone=UTC), paper))

    assert [] == [line for line in lines if len(line) > (paper.width or 0)]


def test_lower_bounds_and_missing_prices_are_said() -> None:
    """Where outputs are placeholders, or a model has no price, a line says so."""
    row = UsageRow(key="d", keys={"model": "new"}, output=5, messages=2, lower_bound=True)
    total = Amount(output=5, messages=2, lower_bound=True, lower_bound_messages=2)
    report = UsageReport(["model"], [row], total, [Unpriced("new", 2, None, 5, None, None)], "none")
    lines = "\n".join(text(usage.usage_report(report, WIDE)))

    assert "≥ 5" in lines
    assert "≥ 2 messages carry a placeholder instead of output" in lines
    assert "No price is known for new (2 messages)" in lines


def test_a_block_that_goes_on_is_projected(root: Path) -> None:
    """The block of now says what it will come to."""
    found = backscroll.usage(root, by="block", zone=UTC)
    burn = found.rows[-1].burn
    assert burn is not None
    burn.active, burn.projected_cost = True, 12.5
    lines = "\n".join(text(usage.usage_report(found, WIDE)))

    assert "will cost $12.50" in lines


def test_nothing_spent(tmp_path: Path) -> None:
    """An empty answer is a sentence."""
    assert ["Nothing was spent."] == text(usage.usage_report(backscroll.usage(home(tmp_path)), WIDE))


def test_hostile_names_are_harmless() -> None:
    """Names of a store neither command a terminal, nor run in a spreadsheet, nor break XML."""
    shown = "\n".join(text(usage.usage_report(evil(), WIDE)))
    (_, row) = csv.reader(io.StringIO("".join(usage.csv_document(evil()))))
    drawn = "".join(usage.svg_document(evil(), PIPE))

    assert not {"\x1b", "\u202e"} & set(shown + drawn)
    assert row[0].startswith("'=cmd")
    assert "<text" in drawn


def test_usage_as_csv(root: Path) -> None:
    """Each row is a line with its keys and figures; sums over the lines are the total."""
    found = backscroll.usage(root, by="day,model", zone=UTC)
    rows = list(csv.DictReader(io.StringIO("".join(usage.csv_document(found)))))

    assert ["day", "model", "input"] == list(rows[0])[:3]
    assert found.total.output == sum(int(row["output"]) for row in rows)


def test_usage_as_svg(root: Path) -> None:
    """Days are upright bars with the days between them; anything else are lying ones."""
    days = "".join(usage.svg_document(backscroll.usage(root, by="day", zone=UTC), PIPE))
    projects = "".join(usage.svg_document(backscroll.usage(root, by="project"), PIPE))

    assert 13 == days.count("<title>2026-05-")
    assert "Usage by project" in projects


def test_usage_as_json(root: Path) -> None:
    """The document has the keys of the contract, and the rows sum up to the total."""
    found = json.loads("".join(usage_json.usage_document(backscroll.usage(root, by="session", zone=UTC))))

    assert {"rows", "total", "unpriced"} <= set(found)
    assert {"key", "input", "output", "cache_write", "cache_read", "cost", "messages"} <= set(found["rows"][0])
    assert found["total"]["messages"] == sum(row["messages"] for row in found["rows"])
    assert ["Repair it"] == [row["title"] for row in found["rows"] if row["key"] == UUID]


def test_tools_on_a_terminal_and_in_a_pipe(root: Path) -> None:
    """A tool has its calls and errors; a pipe gets plain numbers."""
    found = backscroll.tools(root)
    wide, pipe = text(tool_use.tool_report(found, WIDE)), text(tool_use.tool_report(found, PIPE))

    assert wide[0].startswith("2 calls  of 1 tool in 1 session, 1 error")
    assert ["Bash", "2", "1", "0", "1"] == pipe[1].split()[:5]
    assert "█" not in "".join(pipe)


def test_groups_of_tools(tmp_path: Path) -> None:
    """Servers, skills and types of agents follow, where there are any."""
    use = ToolUse("mcp__github__search", 3, 1, 1, 4000.0, 1, 0, None, 300.0, "github")
    report = ToolReport([use], [ToolUse("github", 3)], [ToolUse(EVIL, 1)], [ToolUse("Explore", 1)], use)
    lines = "\n".join(text(tool_use.tool_report(report, WIDE)))
    rows = list(csv.DictReader(io.StringIO("".join(tool_use.csv_document(report)))))

    assert ["MCP server", "skill", "agent type"] == [
        name for name in ("MCP server", "skill", "agent type") if name in lines
    ]
    assert "github/search" in lines
    assert "\x1b" not in lines
    assert ["tool", "server", "skill", "agent"] == [row["kind"] for row in rows]
    assert rows[2]["name"].startswith("'=")
    assert ["No calls found."] == text(tool_use.tool_report(backscroll.tools(home(tmp_path)), WIDE))


def test_tools_as_json(root: Path) -> None:
    """The document has the keys of the contract."""
    found = json.loads("".join(usage_json.tools_document(backscroll.tools(root))))

    assert {"name", "calls", "errors", "sessions", "seconds"} <= set(found["tools"][0])
    assert {"tools", "servers", "skills", "agents", "total"} == set(found)


def test_timeline_in_all_forms(root: Path) -> None:
    """Turns on a terminal with the growth of the context, in a pipe with whole numbers, as CSV, JSON and SVG."""
    found = backscroll.timeline(UUID, root)
    wide = "\n".join(text(timeline.timeline(found, WIDE)))
    pipe = text(timeline.timeline(found, PIPE))
    rows = list(csv.DictReader(io.StringIO("".join(timeline.csv_document(found)))))
    document = json.loads("".join(usage_json.timeline_document(found)))

    assert "2 turns" in wide
    assert "1 compaction" in wide
    assert 3 == len(pipe)
    assert ["Repair it", "Go on"] == [row["text"] for row in rows]
    assert [2, 2] == [len(document[name]) for name in ("turns", "context")]
    assert 'class="mark"' in "".join(timeline.svg_document(found))


def test_audit_of_everything(root: Path) -> None:
    """The way to the total, what was copied and from where, and what Claude Code recorded."""
    lines = "\n".join(text(audit.audit(backscroll.usage_audit(root=root), WIDE)))

    assert "API messages count, each once" in lines
    assert f"{OTHER} holds 2 messages that {UUID}" in lines
    assert "0 of 2 sessions agree with ours" in lines or "0 of 1 session agrees with ours" in lines


def test_audit_of_a_session(root: Path) -> None:
    """Every message of the session is shown with its line and its reason, also as JSON."""
    found = backscroll.usage_audit(OTHER, root)
    lines = "\n".join(text(audit.audit(found, WIDE)))
    document = json.loads("".join(usage_json.audit_document(found)))

    assert 2 == lines.count("copy: another session holds the original")
    assert [False, False, True] == [message["counted"] for message in document["messages"]]
    assert document["records"] - document["repeated"] - document["copies"] == document["counted"]


def test_moments_without_zone_are_those_of_the_machine(root: Path) -> None:
    """Without a zone the days are those of this machine."""
    days = {row.key for row in backscroll.usage(root, by="day").rows}

    assert {datetime.fromtimestamp(NOON.timestamp()).strftime("%Y-%m-%d")} <= days  # noqa: DTZ006 - the machine's own
