"""`backscroll transfer pack`: sessions in one file, for another machine."""

import sys

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import plans as view
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE

PASSPHRASE = click.option(
    "--passphrase-file",
    metavar="FILE",
    type=click.Path(),
    help="Encrypt or decrypt the bundle with age; the passphrase is the first line of FILE.",
)


@examples(
    "backscroll transfer pack 6b1e7c44 -o parser.tar.zst",
    "backscroll transfer pack --project ~/shop -o shop.tar.zst --redact",
)
@click.command("pack")
@click.argument("sessions", metavar="[ID]...", nargs=-1, shell_complete=complete_session)
@click.option("--project", metavar="TEXT", help="Pack the sessions of a project, and its memory.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(), required=True, help="The new file.")
@click.option("--redact", is_flag=True, help="Pack everything without secrets, names and homes.")
@PASSPHRASE
@reading
@click.pass_obj
def command(  # noqa: PLR0913 - one argument per option of the command
    settings: Settings,
    *,
    sessions: tuple[str, ...],
    project: str | None,
    output: str,
    redact: bool,
    passphrase_file: str | None,
) -> int:
    """Write sessions and all their files into one bundle: a tar archive compressed with Zstandard.

    Its first member is a manifest with the size and the checksum of every file. It never overwrites a file.
    """
    with opened(settings) as library:
        done = library.transfer_pack(
            sessions, output=output, project=project, redact=redact, passphrase_file=passphrase_file
        )
    if settings.json:
        print_document(view.packed_document(done))
    else:
        sys.stdout.writelines(view.packed_lines(done))
    return DONE
