"""Files of our own index deleted, cut, changed, exchanged or added: a right answer, or exit 5 and then a right one."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from chance import IS_LONG, chance, rounds
from make import Draft, bash, home, row, write_side

from backscroll.cli.main import run
from backscroll.errors import DONE, OURS_DAMAGED

COMMANDS = (("search", "common", "--all-hits", "--limit", "100"), ("list", "--all"))
SEED = 18
SESSIONS = 6
FLIPS = 40


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a home and its index, whose words have two parts and a deleted document; attacks work on copies."""
    place = tmp_path_factory.mktemp("shelf")
    root = home(place / "root")
    for number in range(SESSIONS):
        draft(number).write(root)
    row(root, cliSessionId=draft(0).session)
    write_side(root, "todos/a.json", json.dumps([{"content": "common chore"}]).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BACKSCROLL_HOME", str(place / "whole"))
        assert DONE == run(["--root", str(root), "index"])
        draft(SESSIONS).write(root)
        draft(1).prompt("common again").write(root)
        write_side(root, "todos/a.json", json.dumps([{"content": "common errand"}]).encode())
        assert DONE == run(["--root", str(root), "index"])
    return place


def draft(number: int) -> Draft:
    """Return one of the sessions."""
    begun = Draft(f"{number:08}-1111-4111-8111-111111111111", f"/srv/{number}")
    return begun.prompt(f"common {number}").answer("common", calls=[bash("ls", "common")]).title(f"Title {number}")


class Attacked:
    """The home with a copy of its index that an attack may change."""

    def __init__(self, shelf: Path, ours: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.shelf = shelf
        self._capture = capture
        self.ours = ours
        self._tried = 0
        self.right = [self.answer(command) for command in COMMANDS]

    def renew(self, patch: pytest.MonkeyPatch) -> None:
        """Take a fresh copy; threads of the search engine may still write into the one before."""
        self._tried += 1
        shutil.rmtree(self.ours, ignore_errors=True)
        self.ours = self.ours.with_name(f"ours-{self._tried}")
        shutil.copytree(self.shelf / "whole", self.ours)
        patch.setenv("BACKSCROLL_HOME", str(self.ours))

    def files(self) -> list[Path]:
        """Return the files of the index: the catalogue first, then those of the words."""
        return sorted(path for path in (self.ours / "index").rglob("*") if path.is_file())

    def check(self, what: object) -> int:
        """Run each command until it answers; return how many of them said that the index was damaged."""
        return sum(self._check(what, command, right) for command, right in zip(COMMANDS, self.right, strict=True))

    def _check(self, what: object, command: tuple[str, ...], right: Any) -> bool:
        code, found, said = self.answer(command)
        if code == OURS_DAMAGED:
            assert right[:2] == self.answer(command)[:2], (what, command, said)
            return True
        assert right[:2] == (code, found), (what, command, said)
        return False

    def answer(self, command: tuple[str, ...]) -> tuple[int, Any, bytes]:
        """Return exit code, answer and messages of a command."""
        code = run(["--root", str(self.shelf / "root"), *command, "--json"])
        out, said = self._capture.readouterr()
        return code, essence(json.loads(out)) if out else None, said


def essence(answer: Any) -> Any:
    """Return what must not change: all of a list; of hits all but their order and scores."""
    if "hits" not in answer:
        return answer
    hits = sorted(json.dumps(hit | {"score": None}, sort_keys=True) for hit in answer["hits"])
    return answer["total"], answer["is_current"], hits


@pytest.fixture
def attacked(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Iterator[Attacked]:
    """Return the home with its index."""
    shutil.copytree(shelf / "whole", tmp_path / "ours")
    monkeypatch.setenv("BACKSCROLL_HOME", str(tmp_path / "ours"))
    attacked = Attacked(shelf, tmp_path / "ours", capfdbinary)
    attacked.renew(monkeypatch)
    yield attacked
    shutil.rmtree(attacked.ours, ignore_errors=True)


def test_the_index_has_files_of_every_kind(attacked: Attacked) -> None:
    """The attacks below reach the catalogue, two parts of the words at least, and their list of deleted documents."""
    kinds = [path.suffix for path in attacked.files()]

    assert {".db", ".del", ".fast", ".fieldnorm", ".idx", ".json", ".pos", ".store", ".term"} <= set(kinds)
    assert 2 <= kinds.count(".pos")


@pytest.mark.slow
def test_each_file_deleted(attacked: Attacked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever file is missing, the answer is right."""
    for number in range(len(attacked.files())):
        attacked.renew(monkeypatch)
        path = attacked.files()[number]
        path.unlink()
        attacked.check(("deleted", path.name))


@pytest.mark.slow
def test_each_file_cut(attacked: Attacked, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is empty, or lost its end, is noticed."""
    numbers = chance(SEED)
    for number in range(len(attacked.files())):
        for share in (0.0, numbers.random()):
            attacked.renew(monkeypatch)
            path = attacked.files()[number]
            os.truncate(path, int(path.stat().st_size * share))
            attacked.check(("cut", path.name, share))


def flipped(path: Path, numbers: Random) -> list[int]:
    """Change some bits of a file; return the places."""
    data = bytearray(path.read_bytes())
    places = [numbers.randrange(len(data)) for _ in range(numbers.choice([1, 1, 2, 8, 64]))] if data else []
    for place in places:
        data[place] ^= 1 << numbers.randrange(8)
    path.write_bytes(data)
    return places


def is_words(path: Path) -> bool:
    """Say whether a file belongs to the words."""
    return path.parent.name.startswith("words-")


@pytest.mark.slow
@pytest.mark.parametrize("is_wanted", [is_words, lambda path: not is_words(path)], ids=["words", "catalogue"])
def test_bits_flipped(attacked: Attacked, monkeypatch: pytest.MonkeyPatch, is_wanted: Callable[[Path], bool]) -> None:
    """Changed bits never change an answer."""
    numbers = chance(SEED)
    for number in range(rounds(FLIPS)):
        attacked.renew(monkeypatch)
        path = numbers.choice([path for path in attacked.files() if is_wanted(path)])
        attacked.check(("flipped", number, path.name, flipped(path, numbers)))


def test_a_changed_value_is_noticed(attacked: Attacked) -> None:
    """A value that something else changed in the catalogue, whose structure stays whole, is never told."""
    catalogue = next(path for path in attacked.files() if path.suffix == ".db")
    data = catalogue.read_bytes()
    assert b"Title 3" in data
    catalogue.write_bytes(data.replace(b"Title 3", b"Title 7"))

    assert 0 == attacked.check("a title")


@pytest.mark.slow
def test_files_exchanged(attacked: Attacked, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in the place of another is noticed, though each is whole."""
    numbers = chance(SEED)
    for number in range(rounds(20)):
        attacked.renew(monkeypatch)
        kind = numbers.choice([".pos", ".term", ".idx", ".fast", ".store", ".fieldnorm"])
        same = [path for path in attacked.files() if path.suffix == kind]
        one, other = numbers.sample(same if number % 2 else attacked.files(), 2)
        aside = attacked.ours / "aside"
        one.rename(aside)
        other.rename(one)
        aside.rename(other)
        attacked.check(("exchanged", one.name, other.name))


def test_foreign_files(attacked: Attacked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and directories that nobody of ours wrote change nothing."""
    words = next(path for path in attacked.files() if is_words(path)).parent
    names = ["junk", "0" * 32 + ".term", "0" * 32 + ".99.del", ".tantivy-writer.lock", ".tmpAbCdEf", "meta.json.bak"]
    for name in names:
        attacked.renew(monkeypatch)
        path = attacked.ours / words.relative_to(words.parents[2]) / name
        path.write_bytes(b"\0foreign\xff")
        attacked.check(("added", name))
        assert path.name == ".tantivy-writer.lock" or path.exists() or "0" * 32 in name


def test_an_older_half(attacked: Attacked, monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue or words from before the last run, beside the other half from after it, answer right."""
    for is_older in (is_words, lambda path: not is_words(path)):
        attacked.renew(monkeypatch)
        before = {path: path.read_bytes() for path in attacked.files()}
        late = draft(SESSIONS + 1).write(attacked.shelf / "root")
        attacked.answer(("index",))
        late.unlink()
        for path in filter(is_older, attacked.files()):
            path.unlink()
        for path in filter(is_older, before):
            path.write_bytes(before[path])
        attacked.check("older")


@pytest.mark.skipif(not IS_LONG, reason="part of make faults")
def test_every_byte_of_the_lists(attacked: Attacked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte of the lists that the search engine keeps of its files may change."""
    for name in ("meta.json", ".managed.json"):
        size = next(path for path in attacked.files() if path.name == name).stat().st_size
        for place in range(0, size, 3):
            attacked.renew(monkeypatch)
            path = next(path for path in attacked.files() if path.name == name)
            data = bytearray(path.read_bytes())
            data[place] ^= 4
            path.write_bytes(data)
            attacked.check((name, place))
