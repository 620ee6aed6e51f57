"""`backscroll archive`: the group of the archive's commands; without one of them, its status."""

import click

from backscroll.cli.commands.keep import (
    import_backup,
    install,
    list_kept,
    mirror,
    prune,
    repair,
    restore,
    status,
    sync,
    verify,
)
from backscroll.cli.options import examples, reading


@examples(
    "backscroll archive",
    "backscroll archive sync",
    "backscroll archive install --apply",
    "backscroll archive restore 3f0c2a51 --apply",
    "backscroll archive verify --read-data",
)
@click.group("archive", invoke_without_command=True)
@reading
@click.pass_context
def command(context: click.Context) -> int | None:
    """Keep a verified copy of everything, and read it after the original is deleted.

    The copy is in backscroll's own directory. Without a command, it shows the status.
    """
    return None if context.invoked_subcommand is not None else int(context.invoke(status.command))


for _command in (
    import_backup.command,
    install.install,
    list_kept.command,
    mirror.command,
    prune.command,
    repair.command,
    restore.command,
    status.command,
    sync.command,
    install.uninstall,
    verify.command,
):
    command.add_command(_command)
