"""What of a session people are shown unless they ask for everything; JSON always has everything."""

from typing import Any

from backscroll.lazy import pattern
from backscroll.sessions.model import Message, Part

_TAG = r"(?:local-command-stdout|local-command-stderr|bash-stdout|bash-stderr)(?:\s[^>]*)?>"
_OUTPUT = pattern(rf"\s*<{_TAG}", needs="-std")
_OUTPUT_TAGS = pattern(rf"</?{_TAG}", needs="-std")
_ERRORS = {"api_error", "model_fallback", "model_refusal_fallback"}
_COMMAND = "local_command"
_SYNTHETIC = "<synthetic>"
_INTERRUPTED = "[Request interrupted by user"
_BOUNDARIES = {"compact_boundary", "microcompact_boundary"}


def is_shown(message: Message, *, is_full: bool) -> bool:
    """Say whether people see a message: all of them, but of the program's only summaries, errors and outputs."""
    if is_full or message.role != "system":
        return True
    return message.model == _SYNTHETIC or any(_is_telling(part) for part in message.parts)


def _is_telling(part: Part) -> bool:
    if part.kind == "summary" or is_boundary(part) or (part.text or "").startswith(_INTERRUPTED):
        return True
    if part.data.get("type") in _ERRORS:
        return True
    return (part.data.get("type") == _COMMAND or is_output(part)) and not is_empty_output(part)


def is_boundary(part: Part) -> bool:
    """Say whether a part marks the place where what came before was summarised."""
    return part.kind == "other" and part.data.get("type") in _BOUNDARIES


def boundary_text(part: Part) -> str:
    """Return `compacted here: 150,000 tokens before (auto)`."""
    before, trigger = part.data.get("tokens_before"), part.data.get("trigger")
    size = f": {before:,} tokens before" if isinstance(before, int) else ""
    return f"compacted here{size}" + (f" ({trigger})" if isinstance(trigger, str) else "")


def is_output(part: Part) -> bool:
    """Say whether a part is what a slash command or a `!` command printed."""
    return part.kind in ("text", "other") and bool(_OUTPUT.match(part.text or ""))


def is_empty_output(part: Part) -> bool:
    """Say whether such a part has nothing to show."""
    return _OUTPUT_TAGS.sub("", part.text or "").strip() in ("", "(no content)")


def words_of(part: Part) -> str:
    """Return the text of a part as people would repeat it: commands as typed, outputs without their tags."""
    said = part.data.get("spoken")
    text = said if isinstance(said, str) and said else part.text or ""
    return _OUTPUT_TAGS.sub("", text).strip("\n") if is_output(part) else text


def notice_of(part: Part) -> str | None:
    """Return what a notice of the program says: an error of the API, the output of a command."""
    if part.data.get("type") not in _ERRORS | {_COMMAND}:
        return None
    text = words_of(part)
    if text.strip() or part.data.get("type") == _COMMAND:
        return text
    error = part.data["raw"].get("error") if isinstance(part.data.get("raw"), dict) else None
    return f"{part.data['type']}: {_innermost(error)}"


def _innermost(error: Any) -> str:
    """Return the message that an error wraps, however deep."""
    for _ in range(8):
        if isinstance(error, dict):
            error = error.get("message") or error.get("error") or error.get("status") or ""
    return str(error or "")[:500]


def speaker(message: Message) -> str:
    """Return who said a message: You, Claude, Caller (of an agent), System."""
    if message.role == "user":
        return "You" if message.depth == 0 and message.agent is None else "Caller"
    return {"assistant": "Claude", "tool": "Tool"}.get(message.role, "System")


def departures(message: Message) -> list[str]:
    """Return in words which branches leave after a message."""
    return [f"fork: branch {mark[len(_FORK) :]} leaves here" for mark in message.marks if mark.startswith(_FORK)]


_FORK = "fork "
_MARKS = {
    "gap": "gap: the record before is missing",
    "cycle": "cycle: the records before refer to each other",
    "compaction": "compacted here",
}


def remarks(message: Message) -> list[str]:
    """Return in words what a reader should see in front of a message."""
    marks = [_MARKS.get(mark, mark) for mark in message.marks if not mark.startswith(_FORK)]
    return marks + [boundary_text(part) for part in message.parts if is_boundary(part)]
