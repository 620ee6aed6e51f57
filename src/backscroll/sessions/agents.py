"""Agents: each joined to the call that started it, by the strongest evidence there is.

The evidence lies in the transcripts of the session and of its other agents (docs/formats.md,
"Agents and their calls"): the agent's own meta file, the call's result, progress records, task
notices, and at last the equality of the call's prompt and the agent's first words.
"""

from datetime import datetime

from msgspec import Struct

from backscroll.sessions.digest import Counts, Digest, Evidence, InlineDigest
from backscroll.sessions.model import Agent
from backscroll.times import parse


class AgentFile(Struct):
    """An agent's transcript as found on disk."""

    id: str
    kind: str
    """flat, nested or workflow."""
    path: str
    digest: Digest
    meta: dict[str, object] = {}
    run: str | None = None


class _Call(Struct):
    """A call that may have started an agent, and whose call it is."""

    owner: str | None
    prompt: bytes | None = None
    description: str | None = None
    type: str | None = None
    time: datetime | None = None


class _Pool(Struct):
    """All evidence of one session: calls by id, and what points from agents to calls."""

    calls: dict[str, _Call] = {}
    results: dict[str, str] = {}
    runs: dict[str, str] = {}
    progress: dict[str, str] = {}
    notices: dict[str, str | None] = {}
    taken: set[str] = set()

    def add(self, owner: str | None, evidence: Evidence | None) -> None:
        """Take what one transcript says about the agents it started."""
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


def join_agents(session: Digest | None, files: list[AgentFile]) -> list[Agent]:
    """Return the agents of a session, in the order in which they began, each with its call where known."""
    pool = _Pool()
    pool.add(None, session.evidence if session else None)
    for file in files:
        pool.add(file.id, file.digest.evidence)
    agents = [_from_file(file, *_call_of_file(file, pool)) for file in files]
    pool.taken = {agent.call for agent in agents if agent.call}
    agents = [agent if agent.call else _by_prompt(agent, file, pool) for agent, file in zip(agents, files, strict=True)]
    agents += [_from_inline(inline, pool) for inline in (session.inline if session else ())]
    _describe(agents, pool)
    return sorted(agents, key=lambda agent: (agent.started is None, agent.started or 0, agent.id))


def _call_of_file(file: AgentFile, pool: _Pool) -> tuple[str | None, str | None]:
    """Return the call that started an agent, and which evidence says so."""
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
    agent.call = _call_with_prompt(file.digest.first_text, agent.started, pool)
    agent.joined_by = "prompt" if agent.call else None
    return agent


def _call_with_prompt(text: bytes | None, started: datetime | None, pool: _Pool) -> str | None:
    """Return the free call whose prompt is the agent's first text, the nearest in time where several are."""
    if text is None:
        return None
    fitting = [name for name, call in pool.calls.items() if call.prompt == text and name not in pool.taken]
    if not fitting:
        return None
    chosen = min(fitting, key=lambda name: _distance(pool.calls[name].time, started))
    pool.taken.add(chosen)
    return chosen


def _distance(one: datetime | None, other: datetime | None) -> float:
    return abs((one - other).total_seconds()) if one and other else float("inf")


def _from_file(file: AgentFile, call: str | None, evidence: str | None) -> Agent:
    digest, meta = file.digest, file.meta
    parent = meta.get("parentAgentId")
    return _agent(
        file.id,
        file.kind,
        digest.counts,
        call=call,
        joined_by=evidence,
        parent=parent if isinstance(parent, str) else None,
        is_internal=digest.is_internal,
        transcript=file.path,
        type=_text(meta.get("agentType")),
        description=_text(meta.get("description")),
    )


def _from_inline(inline: InlineDigest, pool: _Pool) -> Agent:
    call = _call_with_prompt(inline.first_text, parse(inline.counts.started), pool)
    return _agent(
        inline.id,
        "inline",
        inline.counts,
        call=call,
        joined_by="prompt" if call else None,
        parent=None,
        is_internal=inline.is_internal,
        transcript=None,
        type=None,
        description=None,
    )


def _agent(  # noqa: PLR0913 - one argument per field of the value it makes
    name: str,
    kind: str,
    counts: Counts,
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
    """Add what the call says of its agent: whose it is, what for, which type."""
    for agent in agents:
        call = pool.calls.get(agent.call or "")
        if call is not None and call.owner != agent.id:
            agent.parent = agent.parent or call.owner
            agent.description = agent.description or call.description
            agent.type = agent.type or call.type


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
