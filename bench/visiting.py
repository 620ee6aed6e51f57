"""One visit to a web page in a real Chromium: `visiting.py TASK SITE PLAN` tells how long a task took.

Each page is measured by the same code; a `Site` says how it is used.
"""

import json
import math
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from measure import Memory, cpu_of, family, memory_of
from playwright.sync_api import Page, Request, sync_playwright

CHROMIUM = "/usr/bin/chromium"
LOAD, USAGE, TYPE, OPEN, JUMP = (
    "first load, until the list is shown",
    "usage, until its chart is shown",
    "one letter, until its hits are painted",
    "the largest session, until its first screen",
    "from there, until its last message is shown",
)
UNASKED, CALM, BUSY, PATIENCE = 1.5, 1.5, 20.0, 300.0
"""Seconds: a letter without a request stays unanswered; a page is calm; it never will be; it came to no end."""
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+[^\s\"]*")
RECORDER = """
(wanted => {
  const told = window.bench = { acts: [], paints: [], loads: [], seen: {}, until: null };
  const isThere = selector => [...document.querySelectorAll(selector)].some(
    one => one.tagName === "CANVAS" || one.textContent.trim());
  const note = () => {
    const now = performance.now();
    told.paints.push(now);
    for (const [name, selector] of Object.entries(wanted))
      if (!(name in told.seen) && isThere(selector)) told.seen[name] = now;
    if (told.until && !("end" in told.seen) && document.body.textContent.includes(told.until)) told.seen.end = now;
  };
  let isDue = false;
  new MutationObserver(() => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = note;
      port2.postMessage(null);
    });
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  told.load = one => [one.name, one.startTime, one.responseEnd, one.encodedBodySize, one.decodedBodySize];
  new PerformanceObserver(list => told.loads.push(...list.getEntries().map(told.load)))
    .observe({ type: "resource", buffered: true });
  const act = event => told.acts.push(event.timeStamp);
  addEventListener("keydown", event => event.key.length === 1 && !event.ctrlKey && act(event), true);
  addEventListener("pointerdown", act, true);
})
"""
"""Notes in the page itself when something was painted, loaded and pressed, in milliseconds since it was asked for."""
NOTES = """
() => ({
  ...window.bench,
  load: null,
  paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  loads: [...performance.getEntriesByType("navigation").map(window.bench.load), ...window.bench.loads],
})
"""


@dataclass(slots=True)
class Site:
    """How one page is used: its server, its addresses, and the elements that a visitor waits for."""

    who: str
    command: list[str]
    wanted: dict[str, str]
    """Selectors of a listed session, of a chart and of a message."""
    count: str
    """Finds the number of listed sessions in the text of the page."""
    search: str
    """The key that leads to the search box."""
    asks: str
    """The path of the requests for hits."""
    end: str
    """The key, or the selector of the button, that leads to the end of a session."""


class Load(NamedTuple):
    """One answer that a page loaded: its address, when it was asked for and there, its bytes as sent and unpacked."""

    url: str
    begun: float
    ended: float
    sent: int
    unpacked: int


# What the notes of a page say


def share(values: Sequence[float], part: float) -> float:
    """Return what that share of some values keeps to."""
    return sorted(values)[math.ceil(len(values) * part) - 1]


def delays(acts: list[float], answers: list[Load], paints: list[float]) -> list[tuple[float, float] | None]:
    """Return of each key how long its answer and the paint of that took; None if nothing was asked."""
    found: list[tuple[float, float] | None] = []
    for pressed, following in zip(acts, [*acts[1:], float("inf")], strict=True):
        ended = max((one.ended for one in answers if pressed <= one.begun < following), default=None)
        painted = next((paint for paint in paints if ended is not None and paint >= ended), None)
        found.append(None if ended is None or painted is None else (ended - pressed, painted - pressed))
    return found


def sent(loads: list[Load], until: float = float("inf")) -> dict[str, float | str]:
    """Return how many bytes were there at a moment."""
    there = [load for load in loads if load.ended <= until]
    code = [load for load in there if not urlsplit(load.url).path.startswith("/api/")]
    kilobytes = {"KB sent": there, "code KB": code}
    facts: dict[str, float | str] = {name: sum(one.sent for one in some) / 1000 for name, some in kilobytes.items()}
    return facts | {"KB unpacked": sum(one.unpacked for one in there) / 1000}


# A visit


class Visit:
    """A page at a running server, its notes, and what the server needs meanwhile."""

    def __init__(self, page: Page, site: Site, link: str, server: int) -> None:
        self.page, self.site, self.server = page, site, server
        self.link, self.own = link, f"http://{urlsplit(link).netloc}"
        self.asked: list[Request] = []
        self.open_: set[Request] = set()
        self.restart()
        page.set_default_timeout(1000 * PATIENCE)
        page.add_init_script(f"({RECORDER})({json.dumps(site.wanted)})")
        page.on("request", self._begin)
        for end in ("requestfinished", "requestfailed"):
            page.on(end, self._end)

    def restart(self) -> None:
        """Count requests and the CPU time of the server from here on."""
        self.asked.clear()
        self.begun = cpu_of(family(self.server))

    def _begin(self, request: Request) -> None:
        self.asked.append(request)
        self.open_.add(request)

    def _end(self, request: Request) -> None:
        self.open_.discard(request)

    def notes(self) -> dict[str, Any]:
        """Return everything that the page noted, the page itself among its loads."""
        told: dict[str, Any] = self.page.evaluate(NOTES)
        told["loads"] = [Load(*load) for load in told["loads"]]
        return told

    def wait(self, is_over: Callable[[], bool]) -> None:
        """Let the page work until something is over."""
        deadline = time.monotonic() + PATIENCE
        while not is_over():
            self.page.wait_for_timeout(25)
            if time.monotonic() > deadline:
                raise TimeoutError("the page did not come to an end")

    def see(self, name: str) -> float:
        """Wait until an element is painted; return the moment."""
        self.wait(lambda: self.page.evaluate(f"{name!r} in window.bench.seen"))
        return float(self.page.evaluate(f"window.bench.seen[{name!r}]"))

    def rest(self) -> None:
        """Wait until nothing more is loaded; streams never end."""
        begun = changed = time.monotonic()
        number = 0
        while time.monotonic() < min(changed + CALM, begun + BUSY):
            loading = [one for one in self.open_ if one.resource_type != "eventsource"]
            if loading or number != len(self.asked):
                number, changed = len(self.asked), time.monotonic()
            self.page.wait_for_timeout(100)

    def elsewhere(self) -> int:
        """Return the number of requests to other hosts."""
        return sum(not one.url.startswith((self.own, "data:", "blob:")) for one in self.asked)


Told = tuple[list[float], dict[str, float | str]]


def load(visit: Visit, plan: dict[str, Any]) -> Told:
    """Open the list for the first time."""
    visit.page.goto(visit.link)
    shown = visit.see("list")
    visit.rest()
    told = visit.notes()
    found = re.search(visit.site.count, visit.page.inner_text("body"))
    listed = int(found[1].replace(",", "")) if found else 0
    more: dict[str, float | str] = {"listed": listed, "exist": plan["exist"], "first paint": told["paint"] / 1000}
    said = f"first paint after {told['paint']:.0f} ms, {len(visit.asked)} requests"
    said += f", {listed:,} of {plan['exist']:,} sessions listed"
    return [shown], sent(told["loads"]) | more | {"more": said}


def usage(visit: Visit, _: dict[str, Any]) -> Told:
    """Open the usage with its charts."""
    _sign_in(visit)
    visit.restart()
    visit.page.goto(f"{visit.own}/usage")
    shown = visit.see("usage")
    visit.rest()
    return [shown], sent(visit.notes()["loads"])


def typing(visit: Visit, plan: dict[str, Any]) -> Told:
    """Type words letter by letter."""
    _sign_in(visit)
    visit.page.keyboard.press(visit.site.search)
    visit.page.wait_for_timeout(500)
    visit.page.evaluate("window.bench.acts.length = 0")
    visit.restart()
    for word in plan["words"]:
        visit.page.keyboard.press("Control+a")
        for letter in word:
            _type(visit, letter)
    told = visit.notes()
    answers = [one for one in told["loads"] if urlsplit(one.url).path == visit.site.asks]
    found = delays(told["acts"], answers, told["paints"])
    timed = [one for one in found if one]
    answered, unanswered = [one / 1000 for one, _ in timed], len(found) - len(timed)
    p50, p95 = share(answered, 0.5), share(answered, 0.95)
    more = f"answered in {p50 * 1000:.0f} ms (p50), {p95 * 1000:.0f} ms (p95)"
    more += f"; {unanswered} of {len(found)} letters ask nothing" if unanswered else ""
    facts: dict[str, float | str] = {"answered p50": p50, "answered p95": p95, "unanswered": unanswered, "more": more}
    return [painted for _, painted in timed], sent(answers) | facts


def _type(visit: Visit, letter: str) -> None:
    """Press one key and wait until its answer is painted, or nothing was asked."""
    before, pressed = len(visit.asked), time.monotonic()
    visit.page.keyboard.press(letter)

    def is_over() -> bool:
        asked = [one for one in visit.asked[before:] if urlsplit(one.url).path == visit.site.asks]
        return not visit.open_ & set(asked) if asked else time.monotonic() - pressed > UNASKED

    visit.wait(is_over)
    visit.page.wait_for_timeout(100)


def opening(visit: Visit, plan: dict[str, Any]) -> Told:
    """Open the largest session by its address."""
    _sign_in(visit)
    visit.restart()
    visit.page.goto(f"{visit.own}/sessions/{plan['session']}")
    shown = visit.see("open")
    visit.rest()
    loads = visit.notes()["loads"]
    return [shown], sent(loads, shown) | {"more": f"{sent(loads)['KB sent']:,.0f} KB when nothing more loads"}


def jumping(visit: Visit, plan: dict[str, Any]) -> Told:
    """Go from the first screen of the largest session to its end."""
    opening(visit, plan)
    before = len(visit.notes()["loads"])
    visit.restart()
    visit.page.evaluate("words => { window.bench.until = words; window.bench.acts.length = 0 }", plan["last"])
    if visit.site.end.startswith("["):
        visit.page.click(visit.site.end)
    else:
        visit.page.keyboard.press(visit.site.end)
    shown = visit.see("end")
    told = visit.notes()
    return [shown - told["acts"][0]], sent(told["loads"][before:], shown)


def _sign_in(visit: Visit) -> None:
    """Open the list first: our link signs a browser in."""
    visit.page.goto(visit.link)
    visit.see("list")
    visit.rest()


VISITS = {LOAD: load, USAGE: usage, TYPE: typing, OPEN: opening, JUMP: jumping}


@contextmanager
def serving(site: Site) -> Iterator[tuple[str, int]]:
    """Start a server; yield the link that it prints and its process."""
    with subprocess.Popen(site.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            lines = server.stdout or ()
            link = next(found[0] for line in lines if (found := ADDRESS.search(line)))
            threading.Thread(target=lambda: [*lines], daemon=True).start()  # a full pipe would stop it
            yield link, server.pid
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()


@contextmanager
def weighing(pid: int) -> Iterator[Callable[[], Memory]]:
    """Look at the memory of a server again and again; yield a way to ask for the highest."""
    highest, is_over = [Memory()], threading.Event()

    def look() -> None:
        while not is_over.wait(0.05):
            highest[0] = highest[0].higher(memory_of(family(pid)))

    watching = threading.Thread(target=look)
    watching.start()
    try:
        yield lambda: highest[0]
    finally:
        is_over.set()
        watching.join()


def main() -> None:
    """Make one visit: TASK SITE PLAN; print its facts and, at last, its times."""
    task, site_file, plan_file = sys.argv[1:]
    site = Site(**json.loads(Path(site_file).read_text(encoding="utf-8")))
    plan = json.loads(Path(plan_file).read_text(encoding="utf-8"))
    with serving(site) as (link, server), weighing(server) as highest, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
        visit = Visit(page, site, link, server)
        times, facts = VISITS[task](visit, plan)
        spent = (cpu_of(family(server)) - visit.begun) / len(times)
        facts |= {"elsewhere": visit.elsewhere(), "server memory": f"{highest().all / 1e6:.0f} MB"}
        facts |= {
            "server CPU": f"{spent * 1000:.0f} ms",
            "memory": highest().all,
            "anonymous MB": highest().anonymous / 1e6,
        }
        browser.close()
    print(json.dumps(facts))
    print(json.dumps([[None, milliseconds / 1000] for milliseconds in times]))


if __name__ == "__main__":
    main()
