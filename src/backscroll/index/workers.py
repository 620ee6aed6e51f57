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
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing import BoundedSemaphore, Pipe, Process, get_start_method, parent_process
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Semaphore
from threading import Thread
from typing import Any, Generic, TypeVar

from backscroll.errors import RefusedError
from backscroll.index.memory import give_back_early, give_back_now
from backscroll.value import NamedTuple

MOST = 4
"""More workers would only take memory: a single process takes in what they read."""
MOST_APART = 2
"""So many processes do at the same time what takes much memory."""
AHEAD = 5
"""How many tasks there are for each worker at a time, done or not."""
MOST_WAITING = 12 << 20
"""With so many bytes of answers waiting to be taken, no more tasks are given out."""
LARGE = 1 << 20
"""After an answer of this size a worker gives back the memory that it took."""
MUCH = 4 << 20
"""To read so many bytes takes so much memory that it is done apart."""
FAILED = 1
"""The exit code of a process that sent what went wrong."""
_MOMENT = 0.1
"""Seconds in which an interrupt that ended the workers reaches this process too."""


Label = TypeVar("Label")
Answer = TypeVar("Answer")


def answers(workers: int, tasks: Iterable[tuple[Label, Callable[[], Answer]]]) -> Iterator[tuple[Label, Answer]]:
    """Have tasks done by other processes, and yield their answers in order, each with what its task is called.

    However many there are, only a few are in work or wait to be taken, packed as they came.
    """
    workers = min(workers, MOST)
    pending: deque[tuple[Label, Future[bytes]]] = deque()
    with nullcontext(_at_hand[-1]) if _at_hand else worker_pool(workers) as pool:
        for label, task in tasks:
            pending.append((label, pool.executor.submit(_packed, task)))
            while len(pending) > AHEAD * workers or _waiting(pending) > MOST_WAITING:
                yield _unpacked(*pending.popleft())
        while pending:
            yield _unpacked(*pending.popleft())


def pieces(task: Callable[[], Iterable[Answer]]) -> Iterator[Answer]:
    """Have a task done by another process, and yield what it yields; it waits while nobody takes that.

    One at a time: all workers send through the same pipe.
    """
    with nullcontext(_at_hand[-1]) if _at_hand else worker_pool(1) as pool:
        done = pool.executor.submit(_send_pieces, task)
        try:
            while packed := _received(pool.receiving, done):
                yield pickle.loads(packed)  # noqa: S301 - our own worker packed it
        except GeneratorExit:
            pool.receiving.close()  # so that the worker does not wait for ever
            raise
        done.result()


def _received(receiving: Connection, done: "Future[None]") -> bytes:
    """Return the next piece, nothing after the last one; an error where the worker that sends them is dead."""
    while not receiving.poll(_MOMENT):
        if done.done():
            done.result()
    return receiving.recv_bytes()


@contextmanager
def at_hand(tasks: int | None = None) -> Iterator[None]:
    """Start workers now, for all that is asked for meanwhile; no more of them than there are tasks, and once."""
    workers = min(os.cpu_count() or 1, MOST, tasks or MOST)
    if workers < 2 or _at_hand:
        yield
        return
    with worker_pool(workers) as pool:
        list(pool.executor.map(abs, range(workers)))
        _at_hand.append(pool)
        try:
            yield
        finally:
            _at_hand.pop()


class Pool(NamedTuple):
    """Worker processes, and where what they send piece by piece is received."""

    executor: ProcessPoolExecutor
    receiving: Connection


_at_hand: list[Pool] = []


class _Own(NamedTuple):
    """What a worker was given when it was started."""

    sending: Connection
    """Where it sends what it has piece by piece."""
    apart: Semaphore
    """Lets only so many do at the same time what takes much memory."""


_own: list[_Own] = []


def _waiting(pending: "Iterable[tuple[object, Future[bytes]]]") -> int:
    return sum(len(answer.result()) for _, answer in pending if answer.done() and not answer.exception())


class Apart(Generic[Answer]):
    """A task that takes much memory, done in a process of its own: its end gives back all of it.

    A process that goes on keeps most of it, since a little that is in use lies everywhere between.
    """

    def __init__(self, task: Callable[[], Answer]) -> None:
        self._task = task

    def __call__(self) -> Answer:
        """Do the task here."""
        return self._task()


def apart_if_large(size: int, task: Callable[[], Answer]) -> Callable[[], Answer]:
    """Return a task that reads so many bytes: to be done apart where these are many."""
    return Apart(task) if size >= MUCH else task


def _packed(task: Callable[[], object]) -> bytes:
    if isinstance(task, Apart) and get_start_method() == "fork":
        with _own[0].apart:
            return _packed_apart(task)
    packed = pickle.dumps(task(), pickle.HIGHEST_PROTOCOL)
    if len(packed) >= LARGE:
        give_back_now()
    return packed


def _packed_apart(task: Callable[[], object]) -> bytes:
    receiving, sending = Pipe(duplex=False)
    with receiving:
        child = Process(target=_send, args=(sending, task))
        child.start()
        sending.close()
        try:
            packed = receiving.recv_bytes()
        except (EOFError, OSError):  # it was killed
            os._exit(1)
        child.join()
    if child.exitcode == FAILED:
        raise pickle.loads(packed)  # noqa: S301 - our own child packed it
    return packed


def _send(sending: Connection, task: Callable[[], object]) -> None:
    """Send the answer to a task, or what went wrong."""
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        answer, code = pickle.dumps(task(), pickle.HIGHEST_PROTOCOL), 0
    except Exception as error:  # noqa: BLE001 - raised where the answer is asked for
        answer, code = pickle.dumps(error), FAILED
    with suppress(OSError):  # the worker is gone, and nobody asks for it any more
        sending.send_bytes(answer)
    os._exit(code)


def _send_pieces(task: Callable[[], Iterable[object]]) -> None:
    """Send everything that a task yields, and then nothing, whatever happens."""
    sending = _own[0].sending
    try:
        for piece in task():
            sending.send_bytes(pickle.dumps(piece, pickle.HIGHEST_PROTOCOL))
    finally:
        sending.send_bytes(b"")


def _unpacked(label: Label, answer: "Future[bytes]") -> tuple[Label, Any]:
    return label, pickle.loads(answer.result())  # noqa: S301 - our own worker packed it


@contextmanager
def worker_pool(workers: int) -> Iterator[Pool]:
    """Open a pool of processes; whatever ends it early ends what they still had to do."""
    receiving, sending = Pipe(duplex=False)
    own = _Own(sending, BoundedSemaphore(MOST_APART))
    executor = ProcessPoolExecutor(workers, initializer=_begin, initargs=(own, receiving))
    try:
        yield Pool(executor, receiving)
    except BrokenProcessPool as error:
        time.sleep(_MOMENT)
        remedy = "Memory may be short; the same command goes on where this one ended."
        raise RefusedError("a worker process was killed", remedy=remedy) from error
    finally:
        receiving.close()
        executor.shutdown(wait=True, cancel_futures=True)
        sending.close()


def _begin(own: _Own, receiving: Connection) -> None:
    """Leave alone what was there before, as it is shared until it is touched; and end with whoever started us."""
    receiving.close()
    _own[:] = [own]
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
