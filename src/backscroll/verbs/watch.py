"""Messages as they are written."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

import watchfiles

from backscroll.errors import NotFoundError
from backscroll.sessions import follow
from backscroll.sessions.model import Message
from backscroll.stores import CodeStore
from backscroll.verbs.opened import OnProgress, Root, open_session, stores_of


def watch(
    session: str | None = None,
    root: Root = None,
    *,
    wakes: Iterable[object] | None = None,
    on_progress: OnProgress = None,
) -> Iterator[Message]:
    """Yield messages as they are written: of all sessions, or of one with its agents; it ends when `wakes` do.

    Each of `wakes` is a reason to look; without them the file system tells when something changes.
    """
    name = None
    if session is not None:
        with open_session(session, root, update=True, on_progress=on_progress) as (_, name):
            pass
    stores = [store for store in stores_of(root) if isinstance(store, CodeStore)]
    wanted = None if name is None else (lambda file: file.session == name)
    return follow.follow(stores, wakes or _changes(stores), datetime.now(UTC), wanted)


def _changes(stores: Sequence[CodeStore]) -> Iterator[object]:
    """Yield whenever something changes below stores, and every second, for a file system that tells nothing."""
    paths = [store.projects for store in stores if store.projects.is_dir()]
    if not paths:
        raise NotFoundError("there is nothing to watch", remedy="backscroll stores shows where was looked.")
    return watchfiles.watch(
        *paths, watch_filter=None, debounce=100, step=50, rust_timeout=1000, yield_on_timeout=True, raise_interrupt=True
    )
