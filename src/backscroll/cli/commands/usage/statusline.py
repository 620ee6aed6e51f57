"""`backscroll statusline`: one line for Claude Code's status line."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from backscroll import dirs
from backscroll.cli.lazy_views import figures
from backscroll.cli.options import examples, reading
from backscroll.cli.prices import own_prices
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, BackscrollError
from backscroll.index import db
from backscroll.safe_text import one_line
from backscroll.stats.prices import load_prices
from backscroll.stats.status import Status, context_tokens, read_status
from backscroll.times import iso

_BETWEEN = " · "
_LARGEST = 1 << 20
_BEYOND = 10**12
"""No cost, share or size of a context is as large as this."""


@examples(
    "echo '{}' | backscroll statusline",
    'in settings.json:  "statusLine": {"type": "command", "command": "backscroll statusline"}',
)
@click.command("statusline")
@reading
@click.pass_obj
def command(settings: Settings) -> int:
    """Print one line for Claude Code's status line.

    It shows the cost of this session, of today and of the 5-hour block, and how full the context is. It reads the JSON
    of Claude Code from standard input. It does not update the index.
    """
    told = _read_input()
    now = datetime.now().astimezone()
    figures_of = Status()
    with suppress(BackscrollError):
        path = db.path_for(dirs.index(dirs.home(os.environ)), *map(Path, settings.root or ()))
        figures_of = read_status(path, _text(told, "session_id"), load_prices(own_prices()), now)
    line = one_line(_BETWEEN.join(_parts(told, figures_of, now)) or "backscroll: no figures yet")
    sys.stdout.write((_document(line, figures_of) if settings.json else line) + "\n")
    return DONE


def _document(line: str, found: Status) -> str:
    """Return the line and the figures from the index as JSON."""
    end = None if found.block_end is None else iso(found.block_end)
    figures_of = {"session": found.session, "today": found.today, "block": found.block, "block_end": end}
    return json.dumps({"line": line} | figures_of)


def _read_input() -> dict[str, Any]:
    """Return the JSON that Claude Code wrote to standard input; an empty object if there is none."""
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    try:
        value = json.loads(sys.stdin.buffer.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _parts(told: dict[str, Any], found: Status, now: datetime) -> Iterator[str]:
    if model := _text(told, "model", "display_name") or figures.short_model(_text(told, "model", "id")):
        yield model
    cost = _number(told, "cost", "total_cost_usd")
    if (cost := found.session if cost is None else cost) is not None:
        yield f"{figures.dollars(cost)} session"
    if found.today is not None:
        yield f"{figures.dollars(found.today)} today"
    if found.block is not None and found.block_end is not None:
        yield f"{figures.dollars(found.block)} block, {figures.duration(found.block_end - now)} left"
    if context := _context(told):
        yield context


def _context(told: dict[str, Any]) -> str | None:
    """Return the size of the context: from Claude Code's input, else from the last answer in the transcript."""
    size = _number(told, "context_window", "context_window_size")
    share = _number(told, "context_window", "used_percentage")
    if share is not None:
        return f"{share:.0f}% context"
    path = _text(told, "transcript_path")
    tokens = context_tokens(path) if path else None
    if tokens is None:
        return None
    return f"{tokens / size:.0%} context" if size else f"{figures.short(tokens)} context"


def _value(told: Any, *names: str) -> Any:
    for name in names:
        told = told.get(name) if isinstance(told, dict) else None
    return told


def _text(told: dict[str, Any], *names: str) -> str | None:
    value = _value(told, *names)
    return value.encode(errors="replace").decode() if isinstance(value, str) else None  # SQLite refuses half characters


def _number(told: dict[str, Any], *names: str) -> float | None:
    value = _value(told, *names)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < _BEYOND else None
