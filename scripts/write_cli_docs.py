"""Write docs/cli.md from the live table of commands, or with `--check` fail if it is out of date."""

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click

from backscroll.cli.main import cli

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "cli.md"
PYTHON = DOCS / "python.md"
WIDTH = 80
HEAD = """\
# Commands

The help of every command, as the program prints it; `make docs` writes this page.
[json.md](json.md) explains the JSON; [python.md](python.md) has the same verbs in Python.
"""


def commands(context: click.Context) -> Iterator[click.Context]:
    """Yield the context of a command and of all that are below it, hidden ones left out."""
    yield context
    if not isinstance(context.command, click.Group):
        return
    for name in context.command.list_commands(context):
        command = context.command.get_command(context, name)
        if command is not None and not command.hidden:
            yield from commands(click.Context(command, parent=context, info_name=name, terminal_width=WIDTH))


def section(context: click.Context) -> str:
    """Render one command's help as a section of the page."""
    text = click.unstyle(context.command.get_help(context))
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"## {context.command_path}\n\n{see_also(context.command_path)}```text\n{lines}\n```\n"


@cache
def sections_in_python() -> dict[str, str]:
    """Return the anchor of the first section of python.md about each command, by the anchor of the command."""
    sections = re.findall(r"^## (.+)\n\nAs \[`[^]]*\]\(cli\.md#([\w-]+)\)", PYTHON.read_text("utf-8"), re.MULTILINE)
    return {link: title.lower().replace(" ", "-") for title, link in reversed(sections)}


def see_also(path: str) -> str:
    """Return the links to the same command in Python and in JSON, if python.md has a section about it."""
    link = path.replace(" ", "-")
    anchor = sections_in_python().get(link)
    own = link.removeprefix("backscroll-")
    return f"[In Python](python.md#{anchor}) · [its JSON](json.md#{own})\n\n" if anchor else ""


def page() -> str:
    """Return the whole page."""
    root = click.Context(cli, info_name="backscroll", terminal_width=WIDTH, help_option_names=["-h", "--help"])
    return "\n".join([HEAD, *map(section, commands(root))])


def main() -> int:
    """Write the page, or compare it."""
    os.environ["NO_COLOR"] = "1"
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page():
        return 0
    print("docs/cli.md is not what the commands say: run `make docs`.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
