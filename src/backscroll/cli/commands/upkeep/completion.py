"""`backscroll completion`: the script that lets a shell complete commands, options and their values."""

import os
import sys

import click
from click.shell_completion import get_completion_class

from backscroll.cli.options import examples
from backscroll.errors import DONE, QueryError

SHELLS = ("bash", "zsh", "fish")


@examples(
    "backscroll completion bash >> ~/.bashrc",
    "backscroll completion zsh > ~/.zfunc/_backscroll",
    "backscroll completion fish > ~/.config/fish/completions/backscroll.fish",
)
@click.command("completion")
@click.argument("shell", required=False, type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, *, shell: str | None) -> int:
    """Print the completion script for your shell.

    It completes commands, options, and values such as session ids, projects, files and branches. Without a name the
    script is for $SHELL.
    """
    name = shell or os.environ.get("SHELL", "").rpartition("/")[2]
    found = get_completion_class(name) if name in SHELLS else None
    if found is None:
        raise QueryError("unknown shell", remedy=f"Name it: {', '.join(SHELLS)}.")
    script = found(context.find_root().command, {}, "backscroll", "_BACKSCROLL_COMPLETE")
    sys.stdout.write(found.source_template % script.source_vars())
    return DONE
