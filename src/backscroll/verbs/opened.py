"""What every verb stands on: the stores below a root, and their catalogue and words, opened once."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from backscroll import dirs
from backscroll.errors import CorruptError, NotFoundError, RefusedError
from backscroll.index import db, query
from backscroll.index.db import Connection
from backscroll.index.progress import Progress
from backscroll.index.update.update import update as bring_up_to_date
from backscroll.lazy import lazily
from backscroll.stores import Store, find_stores
from backscroll.stores.base import Opener, opener
from backscroll.stores.single import SingleStore

if TYPE_CHECKING:
    from backscroll.desktop import accounts as desktop_accounts
    from backscroll.index.words import store as words_store
    from backscroll.index.words import take_in
    from backscroll.index.words.store import FullText
else:
    desktop_accounts = lazily("backscroll.desktop.accounts")
    words_store = lazily("backscroll.index.words.store")
    take_in = lazily("backscroll.index.words.take_in")

Root = str | os.PathLike[str] | None
OnProgress = Callable[[Progress], None] | None
OwnPrices = Mapping[str, Any] | None
"""A user's own prices, as docs/usage.md describes them."""


class Opened:
    """The catalogue of one root, held open; every verb asks it anew whether anything changed.

    One thread at a time is served; others wait.
    """

    def __init__(
        self,
        root: Root = None,
        *,
        update: bool = True,
        on_progress: OnProgress = None,
        env: Mapping[str, str] = os.environ,
    ) -> None:
        self.root = place_of(root)
        self.on_progress = on_progress
        self._is_updating = update
        self._env = env
        self._lock = RLock()
        self._database: Connection | None = None
        self._text: FullText | None = None
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the catalogue back; afterwards nothing can be asked."""
        with self._lock:
            self._is_closed = True
            self._forget_opened()

    def stores(self) -> list[Store]:
        """Return the stores of this user, or those below the root, as they are now."""
        return find_stores(self.root, self._env, dirs.home(self._env))

    def open_file(self) -> Opener:
        """Return the function that opens the files of all stores."""
        return opener(self.stores())

    @contextmanager
    def catalogue(self) -> Iterator[Connection]:
        """Hold the catalogue, brought up to date."""
        with self._held() as database:
            try:
                if self._is_updating or query.is_empty(database):
                    bring_up_to_date(database, self.stores(), self.on_progress)
            except CorruptError:
                self._made_anew()  # nothing is lost by that
                bring_up_to_date(self._opened(), self.stores(), self.on_progress)
            yield self._opened()

    @contextmanager
    def words(self) -> Iterator[tuple[Connection, "FullText", "take_in.Words"]]:
        """Hold catalogue and words, both brought up to date."""
        with self._held() as database, self._words_held(database) as text:
            words = take_in.Words(database, text, self.on_progress)
            if self._is_updating or query.is_empty(database):
                bring_up_to_date(database, self.stores(), self.on_progress, words)
            yield database, text, words

    @contextmanager
    def rebuilding(self, *, rebuild: bool) -> Iterator[tuple[Connection, "take_in.Words"]]:
        """Hold catalogue and words as they are, or emptied."""
        if rebuild:
            with self._lock:
                self._made_anew()
                place = db.words_beside(self._opened())
                self._text = None
                if place is not None:
                    words_store.remove_fulltext(place)
        with self._held() as database, self._words_held(database) as text:
            yield database, take_in.Words(database, text, self.on_progress, may_wait=True)

    @contextmanager
    def session(self, asked: str) -> Iterator[tuple[Connection, str]]:
        """Hold the catalogue that knows a session, and find its id; a path stands for the transcript it names."""
        if asked.endswith(".jsonl") and os.path.lexists(asked):
            with closing(db.open_in_memory()) as database:
                bring_up_to_date(database, [SingleStore(Path(asked))], self.on_progress)
                yield database, query.resolve(database, "latest")
            return
        with self.catalogue() as database:
            yield database, query.resolve(database, asked)

    @contextmanager
    def perhaps_session(self, asked: str | None) -> Iterator[tuple[Connection, str | None]]:
        """Hold the catalogue, and find the session that is asked for, if one is."""
        if asked is not None:
            with self.session(asked) as found:
                yield found
            return
        with self.catalogue() as database:
            yield database, None

    @contextmanager
    def _held(self) -> Iterator[Connection]:
        """Hold the catalogue as it is; one that turns out to be damaged is deleted, and made anew next time."""
        with self._lock:
            database = self._opened()
            try:
                with db.in_use(database, self._path):
                    yield database
            except CorruptError:
                self._forget_opened()
                raise

    @property
    def _path(self) -> Path:
        return db.path_for(dirs.index(dirs.home(self._env)), self.root)

    def _opened(self) -> Connection:
        if self._is_closed:
            raise RefusedError("this library is closed", remedy="Open another with backscroll.open().")
        if self._database is None:
            self._database = db.open_index(self._path)
        return self._database

    def _made_anew(self) -> Connection:
        self._forget_opened()
        self._database = db.open_index(self._path, rebuild=True)
        return self._database

    def _forget_opened(self) -> None:
        if self._database is not None:
            self._database.close()
        self._database = self._text = None

    @contextmanager
    def _words_held(self, database: Connection) -> Iterator["FullText"]:
        """Hold the words that belong to the catalogue; made anew next time where they turn out to be damaged."""
        if self._text is None:
            self._text = words_store.open_fulltext(db.words_beside(database))
        try:
            with words_store.in_use(self._text):
                yield self._text
        except CorruptError:
            self._text = None
            raise


def place_of(root: Root) -> Path | None:
    """Return the directory that a root names; NotFoundError where there is none."""
    if root is None:
        return None
    place = Path(os.path.abspath(root))  # not resolved: links in it stay as they are
    if not place.is_dir():
        raise NotFoundError(
            "no such directory", str(place), "--root takes a home directory, a backup of one, or a .claude."
        )
    return place


def account_of(database: Connection, asked: str | None) -> str | None:
    """Return the id that is meant where somebody gave an e-mail address."""
    return desktop_accounts.account_id(database, asked) if asked and "@" in asked else asked
