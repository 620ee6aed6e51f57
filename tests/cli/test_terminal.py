"""What a person sees on a terminal: colours, widths, pager, progress; run in a real one."""

import os
import pty
import re
import select
import struct
import sys
import termios
import time
from fcntl import ioctl
from pathlib import Path

import pytest
from command import TIMEOUT

from backscroll.cli.main import run
from backscroll.cli.progress import ProgressLine, describe
from backscroll.cli.terminal import coloured, columns, highlight
from backscroll.demo import write_demo_home
from backscroll.index.progress import Progress
from backscroll.views.terminal.paper import Span, plain

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


PROGRESS = re.compile(r"\r\x1b\[2K(?:[^\r\n\x1b]*\r\x1b\[2K)*")
"""Our own progress line, which a busy machine may show for a moment, and which erases itself."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a made-up home directory."""
    return write_demo_home(tmp_path_factory.mktemp("demo") / "home")


def on_a_terminal(
    *arguments: str | Path, width: int = 80, height: int = 200, keys: bytes = b"", **environment: str
) -> tuple[int, str]:
    """Run backscroll in a terminal of its own; return its exit code and everything it showed."""
    child, terminal = pty.fork()
    if child == 0:
        words = [sys.executable, "-m", "backscroll", *map(str, arguments)]
        os.execve(sys.executable, words, {**os.environ, "TERM": "xterm-256color", **environment})  # noqa: S606
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    shown = b""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        elif keys and shown:
            os.write(terminal, keys)
            keys = b""
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), PROGRESS.sub("", shown.decode())


@pytest.mark.parametrize("arguments", [[], ["list", "--agents"], ["calls", "latest"]])
@pytest.mark.parametrize("width", [60, 80])
def test_no_line_is_wider_than_the_terminal(arguments: list[str], width: int, demo: Path) -> None:
    """Tables keep to the width of the terminal they are shown on."""
    code, shown = on_a_terminal("--root", demo, *arguments, width=width)
    lines = COLOUR.sub("", shown).replace("\r\n", "\n").split("\n")

    assert 0 == code
    assert [] == [line for line in lines if columns(line) > width and "backscroll --root" not in line]


def test_colours_are_for_terminals_that_want_them(demo: Path) -> None:
    """A terminal gets colours, unless NO_COLOR, --no-color or a dumb terminal says no."""
    arguments = ["--root", str(demo), "list"]

    assert COLOUR.search(on_a_terminal(*arguments)[1])
    assert "\x1b" not in on_a_terminal(*arguments, NO_COLOR="1")[1]
    assert "\x1b" not in on_a_terminal(*arguments, "--no-color")[1]
    assert "\x1b" not in on_a_terminal(*arguments, TERM="dumb")[1]


def test_what_fits_the_screen_starts_no_pager(demo: Path) -> None:
    """A short answer is printed as it is."""
    shown = on_a_terminal("--root", demo, "tree", "latest", PAGER="sh -c 'cat >/dev/null; echo PAGED'")[1]

    assert "PAGED" not in shown
    assert "branch main" in shown


def test_what_is_longer_goes_through_the_pager(demo: Path) -> None:
    """A long answer goes through $BACKSCROLL_PAGER, else $PAGER; --no-pager and `cat` stop that."""
    arguments = ["--root", str(demo), "list", "--all"]
    pager = "sh -c 'wc -l; echo PAGED'"

    assert "PAGED" in on_a_terminal(*arguments, height=8, PAGER=pager)[1]
    assert "PAGED" in on_a_terminal(*arguments, height=8, PAGER="cat", BACKSCROLL_PAGER=pager)[1]
    assert "PAGED" not in on_a_terminal(*arguments, "--no-pager", height=8, PAGER=pager)[1]
    assert "updated" in on_a_terminal(*arguments, height=8, PAGER="cat")[1]
    assert "updated" in on_a_terminal(*arguments, height=8, PAGER="no-such-pager")[1]
    assert "updated" in on_a_terminal(*arguments, height=8, PAGER="'")[1]


def test_leaving_the_pager_early_is_a_clean_end(demo: Path) -> None:
    """A pager that stops reading ends the answer without a complaint."""
    code, shown = on_a_terminal("--root", demo, "calls", "--full", height=8, PAGER="head -1")

    assert 0 == code
    assert "Traceback" not in shown
    assert "internal error" not in shown


@pytest.mark.slow
def test_an_interrupt_in_the_pager_exits_with_130(demo: Path) -> None:
    """Ctrl-C while a pager waits does not leave it behind, and is exit 130 or the pager's own end."""
    pager = "sh -c \"trap '' INT; sleep 1; cat >/dev/null\""
    code, shown = on_a_terminal("--root", demo, "calls", "--full", height=8, keys=b"\x03", PAGER=pager)

    assert code in (0, 130)
    assert "Traceback" not in shown


def test_raw_bytes_never_go_to_a_terminal(demo: Path) -> None:
    """`show --raw` on a terminal is refused with 4."""
    code, shown = on_a_terminal("--root", demo, "show", "latest", "--raw")

    assert 4 == code
    assert "--raw > FILE" in shown


def test_progress_is_silent_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    """Without a terminal nothing is written."""
    with ProgressLine() as line:
        line.next = 0
        line(Progress(1, 2, 3, "reading"))

    assert ("", "") == capfd.readouterr()


def test_progress_is_one_line_that_erases_itself(capfd: pytest.CaptureFixture[str]) -> None:
    """On a terminal the line is rewritten, kept to the width, and gone at the end; not before its time."""
    with ProgressLine() as line:
        line.is_shown = True
        line(Progress(1, 2, 3, "too early"))
        line.next = 0
        line(Progress(1, 2, 3, "reading " * 50))
    shown = capfd.readouterr().err

    assert "too early" not in shown
    assert "\n" not in shown
    assert shown.endswith("\r\x1b[2K")
    assert len(shown) < 100


def test_progress_says_rate_and_time_left() -> None:
    """How much, how fast and how long still; no estimate before two seconds of work."""
    assert "reading 120 of 480, 40 MB, 20 MB/s, 6.0 s left" == describe(Progress(120, 480, 40_000_000, "reading"), 2.0)
    read = Progress(40_000_000, 80_000_000, 40_000_000, "reading 3 of 9 transcripts")
    assert "reading 3 of 9 transcripts, 40 MB of 80 MB, 20 MB/s, 2.0 s left" == describe(read, 2.0)
    assert "reading 1 of 480, 1.0 MB, 1.0 MB/s" == describe(Progress(1, 480, 1_000_000, "reading"), 1.0)
    assert "\\x1b 0 of 0" == describe(Progress(0, 0, 0, "\x1b"), 0.0)


def test_code_is_coloured_and_nothing_of_it_lost() -> None:
    """Keywords and strings have colours; every character is there; unknown languages have one colour."""
    code = 'def f():\n    return "x"  # done\n\n'
    lines = list(highlight(code, "/a/b.py"))

    assert code == "\n".join(map(plain, lines))
    assert Span("def", "syntax.keyword") in lines[0]
    assert [[Span("x", "code")]] == list(highlight("x", "nonsense"))


def test_colours_wrap_text() -> None:
    """A style is a colour around its text; a style without colour is plain."""
    assert "\x1b[31mx\x1b[0my" == coloured([Span("x", "error"), Span("y", "output"), Span("", "error")])


def test_the_home_directory_is_read_by_default(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without --root it is the user's own home."""
    write_demo_home(home)

    assert 0 == run(["list"])
    assert "ledger" in capfd.readouterr().out
