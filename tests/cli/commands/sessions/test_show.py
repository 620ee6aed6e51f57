"""`show` as a command: how much of a session is shown, and how to read its branches."""

import json
import re
import shlex
from pathlib import Path

import pytest
from command import answer, said
from make import UUID, Draft, bash, home
from screens import at_terminal


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with a session of two turns, thinking and calls, and a branch that was left."""
    draft = Draft(UUID, "/srv/shop").prompt("First question").answer("One.", thinking="Deep thought")
    draft.answer(calls=[bash("ls", "file list")])
    place = draft.tip
    draft.prompt("Abandoned question").answer("Never mind.")
    draft.tip = place
    draft.prompt("Second question").answer("Two.").write(home(tmp_path))
    return tmp_path


WORDS = ("First question", "Second question", "One.", "Deep thought", "file list")


@pytest.mark.parametrize(
    "options, shown",
    [
        ((), "12345"),
        (("--full",), "12345"),
        (("--detail", "full"), "12345"),
        (("--detail", "high"), "12345"),
        (("--detail", "low"), "123"),
        (("--detail", "prompts"), "12"),
        (("--prompts",), "12"),
        (("--no-tools",), "1234"),
        (("--no-thinking",), "1235"),
        (("--no-tools", "--no-thinking"), "123"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
@pytest.mark.parametrize("form", ["text", "md", "html", "json"])
def test_how_much_is_shown(root: Path, options: tuple[str, ...], shown: str, form: str) -> None:
    """Each option leaves out its part, in every form."""
    out = said("--root", root, "show", UUID, "--format", form, *options)[1]
    head, _, body = out.lower().partition("messages")

    assert head
    assert shown == "".join(str(number) for number, word in enumerate(WORDS, 1) if word.lower() in body)


def test_prompts_follow_each_other(root: Path) -> None:
    """`--prompts --json` has nothing but the messages that somebody typed."""
    found = answer(root, "show", UUID, "--prompts")["messages"]

    assert ["First question", "Second question"] == [message["parts"][0]["text"] for message in found]


def test_a_branch_says_how_to_read_it(root: Path) -> None:
    """Where a branch leaves, the command that reads it follows, and works when pasted."""
    lines = said("--root", root, "show", UUID)[1].splitlines()
    hint = next(line for line in lines if "--branch" in line)
    arguments = shlex.split(hint)

    assert any("fork: branch" in line for line in lines)
    assert ["backscroll", "--root", str(root), "show", UUID[:8]] == arguments[:5]
    assert "Abandoned question" in json.dumps(json.loads(said(*arguments[1:], "--json")[1])["messages"])


def test_pages_of_prompts_count_prompts(root: Path) -> None:
    """`--prompts` with `--offset` and `--limit` pages through the typed prompts alone."""
    page = answer(root, "show", UUID, "--prompts", "--offset", "1", "--limit", "1")
    code, out, err = said("--root", root, "show", UUID, "--prompts", "--limit", "1")

    assert (2, 1, 1) == (page["total"], page["offset"], len(page["messages"]))
    assert "Second question" in json.dumps(page["messages"])
    assert (0, True, False) == (code, "First question" in out, "One." in out)
    assert "prompts 0 to 0 of 2" in err


def test_pages_leave_out_the_parts_that_are_not_wanted(root: Path) -> None:
    """`--no-thinking` and `--no-tools` hold on a page too."""
    shown = said("--root", root, "show", UUID, "--offset", "0", "--no-thinking", "--no-tools")[1]

    assert "One." in shown
    assert "Deep thought" not in shown
    assert "file list" not in shown


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_lines_that_end_in_two_returns(tmp_path: Path, form: str) -> None:
    """Windows programs write CR CR LF where two layers each add a CR; a return inside a line is shown."""
    draft = Draft(UUID).prompt("One\r\r\ntwo").answer("Yes.", calls=[bash("dir", "a.txt\r\r\nb.txt\r\r\n")])
    draft.answer(calls=[bash("type x", "c\rd\r\n")]).write(home(tmp_path))
    out = said("--root", tmp_path, "show", UUID, "--format", form)[1]

    assert "a.txt" in out
    assert ["c\\rd"] == re.findall(r"\w*\\r\w?", out)


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_the_output_of_a_command_has_no_colours(tmp_path: Path, form: str) -> None:
    """Claude Code prints dim and bold words; their codes are not part of the text."""
    Draft(UUID).prompt("Hello").command("compact", output="\x1b[2mCompacted\x1b[22m here").write(home(tmp_path))
    out = said("--root", tmp_path, "show", UUID, "--format", form)[1]

    assert "Compacted here" in out
    assert "x1b" not in out


def test_each_prompt_has_its_heading(root: Path) -> None:
    """With --prompts every prompt stands below a heading with its time, not only the first of a row."""
    lines = at_terminal("--root", root, "show", UUID, "--prompts").splitlines()

    assert 2 == sum(line.startswith("You  ") for line in lines)
