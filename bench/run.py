"""Measure backscroll against its peers, and write docs/benchmarks.md: `make bench`.

`--quick` takes two minutes and writes below bench/results only.
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
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import measure
import picture
import report as reports
from cases import BARE, OURS, SECTIONS, Case, Lab, environment, nothing
from measure import Figure
from peers import Peer, all_peers
from report import Goal, Part, Report

HERE = Path(__file__).parent
ROOT = HERE.parent
PAGE = ROOT / "docs" / "benchmarks.md"
PICTURES = ROOT / "docs" / "pictures"
RESULTS = HERE / "results"
DEFAULT = Path(sys.executable).with_name("backscroll")
MINUTES = 11
"""After so many minutes nothing is repeated any more; every case still runs once."""


def main() -> None:
    """Do what the command line asks."""
    options = _options()
    if options.render:
        _write_page(reports.load(options.render.read_text(encoding="utf-8")))
        return
    peers = {} if options.no_peers else all_peers(say)
    network = "none while measuring" if measure.leave_the_network() else "not cut off"
    measure.adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="backscroll-bench-") as scratch:
        lab = Lab(options.program.absolute(), Path(scratch), peers, options.quick)
        for name in ("empty", "tmp", "homes"):
            (lab.scratch / name).mkdir()
        if options.program == DEFAULT:
            lab.source = copy_source(lab.scratch / "source")
        try:
            report = bench(lab, options.only, network)
        finally:
            measure.end_orphans()
    print("\n".join(reports.terminal(report)))
    _write(report, is_whole=not options.quick and not options.only)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small home and fewer runs; docs/ stays as it is")
    parser.add_argument("--no-peers", action="store_true", help="measure backscroll alone; install nothing")
    parser.add_argument(
        "--only", action="append", default=[], metavar="SECTION", help="only this section; see cases.py"
    )
    parser.add_argument("--program", type=Path, default=DEFAULT, help="the backscroll to measure, Python beside it")
    parser.add_argument(
        "--render", type=Path, metavar="JSON", help="write docs/ from an earlier result, measure nothing"
    )
    return parser.parse_args()


def copy_source(place: Path) -> Path:
    """Copy the package as it is now, compiled, so that a change while we measure does no harm; return its parent."""
    shutil.copytree(ROOT / "src" / "backscroll", place / "backscroll", ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(place, quiet=2)
    return place


def say(text: str) -> None:
    """Tell how far it is, on standard error."""
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", file=sys.stderr, flush=True)


def bench(lab: Lab, only: list[str], network: str) -> Report:
    """Measure every section."""
    begun = time.monotonic()
    machine = _machine() | {"network": network, "load before": _load()}
    report = Report(f"{datetime.now(UTC):%Y-%m-%d}", machine, _versions(lab), _absent(lab.peers), lab.is_quick)
    for section in SECTIONS:
        if only and section.__name__ not in only:
            continue
        say(f"preparing {section.__name__.replace('_', ' ')}")
        made = section(lab)
        part = Part(made.title, made.text)
        report.parts.append(part)
        for task in dict.fromkeys(case.task for case in made.cases):
            part.figures += run_task([case for case in made.cases if case.task == task], lab, begun + 60 * MINUTES)
    report.goals = _goals(report.parts)
    report.machine["load after"] = _load()
    report.seconds = time.monotonic() - begun
    return report


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
                if turn < case.repeats and not figure.failure and (turn == 0 or time.monotonic() < deadline):
                    _run_once(case, figure, lab)
        for case, figure in pairs:
            _try(case.after, figure)
            figures.append(figure)
            say(f"{case.task}: {case.who} {_brief(figure)}")
    return figures


def _try(prepare: Callable[[], object], figure: Figure) -> None:
    try:
        prepare()
    except (OSError, measure.FailedError) as error:
        figure.failure = str(error)[:200]


def _run_once(case: Case, figure: Figure, lab: Lab) -> None:
    _try(case.before, figure)
    env = environment(lab, case.home, case.env)
    try:
        cost = measure.run(case.command, env, timeout=case.timeout, is_reporting=case.is_reporting)
    except measure.FailedError as error:
        figure.failure = str(error)[:200].replace(str(lab.scratch), "…")
        return
    figure.costs.append(cost)
    if cost.is_stopped:
        case.repeats = 0


def _brief(figure: Figure) -> str:
    if not figure.costs:
        return f"failed: {figure.failure}"
    return f"{reports.seconds(figure.cpu)} CPU, {reports.seconds(figure.wall)} wall, {reports.megabytes(figure.peak)}"


def _goals(parts: list[Part]) -> list[Goal]:
    goals = []
    start, bare = (reports.find(parts, "Start", "version", who) for who in (OURS, BARE))
    if start and bare:
        times = start.cpu / bare.cpu
        figure = f"{times:.2f} x ({reports.seconds(start.cpu)} and {reports.seconds(bare.cpu)})"
        goals.append(Goal("`--version` takes at most twice the CPU of bare Python", figure, times <= 2))
    for words in ("list", "list --json", "show ID"):
        for index in ("index up to date", "no index"):
            task = f"{words}, {index}"
            ours, bare = (reports.find(parts, "A small home", task, who) for who in (OURS, BARE))
            if ours and bare:
                more = ours.cpu - bare.cpu
                figure = f"{reports.seconds(more)} more (least: {reports.seconds(ours.least - bare.least)})"
                text = f"`{words}` of a small home ({index}) takes at most 100 ms of CPU more than bare Python"
                goals.append(Goal(text, figure, more <= 0.1))
    for task in ("list, no index", "list, index up to date", "show the largest session"):
        small, large = (reports.find(parts, "Memory", f"{task}, {name}") for name in ("S", "M"))
        if small and large:
            figure = f"{reports.megabytes(small.peak)} at 20 MB, {reports.megabytes(large.peak)} at 300 MB"
            goals.append(Goal(f"Memory of “{task}” stays flat (at most 1.5 x)", figure, large.peak <= 1.5 * small.peak))
    return goals


def _machine() -> dict[str, str]:
    cpu, memory = platform.processor() or platform.machine(), ""
    if sys.platform == "linux":
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), cpu)
        memory = f", {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB of memory"
    system = f"{platform.system()} {platform.release().split('-')[0]}"
    return {"processor": f"{cpu}, {os.cpu_count()} cores{memory}", "system": system}


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f} of {os.cpu_count()} cores"


def _versions(lab: Lab) -> dict[str, str]:
    env = environment(lab, lab.scratch / "empty", lab.env)

    def ask(*command: str | Path) -> str:
        return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout.split()[-1]

    ours = {OURS: ask(lab.program, "--version") + _commit(), "Python": ask(lab.python, "--version")}
    return ours | {peer.name: peer.version for peer in lab.peers.values() if not peer.absent}


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return f" after commit {done.stdout.strip()}" if done.returncode == 0 else ""


def _absent(peers: dict[str, Peer]) -> dict[str, str]:
    return {peer.name: peer.absent for peer in peers.values() if peer.absent}


def _write(report: Report, *, is_whole: bool) -> None:
    suffix = "-quick" if report.is_quick else "" if is_whole else "-part"
    place = RESULTS / f"{report.date}{suffix}.json"
    reports.write(place, reports.dump(report))
    print(f"\nWritten: {place.relative_to(ROOT)}")
    if is_whole:
        _write_page(report)


def _write_page(report: Report) -> None:
    pictures = {}
    for name, (text, drawing) in draw(report).items():
        reports.write(PICTURES / name, drawing)
        pictures[f"pictures/{name}"] = text
    reports.write(PAGE, reports.markdown(report, pictures))
    print(f"Written: {PAGE.relative_to(ROOT)}, {', '.join(pictures)}")


def draw(report: Report) -> dict[str, tuple[str, str]]:
    """Draw the figures that readers ask for first: file name to what it shows and the picture."""
    wanted = {
        "bench-start.svg": ("CPU time of --version", "Start"),
        "bench-list.svg": ("CPU time of a list of sessions, 300 MB", "A large home"),
        "bench-show.svg": ("CPU time to show the largest session", "One large session"),
    }
    drawn = {}
    for name, (title, part_title) in wanted.items():
        part = next((part for part in report.parts if part.title == part_title), None)
        groups = [
            picture.Group(task, [_bar(figure) for figure in figures if figure.costs])
            for task, figures in (part.tasks().items() if part else ())
            if sum(bool(figure.costs) for figure in figures) > 1
        ]
        if groups:
            drawn[name] = (title, picture.draw(title, groups))
    return drawn


def _bar(figure: Figure) -> picture.Bar:
    text = ("> " if figure.is_lower_bound else "") + reports.seconds(figure.cpu)
    return picture.Bar(figure.who, figure.cpu, text, is_ours=figure.who == OURS)


if __name__ == "__main__":
    main()
