"""`backscroll transfer unpack`: sessions of a bundle, on this machine."""

from typing import TYPE_CHECKING

import click

from backscroll.cli.commands.move.pack import PASSPHRASE
from backscroll.cli.commands.move.planning import APPLY, FORCE, show_plan
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.settings import Settings

if TYPE_CHECKING:
    from backscroll.records import Json


@examples(
    "backscroll transfer unpack shop.tar.zst                                   the plan",
    "backscroll transfer unpack shop.tar.zst --map /Users/ann=/home/ann --apply  act",
)
@click.command("unpack")
@click.argument("bundle", metavar="FILE", type=click.Path())
@click.option("--map", "maps", metavar="OLD=NEW", multiple=True, help="Map the directory OLD to NEW; repeatable.")
@click.option("--to", metavar="ACCOUNT[/ORG]", help="The target account; default: the account that is signed in.")
@PASSPHRASE
@FORCE
@APPLY
@reading
@click.pass_obj
def command(  # noqa: PLR0913 - one argument per option of the command
    settings: Settings,
    *,
    bundle: str,
    maps: tuple[str, ...],
    to: str | None,
    passphrase_file: str | None,
    force: bool,
    is_apply: bool,
) -> int:
    """Unpack a bundle: its sessions become resumable here.

    It first reads the whole bundle: if a name, size or checksum is wrong, it writes nothing. It maps paths in keys
    and rows; it rewrites no record and overwrites nothing.
    """
    with opened(settings) as library:
        done = library.transfer_unpack(
            bundle, maps=maps, to=to, passphrase_file=passphrase_file, force=force, apply=is_apply
        )
    commands: list[Json] = [{"session": name, "command": line} for name, line in done.commands.items()]
    return show_plan(done.changes, settings, *done.commands.values(), manifest=done.manifest, sessions=commands)
