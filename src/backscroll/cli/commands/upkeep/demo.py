"""`backscroll demo`: a made-up home directory, for a first look without reading anything of yours."""

from datetime import UTC, datetime
from pathlib import Path

import click

from backscroll.cli.lazy_views import listing, terminal
from backscroll.cli.options import examples, reading
from backscroll.cli.settings import Settings
from backscroll.demo import write_demo_home
from backscroll.errors import DONE


@examples(
    "backscroll demo /tmp/demo",
    "backscroll --root /tmp/demo list",
)
@click.command("demo")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@reading
@click.pass_obj
def command(settings: Settings, *, directory: Path) -> int:
    """Write a small made-up home directory to try things on."""
    write_demo_home(directory, datetime.now(UTC))
    terminal.print_lines(listing.demo_hint(str(directory)), settings, may_page=False)
    return DONE
