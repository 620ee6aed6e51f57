"""Screens: every command on the demo home at four widths looks as it was reviewed."""

import re
from collections.abc import Iterator

import pytest
from screens import FIXTURES, SCREENS, WIDTHS, demo_terminal, page, screen

from backscroll.cli.main import COMMANDS
from backscroll.cli.terminal import columns

WITHOUT_SCREEN = {"completion", "demo", "export", "help", "index", "share", "statusline", "watch", "web"}
"""Commands that write files, scripts or help, measure time, or never end."""
PASTED = re.compile(r"backscroll |claude --resume|cd /|^  (https?|/|~)")
"""Lines that are pasted into a shell are never cut."""


@pytest.fixture(scope="module", autouse=True)
def terminal() -> Iterator[None]:
    """Make the demo home the user's own, once for all screens."""
    with demo_terminal():
        yield


@pytest.fixture(autouse=True)
def home() -> None:
    """Keep the home of the demo instead of the empty one that other tests get."""


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_looks_as_it_was_reviewed(name: str) -> None:
    """After a wanted change `python tests/screens.py` writes the screens anew; read them before you commit them."""
    assert (FIXTURES / f"{name}.txt").read_text(encoding="utf-8") == page(SCREENS[name])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SCREENS)
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    """Only a command to paste may be longer; that holds for every command."""
    lines = screen(SCREENS[name], width).splitlines()

    assert [] == [line for line in lines if columns(line) > width and not PASTED.search(line)]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", ["list", "usage", "usage --by project", "usage --by session", "usage --by model"])
def test_the_cost_is_on_the_screen_at_every_width(command: str, width: int) -> None:
    """Columns give way by importance, and cost never does."""
    shown = screen(command, width)

    assert re.search(r"\bcost\b", shown)
    assert re.search(r"\$0\.0\d\d\b", shown)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_name_of_a_file_is_whole_at_every_width(width: int) -> None:
    """A path is cut in the middle."""
    shown = screen("files", width)

    names = ["gauges.csv", "pay.css", "plot.py", "report.md", "test_negative.py", "amounts.py", "first-week.md"]
    assert [] == [name for name in names if f"/{name}" not in shown]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_hit_shows_project_date_and_role_at_every_width(width: int) -> None:
    """A long title gives way, or stands on a line of its own."""
    assert re.search(r"\bledger  2 d ago  user\b", screen("search amounts", width))


def test_a_call_shows_its_subject_at_every_width() -> None:
    """On a narrow terminal seconds and lengths give way to the subject, and agents keep their mark."""
    shown = screen("calls 71c5d0e8", 40)

    assert "07:13  Bash     ok    cargo build --rel…\n" in shown
    assert "07:13  └ Read   ok    /home/…/filter.rs\n" in shown


def test_the_head_of_usage_is_whole_at_every_width() -> None:
    """The times stand on a line of their own where they do not fit beside the total."""
    assert "904 k tokens in 59 messages\n2025-03-17 12:00 – 2026-05-01 10:48\n" in screen("usage", 40)


def test_purposes_stand_above_commands_that_leave_no_room() -> None:
    """`recover` ends with commands that are whole, and no purpose is cut."""
    shown = screen("recover amounts.py", 80)

    assert "  the last change:\n    backscroll recover /home/ann/code/ledger/ledger/amounts.py --diff 3 4\n" in shown


def test_the_id_of_a_remote_session_says_more_than_its_kind() -> None:
    """`session_` alone would be every remote session."""
    assert "session_01Ha  " in screen("list", 80)


def test_a_long_landmark_keeps_its_time() -> None:
    """The words of a landmark are cut before its time."""
    assert "1.234,56…  2 d ago\n" in screen("outline 3f0c2a51", 80)


def test_a_fork_in_a_tree_has_room_for_its_title() -> None:
    """A fork has its short id, which every command takes."""
    assert "fork 8b6d4e07  15 messages, 2 d ago  Amounts with babel\n" in screen("tree 3f0c2a51", 80)


def test_usage_by_time_begins_with_the_newest() -> None:
    """The first page of a pager shows the rows that people look for."""
    days = re.findall(r"^(\d{4}-\d\d-\d\d) ", screen("usage", 80), re.MULTILINE)

    assert len(days) > 5
    assert sorted(days, reverse=True) == days


def test_months_without_use_are_on_the_axis() -> None:
    """March and May 2025, then nothing until April and May 2026."""
    spark = next(line for line in screen("usage --by month", 80).splitlines() if "█" in line)

    assert 15 == len(spark)
    assert " " * 10 == spark[3:13]


def test_the_state_is_shown_only_where_it_is_not_live() -> None:
    """Most sessions are live, so the word says nothing."""
    shown = screen("list --all", 120)

    assert "ghost" in shown
    assert not re.search(r"\blive\b", shown)


def test_the_counts_of_the_overview_add_up() -> None:
    """Sessions in several stores are explained, and the store of other files has a plain name."""
    shown = screen("", 80)
    total = int(re.findall(r"^  (\d+) in all", shown, re.MULTILINE)[0])
    each = re.findall(r"^  (?:code|other files|desktop|cowork|browser) +\S+ +(\d+) ", shown, re.MULTILINE)

    assert total == sum(map(int, each))
    assert not re.search(r"\bside\b", shown)


def test_every_command_has_a_screen() -> None:
    """A new command gets one line in `SCREENS`."""
    covered = {(command or "overview").split()[0] for command in SCREENS.values()}

    assert COMMANDS.keys() == covered | WITHOUT_SCREEN


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", ["show 3f0c2a51", "show e08b4d71", "show 4c1f0a2b", "search amounts", "doctor"])
def test_commands_to_paste_are_whole_at_every_width(command: str, width: int) -> None:
    """A command that names a session stands on one line, with its whole id."""
    name = re.compile(r"(?:claude --resume|transfer resume|archive restore|run backscroll show) (.*)")
    named = name.findall(screen(command, width))

    assert named
    assert [] == [
        rest for rest in named if not re.match(r"(?:--cwd \. )?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", rest)
    ]
