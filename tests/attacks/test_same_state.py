"""A file that was rewritten with its size, times and inode kept, as on a disk with a coarse clock: when it is noticed.

The rule is that of `index/update/files`: within two seconds of a change the first and the last 4 KB decide.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from make import UUID, Draft, home, indexed

from backscroll.index.db import open_in_memory
from backscroll.index.update.files import SETTLED


def session(size: int) -> Draft:
    """Return a session whose text between the first prompt and the last answer has `size` letters."""
    return Draft(UUID).prompt("feed the okapi").answer("x" * size).prompt("feed the hyena").answer("Fed.")


def rewritten(path: Path, old: bytes, new: bytes, database: sqlite3.Connection, age: int) -> None:
    """Replace bytes in place; let the index have seen the same state, `age` nanoseconds after its change."""
    data = path.read_bytes()
    with path.open("r+b") as file:
        file.seek(data.rindex(old))
        file.write(new)
    found = path.stat()
    state = (found.st_mtime_ns, found.st_ctime_ns, found.st_ctime_ns + age)
    database.execute("UPDATE file SET mtime = ?, ctime = ?, looked = ?", state)


@pytest.mark.parametrize("size", [10, 100_000])
@pytest.mark.parametrize("place", ["okapi", "hyena"])
def test_a_rewrite_in_the_same_tick_is_noticed(tmp_path: Path, size: int, place: str) -> None:
    """Another word of the same length, near the beginning or the end, is read if the file was read within 2 s."""
    path = session(size).write(home(tmp_path))
    with closing(open_in_memory()) as database:
        indexed(tmp_path, database)
        rewritten(path, place.encode(), b"zebra", database, SETTLED - 1)
        indexed(tmp_path, database)
        labels = [
            label for (label,) in database.execute("SELECT label FROM message WHERE text IS NOT NULL ORDER BY node")
        ]

    assert ["zebra" if word == place else word for word in ("okapi", "hyena")] == [label[-5:] for label in labels]


def test_a_settled_file_is_not_read_again(tmp_path: Path) -> None:
    """Two seconds after a change the state alone decides: nothing is read, as the rule says."""
    path = session(10).write(home(tmp_path))
    with closing(open_in_memory()) as database:
        indexed(tmp_path, database)
        rewritten(path, b"okapi", b"zebra", database, SETTLED)

        indexed(tmp_path, database)
        (title,) = database.execute("SELECT title FROM session").fetchone()

    assert "feed the okapi" == title


@pytest.mark.parametrize("place", ["okapi", "hyena"])
def test_size_and_time_alone_prove_nothing(tmp_path: Path, place: str) -> None:
    """A rewrite whose size and time of writing were put back is noticed by its time of change, however late."""
    path = session(100_000).write(home(tmp_path))
    os.utime(path, (1_700_000_000, 1_700_000_000))
    with closing(open_in_memory()) as database:
        indexed(tmp_path, database)
        before = path.stat()
        data = path.read_bytes()
        path.write_bytes(data.replace(place.encode(), b"zebra"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        indexed(tmp_path, database)
        texts = " ".join(label for (label,) in database.execute("SELECT label FROM message WHERE text IS NOT NULL"))

    assert (True, False) == ("zebra" in texts, place in texts)
