"""Follow messages while they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from backscroll.errors import NotFoundError
from backscroll.lazy import lazily
from backscroll.stores.code import CodeStore
from backscroll.verbs.base import LibraryBase

if TYPE_CHECKING:
    import watchfiles

    from backscroll.sessions import message as message_model
    from backscroll.sessions.reading import follow
else:
    message_model = lazily("backscroll.sessions.message")
    watchfiles = lazily("watchfiles")
    follow = lazily("backscroll.sessions.reading.follow")


def _changes(stores: Sequence[CodeStore]) -> Iterator[object]:
    """Yield after every change below the stores, and every second for file systems without notifications."""
    paths = [store.projects for store in stores if store.projects.is_dir()]
    if not paths:
        raise NotFoundError("there is nothing to watch", remedy="Run `backscroll stores` to see where it looked.")
    return watchfiles.watch(
        *paths, watch_filter=None, debounce=100, step=50, rust_timeout=1000, yield_on_timeout=True, raise_interrupt=True
    )


class WatchVerbs(LibraryBase):
    """The verb that follows messages while they are written."""

    def watch(
        self, session: str | None = None, *, wakes: Iterable[object] | None = None
    ) -> Iterator[message_model.Message]:
        """Yield new messages of all sessions, or of one with its agents, until `wakes` ends.

        It looks for changes after each item of `wakes`; by default the file system notifies it.
        """
        name = None
        if session is not None:
            with self.session(session) as (_, name):
                pass
        stores = [store for store in self.stores() if isinstance(store, CodeStore)]
        wanted = None if name is None else (lambda file: file.session == name)
        return follow.follow(stores, wakes or _changes(stores), datetime.now(UTC), wanted)
