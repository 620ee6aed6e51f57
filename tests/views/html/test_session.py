"""A session as an HTML page that nothing can run in."""

import base64
import hashlib
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from views import samples
from views.samples import call_part, message, paper, result_part, transcript

from backscroll.sessions.message import Message, Part
from backscroll.views.html.parts import part_html
from backscroll.views.html.session import document
from backscroll.views.html.texts import code, linked, rendered

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
    "ol",
    "i",
    "nav",
    "script",
    "input",
    "button",
    "output",
    "thead",
    "tbody",
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
        if tag not in ("meta", "hr", "input"):
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
        "id",
        "hidden",
        "type",
        "role",
        "placeholder",
        "aria-label",
        "aria-pressed",
    }
    assert all(re.fullmatch(r"#m\d+|#prompts|https?://[^\"<>\s]+", link or "") for link in links)
    assert [] == found.open


def test_the_policy_forbids_everything() -> None:
    """The page allows its own style, its own script by hash and images from data, and nothing else."""
    found = page("x")
    script = found.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:;" in found
    assert 1 == found.count("<script")
    assert 'http-equiv="Content-Security-Policy"' in found.partition("<title>")[0]


def test_markdown_is_rendered() -> None:
    """Headings go below those of the page; code, items, quotes, tables, rules and links are HTML."""
    found = rendered("# T\n\n**b** `c` [l](https://x.y)\n- i\n> q\n\n```python\nif 1:\n```\n\n|a|\n|-|\n|1|\n\n---")

    assert "<h3>T</h3>" in found
    assert '<strong>b</strong> <code>c</code> <a href="https://x.y" rel="noopener noreferrer">l</a>' in found
    assert "<li>i</li>" in found
    assert "<blockquote>" in found
    assert '<span class="k">if</span>' in found
    assert "<td>1</td>" in found
    assert "<hr>" in found


def test_web_addresses_are_links() -> None:
    """In prompts and answers; signs of the sentence stay outside, and a redacted address leads nowhere."""
    link = '<a href="https://a.b/c?d=1&amp;e=2" rel="noopener noreferrer">https://a.b/c?d=1&amp;e=2</a>'

    assert f"see {link}, or" in rendered("see https://a.b/c?d=1&e=2, or")
    assert f"(see {link})." == linked("(see https://a.b/c?d=1&e=2).")
    assert 1 == rendered("[there](https://a.b/c) `https://a.b/d`").count("<a ")
    assert "<a" not in linked("https://⟨host-1⟩/x javascript:x ftp://a.b/c")
    assert "&quot;onx=y" in linked('https://a.b/"onx=y')


def test_a_command_has_its_aim_and_an_option_its_words() -> None:
    """Claude says in a call of Bash why it runs, and in a question why to choose an answer."""
    command = call_part("Bash", {"command": "ls -a", "description": "List <all> files"})
    option = {"label": "Tea", "description": "Hot and green"}
    asked = call_part("AskUserQuestion", {"questions": [{"question": "Which?", "options": [option, "Milk"]}]})

    repeated = call_part("Bash", {"command": "ls -a", "description": "ls -a"})

    assert '<p class="label">List &lt;all&gt; files</p>' in part_html(command, paper())
    assert 'class="label"' not in part_html(repeated, paper())
    assert "<li>Tea <small>Hot and green</small></li><li>Milk</li>" in part_html(asked, paper())


def test_raw_html_images_and_scripts_of_markdown_are_text() -> None:
    """Nothing of a text becomes active: no tags, no images, no links to scripts."""
    found = rendered("<img src=x onerror=a()> ![i](https://x.y/p.png) [l](javascript:a()) <script>a()</script>")

    assert "<img" not in found
    assert "<script" not in found
    assert "javascript:" not in re.sub(r">[^<]*<", "><", found)


def test_code_too_long_for_colours_stays_whole() -> None:
    """Code above the limit is escaped and complete."""
    text = "x = '<b>'\n" * 10_000

    assert text.count("\n") == code(text, "python").count("\n") - 1
    assert "<span" not in code(text, "python")


def test_a_long_output_is_cut_and_its_rest_is_behind_a_fold() -> None:
    """No line is lost."""
    found = part_html(result_part("\n".join(f"line {number}" for number in range(100))), paper(None))

    assert '<details class="rest"><summary>80 more lines</summary>' in found
    assert all(f"line {number}\n" in found or f"line {number}<" in found for number in range(100))


def test_each_result_stands_under_its_own_call() -> None:
    """Parallel calls each hold their own result; none is told twice, none is said to lack an output."""
    calls = [call_part("Bash", {"command": f"run {name}"}, name) for name in ("one", "two")]
    answers = [message("tool", result_part(f"answer {name}", name)) for name in ("two", "one")]
    found = "".join(document(transcript([message("assistant", *calls), *answers]), paper(None)))

    assert found.index("run one") < found.index("answer one") < found.index("run two") < found.index("answer two")
    assert 1 == found.count("answer one")
    assert "no output" not in found


def test_a_late_result_names_its_call() -> None:
    """A result that other messages separate from its call says which call it answers."""
    messages = [
        message("assistant", call_part("Grep", {"pattern": "x"}, "g")),
        message("user", "meanwhile"),
        message("tool", result_part("found it", "g")),
    ]
    found = "".join(document(transcript(messages), paper(None)))

    assert "result of <b>Grep</b> <span>x</span>" in found
    assert "found it" in found


def test_the_head_has_cost_tokens_branch_and_version() -> None:
    """The head tells the facts that people ask for first."""
    session = samples.session(branch="fix/tides", version="2.1.112")
    session.usage.cost = 6.84
    found = "".join(document(transcript([], session=session), paper(None)))

    assert all(f"<dd>{text}</dd>" in found for text in ("fix/tides", "2.1.112", "$6.84", "1.2 M"))


def test_every_message_has_an_anchor_and_prompts_are_listed() -> None:
    """The list of prompts at the end leads to the prompts."""
    messages = [message("user", "first", is_typed=True), message("assistant", "answer"), message("user", "second")]
    found = "".join(document(transcript(messages), paper(None)))

    assert all(f'id="m{number}"' in found for number in (1, 2, 3))
    assert '<ol><li><a href="#m1">first</a></li></ol>' in found


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
    assert "<span>ls</span> <small>4 lines</small></summary>" in found
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
