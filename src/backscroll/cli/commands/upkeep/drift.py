"""`backscroll drift`: the record types and fields in Claude's files, compared with the known schema."""

import click

from backscroll.cli.lazy_views import drift as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples(
    "backscroll drift",
    "backscroll drift assistant",
    "backscroll drift --json",
    "backscroll drift --schema > records.schema.json",
)
@click.command("drift")
@click.argument("kind", required=False, metavar="[TYPE]")
@click.option("--schema", "is_schema", is_flag=True, help="Print a JSON Schema inferred from your own files.")
@reading
@click.pass_obj
def command(settings: Settings, *, kind: str | None, is_schema: bool) -> int:
    """Show the record types and fields on the disk, unknown ones first.

    The formats change without notice. Unknown types and fields are new to backscroll; it still reads and shows them.
    TYPE shows the fields of one type. The report has names, types and numbers only, never the text of a record.
    """
    if is_schema:
        with opened(settings) as library:
            schema = library.drift_json_schema()
        print_document(view.schema_document(schema))
        return DONE
    with opened(settings) as library:
        found = library.drift()
    if settings.json:
        print_document(view.drift_document(found, kind))
    else:
        terminal.print_lines(view.drift_report(found, kind, terminal.make_paper(settings)), settings)
    return DONE
