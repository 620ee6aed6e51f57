"""Worker processes: answers in order, and never too many of them waiting."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import pytest

from backscroll.errors import RefusedError
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
import functools, os, time
from backscroll.index import workers
def children(process):
    return open(f"/proc/{process}/task/{process}/children").read().split()
with workers.at_hand(2):
    mine = children(os.getpid())
    sleeping = workers._at_hand[-1].executor.submit(workers._packed, workers.Apart(functools.partial(time.sleep, 60)))
    while not (apart := [child for process in mine for child in children(process)]):
        time.sleep(0.01)
    print(*mine, *apart, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells the children of a process")
def test_they_end_with_their_parent() -> None:
    """No worker is left when the one that started them is killed, nor what it started itself, and none complains."""
    program = [sys.executable, "-c", KILLED]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stderr is not None
        children = parent.stdout.readline().decode().split()
        parent.kill()
        assert parent.stderr.read() == b""
    until = time.monotonic() + 20
    while any(map(_is_alive, children)) and time.monotonic() < until:
        time.sleep(0.02)
    assert len(children) == 3
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


def test_apart() -> None:
    """What takes much memory is done in processes that end with it; answers and errors come as from any other."""
    here = [number for _, number in workers.answers(2, [(number, os.getpid) for number in range(8)])]
    apart = [number for _, number in workers.answers(2, [(number, workers.Apart(os.getpid)) for number in range(8)])]
    assert len(set(here)) <= 2
    assert len(set(apart)) == 8
    with pytest.raises(ValueError, match="invalid literal"):
        list(workers.answers(2, [(0, workers.Apart(partial(int, "x")))]))


def test_apart_where_processes_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a process would have to import everything once more, the worker does the task itself."""
    monkeypatch.setattr(workers, "get_start_method", lambda: "spawn")
    apart = [number for _, number in workers.answers(2, [(number, workers.Apart(os.getpid)) for number in range(8)])]
    assert len(set(apart)) <= 2


def test_a_killed_process_is_told() -> None:
    """A process that is killed, for want of memory perhaps, is told like a worker that is."""
    killing = partial(signal.raise_signal, signal.SIGKILL)
    with pytest.raises(RefusedError, match="was killed"):
        list(workers.answers(2, [(0, workers.Apart(killing))]))


def test_at_hand_once() -> None:
    """Workers that are at hand already are not started again."""
    with workers.at_hand(), workers.at_hand(2):
        assert len(workers._at_hand) == 1
    assert not workers._at_hand


def test_pieces() -> None:
    """What a task yields comes piece by piece, again and again, from workers at hand or from one of its own."""
    assert list(workers.pieces(partial(iter, [b"1" * 200_000, "2", None]))) == [b"1" * 200_000, "2", None]
    assert list(workers.pieces(partial(iter, []))) == []
    with workers.at_hand(2):
        for _ in range(3):
            assert list(workers.pieces(partial(range, 50))) == list(range(50))


def failing() -> Iterator[int]:
    """Yield something, and fail."""
    yield 1
    yield int("x")


def killed() -> Iterator[int]:
    """Yield something, and be killed."""
    yield 1
    signal.raise_signal(signal.SIGKILL)


@pytest.mark.parametrize(
    "task, error, words",
    [(failing, ValueError, "invalid literal"), (killed, RefusedError, "was killed")],
    ids=["failing", "killed"],
)
def test_pieces_that_end_early(task: Callable[[], Iterator[int]], error: type[Exception], words: str) -> None:
    """What was sent before an error is taken, then it is raised; so is the death of the worker."""
    found = workers.pieces(task)
    assert next(found) == 1
    with pytest.raises(error, match=words):
        next(found)


def test_pieces_that_nobody_takes() -> None:
    """A worker does not wait for ever for somebody who went away."""
    found = workers.pieces(partial(map, bytes, [1 << 20] * 100))
    next(found)
    found.close()  # type: ignore[attr-defined]


SPAWNED = """
import multiprocessing
from functools import partial
from backscroll.index import workers
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    print(*(answer for _, answer in workers.answers(2, [(n, workers.Apart(partial(pow, n, 2))) for n in range(5)])))
    print(*workers.pieces(partial(range, 5)))
"""


def test_processes_that_begin_anew(tmp_path: Path) -> None:
    """Where processes are not forked, as on macOS, workers do the same."""
    program = tmp_path / "program.py"
    program.write_text(SPAWNED, encoding="utf-8")
    told = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True)
    assert told.stdout == "0 1 4 9 16\n0 1 2 3 4\n"


def test_most_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine with many processors no more workers are started than one process can follow."""
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    with workers.at_hand():
        assert len(workers._at_hand[-1].executor._processes) <= workers.MOST
        assert len({pid for _, pid in workers.answers(64, [(number, os.getpid) for number in range(64)])}) <= 4


def counted(directory: str) -> int:
    """Return how many processes are at the same time where this one is."""
    mine = Path(directory, str(os.getpid()))
    mine.touch()
    time.sleep(0.05)
    found = sum(1 for _ in Path(directory).iterdir())
    mine.unlink()
    return found


def test_most_apart(tmp_path: Path) -> None:
    """What takes much memory is done by few processes at the same time, however many workers there are."""
    tasks = [(number, workers.Apart(partial(counted, str(tmp_path)))) for number in range(16)]
    assert max(found for _, found in workers.answers(4, tasks)) == workers.MOST_APART
