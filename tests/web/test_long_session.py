"""A session of 100,000 messages: the first screen, the last message and a jump, with few elements."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import needs_chromium
from playwright.sync_api import Browser, Page, expect
from web.conftest import Visit, serving

pytestmark = [pytest.mark.slow, needs_chromium]

MESSAGES, MOST_ELEMENTS = 100_000, 3_000
STEM = "44444444-5555-4666-8777-888888888888"


def lines() -> Iterator[str]:
    """Yield prompts and answers in turn."""
    common = {"sessionId": STEM, "cwd": "/x", "timestamp": "2026-05-01T10:00:00.000Z"}
    for number in range(MESSAGES):
        parent = None if number == 0 else f"{number - 1:08d}-0000-4000-8000-444444444444"
        role = "assistant" if number % 2 else "user"
        content = [{"type": "text", "text": f"say {number}"}]
        message = {"role": role, "content": content} | ({"id": f"msg_{number:020d}"} if number % 2 else {})
        record = {"type": role, "uuid": f"{number:08d}-0000-4000-8000-444444444444", "parentUuid": parent}
        yield json.dumps(record | {"message": message} | common) + "\n"


def elements(page: Page) -> int:
    """Return the number of elements on a page."""
    return page.locator("*").count()


def last_place(page: Page) -> int:
    """Return the place of the last message on the page, from 1 on."""
    return int(page.locator("article").last.get_attribute("aria-posinset") or 0)


def test_every_message_is_within_reach(browser: Browser, tmp_path: Path) -> None:
    """The last message, a message in the middle and the first are shown; at most 3,000 elements each time."""
    file = tmp_path / f"home/.claude/projects/-x/{STEM}.jsonl"
    file.parent.mkdir(parents=True)
    with file.open("w") as opened:
        opened.writelines(lines())
    with serving(tmp_path / "home") as site:
        visit = Visit(browser.new_context(viewport={"width": 1440, "height": 900}), site)
        page = visit.open(f"/sessions/{STEM}", "article[aria-posinset='1']")
        expect(page.locator("article").first).to_have_attribute("aria-setsize", str(MESSAGES))
        assert elements(page) <= MOST_ELEMENTS
        page.keyboard.press("Shift+G")
        expect(page.locator(f"article[aria-posinset='{MESSAGES}']")).to_be_in_viewport()
        assert elements(page) <= MOST_ELEMENTS
        page.goto(f"{site.own}/sessions/{STEM}?at=00050000-0000-4000-8000-444444444444")
        expect(page.locator("article[aria-posinset='50001']")).to_be_in_viewport()
        for _ in range(1000):
            page.mouse.wheel(0, 2000)
            page.wait_for_timeout(100)
            if last_place(page) > 50100:
                break
        assert last_place(page) > 50100
        assert elements(page) <= MOST_ELEMENTS
        visit.check()
