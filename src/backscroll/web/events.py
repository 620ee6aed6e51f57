"""New messages and sessions as server-sent events; without a listener nothing runs."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from threading import Event, Thread
from time import monotonic
from typing import Any

import watchfiles

from backscroll.errors import NotFoundError
from backscroll.library import Library
from backscroll.stores.code import CodeStore
from backscroll.views.json import sessions as json

HEARTBEAT = 15.0
SPARED = 50.0
"""Without news, a look at all files follows after so many times the time that the last one took."""


def spared(wakes: Iterable[object], clock: Callable[[], float] = monotonic) -> Iterator[object]:
    """Yield wakes; of those without a change, which are for file systems that do not notify, only some.

    The taker looks at all files after each, and that takes long in a large home.
    """
    looked = cost = 0.0
    for changes in wakes:
        begun = clock()
        if changes or begun - looked >= SPARED * cost:
            yield changes
            looked = clock()
            cost = looked - begun


class Feed:
    """The messages of one listener, read in a thread of its own until the listener leaves."""

    def __init__(self, library: Library, session: str | None) -> None:
        paths = [one.projects for one in library.stores() if isinstance(one, CodeStore) and one.projects.is_dir()]
        if not paths:
            raise NotFoundError("there is nothing to watch", remedy="`backscroll stores` shows where it looked.")
        self._stop = Event()
        wakes = watchfiles.watch(
            *paths, watch_filter=None, debounce=100, step=50, rust_timeout=1000, yield_on_timeout=True,
            stop_event=self._stop, raise_interrupt=False,
        )  # fmt: skip
        self._messages = library.watch(session, wakes=self._announced(wakes))
        self._queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_ready = asyncio.Event()

    async def events(self) -> AsyncIterator[str]:
        """Yield each message, then that the list changed; a comment now and then keeps the connection open.

        The first comment comes when every later message will be sent: a page that reads then misses nothing.
        """
        loop = self._loop = asyncio.get_running_loop()
        Thread(target=self._read, args=(loop,), daemon=True).start()
        try:
            await self._is_ready.wait()
            yield ": open\n\n"
            while True:
                try:
                    found = await asyncio.wait_for(self._queue.get(), HEARTBEAT)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                yield f"event: message\ndata: {json.dumps(found)}\n\n"
                if self._queue.empty():
                    yield "event: sessions\ndata: {}\n\n"
        finally:
            self._stop.set()

    def _announced(self, wakes: Iterable[object]) -> Iterator[object]:
        """Yield the wakes; take the first one after the place in every file is known."""
        self._set_ready()
        yield from spared(wakes)

    def _set_ready(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._is_ready.set)

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            for message in self._messages:
                if self._stop.is_set() or loop.is_closed():
                    return
                loop.call_soon_threadsafe(self._queue.put_nowait, json.object_of(message))
        finally:
            self._set_ready()
