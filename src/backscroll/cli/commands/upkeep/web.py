"""`backscroll web`: the local web page."""

import os
import signal
import sys
from importlib import import_module
from typing import Any
from urllib.parse import quote

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import json
from backscroll.cli.options import examples, reading
from backscroll.cli.prices import own_prices
from backscroll.cli.settings import Settings
from backscroll.cli.startup import stay
from backscroll.errors import DONE, RefusedError
from backscroll.library import open_library


@examples(
    "backscroll web",
    "backscroll web latest",
    "backscroll web --port 8000 --no-open",
)
@click.command("web")
@click.argument("session", metavar="[ID]", required=False, shell_complete=complete_session)
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), default=0, help="Listen on this port; 0 means any free port."
)
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@reading
@click.pass_obj
def command(settings: Settings, *, session: str | None, port: int, no_open: bool) -> int:
    """Show everything on a local web page.

    Only this machine can reach the page, and the printed link signs in one browser. The page never changes a file.
    End it with Ctrl-C. A second `web` prints a new link to the running one.
    """
    stay()
    running = import_module("backscroll.web.running")
    with open_library(settings.root, update=settings.update) as library:
        page = "/" if session is None else f"/sessions/{quote(library.resume(session).id, safe='')}"
        found = running.find(running.run_file(library.roots))
        if found is not None:
            _tell(settings, found, page, is_opening=not no_open)
            return DONE
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        serve = import_module("backscroll.web.server").serve
        try:
            serve(library, port, own_prices(), lambda server: _tell(settings, server, page, is_opening=not no_open))
        except OSError as error:
            raise RefusedError(
                f"cannot listen: {error.strerror}", f"127.0.0.1:{port}", "Use another --port."
            ) from error
    return DONE


def _tell(settings: Settings, server: Any, page: str, *, is_opening: bool) -> None:
    """Print the link, and open it in the browser if there is one here."""
    url = server.url(page)
    if settings.json:
        facts = {"url": url, "port": server.port, "token": server.token, "pid": server.pid}
        sys.stdout.write(json.dumps(facts) + "\n")
    else:
        sys.stdout.write(f"{url}\n")
        if os.environ.get("SSH_CONNECTION"):
            forward = f"ssh -L {server.port}:127.0.0.1:{server.port} HOST"
            sys.stdout.write(
                f"  Run this on the machine with your browser: {forward}\n  Then open the link. Ctrl-C ends it.\n"
            )
    sys.stdout.flush()
    if is_opening and not os.environ.get("SSH_CONNECTION"):
        import webbrowser  # noqa: PLC0415  (only here)

        webbrowser.open(url)
