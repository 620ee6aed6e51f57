"""Messages as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from backscroll.errors import NotFoundError
from backscroll.lazy import lazily
from backscroll.sessions.model import Message
from backscroll.stores import CodeStore
from backscroll.verbs.opened import Opened

if TYPE_CHECKING:
    import watchfiles

    from backscroll.sessions import follow
else:
    watchfiles = lazily("watchfiles")
    follow = lazily("backscroll.sessions.follow")


def _changes(stores: Sequence[CodeStore]) -> Iterator[object]:
    """Yield whenever something changes below stores, and every second, for a file system that tells nothing."""
    paths = [store.projects for store in stores if store.projects.is_dir()]
    if not paths:
        raise NotFoundError("there is nothing to watch", remedy="backscroll stores shows where was looked.")
    return watchfiles.watch(
        *paths, watch_filter=None, debounce=100, step=50, rust_timeout=1000, yield_on_timeout=True, raise_interrupt=True
    )


class WatchVerbs(Opened):
    """Follows messages as they are written."""

    def watch(self, session: str | None = None, *, wakes: Iterable[object] | None = None) -> Iterator[Message]:
        """Yield messages as they are written: of all sessions, or of one with its agents; it ends when `wakes` do.

        Each of `wakes` is a reason to look; without them the file system tells when something changes.
        """
        name = None
        if session is not None:
            with self.session(session) as (_, name):
                pass
        stores = [store for store in self.stores() if isinstance(store, CodeStore)]
        wanted = None if name is None else (lambda file: file.session == name)
        return follow.follow(stores, wakes or _changes(stores), datetime.now(UTC), wanted)
