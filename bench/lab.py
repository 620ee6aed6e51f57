"""What the sections are made of: a `Case` for each program at a task, and the `Lab` that they are run in.

The cases of one task are compared with each other, and run in turn, so that a busy moment of the machine falls on all
of them.
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from corpora import Home, sized
from measure import Figure, call
from peers import Peer
from report import BARE, COSTS, OURS

LONG, LONGEST = 120.0, 180.0
Facts = Callable[[str, Figure], dict[str, float | str]]


def nothing() -> None:
    """Do nothing."""


@dataclass(slots=True)
class Case:
    """One program at one task."""

    task: str
    who: str
    how: str
    """The command, as a reader would type it."""
    command: Sequence[object]
    home: Path
    """What it finds as its home directory."""
    repeats: int = 3
    env: dict[str, str] = field(default_factory=dict)
    setup: Callable[[], object] = nothing
    """Once, before the first run; not measured."""
    before: Callable[[], object] = nothing
    """Before every run; not measured."""
    after: Callable[[], object] = nothing
    """Once, after the last run; not measured.  Such a case runs alone: until then something is left running."""
    timeout: float = LONG
    questions: Sequence[str] = ()
    """What is asked: each run gets the next one as its last argument."""
    is_reporting: bool = False
    """The program measures itself and says so in its last line: calls inside of it, without its start."""
    facts: Facts | None = None
    """What else is worth telling, from the output of the last run and from the figure: heading to value."""
    note: str = ""


@dataclass(slots=True)
class Section:
    """A part of the report."""

    title: str
    text: str
    cases: list[Case]
    columns: Sequence[str] = COSTS


@dataclass(slots=True)
class Lab:
    """Everything that a section needs to make its cases."""

    program: Path
    """The backscroll that is measured; its Python lies beside it."""
    scratch: Path
    peers: dict[str, Peer]
    is_quick: bool = False
    source: Path | None = None
    """A copy of the package that is run instead of the one beside the program: the tree may change meanwhile."""
    given: Home | None = None
    """A home of the user's choice, for the sections that compare answers."""
    homes: dict[str, Home] = field(default_factory=dict)

    def prepare(self) -> None:
        """Make the directories that all sections share."""
        for name in ("empty", "tmp", "homes"):
            (self.scratch / name).mkdir()

    @property
    def python(self) -> Path:
        """The interpreter that runs backscroll."""
        return self.program.with_name("python")

    @property
    def env(self) -> dict[str, str]:
        """What our own program needs in its environment."""
        return {"PYTHONPATH": str(self.source)} if self.source else {}

    @property
    def own(self) -> Path:
        """Where backscroll keeps its index."""
        return self.scratch / "own"

    def times(self, number: int) -> int:
        """Return how often to repeat: less where it must be quick."""
        return max(number // 3, 1) if self.is_quick else number

    def has(self, name: str) -> bool:
        """Say whether a peer is there."""
        return name in self.peers and not self.peers[name].absent

    def home(self, name: str, make: Callable[[], Home]) -> Home:
        """Return the working copy of a home; every program may write into it."""
        if name not in self.homes:
            self.homes[name] = make().copy_to(self.scratch / "homes" / name.replace(",", "").replace(" ", "-"))
        return self.homes[name]

    def sized(self, size: str) -> Home:
        """Return the home S, M, L or XL; always the smallest where it must be quick."""
        name = "S" if self.is_quick else size
        return self.home(name, lambda: sized(name))

    def demo(self) -> Home:
        """Return the demo home, written by backscroll itself."""
        home = Home("demo", self.scratch / "homes" / "demo", "written by `backscroll demo`")
        if not home.path.exists():
            call(environment(self, self.scratch / "empty", self.env), self.program, "demo", home.path)
        return home

    def one_session(self) -> Home:
        """Return a home with a single session: the longest of the demo."""
        home = Home("one session", self.scratch / "homes" / "one", "the longest of the demo")
        if not home.path.exists():
            longest = max(
                (self.demo().path / ".claude" / "projects").glob("*/*.jsonl"), key=lambda it: it.stat().st_size
            )
            place = home.path / ".claude" / "projects" / longest.parent.name
            place.mkdir(parents=True)
            shutil.copy2(longest, place)
        return home

    def bare(self, task: str, repeats: int) -> Case:
        """Return what Python itself costs."""
        command = [self.python, "-c", "pass"]
        return Case(task, BARE, "python3 -c pass", command, self.scratch / "empty", self.times(repeats))

    def ours(self, task: str, home: Home, words: str, repeats: int = 3, *, first: str = "list") -> Case:
        """Return our own case: a command on a home, after a `first` that brings the index up to date."""
        command = [self.program, "--root", home.path, *words.split()]
        case = Case(task, OURS, f"backscroll {words}", command, self.scratch / "empty", self.times(repeats), self.env)
        case.setup = lambda: self.ask(home, *first.split())
        return case

    def cold(self, task: str, home: Home, words: str, repeats: int = 3) -> Case:
        """Return our own case without any index."""
        case = self.ours(task, home, words, repeats)
        case.setup, case.before = nothing, self.forget
        return case

    def script(self, task: str, how: str, code: str, arguments: Sequence[object], repeats: int = 3) -> Case:
        """Return our own case: calls inside a running Python, which measures them itself."""
        command = [self.python, "-c", code, *arguments]
        case = Case(task, OURS, how, command, self.scratch / "empty", self.times(repeats), self.env)
        case.is_reporting = True
        return case

    def forget(self) -> None:
        """Remove our index."""
        shutil.rmtree(self.own, ignore_errors=True)

    def ask(self, home: Home, *words: str) -> str:
        """Run backscroll without measuring it, and return what it says."""
        env = environment(self, self.scratch / "empty", self.env)
        return call(env, self.program, "--root", home.path, *words, timeout=1800)


def environment(lab: Lab, home: Path, more: dict[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a measured program: nothing of the user's own, and nothing that slows Python."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "HOME": str(home),
        "TMPDIR": str(lab.scratch / "tmp"),
        "BACKSCROLL_HOME": str(lab.own),
        "AGENTSVIEW_TELEMETRY_ENABLED": "0",
        **(more or {}),
    }
