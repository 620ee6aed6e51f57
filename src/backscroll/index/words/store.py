"""The words: a full-text index beside the catalogue, made by tantivy.

A directory of ours (0700) that keeps words and places, no texts.  Everything in it may be deleted at any time; another
version, or damage, means a new one.  Without a directory it lives in memory.

The catalogue says what is in it.  The order of commits makes a kill harmless: first the catalogue says which passages
of a file are being written, then the words are committed, then the catalogue says how far the words of the file are
in.  A file of which it does not say so is deleted from the words by its number and taken in anew.
"""

import json
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import tantivy

from backscroll.errors import BackscrollError, BusyError, CorruptError, RefusedError
from backscroll.files import make_private_directory
from backscroll.index.db import ANEW_REMEDY, NO_ROOM_REMEDY
from backscroll.lazy import lazily
from backscroll.text.fields import ANALYSER, SCHEMA
from backscroll.text.words import analyser

if TYPE_CHECKING:
    import shutil
else:
    shutil = lazily("shutil")

VERSION = 7
PATIENCE = 0.05
TRIES = 6
HEAP = 128 << 20
"""For much at once: all of it makes one part, and later ones are merged with small ones only."""
SMALL_HEAP = 24 << 20
SMALL_PART, MERGED_PARTS = 10_000, 8
"""From so many parts on tantivy merges those that have fewer documents than this."""


class FullText:
    """An open full-text index."""

    def __init__(self, directory: Path | None) -> None:
        self.directory = directory
        self.index = tantivy.Index(SCHEMA) if directory is None else _opened(directory)
        self.index.register_tokenizer(ANALYSER, analyser())
        self._seen: tuple[int, ...] | None = None

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

    @property
    def stamp(self) -> int | None:
        """The number of the last commit, which the catalogue remembers; None where there is none to read."""
        if self.directory is None:
            return 0
        try:
            return int(json.loads((_words_in(self.directory) / "meta.json").read_bytes())["opstamp"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @contextmanager
    def writer(self, *, is_bulk: bool, may_wait: bool = False) -> Iterator[tantivy.IndexWriter]:
        """Open the index for writing, as nobody else may meanwhile: BusyError where somebody does, or wait for that."""
        try:
            writer = self._locked(HEAP if is_bulk else SMALL_HEAP, may_wait=may_wait)
            writer.garbage_collect_files()  # what a kill has left behind would stand in the way of its own name
            yield writer
            writer.wait_merging_threads()
            if self._has_many_parts():
                self._merge()
        except ValueError as error:  # all that tantivy ever raises
            raise RefusedError(f"the words cannot be written: {error}", str(self.directory), NO_ROOM_REMEDY) from error
        finally:
            self.make_private()

    def make_private(self) -> None:
        """Have the files of the index read by their owner alone; the directory is so from the beginning."""
        if self.directory is not None:
            with suppress(OSError):
                for path in _words_in(self.directory).iterdir():
                    path.chmod(0o600)

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
            writer = self._locked(SMALL_HEAP, may_wait=False)
            writer.commit()
            writer.wait_merging_threads()

    def _locked(self, heap: int, *, may_wait: bool) -> tantivy.IndexWriter:
        while True:
            try:
                return self.index.writer(heap, 1)
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
            if not isinstance(error, (ValueError, OSError)) and not _is_panic(error):
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
    """Say whether every file of the index is what tantivy wrote."""
    try:
        return all(map(_is_as_written, _files_of(text)))
    except (OSError, ValueError, KeyError, TypeError):
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
