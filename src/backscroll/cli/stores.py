"""`backscroll stores`: what was found and where, and everything in it that could not be read."""

import click

from backscroll.cli.later import desktop, desktop_json, json, listing, terminal
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document, report_damage
from backscroll.errors import DONE


@examples(
    "backscroll stores",
    "backscroll stores --logs",
    "backscroll --root /mnt/backup/home/me stores --json",
)
@click.command("stores")
@click.option("--logs", is_flag=True, help="Instead: where the logs of Desktop and Cowork lie.")
@click.option("--mcp", is_flag=True, help="Instead: the MCP servers that Desktop's settings declare.")
@reading
@click.pass_obj
def command(settings: Settings, *, logs: bool, mcp: bool) -> int:
    """Show which stores were found, and where.

    A store is a place on disk where one of Claude's products keeps sessions.
    """
    if logs:
        return _print_logs(settings)
    if mcp:
        return _print_servers(settings)
    with opened(settings) as library:
        stores = library.list_stores()
    if settings.json:
        print_document(json.stores_document(stores))
    else:
        terminal.print_lines(listing.store_list(stores, terminal.make_paper(settings)), settings)
    return report_damage(sum(len(store.damage) for store in stores), settings)


def _print_logs(settings: Settings) -> int:
    with opened(settings) as library:
        paths = library.log_files()
    if settings.json:
        print_document(desktop_json.log_files_document(paths))
    else:
        terminal.print_lines(desktop.log_file_list(paths, terminal.make_paper(settings)), settings)
    return DONE


def _print_servers(settings: Settings) -> int:
    with opened(settings) as library:
        servers = library.mcp_servers()
    if settings.json:
        print_document(desktop_json.servers_document(servers))
    else:
        terminal.print_lines(desktop.server_list(servers, terminal.make_paper(settings)), settings)
    return DONE
