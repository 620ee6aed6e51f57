"""Memory: have the C library give back what was freed, in processes that handle many large texts.

Left alone, glibc keeps freed memory for each thread, and the more of it the larger the pieces were: an index of 2 GB
then takes half as much again.  Systems with another library are left as they are.
"""

import ctypes
from contextlib import suppress

_SWITCHES = {-8: 1, -3: 1 << 18, -1: 1 << 18}
"""M_ARENA_MAX, M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of malloc.h."""


def give_back_early() -> None:
    """Return large pieces to the system as soon as they are free, and share small ones among all threads."""
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for switch, value in _SWITCHES.items():
            library.mallopt(switch, value)
