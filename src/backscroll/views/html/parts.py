"""One part of a message as safe HTML: the one rendering that pages, `share` and the web page use.

Input: a part and, for a call, its result.  Output: HTML that can stand anywhere.  The classes are those of
`style.css`; nothing is in it but our own tags and escaped text.
"""

import re
from base64 import b64encode
from collections.abc import Iterable
from typing import Any

from backscroll.formats.images import raster_image
from backscroll.sessions.message import Part
from backscroll.sessions.reading.join import decoded
from backscroll.views.call_summary import TODO_BOXES, about, plan_text, todo_lines, tool_name, written_text
from backscroll.views.diff import DiffLine, call_diff, patch_lines, tally
from backscroll.views.figures import count
from backscroll.views.html.texts import body, code, folded, line, linked, pre, rendered
from backscroll.views.json.sessions import dumps
from backscroll.views.terminal.paper import Paper
from backscroll.views.terminal.parts import label, result_media
from backscroll.views.visible import is_boundary, notice_of, words_of

_SIGNS = {"+": "added", "-": "removed", "@": "hunk"}
_WRAPPING = re.compile(r"\x1b\[[0-9;:]*m|</?(?:tool_use_error|persisted-output)>")
_OPEN_LINES = 12
_QUIET = {"Read", "Glob", "Grep", "LS", "ToolSearch", "WebFetch"}


def part_html(part: Part, paper: Paper, *, role: str = "assistant", result: Part | None = None) -> str:
    """Return a part as HTML, nothing for an empty one; `result` is the answer to a call, shown under it."""
    if part.kind in ("text", "summary", "thinking"):
        return _spoken_text(part, role)
    if part.kind == "call":
        return call_html(part, result, paper)
    if part.kind == "result":
        return result_html(part)
    if part.kind in ("image", "document"):
        return media_html({"kind": part.kind, **part.data})
    return _other(part, paper)


def _spoken_text(part: Part, role: str) -> str:
    text = part.text or "" if part.kind == "thinking" else words_of(part)
    if not text.strip():
        return ""
    if part.kind == "summary":
        return folded("summary", "Summary of the earlier conversation", rendered(text))
    if part.kind == "thinking":
        return folded("thinking", "Thinking", f'<p class="said">{linked(text)}</p>')
    return rendered(text) if role == "assistant" else f'<p class="said">{linked(text)}</p>\n'


def _other(part: Part, paper: Paper) -> str:
    if is_boundary(part) and not paper.is_full:
        return ""
    if (notice := notice_of(part)) is not None:
        return f'<p class="said">{body(notice)}</p>\n'
    text = part.text or dumps(part.data.get("raw"))
    return folded("other", line(str(part.data.get("type") or part.kind)), pre(text))


def call_html(part: Part, result: Part | None, paper: Paper) -> str:
    """Return a call with its result: one line, and behind it the diff, the terminal, the list or the input."""
    name, call_input = str(part.data.get("name") or "?"), part.data.get("input")
    diff = call_diff(name, call_input, result.data.get("detail") if result else None)
    is_failed = bool(result and result.data.get("error"))
    facts = [tally(diff), "" if diff and not is_failed else _outcome(result)]
    numbers = "".join(f" <small>{line(text)}</small>" for text in facts if text)
    summary = f"<b>{line(tool_name(name))}</b> <span>{line(about(name, call_input, paper))}</span>{numbers}"
    shell = _shell(name, call_input)
    if shell is not None:
        content = _aim(call_input) + _terminal(shell, result)
    else:
        content = _call_body(name, call_input, diff)
        content += "" if result is None or (diff and not is_failed) else result_html(result)
    is_open = is_failed or _is_open(name, diff, result, is_shell=shell is not None)
    return folded("call failed" if is_failed else "call", summary, content, is_open=is_open)


def _is_open(name: str, diff: list[DiffLine], result: Part | None, *, is_shell: bool) -> bool:
    if name in ("TodoWrite", "AskUserQuestion", "ExitPlanMode"):
        return True
    if diff:
        return len(diff) <= 5 * _OPEN_LINES
    lines = ((result.text if result else "") or "").count("\n")
    return name not in _QUIET and is_shell and lines <= _OPEN_LINES


def _outcome(result: Part | None) -> str:
    if result is None:
        return ""
    if result.data.get("error"):
        return "✕ failed"
    text = (result.text or "").lstrip("\n").rstrip("\r\n")
    return count(text.count("\n") + 1, "line") if text.strip() else ""


def _shell(name: str, call_input: Any) -> str | None:
    command = call_input.get("command") if name in ("Bash", "PowerShell") and isinstance(call_input, dict) else None
    return command if isinstance(command, str) else None


def _aim(call_input: Any) -> str:
    """Return Claude's own words about a command, nothing without any."""
    aim = call_input.get("description")
    is_said = isinstance(aim, str) and aim.strip() and aim.strip() != call_input["command"].strip()
    return f'<p class="label">{line(aim)}</p>\n' if is_said else ""


def _terminal(command: str, result: Part | None) -> str:
    typed = f'<pre class="terminal"><b>$ {body(command)}</b></pre>\n'
    return typed + (result_html(result, "terminal") if result else "")


def _call_body(name: str, call_input: Any, diff: list[DiffLine]) -> str:
    if diff:
        return diff_html(diff)
    if (written := written_text(name, call_input)) is not None:
        return code(written[1], path=written[0])
    if (plan := plan_text(name, call_input)) is not None:
        return rendered(plan)
    if todos := todo_lines(call_input):
        items = "".join(f"<li>{TODO_BOXES.get(status, '☐')} {line(text)}</li>" for status, text in todos)
        return f'<ul class="todos">{items}</ul>\n'
    if questions := _questions(name, call_input):
        return questions
    return pre(dumps(call_input), "input")


def _questions(name: str, call_input: Any) -> str:
    asked = call_input.get("questions") if name == "AskUserQuestion" and isinstance(call_input, dict) else None
    pieces: list[str] = []
    for one in asked if isinstance(asked, list) else ():
        if not isinstance(one, dict):
            continue
        pieces.append(f'<p class="question">{line(str(one.get("question", "")))}</p>')
        options = one.get("options")
        pieces.append("<ul>" + "".join(map(_option, options if isinstance(options, list) else ())) + "</ul>\n")
    return "".join(pieces)


def _option(option: Any) -> str:
    """Return one answer to choose, with the words that explain it."""
    given = option if isinstance(option, dict) else {"label": option}
    about = f" <small>{line(str(given['description']))}</small>" if given.get("description") else ""
    return f"<li>{line(str(given.get('label')))}{about}</li>"


def diff_html(diff: Iterable[DiffLine]) -> str:
    """Return a diff: a number if it is known, a sign, and the line."""
    rows: list[str] = []
    for one in diff:
        sign = "⋯" if one.sign == "@" else one.sign
        number = "" if one.number is None else str(one.number)
        kind = _SIGNS.get(one.sign, "kept")
        rows.append(f'<span class="{kind}"><i>{number}</i>{sign} {body(one.text)}</span>')
    return f'<pre class="diff">{"".join(rows)}</pre>\n'


def result_html(part: Part, kind: str = "output") -> str:
    """Return the answer to a call: its text, the labels of its images, or the raw form of anything else."""
    text = _WRAPPING.sub("", part.text or "").lstrip("\n").rstrip("\r\n")
    pieces = [pre(text, kind)] if text.strip() else []
    pieces += map(media_html, result_media(part))
    if not pieces and (patch := list(patch_lines(part.data.get("detail")))):
        pieces.append(diff_html(patch))
    if not pieces and part.data.get("raw") is not None:
        pieces.append(pre(dumps(part.data["raw"]), kind))
    if pieces:
        return "".join(pieces)
    return f'<p class="label">{"failed without output" if part.data.get("error") else "no output"}</p>\n'


def media_html(data: dict[str, Any]) -> str:
    """Return an image whose bytes are there, or at an address, and are those of a raster image; else a label.

    A page sets the address; a label with one leads to the bytes.
    """
    about, address = line(_media_label(data)), data.get("address")
    if address is not None:
        shown = f'<img alt="{about}" src="{line(address)}" loading="lazy">' if data.get("format") else about
        return f'<p class="label"><a href="{line(address)}" download>{shown}</a></p>\n'
    stored = data.get("base64")
    found = raster_image(decoded(stored)) if data.get("kind") == "image" and isinstance(stored, str) else None
    if found is None:
        return f'<p class="label">{about}</p>\n'
    return f'<p><img alt="{about}" src="data:{found[0]};base64,{b64encode(found[1]).decode()}"></p>\n'


def _media_label(data: dict[str, Any]) -> str:
    kind = str(data.get("kind"))
    return label(Part(kind, None, data)) if kind in ("image", "document") else f"[{data.get('type') or kind}]"
