"""The fields of a query that accept only some values, as options and as `role:user`."""

from backscroll.errors import QueryError
from backscroll.stores.kinds import STORES

CLOSED = {
    "role": ("user", "assistant", "tool", "system"),
    "kind": (
        *("text", "prompt", "answer", "thinking", "call", "result", "summary", "title", "tag"),
        *("plan", "todo", "memory", "schedule", "row", "other"),
    ),
    "store": STORES,
    "is": ("error", "agent"),
    "has": ("code",),
}
"""The fields that accept only some values; any other value is an error, not an empty answer."""


def refuse_unknown(name: str, value: str) -> None:
    """Raise QueryError if a field does not accept a value."""
    if name in CLOSED and value.lower() not in CLOSED[name]:
        raise QueryError(f"unknown value of {name}: {value[:80]}", remedy=f"Use one of: {', '.join(CLOSED[name])}.")
