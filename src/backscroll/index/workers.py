"""Worker processes that end without a word when the user interrupts, and whose death is told in words.

They are best started before this process has grown and has threads of its own: `at_hand` does that.
"""

import gc
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from multiprocessing import parent_process
from threading import Thread
from typing import Any, TypeVar

from backscroll.errors import RefusedError
from backscroll.index.memory import give_back_early, give_back_now

AHEAD = 5
"""How many tasks there are for each worker at a time, done or not."""
MOST_WAITING = 12 << 20
"""With so many bytes of answers waiting to be taken, no more tasks are given out."""
LARGE = 1 << 20
"""After an answer of this size a worker gives back the memory that it took."""
_MOMENT = 0.1
"""Seconds in which an interrupt that ended the workers reaches this process too."""


Label = TypeVar("Label")
Answer = TypeVar("Answer")


def answers(workers: int, tasks: Iterable[tuple[Label, Callable[[], Answer]]]) -> Iterator[tuple[Label, Answer]]:
    """Have tasks done by other processes, and yield their answers in order, each with what its task is called.

    However many there are, only a few are in work or wait to be taken, packed as they came.
    """
    pending: deque[tuple[Label, Future[bytes]]] = deque()
    with nullcontext(_at_hand[-1]) if _at_hand else worker_pool(workers) as pool:
        for label, task in tasks:
            pending.append((label, pool.submit(_packed, task)))
            while len(pending) > AHEAD * workers or _waiting(pending) > MOST_WAITING:
                yield _unpacked(*pending.popleft())
        while pending:
            yield _unpacked(*pending.popleft())


@contextmanager
def at_hand(tasks: int) -> Iterator[None]:
    """Start workers now, for all that is asked for meanwhile; no more of them than there are tasks."""
    workers = min(os.cpu_count() or 1, tasks)
    if workers < 2:
        yield
        return
    with worker_pool(workers) as pool:
        list(pool.map(abs, range(workers)))
        _at_hand.append(pool)
        try:
            yield
        finally:
            _at_hand.pop()


_at_hand: list[ProcessPoolExecutor] = []


def _waiting(pending: "Iterable[tuple[object, Future[bytes]]]") -> int:
    return sum(len(answer.result()) for _, answer in pending if answer.done() and not answer.exception())


def _packed(task: Callable[[], object]) -> bytes:
    packed = pickle.dumps(task(), pickle.HIGHEST_PROTOCOL)
    if len(packed) >= LARGE:
        give_back_now()
    return packed


def _unpacked(label: Label, answer: "Future[bytes]") -> tuple[Label, Any]:
    return label, pickle.loads(answer.result())  # noqa: S301 - our own worker packed it


@contextmanager
def worker_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Open a pool of processes; whatever ends it early ends what they still had to do."""
    pool = ProcessPoolExecutor(workers, initializer=_begin)
    try:
        yield pool
    except BrokenProcessPool as error:
        time.sleep(_MOMENT)
        remedy = "Memory may be short; the same command goes on where this one ended."
        raise RefusedError("a worker process was killed", remedy=remedy) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """Leave alone what was there before, as it is shared until it is touched; and end with whoever started us."""
    gc.freeze()
    give_back_early()
    Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))


def _end_with_parent() -> None:
    """Wait for the end of the process that started this one, which may be killed without a chance to tell."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
