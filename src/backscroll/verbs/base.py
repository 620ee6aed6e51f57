"""The base of all verbs: the stores below a root, with their catalogue and full-text index, opened once."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, tzinfo
from math import inf
from pathlib import Path
from threading import RLock
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self
from weakref import finalize

from backscroll import dirs
from backscroll.errors import CorruptError, NotFoundError, RefusedError, UnreadableError
from backscroll.files import DENIED
from backscroll.index import db
from backscroll.index.db import Connection
from backscroll.index.progress import Progress
from backscroll.index.queries import damage
from backscroll.index.queries import sessions as query
from backscroll.index.update.update import update as bring_up_to_date
from backscroll.lazy import lazily
from backscroll.records import Damage
from backscroll.stores.base import Opener, Store, opener
from backscroll.stores.find import find_stores
from backscroll.times import parse_when

if TYPE_CHECKING:
    from backscroll.desktop import accounts as desktop_accounts
    from backscroll.index.words import store as words_store
    from backscroll.index.words import update as word_update
    from backscroll.redact import KnownIdentities
    from backscroll.redaction import identities, user_rules, values
    from backscroll.stores import archived, single
else:
    archived = lazily("backscroll.stores.archived")
    single = lazily("backscroll.stores.single")
    identities = lazily("backscroll.redaction.identities")
    user_rules = lazily("backscroll.redaction.user_rules")
    values = lazily("backscroll.redaction.values")
    desktop_accounts = lazily("backscroll.desktop.accounts")
    words_store = lazily("backscroll.index.words.store")
    word_update = lazily("backscroll.index.words.update")

Directory = str | os.PathLike[str]
Root = Directory | Sequence[Directory] | None
"""A home directory, several of them that are read as one, or None for this user's own."""
OnProgress = Callable[[Progress], None] | None
When = datetime | str | None
"""A moment, or a text as in `--since`: 2026-05-01, yesterday, 12h, 3d, 2w; days are in this machine's time zone."""
OwnPrices = Mapping[str, object] | None
"""A user's own prices, as docs/usage.md describes them."""


class LibraryBase:
    """The open catalogue of one root; every verb checks again for changed files.

    It serves one thread at a time; others wait.
    """

    def __init__(
        self,
        root: Root = None,
        *,
        update: bool = True,
        on_progress: OnProgress = None,
        env: Mapping[str, str] = os.environ,
    ) -> None:
        self.roots = places_of(root)
        self.root = self.roots[0] if self.roots else None
        self.on_progress = on_progress
        self._is_updating = update
        self._env = env
        self._lock = RLock()
        self._database: Connection | None = None
        self._closing: finalize[..., LibraryBase] | None = None
        """Closes the catalogue: at the latest when nothing refers to this library any more, or the program ends."""
        self._text: words_store.FullText | None = None
        self._looked = -inf
        """When all words were last brought up to date, on the monotonic clock."""
        self._is_closed = False
        self._identities: KnownIdentities | None = None
        self._damage_in: dict[str | None, int] = {}
        """Session to the number of its damaged places; None means all transcripts."""
        self._damage: set[Damage] = set()
        """Damage outside transcripts."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the catalogue; later calls raise RefusedError."""
        with self._lock:
            self._is_closed = True
            self._forget_opened()

    @property
    def program(self) -> str:
        """The program name for hints, with the roots of this library."""
        return dirs.program_with(self.roots)

    def stores(self) -> list[Store]:
        """Return the current stores of this user, or those below the roots."""
        own = dirs.home(self._env)
        found = [store for root in self.roots or [None] for store in find_stores(root, self._env, own)]
        part = self.archive_part()
        kept: list[Store] = [archived.ArchiveStore(part)] if os.path.isdir(part) else []
        return [*{(store.kind, store.path): store for store in found}.values(), *kept]

    def archive_part(self) -> Path:
        """Return the directory of the archive that belongs to the roots."""
        return db.path_for(dirs.archive(dirs.home(self._env)), *self.roots).with_suffix("")

    def keeps_something(self) -> bool:
        """Return True if the archive of the roots was ever filled."""
        return os.path.exists(self.archive_part() / "catalogue.db")

    def unreadable(self) -> list[str]:
        """Return the paths that cannot be read, as of the last update."""
        met = sorted(item.place.path for item in self._damage if item.reason == DENIED)
        with self._lock:
            if self._database is None:
                return met
            with self._held() as database:
                return list(dict.fromkeys([*query.unreadable_paths(database), *met]))

    def damaged_places(self) -> int:
        """Return the number of damaged places in all answers of this library.

        A verb that asks for one session counts the damage of that session.  Every other verb counts the damage of all
        stores, because the project and the time of an unreadable record are unknown.
        """
        in_transcripts = self._damage_in.get(None, sum(self._damage_in.values()))
        return in_transcripts + len(self._damage)

    def damaged_sessions(self) -> list[str]:
        """Return the damaged sessions among the answers of this library."""
        single = [name for name, places in self._damage_in.items() if name is not None and places]
        if not self._damage_in.get(None):
            return single
        with self._held() as database:
            return damage.sessions_with_damage(database)

    @property
    def has_damage_beside(self) -> bool:
        """Return True if a file that is no transcript is damaged."""
        return bool(self._damage)

    @property
    def is_about_everything(self) -> bool:
        """Return True if a verb read more than one session, so that damage may be far from its answer."""
        return None in self._damage_in

    def note_damage(self, met: Iterable[Damage]) -> None:
        """Remember damage that a verb met outside the index."""
        self._damage.update(met)

    def open_file(self) -> Opener:
        """Return the function that opens the files of all stores."""
        return opener(self.stores())

    def redactor(self, also: Iterable[str] = ()) -> "values.ValueRedactor":
        """Return a redactor that knows the identities of the roots; it serves one answer, with its own pseudonyms.

        `also` names fields that otherwise never go out, such as `systemPrompt`.
        """
        with self._lock:
            if self._identities is None:
                with self.catalogue(is_of_session=True) as database:
                    self._identities = identities.known_identities(database, self.roots, self._env)
            return values.ValueRedactor(self._identities, user_rules.load_user_rules(dirs.home(self._env)), also)

    @contextmanager
    def catalogue(self, *, is_of_session: bool = False) -> Iterator[Connection]:
        """Hold the up-to-date catalogue."""
        with self._held() as database:
            if self._is_updating or query.is_empty(database):
                self._update(database)
            if not is_of_session:
                self.note_all_damage(self._opened())
            yield self._opened()

    @contextmanager
    def as_it_is(self) -> Iterator[None]:
        """Answer from the catalogue as it is; files are not looked at for changes until the block ends."""
        was_updating, self._is_updating = self._is_updating, False
        try:
            yield
        finally:
            self._is_updating = was_updating

    def _update(self, database: Connection) -> None:
        """Update the catalogue; rebuild it if it is damaged, continue in memory if the disk is full."""
        try:
            bring_up_to_date(database, self.stores(), self.on_progress)
        except CorruptError:
            other = self._rebuild()  # a rebuild loses nothing
        except db.OperationError as error:
            if db.is_locked(error):
                self._stay_behind(database, error)
                return
            if not db.is_full(error):
                raise
            other = self._go_on_in_memory(error)
        else:
            return
        bring_up_to_date(other, self.stores(), self.on_progress)

    def _stay_behind(self, database: Connection, error: Exception) -> None:
        """Warn that the answer may be old because another process holds the lock; raise if there is no answer."""
        database.rollback()
        if query.is_empty(database):
            raise error
        db.warn_of_lock()

    def _go_on_in_memory(self, error: Exception) -> Connection:
        """Open an index in memory, because the disk is full."""
        self._forget_opened()
        return self._hold(db.open_instead(self._path, error))

    @contextmanager
    def words(self, recent: float = 0.0) -> Iterator[tuple[Connection, "words_store.FullText", bool]]:
        """Hold the catalogue and full-text index; False means that another process keeps them from being up to date.

        Files are not looked at again if that was done less than `recent` seconds ago.
        """
        with self._lock:
            try:
                is_current = self._update_words(recent)
            except (RefusedError, db.OperationError, OSError, ValueError) as error:
                if self._is_closed or not db.is_full(error):
                    raise
                self._go_on_in_memory(error)
                is_current = self._update_words()
            with self._held() as database, self._words_held(database) as text:
                self.note_all_damage(database)
                yield database, text, is_current

    def _update_words(self, recent: float = 0.0) -> bool:
        """Update the catalogue and the full-text index; return False if another process prevents that."""
        is_due = self._is_updating and monotonic() - self._looked >= recent
        with self._held() as database, self._words_held(database) as text:
            words = None
            try:
                words = word_update.Words(database, text, self.on_progress)
                if is_due or words.is_restarted or query.is_empty(database):
                    bring_up_to_date(database, self.stores(), self.on_progress, words)
                    self._looked = monotonic()
            except db.OperationError as error:
                if words is None or not db.is_locked(error):
                    raise
                self._stay_behind(database, error)
                return False
            return words.is_current

    @contextmanager
    def rebuilding(self, *, rebuild: bool) -> Iterator[tuple[Connection, "word_update.Words"]]:
        """Hold the catalogue and the full-text index as they are, or emptied."""
        if rebuild:
            with self._lock:
                self._rebuild()
                place = db.words_beside(self._opened())
                self._text = None
                if place is not None:
                    words_store.remove_fulltext(place)
        with self._held() as database, self._words_held(database) as text:
            yield database, word_update.Words(database, text, self.on_progress, may_wait=True)

    @contextmanager
    def session(self, asked: str) -> Iterator[tuple[Connection, str]]:
        """Hold the catalogue that has a session, and find its id; a path means the session of that transcript."""
        if asked.endswith(".jsonl") and os.path.lexists(asked):
            with closing(db.open_in_memory()) as database:
                bring_up_to_date(database, [single.SingleStore(Path(asked))], self.on_progress)
                yield database, self._noted(database, query.resolve(database, "latest"))
            return
        with self.catalogue(is_of_session=True) as database:
            yield database, self._noted(database, query.resolve(database, asked))

    @contextmanager
    def optional_session(self, asked: str | None) -> Iterator[tuple[Connection, str | None]]:
        """Hold the catalogue, and find the session if the caller named one."""
        if asked is not None:
            with self.session(asked) as found:
                yield found
            return
        with self.catalogue() as database:
            yield database, None

    @contextmanager
    def _held(self) -> Iterator[Connection]:
        """Hold the catalogue as it is; delete it if it is damaged, so that the next command rebuilds it."""
        with self._lock:
            database = self._opened()
            try:
                with db.in_use(database, self._path):
                    yield database
            except CorruptError:
                self._forget_opened()
                raise

    def _noted(self, database: Connection, name: str) -> str:
        """Remember the damage of a session, and return its id."""
        self._damage_in[name] = damage.places_in_session(database, name)
        return name

    def note_all_damage(self, database: Connection) -> None:
        """Remember the damage of all stores."""
        self._damage_in[None] = damage.places_in_transcripts(database)
        self._damage |= damage.places_beside_transcripts(database)

    @property
    def _path(self) -> Path:
        return db.path_for(dirs.index(dirs.home(self._env)), *self.roots)

    def _opened(self) -> Connection:
        if self._is_closed:
            raise RefusedError("this library is closed", remedy="Open another with backscroll.open().")
        if self._database is None:
            return self._hold(db.open_index(self._path))
        return self._database

    def _rebuild(self) -> Connection:
        self._forget_opened()
        return self._hold(db.open_index(self._path, rebuild=True))

    def _hold(self, database: Connection) -> Connection:
        self._database = database
        self._closing = finalize(self, db.close_index, database, self._path)
        return database

    def _forget_opened(self) -> None:
        if self._closing is not None:
            self._closing()
        self._database = self._closing = self._text = None

    @contextmanager
    def _words_held(self, database: Connection) -> Iterator["words_store.FullText"]:
        """Hold the full-text index of the catalogue; if it is damaged, the next command rebuilds it."""
        if self._text is None:
            self._text = words_store.open_fulltext(db.words_beside(database))
        try:
            with words_store.in_use(self._text):
                yield self._text
        except CorruptError:
            self._text = None
            raise


def places_of(root: Root) -> tuple[Path, ...]:
    """Return the directories of roots, each once; raise NotFoundError if one does not exist."""
    if root is None:
        return ()
    named = [root] if isinstance(root, str | os.PathLike) else root
    places = [Path(os.path.abspath(name)) for name in named]  # not resolved: links in it stay as they are
    for place in places:
        if not _is_directory(place):
            remedy = "--root takes a home directory, a backup of one, or a .claude."
            raise NotFoundError("no such directory", str(place), remedy)
    return tuple(dict.fromkeys(places))


def _is_directory(place: Path) -> bool:
    """Return True if a directory exists; raise UnreadableError if we may not look."""
    try:
        return place.is_dir()
    except PermissionError as error:
        remedy = "Run backscroll as the owner of this directory, or ask the owner for permission to read it."
        raise UnreadableError(f"cannot read {place}: {DENIED}", remedy=remedy) from error


def moment_of(when: When, zone: tzinfo | None = None) -> datetime | None:
    """Return the moment of an argument; raise QueryError for anything but a datetime or a text as in `--since`."""
    if when is None or isinstance(when, datetime):
        return when
    return parse_when(str(when), datetime.now().astimezone(zone))


def account_of(database: Connection, asked: str | None) -> str | None:
    """Return the account that a user means by its id, the start of it or its e-mail address; NotFoundError if none."""
    return desktop_accounts.account_id(database, asked) if asked else asked
