"""Start and end a short command quickly: all changes of the process that save milliseconds.

CPU time saved by a warm `list`: 17 ms by ending at once, 6 ms by fewer garbage collections.
`BACKSCROLL_PLAIN_START=1` turns both off, and the lazy imports of `lazy.py` too; `make check-plain` tests that mode.
"""

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

from backscroll.lazy import is_plain

_PYTHONS_OWN = gc.get_threshold()


def hurry() -> None:
    """Collect garbage less often; Python's own threshold collects some thirty times during the imports."""
    if not is_plain():
        gc.set_threshold(300_000, 20, 20)


def stay() -> None:
    """Collect garbage as usual again, in a command that runs for a long time."""
    gc.set_threshold(*_PYTHONS_OWN)


def end(code: int) -> NoReturn:
    """End this process at once: all our files are already closed.

    Python would take 250 modules apart first, which costs as much as starting it.
    """
    if is_plain() or _is_observed():
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # given up, or never there
            with suppress(OSError):
                stream.flush()
    os._exit(code)


def _is_observed() -> bool:
    """Return True if a coverage tool, a profiler or a debugger runs, which must write its report at the end."""
    if sys.gettrace() is not None or sys.getprofile() is not None or "coverage" in sys.modules:
        return True
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on
    return monitoring is not None and any(monitoring.get_tool(number) for number in range(6))
