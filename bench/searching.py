"""Index and search: how all words are taken in, kept in step and found again, on a home of one size."""

import json
from collections.abc import Callable
from pathlib import Path

from corpora import Home, append_kilobyte
from lab import Case, Facts, Lab, Section
from listing import many, whole
from measure import Figure
from report import OURS, SPREAD
from texts import questions, text_size
from theirs import (
    SEARCHED,
    agentsview,
    agentsview_data,
    agentsview_http,
    agentsview_sync,
    agentsview_text,
    code_log,
    code_log_projects,
    history_search,
    read_all,
    ripgrep,
    size_of,
)

TITLES = {"M": "300 MB", "L": "2 GB", "XL": "10 GB"}
WARM_QUESTIONS, COLD_QUESTIONS = 120, 50
GROWN = 50_000_000
"""The transcript that grows is the largest one up to this size: the same in M and in L."""
AHEAD = 5
"""So many other questions are asked first, to have everything open; they are not measured."""
OURS_ASKED = """
import json, pathlib, sys, time, backscroll
root, questions, ahead = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text()), int(sys.argv[3])
costs, found = [], []
with backscroll.search_index(root) as search:
    for question in questions:
        options = backscroll.Options(is_typing=question.endswith("*"))
        cpu, wall = time.process_time(), time.perf_counter()
        answer = search(question.rstrip("*"), options)
        costs.append((time.process_time() - cpu, time.perf_counter() - wall))
        found.append(bool(answer.hits))
print(sum(found[ahead:]), "of", len(questions) - ahead)
print(json.dumps(costs[ahead:]))
"""
HTTP_ASKED = """
import http.client, json, pathlib, sys, time, urllib.parse
address, ahead = urllib.parse.urlsplit(pathlib.Path(sys.argv[1]).read_text()), int(sys.argv[3])
questions = json.loads(pathlib.Path(sys.argv[2]).read_text())
server, costs, found = http.client.HTTPConnection(address.netloc), [], []
for question in questions:
    begun = time.perf_counter()
    server.request("GET", "/api/v1/search?" + urllib.parse.urlencode({"q": question, "limit": 20}))
    answer = server.getresponse().read()
    costs.append((None, time.perf_counter() - begun))
    found.append(bool(json.loads(answer).get("results")))
print(sum(found[ahead:]), "of", len(questions) - ahead)
print(json.dumps(costs[ahead:]))
"""
OURS_ALONE = ("two letters, as one types", "a word and a field")
"""What only we can be asked: agentsview takes a beginning with * for a word."""
PLAIN = ("a rare word", "a common word, best 20", "a phrase")
"""What programs without a language of queries can be asked."""


# First index


def first_index(lab: Lab, size: str) -> Section:
    """Measure how everything is taken in for the first time."""
    home, task = lab.sized(size), "index everything"
    text = text_size(home)
    cases = [
        lab.cold(task, home, "index", 2 if size == "M" else 1),
        *agentsview_sync(lab, task, home),
        *code_log(lab, task, home, is_first=True),
        *read_all(lab, task, home),
        *ripgrep(lab, task, home, ["sessionId"]),
    ]
    facts = {
        "backscroll": _taken_in(home, text, lambda: size_of(lab.own), lambda: text),
        "agentsview": _taken_in(
            home, text, lambda: size_of(agentsview_data(lab, home)), lambda: agentsview_text(lab, home)
        ),
        "claude-code-log": _taken_in(home, text, lambda: _code_log_size(lab, home)),
    }
    for case in cases:
        case.facts, case.timeout = facts.get(case.who, _taken_in(home, text)), home.patience
    columns = ("program", "CPU", "wall", "MB/s", "CPU to ours", "CPU to a read", "peak memory", "anonymous")
    more = ("index MB", "index / text", "text MB", "runs", "command", "note")
    said = (
        f"{home.describe()}, with {text / 1e6:,.0f} MB of text in it: prompts, answers, thinking, calls and results, "
        "each record once, without base64, counted by the bench.\n"
        "“MB/s” are transcripts a second of wall time, “index / text” is what the program keeps on disk to the text.\n"
        "“text MB” is what agentsview's full-text index holds, asked of its database: prompts, answers, thinking and "
        "short forms of calls, no results; ours holds all text, as “Completeness” shows."
    )
    return Section(f"First index, {named(lab, size)}", said, cases, columns + more)


def first_index_alone(lab: Lab, size: str) -> Section:
    """Measure how everything is taken in where that takes an hour: once each, and no longer than an hour."""
    home, task = lab.sized(size), "index everything"
    cases = [
        lab.cold(task, home, "index", 1),
        *agentsview_sync(lab, task, home),
        *code_log(lab, task, home, is_first=True),
        *ripgrep(lab, task, home, ["sessionId"], 1),
    ]
    sizes = {
        OURS: lambda: size_of(lab.own),
        "agentsview": lambda: size_of(agentsview_data(lab, home)),
        "claude-code-log": lambda: _code_log_size(lab, home),
    }
    for case in cases:
        case.facts, case.timeout = _taken_in(home, 0, sizes.get(case.who)), 3600
    columns = ("program", "CPU", "wall", "MB/s", "CPU to ours", "peak memory", "anonymous", "index MB")
    more = ("runs", "command", "note")
    return Section(f"First index, {named(lab, size)}", f"{home.describe()}.", cases, columns + more)


def _taken_in(
    home: Home, text: int, kept: Callable[[], int] | None = None, searched: Callable[[], int] | None = None
) -> Facts:
    """Return what tells how quickly a home was read, and what was made of it."""

    def facts(_: str, figure: Figure) -> dict[str, float | str]:
        told: dict[str, float | str] = {"MB/s": home.size / 1e6 / figure.wall}
        if kept:
            told["index MB"] = kept() / 1e6
        if kept and text:
            told["index / text"] = kept() / text
        if searched:
            told["text MB"] = searched() / 1e6
        return told

    return facts


def _code_log_size(lab: Lab, home: Home) -> int:
    projects = code_log_projects(lab, home)
    return size_of(projects) - size_of(home.config / "projects")


def named(lab: Lab, size: str) -> str:
    """Return how the size of a home is said."""
    return "20 MB" if lab.is_quick else TITLES[size]


# Updates


def update(lab: Lab, size: str) -> Section:
    """Measure how an index is kept in step."""
    home = lab.sized(size)
    grown = [path for path in whole(home.sessions) if path.stat().st_size <= GROWN][-1]
    same, more = "nothing changed", f"1 KB more in one session of {grown.stat().st_size / 1e6:.1f} MB"
    cases = [
        lab.ours(same, home, "index", 6, first="index"),
        *agentsview_sync(lab, same, home, 3, is_first=False),
        lab.ours(more, home, "index", 9, first="index"),
        *agentsview_sync(lab, more, home, 3, is_first=False),
    ]
    for case in cases:
        if case.task == more:
            case.before = lambda: append_kilobyte(grown)
    if size == "M":
        small = many(lab)
        task = f"nothing changed in {len(small.transcripts):,} small files"
        cases += [lab.ours(task, small, "index", 6, first="index")]
        cases += agentsview_sync(lab, task, small, 3, is_first=False)
    return Section(f"Update of the index, {named(lab, size)}", f"{home.describe()}.", cases)


# Search


def search_cold(lab: Lab, size: str) -> Section:
    """Measure searches from the shell, the start of the program and the check for changes included."""
    home, number = lab.sized(size), lab.times(COLD_QUESTIONS)
    cases: list[Case] = []
    for kind, asked in questions(home, number).items():
        ours = lab.ours(kind, home, "search", number, first="index")
        ours.repeats, ours.questions, ours.how = number, asked, f"backscroll search '{asked[0]}'"
        cases.append(ours)
        if kind in PLAIN:
            cases += [*ripgrep(lab, kind, home, _plain(asked)), *history_search(lab, kind, home, _plain(asked))]
        if kind not in OURS_ALONE:
            for case in agentsview(lab, kind, home, f"session search --fts {SEARCHED}", 9):
                case.questions, case.note = asked, "its server is running; results of calls left out"
                cases.append(case)
    text = (
        f"{home.describe()}.\n"
        f"Each run is a new process with another question, {number} of each kind, drawn from prompts and answers.\n"
        "A question of ours that finds nothing counts as a failure."
    )
    return Section(f"Search from the shell, {named(lab, size)}", text, cases, SPREAD)


def search_warm(lab: Lab, size: str) -> Section:
    """Measure searches in a program that runs already."""
    home, number = lab.sized(size), lab.times(WARM_QUESTIONS)
    cases: list[Case] = []
    for kind, asked in questions(home, AHEAD + number).items():
        file = written(lab.scratch / f"{home.name}-{len(cases)}.json", asked)
        ours = lab.script(kind, f"search('{asked[AHEAD]}')", OURS_ASKED, [home.path, file, AHEAD], 1)
        ours.setup = lambda: lab.ask(home, "index")
        cases.append(ours)
        if kind not in OURS_ALONE:
            cases += agentsview_http(lab, kind, home, HTTP_ASKED, file, AHEAD)
        if kind in PLAIN:
            cases += ripgrep(lab, kind, home, _plain(asked))
    for case in cases:
        case.timeout, case.facts = home.patience, found if case.is_reporting else None
    text = (
        f"{home.describe()}.\n"
        f"{number} different questions of each kind, each asked once after {AHEAD} others: the best 20, "
        "with their snippets.\n"
        "“found” is how many of them have an answer."
    )
    return Section(f"Search in a running program, {named(lab, size)}", text, cases, (*SPREAD, "found"))


def _plain(asked: list[str]) -> list[str]:
    return [question.strip('"') for question in asked]


def written(place: Path, asked: list[str]) -> Path:
    """Write questions where a script reads them."""
    place.write_text(json.dumps(asked), encoding="utf-8")
    return place


def found(output: str, _: Figure) -> dict[str, float | str]:
    """Return how many questions were answered, as a script says."""
    return {"found": output.strip().splitlines()[-2]}
