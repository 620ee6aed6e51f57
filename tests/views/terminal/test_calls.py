"""Calls as a log."""

from collections.abc import Iterator

from views.samples import ID, call, paper, text_of

from backscroll.sessions.model import Call, Result
from backscroll.views.terminal.calls import call_log


def test_a_call_is_a_line() -> None:
    """Time, tool, ending, duration and what it was about; the session once on top."""
    calls = [
        call(),
        call("Read", {"file_path": "/a.py"}, Result("x", error=False), finished=None),
        call("mcp__github__search", {"query": "bug"}, Result("no", error=True), agent="a0ad4f44468b"),
    ]

    assert text_of(call_log(calls, paper())) == (
        f"session {ID}  2026-05-03\n"
        "09:30:00  Bash          none     3.0 s  make check\n"
        "09:30:00  Read          ok              /a.py\n"
        "09:30:00  github/search error    3.0 s  agent a0ad4f44 bug"
    )


def test_on_a_pipe_every_line_is_complete() -> None:
    """A pipe gets the date, the session, the tool and the whole argument on every line."""
    long = "echo " + "x" * 300
    shown = text_of(call_log([call("Bash", {"command": long}, Result("", error=False))], paper(None)))

    assert f"2026-05-03 09:30  c9258e92  Bash  ok  3.0 s  {long}" == shown


def test_full_shows_input_and_result() -> None:
    """With everything asked for, arguments, diffs, results and where the whole output lies are shown."""
    edit = call("Edit", {"file_path": "/a", "old_string": "a", "new_string": "b"}, Result("done", error=False))
    bash = call(result=Result("oops", error=True, persisted="/out.txt"))
    shown = text_of(call_log([edit, bash], paper(is_full=True)))

    for part in ("    - a\n    + b\n    │ done", "command: make check", "│ oops", "whole output: /out.txt"):
        assert part in shown


def test_a_call_without_times_or_argument() -> None:
    """What is unknown is left out."""
    assert "Bash" in text_of(call_log([call("Bash", {}, started=None, finished=None)], paper()))
    assert "-  c9258e92  Bash  none  -  " == text_of(call_log([call("Bash", {}, started=None)], paper(None)))


def test_calls_are_shown_as_they_come() -> None:
    """The first line is there before the second call is read."""
    read = 0

    def calls() -> Iterator[Call]:
        nonlocal read
        while read < 1000:
            read += 1
            yield call()

    lines = call_log(calls(), paper())
    next(lines)

    assert 1 == read
    assert 1000 == sum(1 for _ in lines)


def test_a_copy_is_marked_at_every_width() -> None:
    """A narrow terminal says that a call is a copy, a wide one of which session."""
    copied = call()
    copied.copied_from = "11111111-1111-4111-8111-111111111111"

    assert "09:30  Bash     none  copy make check" in text_of(call_log([copied], paper(50)))
    assert "copy of 11111111 make check" in text_of(call_log([copied], paper(80)))
