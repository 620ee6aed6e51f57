"""`search_index` in the wrong thread or at the wrong time: our own error, not one of SQLite or the search engine."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, home

import backscroll
from backscroll.errors import RefusedError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with one session."""
    Draft(UUID).prompt("heron").write(home(tmp_path))
    return tmp_path


def test_after_its_context(root: Path) -> None:
    """A search after the context ended says that the index is closed."""
    with backscroll.search_index(root) as search:
        assert 1 == search("heron").total

    with pytest.raises(RefusedError, match="closed"):
        search("heron")


def test_after_its_library_was_closed(root: Path) -> None:
    """So does a search after `close`, though the context is still open."""
    with backscroll.open(root) as library, library.search_index() as search:
        library.close()
        with pytest.raises(RefusedError, match="closed"):
            search("heron")


def test_in_another_thread(root: Path) -> None:
    """Other threads are told what to do, and the thread that opened the index is not disturbed."""

    def refused(search: Callable[..., Any]) -> bool:
        try:
            search("heron")
        except RefusedError as error:
            return "another thread" in error.what
        return False

    with backscroll.search_index(root) as search, ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(refused, search) for _ in range(20)]

        assert all(answer.result() for answer in answers)
        assert 1 == search("heron").total
