"""What the program does to its own process to start and end quickly, and what it imports for that."""

import os
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

import backscroll
from backscroll.demo.home import write_demo_home
from backscroll.index.update.files import SETTLED
from backscroll.lazy import PLAIN_START

LEAVE_A_MARK = "import atexit; atexit.register(print, 'taken apart'); from backscroll.cli import startup; "


def in_a_new_process(code: str, *options: str, plain: str = "") -> tuple[int, str]:
    """Run code in a Python of its own; return its exit code and what it prints."""
    environment = os.environ | {PLAIN_START: plain}
    done = subprocess.run([sys.executable, *options, "-c", code], env=environment, capture_output=True, text=True)  # noqa: PLW1510 - the code is compared
    return done.returncode, done.stdout


def test_a_process_ends_at_once() -> None:
    """What was printed is written, the exit code is kept, and Python does not take its modules apart."""
    assert (3, "out") == in_a_new_process(LEAVE_A_MARK + "print('out', end=''); startup.end(3)")


@pytest.mark.parametrize(
    "observe",
    [
        "import sys; sys.settrace(lambda *_: None)",
        "import sys; sys.setprofile(lambda *_: None)",
        "import sys, types; sys.modules['coverage'] = types.ModuleType('coverage')",
    ],
    ids=["debugger", "profiler", "coverage"],
)
def test_an_observed_process_ends_as_usual(observe: str) -> None:
    """A debugger, a profiler or a coverage tool gets its chance to write a report."""
    assert (3, "taken apart\n") == in_a_new_process(LEAVE_A_MARK + observe + "; startup.end(3)")


def test_a_plain_start_ends_as_usual() -> None:
    """With BACKSCROLL_PLAIN_START a process ends as Python ends it."""
    assert (3, "taken apart\n") == in_a_new_process(LEAVE_A_MARK + "startup.end(3)", plain="1")


THRESHOLDS = """
import gc
from backscroll.cli import startup
usual = gc.get_threshold()
startup.hurry()
hurried = gc.get_threshold()
startup.stay()
print(hurried == usual, gc.get_threshold() == usual)
"""


def test_garbage_is_collected_less_often_in_short_commands() -> None:
    """A short command collects garbage less often; a long one goes back to Python's own threshold."""
    assert (0, "False True\n") == in_a_new_process(THRESHOLDS)


def test_a_plain_start_leaves_garbage_collection_alone() -> None:
    """With BACKSCROLL_PLAIN_START the threshold is Python's own."""
    assert (0, "True True\n") == in_a_new_process(THRESHOLDS, plain="1")


def modules_after(*arguments: str, **variables: str) -> set[str]:
    """Run a command in a new Python without site hooks, and return the modules that were imported for it."""
    code = (
        "import os, sys; before = set(sys.modules); sys.argv = ['backscroll', *sys.argv[1:]]\n"
        "told = os.dup(2)\n"
        "end = lambda: os.write(told, ('\\n' + ' '.join(set(sys.modules) - before)).encode())\n"
        "os._exit = lambda code: end()\n"
        "from backscroll.__main__ import main; main()\n"
        "if sys.argv[1:] == ['--version']: end()\n"
    )
    paths = [str(Path(backscroll.__file__).parent.parent), sysconfig.get_path("purelib")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), PLAIN_START: "", **variables}
    command = [sys.executable, "-S", "-W", "ignore", "-c", code, *arguments]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL
    )
    return set(done.stderr.splitlines()[-1].split())


def test_version_imports_next_to_nothing() -> None:
    """`--version` is answered before click, msgspec, json or typing are imported."""
    assert {"backscroll", "backscroll.__main__", "backscroll.version"} == modules_after("--version")


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Return the demo home, and a directory of our own with its index."""
    root, own = write_demo_home(tmp_path_factory.mktemp("demo")), tmp_path_factory.mktemp("own")
    time.sleep(SETTLED / 1e9)  # a younger file may change unseen, and is read again
    modules_after("--root", str(root), "index", BACKSCROLL_HOME=str(own))
    return str(root), str(own)


SLOW = {"asyncio", "concurrent", "email", "hashlib", "http", "logging", "socket", "ssl", "subprocess", "tempfile"}
"""Packages of Python itself that cost milliseconds."""
CATALOGUE = {
    "cli",
    "index",
    "index.queries",
    "index.update",
    "sessions",
    "sessions.joining",
    "sessions.transcript",
    "stores",
    "verbs",
    "views",
}
LIST = CATALOGUE | {"cli.commands.sessions", "query", "stats"}
SHOW = CATALOGUE | {
    "cli.commands.sessions",
    "formats",
    "formats.json",
    "index.update.derived",
    "sessions.reading",
    "sessions.searchable",
    "stats",
}
SEARCH = CATALOGUE | {"cli.commands.sessions", "index.search", "index.words", "query", "sessions.searchable"}
STATUS = {
    "cli",
    "cli.commands.usage",
    "index",
    "index.queries",
    "sessions.transcript",
    "stats",
    "views",
    "views.terminal",
}
QUICK = {
    "--help": ({"click"}, {"cli"}),
    "list": ({"click"}, LIST | {"views.terminal"}),
    "list --json": ({"click"}, LIST - {"views"} | {"views.json"}),
    "show 5d1a7b92": ({"click", "msgspec", "orjson"}, SHOW | {"views.terminal"}),
    "search pay": ({"click", "tantivy"}, SEARCH | {"views.terminal"}),
    "statusline": ({"click"}, STATUS),
}
"""Commands on an up-to-date index: the packages of others that each imports, and the folders of ours."""


@pytest.mark.parametrize("command", QUICK)
def test_a_quick_command_imports_little(command: str, homes: tuple[str, str]) -> None:
    """A command that people run often imports only packages and folders that its answer needs."""
    root, own = homes
    modules = modules_after("--root", root, *command.split(), BACKSCROLL_HOME=own)
    # msgspec imports `typing_extensions` if it is there, and click `colorama` on Windows.
    others = (
        {name.partition(".")[0] for name in modules}
        - sys.stdlib_module_names
        - {"backscroll", "typing_extensions", "colorama"}
    )

    assert QUICK[command] == (others, folders(modules))
    assert set() == modules & SLOW


def folders(modules: set[str]) -> set[str]:
    """Return the folders of our modules, without the top one; a folder that is only on the way is none."""
    names = {name.removeprefix("backscroll.") for name in modules if name.startswith("backscroll.")}
    packages = {name.rpartition(".")[0] for name in names}
    return {name.rpartition(".")[0] for name in names - packages} - {""}


WARM = {"backscroll.index.update.read", "backscroll.index.update.write", "backscroll.index.integrity"}
"""Modules that only an update needs, or a check of the catalogue."""
ELSEWHERE = {
    "list": {"sessions.message", "sessions.model", "sessions.summaries", "stats.model"},
    "list --json": {"sessions.model", "sessions.summaries", "stats.model"},
    "show 5d1a7b92": {"query.closed_fields", "sessions.summaries", "stats.model", "views.json.sessions"},
    "search pay": {"sessions.model", "sessions.summaries", "stats.prices", "views.json.sessions"},
    "statusline": {"index.update.update", "library", "sessions.session", "verbs.base"},
}
"""Costly modules of ours that the answer of a command does not need."""


@pytest.mark.parametrize("command", ELSEWHERE)
def test_a_quick_command_imports_no_costly_module(command: str, homes: tuple[str, str]) -> None:
    """Values of other answers, and everything that reads or writes for an update, stay out."""
    root, own = homes
    modules = modules_after("--root", root, *command.split(), BACKSCROLL_HOME=own)
    unneeded = {f"backscroll.{name}" for name in ELSEWHERE[command]} | WARM
    unneeded |= {"backscroll.stores.single", "backscroll.sessions.joining.git_worktrees"}

    assert "backscroll.cli.main" in modules
    assert set() == modules & unneeded
