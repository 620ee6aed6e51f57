"""A session as one standalone HTML page, message by message: no script, no request, nothing that is not escaped.

Comes in: a `Transcript`.  Goes out: text in pieces.  Every piece of data is scrubbed and escaped before any tag of
ours is put around it; tags come from this file only.  The page carries a policy that forbids scripts and loads.
"""

from collections.abc import Iterable, Iterator
from html import escape

from backscroll.records import Damage
from backscroll.scrub import one_line, printable
from backscroll.sessions.model import Message, Part, Session, Transcript
from backscroll.views.blocks import Block, inline, parse
from backscroll.views.diff import DiffLine, call_diff, tally
from backscroll.views.figures import moment, period, short_model, tilde
from backscroll.views.json import dumps
from backscroll.views.listing import held, place_of, place_text
from backscroll.views.page import END, start_of_page
from backscroll.views.paper import Paper
from backscroll.views.parts import label
from backscroll.views.tools import TODO_BOXES, about, command_text, plan_text, todo_lines, tool_name, written_text
from backscroll.views.visible import departures, is_boundary, is_shown, notice_of, remarks, speaker, words_of

_SIGNS = {"+": "added", "-": "removed", "@": "hunk"}
_TAGS = {"code": "code", "strong": "strong", "emphasis": "em"}


def document(transcript: Transcript, paper: Paper) -> Iterator[str]:
    """Yield a session as a page."""
    session = transcript.session
    yield start_of_page(line(session.title or session.id))
    yield _header(session, paper)
    paper = paper.changed(base=session.cwd)
    depth = 0
    for message in transcript.messages:
        yield from _nesting(depth, message)
        depth = message.depth
        yield from map(_rule, remarks(message))
        if is_shown(message, is_full=paper.is_full):
            yield from _message(message, paper)
        yield from map(_rule, departures(message))
    yield "</details>" * depth
    yield _damage(transcript.damage, paper)
    yield END


def line(text: str) -> str:
    """Return foreign text on one line, escaped."""
    return escape(one_line(text))


def body(text: str) -> str:
    """Return foreign text of any length, escaped; line feeds stay."""
    return escape(printable(text))


def rendered(text: str) -> str:
    """Return Markdown of foreign making as HTML: paragraphs, code, headings, items, quotes, tables, http(s) links."""
    return "".join(_block(block) for block in parse(printable(text).strip("\n")))


def _block(block: Block) -> str:
    if block.kind == "fence":
        return f"<pre><code>{escape(block.text)}</code></pre>\n"
    if block.kind == "heading":
        level = min(block.level + 2, 6)
        return f"<h{level}>{_inline(block.text)}</h{level}>\n"
    if block.kind == "item":
        bullet = "•" if block.label in ("-", "*", "+") else escape(block.label)
        return f'<p class="item l{block.level}"><span>{bullet}</span> {_inline(block.text)}</p>\n'
    if block.kind == "quote":
        return f"<blockquote>{_inline(block.text)}</blockquote>\n"
    if block.kind == "table":
        return _table(block)
    return "<hr>\n" if block.kind == "rule" else f"<p>{_inline(block.text)}</p>\n"


def _table(block: Block) -> str:
    rows = [
        "<tr>" + "".join(f"<{tag}>{_inline(cell)}</{tag}>" for cell in row) + "</tr>"
        for row, tag in zip(block.rows, ["th", *["td"] * len(block.rows)], strict=False)
    ]
    return f'<div class="wide"><table>{"".join(rows)}</table></div>\n'


def _inline(text: str) -> str:
    pieces: list[str] = []
    for run in inline(text):
        if run.style == "link":
            pieces.append(f'<a href="{escape(run.url)}" rel="noopener noreferrer">{escape(run.text)}</a>')
        elif run.style:
            pieces.append(f"<{_TAGS[run.style]}>{escape(run.text)}</{_TAGS[run.style]}>")
        else:
            pieces.append(escape(run.text))
    return "".join(pieces)


def _header(session: Session, paper: Paper) -> str:
    facts = [
        ("session", session.id),
        ("project", tilde(place_of(session) or "", paper)),
        ("time", period(session.started, session.updated, paper)),
        ("model", ", ".join(session.models) or session.model),
        ("messages", f"{session.messages:,}"),
        ("calls", f"{session.calls:,}" if session.calls else ""),
        ("state", session.state if session.state != "live" else ""),
        ("held", held(session)),
    ]
    items = "".join(f"<dt>{name}</dt><dd>{line(value)}</dd>" for name, value in facts if value)
    return f"<header><h1>{line(session.title or session.id)}</h1><dl>{items}</dl></header>\n<main>\n"


def _nesting(depth: int, message: Message) -> Iterator[str]:
    """Open and close the boxes that agents stand in."""
    yield "</details>" * max(0, depth - message.depth)
    for _ in range(message.depth - depth):
        yield f'<details class="agent"><summary>agent {line(message.agent or "")}</summary>\n'


def _rule(text: str) -> str:
    return f'<p class="rule">{line(text)}</p>\n'


def _message(message: Message, paper: Paper) -> Iterator[str]:
    parts = [html for part in message.parts if (html := _part(message, part, paper))]
    if not parts:
        return
    role = message.role if message.role in ("user", "assistant", "tool") else "system"
    yield f'<article class="{role}">\n'
    if role != "tool":
        yield f"<h2>{_title(message, paper)}</h2>\n"
    yield from parts
    yield "</article>\n"


def _title(message: Message, paper: Paper) -> str:
    details = [
        moment(message.time, paper) if message.time else "",
        short_model(message.model) if message.role == "assistant" else "",
        f"agent {message.agent}" if message.agent else "",
        f"branch {message.branch}" if message.branch != "main" else "",
    ]
    small = " ".join(f"<small>{line(text)}</small>" for text in details if text)
    return f"{speaker(message)} {small}"


def _part(message: Message, part: Part, paper: Paper) -> str:
    text = words_of(part) if part.kind in ("text", "summary") else part.text or ""
    if part.kind in ("text", "summary", "thinking"):
        return _said(message, part.kind, text) if text.strip() else ""
    if part.kind == "call":
        return _call(part, paper)
    if part.kind == "result":
        return _result(part)
    if part.kind in ("image", "document"):
        return f'<p class="label">{line(label(part))}</p>\n'
    return _other(part, paper)


def _other(part: Part, paper: Paper) -> str:
    if is_boundary(part) and not paper.is_full:
        return ""
    if (notice := notice_of(part)) is not None:
        return f"<p>{body(notice)}</p>\n"
    text = part.text or dumps(part.data.get("raw"))
    return _folded("other", line(str(part.data.get("type") or part.kind)), _pre(text))


def _said(message: Message, kind: str, text: str) -> str:
    if kind == "summary":
        return _folded("summary", "Summary of what came before", rendered(text))
    if kind == "thinking":
        return _folded("thinking", "Thinking", f"<p>{body(text)}</p>")
    return rendered(text) if message.role == "assistant" else f"<p>{body(text)}</p>\n"


def _folded(kind: str, summary: str, content: str, *, is_open: bool = False) -> str:
    return f'<details class="{kind}"{" open" * is_open}><summary>{summary}</summary>{content}</details>\n'


def _pre(text: str) -> str:
    return f"<pre>{body(text)}</pre>"


def _call(part: Part, paper: Paper) -> str:
    name, call_input = str(part.data.get("name") or "?"), part.data.get("input")
    diff = call_diff(name, call_input)
    numbers = f" <small>{tally(diff)}</small>" if diff else ""
    summary = f"<b>{line(tool_name(name))}</b> <span>{escape(about(name, call_input, paper))}</span>{numbers}"
    if diff:
        return _folded("call", summary, _diff(diff), is_open=True)
    if (written := written_text(name, call_input)) is not None:
        return _folded("call", summary, _pre(written[1]))
    if (command := command_text(name, call_input)) is not None:
        return _folded("call", summary, _pre(command), is_open=True)
    if (plan := plan_text(name, call_input)) is not None:
        return _folded("call", summary, rendered(plan), is_open=True)
    if todos := todo_lines(call_input):
        items = "".join(f"<p>{TODO_BOXES.get(status, '☐')} {line(text)}</p>" for status, text in todos)
        return _folded("call", summary, items, is_open=True)
    return _folded("call", summary, _pre(dumps(call_input)))


def _diff(diff: Iterable[DiffLine]) -> str:
    rows = "".join(
        f'<span class="{_SIGNS.get(one.sign, "kept")}">{one.sign if one.sign != "@" else "⋯"} {body(one.text)}</span>'
        for one in diff
    )
    return f'<pre class="diff">{rows}</pre>'


def _result(part: Part) -> str:
    name = line(str(part.data.get("name") or ""))
    text = (part.text or "").strip("\n")
    if not text.strip():
        return f'<p class="label">{name} gave no output</p>\n'
    lines = text.count("\n") + 1
    summary = f"{'failed' if part.data.get('error') else 'result'} <small>{lines:,} lines</small>"
    return _folded("error" if part.data.get("error") else "result", summary, _pre(text), is_open=lines <= 3)


def _damage(damage: list[Damage], paper: Paper) -> str:
    if not damage:
        return ""
    items = "".join(f"<li>{line(place_text(one.place, paper))}: {line(one.reason)}</li>" for one in damage)
    return f'<section class="damage"><h2>Damage</h2><ul>{items}</ul></section>\n'
