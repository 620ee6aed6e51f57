"""A session as an HTML page that nothing can run in."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from views import samples
from views.samples import call_part, message, paper, result_part, transcript

from backscroll.sessions.model import Message, Part
from backscroll.views.html import document, rendered

PAYLOADS = [  # D01 of hostile_corpus.py, and H74 and H75
    "<script>XSSA(1)</script>",
    "<img src=x onerror=XSSB(1)>",
    "</script><script>XSSC(1)</script>",
    "<svg/onload=XSSD(1)>",
    "[a](javascript:XSSE(1))",
    "![i](http://127.0.0.1:9/beacon.png)",
    '<iframe srcdoc="<script>XSSF(1)</script>">',
    "```html\n<script>XSSG(1)</script>\n```",
    '<a href="data:text/html,<script>XSSH(1)</script>">k</a>',
    "<style>@import url(http://127.0.0.1:9/x.css)</style>",
    "<!--><script>XSSI(1)</script>-->",
    "</pre></details></article></style></title><b onclick=x>",
    '[x](https://a.b/"onmouseover="y)',
    "[x](https://a.b/'onmouseover='y)",
    'https://a.b/"><script>',
    "' onfocus=x autofocus='",
    "[a](vbscript:x) [b](//evil) [c](java\tscript:x)",
]
TAGS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "header",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "dl",
    "dt",
    "dd",
    "main",
    "article",
    "p",
    "small",
    "details",
    "summary",
    "b",
    "span",
    "pre",
    "code",
    "strong",
    "em",
    "a",
    "blockquote",
    "div",
    "table",
    "tr",
    "th",
    "td",
    "hr",
    "section",
    "ul",
    "li",
}


class Inventory(HTMLParser):
    """All tags and attributes of a page, and whether its boxes are closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.add(tag)
        self.attributes |= set(attrs)
        if tag not in ("meta", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Check that what ends is what was begun last."""
        assert tag == self.open.pop()


def page(bad: str) -> str:
    """Return a page that holds one text in every place it can."""
    parts = [
        call_part(bad, {"command": bad, bad: bad}),
        call_part("Edit", {"file_path": bad, "old_string": bad, "new_string": bad + "x"}),
        call_part("Write", {"file_path": bad, "content": bad}),
        call_part("Bash", {"command": f"{bad}\n{bad}"}),
        call_part("ExitPlanMode", {"plan": bad}),
        call_part("TodoWrite", {"todos": [{"content": bad, "status": bad}]}),
        Part("thinking", bad),
        Part("summary", bad),
        Part("image", bad, {"media_type": bad, "bytes": 1}),
        Part("other", bad, {"type": bad, "raw": bad}),
        Part("other", bad, {"type": "api_error", "raw": {"error": bad}}),
    ]
    messages = [
        message("user", bad, agent=bad, depth=2, branch=bad, marks=[bad, f"fork {bad}"]),
        message("assistant", f"{bad}\n# {bad}\n- {bad}\n> {bad}\n\n|{bad}|b|\n|-|-|\n|{bad}|", model=bad, depth=1),
        message("assistant", *parts),
        message("tool", result_part(bad, name=bad), result_part(bad + "\n" * 9, name=bad, error=True)),
        message("system", bad, model="<synthetic>"),
    ]
    session = samples.session(id=bad, title=bad, cwd=bad, models=[bad])
    found = transcript(messages, session=session, branches=[samples.branch(bad)], damage=[samples.damage(bad, bad)])
    return "".join(document(found, paper(None, is_full=True)))


@pytest.mark.parametrize("bad", PAYLOADS)
def test_nothing_foreign_becomes_a_tag(bad: str) -> None:
    """Only our own tags and attributes are in the page, all boxes are closed, and links lead to http(s) only."""
    found = Inventory(page(bad))
    links = {value for name, value in found.attributes if name == "href"}

    assert found.tags <= TAGS
    assert {name for name, _ in found.attributes} <= {
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "href",
        "rel",
        "open",
    }
    assert all(re.fullmatch(r"https?://[^\"'<>\s]+", link or "") for link in links)
    assert [] == found.open


def test_the_policy_forbids_everything() -> None:
    """The page allows its own style and images from data, and nothing else."""
    found = page("x")

    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in found
    assert "<script" not in found
    assert 'http-equiv="Content-Security-Policy"' in found.partition("<title>")[0]


def test_markdown_is_rendered() -> None:
    """Paragraphs, code, headings, items, quotes, tables, rules and links are HTML."""
    found = rendered("# T\n\np **b** `c` *e* [l](https://x.y)\n- i\n> q\n\n```\n<x>\n```\n|a|\n|-|\n|1|\n\n---")

    assert found == (
        "<h3>T</h3>\n"
        '<p>p <strong>b</strong> <code>c</code> <em>e</em> <a href="https://x.y" rel="noopener noreferrer">l</a></p>\n'
        '<p class="item l0"><span>•</span> i</p>\n'
        "<blockquote>q</blockquote>\n"
        "<pre><code>&lt;x&gt;</code></pre>\n"
        '<div class="wide"><table><tr><th>a</th></tr><tr><td>1</td></tr></table></div>\n'
        "<hr>\n"
    )


def test_results_agents_and_thinking_are_folded() -> None:
    """What is long stands in boxes that open at a click."""
    messages = [
        message("assistant", Part("thinking", "hmm"), call_part("Bash", {"command": "ls"})),
        message("tool", result_part("a\nb\nc\nd")),
        message("assistant", "agent speaking", agent="a1", depth=1),
        message("user", "back"),
    ]
    found = "".join(document(transcript(messages), paper(None)))

    assert '<details class="thinking"><summary>Thinking</summary>' in found
    assert '<details class="result"><summary>result <small>4 lines</small></summary>' in found
    assert '<details class="agent"><summary>agent a1</summary>' in found
    assert [] == Inventory(found).open


@pytest.mark.parametrize("part", ["hidden system text", ""])
def test_what_is_hidden_or_empty_leaves_no_box(part: Any) -> None:
    """Messages that people do not see, and empty ones, are not in the page."""
    found = "".join(document(transcript([message("system", part), message("user", "")]), paper(None)))

    assert "<article" not in found


def test_it_streams() -> None:
    """The page begins before its messages end."""
    read = 0

    def messages() -> Iterator[Message]:
        nonlocal read
        while read < 10_000:
            read += 1
            yield message("user", "hi")

    pieces = document(transcript(messages()), paper(None))
    for _ in range(8):
        next(pieces)

    assert 0 < read < 10
