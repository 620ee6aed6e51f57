"""`backscroll help`: the same as --help."""

import sys

import click

from backscroll.cli.options import examples
from backscroll.errors import DONE, QueryError


@examples("backscroll help", "backscroll help search", "backscroll help archive sync")
@click.command("help")
@click.argument("names", metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def command(context: click.Context, *, names: tuple[str, ...]) -> int:
    """Show the help of a command, or of all."""
    asked = context.find_root()
    for name in names:
        if not isinstance(asked.command, click.Group):
            raise QueryError(f"{asked.command_path} has no commands", name, f"Run `{asked.command_path} --help`.")
        _, found, _ = asked.command.resolve_command(asked, [name])
        assert found is not None  # noqa: S101  (an unknown name was refused above)
        asked = click.Context(found, parent=asked, info_name=name)
    sys.stdout.write(asked.get_help() + "\n")
    return DONE
