"""The pages in a real Chromium, under their own policy: each page, key and width."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from chromium import needs_chromium
from playwright.sync_api import Page, expect
from web.conftest import Visit

pytestmark = [pytest.mark.slow, needs_chromium]

LEDGER = "3f0c2a51-7d7e-4c1b-9a53-0d5e8a7c1b01"
RIPPLE = "71c5d0e8-6f2b-4a97-b1d4-8e9f0a1b2c06"
BUTTON = "5d1a7b92-33c8-4e90-a6f4-2b8c7d9e0a04"
AMOUNTS = "/files?path=/home/ann/code/ledger/ledger/amounts.py"
MAIN = {
    "/": "a.row[data-session]",
    "/search?query=amount": "a.hit[data-session]",
    f"/sessions/{RIPPLE}": "article[data-message]",
    "/files": "tr[data-path]",
    AMOUNTS: ".dl.a",
    "/usage?days=all": ".chart canvas",
}
TABLES = {
    f"/{name}": "table.plain tbody tr"
    for name in "tools calls desktop cowork storage worktrees flags drift stores doctor archive".split()  # noqa: SIM905
} | {
    f"/cowork/{BUTTON}": "table.plain tbody tr",
    f"/sessions/{RIPPLE}/tree": "table.plain tbody tr",
    f"/sessions/{RIPPLE}/calls": "table.plain tbody tr",
    f"/sessions/{LEDGER}/files": "tr[data-path]",
    f"/sessions/{RIPPLE}/usage": "table.plain tbody tr",
}
AXE = Path(__file__).parents[2] / "web-page/node_modules/axe-core/axe.min.js"
needs_axe = pytest.mark.skipif(not AXE.exists(), reason="needs axe-core: run `make web` where npm is")


def findings(page: Page) -> list[str]:
    """Return the serious findings of axe-core on a page."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['html'][:160]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def overflow(page: Page) -> int:
    """Return how many pixels a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@pytest.mark.parametrize("path", MAIN | TABLES)
def test_each_page_fits_wide_and_narrow_windows(visit: Visit, path: str) -> None:
    """Every page has its address, a heading and its rows, at 1440 and at 390 pixels; it never scrolls sideways."""
    page = visit.open(path, (MAIN | TABLES)[path])
    assert page.url == visit.site.own + path
    assert page.locator("h1").count() == 1
    for width in (1440, 1000, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert overflow(page) <= 0, width


@needs_axe
@pytest.mark.parametrize("path", MAIN)
def test_main_pages_have_no_serious_findings(visit: Visit, path: str) -> None:
    """axe-core finds nothing serious, in light and dark, wide and at 390 pixels."""
    page = visit.open(path, MAIN[path])
    page.emulate_media(reduced_motion="reduce")
    assert findings(page) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.set_viewport_size({"width": 390, "height": 844})
    assert findings(page) == []


@needs_axe
def test_tables_have_no_serious_findings(visit: Visit) -> None:
    """axe-core finds nothing serious on the plain tables."""
    for path in ("/tools", "/doctor", "/stores", f"/sessions/{RIPPLE}/tree"):
        assert findings(visit.open(path, TABLES[path])) == [], path


def test_a_link_leads_from_the_list_through_a_search_to_a_message(visit: Visit) -> None:
    """The link signs in and leaves the address; typing finds from the first letter, and a hit opens its message."""
    page = visit.open("/", "[data-session]")
    assert page.url == f"{visit.site.own}/"
    page.keyboard.press("/")
    page.keyboard.type("b")
    page.wait_for_selector("a.hit")
    page.keyboard.type("utto")
    expect(page.get_by_role("status").first).to_contain_text("match")
    page.locator("a.hit[data-hit]").first.click()
    page.wait_for_url("**at=*")  # the hits change while letters arrive, so the address says which one was clicked
    (message,) = parse_qs(urlsplit(page.url).query)["at"]
    target = page.locator(f"article[data-message='{message}'][aria-posinset][aria-setsize]")
    expect(target).to_be_in_viewport()


def test_keys_lead_through_the_whole_site(visit: Visit) -> None:
    """Without a mouse: move in the list, open, walk prompts, tree, files, copy, change the session, and go back."""
    page = visit.open("/", "a.row")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    first = page.locator("a.row").first
    expect(first).to_be_focused()
    page.keyboard.press("y")
    expect(page.locator(".toast")).to_contain_text("Copied the resume command")
    assert "--resume" in page.evaluate("navigator.clipboard.readText()")
    page.keyboard.press("Enter")
    page.wait_for_selector("article[data-message]")
    before, title = page.url, page.title()
    page.keyboard.press("]")
    page.wait_for_url(lambda url: url != before)
    expect(page).not_to_have_title(title)  # the next session is there, and hears the keys
    page.keyboard.press("[")
    page.wait_for_url(before)
    page.goto(f"{visit.site.own}/sessions/{RIPPLE}")
    page.wait_for_selector(".out button")
    page.keyboard.press("n")
    page.wait_for_url("**at=*")
    expect(page.locator("article.typed").last).to_be_focused()
    page.keyboard.press("p")
    expect(page.locator("article.typed").first).to_be_focused()
    page.keyboard.press("Shift+G")
    expect(page.locator("article").last).to_be_focused()
    page.keyboard.press("g")
    page.keyboard.press("g")
    expect(page.locator("article").first).to_be_focused()
    page.keyboard.press("t")
    page.wait_for_url("**/tree")
    page.wait_for_selector("table.plain")
    page.keyboard.press("f")
    page.wait_for_url("**/files")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("searchbox", name="Search everything")).to_be_focused()


PRESS_AT_ALL_MOMENTS = """async (keys) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const task = () => new Promise((done) => setTimeout(done));
  const none = () => undefined;
  const gaps = [none, frame, task, none, none, frame, frame];
  for (const [n, key] of keys.entries()) {
    const press = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(press);
    await gaps[n % gaps.length]();
  }
}"""


TYPE_AT_ONCE = """(texts) => {
  const box = document.querySelector("[role=searchbox]");
  for (const text of texts) {
    box.value = text;
    box.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }
}"""
"""Types without a pause, however busy the machine is."""


def test_keys_count_from_the_newest_key(visit: Visit) -> None:
    """Keys that come before, between and after the frames of the page move as far as slow ones."""
    page = visit.open("/", "a.row")
    page.evaluate(PRESS_AT_ALL_MOMENTS, list("jjj" + "jk" * 20 + "jjjkk"))
    rows = page.locator("a.row")
    expect(rows.nth(3)).to_be_focused()
    expect(page.locator("a.row.on")).to_have_count(1)
    page.goto(f"{visit.site.own}/sessions/{RIPPLE}")
    page.wait_for_selector(".out button")
    page.evaluate(PRESS_AT_ALL_MOMENTS, list("gg" + "jjj" + "jk" * 20 + "k"))
    expect(page.locator("article").nth(2)).to_be_focused()


def test_a_key_takes_the_focus_back_to_the_list(visit: Visit) -> None:
    """At the first row k has nowhere to move, yet the row takes the focus from a chip."""
    page = visit.open("/", "a.row")
    page.keyboard.press("j")
    first = page.locator("a.row").first
    expect(first).to_be_focused()
    page.get_by_role("button", name="Damaged").focus()
    page.keyboard.press("k")
    expect(first).to_be_focused()


def test_tab_alone_reaches_the_list_and_its_first_row_opens(visit: Visit) -> None:
    """The skip link leads past the bar; the list is one stop of Tab."""
    page = visit.open("/", "a.row")
    page.keyboard.press("Tab")
    expect(page.locator("a.skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('a.row')"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("article[data-message]")


def test_a_fork_shows_the_other_way_and_switches(visit: Visit) -> None:
    """Both ways stand at the fork; a click, and the key b, change the branch and the address."""
    page = visit.open(f"/sessions/{LEDGER}", ".forkbox")
    expect(page.locator(".way")).to_have_count(2)
    page.get_by_role("button", name="Yes, go ahead.").click()
    page.wait_for_url("**branch=b1")
    expect(page.locator("article").filter(has_text="alone is ambiguous")).to_be_attached()
    page.keyboard.press("b")
    page.wait_for_url(f"**/{LEDGER}")
    expect(page.locator("article").filter(has_text="No regex please")).not_to_have_count(0)


def test_a_link_into_an_agent_opens_it(visit: Visit) -> None:
    """An agent is folded, with its sums and last answer; a link to a message inside opens what is around it."""
    page = visit.open(f"/sessions/{RIPPLE}", ".agent .line")
    expect(page.locator(".agent .line")).to_have_attribute("aria-expanded", "false")
    expect(page.locator(".agent .line")).to_contain_text("Explore Map the hot path")
    expect(page.locator(".agent .roll")).to_contain_text("7 messages")
    assert not [url for url in visit.asked if "/api/tree" in url], "only the branches of a fork need the tree"
    messages = visit.site.json(f"/api/show/{RIPPLE}?limit=100")["messages"]
    inner = next(one["id"] for one in messages if one["depth"] == 2 and one["role"] == "user")
    page = visit.open(f"/sessions/{RIPPLE}?at={inner}", f"article[data-message='{inner}']")
    expect(page.locator(f"article[data-message='{inner}']")).to_be_in_viewport()


def test_the_reader_folds_filters_and_finds(visit: Visit) -> None:
    """Focus leaves prompts and last answers; parts can be hidden; find asks the whole session."""
    page = visit.open(f"/sessions/{LEDGER}", "article[data-message]")
    expect(page.locator("details.thinking").first).to_be_attached()
    page.get_by_role("button", name="Parts").click()
    page.get_by_label("Thinking", exact=True).uncheck()
    expect(page.locator("details.thinking")).to_have_count(0)
    assert "hide=thinking" in page.url
    page.get_by_role("button", name="Focus").click()
    expect(page.locator(".calls")).to_have_count(0)
    expect(page.get_by_text("steps folded").first).to_be_visible()
    page.get_by_label("Find in this session").fill("negative")
    page.locator(".out.found button").first.click()
    page.wait_for_url("**at=*")
    assert "limit=50" in next(url for url in visit.asked if "query=negative" in url)


def test_compactions_and_damage_stand_in_their_places(visit: Visit) -> None:
    """A compaction is a dashed rule with its summary; a torn line is told with its place."""
    page = visit.open(f"/sessions/{RIPPLE}", ".compact")
    expect(page.locator(".compact")).to_contain_text("155 k tokens")
    replaced = page.get_by_text("It replaced the 17 messages above")
    replaced.get_by_role("link", name="ripple is slower than find").click()
    page.wait_for_url("**at=*")
    expect(page.locator("article.target")).to_contain_text("ripple is slower than find")
    page = visit.open("/sessions/d8c7b6a5-4f3e-4d2c-9b1a-0f9e8d7c6b09", ".damage")
    expect(page.locator(".damage")).to_contain_text("Line 6, 412 bytes")


def test_filters_of_the_list_live_in_the_address(visit: Visit) -> None:
    """A chip filters at once, counts, and a reload shows the same rows."""
    page = visit.open("/", "a.row")
    page.get_by_role("button", name="Damaged").click()
    expect(page.locator("a.row")).to_have_count(1)
    assert page.url.endswith("?damaged=1")
    page.reload()
    expect(page.locator("a.row")).to_have_count(1)
    page.get_by_role("button", name="Damaged").click()
    page.get_by_role("button", name="Store", exact=True).click()
    page.get_by_role("button", name="cowork").click()
    expect(page.locator("a.row")).not_to_have_count(1)
    assert {one.get_attribute("data-session") for one in page.locator("a.row").all()} == {
        one["id"] for one in visit.site.json("/api/list?all=1&store=cowork")["sessions"]
    }


def test_two_versions_of_a_file_are_compared(visit: Visit) -> None:
    """The address names both versions; another choice changes the diff; the whole file can be shown."""
    page = visit.open(f"{AMOUNTS}&a=1&b=2", ".dl.a em")
    expect(page.locator(".dl.d em")).to_have_count(1)
    page.get_by_role("button", name="Compare version 4 as B").click()
    page.wait_for_url("**b=4")
    expect(page.locator(".dl.a").first).to_contain_text("from decimal import Decimal")
    page.get_by_role("button", name="Whole file").click()
    expect(page.locator("pre.whole")).to_contain_text("def parse_amount")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download 4").click()
    assert b"Decimal" in Path(download.value.path()).read_bytes()


def test_a_message_leads_to_the_file_as_it_was(visit: Visit) -> None:
    """`As it was here` opens the version of that message, not the last one."""
    page = visit.open(f"/sessions/{LEDGER}?branch=b1", "article[data-message]")
    page.get_by_role("link", name="As it was here").last.click()
    page.wait_for_selector(".ver.sel button.ab.on")
    expect(page.get_by_role("button", name="Compare version 2 as B")).to_have_attribute("aria-pressed", "true")


POINTER_AFTER_SCROLL = """async () => {
  const scrolled = new Promise((done) => addEventListener("scroll", () => requestAnimationFrame(done), { once: true }));
  scrollBy(0, 100);
  await scrolled;
  return getComputedStyle(document.querySelector(".feed")).pointerEvents;
}"""


def test_a_click_right_after_a_scroll_counts(visit: Visit) -> None:
    """The messages take clicks while the page still moves."""
    page = visit.open(f"/sessions/{LEDGER}", "article[data-message]")
    page.wait_for_selector(".out button")
    assert page.evaluate(POINTER_AFTER_SCROLL) == "auto"


def test_a_bar_of_the_histogram_narrows(visit: Visit) -> None:
    """The keys move its end, the address keeps the days, and the chip takes them away."""
    page = visit.open("/search?query=amount", ".histo .hb")
    page.locator(".histo").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**until=*")
    page.get_by_role("group", name="Narrow the search").get_by_role("button").first.click()
    page.wait_for_url("**/search?query=amount")


@pytest.mark.parametrize("is_scrolling", [True, False])
def test_more_matches_come_as_one_scrolls(visit: Visit, is_scrolling: bool) -> None:
    """A search first shows as many hits as a screen holds; scrolling, and a click on the button, bring the others."""
    page = visit.open("/search?query=the", "a.hit")
    expect(page.locator(".amount")).to_contain_text("sessions shown")
    few = page.locator(".hit").count()
    if is_scrolling:
        page.mouse.wheel(0, 10_000)
    else:
        page.get_by_role("button", name="Show more matches").click()
    expect(page.locator(".amount")).not_to_contain_text("shown")

    assert few == 30 < page.locator(".hit").count()


def test_a_group_counts_all_matches_of_its_session(visit: Visit) -> None:
    """At most four hits of a session are listed; its link tells how many there are, and leads to all of them."""
    answer = visit.site.json("/api/search?query=amount&typing=1&all_hits=1&limit=500")
    number = sum(hit["session"] == LEDGER for hit in answer["hits"])
    page = visit.open("/search?query=amount", ".grp")
    group = page.locator(".grp").filter(has_text="Parse amounts")
    expect(group.locator(".hit")).to_have_count(4)
    group.get_by_role("link", name=f"{number} matches").click()
    expect(page.locator(".hit")).to_have_count(number)


def test_letters_ask_only_for_hits(visit: Visit) -> None:
    """A letter asks for the hits of one screen; the days are counted for the last letter alone."""
    page = visit.open("/search?query=a", ".histo .hb")
    visit.asked.clear()
    page.evaluate(TYPE_AT_ONCE, ["am", "amo", "amou", "amoun", "amount"])
    with page.expect_response(lambda answer: "counts=day" in answer.url):
        pass
    asked = [parse_qs(urlsplit(url).query) for url in visit.asked if "/api/search" in url]

    assert {one["limit"][0] for one in asked} == {"30"}
    assert [one["query"][0] for one in asked if "counts" in one] == ["amount"]
    assert "amount" in [one["query"][0] for one in asked if "counts" not in one]


def test_empty_and_failed_states_have_a_next_step(visit: Visit) -> None:
    """No hit, no such session and no such page each say so, with a way out."""
    page = visit.open("/search?query=zzqqxx", ".state")
    expect(page.locator(".state")).to_contain_text("No match")
    page = visit.open("/nothing/here", ".state")
    expect(page.get_by_role("link", name="All sessions").last).to_be_visible()
    page = visit.open("/sessions/00000000-0000-4000-8000-000000000000", ".state")
    expect(page.locator(".state a.btn")).to_be_visible()
    visit.errors.clear()  # the browser reports the 404 that was asked for


def test_calendar_and_hours_have_tables_and_downloads(visit: Visit) -> None:
    """A button shows the numbers of each chart in its place; CSV and JSON stand beside it."""
    page = visit.open("/usage?days=all", ".chart canvas")
    for title, column in (("Calendar", "Day"), ("Hours of the week", "Hour")):
        page.get_by_role("button", name=f"Table: {title}").click()
        table = page.get_by_role("region", name=f"{title}, table")
        expect(table.get_by_role("columnheader", name=column, exact=True)).to_be_visible()
        expect(table.locator("td.num", has_text="$").first).to_be_visible()
        page.get_by_role("button", name=f"Chart: {title}").click()
        expect(table).to_have_count(0)
    for section in page.locator("section", has=page.locator("h2")).all():
        links = section.get_by_role("link", name="JSON").count()
        assert links, section.inner_text()[:40]
        assert links == section.get_by_role("link", name="CSV").count()


def test_charts_have_their_tables(visit: Visit) -> None:
    """The usage page shows the same total in its figures and its table, in cost and in tokens."""
    page = visit.open("/usage?days=all", ".chart canvas")
    total = page.locator(".figs dd").first.inner_text().split()[0]
    expect(page.locator("tfoot").first).to_contain_text(total)
    page.get_by_role("button", name="Tokens").click()
    page.wait_for_url("**measure=tokens")
    expect(page.locator("tfoot").first).not_to_contain_text("$")
