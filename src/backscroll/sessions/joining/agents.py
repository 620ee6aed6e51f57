"""Join each agent to the call that started it, by the strongest evidence.

The evidence is in the transcripts of the session and of its other agents (docs/formats.md,
"Agents and their calls"): the agent's own meta file, the call's result, progress records, task
notices, and last the equality of the call's prompt and the agent's first text.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct

from backscroll.sessions.session import Agent
from backscroll.times import parse


class AgentEvidence(Struct):
    """The statements of a transcript about the agents that it started."""

    calls: dict[str, tuple[bytes | None, str | None, str | None, str | None]] = {}
    """For each call: the key of its prompt, description, agent type, time."""
    results: dict[str, str] = {}
    """The call of each agent, from the call's result; the maps below have other evidence for the same."""
    runs: dict[str, str] = {}
    progress: dict[str, str] = {}
    notices: dict[str, str | None] = {}

    def add(  # noqa: PLR0913, PLR0917 - one argument per column of the table
        self,
        kind: str,
        name: str,
        call: str | None,
        prompt: bytes | None,
        description: str | None,
        agent_type: str | None,
        time: str | None,
    ) -> None:
        """Add one piece of evidence from the catalogue."""
        if kind == "call":
            self.calls[name] = (prompt, description, agent_type, time)
        elif kind == "notice":
            self.notices[name] = call
        elif call is not None:
            {"result": self.results, "run": self.runs, "progress": self.progress}[kind][name] = call


class InlineFacts(NamedTuple):
    """An agent inside a session's own file."""

    id: str
    messages: int
    calls: int
    started: str | None
    updated: str | None
    first_text: bytes | None
    is_internal: bool


class AgentFile(Struct):
    """The transcript of an agent on the disk, and the facts about the agent."""

    id: str
    kind: str
    """flat, nested or workflow."""
    path: str
    messages: int = 0
    calls: int = 0
    started: str | None = None
    updated: str | None = None
    first_text: bytes | None = None
    is_internal: bool = False
    evidence: AgentEvidence | None = None
    meta: dict[str, object] = {}
    run: str | None = None


class _Call(Struct):
    """A call that may have started an agent, and its caller."""

    owner: str | None
    prompt: bytes | None = None
    description: str | None = None
    type: str | None = None
    time: datetime | None = None


class _Pool(Struct):
    """All evidence of one session: calls by id, and the links from agents to calls."""

    calls: dict[str, _Call] = {}
    results: dict[str, str] = {}
    runs: dict[str, str] = {}
    progress: dict[str, str] = {}
    notices: dict[str, str | None] = {}
    taken: set[str] = set()
    by_prompt: dict[bytes, list[str]] = {}

    def index(self) -> None:
        """Index calls by the keys of their prompts."""
        for name, call in self.calls.items():
            if call.prompt is not None:
                self.by_prompt.setdefault(call.prompt, []).append(name)

    def add(self, owner: str | None, evidence: AgentEvidence | None) -> None:
        """Add the statements of one transcript about the agents that it started."""
        if evidence is None:
            return
        for call, (prompt, description, kind, time) in evidence.calls.items():
            self.calls.setdefault(call, _Call(owner, prompt, description, kind, parse(time)))
        for mine, theirs in (
            (self.results, evidence.results),
            (self.runs, evidence.runs),
            (self.progress, evidence.progress),
        ):
            for name, call in theirs.items():
                mine.setdefault(name, call)
                self.calls.setdefault(call, _Call(owner))
        for name, notified in evidence.notices.items():
            self.notices.setdefault(name, notified)


def join_agents(evidence: AgentEvidence | None, inline: Iterable[InlineFacts], files: list[AgentFile]) -> list[Agent]:
    """Return the agents of a session, in order of their start, each with its call if known.

    `evidence` and `inline` come from the session's own transcript.
    """
    inline = list(inline)
    if not files and not inline:
        return []
    pool = _Pool()
    pool.add(None, evidence)
    for file in files:
        pool.add(file.id, file.evidence)
    agents = [_from_file(file, *_call_of_file(file, pool)) for file in files]
    pool.taken = {agent.call for agent in agents if agent.call}
    pool.index()
    agents = [agent if agent.call else _by_prompt(agent, file, pool) for agent, file in zip(agents, files, strict=True)]
    agents += [_from_inline(agent, pool) for agent in inline]
    _describe(agents, pool)
    return sorted(agents, key=lambda agent: (agent.started is None, agent.started or 0, agent.id))


def _call_of_file(file: AgentFile, pool: _Pool) -> tuple[str | None, str | None]:
    """Return the call that started an agent, and the kind of evidence."""
    stated = file.meta.get("toolUseId")
    if isinstance(stated, str) and stated:
        return stated, "meta"
    for evidence, name in (("result", pool.results), ("progress", pool.progress), ("notice", pool.notices)):
        if call := name.get(file.id):
            return call, evidence
    if file.run is not None and file.run in pool.runs:
        return pool.runs[file.run], "workflow"
    return None, None


def _by_prompt(agent: Agent, file: AgentFile, pool: _Pool) -> Agent:
    agent.call = _call_with_prompt(file.first_text, agent.started, pool)
    agent.joined_by = "prompt" if agent.call else None
    return agent


def _call_with_prompt(text: bytes | None, started: datetime | None, pool: _Pool) -> str | None:
    """Return the unused call whose prompt is the agent's first text; of several, the nearest in time."""
    if text is None:
        return None
    fitting = [name for name in pool.by_prompt.get(text, ()) if name not in pool.taken]
    if not fitting:
        return None
    chosen = min(fitting, key=lambda name: _distance(pool.calls[name].time, started))
    pool.taken.add(chosen)
    return chosen


def _distance(one: datetime | None, other: datetime | None) -> float:
    return abs((one - other).total_seconds()) if one and other else float("inf")


def _from_file(file: AgentFile, call: str | None, evidence: str | None) -> Agent:
    meta = file.meta
    parent = meta.get("parentAgentId")
    return _agent(
        file.id,
        file.kind,
        file,
        call=call,
        joined_by=evidence,
        parent=parent if isinstance(parent, str) else None,
        is_internal=file.is_internal,
        transcript=file.path,
        type=_text(meta.get("agentType")),
        description=_text(meta.get("description")),
    )


def _from_inline(inline: InlineFacts, pool: _Pool) -> Agent:
    call = _call_with_prompt(inline.first_text, parse(inline.started), pool)
    return _agent(
        inline.id,
        "inline",
        inline,
        call=call,
        joined_by="prompt" if call else None,
        parent=None,
        is_internal=bool(inline.is_internal),
        transcript=None,
        type=None,
        description=None,
    )


def _agent(  # noqa: PLR0913 - one argument per field of the value it makes
    name: str,
    kind: str,
    counts: AgentFile | InlineFacts,
    *,
    call: str | None,
    joined_by: str | None,
    parent: str | None,
    is_internal: bool,
    transcript: str | None,
    type: str | None,  # noqa: A002 - the field's name in the contract
    description: str | None,
) -> Agent:
    return Agent(
        id=name,
        kind=kind,
        type=type,
        description=description,
        call=call,
        joined_by=joined_by,
        parent=parent,
        is_internal=is_internal,
        messages=counts.messages,
        calls=counts.calls,
        transcript=transcript,
        started=parse(counts.started),
        updated=parse(counts.updated),
    )


def _describe(agents: list[Agent], pool: _Pool) -> None:
    """Add the facts from the agent's call: its caller, description and type."""
    for agent in agents:
        call = pool.calls.get(agent.call or "")
        if call is not None and call.owner != agent.id:
            agent.parent = agent.parent or call.owner
            agent.description = agent.description or call.description
            agent.type = agent.type or call.type


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
