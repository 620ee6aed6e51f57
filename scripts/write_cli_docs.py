"""Write docs/cli.md from the live table of commands, or with `--check` say whether it is up to date."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from backscroll.cli.main import cli

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"
WIDTH = 80
HEAD = """\
# Commands

The help of every command, as the program prints it; `make docs` writes this page.
What the JSON means is in [json.md](json.md), the same verbs in Python are in [python.md](python.md).
"""
SEE_ALSO = {
    "overview": "overview",
    "stores": "stores",
    "list": "sessions",
    "show": "messages",
    "tree": "the-shape-of-a-session",
    "search": "search",
    "watch": "sessions-as-they-are-written",
    "calls": "calls",
    "files": "files",
    "recover": "versions-of-a-file",
    "usage": "usage",
    "tools": "tools",
    "worktrees": "worktrees",
    "flags": "feature-flags",
    "storage": "browser-storage",
    "accounts": "accounts",
    "cowork": "cowork",
    "drift": "drift",
    "index": "the-index",
    "outline": "outline",
}
"""Each command's section in python.md; that in json.md has the command's own name."""


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
    return f"## {context.command_path}\n\n{see_also(str(context.info_name))}```text\n{lines}\n```\n"


def see_also(name: str) -> str:
    """Return the links to the same command in Python and in JSON, where there is one."""
    if name not in SEE_ALSO:
        return ""
    return f"[In Python](python.md#{SEE_ALSO[name]}) · [its JSON](json.md#{name})\n\n"


def page() -> str:
    """Return the whole page."""
    root = click.Context(cli, info_name="backscroll", terminal_width=WIDTH)
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
