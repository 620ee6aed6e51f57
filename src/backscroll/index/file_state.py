"""Remember the state of the catalogue's file at our last close, to notice a change by another program.

SQLite keeps no checksums of its pages, so it reads a changed value as if we had written it.  The last of our processes
that closes the catalogue therefore notes the size and the time of its file.  A different state at the next start means
that another program wrote to the file; then the catalogue is rebuilt.

SQLite keeps a `-wal` file while any process has the catalogue open, and after a kill.  Then the state is not compared.
"""

import os
from pathlib import Path
from time import sleep

SUFFIX = "-state"
_MOMENT = 0.2
"""The most seconds between the last close of another process and its note, on a machine that is not stuck."""


def note(path: Path) -> None:
    """Note the state of a file that no process has open; do nothing if the directory cannot be written."""
    try:
        state = _state(path)
        if state is not None and state != _noted(path):
            beside = f"{path}{SUFFIX}.new"
            with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
                file.write(state)
            os.replace(beside, f"{path}{SUFFIX}")
    except OSError:
        return


def is_foreign(path: Path) -> bool:
    """Return True if something other than backscroll has changed the file."""
    if not _differs(path):
        return False
    sleep(_MOMENT)
    return _differs(path)


def _differs(path: Path) -> bool:
    state, noted = _state(path), _noted(path)
    return state is not None and noted is not None and state != noted


def _state(path: Path) -> bytes | None:
    """Return size and time of a file; None if it is not there, or if some process has it open."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return None if os.path.exists(f"{path}-wal") else b"%d %d" % (found.st_size, found.st_mtime_ns)


def _noted(path: Path) -> bytes | None:
    try:
        return Path(f"{path}{SUFFIX}").read_bytes() or None
    except OSError:
        return None
