"""A pytest plugin for `run_mutants.py`: tell coverage which test is running."""

from collections.abc import Iterator

import coverage
import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Name the test as the context of every line that it executes, fixtures included."""
    if (current := coverage.Coverage.current()) is None:
        return (yield)
    current.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        current.switch_context("")
