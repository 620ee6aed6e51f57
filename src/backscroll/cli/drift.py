"""`backscroll drift`: what Claude's files are made of, against what is known of them."""

import click

from backscroll.cli.later import drift as view
from backscroll.cli.later import terminal
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document, report_damage
from backscroll.errors import DONE


@examples(
    "backscroll drift",
    "backscroll drift assistant",
    "backscroll drift --json",
    "backscroll drift --schema > records.schema.json",
)
@click.command("drift")
@click.argument("kind", required=False, metavar="[TYPE]")
@click.option("--schema", "is_schema", is_flag=True, help="Answer with a JSON Schema inferred from your own files.")
@reading
@click.pass_obj
def command(settings: Settings, *, kind: str | None, is_schema: bool) -> int:
    """Show which types of records and fields are on the disk, unknown ones first.

    The formats change without notice: what is listed as unknown is new, or was never seen by us. It is still read and
    shown. TYPE shows the fields of one type. Only names, types and numbers are shown, never what a record says.
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
    return report_damage(len(found.damage), settings)
