"""The index locked by another process, and several processes at once: an answer or exit 4, never an internal error."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from chance import rounds
from command import PROGRAM, TIMEOUT, answer
from make import UUID, Draft, home, indexed, listed

from backscroll.cli.main import run
from backscroll.index import db
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.index.update.derived import sessions as derived
from backscroll.index.words.store import open_fulltext

pytestmark = pytest.mark.filterwarnings("always::backscroll.errors.IndexWarning")

HOLD = (
    "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute('BEGIN IMMEDIATE'); print(1, flush=True); input()"
)
"""A process that holds the lock until its input ends."""


@contextmanager
def lock_held(path: Path) -> Iterator[None]:
    """Have another process hold the lock for writing."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield
        process.communicate(b"\n")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with one session; commands wait for a lock only for a moment."""
    monkeypatch.setattr(db, "BUSY_SECONDS", 0.2)
    Draft(UUID).prompt("feed the okapi").answer("Fed.").write(home(tmp_path))
    return tmp_path


def index_of(root: Path) -> Path:
    """Return the path of the catalogue of a root."""
    return db.path_for(Path(os.environ["BACKSCROLL_HOME"], "index"), root)


def grow(root: Path) -> None:
    """Let the session go on."""
    Draft(UUID).prompt("feed the okapi").answer("Fed.").prompt("feed the okapi again").write(root)


@pytest.mark.parametrize("command", [("list",), ("usage",), ("search", "okapi"), ("show", "latest"), ("calls",)])
def test_the_answer_is_old_and_says_so(
    root: Path, capfdbinary: pytest.CaptureFixture[bytes], command: tuple[str, ...]
) -> None:
    """While another process holds the lock, commands answer from the index as it is, and say so."""
    assert 0 == run(["--root", str(root), "index"])
    grow(root)
    capfdbinary.readouterr()
    with lock_held(index_of(root)):
        code = run(["--root", str(root), *command, "--json"])
    out, said = capfdbinary.readouterr()

    assert (0, True) == (code, bool(json.loads(out)))
    assert b"the answer may be old: another process holds the lock of the index" in said
    assert 0 == run(["--root", str(root), *command, "--json"])
    assert b"" == capfdbinary.readouterr().err


def test_an_update_is_refused(root: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """`index` cannot do its work without the lock: exit 4."""
    assert 0 == run(["--root", str(root), "index"])
    grow(root)
    with lock_held(index_of(root)):
        code = run(["--root", str(root), "index"])

    assert 4 == code
    assert b"another process holds the lock of the index" in capfdbinary.readouterr().err


def test_an_empty_index_has_no_answer(root: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """An index that was never filled has nothing to answer from: exit 4, and no empty list."""
    db.open_index(index_of(root)).close()
    with lock_held(index_of(root)):
        assert [4, 4] == [run(["--root", str(root), *command]) for command in (("list",), ("search", "okapi"))]

    assert b"Wait until it has finished" in capfdbinary.readouterr().err


def forty(root: Path) -> None:
    """Write forty sessions, each of which says the same word."""
    for number in range(40):
        Draft(f"{number:08}-1111-4111-8111-111111111111", f"/srv/{number % 7}").prompt(f"okapi {number}").write(root)


def test_a_kill_between_two_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions are made slice by slice; after a kill the next run makes those that are left."""
    monkeypatch.setattr(derived, "_AT_ONCE", 7)
    forty(home(tmp_path))
    real, right = derived._Sessions.make, listed(tmp_path)
    for last in range(6):
        left = iter(range(last))

        def make(self: derived._Sessions, names: list[str], left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            real(self, names)

        with closing(db.open_in_memory()) as database:
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(derived._Sessions, "make", make)
                with pytest.raises(KeyboardInterrupt):
                    indexed(tmp_path, database)
            assert 7 * last == query.count(database, SessionFilter())
            found = query.sessions(indexed(tmp_path, database), SessionFilter(), None)

        assert right == {session.id: session for session in found}


def test_readers_beside_two_indexers(tmp_path: Path) -> None:
    """Two processes that index the same home and several that read it: no error, and afterwards everything is there."""
    forty(home(tmp_path))
    for number in range(rounds(1)):
        rebuild = ("index", "--rebuild") if number % 2 else ("index",)
        commands = [rebuild, ("index",), ("list", "--all"), ("search", "okapi"), ("usage",), ("list", "--all")]
        running = [
            subprocess.Popen(
                [*PROGRAM, "--root", str(tmp_path), "--json", *command],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=os.environ,
            )
            for command in commands
        ]
        said = [process.communicate(timeout=TIMEOUT)[1] for process in running]

        codes = [process.returncode for process in running]
        if b"nothing found yet" in said[3]:  # a search that others keep from updating is not sure, and says so
            assert 4 == codes[3]
            codes[3] = 0
        assert [0, 0, 0, 0, 0, 0] == codes, said
        assert 40 == answer(tmp_path, "list", "--all")["total"]
        assert 40 == answer(tmp_path, "search", "okapi", "--all-hits", "--limit", "100")["total"]


def test_totals_beside_two_indexers(tmp_path: Path) -> None:
    """While two processes index forty sessions that grew, each reader counts each session once, old or new."""
    forty(home(tmp_path))
    assert 40 == answer(tmp_path, "list", "--all")["total"]
    assert 40 == answer(tmp_path, "search", "okapi", "--all-hits", "--limit", "100")["total"]
    for number in range(40):
        draft = Draft(f"{number:08}-1111-4111-8111-111111111111", f"/srv/{number % 7}").prompt(f"okapi {number}")
        draft.answer("Fed.").write(tmp_path)
    commands = [("index",), ("index",), ("list", "--all"), ("list", "--all"), ("search", "okapi", "--all-hits")]
    running = [
        subprocess.Popen(
            [*PROGRAM, "--root", str(tmp_path), "--json", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ,
        )
        for command in commands
    ]
    told = [process.communicate(timeout=TIMEOUT) for process in running]

    assert [0] * 5 == [process.returncode for process in running], [said for _, said in told]
    assert [40, 40, 40] == [json.loads(out)["total"] for out, _ in told[2:]]


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_nothing_found_yet_is_no_certain_answer(
    root: Path, capfdbinary: pytest.CaptureFixture[bytes], form: tuple[str, ...]
) -> None:
    """A search that finds nothing while another process adds words exits with 4; afterwards it finds them."""
    assert 0 == run(["--root", str(root), "list"])
    capfdbinary.readouterr()
    text = open_fulltext(index_of(root).with_suffix(".words"))
    with text.writer():
        assert 4 == run(["--root", str(root), "search", "okapi", *form])

    assert b"nothing found yet: another backscroll process" in capfdbinary.readouterr().err
    assert 0 == run(["--root", str(root), "search", "okapi", *form])


def test_old_hits_are_given_and_called_old(root: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A search that finds something while another process adds words exits with 0, and says that it is behind."""
    assert 0 == run(["--root", str(root), "index"])
    grow(root)
    with open_fulltext(index_of(root).with_suffix(".words")).writer():
        assert 0 == run(["--root", str(root), "search", "okapi"])

    assert b"the newest messages are missing" in capfdbinary.readouterr().err
