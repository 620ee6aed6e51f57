"""Draw the pictures of the terminal in the documents, or with `--check` fail if they are out of date.

The real commands run on the demo home, on a terminal of fixed width, with the clock stopped.  The result is the
pictures in docs/pictures and, in README.md, the output below each `$ backscroll …` of a console block.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Self
from unittest.mock import patch

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from backscroll.cli.main import run
from backscroll.demo import write_demo_home
from backscroll.demo.rows import NOON

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PICTURES = {"overview.svg": "", "show.svg": "show 3f0c2a51"}
WIDTH = 100
LONGEST = 46
"""Lines of a picture: longer output is cut, as on a screen."""

THEME = TerminalTheme(
    (24, 26, 31),
    (204, 209, 217),
    [
        (24, 26, 31),
        (232, 104, 113),
        (142, 192, 124),
        (222, 184, 105),
        (97, 160, 228),
        (196, 135, 224),
        (86, 190, 190),
        (204, 209, 217),
    ],
    [
        (110, 117, 130),
        (242, 132, 140),
        (168, 212, 150),
        (236, 205, 140),
        (135, 187, 244),
        (214, 165, 238),
        (120, 212, 212),
        (240, 242, 246),
    ],
)

# As rich's own, but without the web font and the link: a picture calls nobody.
FRAME = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
  font-variant-east-asian: full-width;
}}
.{unique_id}-title {{ font-size: 18px; font-family: ui-sans-serif, system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


class StoppedClock(datetime):
    """A clock that always shows the moment for which the demo home is made."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """Return that moment."""
        return cls.fromtimestamp(NOON.timestamp(), tz)


class Terminal(io.TextIOWrapper):
    """Standard output that claims to be a terminal and remembers its text."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")

    def isatty(self) -> bool:
        """Return True."""
        return True

    def text(self) -> str:
        """Return the text."""
        self.flush()
        self.seek(0)
        return self.read()


@contextlib.contextmanager
def demo() -> Iterator[None]:
    """Make the demo home the user's own, on a terminal of fixed width, at a fixed time."""
    with tempfile.TemporaryDirectory() as directory:
        home = write_demo_home(Path(directory, "home"))
        variables = {"HOME": str(home), "BACKSCROLL_HOME": str(Path(directory, "ours")), "TZ": "UTC"}
        variables |= {"COLUMNS": str(WIDTH), "LINES": "50", "TERM": "xterm-256color", "PATH": os.environ["PATH"]}
        clocks = [patch(f"backscroll.{module}.datetime", StoppedClock) for module in ("verbs.sessions", "cli.terminal")]
        with patch.dict(os.environ, variables, clear=True), clocks[0], clocks[1]:
            time.tzset()
            yield


def screen(command: str) -> str:
    """Return the output of a command on the terminal, colours included."""
    terminal, messages = Terminal(), io.StringIO()
    with contextlib.redirect_stdout(terminal), contextlib.redirect_stderr(messages):
        code = run([*command.split(), "--no-pager"])
    if code:
        raise SystemExit(f"backscroll {command} ended with {code}: {messages.getvalue()}")
    return terminal.text() + messages.getvalue()


def picture(command: str) -> str:
    """Return a command and its output as an SVG."""
    prompt = f"\x1b[2m$\x1b[0m \x1b[1mbackscroll {command}".rstrip() + "\x1b[0m"
    lines = [prompt, "", *screen(command).splitlines()]
    console = Console(width=WIDTH + 2, record=True, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for line in [*lines[:LONGEST], ""]:
        console.print(Text.from_ansi(f" {line}"), no_wrap=True, crop=True)
    drawn = console.export_svg(title="backscroll", theme=THEME, code_format=FRAME, unique_id="picture")
    return "\n".join(line.rstrip() for line in drawn.splitlines() if line.strip()) + "\n"


def readme() -> str:
    """Return README.md with the output of every command that it shows."""
    text = README.read_text(encoding="utf-8")
    return re.sub(r"(?<=```console\n).*?(?=```)", lambda block: _console(block[0]), text, flags=re.DOTALL)


def _console(block: str) -> str:
    commands = re.findall(r"^\$ backscroll ?(.*)$", block, re.MULTILINE)
    return "".join(f"$ backscroll {command}\n{_plain(screen(command))}" for command in commands)


def _plain(text: str) -> str:
    return "".join(line.rstrip() + "\n" for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines())


def main() -> int:
    """Write everything, or compare it."""
    with demo():
        made = {ROOT / "docs" / "pictures" / name: picture(command) for name, command in PICTURES.items()}
        made |= {README: readme()}
    stale = [path for path, text in made.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if sys.argv[1:] != ["--check"]:
        for path in stale:
            path.write_text(made[path], encoding="utf-8")
        return 0
    for path in stale:
        print(f"{path.relative_to(ROOT)} is stale: run scripts/draw_pictures.py.", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
