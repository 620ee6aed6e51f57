"""Separate the plausible token counts of a record from the implausible ones.

A count is plausible if it is a whole number from 0 to `LARGEST_COUNT`.  Any other count is unknown, never 0.
"""

from typing import Any

LARGEST_COUNT = 10**9
"""No message has more tokens.  The limit also keeps every sum within the integers of the index."""
DOUBT = "token count ignored: "
"""The beginning of every note that names such counts."""
_LONGEST_INTEGER = 4300
"""Python reads no integer of more digits."""

_COUNTS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_NESTED = {
    "cache_creation": ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"),
    "server_tool_use": ("web_search_requests", "web_fetch_requests"),
}


def believed(value: object) -> int | None:
    """Return a count, or None if it is implausible."""
    return value if type(value) is int and 0 <= value <= LARGEST_COUNT else None


def doubt(value: Any) -> str | None:
    """Return a note that names the implausible counts of a record, or None if all are plausible.

    The decoder of heads refuses such counts, so only a record that is no head has any.
    """
    message = value.get("message") if isinstance(value, dict) and value.get("type") == "assistant" else None
    stored = message.get("usage") if isinstance(message, dict) else None
    if stored is None:
        return None
    return _named(stored) if isinstance(stored, dict) else f"{DOUBT}usage is not an object"


def _named(usage: dict[str, Any]) -> str | None:
    reasons = [f"{name} {reason}" for name in _COUNTS if (reason := _reason(usage.get(name)))]
    for outer, names in _NESTED.items():
        inner = usage.get(outer)
        if isinstance(inner, dict):
            reasons += [f"{outer}.{name} {reason}" for name in names if (reason := _reason(inner.get(name)))]
    return DOUBT + ", ".join(reasons) if reasons else None


def _reason(count: Any) -> str | None:
    """Return the reason why a count is implausible, or None if it is plausible."""
    if count is None:
        return None
    if isinstance(count, str) and len(count) > _LONGEST_INTEGER and count.isdecimal():  # decoded as text
        return f"is over {LARGEST_COUNT:,}"
    if isinstance(count, bool) or not isinstance(count, int):
        return f"is {_KINDS.get(type(count), 'no number')}"
    if count < 0:
        return "is negative"
    return f"is over {LARGEST_COUNT:,}" if count > LARGEST_COUNT else None


_KINDS = {float: "a fraction", str: "text", bool: "true or false", list: "a list", dict: "an object"}
