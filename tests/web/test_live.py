"""New messages and sessions reach an open page."""

import json
from typing import Any, NamedTuple

import pytest
from chromium import needs_chromium
from make import assistant, call, given, user
from playwright.sync_api import Page, expect
from web.conftest import Site, Visit

pytestmark = [pytest.mark.slow, needs_chromium]

SETTLED = """() => new Promise(done => {
  let [place, quiet] = [scrollY, 0];
  const look = () => {
    quiet = scrollY === place ? quiet + 1 : 0;
    place = scrollY;
    if (quiet > 20) done(); else requestAnimationFrame(look);
  };
  look();
})"""
"""Waits until twenty frames in a row show the same place."""
READ = """() => {
  const found = document.elementFromPoint(innerWidth / 3, innerHeight / 2).closest('article[data-message]');
  return [found.dataset.message, found.getBoundingClientRect().top, scrollY];
}"""
"""Returns the message in the middle of the window, and its place there."""
LEFT = "() => document.documentElement.scrollHeight - innerHeight - scrollY"
"""Returns the pixels below the window."""


class Written(NamedTuple):
    """A session that a test writes; every record has an id of its own, so no session is a copy of another."""

    site: Site
    stem: str

    def uuid(self, number: int) -> str:
        """Return the id of a record."""
        return f"{self.stem[:8]}-0000-4000-8000-{number:012d}"

    def article(self, number: int) -> str:
        """Return the selector of a message."""
        return f"article[data-message='{self.uuid(number)}']"

    def append(self, *records: dict[str, Any]) -> None:
        """Append records, each an answer to the one before it."""
        file = self.site.root / f".claude/projects/-home-ann-live/{self.stem}.jsonl"
        file.parent.mkdir(exist_ok=True)
        number = file.read_bytes().count(b"\n") if file.exists() else 0
        with file.open("a") as opened:
            for record in records:
                number += 1
                place = {"uuid": self.uuid(number), "parentUuid": self.uuid(number - 1) if number > 1 else None}
                opened.write(json.dumps({**record, **place, "sessionId": self.stem, "cwd": "/home/ann/live"}) + "\n")


def written(visit: Visit, digit: str, answers: int = 0) -> Written:
    """Write a session with a prompt and long answers."""
    found = Written(visit.site, f"{digit * 8}-3333-4444-8555-666666666666")
    long = [assistant("", content=f"{'long answer ' * 60}{n}", api=f"msg_{digit * 8}_{n:04d}") for n in range(answers)]
    found.append(user("", content="Is anybody live?"), *long)
    return found


def opened(visit: Visit, session: Written) -> Page:
    """Open a session, and wait until news of it arrive."""
    with visit.page.expect_response("**/api/watch**"):
        return visit.open(f"/sessions/{session.stem}", "article[data-message]")


def test_a_new_session_enters_the_list(visit: Visit) -> None:
    """The list shows a session soon after its first record is written."""
    with visit.page.expect_response("**/api/watch"):
        page = visit.open("/", "a.row")
    session = written(visit, "2")
    expect(page.locator(f"a.row[data-session='{session.stem}']")).to_be_visible()


def test_a_page_follows_at_its_end(visit: Visit) -> None:
    """At the end every new message comes into view, short ones and one that is higher than the window."""
    session = written(visit, "3", 40)
    page = opened(visit, session)
    page.keyboard.press("Shift+G")
    expect(page.locator(session.article(41))).to_be_in_viewport()
    page.evaluate(SETTLED)
    for number, text in enumerate(("One more", "a high one " * 900, "And the last"), 42):
        session.append(user("", content=text))
        expect(page.locator(session.article(number))).to_be_attached()
        page.evaluate(SETTLED)
        assert page.evaluate(LEFT) <= 1
    expect(page.locator(".pill")).to_have_count(0)


def test_a_page_never_moves_a_reader(visit: Visit) -> None:
    """In the middle nothing moves by a pixel, and a button counts the new messages and leads to them."""
    session = written(visit, "4", 40)
    page = opened(visit, session)
    page.keyboard.press("Shift+G")
    expect(page.locator(session.article(41))).to_be_in_viewport()
    page.evaluate(SETTLED)
    page.mouse.move(500, 500)
    page.mouse.wheel(0, -2500)
    page.evaluate(SETTLED)
    before = page.evaluate(READ)
    assert page.evaluate(LEFT) > 1000
    news = [
        assistant("", content=[call("toolu_live_live_live_1", "Bash", command="make test")], api="msg_live_live_live"),
        user("", content=[given("toolu_live_live_live_1", "12 passed\n" * 30)]),
        user("", content="And one while you read above"),
    ]
    for number, record in enumerate(news, 1):
        session.append(record)
        expect(page.get_by_role("button", name=f"{number} new ↓")).to_be_visible()
        page.evaluate(SETTLED)
        assert page.evaluate(READ) == before
    page.get_by_role("button", name="3 new ↓").click()
    expect(page.locator(session.article(44))).to_be_in_viewport()
    expect(page.locator(".pill")).to_have_count(0)


def test_a_short_session_follows_from_its_first_screen(visit: Visit) -> None:
    """A session that fits into the window is at its end: the page follows without a click."""
    session = written(visit, "5")
    page = opened(visit, session)
    for number in range(2, 14):
        text = f"{'answer ' * 80}{number}"
        session.append(assistant("", content=text, api=f"msg_short_short_{number:04d}"))
    expect(page.locator(session.article(13))).to_be_in_viewport()
