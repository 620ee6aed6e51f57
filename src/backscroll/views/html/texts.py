"""Foreign text as safe HTML: lines, bodies, Markdown, code, and long text with a fold.

Every function here returns HTML that can stand anywhere in a page.  Markdown is parsed with raw HTML off, and nh3
cleans the result: only tags of a short list survive, and links lead to http(s) and mailto only.
Classes are ours; there are no inline styles, because a strict policy forbids them.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from html import escape
from itertools import groupby

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import STANDARD_TYPES, _TokenType
from pygments.util import ClassNotFound

from backscroll.safe_text import one_line, printable

_LONGEST_MARKDOWN = 200_000
_LONGEST_CODE = 40_000
_LONGEST_CODE_LINE = 1_000
_TAGS = set(
    "p br strong em s code pre h3 h4 h5 h6 ul ol li blockquote hr table thead tbody tr th td a span".split()  # noqa: SIM905
)
_ATTRIBUTES = {"a": {"href"}, "span": {"class"}, "ol": {"start"}}
_SHOWN_LINES = 20
_COLOURED = frozenset("k kd kn kr kt ow nt s s1 s2 sd sa na c c1 cm ch cp nf nc fm mi mf".split())  # noqa: SIM905
"""The classes of code that have a colour in `style.css`."""
_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\^{}|⟨⟩\[\]()]{3,2000}(?<![.,:;!?*_~])(?![⟨…])")
"""A web address in plain text, without the signs that end a sentence; one that is cut or redacted leads nowhere."""


def line(text: str) -> str:
    """Return foreign text on one line, escaped."""
    return escape(one_line(text))


def body(text: str) -> str:
    """Return foreign text of any length, escaped; line feeds stay."""
    return escape(printable(text))


def linked(text: str) -> str:
    """Return foreign text as `body` does, with a link for each web address."""
    clean, last = printable(text), 0
    pieces: list[str] = []
    for found in _ADDRESS.finditer(clean):
        address = escape(found[0])
        pieces += (escape(clean[last : found.start()]), f'<a href="{address}" rel="noopener noreferrer">{address}</a>')
        last = found.end()
    return "".join((*pieces, escape(clean[last:])))


def pre(text: str, kind: str = "") -> str:
    """Return foreign text unchanged; the lines after the first twenty are behind a fold."""
    name = f' class="{kind}"' if kind else ""
    lines = printable(text).split("\n")
    if len(lines) <= _SHOWN_LINES + 5:
        return f"<pre{name}>{escape(chr(10).join(lines))}</pre>\n"
    first, rest = "\n".join(lines[:_SHOWN_LINES]), "\n".join(lines[_SHOWN_LINES:])
    more = f"{len(lines) - _SHOWN_LINES:,} more lines"
    return (
        f"<pre{name}>{escape(first)}</pre>\n"
        f'<details class="rest"><summary>{more}</summary><pre{name}>{escape(rest)}</pre></details>\n'
    )


def folded(kind: str, summary: str, content: str, *, is_open: bool = False) -> str:
    """Return a box that opens at a click; both texts come in as HTML."""
    return f'<details class="{kind}"{" open" * is_open}><summary>{summary}</summary>{content}</details>\n'


def code(text: str, language: str = "", path: str = "") -> str:
    """Return code with classes for its colours; plain where the language is unknown or the code is too long."""
    return f'<pre class="code"><code>{_coloured(printable(text), language, path)}</code></pre>\n'


def _coloured(text: str, language: str, path: str) -> str:
    too_long = len(text) > _LONGEST_CODE or max(map(len, text.split("\n"))) > _LONGEST_CODE_LINE
    lexer = None if too_long else _lexer(language[:40].lower(), path.replace("\\", "/").rsplit("/", 1)[-1][-200:])
    if lexer is None:
        return escape(text)
    return "".join(_spans(lexer.get_tokens(text))).rstrip("\n")


def _spans(tokens: Iterable[tuple[_TokenType, str]]) -> Iterator[str]:
    """Yield code with a span around each run of tokens of one colour; a span ends with its line."""
    for name, run in groupby(tokens, lambda token: _colour(token[0])):
        text = escape("".join(value for _, value in run))
        if name:
            text = "\n".join(f'<span class="{name}">{row}</span>' if row else "" for row in text.split("\n"))
        yield text


@lru_cache(256)
def _colour(kind: _TokenType) -> str:
    """Return the class of a kind of token, empty for one without a colour."""
    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    name = STANDARD_TYPES.get(kind, "")
    return name if name in _COLOURED else ""


@lru_cache(256)
def _lexer(language: str, name: str) -> Lexer | None:
    try:
        if language:
            return get_lexer_by_name(language, stripnl=False)
        return get_lexer_for_filename(name, stripnl=False) if name else None
    except ClassNotFound:
        return None


def rendered(text: str) -> str:
    """Return Markdown of foreign making as safe HTML."""
    clean = printable(text).strip("\n")
    if len(clean) > _LONGEST_MARKDOWN:
        return pre(clean)
    made = nh3.clean(
        _parser().render(clean),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=_safe_attribute,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
    )
    return f'<div class="prose">{made}</div>\n'


def _safe_attribute(_tag: str, name: str, value: str) -> str | None:
    """Return the value of an attribute; None for a link that does not name its scheme."""
    is_link = value.lower().startswith(("http://", "https://", "mailto:"))
    return value if name != "href" or is_link else None


@cache
def _parser() -> MarkdownIt:
    options = {"html": False, "highlight": lambda text, language, _: _coloured(text, language, "")}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"]).disable("image")
    parser.core.ruler.push("lower_headings", _lower_headings)
    parser.core.ruler.push("link_addresses", _link_addresses)
    return parser


def _lower_headings(state: StateCore) -> None:
    """Set headings of messages below those of the page."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"


def _link_addresses(state: StateCore) -> None:
    """Make links of the web addresses in plain text."""
    for block in state.tokens:
        if block.children and "://" in block.content:
            block.children = list(_with_links(block.children))


def _with_links(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield the tokens of a paragraph; text outside of links is cut at its addresses."""
    depth = 0
    for token in tokens:
        depth += (token.type == "link_open") - (token.type == "link_close")
        if token.type != "text" or depth:
            yield token
            continue
        last = 0
        for found in _ADDRESS.finditer(token.content):
            yield Token("text", "", 0, content=token.content[last : found.start()])
            yield Token("link_open", "a", 1, attrs={"href": found[0]})
            yield Token("text", "", 0, content=found[0])
            yield Token("link_close", "a", -1)
            last = found.end()
        yield Token("text", "", 0, content=token.content[last:])
