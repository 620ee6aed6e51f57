"""Detect use: a session that a running process owns, a running Desktop, or a file that changed just now."""

import os
import struct
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from backscroll.changes.journal import our_files
from backscroll.files import open_readonly, read_small
from backscroll.stores.side import read_object

FRESH = 60
"""Seconds for which a changed file counts as in use."""
_STARTED = 19
"""The number of the start time behind the name in /proc/PID/stat."""


def owners(config: Path) -> dict[str, int]:
    """Return the process of each session that still runs: the same pid and the same start time."""
    try:
        names = sorted(path.name for path in (config / "sessions").iterdir())
    except OSError:
        return {}
    found = {}
    for name in names:
        if not name.endswith(".json") or not name[:-5].isdecimal():
            continue
        entry = read_object(str(config / "sessions" / name), None)
        session, pid = entry.get("sessionId"), int(name[:-5])
        if isinstance(session, str) and _runs(pid, entry.get("procStart")):
            found[session] = pid
    return found


def fresh_files(paths: Iterable[str], journal: Path, now: float | None = None) -> list[str]:
    """Return the files that changed less than 60 seconds ago, except files that our own journal wrote."""
    limit = (time.time() if now is None else now) - FRESH
    fresh = [path for path in paths if _mtime(path) > limit]
    ours = our_files(journal, fresh) if fresh else set()
    return [path for path in fresh if path not in ours]


def desktop_owner(data: Path) -> int | None:
    """Return the process id of the Claude Desktop that uses a data directory; 0 if it runs with an unknown id.

    Chromium's `SingletonLock` is a link to `HOST-PID`; the LOCK of its storage is locked while it runs.
    """
    try:
        host, _, pid = str((data / "SingletonLock").readlink()).rpartition("-")
    except OSError:
        host, pid = "", ""
    if pid.isdecimal() and host == os.uname().nodename and _runs(int(pid), None):
        return int(pid)
    return _holder(data / "Local Storage/leveldb/LOCK")


def _holder(lock: Path) -> int | None:
    """Return the process that holds the lock on a file; None if no process does."""
    import fcntl  # noqa: PLC0415 - Windows has none, and is refused before this

    layout = "qqihh" if sys.platform == "darwin" else "hhqqi"
    asked = (0, 0, 0, fcntl.F_WRLCK, 0) if sys.platform == "darwin" else (fcntl.F_WRLCK, 0, 0, 0, 0)
    try:
        with open_readonly(lock, buffering=0) as file:
            answer = struct.unpack(layout, fcntl.fcntl(file, fcntl.F_GETLK, struct.pack(layout, *asked)))
    except OSError:
        return None
    kind, pid = (answer[3], answer[2]) if sys.platform == "darwin" else (answer[0], answer[4])
    return None if kind == fcntl.F_UNLCK else max(pid, 0)


def _mtime(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0


def _runs(pid: int, started: object) -> bool:
    """Return True if a process runs and, as far as the system shows, is the registered one."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        pass  # it runs, and belongs to another user
    except (OSError, OverflowError):
        return False
    begun = _start_of(pid)
    return started is None or begun is None or str(started) == begun


def _start_of(pid: int) -> str | None:
    """Return the start time of a process in clock ticks on Linux; None on other systems."""
    try:
        text = read_small(f"/proc/{pid}/stat", 1 << 16)
    except OSError:
        return None
    fields = text.rpartition(b")")[2].split()
    return fields[_STARTED].decode() if len(fields) > _STARTED else None
