"""Memory: have what is no longer needed given back, in processes that handle much of it.

Left alone, glibc keeps freed memory for each thread, and the more of it the larger the pieces were: an index of 2 GB
then takes half as much again.  What lies between pieces that are in use it keeps for good.
And all that tantivy has read of the files that it merges counts as ours until it closes them: with 10 GB of
transcripts that is more than everything else together.
Systems with another library, or that do not tell what is mapped, are left as they are.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count
from pathlib import Path
from threading import Event, Thread

MOMENT = 0.1
"""Seconds after which mapped files are given back once more: a merge reads some hundred megabytes in a second."""
MOMENTS = 5
"""After so many moments so is what is free, which takes longer."""
_MAPS = Path("/proc/self/maps")
_SWITCHES = {-8: 1, -3: 1 << 18, -1: 1 << 18}
"""M_ARENA_MAX, M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of malloc.h."""
_PAGEOUT = 21
"""MADV_PAGEOUT of mman.h.  Unlike MADV_DONTNEED it loses nothing if something else was mapped there a moment ago."""


def give_back_early() -> None:
    """Return large pieces to the system as soon as they are free, and share small ones among all threads."""
    with suppress(OSError, AttributeError):
        for switch, value in _SWITCHES.items():
            _library().mallopt(switch, value)


def give_back_now() -> None:
    """Return all pages that hold nothing to the system, also those between others."""
    with suppress(OSError, AttributeError):
        _library().malloc_trim(0)


@lru_cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


@contextmanager
def given_back(directory: Path) -> Iterator[None]:
    """Meanwhile, give back at every moment what is free and what was read of mapped files in a directory."""
    is_over = Event()
    helper = Thread(target=_give_back_until, args=(is_over, directory), daemon=True)
    helper.start()
    try:
        yield
    finally:
        is_over.set()
        helper.join()


def _give_back_until(is_over: Event, directory: Path) -> None:
    for number in count(1):
        if is_over.wait(MOMENT):
            return
        if number % MOMENTS == 0:
            give_back_now()
        with suppress(OSError, AttributeError):
            give_back_files(directory)


def give_back_files(directory: Path) -> None:
    """Give back what was read of mapped files in a directory; it is read again where it is needed."""
    for start, end in _mapped(directory):
        _library().madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _PAGEOUT)


def _mapped(directory: Path) -> list[tuple[int, int]]:
    """Return from where to where files in a directory are mapped into this process."""
    within = f"{directory.resolve()}/".encode()
    lines = (line.split(maxsplit=5) for line in _MAPS.read_bytes().splitlines())
    ranges = (line[0].split(b"-") for line in lines if len(line) > 5 and line[5].startswith(within))
    return [(int(start, 16), int(end, 16)) for start, end in ranges]
