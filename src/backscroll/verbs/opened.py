"""What every verb begins with: the stores below a root, and the index of them, brought up to date."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backscroll import dirs
from backscroll.errors import CorruptError, NotFoundError
from backscroll.index import db, query
from backscroll.index.db import Connection, in_use, open_in_memory, path_for
from backscroll.index.progress import Progress
from backscroll.index.update import update as bring_up_to_date
from backscroll.lazy import lazily
from backscroll.stores import Store, find_stores
from backscroll.stores.single import SingleStore

if TYPE_CHECKING:
    from backscroll.desktop import accounts as desktop_accounts
else:
    desktop_accounts = lazily("backscroll.desktop.accounts")

Root = str | os.PathLike[str] | None
OnProgress = Callable[[Progress], None] | None
OwnPrices = Mapping[str, Any] | None
"""A user's own prices, as docs/usage.md describes them."""


@contextmanager
def open_index(root: Root, *, update: bool, on_progress: OnProgress) -> Iterator[Connection]:
    """Open the index of what lies below a root, brought up to date."""
    with ExitStack() as opened:
        database, found = opened.enter_context(open_database(root))
        try:
            if update or query.is_empty(database):
                bring_up_to_date(database, found, on_progress)
        except CorruptError:
            opened.close()  # nothing is lost by making the index anew
            database, found = opened.enter_context(open_database(root, rebuild=True))
            bring_up_to_date(database, found, on_progress)
        yield database


@contextmanager
def open_session(asked: str, root: Root, *, update: bool, on_progress: OnProgress) -> Iterator[tuple[Connection, str]]:
    """Open the index that knows a session, and find its id; a path stands for the transcript it names."""
    if asked.endswith(".jsonl") and os.path.lexists(asked):
        with closing(open_in_memory()) as database:
            bring_up_to_date(database, [SingleStore(Path(asked))], on_progress)
            yield database, query.resolve(database, "latest")
        return
    with open_index(root, update=update, on_progress=on_progress) as database:
        yield database, query.resolve(database, asked)


@contextmanager
def perhaps_session(
    asked: str | None, root: Root, *, update: bool, on_progress: OnProgress
) -> Iterator[tuple[Connection, str | None]]:
    """Open the index, and find the session that is asked for, if one is."""
    if asked is not None:
        with open_session(asked, root, update=update, on_progress=on_progress) as found:
            yield found
        return
    with open_index(root, update=update, on_progress=on_progress) as database:
        yield database, None


@contextmanager
def open_database(
    root: Root, env: Mapping[str, str] = os.environ, *, rebuild: bool = False
) -> Iterator[tuple[Connection, list[Store]]]:
    """Open the index as it is, and find the stores that it is of."""
    path = path_for(dirs.index(dirs.home(env)), place_of(root))
    stores = stores_of(root, env)
    database = db.open_index(path, rebuild=rebuild)
    with in_use(database, path):
        yield database, stores


def stores_of(root: Root, env: Mapping[str, str] = os.environ) -> list[Store]:
    """Return the stores of this user, or those below a root."""
    return find_stores(place_of(root), env, dirs.home(env))


def place_of(root: Root) -> Path | None:
    """Return the directory that a root names; NotFoundError where there is none."""
    if root is None:
        return None
    place = Path(os.path.abspath(root))  # noqa: PTH100 - not resolved: links in it stay as they are
    if not place.is_dir():
        raise NotFoundError(
            "no such directory", str(place), "--root takes a home directory, a backup of one, or a .claude."
        )
    return place


def account_of(database: Connection, asked: str | None) -> str | None:
    """Return the id that is meant where somebody gave an e-mail address."""
    return desktop_accounts.account_id(database, asked) if asked and "@" in asked else asked
