"""The web page beside agentsview's: what it sends, when it paints, hits as one types, the largest session, memory."""

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from corpora import Home
from lab import Case, Lab, Section
from measure import Figure
from report import OURS
from searching import named
from texts import questions, records, texts
from theirs import agentsview_env, agentsview_sync
from visiting import PATIENCE, VISITS, Site

VISITOR = Path(__file__).with_name("visiting.py")
WORDS = 8
"""So many rare and so many common words are typed, letter by letter."""
PLAIN_WORDS = re.compile(r"[A-Za-z]+(?: [A-Za-z]+){3}")
OURS_USED: dict[str, Any] = {
    "wanted": {"list": "a.row[data-session]", "usage": ".chart canvas", "open": "article[data-message]"},
    "count": r"Sessions\s+([\d,]+),",
    "search": "/",
    "asks": "/api/search",
    "end": "Shift+G",
}
THEIRS_USED: dict[str, Any] = {
    "wanted": {"list": ".session-item", "usage": ".usage-page canvas, .usage-page svg", "open": ".message-body"},
    "count": r"([\d,]+) SESSIONS",
    "search": "Control+k",
    "asks": "/api/v1/search",
    "end": '[aria-label="Follow latest messages"]',
}


def webpages(lab: Lab, size: str) -> Section:
    """Measure the web page beside agentsview's."""
    home = lab.sized(size)
    largest = home.sessions[-1]
    plan = {
        "words": typed_words(home, lab.times(WORDS)),
        "session": largest.stem,
        "last": last_words(largest),
        "exist": len(home.sessions),
    }
    place = lab.scratch / f"web-{home.name}.json"
    place.write_text(json.dumps(plan), encoding="utf-8")
    cases = [case for task in VISITS for case in _cases(lab, home, task, place)]
    text = (
        f"{home.describe()}; the largest session has {largest.stat().st_size / 1e6:.0f} MB.\n"
        "A real Chromium without a cache opens each page at its server, whose index is up to date; "
        "one run is one load, one letter or one visit.\n"
        "“KB sent” are bodies of answers as sent until the end of the task, “code” those that are not data.\n"
        "“elsewhere” counts requests to other hosts; without a network they fail at once, so they cost no time here.\n"
        "Memory and CPU are those of the server: its highest memory in the visit, its CPU time for one run.\n"
        "The browser shares the machine with the server, so wall times need a quiet machine: compare bytes and memory "
        "first."
    )
    columns = ("program", "wall p50", "wall p95", "KB sent", "KB unpacked", "code KB", "elsewhere")
    columns += ("server memory", "anonymous MB", "server CPU", "runs", "more", "note")
    return Section(f"Web page, {named(lab, size)}", text, cases, columns)


def _cases(lab: Lab, home: Home, task: str, plan: Path) -> Iterator[Case]:
    env = lab.env
    ours = Case(task, OURS, "backscroll web", [], lab.scratch / "empty", env=env, setup=lambda: lab.ask(home, "index"))
    command = [str(lab.program), "--root", str(home.path), "web", "--no-open", "--json"]
    yield _visiting(ours, Site(OURS, command, **OURS_USED), plan)
    for theirs in agentsview_sync(lab, task, home, is_first=False):
        theirs.how, theirs.note, theirs.env = "agentsview serve", "", agentsview_env(lab, home)
        command = [str(lab.peers["agentsview"].program), "serve", "--no-browser", "--no-update-check", "--port", "0"]
        yield _visiting(theirs, Site("agentsview", command, **THEIRS_USED), plan)


def _visiting(case: Case, site: Site, plan: Path) -> Case:
    """Let a case visit a page."""
    told = plan.with_name(f"{plan.stem}-{site.who}.json")
    told.write_text(json.dumps(asdict(site)), encoding="utf-8")
    case.command, case.is_reporting, case.repeats = [sys.executable, VISITOR, case.task, told, plan], True, 1
    case.facts, case.timeout = told_facts, 2 * PATIENCE
    case.env = case.env | {"TMPDIR": tempfile.gettempdir()}  # the sockets of Chromium need a short path
    return case


def told_facts(output: str, _: Figure) -> dict[str, float | str]:
    """Return the facts that a visit printed before its times."""
    facts: dict[str, float | str] = json.loads(output.strip().splitlines()[-2])
    return facts


def typed_words(home: Home, number: int = WORDS) -> list[str]:
    """Return the words that are typed: rare and common ones."""
    drawn = questions(home, number)
    return drawn["a rare word"] + drawn["a common word, best 20"]


def last_words(transcript: Path) -> str:
    """Return some words of the last prompt or answer of a session that a page shows without a break."""
    said = (text for record in records([transcript]) for kind, text in texts(record) if kind == "text")
    last = ""
    for text in said:
        found = PLAIN_WORDS.search(text)
        last = found[0] if found else last
    return last
