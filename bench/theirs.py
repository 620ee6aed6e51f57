"""The peers' own commands as cases: nothing where a peer is absent.

To add a peer, add its requirement to `peers.py` and a function here.
"""

import re
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from corpora import Home
from lab import Case, Lab, environment
from measure import FailedError, call, settle
from report import FLOOR

SDK_LIST = "import claude_agent_sdk as sdk; print(len(sdk.list_sessions(limit=20)))"
SEARCHED = "--limit 20 --include-one-shot --include-automated --include-children"
"""agentsview hides some sessions unless it is told not to."""
CODE_LOG = "--all-projects --combined only --depth session"


def size_of(*places: Path) -> int:
    """Return how many bytes lie in some files or directories."""
    files = (file for place in places for file in ([place] if place.is_file() else place.rglob("*")))
    return sum(file.stat().st_size for file in files if file.is_file())


# Floors


def read_all(lab: Lab, task: str, home: Home) -> Iterator[Case]:
    """Yield what no program that looks at every byte can be cheaper than."""
    if lab.has("cat"):
        command: Sequence[object] = (lab.peers["cat"].program, *home.transcripts)
        yield Case(task, FLOOR, "cat FILES > /dev/null", command, home.path, lab.times(5))


def ripgrep(lab: Lab, task: str, home: Home, questions: Sequence[str], repeats: int = 5) -> Iterator[Case]:
    """Yield the quickest way to look for something in every byte, without an index, rank or session."""
    if lab.has("ripgrep"):
        words = "--no-ignore --hidden --ignore-case --fixed-strings --count"
        command = [lab.peers["ripgrep"].program, *words.split(), home.config, "-e"]
        case = Case(task, "ripgrep", "rg -iFc TEXT", command, home.path, lab.times(repeats), questions=questions)
        case.note = "scans all bytes; lines, not messages; no rank"
        yield case


# claude-agent-sdk


def sdk_list(lab: Lab, task: str, home: Home, repeats: int) -> Iterator[Case]:
    """Yield the official reader's list."""
    if lab.has("claude-agent-sdk"):
        command: Sequence[object] = [lab.peers["claude-agent-sdk"].program, "-c", SDK_LIST]
        how, note = "list_sessions(limit=20)", "keeps no index; reads the head and tail of each file"
        yield Case(task, "claude-agent-sdk", how, command, home.path, lab.times(repeats), note=note)


# agentsview


def agentsview_sync(lab: Lab, task: str, home: Home, repeats: int = 1, *, is_first: bool = True) -> Iterator[Case]:
    """Yield agentsview's one-shot update, which lists nothing yet."""
    if not lab.has("agentsview"):
        return
    program = lab.peers["agentsview"].program
    env = agentsview_env(lab, home) | {"AGENTSVIEW_NO_DAEMON": "1"}
    case = Case(task, "agentsview", "agentsview sync", [program, "sync"], home.path, lab.times(repeats), env)
    case.note, case.timeout = "fills its index, lists nothing", home.patience
    if is_first:
        case.before = lambda: shutil.rmtree(agentsview_data(lab, home), ignore_errors=True)
    else:
        case.setup = lambda: call(environment(lab, home.path, env), program, "sync", timeout=home.patience)
    yield case


def agentsview_list(lab: Lab, task: str, home: Home, repeats: int) -> Iterator[Case]:
    """Yield agentsview's list."""
    words = "session list --limit 20 --include-one-shot --include-automated"
    yield from agentsview(lab, task, home, words, repeats)


def agentsview(lab: Lab, task: str, home: Home, words: str, repeats: int) -> Iterator[Case]:
    """Yield a question to agentsview's server, which is started before and ended after."""
    if not lab.has("agentsview"):
        return
    program, more = lab.peers["agentsview"].program, agentsview_env(lab, home)
    how = f"agentsview {words.partition(' --limit')[0]}"
    case = Case(task, "agentsview", how, [program, *words.split()], home.path, lab.times(repeats), more)
    _with_server(lab, home, case)
    yield case


def agentsview_http(lab: Lab, task: str, home: Home, code: str, *arguments: object) -> Iterator[Case]:
    """Yield questions to agentsview's server over HTTP, asked by a script that measures them."""
    if not lab.has("agentsview"):
        return
    where = lab.scratch / "agentsview-url"
    command = [lab.python, "-c", code, where, *arguments]
    case = Case(task, "agentsview", "GET /api/v1/search?q=…", command, home.path, 1, agentsview_env(lab, home))
    case.is_reporting = True
    _with_server(lab, home, case, where)
    case.note = "over HTTP to its running server; results of calls left out"
    yield case


def _with_server(lab: Lab, home: Home, case: Case, where: Path | None = None) -> None:
    """Let agentsview's server run around a case, and write down its address."""
    program, env = lab.peers["agentsview"].program, environment(lab, home.path, case.env)

    def start() -> None:
        call(env, program, "daemon", "start", timeout=home.patience)
        settle()
        if where:
            address = re.search(r"http://\S+", call(env, program, "serve", "status"))
            if address is None:
                raise FailedError("its server does not tell its address")
            where.write_text(address[0], encoding="ascii")

    case.setup = start
    case.after = lambda: call(env, program, "daemon", "stop")
    case.note = "its server is running"


def agentsview_data(lab: Lab, home: Home) -> Path:
    """Return where agentsview keeps what it knows of a home."""
    return lab.scratch / "agentsview" / home.path.name


def agentsview_text(lab: Lab, home: Home) -> int:
    """Return how many bytes of text agentsview's full-text index was given."""
    with closing(sqlite3.connect(agentsview_data(lab, home) / "sessions.db")) as database:
        question = "SELECT coalesce(sum(length(CAST(content AS BLOB))), 0) FROM messages"
        return int(database.execute(question).fetchone()[0])


def agentsview_env(lab: Lab, home: Home) -> dict[str, str]:
    """Return what tells agentsview which home to read, and where to keep what it knows of it."""
    return {"AGENTSVIEW_DATA_DIR": str(agentsview_data(lab, home)), "CLAUDE_CONFIG_DIR": str(home.config)}


# claude-code-log


def code_log(lab: Lab, task: str, home: Home, *, is_first: bool) -> Iterator[Case]:
    """Yield the least that makes claude-code-log write its list of sessions; it works on a copy of its own."""
    if not lab.has("claude-code-log"):
        return
    projects = code_log_projects(lab, home)
    command = [lab.peers["claude-code-log"].program, "--projects-dir", projects, *CODE_LOG.split()]
    case = Case(task, "claude-code-log", f"claude-code-log {CODE_LOG}", command, projects.parent.parent, 1)
    case.timeout, case.note = home.patience, "fills its cache, writes its index pages"

    def make_copy() -> None:
        shutil.rmtree(case.home, ignore_errors=True)
        home.copy_to(case.home)

    def require_first_run() -> None:
        if not (projects / "index.html").exists():
            raise FailedError("its first run came to no end")

    case.setup = make_copy if is_first else require_first_run
    if not is_first:
        case.note = "again, nothing changed"
    yield case


def code_log_projects(lab: Lab, home: Home) -> Path:
    """Return the copy that claude-code-log reads, and writes into."""
    return lab.scratch / "code-log" / home.path.name / ".claude" / "projects"


# claude-history


def history_list(lab: Lab, task: str, home: Home, repeats: int) -> Iterator[Case]:
    """Yield claude-history's list, which shows one project: the one with the most sessions."""
    if lab.has("claude-history"):
        projects = [path.parent for path in home.sessions]
        command = [lab.peers["claude-history"].program, "list", max(projects, key=projects.count)]
        note = "one project only; keeps no index"
        yield Case(task, "claude-history", "claude-history list PROJECT", command, home.path, repeats, note=note)


def history_search(lab: Lab, task: str, home: Home, questions: Sequence[str], repeats: int = 5) -> Iterator[Case]:
    """Yield claude-history's search."""
    if lab.has("claude-history"):
        command = [lab.peers["claude-history"].program, "search", "--limit", "20"]
        how, note = "claude-history search TEXT", "runs ripgrep; the first 20 that it meets, no rank"
        case = Case(task, "claude-history", how, command, home.path, lab.times(repeats), note=note)
        case.questions = questions
        yield case
