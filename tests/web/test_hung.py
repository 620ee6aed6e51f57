"""A page that hangs: its test fails and tells what the browser did, and the next test has a browser again."""

import shutil
from collections.abc import Callable

import pytest
from chromium import needs_chromium
from playwright.sync_api import Browser, Error
from web import hung

pytestmark = [pytest.mark.slow, needs_chromium, pytest.mark.skipif(shutil.which("ps") is None, reason="needs ps")]

runs: list[str] = []


def test_a_page_that_hangs_is_ended(running_browser: Callable[[], Browser]) -> None:
    """Playwright would wait for ever; the browser is ended, its processes are named, and another one starts."""
    page = running_browser().new_page()
    with hung.ended_if_hung(0.1), pytest.raises(Error, match="closed"):
        page.evaluate("for (;;);")

    assert "\n  renderer " in hung.ended.pop()
    assert running_browser().new_page().evaluate("1 + 1") == 2


def test_a_test_runs_again_after_its_browser_hung(running_browser: Callable[[], Browser]) -> None:
    """The first run ends with a hung browser and does not count; the second one passes."""
    runs.append("a run")
    if len(runs) == 1:
        with hung.ended_if_hung(0.1):
            running_browser().new_page().evaluate("for (;;);")

    assert len(runs) == 2
