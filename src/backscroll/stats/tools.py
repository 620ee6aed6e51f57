"""Tools: the number of calls of each, their outcomes, their duration and their files."""

from collections.abc import Callable
from dataclasses import dataclass, field

from backscroll.index.queries.usage import Connection, ToolSum, UsageFilter, callers, tools
from backscroll.sessions.transcript.tool_names import AGENT_TOOLS, FILE_TOOLS, SKILL_TOOLS
from backscroll.stats.model import ToolReport, ToolUse

NO_TYPE = "(no type)"


@dataclass(slots=True)
class _Group:
    """The calls under one name, while they are counted."""

    use: ToolUse
    sessions: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)

    def add(self, sums: ToolSum) -> None:
        use = self.use
        use.calls += sums.calls
        use.errors += sums.errors
        use.refusals += sums.refusals
        use.unanswered += sums.unanswered
        if sums.timed:
            use.seconds = (use.seconds or 0.0) + sums.seconds
            use.slowest = max(use.slowest or 0.0, sums.slowest)
        if sums.name in FILE_TOOLS and sums.target:
            self.files.add(sums.target)

    def done(self) -> ToolUse:
        self.use.sessions = len(self.sessions)
        if self.files:
            self.use.files = len(self.files)
        return self.use


class _Groups:
    """Groups by name."""

    def __init__(self, name_of: Callable[[str, str | None], str | None]) -> None:
        self._name_of = name_of
        self._groups: dict[str, _Group] = {}

    def add(self, sums: ToolSum) -> None:
        """Add calls to the group of their name, if they have one."""
        name = self._name_of(sums.name, sums.target)
        if name is not None:
            group = self._groups.get(name)
            if group is None:
                group = self._groups[name] = _Group(ToolUse(name))
            group.add(sums)

    def called_in(self, tool: str, target: str | None, session: str) -> None:
        """Remember a session that called a tool."""
        name = self._name_of(tool, target)
        if name is not None:
            self._groups[name].sessions.add(session)

    def done(self) -> list[ToolUse]:
        """Return the groups, the one with most calls first."""
        return sorted((group.done() for group in self._groups.values()), key=lambda use: (-use.calls, use.name))


def report(database: Connection, wanted: UsageFilter) -> ToolReport:
    """Sum up calls by tool, by MCP server, by skill and by type of agent."""
    by_tool = _Groups(lambda tool, _: tool)
    by_server = _Groups(lambda tool, _: server_of(tool))
    by_skill = _Groups(lambda tool, target: target if tool in SKILL_TOOLS else None)
    by_agent = _Groups(lambda tool, target: (target or NO_TYPE) if tool in AGENT_TOOLS else None)
    total = _Groups(lambda *_: "total")
    groups = (by_tool, by_server, by_skill, by_agent, total)
    for sums in tools(database, wanted):
        for group in groups:
            group.add(sums)
    for tool, target, session in callers(database, wanted, SKILL_TOOLS | AGENT_TOOLS):
        for group in groups:
            group.called_in(tool, target, session)
    found = by_tool.done()
    for use in found:
        use.server = server_of(use.name)
    return ToolReport(
        found, by_server.done(), by_skill.done(), by_agent.done(), (total.done() or [ToolUse("total")])[0]
    )


def server_of(tool: str) -> str | None:
    """Return the MCP server in the name of a tool.

    >>> server_of("mcp__github__search_issues")
    'github'
    """
    prefix, _, rest = tool.partition("__")
    server, _, name = rest.partition("__")
    return server if prefix == "mcp" and server and name else None
