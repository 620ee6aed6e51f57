"""The full-text index beside the catalogue, made by tantivy.

It is a directory of ours (0700) with words and places, no texts.  The user may delete it at any time; another
version, or damage, means a new one.  Without a directory it lives in memory.

The catalogue records its contents.  The order of commits makes a kill harmless: first the catalogue records the
passages that we write, then tantivy commits, then the catalogue records how far each file is indexed.
Without that last record, the next update deletes the file's documents and adds them again.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import tantivy

from backscroll.errors import BackscrollError, BusyError, CorruptError, RefusedError
from backscroll.files import is_private, make_private_directory
from backscroll.index.db import NO_ROOM_REMEDY, REBUILD_REMEDY
from backscroll.index.words import file_list
from backscroll.lazy import lazily
from backscroll.query.fields import ANALYSER, SCHEMA
from backscroll.query.words import analyser

if TYPE_CHECKING:
    import shutil
else:
    shutil = lazily("shutil")

VERSION = 8
PATIENCE = 0.05
TRIES = 6
HEAP = 24 << 20
"""A third more costs 10 MB with 200,000 short messages, and saves no time that we could measure."""
SMALL_PART, MERGED_PARTS = 10_000, 8
"""From this many segments on, tantivy merges those with fewer documents than this."""


class FullText:
    """An open full-text index."""

    def __init__(self, directory: Path | None) -> None:
        self.directory = directory
        self.index = tantivy.Index(SCHEMA) if directory is None else _opened(directory)
        self.index.register_tokenizer(ANALYSER, analyser())
        self._seen: tuple[int, ...] | None = None
        self._verified: tuple[int, ...] | None = None
        self.is_filled = False
        """For an index in memory: True if this run filled it, so that the catalogue's records hold."""

    def searcher(self) -> tantivy.Searcher:
        """Return a view of the last commit."""
        state = self._committed()
        if state is None or state != self._seen:  # the check costs a hundredth of opening the index again
            self.index.reload()
            self._seen = state
        return self.index.searcher()

    def _committed(self) -> tuple[int, ...] | None:
        """Return a state that changes with every commit: tantivy then replaces its list of segments."""
        if self.directory is None:
            return None
        found = (_words_in(self.directory) / "meta.json").stat()
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    @property
    def stamp(self) -> int | None:
        """The number of the last commit, which the catalogue remembers; None if there is none to read."""
        if self.directory is None:
            return 0
        return file_list.stamp_in(_words_in(self.directory))

    def files(self) -> file_list.FileList | None:
        """Return the list of the files of the last commit; None if it is unreadable, or in memory."""
        return None if self.directory is None else file_list.listed(_words_in(self.directory))

    def is_as_listed(self, files: file_list.FileList) -> bool:
        """Return True if the files of the last commit are those of a list, unchanged."""
        return self.directory is None or file_list.is_as_listed(_words_in(self.directory), files)

    def verify(self) -> None:
        """Raise ValueError if a file has another checksum; `in_use` then deletes the index.

        This reads all files, once for each commit, so only a search without a hit does it.
        """
        state = self._committed()
        if state != self._verified and not self.is_sound:
            raise ValueError("a file of the search index does not match its checksum")
        self._verified = state

    def document_counts(self) -> tuple[int, int]:
        """Return the number of deleted documents that the index still holds, and of all others."""
        return (0, 0) if self.directory is None else file_list.document_counts(_words_in(self.directory))

    @property
    def is_sound(self) -> bool:
        """True if every file of the last commit is there and has its checksum; this reads all of them."""
        return self.directory is None or file_list.is_sound(_words_in(self.directory))

    @contextmanager
    def writer(self, *, may_wait: bool = False) -> Iterator[tantivy.IndexWriter]:
        """Open the index for writing; if another process writes, raise BusyError or wait for it."""
        try:
            writer = self._locked(may_wait=may_wait)
            writer.garbage_collect_files()  # files of a killed run would block new files of the same name
            yield writer
            writer.wait_merging_threads()
            if self._has_many_parts():
                self._merge()
        except ValueError as error:  # the only exception that tantivy raises
            raise RefusedError(
                f"the search index cannot be written: {error}", str(self.directory), NO_ROOM_REMEDY
            ) from error
        finally:
            self.make_private()

    def make_private(self) -> None:
        """Let only the owner read the files of the index; the directory is private from the beginning."""
        if self.directory is not None:
            with suppress(OSError):
                for path in _words_in(self.directory).iterdir():
                    path.chmod(0o600)

    def _has_many_parts(self) -> bool:
        """Return True if segments are left to merge: tantivy cancels a merge if something in it is deleted."""
        if self.directory is None:
            return False
        return file_list.small_parts(_words_in(self.directory), SMALL_PART) >= MERGED_PARTS

    def _merge(self) -> None:
        """Merge segments, by an empty commit."""
        with suppress(BusyError):  # the other writer will do it
            writer = self._locked(may_wait=False)
            writer.commit()
            writer.wait_merging_threads()

    def _locked(self, *, may_wait: bool) -> tantivy.IndexWriter:
        while True:
            try:
                return self.index.writer(HEAP, 1)
            except ValueError as error:
                if "LockBusy" not in str(error):
                    raise
                if not may_wait:
                    raise BusyError(
                        "another backscroll process is updating the search index", str(self.directory)
                    ) from error
            time.sleep(PATIENCE)


def open_fulltext(directory: Path | None) -> FullText:
    """Open the index in a directory; create it if there is none, or none that we can use."""
    if directory is None:
        return FullText(None)
    if not (is_private(directory) and is_private(_words_in(directory))):
        remove_fulltext(directory)
    for number in range(TRIES):
        if not is_private(directory):
            break
        try:
            return FullText(directory)
        except BaseException as error:
            if not isinstance(error, (ValueError, OSError)) and not _is_panic(error):
                raise
            if number == TRIES - 2:
                remove_fulltext(directory)
            else:
                time.sleep(PATIENCE)  # another process may be creating it now
    return FullText(None)  # the directory cannot be written, or is not ours


@contextmanager
def in_use(text: FullText) -> Iterator[None]:
    """Delete a damaged full-text index, so that the next command rebuilds it."""
    try:
        yield
    except BaseException as error:
        if text.directory is None or not _is_damaged(text, error):
            raise
        remove_fulltext(text.directory)
        raise CorruptError(
            "the search index was damaged and is now deleted", str(text.directory), REBUILD_REMEDY
        ) from error


def _is_damaged(text: FullText, error: BaseException) -> bool:
    """Return True if a damaged file caused an error: tantivy panics, or its files are missing."""
    if _is_panic(error):
        return True
    if not isinstance(error, Exception):
        return False
    is_ours = isinstance(error, BackscrollError) and not isinstance(error, RefusedError)
    return not is_ours and not text.is_sound


def _is_panic(error: BaseException) -> bool:
    return type(error).__name__ == "PanicException"


def remove_fulltext(directory: Path) -> None:
    """Delete a full-text index; this loses nothing."""
    with suppress(OSError):
        shutil.rmtree(directory)


def _opened(directory: Path) -> tantivy.Index:
    words = _words_in(directory)
    if not words.exists():
        _remove_other_versions(directory)
    make_private_directory(words)
    return tantivy.Index(SCHEMA, str(words))


def _remove_other_versions(directory: Path) -> None:
    for other in directory.glob("words-*"):
        remove_fulltext(other)


def _words_in(directory: Path) -> Path:
    return directory / f"words-{VERSION}"
