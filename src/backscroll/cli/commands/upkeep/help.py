"""`backscroll help`: the same as --help."""

import sys

import click

from backscroll.cli.options import examples
from backscroll.errors import DONE


@examples("backscroll help", "backscroll help search")
@click.command("help")
@click.argument("name", metavar="[COMMAND]", required=False)
@click.pass_context
def command(context: click.Context, *, name: str | None) -> int:
    """Show the help of a command, or of all."""
    top = context.find_root()
    if name is None:
        sys.stdout.write(top.get_help() + "\n")
        return DONE
    assert isinstance(top.command, click.Group)  # noqa: S101  (the root has commands)
    _, found, _ = top.command.resolve_command(top, [name])
    assert found is not None  # noqa: S101  (an unknown name was refused above)
    with found.make_context(name, ["--help"], parent=top, resilient_parsing=True) as inner:
        sys.stdout.write(found.get_help(inner) + "\n")
    return DONE
