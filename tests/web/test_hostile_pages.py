"""Hostile transcripts, and hostile pages in the same browser."""

import json
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from attacks.test_pages_in_chromium import PAYLOADS
from chromium import needs_chromium
from playwright.sync_api import Browser, expect
from web.conftest import Site, Visit, serving

pytestmark = [pytest.mark.slow, needs_chromium]

STEM = "33333333-4444-4555-8666-777777777777"


def records(bad: str, number: int) -> Iterator[dict[str, Any]]:
    """Yield one turn that holds a payload in twelve places of its messages."""
    first, second, third = (f"{number:08x}-000{part}-4000-8000-333333333333" for part in range(3))
    calls = [
        ("Bash", {"command": bad, "description": bad}),
        ("Edit", {"file_path": f"/x/{bad}", "old_string": "old", "new_string": bad}),
        ("Write", {"file_path": "/x/page.html", "content": bad}),
        ("TodoWrite", {"todos": [{"content": bad, "status": "pending", "activeForm": bad}]}),
        ("AskUserQuestion", {"questions": [{"question": bad, "options": [{"label": bad}]}]}),
        (bad, {bad: bad}),
    ]
    uses = [
        {"type": "tool_use", "id": f"toolu_{number:016d}{n}", "name": name, "input": given}
        for n, (name, given) in enumerate(calls)
    ]
    yield {"type": "user", "uuid": first, "parentUuid": None if not number else _last(number - 1), "gitBranch": bad,
           "message": {"role": "user", "content": bad}}  # fmt: skip
    content = [{"type": "thinking", "thinking": bad}, {"type": "text", "text": bad}, *uses, {"type": bad, "x": bad}]
    yield {"type": "assistant", "uuid": second, "parentUuid": first,
           "message": {"id": f"msg_{number:020d}", "role": "assistant", "model": bad, "content": content,
                       "usage": {"input_tokens": 1, "output_tokens": 1}}}  # fmt: skip
    results = [{"type": "tool_result", "tool_use_id": use["id"], "content": bad, "is_error": True} for use in uses]
    yield {"type": "user", "uuid": third, "parentUuid": second, "message": {"role": "user", "content": results}}
    yield {"type": "custom-title", "customTitle": bad}


def _last(number: int) -> str:
    return f"{number:08x}-0002-4000-8000-333333333333"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve a home whose one transcript holds every payload in every place."""
    root = tmp_path_factory.mktemp("hostile") / "home"
    file = root / f".claude/projects/-x/{STEM}.jsonl"
    file.parent.mkdir(parents=True)
    found = [record for number, bad in enumerate(PAYLOADS) for record in records(bad, number)]
    common = {"sessionId": STEM, "cwd": f"/x/{PAYLOADS[0]}", "timestamp": "2026-05-01T10:00:00.000Z"}
    file.write_text("".join(json.dumps({**common, **one}) + "\n" for one in found))
    with serving(root) as site:
        yield site


def test_nothing_of_a_transcript_runs_or_asks(browser: Browser, hostile: Site) -> None:
    """Every payload in twelve places on all pages: none runs, and no request leaves the site."""
    assert len(PAYLOADS) >= 150
    context = browser.new_context(viewport={"width": 1440, "height": 5000})
    visit = Visit(context, hostile)
    page = visit.page
    for path, element in (
        ("/", "a.row"),
        ("/search?query=window", "a.hit"),
        ("/files", "tr[data-path]"),
        ("/usage?days=all", ".chart canvas"),
        (f"/sessions/{STEM}/calls", "table.plain"),
    ):
        visit.open(path, element)
        assert page.evaluate("window.ran") is None, path
    total = hostile.json(f"/api/show/{STEM}?limit=1")["total"]
    seen = 0
    for offset in range(20, total, 40):
        message = hostile.json(f"/api/show/{STEM}?offset={offset}&limit=1")["messages"][0]["id"]
        page.goto(f"{hostile.own}/sessions/{STEM}?at={message}")
        page.wait_for_selector("article[data-message]")
        page.locator("article details").evaluate_all("all => all.forEach(one => { one.open = true })")
        seen += page.locator("article .html").count()
        assert page.evaluate("window.ran") is None, offset
        assert page.locator("article img, article iframe, article object, article form, article script").count() == 0
        assert page.locator("main [style*=url], main [onerror], main [onload]").count() == 0
    assert seen > 600
    visit.check()
    context.close()


class _Evil(BaseHTTPRequestHandler):
    """A page on another port that tries to read the sessions."""

    def __init__(self, target: str, *rest: Any) -> None:
        self.target = target
        super().__init__(*rest)

    def do_GET(self) -> None:
        """Answer with the attacking page."""
        body = f"""<!doctype html><title>evil</title><img src="{self.target}/api/list"><script>
        fetch("{self.target}/api/list", {{credentials: "include"}})
          .then(answer => answer.text()).then(text => document.title = "read " + text.length,
          () => document.title = "refused");
        </script>""".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the tests quiet."""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_page_on_another_port_or_name_reads_nothing(browser: Browser, site: Site, host: str) -> None:
    """A browser that is signed in gives nothing to a page of another origin, which its cookie alone would not stop."""
    server = ThreadingHTTPServer((host, 0), partial(_Evil, site.own))
    Thread(target=server.serve_forever, daemon=True).start()
    context = browser.new_context()
    visit = Visit(context, site)
    visit.open("/", "a.row")
    page = context.new_page()
    page.goto(f"http://{host}:{server.server_port}/")
    expect(page).to_have_title("refused")
    assert page.evaluate("document.images[0].naturalWidth") == 0
    server.shutdown()
    server.server_close()
    context.close()
