"""A session as numbered pages: nothing is lost, links lead to their places, boxes are closed."""

import re
from collections.abc import Iterator

from views import samples
from views.samples import call_part, message, paper, result_part, transcript

from backscroll.sessions.message import Message
from backscroll.views.html.pages import PageFrame, session_pages
from backscroll.views.html.session import document

TEXT = "word " * 200


def long_session(count: int = 12) -> list[Message]:
    """Return prompts, answers with a call and its result, and the messages of an agent."""
    found: list[Message] = []
    for number in range(count):
        found += [
            message("user", f"Prompt {number}", is_typed=True),
            message("assistant", f"Answer {number} {TEXT}", call_part("Bash", {"command": "ls"}, f"c{number}")),
            message("tool", result_part(f"output {number}", f"c{number}")),
            message("assistant", f"Agent {number} {TEXT}", agent="a1", depth=1 + number % 2),
            message("assistant", f"Agent again {number} {TEXT}", agent="a1", depth=1),
        ]
    return found


def pages(count: int = 12, largest: int | None = 4000) -> dict[str, str]:
    """Return the pages of a long session by name."""
    found = transcript(long_session(count), session=samples.session(title="A <title>", prompts=count))
    return dict(session_pages(found, paper(None), "s", PageFrame(largest=largest)))


def articles(texts: list[str]) -> Iterator[str]:
    """Yield the text of each message."""
    for text in texts:
        for article in re.findall(r"<article.*?</article>", text, re.DOTALL):
            yield " ".join(re.sub(r"<[^>]*>", " ", article).split())


def test_a_short_session_is_one_page() -> None:
    """It is the page that `show` writes."""
    found = transcript(long_session(2), session=samples.session(prompts=2))
    whole = "".join(document(transcript(long_session(2), session=samples.session(prompts=2)), paper(None)))

    assert [("s.html", whole)] == list(session_pages(found, paper(None), "s"))


def test_a_long_session_is_split_and_loses_nothing() -> None:
    """All messages stand on the pages once, in order, with their numbers; no page but for one message is too large."""
    whole, split = pages(largest=None), pages()
    numbered = [name for name in split if name != "s.html"]

    assert [f"s-{number}.html" for number in range(1, len(numbered) + 1)] == numbered
    assert len(numbered) > 5
    assert list(articles([whole["s.html"]])) == list(articles([split[name] for name in numbered]))
    assert list(split)[-1] == "s.html"


def test_boxes_are_closed_on_every_page() -> None:
    """An agent that goes on over a break is in a box on both pages."""
    for text in pages().values():
        assert text.count("<details") == text.count("</details>")
        assert text.count("<article") == text.count("</article>")
    assert any("agent, continued" in text for text in pages().values())


def test_links_lead_to_their_places() -> None:
    """The index links each prompt on its page; pages link to the index and to their neighbours."""
    split = pages()
    links = re.findall(r'href="(s-\d+\.html)#(m\d+)">(Prompt \d+)', split["s.html"])

    assert 12 == len(links)
    for name, anchor, label in links:
        assert re.search(rf'id="{anchor}">.*?{label}<', split[name], re.DOTALL)
    for name, text in split.items():
        assert set(re.findall(r'href="([^"#]+)', text)) <= set(split), name
    assert 'rel="prev"' not in split["s-1.html"]
    assert "A &lt;title&gt;" in split["s-1.html"]
