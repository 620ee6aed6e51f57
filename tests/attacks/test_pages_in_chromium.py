"""Pages in a real browser: nothing of a transcript runs, and no request leaves the page."""

from base64 import b64encode
from pathlib import Path

import pytest
from chromium import BINARY, needs_chromium
from views import samples
from views.samples import call_part, message, paper, result_part, transcript

from backscroll.sessions.message import Message, Part
from backscroll.views.html.pages import session_pages

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.slow, needs_chromium]

RUN = "window.ran=1"
URL = "https://attack.invalid/x"
_TAGS = ("img", "svg", "body", "iframe", "video", "audio", "input", "details", "object", "math", "style", "marquee")
_EVENTS = ("onerror", "onload", "autofocus onfocus", "onclick", "open ontoggle", "onbegin", "onpageshow", "onloadstart")
_LINKS = (
    "javascript:",
    "JaVaScRiPt:",
    "java\tscript:",
    "&#106;avascript:",
    "data:text/html,",
    "vbscript:",
    "//",
    "blob:",
)
_LOADS = ("img src", "script src", "link rel=stylesheet href", "iframe src", "object data", "embed src", "video poster")
_ENDS = (
    "</pre>",
    "</details>",
    "</article>",
    "</style>",
    "</title>",
    "</script>",
    "-->",
    "]]>",
    '">',
    "'>",
    "</textarea>",
)
PAYLOADS = [
    *(f"<{tag} src=x {event}={RUN}>" for tag in _TAGS for event in _EVENTS),
    *(f"[click]({link}{RUN})" for link in _LINKS),
    *(f"<a href='{link}{RUN}'>click</a>" for link in _LINKS),
    *(f"<{load}={URL}>" for load in _LOADS),
    *(f"{end}<script>{RUN}</script>" for end in _ENDS),
    *(f"{end}<img src={URL} onerror={RUN}>" for end in _ENDS),
    *(f"```{language}\n<script>{RUN}</script>\n```" for language in ("html", "svg", "js", "mermaid", '"><script>')),
    *(f"![i]({link}{URL[8:]})" for link in ("https://", "//", "data:image/svg+xml,", "javascript:")),
    f"<style>@import url({URL})</style>",
    f"<base href={URL}>",
    f"<meta http-equiv=refresh content='0;url={URL}'>",
    f"<form action={URL}><button autofocus>x</button></form>",
    f"<svg><use href='{URL}#a'/></svg>",
    f"<link rel=prefetch href={URL}>",
    f'[x](https://a.b/"onmouseover="{RUN})',
    f"<{URL}>",
    "\x1b]8;;" + URL + "\x1b\\link\x1b]8;;\x1b\\",
    f"| a |\n|---|\n| <img src={URL}> |",
    f"{{{{constructor.constructor('{RUN}')()}}}}",
]


def messages_with(bad: str, number: int) -> list[Message]:
    """Return messages that hold a payload in all places but the head of the page."""
    calls = [
        call_part(bad, {bad: bad}, f"a{number}"),
        call_part("Bash", {"command": bad}, f"b{number}"),
        call_part("Edit", {"file_path": bad, "old_string": "x", "new_string": bad}, f"c{number}"),
        call_part("Write", {"file_path": "x.html", "content": bad}, f"d{number}"),
        call_part("TodoWrite", {"todos": [{"content": bad, "status": bad}]}, f"e{number}"),
        call_part("AskUserQuestion", {"questions": [{"question": bad, "options": [{"label": bad}]}]}, f"f{number}"),
    ]
    parts = [
        Part("thinking", bad),
        Part("summary", bad),
        Part("image", bad, {"media_type": bad, "bytes": 1, "base64": b64encode(bad.encode()).decode()}),
        Part("image", bad, {"media_type": "image/svg+xml", "bytes": 1, "base64": bad}),
        Part("other", bad, {"type": bad, "raw": bad}),
    ]
    return [
        message("user", bad, is_typed=True, marks=[bad, f"fork {bad}"]),
        message("assistant", bad, *parts, *calls, model=bad, branch=bad),
        message("tool", result_part(bad, f"b{number}", error=True), result_part(bad, f"late{number}", name=bad)),
        message("assistant", bad, agent=bad, depth=1),
    ]


def page_of(bads: list[str]) -> str:
    """Return one page that holds some payloads everywhere; its head holds all of them."""
    everything = " ".join(bads)
    session = samples.session(
        title=everything, cwd=everything, branch=everything, version=everything, models=[everything]
    )
    messages = [one for number, bad in enumerate(bads) for one in messages_with(bad, number)]
    damage = [samples.damage(bad, bad) for bad in bads]
    branches = [samples.branch(bad, label=bad) for bad in bads]
    found = transcript(messages, session=session, damage=damage, branches=branches)
    return next(text for _, text in session_pages(found, paper(None, is_full=True), "s"))


def test_nothing_runs_and_nothing_is_asked_for(tmp_path: Path) -> None:
    """With every payload in every place: no script but ours runs, no request leaves, and our script still works."""
    requests: list[str] = []
    step = 25
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BINARY, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: requests.append(request.url))
        for start in range(0, len(PAYLOADS), step):
            path = tmp_path / f"{start}.html"
            path.write_text(page_of(PAYLOADS[start : start + step]))
            page.goto(path.as_uri())
            page.get_by_role("button", name="Expand all").click()
            for link in page.locator("main a:not([href^='http']):not([href^='#'])").all():
                link.click()

            assert page.evaluate("window.ran") is None
            assert page.evaluate("document.querySelectorAll('main details:not([open])').length") == 0
            assert (
                page.evaluate("document.querySelectorAll('img, iframe, object, embed, form, base, link').length") == 0
            )
        browser.close()

    assert len(PAYLOADS) >= 150
    assert {url.partition(":")[0] for url in requests} == {"file"}
    assert len(requests) == -(-len(PAYLOADS) // step)


def test_the_test_can_fail(tmp_path: Path) -> None:
    """The same check sees a script that runs and a request that leaves."""
    requests: list[str] = []
    path = tmp_path / "bad.html"
    path.write_text(f"<script>{RUN}</script><img src={URL}>")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BINARY, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())

        assert page.evaluate("window.ran") == 1
        assert URL in requests
        browser.close()
