"""A list longer than its first answer: the rest follows in a compact form."""

from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from chromium import needs_chromium
from make import assistant, call, home, line, user
from playwright.sync_api import Browser, Route, expect
from web.conftest import Visit, serving

pytestmark = [pytest.mark.slow, needs_chromium]

SESSIONS = 300


def write_sessions(root: Path) -> None:
    """Write sessions of two records, one a minute; the oldest ended inside a call."""
    directory = home(root) / ".claude/projects/-x"
    directory.mkdir(parents=True)
    for number in range(SESSIONS):
        stem, common = f"{number:08d}-1111-4222-8333-444444444444", {"cwd": "/x"}
        common["timestamp"] = f"2026-05-01T{10 + number // 60}:{number % 60:02d}:00.000Z"
        content = "Done." if number else [call("toolu_open_open_open_1", "Bash", command="make")]
        first, second = f"{number:08d}-0001-4222-8333-444444444444", f"{number:08d}-0002-4222-8333-444444444444"
        records = [user(first, None, f"Title {number}"), assistant(second, first, content)]
        (directory / f"{stem}.jsonl").write_bytes(
            b"".join(line({**one, **common, "sessionId": stem}) for one in records)
        )


def test_the_rest_of_a_long_list_follows(browser: Browser, tmp_path: Path) -> None:
    """The page says when rows are missing; the last can be reached and copied; a filter finds the one cut off."""
    write_sessions(tmp_path / "home")
    with serving(tmp_path / "home") as site:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.own)
        visit = Visit(context, site)
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        visit.page.route(lambda url: "all=1" in url, hold)
        page = visit.open("/", "a.row")
        expect(page.get_by_text("200 of the newest 200, reading all 300, in 1 store")).to_be_visible()
        while not held:
            page.wait_for_timeout(50)
        held.pop().continue_()
        expect(page.get_by_text("300, in 1 store", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name="Ended in a call 1")).to_be_enabled()
        page.keyboard.press("Shift+G")
        last = page.locator(f"a.row[data-session^='{0:08d}']")
        expect(last).to_be_focused()
        assert page.locator("*").count() < 1500
        expect(last.locator(".dot.cutoff")).to_have_text("ended inside a call")
        page.keyboard.press("y")
        expect(page.locator(".toast")).to_contain_text("Copied the resume command")
        assert "--resume 00000000-" in page.evaluate("navigator.clipboard.readText()")
        page.get_by_role("button", name="Ended in a call").click()
        expect(page.locator("a.row")).to_have_count(1)
        asked = [parse_qs(urlparse(url).query) for url in visit.asked if "/api/list?" in url]
        assert ["200"] in [one.get("limit") for one in asked]
        assert all("fields" in one for one in asked if "all" in one)
        visit.check()
        context.close()
