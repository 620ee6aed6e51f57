"""The static site in a real browser, opened from the disk: it searches, filters and marks, and asks for nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import BINARY, needs_chromium
from command import said
from make import UUID, Draft, bash, home

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.slow, needs_chromium]

BAD = "</script><script>window.ran=1</script><img src=x onerror=window.ran=1>"
OTHER = "22222222-aaaa-4aaa-8aaa-000000000002"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site of two sessions with a hostile title, project and text."""
    root = tmp_path_factory.mktemp("home")
    Draft(UUID, f"/home/x/{BAD}").title(BAD, by="custom").prompt(f"Why is Größe wrong? {BAD}").answer(
        "Because", calls=[bash("grep -r umlaut", f"{BAD} {'wide ' * 60}\n" + "line\n" * 40 + "deeply folded word")]
    ).write(home(root))
    Draft(OTHER, "/home/x/tides").prompt("How high is the tide? 潮汐").answer("Two metres").write(home(root))

    assert 0 == said("--root", root, "export", "--dir", root / "site")[0]
    return root / "site"


@pytest.fixture
def page() -> Iterator[tuple[Any, list[str]]]:
    """Yield a page, and the addresses that it asks for."""
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BINARY, args=["--no-sandbox"])
        opened = browser.new_page()
        requests: list[str] = []
        opened.on("request", lambda request: requests.append(request.url))
        yield opened, requests

        assert opened.evaluate("window.ran") is None
        assert {"file"} == {url.partition(":")[0] for url in requests}
        browser.close()


def test_the_search_leads_to_the_message(site: Path, page: tuple[Any, list[str]]) -> None:
    """Beginnings of words without accents find the session; its page shows the matches, folded ones too."""
    opened, requests = page
    opened.goto((site / "search.html").as_uri())
    opened.get_by_role("searchbox").fill("grosse fold")
    none = opened.locator("#found li").count()
    opened.get_by_role("searchbox").fill("größe fold")
    opened.locator("#found a").click()

    assert 0 == none
    assert opened.url.startswith((site / "sessions" / f"{UUID}.html").as_uri())
    assert opened.get_by_text("deeply folded word").is_visible()
    assert opened.evaluate("CSS.highlights.get('found').size") >= 2
    assert 2 == len(requests)


def test_characters_of_other_scripts_are_found(site: Path, page: tuple[Any, list[str]]) -> None:
    """A character in the middle of a run is found; the address may hold the query."""
    opened, _ = page
    opened.goto((site / "search.html").as_uri() + "#q=汐 metr")

    assert [f"sessions/{OTHER}.html"] == [
        link.get_attribute("href").partition("#")[0] for link in opened.locator("#found a").all()
    ]


def test_the_list_filters_and_works_without_a_script(site: Path, page: tuple[Any, list[str]]) -> None:
    """Typing leaves the sessions that fit; `/` goes to the box; nothing of a title runs."""
    opened, _ = page
    opened.goto((site / "index.html").as_uri())
    opened.keyboard.press("/")
    opened.keyboard.type("tides")

    assert 1 == opened.locator("main li:visible").count()
    assert 2 == opened.locator("main li").count()
    assert 0 == opened.locator("img").count()


def test_a_link_leads_to_a_message_and_escape_clears_the_search(site: Path, page: tuple[Any, list[str]]) -> None:
    """Every message has an anchor; a search without a match hides all messages until it is cleared."""
    opened, _ = page
    opened.goto((site / "sessions" / f"{UUID}.html").as_uri() + "#m1")
    box = opened.get_by_role("searchbox")
    box.fill("zzzz")
    hidden = opened.locator("main article:visible").count()
    box.press("Escape")

    assert 0 == hidden
    assert opened.locator("#m1").is_visible()
    assert opened.locator("main article:visible").count() >= 2


def test_long_lines_are_reached_with_the_keyboard(site: Path, page: tuple[Any, list[str]]) -> None:
    """A block that scrolls sideways takes the focus once its box is open; a narrow one does not."""
    opened, _ = page
    opened.goto((site / "sessions" / f"{UUID}.html").as_uri())
    opened.get_by_role("button", name="Expand all").click()
    opened.wait_for_function("document.querySelector('pre[tabindex]')")
    wide = opened.locator("pre[tabindex]").evaluate_all("all => all.map(one => one.scrollWidth > one.clientWidth)")
    narrow = opened.locator("pre:not([tabindex])").evaluate_all(
        "all => all.map(one => one.scrollWidth > one.clientWidth)"
    )

    assert True in wide
    assert False not in wide
    assert True not in narrow
