"""Worker processes: answers in order, and never too many of them waiting."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import pytest

from backscroll.index import workers

TASKS = 40


def tasks(given: list[int], size: int) -> Iterator[tuple[int, Callable[[], bytes]]]:
    """Yield tasks whose answers have a size, and write down which were given out."""
    for number in range(TASKS):
        given.append(number)
        yield number, partial(bytes, size)


def ahead(size: int) -> int:
    """Return how many tasks were given out at most for which no answer was taken."""
    given: list[int] = []
    found, most = [], 0
    for number, answer in workers.answers(2, tasks(given, size)):
        assert answer == bytes(size)
        found.append(number)
        if len(given) < TASKS:
            most = max(most, len(given) - len(found))
    assert found == list(range(TASKS))
    return most


def test_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few tasks are given out ahead, and none while many bytes wait."""
    assert ahead(10) == workers.AHEAD * 2
    monkeypatch.setattr(workers, "_waiting", lambda pending: len(pending) * workers.MOST_WAITING)
    assert ahead(10) == 1


def test_waiting() -> None:
    """Bytes wait that are there; tasks that are at work or failed hold none."""
    done, failed, at_work = Future[bytes](), Future[bytes](), Future[bytes]()
    done.set_result(b"12345")
    failed.set_exception(ValueError())
    assert workers._waiting([(1, done), (2, failed), (3, at_work), (4, done)]) == 10


def test_large_answers_give_back_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a large answer a worker gives back what it took."""
    given_back: list[int] = []
    monkeypatch.setattr(workers, "give_back_now", partial(given_back.append, 1))
    workers._packed(partial(bytes, workers.LARGE // 2))
    assert given_back == []
    workers._packed(partial(bytes, workers.LARGE))
    assert given_back == [1]


KILLED = """
import os, time
from backscroll.index import workers
with workers.at_hand(2):
    children = open(f"/proc/self/task/{os.getpid()}/children").read()
    print(children, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells the children of a process")
def test_they_end_with_their_parent() -> None:
    """No worker is left when the one that started them is killed."""
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        children = parent.stdout.readline().split()
        parent.kill()
    until = time.monotonic() + 20
    while any(map(_is_alive, children)) and time.monotonic() < until:
        time.sleep(0.02)
    assert len(children) == 2
    assert not any(map(_is_alive, children))


def _is_alive(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_an_error_is_raised() -> None:
    """What goes wrong in a worker goes wrong here, whatever waits."""
    failing: list[tuple[int, Callable[[], object]]] = [
        (0, partial(bytes, 3)),
        (1, partial(int, "x")),
        (2, partial(bytes, 3)),
    ]
    with pytest.raises(ValueError, match="invalid literal"):
        list(workers.answers(2, failing))
