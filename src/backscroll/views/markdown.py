"""A session as a Markdown document, message by message.

Input: a `Transcript`.  Output: text in pieces.  The text of people and of Claude stays Markdown.  In it raw HTML is
neutralised, images are not loaded, headings are set below ours, and fences are always closed.  Inputs and results of
tools are fenced, each fence longer than any inside it.
"""

import re
from collections.abc import Iterator
from itertools import chain

from backscroll.records import Damage
from backscroll.safe_text import one_line, printable
from backscroll.sessions.message import Message, Part
from backscroll.sessions.model import Transcript
from backscroll.sessions.session import Session
from backscroll.views.answers import Answers, grouped
from backscroll.views.call_summary import (
    TODO_BOXES,
    about,
    command_text,
    plan_text,
    todo_lines,
    tool_name,
    written_text,
)
from backscroll.views.diff import DiffLine, call_diff
from backscroll.views.figures import moment
from backscroll.views.json.sessions import dumps
from backscroll.views.session_facts import session_facts
from backscroll.views.terminal.listing import place_text
from backscroll.views.terminal.paper import Paper
from backscroll.views.terminal.parts import label, result_media
from backscroll.views.visible import departures, is_boundary, is_shown, notice_of, remarks, speaker, words_of

LARGEST_FILE = 1_000_000
"""GitHub shows a larger file as plain text."""
_TICKS = re.compile(r"`{3,}")
_FENCE = re.compile(r"[ >]*(`{3,}+|~{3,}+)[^`]*+")
_CODE_SPAN = re.compile(r"(`+)(?:[^`]{1,2000})\1(?!`)")
_HTML = re.compile(r"<(?=[A-Za-z/!?])")
_LINK = re.compile(r"\]\([ \t]*(?!https?://|mailto:|#)", re.IGNORECASE)
_HEADING = re.compile(r"^( {0,3})(#{1,4})(?=[ \t])", re.MULTILINE)
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")


def document(transcript: Transcript, paper: Paper) -> Iterator[str]:
    """Yield a session as Markdown."""
    yield from _header(transcript.session, paper)
    yield from _messages(transcript, paper)
    yield from _damage(transcript.damage, paper)


def document_pages(
    transcript: Transcript, paper: Paper, stem: str, largest: int = LARGEST_FILE
) -> Iterator[tuple[str, str]]:
    """Yield name and text of one file, or of numbered files and then of their index; `stem` is a safe file name."""
    head = "".join(_header(transcript.session, paper))
    number, size = 1, len(head)
    pieces: list[str] = []
    for piece in chain(_messages(transcript, paper), _damage(transcript.damage, paper)):
        length = len(piece.encode("utf-8", "replace"))
        if pieces and size + length > largest:
            yield f"{stem}-{number}.md", "".join(pieces)
            number, size, pieces = number + 1, 0, []
        pieces.append(piece)
        size += length
    if number == 1:
        yield f"{stem}.md", head + "".join(pieces)
        return
    yield f"{stem}-{number}.md", "".join(pieces)
    yield f"{stem}.md", head + "".join(f"- [Part {one}]({stem}-{one}.md)\n" for one in range(1, number + 1))


def _messages(transcript: Transcript, paper: Paper) -> Iterator[str]:
    """Yield each message with its title and remarks."""
    paper = paper._replace(base=transcript.session.cwd)
    answers = Answers(paper)
    speaking: tuple[str, str | None] | None = None
    for group in grouped(transcript.messages):
        answers.enter(group)
        for message in group:
            parts = message.parts if is_shown(message, is_full=paper.is_full) else []
            body = "".join(_with_result(part, answers, paper) for part in parts)
            who = ("assistant" if message.role == "tool" else message.role, message.agent)
            title = ""
            if body and who != speaking:
                speaking = None if message.role == "tool" else who
                title = f"## {_title(message, paper)}\n\n"
            after = (f"{text}: {hint}" for text, hint in departures(message, paper.command))
            yield "".join([*map(_remark, remarks(message)), title, body, *map(_remark, after)])


def _with_result(part: Part, answers: Answers, paper: Paper) -> str:
    """Return a part; a call with its result under it, a late result with the name of its call."""
    if part.kind == "call":
        result = answers.result_of(part)
        return _part(part, paper) + ("" if result is None else _result(result))
    if part.kind != "result":
        return _part(part, paper)
    if answers.is_placed(part):
        return ""
    call = answers.label_of(part)
    return f"Result of **{plain(tool_name(call.name))}** {code_span(call.about)}".rstrip() + "\n\n" + _result(part)


def _remark(text: str) -> str:
    return f"---\n\n*{plain(text)}*\n\n"


def plain(text: str) -> str:
    """Return foreign text on one line, escaped so that Markdown reads it as plain text."""
    return _SPECIAL.sub(r"\\\1", one_line(text)).replace("\\<", "&lt;")


def code_span(text: str) -> str:
    """Return foreign text on one line as code, between more ticks than it holds."""
    clean = one_line(text)
    ticks = "`" * (max((len(run) for run in re.findall(r"`+", clean)), default=0) + 1)
    return f"{ticks} {clean} {ticks}" if "`" in clean else f"{ticks}{clean}{ticks}" if clean else ""


def fenced(text: str, language: str = "") -> str:
    """Return text as a code block whose fence is longer than any inside it."""
    clean = printable(text).strip("\n")
    longest = max(map(len, _TICKS.findall(clean)), default=2) if "```" in clean else 2
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{clean}\n{fence}\n\n"


def safe_markdown(text: str) -> str:
    """Return Markdown of foreign making without raw HTML, remote images, other links or an open fence."""
    lines: list[str] = []
    fence = ""
    for line in printable(text).strip("\n").split("\n"):
        found = _FENCE.fullmatch(line)
        if fence:
            if line.strip(" >") and not line.strip(" >").strip(fence[0]) and len(line.strip(" >")) >= len(fence):
                fence = ""
            lines.append(line)
        elif found is not None:
            fence = found[1]
            lines.append(line)
        else:
            lines.append(_safe_line(line))
    return "\n".join(lines) + (f"\n{fence}" if fence else "")


def _safe_line(line: str) -> str:
    if not _SPECIAL.search(line):
        return line
    pieces: list[str] = []
    end = 0
    for span in _CODE_SPAN.finditer(line):
        pieces += [_safe_text(line[end : span.start()]), span[0]]
        end = span.end()
    return _HEADING.sub(r"\1##\2", "".join([*pieces, _safe_text(line[end:])]))


def _safe_text(text: str) -> str:
    text = _HTML.sub("&lt;", text).replace("![", "\\![")
    return _LINK.sub(r"]\\(", text)


def _header(session: Session, paper: Paper) -> Iterator[str]:
    yield f"# {plain(session.title or session.id)}\n\n"
    yield "".join(f"- {name.capitalize()}: {plain(value)}\n" for name, value in session_facts(session, paper)) + "\n"


def _title(message: Message, paper: Paper) -> str:
    agent = f" (agent {message.agent})" if message.agent else ""
    branch = f" [branch {message.branch}]" if message.branch != "main" else ""
    time = f", {moment(message.time, paper)}" if message.time else ""
    return plain(speaker(message) + agent + branch) + time


def _part(part: Part, paper: Paper) -> str:
    if part.kind in ("text", "summary"):
        text = words_of(part)
        return safe_markdown(text) + "\n\n" if text.strip() else ""
    if part.kind == "thinking":
        return _quoted(part.text) if part.text and part.text.strip() else ""
    if part.kind == "call":
        return _call(part, paper)
    if part.kind in ("image", "document"):
        return f"*{plain(label(part))}*\n\n"
    return _other(part, paper)


def _other(part: Part, paper: Paper) -> str:
    if is_boundary(part) and not paper.is_full:
        return ""
    if (notice := notice_of(part)) is not None:
        return fenced(notice)
    return f"*{plain(str(part.data.get('type') or part.kind))}*\n\n" + (_raw(part) if paper.is_full else "")


def _quoted(text: str) -> str:
    lines = safe_markdown(text).split("\n")
    return "\n".join(f"> {line}".rstrip() for line in ["*Thinking*", "", *lines]) + "\n\n"


def _raw(part: Part) -> str:
    return fenced(part.text) if part.text else fenced(dumps(part.data.get("raw")), "json")


def _call(part: Part, paper: Paper) -> str:
    name, call_input = str(part.data.get("name") or "?"), part.data.get("input")
    head = f"**{plain(tool_name(name))}** {code_span(about(name, call_input, paper))}".rstrip() + "\n\n"
    if diff := call_diff(name, call_input):
        return head + fenced(diff_text(diff), "diff")
    if (written := written_text(name, call_input)) is not None:
        return head + fenced(written[1])
    if (command := command_text(name, call_input)) is not None:
        return head + fenced(command, "bash")
    if (plan := plan_text(name, call_input)) is not None:
        return head + safe_markdown(plan) + "\n\n"
    if todos := todo_lines(call_input):
        return head + "".join(f"- {TODO_BOXES.get(status, '☐')} {plain(text)}\n" for status, text in todos) + "\n"
    return head + (fenced(dumps(call_input), "json") if paper.is_full else "")


def diff_text(diff: list[DiffLine]) -> str:
    """Return a diff as text."""
    return "\n".join(f"@@ {line.text} @@" if line.sign == "@" else line.sign + line.text for line in diff)


def _result(part: Part) -> str:
    failed = "*failed*\n\n" if part.data.get("error") else ""
    media = [f"*{plain(label(Part(str(one.get('kind')), None, one)))}*\n\n" for one in result_media(part)]
    said = fenced(part.text) if part.text and part.text.strip() else ""
    return failed + (said + "".join(media) or "*no output*\n\n")


def _damage(damage: list[Damage], paper: Paper) -> Iterator[str]:
    if damage:
        yield "---\n\n## Damage\n\n"
        yield from (f"- {plain(place_text(one.place, paper))}: {plain(one.reason)}\n" for one in damage)
