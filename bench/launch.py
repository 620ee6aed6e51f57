"""Start one program, wait for it, and write down what it cost: `launch.py RESULT PROGRAM [ARGUMENT …]`.

A process of its own because Linux counts the memory of whoever starts a program towards that program's peak.
So this one stays small: it imports next to nothing and is run with `-I -S`.
"""

import os
import sys
import time


def main() -> None:
    """Run the program with this process's own environment, standard output and standard error."""
    result, *command = sys.argv[1:]
    begun = time.perf_counter()
    _, status, used = os.wait4(os.posix_spawn(command[0], command, os.environ), 0)
    wall = time.perf_counter() - begun
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
    with open(result, "w", encoding="ascii") as file:  # noqa: PTH123 - pathlib is not imported here
        code = os.waitstatus_to_exitcode(status)
        file.write(f"{code} {used.ru_utime + used.ru_stime} {wall} {used.ru_maxrss * unit}")


if __name__ == "__main__":
    main()
