"""Screens of every command: the demo home, a terminal of fixed width, a clock that stands still.

`python tests/screens.py` writes tests/fixtures/screens anew; review the difference by eye before you commit it.
A further command is one more line in `SCREENS`.
"""

import contextlib
import io
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Self
from unittest.mock import patch

from backscroll.cli.main import run
from backscroll.demo import write_demo_home
from backscroll.demo.rows import NOON

FIXTURES = Path(__file__).parent / "fixtures" / "screens"
WIDTHS = (40, 80, 120, 200)
LONGEST = 48
"""Lines of a screen that a fixture keeps."""
CLOCKS = (
    "cli.commands.usage.usage",
    "cli.options",
    "cli.terminal",
    "verbs.base",
    "verbs.health",
    "verbs.search",
    "verbs.sessions",
    "verbs.usage",
)
"""Modules that ask for the time."""
SCREENS = {
    "overview": "",
    "stores": "stores",
    "list": "list",
    "list-agents": "list --agents --limit 6",
    "show": "show 3f0c2a51",
    "show-prompts": "show 3f0c2a51 --prompts",
    "outline": "outline 3f0c2a51",
    "tree": "tree 3f0c2a51",
    "search": "search amounts",
    "resume": "resume 3f0c2a51 --print",
    "calls": "calls 71c5d0e8",
    "files": "files",
    "recover": "recover amounts.py",
    "blame": "blame amounts.py",
    "usage": "usage",
    "usage-month": "usage --by month",
    "usage-model": "usage --by model",
    "usage-project": "usage --by project",
    "usage-session": "usage --by session",
    "timeline": "usage --session 3f0c2a51 --timeline",
    "audit": "usage --audit",
    "tools": "tools",
    "worktrees": "worktrees",
    "flags": "flags",
    "storage": "storage",
    "accounts": "accounts",
    "cowork": "cowork",
    "cowork-session": "cowork 4c1f0a2b",
    "drift": "drift",
    "storage-marks": "storage --marks",
    "stores-mcp": "stores --mcp",
    "doctor": "doctor",
    "archive-status": "archive",
    "archive-list": "archive list",
    "transfer-copy": "transfer copy --project storefront --to 7e6d5c4b",
    "transfer-row": "transfer row c94e1f3a",
    "transfer-pins": "transfer pins 0b7c1d2e --to 7e6d5c4b",
    "transfer-project": "transfer project /home/ann/code/ledger /home/ann/code/books",
    "transfer-log": "transfer log",
    "transfer-resume": "transfer resume 3f0c2a51 --cwd /",
    "redact": "redact 3f0c2a51",
    "redact-rules": "redact --rules",
}


class StoppedClock(datetime):
    """A clock that always shows the moment for which the demo home is made."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """Return that moment."""
        return cls.fromtimestamp(NOON.timestamp(), tz)


class Terminal(io.TextIOWrapper):
    """Standard output that claims to be a terminal and keeps its text."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")

    def isatty(self) -> bool:
        """Return True: the program must take it for a terminal."""
        return True

    def text(self) -> str:
        """Return the text."""
        self.flush()
        self.seek(0)
        return self.read()


@contextlib.contextmanager
def demo_terminal() -> Iterator[Path]:
    """Make the demo home the user's own, at a fixed time."""
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        home = write_demo_home(Path(directory, "home"))
        variables = {"HOME": str(home), "BACKSCROLL_HOME": str(Path(directory, "ours")), "TZ": "UTC", "LINES": "50"}
        stack.enter_context(
            patch.dict(os.environ, variables | {"NO_COLOR": "1", "PATH": os.environ["PATH"]}, clear=True)
        )
        stack.callback(time.tzset)
        time.tzset()
        for module in CLOCKS:
            stack.enter_context(patch(f"backscroll.{module}.datetime", StoppedClock))
        yield home


def screen(command: str, width: int) -> str:
    """Return the output of a command on a terminal of so many columns, without colours."""
    return at_terminal(*command.split(), width=width)


def at_terminal(*arguments: str | Path, width: int = 80, code: int = 0) -> str:
    """Run a command on a terminal of so many columns, without colours, and return its output and its messages."""
    terminal, messages = Terminal(), io.StringIO()
    with (
        patch.dict(os.environ, {"COLUMNS": str(width), "NO_COLOR": "1"}),
        contextlib.redirect_stdout(terminal),
        contextlib.redirect_stderr(messages),
    ):
        found = run([*map(str, arguments), "--no-pager"])

    assert code == found, f"backscroll {arguments} ended with {found}: {messages.getvalue()}"
    return terminal.text() + messages.getvalue()


def page(command: str) -> str:
    """Return the screens of one command at all widths, as a fixture holds them."""
    parts = [f"$ backscroll {command}".rstrip() + "\n"]
    for width in WIDTHS:
        lines = [line.rstrip() for line in screen(command, width).splitlines()]
        more = [f"(and {len(lines) - LONGEST} lines more)"] if len(lines) > LONGEST else []
        parts += [f"\n======== {width} columns\n", *(f"{line}\n" for line in [*lines[:LONGEST], *more])]
    return "".join(parts)


def main() -> int:
    """Write every fixture."""
    FIXTURES.mkdir(parents=True, exist_ok=True)
    with demo_terminal():
        for name, command in SCREENS.items():
            (FIXTURES / f"{name}.txt").write_text(page(command), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
