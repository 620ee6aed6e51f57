"""`backscroll flags`: the feature flags that Claude Code last heard of, of one home or compared with another."""

import click

from backscroll.cli.later import flags as view
from backscroll.cli.later import terminal
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document, report_damage


@examples(
    "backscroll flags",
    "backscroll flags --prefix tengu_session",
    "backscroll flags --diff /mnt/backup/home/me",
)
@click.command("flags")
@click.option("--prefix", metavar="TEXT", default="", help="Only flags whose names begin with TEXT, such as tengu_.")
@click.option("--diff", "other", metavar="DIR", help="Show what differs in the home directory DIR.")
@reading
@click.pass_obj
def command(settings: Settings, *, prefix: str, other: str | None) -> int:
    """Show the feature flags that Claude Code last heard of.

    Anthropic switches features on and off for single users; Claude Code keeps the last answer. Nothing else of its
    settings is read.
    """
    if other is None:
        with opened(settings) as library:
            report = library.flags(prefix=prefix)
        damage, document = report.damage, view.flags_document(report)
        lines = view.flag_list(report.flags, terminal.make_paper(settings))
    else:
        with opened(settings) as library:
            difference = library.compare_flags(other, prefix=prefix)
        damage, document = difference.damage, view.diff_document(difference)
        lines = view.flag_changes(difference.changes, terminal.make_paper(settings))
    if settings.json:
        print_document(document)
    else:
        terminal.print_lines(lines, settings)
    return report_damage(len(damage), settings)
