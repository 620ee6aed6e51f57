"""An empty answer: name each option whose value occurs nowhere, with the values that do occur.

`--project`, `--model`, `--branch` and `--tool` take any text, so a slip in them is no wrong use: it finds nothing.
"""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from difflib import get_close_matches

from backscroll.library import Library
from backscroll.query.language import parse_query
from backscroll.safe_text import one_line
from backscroll.views.figures import last_name, short_model

_MOST_SESSIONS = 500
_MOST = 8
"""The number of values in a message."""


def tell_unknown(library: Library, **given: str | None) -> None:
    """Print a message for each option whose value no session has."""
    for name, value in given.items():
        if value is not None:
            _tell(library, name, value, f"--{name} {value}")


def tell_unknown_fields(library: Library, text: str) -> None:
    """Print a message for each field of a query, such as `tool:Bash`, whose value no session has."""
    for name, wishes in parse_query(text, datetime.now(UTC)).wishes.items():
        for wish in wishes if name in _MISSING else ():
            if not wish.is_negated:
                _tell(library, name, wish.value, f"{name}:{wish.value}")


def _tell(library: Library, name: str, value: str, given: str) -> None:
    """Print a message if no session has a value; `given` is the way the user typed it."""
    known = _known(library, name, value)
    if known is not None:
        sys.stderr.write(f"backscroll: {one_line(given)}: {_MISSING[name]}\n{_others(value, known)}")


_MISSING = {
    "project": "no session has a project of this name",
    "model": "no session used a model of this name",
    "branch": "no session was on a git branch of this name",
    "tool": "no tool of this name was called",
}


def _known(library: Library, name: str, value: str) -> list[str] | None:
    """Return all values of an option, the most recent first; None if the given one occurs."""
    if name == "tool":
        tools = [use.name for use in library.tools().tools]
        return None if value.lower() in map(str.lower, tools) else tools
    if library.list_sessions(limit=1, **{name: value}).total:  # type: ignore[arg-type]
        return None
    sessions = library.list_sessions(limit=_MOST_SESSIONS).sessions
    if name == "project":
        return [last_name(one.project) for one in sessions if one.project]
    if name == "model":
        return [short_model(model) for one in sessions for model in one.models]
    return [one.branch for one in sessions if one.branch]


def _others(value: str, known: Sequence[str]) -> str:
    """Return a line with the values that resemble a slip, or else with the most recent ones."""
    names = list(dict.fromkeys(map(one_line, known)))
    if near := get_close_matches(last_name(value), names, _MOST, 0.6):
        return f"  Did you mean: {', '.join(near)}?\n"
    more = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
    return f"  Known: {', '.join(names[:_MOST])}{more}.\n" if names else ""
