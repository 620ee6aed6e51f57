"""Memory is given back while the index is made."""

import mmap
import sys
import threading
import time
from pathlib import Path

import pytest

from backscroll.index import memory
from backscroll.index.fulltext import FullText

PAGE, PAGES = 4096, 2000

linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells what is mapped")


def held_of_files() -> int:
    """Return how many kilobytes of mapped files count as this process's memory."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssFile:"))


@pytest.fixture
def mapped(tmp_path: Path) -> mmap.mmap:
    """Return a file that is mapped and read."""
    path = tmp_path / "words" / "large"
    path.parent.mkdir()
    path.write_bytes(bytes(range(256)) * (PAGE // 256) * PAGES)
    with path.open("rb") as file:
        held = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    _read(held)
    return held


def _read(held: mmap.mmap) -> int:
    return sum(held[place * PAGE + 7] for place in range(PAGES))


@linux_only
def test_files_are_given_back(tmp_path: Path, mapped: mmap.mmap) -> None:
    """Files of a directory no longer count, those of others do; and what they hold is still there."""
    before = held_of_files()
    memory.give_back_files(tmp_path / "other")
    memory.give_back_files(tmp_path / "wor")
    assert held_of_files() > before - PAGES
    memory.give_back_files(tmp_path / "words")
    assert held_of_files() < before - PAGES * 3
    assert _read(mapped) == 7 * PAGES


@linux_only
def test_given_back_meanwhile(tmp_path: Path, mapped: mmap.mmap, monkeypatch: pytest.MonkeyPatch) -> None:
    """A helper does so at every moment, until what it is for is over."""
    monkeypatch.setattr(memory, "MOMENT", 0.01)
    before, helpers = held_of_files(), threading.active_count()
    with memory.given_back(tmp_path / "words"):
        until = time.monotonic() + 20
        while held_of_files() > before - PAGES and time.monotonic() < until:
            time.sleep(0.01)
        assert held_of_files() < before - PAGES
    assert threading.active_count() == helpers
    assert _read(mapped) == 7 * PAGES


def test_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a system that knows nothing of this, nothing happens."""
    monkeypatch.setattr(memory, "_MAPS", tmp_path / "none")
    monkeypatch.setattr(memory, "_library", object)
    monkeypatch.setattr(memory, "MOMENT", 0.001)
    memory.give_back_early()
    memory.give_back_now()
    with memory.given_back(tmp_path):
        time.sleep(0.02)


@linux_only
def test_while_words_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever writes words has it done in their directory."""
    asked: list[Path] = []
    monkeypatch.setattr(memory, "MOMENT", 0.001)
    monkeypatch.setattr(memory, "give_back_files", asked.append)
    text = FullText(tmp_path)
    with text.writer(is_bulk=False):
        time.sleep(0.05)
    text.close()
    assert set(asked) == {tmp_path}
