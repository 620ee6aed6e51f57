"""Worker processes that end without a word when the user interrupts, and whose death is told in words."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from backscroll.errors import RefusedError

_MOMENT = 0.1
"""Seconds in which an interrupt that ended the workers reaches this process too."""


@contextmanager
def worker_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Open a pool of processes; whatever ends it early ends what they still had to do."""
    pool = ProcessPoolExecutor(workers, initializer=_leave_quietly)
    try:
        yield pool
    except BrokenProcessPool as error:
        time.sleep(_MOMENT)
        remedy = "Memory may be short; the same command goes on where this one ended."
        raise RefusedError("a worker process was killed", remedy=remedy) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_quietly() -> None:
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
