"""A page that hangs: its test fails and tells what the browser did, and the next test has a browser again."""

import shutil
from collections.abc import Callable

import pytest
from chromium import needs_chromium
from playwright.sync_api import Browser, Error
from web.hung import ended_if_hung

pytestmark = [pytest.mark.slow, needs_chromium]


@pytest.mark.skipif(shutil.which("ps") is None, reason="needs ps")
def test_a_page_that_hangs_is_ended(running_browser: Callable[[], Browser], capfd: pytest.CaptureFixture[str]) -> None:
    """Playwright would wait for ever; the browser is ended, its processes are named, and another one starts."""
    page = running_browser().new_page()
    with ended_if_hung(0.1), pytest.raises(Error, match="closed"):
        page.evaluate("for (;;);")

    assert "\n  renderer " in capfd.readouterr().err
    assert running_browser().new_page().evaluate("1 + 1") == 2
