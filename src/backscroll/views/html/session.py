"""A session as one standalone HTML page, message by message: no request, and nothing that is not made safe.

Input: a `Transcript`.  Output: text in pieces.  `parts` renders the parts; this module puts results under their
calls and adds the head, the anchors, the agents' boxes and the list of prompts.  `pages` splits a long session.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from backscroll.records import Damage
from backscroll.sessions.message import Message, Part
from backscroll.sessions.model import Branch, Transcript
from backscroll.sessions.session import MAIN, Session
from backscroll.views.answers import Answers, grouped
from backscroll.views.call_summary import tool_name
from backscroll.views.figures import count, moment, short_model
from backscroll.views.html.page import TOOLS, end_of_page, start_of_page
from backscroll.views.html.parts import part_html
from backscroll.views.html.texts import folded, line
from backscroll.views.session_facts import session_facts
from backscroll.views.terminal.listing import place_text
from backscroll.views.terminal.paper import Paper
from backscroll.views.visible import departures, is_shown, remarks, speaker, words_of

_LABEL_LENGTH = 120


def document(transcript: Transcript, paper: Paper) -> Iterator[str]:
    """Yield a session as a page."""
    session = transcript.session
    yield start_of_page(line(session.title or session.id))
    yield session_header(session, transcript.branches, paper)
    yield f"{TOOLS}<main>\n"
    paper = paper._replace(base=session.cwd)
    page = PageWriter(paper)
    for group in grouped(transcript.messages):
        yield from page.group(group)
    yield page.end()
    yield damage_html(transcript.damage, paper)
    yield "</main>\n"
    yield prompts_html(page.prompts)
    yield end_of_page()


class PromptLink(NamedTuple):
    """A prompt in the list of prompts: the page that holds it, empty for this page, and its number."""

    page: str
    number: int
    label: str


def prompts_html(prompts: Iterable[PromptLink]) -> str:
    """Return the list of prompts, each with a link to it."""
    items = "".join(f'<li><a href="{one.page}#m{one.number}">{line(one.label)}</a></li>' for one in prompts)
    return f'<nav id="prompts" aria-label="Prompts"><h2>Prompts</h2><ol>{items}</ol></nav>\n' if items else ""


class PageWriter:
    """The state of a page while it is written: the depth of agents, the anchors, the results to come."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.depth = 0
        self.number = 0
        self.prompts: list[PromptLink] = []
        self.answers = Answers(paper)

    def group(self, group: list[Message]) -> Iterator[str]:
        """Yield a message, and its results under their calls."""
        self.answers.enter(group)
        for message in group:
            self.number += 1
            yield from self._nesting(message)
            yield from map(_rule, remarks(message))
            if is_shown(message, is_full=self.paper.is_full):
                yield from self._message(message)
            yield from (_rule(f"{text}: {hint}") for text, hint in departures(message, self.paper.command))

    def end(self) -> str:
        """Return the end of all boxes that are open; the next message opens its own again."""
        ends, self.depth = "</details>" * self.depth, 0
        return ends

    def _nesting(self, message: Message) -> Iterator[str]:
        """Open and close the boxes of agents."""
        yield "</details>" * max(0, self.depth - message.depth)
        for _ in range(message.depth - self.depth):
            yield f'<details class="agent"><summary>agent {line(message.agent or "")}</summary>\n'
        self.depth = message.depth

    def _message(self, message: Message) -> Iterator[str]:
        parts = [html for part in message.parts if (html := self._part(message, part))]
        if not parts:
            return
        if message.is_typed:
            self.prompts.append(PromptLink("", self.number, _first_line(message)[:_LABEL_LENGTH] or "(no text)"))
        role = message.role if message.role in ("user", "assistant", "tool") else "system"
        yield f'<article class="{role}" id="m{self.number}">\n'
        if role != "tool":
            yield f'<h2>{_title(message, self.paper)} <a href="#m{self.number}">#{self.number}</a></h2>\n'
        yield from parts
        yield "</article>\n"

    def _part(self, message: Message, part: Part) -> str:
        if part.kind == "call":
            return part_html(part, self.paper, result=self.answers.result_of(part))
        if part.kind != "result":
            return part_html(part, self.paper, role=message.role)
        if self.answers.is_placed(part):
            return ""
        call = self.answers.label_of(part)
        summary = f"result of <b>{line(tool_name(call.name))}</b> <span>{line(call.about)}</span>"
        return folded("call", summary, part_html(part, self.paper))


def session_header(session: Session, branches: list[Branch], paper: Paper, above: str = "") -> str:
    """Return the head of a page: title, facts and other branches; `above` is HTML that comes first."""
    items = "".join(f"<dt>{name}</dt><dd>{line(value)}</dd>" for name, value in session_facts(session, paper))
    title = f"<h1>{line(session.title or session.id)}</h1><dl>{items}</dl>"
    others = _branches(session, branches, paper)
    link = '<nav class="top"><a href="#prompts">Prompts</a></nav>' if session.prompts else ""
    return f"<header>{above}{title}{others}{link}</header>\n"


def _branches(session: Session, branches: list[Branch], paper: Paper) -> str:
    others = [branch for branch in branches if branch.name != MAIN]
    items = "".join(
        f"<li>{line(branch.name)}: {line(branch.label)} <small>{count(branch.messages, 'message')}</small> "
        f"<code>{line(f'{paper.command} show {session.id[:8]} --branch {branch.name}')}</code></li>"
        for branch in others
    )
    return (
        folded("branches", count(len(others), "other branch", "other branches"), f"<ul>{items}</ul>") if others else ""
    )


def _first_line(message: Message) -> str:
    """Return the first line of a prompt that says something."""
    lines = (row.strip() for part in message.parts if part.kind == "text" for row in words_of(part).splitlines())
    return next(filter(None, lines), "")


def _rule(text: str) -> str:
    return f'<p class="rule">{line(text)}</p>\n'


def _title(message: Message, paper: Paper) -> str:
    details = [
        moment(message.time, paper) if message.time else "",
        short_model(message.model) if message.role == "assistant" else "",
        f"agent {message.agent}" if message.agent else "",
        f"branch {message.branch}" if message.branch != MAIN else "",
    ]
    small = " ".join(f"<small>{line(text)}</small>" for text in details if text)
    return f"{speaker(message)} {small}"


def damage_html(damage: list[Damage], paper: Paper) -> str:
    """Return the list of damage, nothing without any."""
    if not damage:
        return ""
    items = "".join(f"<li>{line(place_text(one.place, paper))}: {line(one.reason)}</li>" for one in damage)
    return f'<section class="damage"><h2>Damage</h2><ul>{items}</ul></section>\n'
