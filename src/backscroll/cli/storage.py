"""`backscroll storage`: what Claude Desktop's pages keep in its browser, history and damage included."""

import click

from backscroll.cli.later import marks as marks_view
from backscroll.cli.later import storage as view
from backscroll.cli.later import terminal
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document, report_damage
from backscroll.errors import DONE, NOT_FOUND


@examples(
    "backscroll storage",
    "backscroll storage dframe-store",
    "backscroll storage 'epitaxy*' --deleted --json",
    "backscroll storage --indexeddb --origin claude.ai",
    "backscroll storage --marks",
)
@click.command("storage")
@click.argument("key", required=False, metavar="[KEY]")
@click.option("--origin", metavar="ORIGIN", help="Only of one origin: claude.ai, https://claude.ai, '*.example.com'.")
@click.option("--indexeddb", is_flag=True, help="Show the records of IndexedDB too; with KEY they always are.")
@click.option(
    "--deleted",
    "--history",
    "is_history",
    is_flag=True,
    help="Show deleted and superseded values too, as long as they lie on the disk.",
)
@click.option("--everything", is_flag=True, help="Show Session Storage, and what the browser keeps for itself, too.")
@click.option("--marks", is_flag=True, help="Instead: pins, groups, unread marks and settings of Desktop's sidebar.")
@click.option("--secrets", is_flag=True, help="Show tokens and passwords as they are.")
@reading
@click.pass_obj
def command(  # noqa: PLR0913  (one for each option)
    settings: Settings,
    *,
    key: str | None,
    origin: str | None,
    indexeddb: bool,
    is_history: bool,
    everything: bool,
    marks: bool,
    secrets: bool,
) -> int:
    """Show what Claude Desktop's pages keep in its browser storage.

    KEY is a key as it is, or a pattern with *; its values are shown whole. Values are as of the browser's last commit:
    a running Desktop may know newer ones. Nothing is locked, and nothing is written.
    """
    if marks:
        return _show_marks(settings)
    with opened(settings) as library:
        found = library.storage(
            key,
            origin=origin,
            indexeddb=indexeddb,
            deleted=is_history,
            everything=everything,
            secrets=secrets,
        )
    if settings.json:
        print_document(view.storage_document(found))
    else:
        paper = terminal.make_paper(settings, is_full=key is not None)
        terminal.print_lines(view.storage_report(found, paper), settings)
    is_missing = key is not None and not found.records
    return NOT_FOUND if is_missing else report_damage(len(found.damage), settings) or DONE


def _show_marks(settings: Settings) -> int:
    with opened(settings) as library:
        found = library.marks()
    if settings.json:
        print_document(marks_view.marks_document(found))
    else:
        terminal.print_lines(marks_view.marks_report(found, terminal.make_paper(settings)), settings)
    return report_damage(sum(len(one.damage) for one in found), settings)
