"""`backscroll flags`: the feature flags that Claude Code last received, of one home or compared with another."""

import click

from backscroll.cli.lazy_views import flags as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples(
    "backscroll flags",
    "backscroll flags --prefix tengu_session",
    "backscroll flags --diff /mnt/backup/home/me",
)
@click.command("flags")
@click.option("--prefix", metavar="TEXT", default="", help="Only flags whose names begin with TEXT, such as tengu_.")
@click.option("--diff", "other", metavar="DIR", help="Show the differences to the home directory DIR.")
@reading
@click.pass_obj
def command(settings: Settings, *, prefix: str, other: str | None) -> int:
    """Show the feature flags that Claude Code last received.

    Anthropic switches features on and off for single users; Claude Code keeps the last answer. Nothing else of its
    settings is read.
    """
    if other is None:
        with opened(settings) as library:
            report = library.flags(prefix=prefix)
        document = view.flags_document(report)
        lines = view.flag_list(report, terminal.make_paper(settings))
    else:
        with opened(settings) as library:
            difference = library.compare_flags(other, prefix=prefix)
        document = view.diff_document(difference)
        lines = view.flag_changes(difference.changes, terminal.make_paper(settings))
    if settings.json:
        print_document(document)
    else:
        terminal.print_lines(lines, settings)
    return DONE
