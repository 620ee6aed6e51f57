"""The pages around the sessions of a static site: the list of all sessions, and the search.

Input: entries, one for each session.  Output: two pages.  The search page holds an index of words: each word with
the numbers of the pages that have it.  The script that reads it is allowed by its hash; nothing is loaded.
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from msgspec import Struct

from backscroll.views.figures import count
from backscroll.views.html.page import end_of_page, start_of_page
from backscroll.views.html.texts import line

LIST_SCRIPT, SEARCH_SCRIPT = "list.js", "search.js"
OPEN_NOTICE = "Not redacted: this site is for yourself. To give a session to others, use backscroll share."
REDACTED_NOTICE = "Redacted: pseudonyms replace secrets, names and homes."
LONGEST_WORD = 40
_TAG = re.compile(r"<[^>]*>")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"), ("&nbsp;", " "), ("&amp;", "&"))
"""The entities of our own pages."""
_ACCENTS = re.compile("[\u0300-\u036f]+")
_WORD = re.compile(
    r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class SitePage(Struct):
    """A page of a session, and its words."""

    name: str
    words: str


class SiteEntry(Struct):
    """A session of the site, as it is kept beside its pages."""

    fingerprint: str
    id: str
    title: str
    project: str
    updated: str
    facts: str
    pages: list[SitePage]


def words_of_page(html: str) -> str:
    """Return the different words that a page of ours shows, sorted."""
    text = html[html.index("<header>") : html.rindex("<script>")]
    shown = _TAG.sub(" ", text)
    for entity, character in _ENTITIES:
        shown = shown.replace(entity, character)
    plain = unicodedata.normalize("NFKD", shown.lower())
    words = set(_WORD.findall(_ACCENTS.sub("", plain)))
    return " ".join(sorted(word for word in words if len(word) <= LONGEST_WORD))


def notice(*, is_redacted: bool) -> str:
    """Return the sentence that says if the site is redacted."""
    text = REDACTED_NOTICE if is_redacted else OPEN_NOTICE
    return f'<p class="notice">{text}</p>'


def above_session(*, is_redacted: bool, parent: str | None) -> str:
    """Return the links and the notice above the title of a session; `parent` is the name of a page."""
    links = ['<a href="../index.html">All sessions</a>', '<a href="../search.html">Search</a>']
    links += [f'<a href="{parent}">The session that this one left</a>'] if parent else []
    return f'<nav class="top" aria-label="Site">{" ".join(links)}</nav>{notice(is_redacted=is_redacted)}'


def list_page(entries: Sequence[SiteEntry], *, is_redacted: bool) -> str:
    """Return the list of all sessions, by project; the project that was used last comes first."""
    newest = sorted(entries, key=lambda one: one.updated, reverse=True)
    order = {project: place for place, project in reversed(list(enumerate(one.project for one in newest)))}
    groups = groupby(sorted(newest, key=lambda one: order[one.project]), lambda one: one.project)
    sections = "".join(_project(project, list(group)) for project, group in groups)
    head = (
        f"<header><h1>{count(len(entries), 'session')}</h1>{notice(is_redacted=is_redacted)}"
        '<nav class="top"><a href="search.html">Search everything that was said</a></nav></header>\n'
        '<div class="tools" role="search" hidden><input type="search" aria-label="Filter by title or project" '
        'placeholder="Filter by title or project"><output role="status"></output></div>\n'
    )
    return "".join(
        [start_of_page("Sessions", LIST_SCRIPT), head, f"<main>{sections}</main>\n", end_of_page(LIST_SCRIPT)]
    )


def _project(project: str, entries: Iterable[SiteEntry]) -> str:
    items = "".join(
        f'<li><a href="sessions/{one.pages[-1].name}">{line(one.title)}</a> <small>{line(one.facts)}</small></li>'
        for one in entries
    )
    return f'<section><h2>{line(project or "no project")}</h2><ul class="bare">{items}</ul></section>\n'


def search_page(entries: Iterable[SiteEntry], *, is_redacted: bool) -> Iterator[str]:
    """Yield the search page in pieces."""
    newest = sorted(entries, key=lambda one: one.updated, reverse=True)
    pages = [(entry, page) for entry in newest for page in entry.pages]
    places: dict[str, list[int]] = defaultdict(list)
    for number, (_, page) in enumerate(pages):
        for word in page.words.split(" "):
            places[word].append(number)
    yield start_of_page("Search", SEARCH_SCRIPT)
    yield (
        '<header><nav class="top"><a href="index.html">All sessions</a></nav><h1>Search</h1>'
        f"{notice(is_redacted=is_redacted)}</header>\n"
        "<noscript><p>The search needs a script. The list of sessions does not.</p></noscript>\n"
        '<div class="tools" role="search" hidden><input type="search" aria-label="Words that were said" '
        'placeholder="Words that were said" autofocus><output role="status"></output></div>\n'
        '<main><ol class="bare" id="found"></ol></main>\n'
    )
    rows = [(page.name, entry.title, entry.project, entry.facts) for entry, page in pages]
    yield f'<script type="application/json" id="pages">{_data(rows)}</script>\n'
    yield '<script type="text/plain" id="words">\n'
    for word in sorted(places):
        yield f"{word} {_gaps(places[word])}\n"
    yield "</script>\n"
    yield end_of_page(SEARCH_SCRIPT)


def _data(value: object) -> str:
    """Return JSON that ends no script."""
    return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c").replace(">", "\\u003e")


def _gaps(numbers: Iterable[int]) -> str:
    """Return ascending numbers as the gaps between them, in base 36."""
    last, gaps = -1, []
    for number in numbers:
        gaps.append(_base36(number - last))
        last = number
    return " ".join(gaps)


@lru_cache(4096)
def _base36(number: int) -> str:
    text = ""
    while number:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
    return text
