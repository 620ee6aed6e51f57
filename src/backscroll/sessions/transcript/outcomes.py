"""Return the target of a call and its outcome, from the head of its block alone.

Inputs and results may be long.  So this decodes only the field that names a file, a skill or a type of agent.
Of a result it reads only the beginning, and only if it is an error.
"""

import msgspec
from msgspec import Raw, Struct

from backscroll.sessions.transcript.heads import Block, decoded
from backscroll.sessions.transcript.tool_names import AGENT_TOOLS, FILE_TOOLS, SKILL_TOOLS

OK, ERROR, REFUSED = "ok", "error", "refused"

_REFUSALS = (
    "The user doesn't want to",
    "User rejected tool use",
    "Permission to use ",
    "Permission denied by ",
    "Permission for this action has been denied",
    "Claude requested permissions ",
    "This command requires approval",
)
"""The beginnings of results if a person, a rule or a hook refused the call."""
_LONGEST_TARGET = 1000


class _Input(Struct, gc=False):
    """The fields of a call's input that name its target."""

    file_path: str | None = None
    notebook_path: str | None = None
    skill: str | None = None
    command: str | None = None
    subagent_type: str | None = None


_decode_input = msgspec.json.Decoder(_Input).decode


def target_of(block: Block) -> str | None:
    """Return the file, the skill or the type of agent of a call; None for other tools."""
    tool = block.name
    if tool not in FILE_TOOLS and tool not in SKILL_TOOLS and tool not in AGENT_TOOLS:
        return None
    asked = _input(block)
    if tool in FILE_TOOLS:
        target = asked.file_path or asked.notebook_path
    elif tool in AGENT_TOOLS:
        target = asked.subagent_type
    else:
        words = (asked.skill or asked.command or "").removeprefix("/").split(maxsplit=1)
        target = words[0] if words else None
    return target[:_LONGEST_TARGET] if target else None


def _input(block: Block) -> _Input:
    try:
        return _decode_input(block.input)
    except (msgspec.DecodeError, UnicodeDecodeError):
        value = decoded(block.input)
        known = value if isinstance(value, dict) else {}
        texts = {name: known[name] for name in _Input.__struct_fields__ if isinstance(known.get(name), str)}
        return _Input(**texts)


def outcome_of(block: Block, detail: Raw) -> str:
    """Return the outcome of the call that a block answers; `detail` is the program's own outcome."""
    if not block.is_error:
        return OK
    said = decoded(detail) if memoryview(detail)[:1].tobytes() == b'"' else None
    if isinstance(said, str) and said.removeprefix("Error: ").startswith(_REFUSALS):
        return REFUSED
    return REFUSED if _beginning(block).startswith(_REFUSALS) else ERROR


def _beginning(block: Block) -> str:
    value = decoded(block.content)
    if isinstance(value, list):
        value = next((item.get("text") for item in value if isinstance(item, dict)), None)
    return value.lstrip() if isinstance(value, str) else ""
