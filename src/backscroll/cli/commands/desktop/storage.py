"""`backscroll storage`: the browser storage of Claude Desktop's pages, history and damage included."""

import click

from backscroll.cli.lazy_views import marks as marks_view
from backscroll.cli.lazy_views import storage as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
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
@click.option("--origin", metavar="ORIGIN", help="Only one origin: claude.ai, https://claude.ai, '*.example.com'.")
@click.option("--indexeddb", is_flag=True, help="Show the records of IndexedDB too; with KEY, they are always shown.")
@click.option(
    "--deleted",
    "--history",
    "is_history",
    is_flag=True,
    help="Show deleted and superseded values too, if they are still on the disk.",
)
@click.option("--everything", is_flag=True, help="Show Session Storage and the browser's own records too.")
@click.option(
    "--marks", is_flag=True, help="Show pins, groups, unread marks and settings of Desktop's sidebar instead."
)
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
    """Show the browser storage of Claude Desktop's pages.

    KEY is an exact key, or a pattern with *; with KEY, values are shown in full. Values are from the browser's last
    commit: a running Desktop may have newer ones. It locks nothing and writes nothing.
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
    return NOT_FOUND if is_missing else DONE


def _show_marks(settings: Settings) -> int:
    with opened(settings) as library:
        found = library.marks()
    if settings.json:
        print_document(marks_view.marks_document(found))
    else:
        terminal.print_lines(marks_view.marks_report(found, terminal.make_paper(settings)), settings)
    return DONE
