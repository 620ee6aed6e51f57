"""Every hostile text through every view: nothing but our own colours commands the terminal, no view breaks."""

import re
from collections.abc import Callable, Iterable, Iterator

import pytest
from views import samples
from views.samples import call, call_part, message, paper, result_part, session, transcript

from backscroll.cli.terminal import coloured, columns, highlight
from backscroll.sessions.message import Message, Part
from backscroll.sessions.model import Result, Transcript
from backscroll.sessions.session import Session
from backscroll.sessions.summaries import UnreadFile
from backscroll.views import markdown
from backscroll.views.html import session as html
from backscroll.views.terminal import calls, listing, tree
from backscroll.views.terminal import session as text
from backscroll.views.terminal.paper import Line, Paper

OURS = re.compile(r"\x1b\[[0-9;]*m")
FORBIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]"
)

View = Callable[[str, Paper], Iterable[Line]]


def messages(bad: str) -> Iterator[Message]:
    """Yield a conversation that says something hostile in every place it can."""
    yield message("user", bad, is_typed=True)
    yield message(
        "assistant", f"# {bad}\n- {bad}\n```{bad}\n{bad}\n```\n> {bad}\n\n|a|\n|-|\n|{bad}|", branch=bad, model=bad
    )
    yield message("assistant", Part("thinking", bad), call_part(bad, {"command": bad, bad: bad}), agent=bad, depth=1)
    yield message("tool", result_part(bad, name=bad), result_part(bad, "other", name=bad, error=True))
    yield message("assistant", call_part("Edit", {"file_path": bad, "old_string": bad, "new_string": bad + "x"}, "e"))
    yield message("assistant", call_part("Write", {"file_path": f"{bad}.py", "content": bad}, "w"))
    yield message("assistant", call_part("Bash", {"command": f"{bad}\n{bad}"}, "b"), call_part("X", bad, "x"))
    yield message("assistant", call_part("TodoWrite", {"todos": [{"content": bad, "status": bad}]}, "t"))
    yield message("assistant", call_part("ExitPlanMode", {"plan": bad}, "p"))
    yield message(
        "user",
        Part("image", bad, {"media_type": bad, "bytes": 3}),
        Part("other", bad, {"type": bad, "raw": {bad: bad}}),
    )
    yield message("system", Part("summary", bad), marks=["compaction", bad, f"fork {bad}"])


def hostile_transcript(bad: str) -> Transcript:
    """Return a transcript that is hostile throughout."""
    return transcript(
        messages(bad),
        session=hostile_session(bad),
        branches=[samples.branch(bad)],
        damage=[samples.damage(bad, bad)],
    )


def hostile_session(bad: str) -> Session:
    """Return a session all of whose texts are hostile."""
    return session(
        id=bad,
        title=bad,
        project=bad,
        cwd=bad,
        state=bad,
        model=bad,
        models=[bad],
        branch=bad,
        version=bad,
        parent=bad,
        copies=[bad],
    )


VIEWS: dict[str, View] = {
    "show": lambda bad, sheet: text.show(hostile_transcript(bad), sheet),
    "list": lambda bad, sheet: listing.session_list(
        9, [hostile_session(bad)], sheet, {bad: [samples.agent(id=bad, type=bad, description=bad)]}
    ),
    "stores": lambda bad, sheet: listing.store_list(
        [samples.store(kind=bad, path=bad, damage=[samples.damage(bad, bad)], unread=[UnreadFile(bad, bad, 1)])], sheet
    ),
    "overview": lambda bad, sheet: listing.overview(
        [samples.store(path=bad)], 1, [hostile_session(bad)], [session(id=bad, title=bad, expires=samples.NOW)], sheet
    ),
    "tree": lambda bad, sheet: tree.tree(
        hostile_session(bad), [samples.node(bad, None, "branch", bad, 1), samples.node("x", bad, bad, bad)], sheet
    ),
    "calls": lambda bad, sheet: calls.call_log(
        [call(bad, {bad: bad}, Result(bad, error=True, persisted=bad), session=bad, agent=bad)], sheet
    ),
}


@pytest.mark.parametrize("bad", samples.HOSTILE)
@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("width", [80, None])
@pytest.mark.parametrize("is_full", [False, True])
def test_nothing_foreign_commands_the_terminal(bad: str, name: str, width: int | None, *, is_full: bool) -> None:
    """Through every view, on a terminal and on a pipe, only our own colours are escapes."""
    sheet = paper(width, is_full=is_full, measure=columns, highlight=highlight if width else None)
    shown = "\n".join(coloured(line) for line in VIEWS[name](bad, sheet))

    assert FORBIDDEN.search(OURS.sub("", shown)) is None
    assert shown.encode()


@pytest.mark.parametrize("bad", samples.HOSTILE)
@pytest.mark.parametrize("view", [markdown, html], ids=["markdown", "html"])
def test_nothing_foreign_is_in_documents(bad: str, view: object) -> None:
    """Markdown and HTML hold no control, direction mark or broken character."""
    shown = "".join(view.document(hostile_transcript(bad), paper(None, is_full=True)))  # type: ignore[attr-defined]

    assert FORBIDDEN.search(shown) is None
    assert shown.encode()


@pytest.mark.parametrize("name", VIEWS)
def test_text_that_looks_like_mark_up_stays(name: str) -> None:
    """Square brackets, percent signs and braces are text like any other."""
    shown = samples.text_of(VIEWS[name]("[/foo] %s {x}", paper(None, is_full=True)))

    assert "[/foo] %s {x}" in shown
