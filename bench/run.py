"""Measure backscroll against its peers, and write docs/benchmarks.md: `make bench`.

Every section that is measured whole replaces its figures in bench/figures.json, from which the page is drawn.
"""

import argparse
import compileall
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import completing
import counting
import listing
import measure
import recovering
import report as reports
import searching
import sharing
from corpora import Home
from goals import goals
from lab import Case, Lab, Section, environment, nothing
from measure import Figure
from peers import Peer, all_peers
from pictures import draw
from report import OURS, Part
from webpages import webpages

HERE = Path(__file__).parent
ROOT = HERE.parent
FIGURES = HERE / "figures.json"
PAGE = ROOT / "docs" / "benchmarks.md"
PICTURES = ROOT / "docs" / "pictures"
DEFAULT = Path(sys.executable).with_name("backscroll")
MINUTES, MINUTES_LARGE = 14, 75
"""After so many minutes, without and with the large home, nothing is repeated any more; every case still runs once."""

Make = Callable[[Lab], Section]
SECTIONS: dict[str, Make] = {
    "start": listing.start,
    "small_home": listing.small_home,
    "many_sessions": listing.many_sessions,
    "large_home": listing.large_home,
    "memory": listing.memory,
    "first_index_M": partial(searching.first_index, size="M"),
    "update_M": partial(searching.update, size="M"),
    "search_cold_M": partial(searching.search_cold, size="M"),
    "search_warm_M": partial(searching.search_warm, size="M"),
    "completeness": completing.completeness,
    "one_session": listing.one_session,
    "files_M": partial(recovering.files, size="M"),
    "recovery": recovering.recovery,
    "usage": counting.usage,
    "web_M": partial(webpages, size="M"),
    "pages": sharing.pages,
    "secrets": sharing.secrets,
}
LARGE: dict[str, Make] = {
    "first_index_L": partial(searching.first_index, size="L"),
    "update_L": partial(searching.update, size="L"),
    "search_cold_L": partial(searching.search_cold, size="L"),
    "search_warm_L": partial(searching.search_warm, size="L"),
    "files_L": partial(recovering.files, size="L"),
    "longest_session": listing.longest_session,
    "web_L": partial(webpages, size="L"),
}
"""What needs the home of 2 GB."""
HUGE: dict[str, Make] = {"first_index_XL": partial(searching.first_index_alone, size="XL")}
"""What needs the home of 10 GB: measured only where it is named."""


def main() -> None:
    """Do what the command line asks."""
    options = _options()
    if options.render:
        _write_page(_stored())
        return
    peers = {} if options.no_peers else wanted(all_peers(say), options.without)
    is_kept = not (options.quick or options.no_peers or options.home or options.program != DEFAULT)
    network = "none while measuring" if measure.leave_the_network() else "not cut off"
    measure.adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="backscroll-bench-") as scratch:
        lab = Lab(options.program.absolute(), Path(scratch), peers, options.quick)
        lab.prepare()
        if options.program == DEFAULT:
            lab.source = copy_source(lab.scratch / "source")
        if options.home:
            lab.given = lab.home("given", lambda: Home("your home", options.home, "given"))
        parts = []
        try:
            for part in bench(lab, chosen(options.only, large=options.large), network):
                parts.append(part)
                if is_kept:
                    keep(part)
        finally:
            measure.end_orphans()
    print("\n".join(reports.terminal(parts, goals(parts))))


def keep(part: Part) -> None:
    """Store a section at once, so that it is not lost when a later one comes to no end, and draw the page again."""
    stored = merged(_stored(), [part])
    reports.write(FIGURES, reports.dump(stored))
    _write_page(stored)


def _stored() -> list[Part]:
    return reports.load(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else []


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--large", action="store_true", help="the sections with the home of 2 GB too: half an hour more")
    add("--quick", action="store_true", help="a small home and fewer runs; nothing is written")
    add("--no-peers", action="store_true", help="measure backscroll alone, install nothing; nothing is written")
    add("--without", action="append", default=[], metavar="PEER", help="leave a peer out, as one that takes too long")
    every = [*SECTIONS, *LARGE, *HUGE]
    add("--only", action="append", default=[], choices=every, metavar="SECTION", help=f"one of: {', '.join(every)}")
    add("--home", type=Path, help="for recovery and usage: compare the answers on this home; nothing is written")
    add("--program", type=Path, default=DEFAULT, help="the backscroll to measure, Python beside it; nothing is written")
    add("--render", action="store_true", help="write docs/ from bench/figures.json, measure nothing")
    return parser.parse_args()


def chosen(only: list[str], *, large: bool) -> dict[str, Make]:
    """Return the sections to measure: those that are named, or all but the huge one; the large ones if wanted."""
    if only:
        return {name: make for name, make in (SECTIONS | LARGE | HUGE).items() if name in only}
    return SECTIONS | LARGE if large else SECTIONS


def wanted(peers: dict[str, Peer], without: list[str]) -> dict[str, Peer]:
    """Return the peers, those that are left out as absent ones."""
    left_out = {name: Peer(name, peers[name].program, absent="left out to save time") for name in without}
    return peers | left_out


def copy_source(place: Path) -> Path:
    """Copy the package as it is now, compiled, so that a change while we measure does no harm; return its parent."""
    shutil.copytree(ROOT / "src" / "backscroll", place / "backscroll", ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(place, quiet=2)
    return place


def say(text: str) -> None:
    """Tell how far it is, on standard error."""
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", file=sys.stderr, flush=True)


def bench(lab: Lab, sections: dict[str, Make], network: str) -> Iterator[Part]:
    """Measure some sections, one after the other."""
    deadline = time.monotonic() + 60 * (MINUTES_LARGE if sections.keys() & (LARGE | HUGE).keys() else MINUTES)
    machine, versions = _machine() | {"network": network}, _versions(lab)
    for name, make in sections.items():
        say(f"preparing {name}")
        section = make(lab)
        part = Part(name, section.title, section.text, list(section.columns))
        begun, others = time.monotonic(), measure.spent_by_others()
        for task in dict.fromkeys(case.task for case in section.cases):
            part.figures += run_task([case for case in section.cases if case.task == task], lab, deadline)
        taken = time.monotonic() - begun
        busy = (measure.spent_by_others() - others) / taken
        part.taken = machine | {
            "when": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
            "minutes": f"{taken / 60:.1f}",
            "others": f"{max(busy, 0):.2f} of {os.cpu_count()} cores",
        }
        part.versions, part.absent = versions, _absent(lab.peers)
        yield part


def run_task(cases: list[Case], lab: Lab, deadline: float) -> list[Figure]:
    """Run the cases of one task in turn, those that leave something running alone and last."""
    together = [case for case in cases if case.after is nothing]
    alone = [[case] for case in cases if case.after is not nothing]
    figures: list[Figure] = []
    for group in filter(None, (together, *alone)):
        pairs = [(case, Figure(case.task, case.who, case.how, note=case.note)) for case in group]
        for case, figure in pairs:
            _try(case.setup, figure)
        for turn in range(max(case.repeats for case in group)):
            for case, figure in pairs:
                is_due = turn < case.repeats and not figure.failure and not figure.is_lower_bound
                if is_due and (turn == 0 or time.monotonic() < deadline):
                    _run_once(case, figure, lab, turn)
        for case, figure in pairs:
            if case.facts and figure.costs and not figure.is_lower_bound:
                _add_facts(case, figure, lab)
            _try(case.after, figure)
            figures.append(figure)
            say(f"{case.task}: {case.who} {_brief(figure)}")
    return figures


def _try(prepare: Callable[[], object], figure: Figure) -> None:
    try:
        prepare()
    except (OSError, measure.FailedError) as error:
        figure.failure = str(error)[:200]


def _run_once(case: Case, figure: Figure, lab: Lab, turn: int) -> None:
    _try(case.before, figure)
    env = environment(lab, case.home, case.env)
    question = [case.questions[turn % len(case.questions)]] if case.questions else []
    output = _output(case, lab) if case.facts or case.is_reporting else Path(os.devnull)
    try:
        figure.costs += measure.run(
            [*case.command, *question], env, output=output, timeout=case.timeout, is_reporting=case.is_reporting
        )
    except measure.FailedError as error:
        figure.failure = " ".join([str(error)[:200].replace(str(lab.scratch), "…"), *question])


def _add_facts(case: Case, figure: Figure, lab: Lab) -> None:
    try:
        text = _output(case, lab).read_text(encoding="utf-8", errors="replace")
        figure.facts = case.facts(text, figure) if case.facts else {}
    except (OSError, ValueError, LookupError) as error:
        figure.failure = f"its answer could not be read: {type(error).__name__}"


def _output(case: Case, lab: Lab) -> Path:
    return lab.scratch / "tmp" / f"output-{id(case)}"


def _brief(figure: Figure) -> str:
    if not figure.costs:
        return f"failed: {figure.failure}"
    cpu = f"{reports.seconds(figure.cpu)} CPU, " if figure.is_timed else ""
    return f"{cpu}{reports.seconds(figure.wall)} wall, {reports.megabytes(figure.peak)} {figure.failure}"


def _machine() -> dict[str, str]:
    cpu, memory = platform.processor() or platform.machine(), ""
    if sys.platform == "linux":
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), cpu)
        memory = f", {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB of memory"
    system = f"{platform.system()} {platform.release().split('-')[0]}"
    return {"processor": f"{cpu}, {os.cpu_count()} cores{memory}", "system": system}


def _versions(lab: Lab) -> dict[str, str]:
    env = environment(lab, lab.scratch / "empty", lab.env)

    def ask(*command: str | Path) -> str:
        return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout.split()[-1]

    ours = {OURS: ask(lab.program, "--version") + _commit(), "Python": ask(lab.python, "--version")}
    return ours | {peer.name: peer.version for peer in lab.peers.values() if not peer.absent}


def _commit() -> str:
    """Return the last commit that changed the package."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", str(ROOT), *words], check=False, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    changed = " with changes" if git("status", "--porcelain", "--", "src") else ""
    commit = git("log", "-1", "--format=%h", "--", "src")
    return f" at {commit}{changed}" if commit else ""


def _absent(peers: dict[str, Peer]) -> dict[str, str]:
    return {peer.name: peer.absent for peer in peers.values() if peer.absent}


def merged(stored: list[Part], parts: list[Part]) -> list[Part]:
    """Return the stored parts with those that were measured now in place of the older ones, in the usual order."""
    known = {part.name: part for part in (*stored, *parts)}
    return [known[name] for name in (*SECTIONS, *LARGE, *HUGE) if name in known]


def _write_page(parts: list[Part]) -> None:
    pictures = {}
    for name, (text, drawing) in draw(parts).items():
        reports.write(PICTURES / name, drawing)
        pictures[f"pictures/{name}"] = text
    reports.write(PAGE, reports.markdown(parts, goals(parts), pictures))
    print(f"Written: {FIGURES.relative_to(ROOT)}, {PAGE.relative_to(ROOT)}, {', '.join(pictures)}")


if __name__ == "__main__":
    main()
