"""What is measured: one function for each section of the report, one `Case` for each program at a task.

To add a measurement, add a Case to a section, or a function to SECTIONS.  The cases of one task are compared
with each other, and run in turn, so that a busy moment of the machine falls on all of them.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import SEEK_END
from pathlib import Path

from corpora import Home, append_kilobyte, sized, tiny
from measure import FailedError, call, settle
from peers import Peer

OURS = "backscroll"
BARE = "bare Python"
FLOOR = "reading all bytes"

LONG, LONGEST = 120.0, 180.0
SDK_LIST = "import claude_agent_sdk as sdk; print(len(sdk.list_sessions(limit=20)))"
SDK_SHOW = "import sys, claude_agent_sdk as sdk; print(sdk.get_session_messages(sys.argv[1]))"
TIMED = """
import sys, time
{setup}
call()
cpu, wall = time.process_time(), time.perf_counter()
call()
print(time.process_time() - cpu, time.perf_counter() - wall)
"""
SDK_TIMED = TIMED.format(setup="import claude_agent_sdk as sdk\ncall = lambda: sdk.list_sessions(limit=20)")
WARM = """
import sys, time, backscroll
root, question, share = sys.argv[1], sys.argv[2], float(sys.argv[3])
costs = []
with backscroll.search_index(root) as search:
    options = backscroll.Options(is_typing=len(question) == 2)
    for _ in range(100):
        cpu, wall = time.process_time(), time.perf_counter()
        search(question, options)
        costs.append((time.process_time() - cpu, time.perf_counter() - wall))
costs.sort()
print(*costs[min(int(len(costs) * share), len(costs) - 1)])
"""
OURS_TIMED = TIMED.format(setup="import backscroll\ncall = lambda: backscroll.list_sessions(sys.argv[1])")


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
    is_reporting: bool = False
    """The program measures itself and says so in its last line: a call inside of it, without its start."""
    note: str = ""


@dataclass(slots=True)
class Section:
    """A part of the report."""

    title: str
    text: str
    cases: list[Case]


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
    homes: dict[str, Home] = field(default_factory=dict)

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

    @property
    def size(self) -> str:
        """The large home that is measured on."""
        return "S" if self.is_quick else "M"

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

    def ours(self, task: str, home: Home, words: str, repeats: int = 3, *, cold: bool = False, note: str = "") -> Case:
        """Return our own case: a command on a home, with or without the index that an earlier run left."""
        command = [self.program, "--root", home.path, *words.split()]
        how, home_of_user = f"backscroll {words}", self.scratch / "empty"
        case = Case(task, OURS, how, command, home_of_user, self.times(repeats), self.env, note=note)
        if cold:
            case.before = self.forget
        else:
            case.setup = lambda: self.ask(home, "list")
        return case

    def forget(self) -> None:
        """Remove our index."""
        shutil.rmtree(self.own, ignore_errors=True)

    def ask(self, home: Home, *words: str) -> str:
        """Run backscroll without measuring it, and return what it says."""
        return call(environment(self, self.scratch / "empty", self.env), self.program, "--root", home.path, *words)


def environment(lab: Lab, home: Path, more: dict[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a measured program: nothing of the user's own, and nothing that slows Python."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "TMPDIR": str(lab.scratch / "tmp"),
        "BACKSCROLL_HOME": str(lab.own),
        "AGENTSVIEW_TELEMETRY_ENABLED": "0",
        **(more or {}),
    }


# Start


def start(lab: Lab) -> Section:
    """Measure what it costs to say hello."""
    empty, task, times = lab.scratch / "empty", "version", lab.times(15)
    cases = [
        Case(task, BARE, "python3 -c pass", [lab.python, "-c", "pass"], empty, times),
        Case(task, OURS, "backscroll --version", [lab.program, "--version"], empty, times, lab.env),
    ]
    programs = {
        name: [lab.peers[name].program, "--version"] for name in ("agentsview", "claude-code-log") if lab.has(name)
    }
    cases += [Case(task, name, f"{name} --version", command, empty, times // 2) for name, command in programs.items()]
    if lab.has("claude-agent-sdk"):
        program = lab.peers["claude-agent-sdk"].program
        how = "import claude_agent_sdk"
        cases.append(Case(task, "claude-agent-sdk", how, [program, "-c", how], empty, lab.times(3)))
    return Section("Start", "What it costs to do nothing.", cases)


# A small home


def small_home(lab: Lab) -> Section:
    """Measure everyday commands on the demo home."""
    home = lab.homes.setdefault("demo", _demo(lab))
    session = json.loads(lab.ask(home, "list", "--json"))["sessions"][0]["id"]
    times, empty = 15, lab.scratch / "empty"
    cases = []
    for words in ("list", "list --json", f"show {session}"):
        shown = words.replace(session, "ID")
        for is_cold in (True, False):
            task = f"{shown}, {'no index' if is_cold else 'index up to date'}"
            case = lab.ours(task, home, words, times, cold=is_cold)
            case.how = f"backscroll {shown}"
            bare = Case(task, BARE, "python3 -c pass", [lab.python, "-c", "pass"], empty, lab.times(times))
            cases += [case, bare]
    cases += _sdk_list(lab, "list, index up to date", home, 3)
    cases += _agentsview_list(lab, "list, index up to date", home, 6)
    return Section("A small home", f"The demo home: {home.describe()}.", cases)


def _demo(lab: Lab) -> Home:
    home = Home("demo", lab.scratch / "homes" / "demo", "written by `backscroll demo`")
    if not home.path.exists():
        call(environment(lab, lab.scratch / "empty", lab.env), lab.program, "demo", home.path)
    return home


# Many sessions


def many_sessions(lab: Lab) -> Section:
    """Measure the list over many small transcripts."""
    number = 500 if lab.is_quick else 5000
    home = lab.home(f"{number:,} sessions", lambda: tiny(number))
    cold, warm = "list, no index", "list, index up to date"
    cases = [
        lab.ours(cold, home, "list", 3, cold=True),
        *_agentsview_sync(lab, cold, home),
        *_code_log(lab, cold, home, is_first=True),
        lab.ours(warm, home, "list", 9),
        lab.ours(f"{warm}, all of it as JSON", home, "list --all --json", 3),
        *_sdk_list(lab, warm, home, 3),
        *_agentsview_list(lab, warm, home, 6),
        *_code_log(lab, warm, home, is_first=False),
    ]
    return Section("Many sessions", f"{home.describe()}.", cases)


# A large home


def large_home(lab: Lab) -> Section:
    """Measure the list over large transcripts: without an index, with it, and after something was written."""
    home = lab.home(lab.size, lambda: sized(lab.size))
    cold, warm = "list, no index", "list, index up to date"
    cases = [
        lab.ours(cold, home, "list", 3, cold=True),
        *_agentsview_sync(lab, cold, home),
        *_code_log(lab, cold, home, is_first=True),
        *_floors(lab, cold, home),
        lab.ours(warm, home, "list", 9),
        *_sdk_list(lab, warm, home, 3),
        *_agentsview_list(lab, warm, home, 6),
        *_code_log(lab, warm, home, is_first=False),
        *_appended(lab, "1 KB more in a middling session", home, _whole(home.sessions)[len(home.sessions) // 2]),
        *_appended(lab, "1 KB more in the largest session", home, _whole(home.sessions)[-1]),
        *_as_library(lab, home),
    ]
    return Section("A large home", f"{home.describe()}.", cases)


def _whole(sessions: list[Path]) -> list[Path]:
    """Return the transcripts that end with a whole line, so that appending does not damage them."""
    return [path for path in sessions if _last_byte(path) == b"\n"] or sessions


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(-1, SEEK_END)
        return file.read()


def _appended(lab: Lab, what: str, home: Home, transcript: Path) -> Iterator[Case]:
    task = f"list, {what} ({transcript.stat().st_size / 1e6:.1f} MB)"
    ours = lab.ours(task, home, "list", 5)
    ours.before = lambda: append_kilobyte(transcript)
    yield ours
    for case in _agentsview_sync(lab, task, home, repeats=3, is_first=False):
        case.before = lambda: append_kilobyte(transcript)
        yield case


def _as_library(lab: Lab, home: Home) -> Iterator[Case]:
    """Compare one call inside a running Python, which is where the official reader is strong."""
    task = "list_sessions() in a running Python, index up to date"
    command: Sequence[object] = [lab.python, "-c", OURS_TIMED, home.path]
    how = "backscroll.list_sessions(root)"
    yield Case(task, OURS, how, command, lab.scratch / "empty", lab.times(9), lab.env, is_reporting=True)
    if lab.has("claude-agent-sdk"):
        program = lab.peers["claude-agent-sdk"].program
        how = "claude_agent_sdk.list_sessions(limit=20)"
        command = [program, "-c", SDK_TIMED]
        yield Case(task, "claude-agent-sdk", how, command, home.path, lab.times(9), is_reporting=True)


def _floors(lab: Lab, task: str, home: Home) -> Iterator[Case]:
    """Yield what no program that looks at every byte can be cheaper than."""
    if lab.has("cat"):
        command: Sequence[object] = (lab.peers["cat"].program, *home.transcripts)
        yield Case(task, FLOOR, "cat FILES > /dev/null", command, home.path, lab.times(5))
    if lab.has("ripgrep"):
        command = (lab.peers["ripgrep"].program, "--no-ignore", "--hidden", "--count", "sessionId", home.config)
        yield Case(task, "ripgrep", "rg --count sessionId", command, home.path, lab.times(5))


# Search


def search(lab: Lab) -> Section:
    """Measure how all words are taken in, kept in step and found again."""
    home, many = (
        lab.home(lab.size, lambda: sized(lab.size)),
        lab.home("5,000 files" if not lab.is_quick else "500 files", lambda: tiny(500 if lab.is_quick else 5000)),
    )
    first, again = "index with all words, nothing there", "index, nothing changed"
    grown = _whole(home.sessions)[-1]
    appended = f"index, 1 KB more in the largest session ({grown.stat().st_size / 1e6:.1f} MB)"
    cases = [
        lab.ours(first, home, "index", 3, cold=True),
        *_agentsview_sync(lab, first, home),
        *_floors(lab, first, home),
        _kept(lab, lab.ours(again, many, "index", 6)),
        *_agentsview_sync(lab, again, many, repeats=3, is_first=False),
        _kept(lab, lab.ours(appended, home, "index", 5)),
        *_agentsview_sync(lab, appended, home, repeats=3, is_first=False),
        *_asked(lab, home),
        *_asked_warm(lab, home),
    ]
    for case in cases:
        if case.task == appended:
            case.before = lambda: append_kilobyte(grown)
    text = f"{home.describe()}; the words of all messages; unchanged: {many.describe()}."
    return Section("Search", text, cases)


QUESTIONS = {
    "a rare word": "quokkazephyr",
    "a common word": "error",
    "a phrase": '"deadlock in the connection pool"',
    "a beginning": "thro*",
    "two words": "error file",
    "a word in one project": "error project:work",
}


def _kept(lab: Lab, case: Case) -> Case:
    """Let an index with all words be there before a case runs."""
    case.setup = lambda: call(environment(lab, case.home, case.env), *case.command[:3], "index")
    return case


def _asked(lab: Lab, home: Home) -> Iterator[Case]:
    """Yield searches from the shell, the start of the program included."""
    for what, question in QUESTIONS.items():
        task = f"search from the shell: {what}"
        ours = _kept(lab, lab.ours(task, home, "search", 6))
        ours.command, ours.how = [*ours.command, question], f"backscroll search '{question}'"
        yield ours
        if "*" not in question and ":" not in question and lab.has("ripgrep"):
            plain = question.strip('"')
            command = (lab.peers["ripgrep"].program, "--no-ignore", "--hidden", "--count", plain, home.config)
            yield Case(task, "ripgrep", f"rg --count '{plain}'", command, home.path, lab.times(3))
    task = "search from the shell: a rare word"
    yield from _agentsview(lab, task, home, "session search quokkazephyr", 6)


def _asked_warm(lab: Lab, home: Home) -> Iterator[Case]:
    """Yield searches inside a running Python: the middle and the worst of many questions of each kind."""
    for what, question in {**QUESTIONS, "two letters, as one types": "er"}.items():
        for name, share in (("median", 0.5), ("99 of 100", 0.99)):
            task = f"search in a running Python, {name}: {what}"
            command: Sequence[object] = [lab.python, "-c", WARM, home.path, question, share]
            how = f"search('{question}')"
            case = Case(task, OURS, how, command, lab.scratch / "empty", lab.times(3), lab.env, is_reporting=True)
            case.setup = lambda: lab.ask(home, "index")
            yield case


# One session


def one_session(lab: Lab) -> Section:
    """Measure how the largest session is shown."""
    home = lab.home(lab.size, lambda: sized(lab.size))
    transcript = home.sessions[-1]
    session = transcript.stem
    cases = []
    for words in ("show ID", "show ID --full", "show ID --format md", "show ID --json", "calls ID"):
        case = lab.ours(words, home, words.replace("ID", session), 3)
        case.how = f"backscroll {words}"
        cases.append(case)
    cases += _other_readers(lab, home, transcript)
    size = transcript.stat().st_size / 1e6
    return Section("One large session", f"A transcript of {size:.0f} MB, written to /dev/null.", cases)


def _other_readers(lab: Lab, home: Home, transcript: Path) -> Iterator[Case]:
    if lab.has("claude-code-log"):
        copy = lab.scratch / "one" / transcript.name

        def make_copy() -> None:
            copy.parent.mkdir(exist_ok=True)
            shutil.copyfile(transcript, copy)

        words = ["-f", "md", "-o", "-", "--image-export-mode", "placeholder"]
        command = [lab.peers["claude-code-log"].program, copy, *words]
        how = "claude-code-log FILE -f md -o -"
        yield Case("show ID --format md", "claude-code-log", how, command, home.path, lab.times(3), setup=make_copy)
    if lab.has("claude-agent-sdk"):
        command = [lab.peers["claude-agent-sdk"].program, "-c", SDK_SHOW, transcript.stem]
        how, note = "print(get_session_messages(ID))", "only what follows the last compaction"
        yield Case("show ID --full", "claude-agent-sdk", how, command, home.path, lab.times(3), note=note)
    yield from _agentsview(lab, "calls ID", home, f"session tool-calls {transcript.stem}", lab.times(6))


# Memory


def memory(lab: Lab) -> Section:
    """Measure whether memory grows with what is read."""
    cases = []
    for name in ("S",) if lab.is_quick else ("S", "M"):
        home = lab.home(name, lambda name=name: sized(name))  # type: ignore[misc]
        cases.append(lab.ours(f"list, no index, {name}", home, "list", 3, cold=True))
        cases.append(lab.ours(f"list, index up to date, {name}", home, "list", 3))
        show = lab.ours(f"show the largest session, {name}", home, f"show {home.sessions[-1].stem}", 3)
        show.how = "backscroll show ID"
        cases.append(show)
    return Section("Memory", "The same commands on homes of 20 MB (S) and 300 MB (M).", cases)


# Peers


def _sdk_list(lab: Lab, task: str, home: Home, repeats: int) -> Iterator[Case]:
    if lab.has("claude-agent-sdk"):
        command: Sequence[object] = [lab.peers["claude-agent-sdk"].program, "-c", SDK_LIST]
        how, note = "list_sessions(limit=20)", "keeps no index; reads the head and tail of each file"
        yield Case(task, "claude-agent-sdk", how, command, home.path, lab.times(repeats), note=note)


def _agentsview_sync(lab: Lab, task: str, home: Home, repeats: int = 1, *, is_first: bool = True) -> Iterator[Case]:
    """Yield agentsview's one-shot update, which lists nothing yet."""
    if not lab.has("agentsview"):
        return
    program = lab.peers["agentsview"].program
    env = _agentsview_env(lab, home) | {"AGENTSVIEW_NO_DAEMON": "1"}
    case = Case(task, "agentsview", "agentsview sync", [program, "sync"], home.path, lab.times(repeats), env)
    case.note, case.timeout = "fills its index, lists nothing", LONGEST
    if is_first:
        case.before = lambda: shutil.rmtree(_agentsview_data(lab, home), ignore_errors=True)
    yield case


def _agentsview_list(lab: Lab, task: str, home: Home, repeats: int) -> Iterator[Case]:
    words = "session list --limit 20 --include-one-shot --include-automated"
    yield from _agentsview(lab, task, home, words, repeats)


def _agentsview(lab: Lab, task: str, home: Home, words: str, repeats: int) -> Iterator[Case]:
    """Yield a question to agentsview's server, which is started before and ended after."""
    if not lab.has("agentsview"):
        return
    program, more = lab.peers["agentsview"].program, _agentsview_env(lab, home)
    env = environment(lab, home.path, more)

    case = Case(task, "agentsview", f"agentsview {' '.join(words.split()[:2])}", [program, *words.split()], home.path)
    case.repeats, case.env, case.note = lab.times(repeats), more, "its server is running"

    def start_server() -> None:
        call(env, program, "sync")
        settle()

    case.setup = start_server
    case.after = lambda: call(env, program, "daemon", "stop")
    yield case


def _agentsview_data(lab: Lab, home: Home) -> Path:
    return lab.scratch / "agentsview" / home.path.name


def _agentsview_env(lab: Lab, home: Home) -> dict[str, str]:
    return {"AGENTSVIEW_DATA_DIR": str(_agentsview_data(lab, home)), "CLAUDE_CONFIG_DIR": str(home.config)}


def _code_log(lab: Lab, task: str, home: Home, *, is_first: bool) -> Iterator[Case]:
    """Yield the least that makes claude-code-log write its list of sessions; it works on a copy of its own."""
    if not lab.has("claude-code-log"):
        return
    copy = lab.scratch / "code-log" / home.path.name
    words = "--all-projects --combined only --depth session"
    command = [lab.peers["claude-code-log"].program, "--projects-dir", copy / ".claude" / "projects", *words.split()]
    case = Case(task, "claude-code-log", f"claude-code-log {words}", command, copy, 1)
    case.timeout, case.note = LONGEST, "writes its index pages"

    def make_copy() -> None:
        shutil.rmtree(copy, ignore_errors=True)
        home.copy_to(copy)

    def require_first_run() -> None:
        if not (copy / ".claude" / "projects" / "index.html").exists():
            raise FailedError("its first run came to no end")

    case.setup = make_copy if is_first else require_first_run
    if not is_first:
        case.note = "again, nothing changed"
    yield case


SECTIONS: list[Callable[[Lab], Section]] = [start, small_home, many_sessions, large_home, search, one_session, memory]
