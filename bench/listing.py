"""Start, list and show: what is measured of reading sessions."""

import json
import shutil
from collections.abc import Iterator
from io import SEEK_END
from pathlib import Path

from corpora import Home, append_kilobyte, tiny
from lab import Case, Lab, Section
from theirs import agentsview, agentsview_list, agentsview_sync, code_log, history_list, read_all, ripgrep, sdk_list

SDK_SHOW = "import sys, claude_agent_sdk as sdk; print(sdk.get_session_messages(sys.argv[1]))"
TIMED = """
import json, sys, time
{setup}
call()
cpu, wall = time.process_time(), time.perf_counter()
call()
print(json.dumps([[time.process_time() - cpu, time.perf_counter() - wall]]))
"""
SDK_TIMED = TIMED.format(setup="import claude_agent_sdk as sdk\ncall = lambda: sdk.list_sessions(limit=20)")
OURS_TIMED = TIMED.format(setup="import backscroll\ncall = lambda: backscroll.list_sessions(sys.argv[1])")
COLD, WARM = "list, no index", "list, index up to date"


def start(lab: Lab) -> Section:
    """Measure what it costs to say hello."""
    empty, task, times = lab.scratch / "empty", "version", lab.times(15)
    ours = Case(task, "backscroll", "backscroll --version", [lab.program, "--version"], empty, times, lab.env)
    cases = [ours, lab.bare(task, 15)]
    for name, word in (("agentsview", "--version"), ("claude-code-log", "--version"), ("claude-history", "--help")):
        if lab.has(name):
            cases.append(Case(task, name, f"{name} {word}", [lab.peers[name].program, word], empty, times // 2))
    if lab.has("claude-agent-sdk"):
        program = lab.peers["claude-agent-sdk"].program
        how = "import claude_agent_sdk"
        cases.append(Case(task, "claude-agent-sdk", how, [program, "-c", how], empty, lab.times(3)))
    return Section("Start", "What it costs to do nothing.", cases)


def small_home(lab: Lab) -> Section:
    """Measure everyday commands on the demo home, and those of a first run on a single session too."""
    home, one = lab.demo(), lab.one_session()
    session = json.loads(lab.ask(home, "list", "--json"))["sessions"][0]["id"]
    cases = []
    for words in ("list", "list --json", f"show {session}"):
        shown = words.replace(session, "ID")
        for make, index in ((lab.cold, "no index"), (lab.ours, "index up to date")):
            task = f"{shown}, {index}"
            case = make(task, home, words, 15)
            case.how = f"backscroll {shown}"
            cases += [case, lab.bare(task, 15)]
    for words in ("list", "list --json", "show latest"):
        task = f"{words.replace('latest', 'ID')}, no index, one session"
        cases += [lab.cold(task, one, words, 15), lab.bare(task, 15)]
    cases += sdk_list(lab, WARM, home, 3)
    cases += history_list(lab, WARM, home, 3)
    cases += agentsview_list(lab, WARM, home, 6)
    text = f"The demo home: {home.describe()}.\n“One session” is a home that holds only the longest of them."
    return Section("A small home", text, cases)


def many_sessions(lab: Lab) -> Section:
    """Measure the list over many small transcripts."""
    home = many(lab)
    cases = [
        lab.cold(COLD, home, "list", 3),
        *agentsview_sync(lab, COLD, home),
        *code_log(lab, COLD, home, is_first=True),
        lab.ours(WARM, home, "list", 9),
        lab.ours(f"{WARM}, all of it as JSON", home, "list --all --json", 3),
        *sdk_list(lab, WARM, home, 3),
        *history_list(lab, WARM, home, 3),
        *agentsview_list(lab, WARM, home, 6),
        *code_log(lab, WARM, home, is_first=False),
    ]
    return Section("Many sessions", f"{home.describe()}.", cases)


def many(lab: Lab) -> Home:
    """Return the home of many small transcripts."""
    number = 500 if lab.is_quick else 5000
    return lab.home(f"{number:,} sessions", lambda: tiny(number))


def large_home(lab: Lab) -> Section:
    """Measure the list over large transcripts: without an index, with it, and after something was written."""
    home = lab.sized("M")
    middling, largest = whole(home.sessions)[len(home.sessions) // 2], whole(home.sessions)[-1]
    cases = [
        lab.cold(COLD, home, "list", 3),
        *agentsview_sync(lab, COLD, home),
        *code_log(lab, COLD, home, is_first=True),
        *read_all(lab, COLD, home),
        *ripgrep(lab, COLD, home, ["sessionId"]),
        lab.ours(WARM, home, "list", 9),
        *sdk_list(lab, WARM, home, 3),
        *history_list(lab, WARM, home, 3),
        *agentsview_list(lab, WARM, home, 6),
        *code_log(lab, WARM, home, is_first=False),
        *_grown(lab, "1 KB more in a middling session", home, middling),
        *_grown(lab, "1 KB more in the largest session", home, largest),
        *_as_library(lab, home),
    ]
    return Section("A large home", f"{home.describe()}.", cases)


def whole(sessions: list[Path]) -> list[Path]:
    """Return the transcripts that end with a whole line, so that appending does not damage them."""
    return [path for path in sessions if _last_byte(path) == b"\n"] or sessions


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(-1, SEEK_END)
        return file.read()


def _grown(lab: Lab, what: str, home: Home, transcript: Path) -> Iterator[Case]:
    task = f"list, {what} ({transcript.stat().st_size / 1e6:.1f} MB)"
    for case in (lab.ours(task, home, "list", 5), *agentsview_sync(lab, task, home, 3, is_first=False)):
        case.before = lambda: append_kilobyte(transcript)
        yield case


def _as_library(lab: Lab, home: Home) -> Iterator[Case]:
    """Compare one call inside a running Python, which is where the official reader is strong."""
    task = "list_sessions() in a running Python, index up to date"
    yield lab.script(task, "backscroll.list_sessions(root)", OURS_TIMED, [home.path], 9)
    if lab.has("claude-agent-sdk"):
        command = [lab.peers["claude-agent-sdk"].program, "-c", SDK_TIMED]
        how = "claude_agent_sdk.list_sessions(limit=20)"
        yield Case(task, "claude-agent-sdk", how, command, home.path, lab.times(9), is_reporting=True)


# One session


def one_session(lab: Lab) -> Section:
    """Measure how the largest session is shown."""
    home = lab.sized("M")
    transcript = home.sessions[-1]
    tasks = ("show ID", "show ID --full", "show ID --format md", "show ID --json", "calls ID")
    cases = [*_shown(lab, home, transcript, tasks), *_other_readers(lab, home, transcript)]
    size = transcript.stat().st_size / 1e6
    return Section("One large session", f"A transcript of {size:.0f} MB, written to /dev/null.", cases)


def _shown(lab: Lab, home: Home, transcript: Path, tasks: tuple[str, ...], what: str = "") -> Iterator[Case]:
    for words in tasks:
        case = lab.ours(words + what, home, words.replace("ID", transcript.stem), 3)
        case.how = f"backscroll {words}"
        yield case


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
    for case in agentsview(lab, "calls ID", home, f"session tool-calls {transcript.stem}", 6):
        case.how = "agentsview session tool-calls ID"
        yield case


def longest_session(lab: Lab) -> Section:
    """Measure the memory that the largest transcript and the longest line of all take."""
    home = lab.sized("L")
    transcript, tasks = home.sessions[-1], ("show ID", "calls ID", "tree ID")
    line, length = _longest_line(home.sessions)
    cases = [
        *_shown(lab, home, transcript, tasks, f", {transcript.stat().st_size / 1e6:.0f} MB"),
        *_shown(lab, home, line, tasks, f", a line of {length / 1e6:.0f} MB"),
    ]
    return Section("The longest session", f"{home.describe()}; written to /dev/null.", cases)


def _longest_line(sessions: list[Path]) -> tuple[Path, int]:
    """Return the transcript with the longest line, and how long that is; it is one of the largest."""
    found = sessions[-1], 0
    for path in sessions[-20:]:
        with path.open("rb") as file:
            length = max(map(len, file))
        found = (path, length) if length > found[1] else found
    return found


# Memory


def memory(lab: Lab) -> Section:
    """Measure whether memory grows with what is read."""
    cases = []
    for size in ("S",) if lab.is_quick else ("S", "M"):
        home = lab.sized(size)
        cases += [lab.cold(f"{COLD}, {size}", home, "list", 3), lab.ours(f"{WARM}, {size}", home, "list", 3)]
        cases += _shown(lab, home, home.sessions[-1], ("show ID",), f", {size}")
    return Section("Memory", "The same commands on homes of 20 MB (S) and 300 MB (M).", cases)
