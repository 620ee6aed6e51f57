"""The full-text index: what was said, word by word, beside the catalogue.

A directory of ours (0700) that holds the index proper, made by tantivy, and a ledger in SQLite of what is in it.
It keeps words and places, no texts.  Everything in it may be deleted at any time; another version, or damage, means
a new one.  Without a directory both live in memory.

The order of commits makes a kill harmless: the ledger first says that a unit is being written (no fingerprint), then
the index is committed, then the ledger says what was written.  A unit without fingerprint is deleted from the index
by its number and written anew.
"""

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import tantivy

from backscroll.errors import BackscrollError, BusyError, CorruptError, RefusedError
from backscroll.files import make_private_directory
from backscroll.index.db import ANEW_REMEDY, NO_ROOM_REMEDY
from backscroll.index.schema import glance_beside
from backscroll.lazy import lazily
from backscroll.text.fields import ANALYSER, SCHEMA
from backscroll.text.words import analyser

if TYPE_CHECKING:
    import shutil

    from backscroll.index import memory
else:
    shutil = lazily("shutil")
    memory = lazily("backscroll.index.memory")

VERSION = 6
PATIENCE = 0.05
TRIES = 6
HEAP = 48 << 20
SMALL_HEAP = 24 << 20
SMALL_PART, MERGED_PARTS = 10_000, 8
"""From so many parts on tantivy merges those that have fewer documents than this."""
MANY_PROCESSORS = 4
"""From so many processors on two threads take words in; on fewer, one makes larger parts that are merged less often."""

_PRAGMAS = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA temp_store = MEMORY")

LEDGER = f"""
CREATE TABLE unit (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  key BLOB NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  session TEXT,
  agent TEXT,
  paths TEXT NOT NULL,
  is_folded INTEGER NOT NULL,
  ends TEXT,
  fingerprint BLOB
);
CREATE TABLE passage (
  unit INTEGER NOT NULL,
  key INTEGER NOT NULL,
  place INTEGER,
  PRIMARY KEY (unit, key)
) WITHOUT ROWID;
CREATE TABLE owner (key INTEGER PRIMARY KEY, unit INTEGER NOT NULL);
CREATE TABLE prompt (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  said INTEGER NOT NULL,
  session TEXT,
  unit INTEGER NOT NULL,
  time INTEGER
);
CREATE TABLE typed (
  unit INTEGER NOT NULL,
  place INTEGER NOT NULL,
  line INTEGER,
  length INTEGER NOT NULL,
  said INTEGER NOT NULL,
  session TEXT,
  project TEXT,
  time INTEGER,
  is_slight INTEGER NOT NULL,
  PRIMARY KEY (unit, place)
) WITHOUT ROWID;
CREATE INDEX prompt_said ON prompt (said);
CREATE INDEX typed_said ON typed (said);
CREATE INDEX prompt_unit ON prompt (unit);
CREATE INDEX passage_key ON passage (key);
CREATE INDEX owner_unit ON owner (unit);
CREATE INDEX unit_session ON unit (session);
{glance_beside("unit")}"""


class FullText:
    """An open full-text index."""

    def __init__(self, directory: Path | None) -> None:
        self.directory = directory
        if directory is None:
            self.index, self.ledger = tantivy.Index(SCHEMA), _ledger(":memory:")
        else:
            self.index, self.ledger = _opened(directory)
        self.index.register_tokenizer(ANALYSER, analyser())
        self._seen: tuple[int, ...] | None = None

    def close(self) -> None:
        """Give the ledger back."""
        self.ledger.close()

    def searcher(self) -> tantivy.Searcher:
        """Return a view of what is committed at this moment."""
        state = self._committed()
        if state is None or state != self._seen:  # to look costs a hundredth of opening it anew
            self.index.reload()
            self._seen = state
        return self.index.searcher()

    def _committed(self) -> tuple[int, ...] | None:
        """Return what changes with every commit: tantivy then puts another file in the place of its list."""
        if self.directory is None:
            return None
        found = (_words_in(self.directory) / "meta.json").stat()
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    @contextmanager
    def writer(self, *, is_bulk: bool, may_wait: bool = False) -> Iterator[tantivy.IndexWriter]:
        """Open the index for writing, as nobody else may meanwhile: BusyError where somebody does, or wait for him."""
        before = os.umask(0o077)
        if is_bulk:
            memory.give_back_early()
        try:
            threads = 2 if is_bulk and (os.cpu_count() or 1) >= MANY_PROCESSORS else 1
            writer = self._locked(HEAP if is_bulk else SMALL_HEAP, threads, may_wait=may_wait)
            writer.garbage_collect_files()  # what a kill has left behind would stand in the way of its own name
            with memory.given_back(self.directory) if self.directory else nullcontext():
                yield writer
                writer.wait_merging_threads()
                if self._has_many_parts():
                    self._merge()
        except ValueError as error:  # all that tantivy ever raises
            raise RefusedError(f"the words cannot be written: {error}", str(self.directory), NO_ROOM_REMEDY) from error
        finally:
            os.umask(before)

    def _has_many_parts(self) -> bool:
        """Say whether parts were left that tantivy would merge: it drops a merge in which something is deleted."""
        if self.directory is None:
            return False
        segments = json.loads((_words_in(self.directory) / "meta.json").read_bytes())["segments"]
        small = [segment for segment in segments if segment["max_doc"] < SMALL_PART]
        return len(small) >= MERGED_PARTS

    def _merge(self) -> None:
        """Have parts merged, by a commit that changes nothing."""
        with suppress(BusyError):  # whoever writes now will do it
            writer = self._locked(SMALL_HEAP, 1, may_wait=False)
            writer.commit()
            writer.wait_merging_threads()

    def _locked(self, heap: int, threads: int, *, may_wait: bool) -> tantivy.IndexWriter:
        while True:
            try:
                return self.index.writer(heap, threads)
            except ValueError as error:
                if "LockBusy" not in str(error):
                    raise
                if not may_wait:
                    raise BusyError("another backscroll is taking in words", str(self.directory)) from error
            time.sleep(PATIENCE)


def open_fulltext(directory: Path | None) -> FullText:
    """Open the index in a directory, making it where there is none, or none that can be used."""
    if directory is None:
        return FullText(None)
    for number in range(TRIES):
        try:
            return FullText(directory)
        except BaseException as error:
            if not isinstance(error, (ValueError, OSError, sqlite3.DatabaseError)) and not _is_panic(error):
                raise
            if number == TRIES - 2:
                remove_fulltext(directory)
            else:
                time.sleep(PATIENCE)  # another process may be making it at this moment
    return FullText(None)  # it cannot be written here


@contextmanager
def in_use(text: FullText) -> Iterator[None]:
    """Delete a full-text index that turned out to be damaged, so that it is made anew next time."""
    try:
        yield
    except BaseException as error:
        if text.directory is None or not _is_damaged(text, error):
            raise
        text.close()
        remove_fulltext(text.directory)
        raise CorruptError("the index of words was damaged and is deleted", str(text.directory), ANEW_REMEDY) from error


def _is_damaged(text: FullText, error: BaseException) -> bool:
    """Say whether an error comes from a damaged file: tantivy panics, or what was written is not there any more."""
    if _is_panic(error):
        return True
    if not isinstance(error, Exception):
        return False
    is_ours = isinstance(error, BackscrollError) and not isinstance(error, RefusedError)
    return not is_ours and not _is_sound(text)


def _is_panic(error: BaseException) -> bool:
    return type(error).__name__ == "PanicException"


def _is_sound(text: FullText) -> bool:
    """Say whether the ledger can be read, and every file of the index is what tantivy wrote."""
    try:
        text.ledger.rollback()
        checked = text.ledger.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
        return checked and all(map(_is_as_written, _files_of(text)))
    except (sqlite3.Error, OSError, ValueError, KeyError, TypeError):
        return False


def _files_of(text: FullText) -> list[Path]:
    """Return the files of what is committed."""
    directory = _words_in(text.directory or Path())
    segments = json.loads((directory / "meta.json").read_bytes())["segments"]
    names = {segment["segment_id"].replace("-", "") for segment in segments}
    return [path for path in directory.iterdir() if path.name.partition(".")[0] in names]


def _is_as_written(path: Path) -> bool:
    """Compare a file of tantivy's with the sum in its last lines."""
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    footer = json.loads(data[-8 - length : -8])
    return bool(zlib.crc32(data[: -8 - length]) == footer["crc"])


def remove_fulltext(directory: Path) -> None:
    """Delete a full-text index; nothing is lost by that."""
    with suppress(OSError):
        shutil.rmtree(directory)


def _opened(directory: Path) -> tuple[tantivy.Index, sqlite3.Connection]:
    words = _words_in(directory)
    if not words.exists():
        _remove_other_versions(directory)
    make_private_directory(words)
    before = os.umask(0o077)
    try:
        ledger = _ledger(str(words / "ledger.db"))
        index = tantivy.Index(SCHEMA, str(words))
    finally:
        os.umask(before)
    return index, ledger


def _remove_other_versions(directory: Path) -> None:
    for other in directory.glob("words-*"):
        remove_fulltext(other)


def _words_in(directory: Path) -> Path:
    return directory / f"words-{VERSION}"


def _ledger(path: str) -> sqlite3.Connection:
    ledger = sqlite3.connect(path, timeout=30, isolation_level=None)
    for pragma in _PRAGMAS:
        ledger.execute(pragma)
    if not ledger.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        ledger.execute("BEGIN IMMEDIATE")
        if not ledger.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            for statement in LEDGER.split(";\n"):
                ledger.execute(statement)
        ledger.execute("COMMIT")
    return ledger
