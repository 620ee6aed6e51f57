"""Killed at any call, or with an error of any call: sync, restore, prune and repair lose nothing.

Every call of ours that changes something is struck inside this process (tests/os_calls.py), by a kill and by each of
four errors.  SQLite's own calls are not among them; those are struck under strace, a part of them in `make test` and
nearly all of them in `make faults`.
"""

import errno
import os
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from chance import IS_LONG
from command import PROGRAM, TIMEOUT, said
from make import UUID, Draft, home, write_side
from os_calls import CHANGING, before_each_call
from recorded import record, renewed, replay

from backscroll.archive.verify import verify
from backscroll.library import Library
from backscroll.stores.archived import SEGMENTS, open_kept, rows_of

STEPS = int(os.environ.get("BACKSCROLL_FAULTS") or 15)
"""How many of the calls of a run, those for the index aside, are tried under strace, evenly spread."""
GONE = "11111111-2222-4333-8444-555555555555"
"""A session whose transcript was deleted."""
ERRORS = [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EMFILE]


class Killed(BaseException):
    """The end of a process."""


def build(root: Path, *, is_changed: bool) -> None:
    """Write two sessions with their todos, sync, delete one, and let the other one and its todos change."""
    home(root)
    draft = Draft(UUID, "/home/ann/app").prompt("feed the okapi").answer("On it.")
    draft.write(root)
    gone = draft.fork(GONE).prompt("and the zebra").write(root)
    for session in (UUID, GONE):
        write_side(root, f"todos/{todos(root, session).name}", session.encode())
    assert 0 == said("--root", root, "archive", "sync")[0]
    gone.unlink()
    todos(root, GONE).unlink()
    if is_changed:
        todos(root).write_bytes(b"[1]")
    with transcript(root).open("ab") as file:
        file.write(b'{"type":"late"}\n')


def transcript(root: Path, session: str = UUID) -> Path:
    """Return the place of a session's transcript."""
    return root / ".claude/projects/-home-ann-app" / f"{session}.jsonl"


def todos(root: Path, session: str = UUID) -> Path:
    """Return the place of a session's todos, which the archive has in a pack."""
    return root / ".claude/todos" / f"{session}-agent-{session}.json"


def damaged(root: Path) -> None:
    """Flip a bit in the segment of the live session, and in its todos."""
    part = part_of(root)
    for row in rows_of(part):
        if row.session == UUID:
            path = part / SEGMENTS / row.segment
            data = bytearray(path.read_bytes())
            data[row.end - 3] ^= 4
            path.write_bytes(data)


def part_of(root: Path) -> Path:
    """Return the part of the archive that belongs to a root."""
    return Library(root).archive_part()


def kept(root: Path) -> dict[str, list[bytes]]:
    """Return the bytes of every version in the archive, the current one last."""
    part = part_of(root)
    found: dict[str, list[bytes]] = {}
    for row in rows_of(part):
        with open_kept(part, row) as file:
            found.setdefault(os.fsdecode(row.path), []).append(file.read())
    return found


RUNS: dict[str, list[str]] = {
    "sync": ["archive", "sync"],
    "restore": ["archive", "restore", GONE, "--apply"],
    "prune": ["archive", "prune", "--session", GONE, "--apply"],
    "repair": ["archive", "repair", "--apply"],
}


def prepared(name: str, root: Path) -> dict[str, list[bytes]]:
    """Write the state in which a run begins; return the bytes that must never be lost."""
    build(root, is_changed=name != "repair")
    before = kept(root)
    if name == "repair":
        damaged(root)
    return before


def check(root: Path, name: str, before: dict[str, list[bytes]]) -> None:
    """Let somebody go on after a fault: finish, undo a prune, sync, and find every byte."""
    code, _, _ = said("--root", root, *RUNS[name])
    assert code in ((0, 1) if name == "prune" else (0,)), "a session that is pruned already is not found"
    if name == "prune":
        assert 0 == said("--root", root, "transfer", "undo")[0]
    assert 0 == said("--root", root, "archive", "sync")[0]
    assert verify(part_of(root), read_data=True).ok
    after = kept(root)
    for path, versions in before.items():
        assert all(any(one.startswith(data) for one in after[path]) for data in versions)
    for live in (transcript(root), todos(root)):
        assert live.read_bytes() == after[str(live)][-1]
    if name == "restore":
        for back in (transcript(root, GONE), todos(root, GONE)):
            assert before[str(back)] == [back.read_bytes()]


def whole_or_absent(root: Path, before: dict[str, list[bytes]]) -> None:
    """Require that a restored file has its name only when it is whole."""
    for path in (transcript(root, GONE), todos(root, GONE)):
        assert not path.exists() or before[str(path)] == [path.read_bytes()]


def spread(calls: list[int]) -> list[int]:
    """Return the calls that are tried."""
    number = min(STEPS, len(calls))
    return sorted({calls[len(calls) * step // number] for step in range(number)})


class Disk:
    """The root and our own directory, saved and put back for each attempt."""

    def __init__(self, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.ours, self._saved = tmp_path / "root", tmp_path / "ours", tmp_path / "saved"
        monkeypatch.setenv("BACKSCROLL_HOME", str(self.ours))
        self.before = prepared(name, self.root)
        self._saved.mkdir()
        for place in (self.root, self.ours):
            shutil.copytree(place, self._saved / place.name)

    def renew(self) -> None:
        """Put everything back."""
        for place in (self.root, self.ours):
            renewed(self._saved / place.name, place)


def calls_of(disk: Disk, name: str) -> int:
    """Return the number of calls that a run makes."""
    with before_each_call(lambda *_: None, CHANGING) as done:
        assert 0 == said("--root", disk.root, *RUNS[name])[0]
    return len(done)


def attempt(disk: Disk, name: str, happening: Callable[[int, str], None]) -> None:
    """Run with a fault, and look at everything afterwards."""
    disk.renew()
    with before_each_call(happening, CHANGING), suppress(Killed):
        said("--root", disk.root, *RUNS[name])
    whole_or_absent(disk.root, disk.before)
    check(disk.root, name, disk.before)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_kill_at_any_call(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However early a run is killed, the same command and a sync complete it, and every kept byte is there."""
    disk = Disk(name, tmp_path, monkeypatch)
    for point in range(1, calls_of(disk, name) + 1):

        def strike(number: int, _: str, point: int = point) -> None:
            if number >= point:
                raise Killed

        attempt(disk, name, strike)


@pytest.mark.slow
@pytest.mark.parametrize("code", ERRORS, ids=errno.errorcode.get)
@pytest.mark.parametrize("name", RUNS)
def test_an_error_of_any_call(name: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of any one call is told, no traceback, and loses nothing."""
    disk = Disk(name, tmp_path, monkeypatch)
    for point in range(1, calls_of(disk, name) + 1):

        def fail(number: int, _: str, point: int = point) -> None:
            if number == point:
                raise OSError(code, os.strerror(code))

        attempt(disk, name, fail)


@pytest.mark.slow
@pytest.mark.parametrize("code", ERRORS if IS_LONG else ERRORS[:1], ids=errno.errorcode.get)
@pytest.mark.parametrize("name", RUNS)
def test_an_error_that_lasts(name: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full from any call on loses nothing."""
    disk = Disk(name, tmp_path, monkeypatch)
    for point in range(1, calls_of(disk, name) + 1):

        def fail(number: int, _: str, point: int = point) -> None:
            if number >= point:
                raise OSError(code, os.strerror(code))

        attempt(disk, name, fail)


needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace, which is not installed")


@needs_strace
@pytest.mark.slow
@pytest.mark.parametrize("name", ["sync", "restore", "repair"])
def test_a_kill_after_recorded_calls(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is recorded; the disk after each of its calls, SQLite's included, is one that loses nothing.

    The calls for the index are passed over: the index can be made again.  The journal of a prune names files by inode,
    which no copy of a disk has.
    """
    disk = Disk(name, tmp_path, monkeypatch)
    copy = tmp_path / "copy"
    for place in (disk.root, disk.ours):
        renewed(place, copy / place.name)
    calls = record([*PROGRAM, "--root", str(disk.root), *RUNS[name]], tmp_path, tmp_path / "log")
    each, tried = 3 if name == "repair" and not IS_LONG else 1, 0
    for number, call in enumerate(replay(calls, tmp_path, copy)):
        if number % each == 0 and not call.path.is_relative_to(disk.ours / "index"):
            tried += 1
            for place in (disk.root, disk.ours):
                renewed(copy / place.name, place)
            assert GONE in said("--root", disk.root, "list", "--all")[1], "it is listed before anything is repaired"
            whole_or_absent(disk.root, disk.before)
            check(disk.root, name, disk.before)
    assert tried > 10


KILLABLE = "write,pwrite64,fsync,fdatasync,rename,renameat,link,linkat,unlink,unlinkat,ftruncate,mkdir,mkdirat,flock"


@needs_strace
@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_kill_by_the_system(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is killed at calls of its own and of SQLite's."""
    disk = Disk(name, tmp_path, monkeypatch)
    command = [*PROGRAM, "--root", str(disk.root), *RUNS[name]]
    log = tmp_path / "log"
    subprocess.run(
        ["strace", "-f", "-qq", "-y", "-o", str(log), "-e", f"trace={KILLABLE}", *command],
        capture_output=True,
        timeout=TIMEOUT,
        check=True,
    )
    lines = enumerate(log.read_text(errors="replace").splitlines(), 1)
    for point in spread([number for number, line in lines if f"{disk.ours}/index" not in line]):
        disk.renew()
        inject = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={KILLABLE}:signal=KILL:when={point}"]
        done = subprocess.run([*inject, *command], capture_output=True, timeout=TIMEOUT, check=False)
        assert b"Traceback" not in done.stderr
        whole_or_absent(disk.root, disk.before)
        check(disk.root, name, disk.before)
