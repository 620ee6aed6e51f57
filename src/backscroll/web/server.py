"""Serve until a signal ends it."""

import os
import socket
from collections.abc import Callable

import uvicorn

from backscroll.library import Library
from backscroll.verbs.base import OwnPrices
from backscroll.web.app import make_app
from backscroll.web.running import RunningServer, forget, remember, run_file
from backscroll.web.secrets_of_run import RunSecret


class _Server(uvicorn.Server):
    """A server that calls back once it answers."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then call back."""
        await super().startup(sockets)
        if self.started:
            self._on_ready()


def serve(library: Library, port: int, prices: OwnPrices, on_ready: Callable[[RunningServer], None]) -> None:
    """Serve a library on 127.0.0.1 until SIGINT or SIGTERM."""
    with socket.create_server(("127.0.0.1", port)) as listening:
        secret = RunSecret()
        server = RunningServer(listening.getsockname()[1], secret.token, os.getpid())
        path = run_file(library.roots)

        def ready() -> None:
            remember(path, server)
            on_ready(server)

        config = uvicorn.Config(
            make_app(library, secret, server.port, prices),
            log_level="critical",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        try:
            _Server(config, ready).run([listening])
        except KeyboardInterrupt:  # uvicorn raises the signal again after its clean end
            pass
        finally:
            forget(path, server)
