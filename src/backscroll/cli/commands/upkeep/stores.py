"""`backscroll stores`: the stores and their paths, and everything unreadable in them."""

import click

from backscroll.cli.lazy_views import desktop, desktop_json, json, listing, terminal
from backscroll.cli.library import opened
from backscroll.cli.options import examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DONE


@examples(
    "backscroll stores",
    "backscroll stores --logs",
    "backscroll --root /mnt/backup/home/me stores --json",
)
@click.command("stores")
@click.option("--logs", is_flag=True, help="Show the paths of the logs of Desktop and Cowork instead.")
@click.option("--mcp", is_flag=True, help="Show the MCP servers in Desktop's settings instead.")
@reading
@click.pass_obj
def command(settings: Settings, *, logs: bool, mcp: bool) -> int:
    """Show the stores that were found, and their paths.

    It also lists the places where it found none. A store is a place on disk where one of Claude's products keeps
    sessions.
    """
    if logs:
        return _print_logs(settings)
    if mcp:
        return _print_servers(settings)
    with opened(settings) as library:
        stores, places = library.list_stores(), library.looked_at()
    if settings.json:
        print_document(json.stores_document(stores, places))
    else:
        terminal.print_lines(listing.store_list(stores, terminal.make_paper(settings), places), settings)
    settings.is_damage_near, settings.is_damage_beside = True, False  # it lists the damage beside transcripts
    return DONE


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
