"""Damage to our own index, byte by byte: never an internal error, and all is right again with the next command."""

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from make import Draft, bash, home, row

from backscroll.cli.main import run
from backscroll.errors import DONE, NOT_FOUND, OURS_DAMAGED

COMMANDS = (
    ("list", "--all"),
    ("search", "common", "--all-hits"),
    ("show", "00000001"),
    ("usage",),
    ("search", "Title", "--sort", "time"),
    ("files",),
    ("stores",),
)
SESSIONS = 6


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a home and its index once; the index is damaged in copies."""
    place = tmp_path_factory.mktemp("damage")
    root = home(place / "root")
    for number in range(SESSIONS):
        draft = Draft(f"{number:08}-1111-4111-8111-111111111111", f"/srv/{number}")
        draft.prompt(f"common {number}").answer("common", calls=[bash("ls", "common")]).title(f"Title {number}")
        draft.write(root)
    row(root, cliSessionId="00000000-1111-4111-8111-111111111111")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BACKSCROLL_HOME", str(place / "whole"))
        assert DONE == run(["--root", str(root), "index"])
    return place


def damage(path: Path, chance: random.Random) -> None:
    """Flip some bits of a file, lose a page of it, or its end."""
    data = bytearray(path.read_bytes())
    how = chance.choice(["flip"] * 8 + ["zero", "cut"])
    if how == "flip":
        for _ in range(chance.choice([1, 1, 2, 8, 64])):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif how == "zero":
        start = chance.randrange(len(data)) // 4096 * 4096
        data[start : start + 4096] = bytes(len(data[start : start + 4096]))
    else:
        del data[chance.randrange(len(data)) :]
    if path.suffix == ".db":
        rot(path, data)
    else:
        path.write_bytes(data)


def rot(path: Path, data: bytes | bytearray) -> None:
    """Change a file as a failing disk does: its time stays."""
    times = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def catalogue(ours: Path, _: random.Random) -> Path:
    """Return the catalogue."""
    return next((ours / "index").glob("*.db"))


def words(ours: Path, chance: random.Random) -> Path:
    """Return a file of the index of words."""
    files = sorted(path for path in (ours / "index").rglob("words-*/*") if path.stat().st_size)
    return chance.choice(files)


def damaged_copies(
    shelf: Path, tmp_path: Path, target: Callable[[Path, random.Random], Path], tries: int
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each damaged copy of the index, now our own directory, and the command to run with it."""
    chance = random.Random(4)  # noqa: S311 - the same damage every time
    with pytest.MonkeyPatch.context() as patch:
        for number in range(tries):
            ours = tmp_path / str(number)  # threads of the full-text engine may still write into the one before
            patch.setenv("BACKSCROLL_HOME", str(ours))
            shutil.copytree(shelf / "whole", ours)
            damage(target(ours, chance), chance)
            yield number, ["--root", str(shelf / "root"), *COMMANDS[number % len(COMMANDS)]]
            shutil.rmtree(ours, ignore_errors=True)


@pytest.mark.slow
def test_a_damaged_catalogue(shelf: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Whatever is damaged in the catalogue, the command answers, or says so and answers the next time."""
    told = 0
    for number, command in damaged_copies(shelf, tmp_path, catalogue, 300):
        code = run(command)
        assert code in {DONE, NOT_FOUND, OURS_DAMAGED}, (number, command, capfdbinary.readouterr().err)
        if code == OURS_DAMAGED:
            told += 1
            capfdbinary.readouterr()
            assert DONE == run(command), (number, command, capfdbinary.readouterr().err)

    assert told


@pytest.mark.slow
def test_damaged_words(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Whatever is damaged in the words, every command answers as with whole ones: a search rebuilds them at once."""
    monkeypatch.setenv("BACKSCROLL_HOME", str(shelf / "whole"))
    expected = []
    for words_of_command in COMMANDS:
        assert DONE == run(["--root", str(shelf / "root"), *words_of_command])
        expected.append(capfdbinary.readouterr().out)

    for number, command in damaged_copies(shelf, tmp_path, words, 150):
        code = run(command)

        assert (DONE, expected[number % len(COMMANDS)]) == (code, capfdbinary.readouterr().out), (number, command)


def test_a_changed_letter_is_seen(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """What a list shows of a session is what was written, or the index is made anew."""
    ours = tmp_path / "ours"
    monkeypatch.setenv("BACKSCROLL_HOME", str(ours))
    shutil.copytree(shelf / "whole", ours)
    path = catalogue(ours, random.Random())  # noqa: S311
    data = path.read_bytes()
    rot(path, data.replace(b"Title 3", b"Title 8"))
    assert path.read_bytes() != data
    command = ["--root", str(shelf / "root"), "list", "--all", "--json"]
    assert OURS_DAMAGED == run(command)
    capfdbinary.readouterr()
    assert DONE == run(command)
    titles = {session["title"] for session in json.loads(capfdbinary.readouterr().out)["sessions"]}

    assert {f"Title {number}" for number in range(1, SESSIONS)} < titles
