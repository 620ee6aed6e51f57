"""An index that somebody else owns or could write to, or that another version made: rebuilt or refused, and said."""

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from make import UUID, Draft, as_nobody, home, let_others_in

from backscroll.cli.main import run
from backscroll.errors import REFUSED
from backscroll.index import db, file_state
from backscroll.index.schema import VERSION

pytestmark = pytest.mark.filterwarnings("always::backscroll.errors.IndexWarning")

NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
Spoil = Callable[[Path], None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with one session."""
    Draft(UUID).prompt("feed the okapi").answer("Fed.").write(home(tmp_path))
    return tmp_path


def planted(root: Path) -> Path:
    """Index a home, plant a false prompt in its catalogue so that no note tells, and return the catalogue."""
    assert 0 == run(["--root", str(root), "index"])
    path = db.path_for(Path(os.environ["BACKSCROLL_HOME"], "index"), root)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE message SET label = 'planted'")
        database.commit()
    Path(f"{path}{file_state.SUFFIX}").unlink()
    return path


def prompts(root: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> tuple[list[str], bytes]:
    """Return the prompts that `outline` prints, and what it says beside them."""
    capfdbinary.readouterr()
    assert 0 == run(["--root", str(root), "outline", UUID, "--json"])
    out, said = capfdbinary.readouterr()
    return [item["label"] for item in json.loads(out)["items"] if item["kind"] == "prompt"], said


def open_file(path: Path) -> None:
    """Let the group write to the catalogue."""
    path.chmod(0o660)


def open_directory(path: Path) -> None:
    """Let everybody write to the directory."""
    path.parent.chmod(0o777)


def give_file(path: Path) -> None:
    """Give the catalogue to another user."""
    os.chown(path, NOBODY, NOBODY)


def give_log(path: Path) -> None:
    """Have a log of another user beside the catalogue."""
    log = Path(f"{path}-wal")
    log.write_bytes(b"")
    os.chown(log, NOBODY, NOBODY)


def give_directory(path: Path) -> None:
    """Give the directory to another user."""
    os.chown(path.parent, NOBODY, NOBODY)


REBUILT = [
    open_file,
    open_directory,
    pytest.param(give_file, marks=needs_root),
    pytest.param(give_log, marks=needs_root),
]


@pytest.mark.parametrize("spoil", REBUILT)
def test_what_others_can_write_is_rebuilt(root: Path, capfdbinary: pytest.CaptureFixture[bytes], spoil: Spoil) -> None:
    """A catalogue that others own or could write to is rebuilt and private again, and one line says so, once."""
    path = planted(root)
    assert ["planted"] == prompts(root, capfdbinary)[0]
    Path(f"{path}{file_state.SUFFIX}").unlink()
    spoil(path)

    found, said = prompts(root, capfdbinary)
    assert (["feed the okapi"], True) == (found, b"the index is rebuilt: other users can write to its" in said)
    assert (0o600, 0o700) == (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777)
    assert (["feed the okapi"], b"") == prompts(root, capfdbinary)


@needs_root
def test_a_directory_of_somebody_else_is_refused(root: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Nothing in a directory of another user is read or written; the answer comes from an index in memory."""
    path = planted(root)
    give_directory(path)
    before = path.read_bytes()

    found, said = prompts(root, capfdbinary)
    assert (["feed the okapi"], True) == (found, b"its directory belongs to another user" in said)
    assert before == path.read_bytes()
    assert 0 == run(["--root", str(root), "search", "okapi"])
    assert REFUSED == run(["--root", str(root), "index"])
    assert b"not saved after this run" in capfdbinary.readouterr().err


@pytest.mark.parametrize("spoil", [open_directory, pytest.param(give_directory, marks=needs_root)])
def test_words_of_somebody_else(root: Path, capfdbinary: pytest.CaptureFixture[bytes], spoil: Spoil) -> None:
    """A full-text index that others own or could write to is replaced, and searches find everything."""
    path = planted(root)
    words = path.with_suffix(".words") / "meta"
    spoil(words)

    assert 0 == run(["--root", str(root), "search", "okapi"])
    assert b"okapi" in capfdbinary.readouterr().out
    assert (os.geteuid(), 0o700) == (words.parent.stat().st_uid, words.parent.stat().st_mode & 0o777)


@needs_root
def test_another_user_beside_ours(root: Path) -> None:
    """A user who may read our directory, but not write to it, gets the right answer from memory."""
    path = planted(root)
    for item in (path.parent.parent, *path.parent.parent.rglob("*")):
        item.chmod(0o755 if item.is_dir() else 0o644)
    for item in root.rglob("*"):
        item.chmod(0o755 if item.is_dir() else 0o644)
    let_others_in(root)

    assert [0, 0] == as_nobody(
        lambda: [run(["--root", str(root), *command]) for command in (["list"], ["search", "okapi"])]
    )


@pytest.mark.parametrize("version", [VERSION - 1, VERSION + 1])
def test_another_schema(root: Path, capfdbinary: pytest.CaptureFixture[bytes], version: int) -> None:
    """An older or a newer schema, whose tables are not ours, is rebuilt, and one line says so, once."""
    path = planted(root)
    with closing(sqlite3.connect(path)) as database:
        database.execute("ALTER TABLE session DROP COLUMN models")
        database.execute(f"PRAGMA user_version = {version}")

    found, said = prompts(root, capfdbinary)
    assert (["feed the okapi"], True) == (found, b"the index is rebuilt: another version of backscroll made it" in said)
    assert (["feed the okapi"], b"") == prompts(root, capfdbinary)
    assert 0 == run(["--root", str(root), "search", "okapi"])
