"""The parts of a session that people see by default; JSON always has everything."""

import re
from collections.abc import Container, Iterable, Iterator
from functools import cache
from typing import Any

from backscroll.sessions.message import Message, Part

_TAG = r"(?:local-command-stdout|local-command-stderr|bash-stdout|bash-stderr)(?:\s[^>]*)?>"


@cache
def _output() -> re.Pattern[str]:
    return re.compile(rf"\s*<{_TAG}")


@cache
def _output_tags() -> re.Pattern[str]:
    return re.compile(rf"</?{_TAG}")


_ERRORS = {"api_error", "model_fallback", "model_refusal_fallback"}
_COMMAND = "local_command"
_SYNTHETIC = "<synthetic>"
_INTERRUPTED = "[Request interrupted by user"
_FROM_OTHERS = ("<teammate-message", "<ci-monitor-event")
"""Messages of teammates and events of CI: nobody typed them, but Claude answers them."""
_BOUNDARIES = {"compact_boundary", "microcompact_boundary"}


def is_shown(message: Message, *, is_full: bool) -> bool:
    """Return True if people see a message.

    The program's own messages are left out, except summaries, errors, outputs, and messages of teammates and CI.
    """
    if is_full or message.role != "system":
        return True
    return message.model == _SYNTHETIC or any(_is_telling(part) for part in message.parts)


def _is_telling(part: Part) -> bool:
    if part.kind == "summary" or is_boundary(part) or (part.text or "").startswith((_INTERRUPTED, *_FROM_OTHERS)):
        return True
    if part.data.get("type") in _ERRORS:
        return True
    return (part.data.get("type") == _COMMAND or is_output(part)) and not is_empty_output(part)


def is_boundary(part: Part) -> bool:
    """Return True if a part marks the place of a compaction."""
    return part.kind == "other" and part.data.get("type") in _BOUNDARIES


def boundary_text(part: Part) -> str:
    """Return `compacted here: 150,000 tokens before (auto)`."""
    before, trigger = part.data.get("tokens_before"), part.data.get("trigger")
    size = f": {before:,} tokens before" if isinstance(before, int) else ""
    return f"compacted here{size}" + (f" ({trigger})" if isinstance(trigger, str) else "")


def is_output(part: Part) -> bool:
    """Return True if a part is the output of a slash command or a `!` command."""
    text = part.text or ""
    return part.kind in ("text", "other") and "-std" in text and bool(_output().match(text))


def is_empty_output(part: Part) -> bool:
    """Return True if such a part has nothing to show."""
    return _without_tags(part.text or "").strip() in ("", "(no content)")


def words_of(part: Part) -> str:
    """Return the text of a part for people: commands as typed, outputs without tags and colours."""
    said = part.data.get("spoken")
    text = said if isinstance(said, str) and said else part.text or ""
    return _colours().sub("", _without_tags(text)).lstrip("\n").rstrip("\r\n") if is_output(part) else text


def _without_tags(text: str) -> str:
    return _output_tags().sub("", text) if "-std" in text else text


@cache
def _colours() -> re.Pattern[str]:
    return re.compile(r"\x1b\[[0-9;:]*m")


def notice_of(part: Part) -> str | None:
    """Return the text of a notice of the program: an error of the API, the output of a command."""
    if part.data.get("type") not in _ERRORS | {_COMMAND}:
        return None
    text = words_of(part)
    if text.strip() or part.data.get("type") == _COMMAND:
        return text
    raw = part.data.get("raw")
    error = raw.get("error") if isinstance(raw, dict) else None
    return f"{part.data['type']}: {_innermost(error)}"


def _innermost(error: Any) -> str:
    """Return the message that an error wraps, however deep."""
    for _ in range(8):
        if isinstance(error, dict):
            error = error.get("message") or error.get("error") or error.get("status") or ""
    return str(error or "")[:500]


def speaker(message: Message) -> str:
    """Return the speaker of a message: You, Claude, Caller (of an agent), System."""
    if message.role == "user":
        return "You" if message.depth == 0 and message.agent is None else "Caller"
    return {"assistant": "Claude", "tool": "Tool"}.get(message.role, "System")


def departures(message: Message, command: str = "backscroll") -> list[tuple[str, str]]:
    """Return the branches that leave after a message: a remark, and the command that reads the branch."""
    names = [mark[len(_FORK) :] for mark in message.marks if mark.startswith(_FORK)]
    show = f"{command} show {message.session[:_SHORT]} --branch"
    return [(f"fork: branch {name} leaves here", f"{show} {name}") for name in names]


def reduced(messages: Iterable[Message], left_out: Container[str]) -> Iterator[Message]:
    """Yield messages without some kinds of parts; messages of which nothing is left are not yielded."""
    for message in messages:
        parts = [part for part in message.parts if part.kind not in left_out]
        if parts or message.marks:
            message.parts = parts
            yield message


def typed(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages that a person typed."""
    return (message for message in messages if message.is_typed)


_FORK = "fork "
_SHORT = 8
_MARKS = {
    "gap": "gap: the record before is missing",
    "cycle": "cycle: the records before refer to each other",
    "compaction": "compacted here",
    "plan": "accepted plan",
}


def remarks(message: Message) -> list[str]:
    """Return the remarks to show before a message."""
    marks = [_MARKS.get(mark, mark) for mark in message.marks if not mark.startswith(_FORK)]
    return marks + [boundary_text(part) for part in message.parts if is_boundary(part)]
