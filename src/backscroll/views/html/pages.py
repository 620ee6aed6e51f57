"""A session as one page, or as numbered pages with an index if one page would be too large.

Input: a `Transcript` and the name of the page without its ending.  Output: names and pages; the index comes last,
because it lists all pages and prompts.  At most one page is in memory.
"""

from collections.abc import Iterator
from typing import NamedTuple

from backscroll.sessions.model import Branch, Transcript
from backscroll.sessions.session import Session
from backscroll.views.answers import grouped
from backscroll.views.figures import count
from backscroll.views.html.page import TOOLS, end_of_page, start_of_page
from backscroll.views.html.session import PageWriter, PromptLink, damage_html, prompts_html, session_header
from backscroll.views.html.texts import line
from backscroll.views.terminal.paper import Paper

LARGEST_PAGE = 5_000_000
_CONTINUED = '<details class="agent" open><summary>agent, continued</summary>\n'


class PageFrame(NamedTuple):
    """The place of a page: HTML above its title, and the size from which it is split (None: never)."""

    above: str = ""
    largest: int | None = LARGEST_PAGE


def session_pages(
    transcript: Transcript, paper: Paper, stem: str, around: PageFrame | None = None
) -> Iterator[tuple[str, str]]:
    """Yield name and text of each page; `stem` is a safe file name without its ending."""
    return _Pages(transcript, paper, stem, around or PageFrame()).pages()


class _Pages:
    """The pages of a session while they are written."""

    def __init__(self, transcript: Transcript, paper: Paper, stem: str, around: PageFrame) -> None:
        self.transcript = transcript
        self.paper = paper._replace(base=transcript.session.cwd)
        self.stem = stem
        self.around = around
        self.writer = PageWriter(self.paper)

    def pages(self) -> Iterator[tuple[str, str]]:
        """Yield each page as soon as it is full."""
        number, size = 1, 0
        pieces: list[str] = []
        for group in grouped(self.transcript.messages):
            depth, mark = self.writer.depth, len(self.writer.prompts)
            html = "".join(self.writer.group(group))
            length = len(html.encode("utf-8", "replace"))
            if pieces and self.around.largest is not None and size + length > self.around.largest:
                yield self._numbered(number, [*pieces, "</details>" * depth], is_last=False)
                number, size = number + 1, 0
                pieces = [_CONTINUED * depth]
            self._name_page(mark, number)
            pieces.append(html)
            size += length
        pieces += [self.writer.end(), damage_html(self.transcript.damage, self.paper)]
        if number == 1:
            yield self._single(pieces)
        else:
            yield self._numbered(number, pieces, is_last=True)
            yield self._index(number)

    def _name_page(self, mark: int, number: int) -> None:
        """Let the newest prompts link to the page that holds them."""
        prompts = self.writer.prompts
        prompts[mark:] = [PromptLink(self._name(number), one.number, one.label) for one in prompts[mark:]]

    def _name(self, number: int) -> str:
        return f"{self.stem}-{number}.html"

    def _single(self, pieces: list[str]) -> tuple[str, str]:
        prompts = [one._replace(page="") for one in self.writer.prompts]
        head = self._start() + session_header(*self._facts(), self.around.above)
        html = "".join([head, TOOLS, "<main>\n", *pieces, "</main>\n", prompts_html(prompts), end_of_page()])
        return f"{self.stem}.html", html

    def _numbered(self, number: int, pieces: list[str], *, is_last: bool) -> tuple[str, str]:
        links = [
            f'<a href="{self.stem}.html">Index</a>',
            f'<a rel="prev" href="{self._name(number - 1)}">Previous page</a>' if number > 1 else "",
            "" if is_last else f'<a rel="next" href="{self._name(number + 1)}">Next page</a>',
        ]
        nav = f'<nav class="pages" aria-label="Pages">{" ".join(filter(None, links))}</nav>\n'
        head = f"<header>{self.around.above}<h1>{_title(self.transcript.session)}, page {number}</h1>{nav}</header>\n"
        html = "".join([self._start(), head, TOOLS, "<main>\n", *pieces, "</main>\n", nav, end_of_page()])
        return self._name(number), html

    def _index(self, last: int) -> tuple[str, str]:
        firsts = {one.page: one.label for one in reversed(self.writer.prompts)}
        names = [self._name(number) for number in range(1, last + 1)]
        items = "".join(
            f'<li><a href="{name}">Page {number}</a> <small>{line(firsts.get(name, ""))}</small></li>'
            for number, name in enumerate(names, 1)
        )
        pages = f'<nav aria-label="Pages"><h2>{count(last, "page")}</h2><ol class="bare">{items}</ol></nav>\n'
        html = "".join(
            [
                self._start(),
                session_header(*self._facts(), self.around.above),
                f"<main>{pages}{prompts_html(self.writer.prompts)}</main>\n",
                end_of_page(),
            ]
        )
        return f"{self.stem}.html", html

    def _start(self) -> str:
        return start_of_page(_title(self.transcript.session))

    def _facts(self) -> tuple[Session, list[Branch], Paper]:
        return self.transcript.session, self.transcript.branches, self.paper


def _title(session: Session) -> str:
    return line(session.title or session.id)
