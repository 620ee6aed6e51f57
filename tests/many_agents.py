"""A session with many agents, each with a file of its own."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from make import assistant, given, line, user, write_transcript

SESSION = "11111111-2222-4333-8444-555555555555"


def uuid(number: int) -> str:
    """Return the id of a record."""
    return f"00000000-0000-4000-8000-{number:012d}"


def write_agents(root: Path, count: int, *, is_chain: bool) -> None:
    """Write a session with many agents in files of their own, which it started, or of which each started the next."""

    def records(number: int, started: Iterable[int], **fields: Any) -> Iterator[dict[str, Any]]:
        base = 10_000 * number + 10_000
        yield user(uuid(base), None, f"task {number}", **fields)
        for place, agent in enumerate(started):
            name = f"toolu_{agent:020d}"
            asked = {"description": f"agent {agent}", "prompt": f"task {agent}", "subagent_type": "x"}
            part = {"type": "tool_use", "id": name, "name": "Agent", "input": asked}
            yield assistant(uuid(base + 2 * place + 1), uuid(base + 2 * place), [part], **fields)
            result = user(uuid(base + 2 * place + 2), uuid(base + 2 * place + 1), [given(name)], **fields)
            yield result | {"toolUseResult": {"agentId": f"a{agent:016d}", "status": "completed"}}

    every = range(1, count + 1)
    write_transcript(root, "-p", SESSION, map(line, records(0, every[:1] if is_chain else every)))
    directory = root / ".claude" / "projects" / "-p" / SESSION / "subagents"
    directory.mkdir(parents=True)
    for number in every:
        named = {"agentId": f"a{number:016d}", "isSidechain": True, "sessionId": SESSION}
        lines = map(line, records(number, every[number : number + 1] if is_chain else (), **named))
        (directory / f"agent-a{number:016d}.jsonl").write_bytes(b"".join(lines))
