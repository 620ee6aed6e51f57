"""A session as text."""

from collections.abc import Iterator
from typing import Any

import pytest
from views import samples
from views.samples import call_part, message, paper, result_part, text_of, transcript

from backscroll.cli.terminal import columns, highlight
from backscroll.sessions.message import Message, Part
from backscroll.sessions.session import Usage
from backscroll.views.terminal import session as text
from backscroll.views.terminal.paper import width_of


def shown(*messages: Message, width: int | None = 80, is_full: bool = False, **changes: Any) -> str:
    """Return a session of these messages as text, without its header."""
    lines = text.show(transcript(messages, **changes), paper(width, is_full=is_full))
    return text_of(lines).partition("\n\n")[2]


def test_the_header_says_what_is_known() -> None:
    """Title, id, project, time, model, numbers and tokens stand on top; what is unknown is left out."""
    found = text_of(text.header(samples.session(version=None), paper()))

    assert found == (
        "Fix the flaky login test\n"
        "  session   c9258e92-ad74-42f8-b67c-c9186dc46931\n"
        "  project   /home/me/shop (main)\n"
        "  time      3 May, 09:30 – 11:30 (2 h)\n"
        "  model     claude-opus-4-1-20250805\n"
        "  messages  42 (12 typed), 31 calls, 2 agents, 2 branches, 1 compaction\n"
        "  tokens    1.2 M in (1.1 M from cache), 34 k out"
    )


def test_the_header_says_what_is_special() -> None:
    """A lower bound, a state, an expiry, a fork and copies are said where there are any."""
    session = samples.session(
        title=None,
        usage=Usage(output=900, lower_bound=True, cost=1.5),
        state="ghost",
        expires=samples.NOW.replace(day=9),
        parent="aaaa",
        copies=["bbbb"],
    )
    found = text_of(text.header(session, paper()))

    assert found.startswith("(no title)\n")
    for fact in ("at least 900 out, at least $1.50", "ghost", "9 May", "aaaa", "bbbb"):
        assert fact in found


def test_a_conversation_reads_like_one() -> None:
    """Speakers have headings, calls stand in the answer, results under their call."""
    found = shown(
        message("user", "Why does it fail?"),
        message("assistant", "Let me **see**.", call_part("Bash", {"command": "make check"})),
        message("tool", result_part("2 failed")),
        message("assistant", "It is `login`."),
    )

    assert found == (
        "── Sunday, 3 May 2026 ──────────────────────────────────────────────────────────\n"
        "\n"
        "You  09:30\n"
        "  Why does it fail?\n"
        "\n"
        "Claude  09:30  opus-4-1\n"
        "  Let me see.\n"
        "\n"
        "  ● Bash  make check\n"
        "  │ 2 failed\n"
        "\n"
        "  It is login."
    )


def test_a_pipe_gets_the_text_as_it_was_written() -> None:
    """On a pipe nothing is wrapped and Markdown stays Markdown."""
    long = "**word** " * 60

    assert "  " + long in shown(message("assistant", long), width=None)


def test_long_results_are_cut_and_full_shows_them() -> None:
    """A result of many lines is cut to twelve and says how many are left; --full shows them."""
    many = message("tool", result_part("\n".join(f"line {n}" for n in range(132))))

    assert "… 120 more lines (--full)" in shown(many)
    assert "line 12" not in shown(many)
    assert "line 131" in shown(many, is_full=True)


def test_an_endless_line_is_cut() -> None:
    """A result without line feeds is cut too."""
    found = shown(message("tool", result_part("x" * 1_000_000)))

    assert len(found) < 3000


def test_results_that_come_late_name_their_call() -> None:
    """Where several calls are answered together each result says which call it belongs to."""
    found = shown(
        message("assistant", call_part("Bash", {"command": "one"}, "t1"), call_part("Bash", {"command": "two"}, "t2")),
        message("tool", result_part("first", "t1"), result_part("second", "t2", error=True)),
    )

    assert "↳ Bash  one\n  │ first\n  ↳ Bash  two\n  │ second" in found


def test_an_edit_is_a_diff() -> None:
    """An edit shows what it took away and put in, and its result says no more unless it failed."""
    edit = call_part("Edit", {"file_path": "/a.py", "old_string": "x\none", "new_string": "x\ntwo"})
    found = shown(message("assistant", edit), message("tool", result_part("The file /a.py has been updated.")))
    failed = shown(message("assistant", edit), message("tool", result_part("No such file", error=True)))

    assert "● Edit  /a.py  +1 −1\n      x\n    - one\n    + two" in found
    assert "has been updated" not in found
    assert "│ No such file" in failed


def test_a_write_shows_what_it_changed_where_the_program_says() -> None:
    """The patch that the program recorded for a Write stands under it, with line numbers."""
    result = result_part("updated")
    result.data["detail"] = {"structuredPatch": [{"oldStart": 7, "newStart": 7, "lines": [" a", "-b", "+c"]}]}
    write = call_part("Write", {"file_path": "/a", "content": "a\nc"})

    assert "    ⋯ line 7\n        7   a\n        8 - b\n        8 + c" in shown(
        message("assistant", write), message("tool", result)
    )


@pytest.mark.parametrize(
    "name, call_input, lines",
    [
        ("TodoWrite", {"todos": [{"content": "one", "status": "completed"}, {"content": "two"}]}, "☑ one\n    ☐ two"),
        ("ExitPlanMode", {"plan": "1. look\n2. leap"}, "1. look\n    2. leap"),
        ("Bash", {"command": "cd x\nmake"}, "cd x\n    make"),
        ("Write", {"file_path": "/x.txt", "content": "hello\n"}, "hello"),
    ],
)
def test_calls_show_what_they_carry(name: str, call_input: dict[str, Any], lines: str) -> None:
    """Lists, plans, scripts and written files stand under their call."""
    assert f"\n    {lines}" in shown(message("assistant", call_part(name, call_input)))


def test_full_shows_whole_inputs() -> None:
    """--full shows every argument of a call."""
    found = shown(message("assistant", call_part("Grep", {"pattern": "x", "-n": True})), is_full=True)

    assert "pattern: x\n    -n: true" in found


def test_images_and_documents_are_labels() -> None:
    """An image is its type and size, also inside a result."""
    image: dict[str, Any] = {"kind": "image", "media_type": "image/png", "bytes": 48_000}
    result = Part("result", None, {"id": "t", "error": False, "parts": [image]})

    assert "[image image/png, 48 KB]" in shown(message("user", Part("image", None, image)))
    assert "│ [image image/png, 48 KB]" in shown(message("tool", result))


def test_agents_are_indented() -> None:
    """What an agent says stands behind a gutter, its caller is not you."""
    found = shown(
        message("assistant", call_part("Task", {"subagent_type": "Explore", "description": "look around"})),
        message("user", "look", agent="a1", depth=1),
        message("assistant", "found", agent="a1", depth=1),
    )

    assert "\n│ Caller agent a1  09:30\n│   look\n" in found
    assert found.endswith("│ Claude agent a1  09:30  opus-4-1\n│   found")


def test_marks_and_forks_are_ruled_lines() -> None:
    """A gap before a message and a branch that leaves after it are said where they are."""
    found = shown(message("user", "hi", marks=["gap", "strange", "fork b1"]))

    assert "── gap: the record before is missing ──" in found
    assert "── strange ──" in found
    assert "── fork: branch b1 leaves here ──" in found


def test_a_compaction_is_a_ruled_line_and_its_summary_is_shown() -> None:
    """The boundary says how much was summarised; the summary follows."""
    boundary = Part(
        "other", "Conversation compacted", {"type": "compact_boundary", "tokens_before": 150_000, "trigger": "auto"}
    )
    found = shown(message("system", boundary), message("system", Part("summary", "The story so far")))

    assert "── compacted here: 150,000 tokens before (auto) ──" in found
    assert "The story so far" in found
    assert "Conversation compacted" not in found


def test_what_the_program_put_in_is_hidden_unless_asked_for() -> None:
    """Reminders and hooks are left out; errors, outputs and interruptions are not; --full shows all."""
    hidden = message("system", "<system-reminder>psst</system-reminder>")
    error = message("system", Part("other", None, {"type": "api_error", "raw": {"error": {"message": "overloaded"}}}))
    synthetic = message("system", "API Error: 500", model="<synthetic>")
    output = message("system", "<local-command-stdout>model set</local-command-stdout>")
    empty = message("system", "<local-command-stdout></local-command-stdout>")
    interrupted = message("system", "[Request interrupted by user]")
    messages = [hidden, error, synthetic, output, empty, interrupted]

    assert shown(*messages).split("\n")[2:] == [
        "System  09:30",
        "  api_error: overloaded",
        "",
        "  API Error: 500",
        "",
        "  model set",
        "",
        "  [Request interrupted by user]",
    ]
    assert "psst" in shown(*messages, is_full=True)


def test_commands_are_shown_as_they_were_typed() -> None:
    """A slash command is shown as people type it."""
    typed = Part("text", "<command-name>/model</command-name>", {"spoken": "/model opus"})

    assert "  /model opus" in shown(message("user", typed))


def test_thinking_is_cut_and_missing_thinking_is_not_shown() -> None:
    """Thinking takes a few lines; an empty thinking part takes none unless everything is asked for."""
    long = Part("thinking", "\n".join("abcdefgh"))

    assert "… 2 more lines (--full)" in shown(message("assistant", long))
    assert "" == shown(message("assistant", Part("thinking", ""))).partition("\n")[2]
    assert "(thinking was not recorded)" in shown(message("assistant", Part("thinking", "")), is_full=True)


def test_unknown_parts_are_named() -> None:
    """A part of an unknown kind is shown by its type, and whole with --full."""
    part = Part("other", None, {"type": "container_upload", "raw": {"file_id": "f1"}})

    assert "[container_upload]" in shown(message("user", part))
    assert '{"file_id": "f1"}' in shown(message("user", part), is_full=True)


def test_damage_stands_at_the_end() -> None:
    """What could not be read is said with its place; of very many only the first."""
    found = shown(message("user", "hi"), damage=[samples.damage()] * 30)

    assert "── 30 damaged places ──" in found
    assert "/t.jsonl:7 (byte 1200): not JSON" in found
    assert "… 10 more (--json has them all)" in found


def test_other_branches_are_named() -> None:
    """With all branches shown, those beside the main one say so."""
    assert "Claude  09:30  opus-4-1  branch b1" in shown(message("assistant", "no", branch="b1"))


def test_messages_without_a_time_are_shown() -> None:
    """An unknown time is left out."""
    assert "You\n  hi" in "\n" + shown(message("user", "hi", time=None))


@pytest.mark.parametrize("width", [60, 80])
def test_no_line_is_wider_than_the_paper(width: int) -> None:
    """Prose, items, tables, code, diffs and outputs are wrapped to the width."""
    wide = "漢字" * 50 + " word" * 40
    markdown = f"{wide}\n- {wide}\n> {wide}\n```py\n{wide}\n```\n|{wide}|b|\n|-|-|\n|c|{wide}|\n\n# {wide}"
    sheet = paper(width, measure=columns, highlight=highlight)
    messages = [
        message("user", wide),
        message(
            "assistant", Part("thinking", wide), markdown, call_part("Bash", {"command": wide}), agent=wide, depth=3
        ),
        message("tool", result_part(wide)),
        message("assistant", call_part("Edit", {"file_path": wide, "old_string": wide, "new_string": wide + "x"})),
    ]
    lines = text.show(transcript(messages, session=samples.session(title=wide, cwd=wide)), sheet)

    assert [] == [line for line in lines if width_of(line, sheet) > width]


def test_lines_come_before_the_messages_end() -> None:
    """Ten thousand messages are shown as they are read."""
    read = 0

    def messages() -> Iterator[Message]:
        nonlocal read
        while read < 10_000:
            read += 1
            yield message("user", f"message {read}")

    lines = text.show(transcript(messages()), paper())
    for _ in range(20):
        next(lines)

    assert 0 < read < 20
    assert sum(1 for _ in lines) > 10_000
