"""The bench measures, makes homes and reports; how long anything takes is not asserted here."""

import importlib
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import backscroll

BENCH = Path(__file__).parent.parent / "bench"
PROGRAM = Path(sys.executable).with_name("backscroll")
STARTS_ANOTHER = """
import subprocess, sys
subprocess.run([sys.executable, "-c", "x = b'x' * 90_000_000; sum(range(5_000_000))"])
"""


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return bench/run.py as a module."""
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module("run")


@pytest.fixture
def corpora(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return bench/corpora.py as a module."""
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module("corpora")


@pytest.fixture
def lab(bench: Any, tmp_path: Path) -> Any:
    """Return a laboratory without peers."""
    for name in ("empty", "tmp", "homes"):
        (tmp_path / name).mkdir()
    return bench.Lab(PROGRAM, tmp_path, {}, is_quick=True)


def measured(bench: Any, code: str, **options: Any) -> Any:
    """Measure a small program."""
    return bench.measure.run([sys.executable, "-c", code], {}, **options)


def figure(bench: Any, who: str, *cpu: float) -> Any:
    """Return made-up figures of a program at a task."""
    costs = [bench.measure.Cost(seconds, 2 * seconds, 30_000_000) for seconds in cpu]
    return bench.Figure("list", who, f"{who} list", costs)


def made_up_report(bench: Any) -> Any:
    """Return a report of two programs at one task."""
    part = bench.Part(
        "Start", "What it costs.", [figure(bench, "backscroll", 0.3, 0.1, 0.2), figure(bench, "other", 4)]
    )
    return bench.Report("2026-11-15", {"system": "one"}, {"backscroll": "1"}, {"third": "not there"}, parts=[part])


def test_all_processes_of_a_program_are_measured(bench: Any) -> None:
    """What a program and the processes it starts cost is counted."""
    alone, with_another = measured(bench, "pass"), measured(bench, STARTS_ANOTHER)

    assert 0 < alone.cpu < with_another.cpu
    assert 0 < alone.wall < with_another.wall
    assert 1_000_000 < alone.peak < 90_000_000 < with_another.peak


def test_a_program_may_measure_itself(bench: Any) -> None:
    """Of a program that measures a part of itself its own account is taken."""
    cost = measured(bench, "print('something'); print(0.25, 0.5)", is_reporting=True)

    assert (0.25, 0.5) == (cost.cpu, cost.wall)


def test_a_program_that_fails_gives_no_figure(bench: Any) -> None:
    """A program that fails is an error with the last thing it said."""
    with pytest.raises(bench.measure.FailedError, match="exit code 3: no such thing"):
        measured(bench, "import sys; sys.stderr.write('no such thing'); sys.exit(3)")


def test_a_program_without_end_is_stopped(bench: Any) -> None:
    """A program that takes too long is stopped, and its time is a lower bound."""
    cost = measured(bench, "import time; time.sleep(60)", timeout=0.2)

    assert cost.is_stopped
    assert 0.2 <= cost.wall < 60


@pytest.mark.parametrize("kind", ["tiny", "own"])
def test_homes_can_be_read(corpora: Any, tmp_path: Path, kind: str) -> None:
    """The homes that the bench makes hold sessions without damage, also after something was appended."""
    home = corpora.Home(kind, tmp_path, "made here")
    if kind == "tiny":
        corpora.write_tiny(home.config, 3)
    else:
        corpora.write_own(home.config, 300_000)
    size = home.sessions[-1].stat().st_size
    corpora.append_kilobyte(home.sessions[-1])
    found = backscroll.list_sessions(tmp_path, limit=None)
    appended = max(found.sessions, key=lambda session: session.updated or datetime.min.replace(tzinfo=UTC))

    assert 1024 == home.sessions[-1].stat().st_size - size
    assert len(home.sessions) == found.total
    assert 0 == sum(session.damage for session in found.sessions)
    assert all(session.messages for session in found.sessions)
    assert 1 == appended.branches


def test_homes_are_the_same_every_time(corpora: Any, tmp_path: Path) -> None:
    """Two homes made by the same rule do not differ."""
    for name in ("one", "other"):
        corpora.write_own(tmp_path / name, 50_000)
    one, other = (sorted((tmp_path / name).rglob("*.jsonl")) for name in ("one", "other"))

    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


def test_a_task_is_run_in_turn(bench: Any, lab: Any) -> None:
    """Every case of a task gets its runs; one that fails keeps the reason and disturbs nobody."""
    home, calls = lab.scratch / "empty", []
    good = importlib.import_module("cases").Case("task", "good", "pass", [sys.executable, "-c", "pass"], home, 2)
    good.before = lambda: calls.append("before")
    bad = importlib.import_module("cases").Case(
        "task", "bad", "exit", [sys.executable, "-c", "raise SystemExit(9)"], home
    )
    done, failed = bench.run_task([good, bad], lab, time.monotonic() + 60)

    assert 2 == len(done.costs) == len(calls)
    assert ("", "exit code 9: ") == (done.failure, failed.failure)
    assert [] == failed.costs


@pytest.mark.slow
def test_everything_is_measured_without_peers(bench: Any, lab: Any) -> None:
    """The sections about small things run to their end without any peer, and every case gives a figure."""
    report = bench.bench(lab, ["start", "small_home"], "none")

    assert ["Start", "A small home"] == [part.title for part in report.parts]
    assert [] == [item.failure for part in report.parts for item in part.figures if not item.costs]
    assert 7 == len(report.goals)


def test_report_survives_storing(bench: Any) -> None:
    """A report that was written as JSON and read back says the same."""
    report = made_up_report(bench)

    assert report == bench.reports.load(bench.reports.dump(report))


def test_page_holds_medians_and_ratios(bench: Any) -> None:
    """The page gives medians, what others need as a ratio to ours, and who is absent."""
    page = bench.reports.markdown(made_up_report(bench), {"pictures/one.svg": "Bars"})

    assert "| backscroll | backscroll list | 200 ms | 100 ms | 400 ms | 30 MB | 3 |  |  |" in page
    assert "| other | other list | 4.00 s | 4.00 s | 8.00 s | 30 MB | 1 | 20 x |  |" in page
    assert "third (not there)" in page
    assert "![Bars](pictures/one.svg)" in page


def test_pictures_need_nothing_else(bench: Any) -> None:
    """Pictures are whole SVG documents without a reference to anything outside of them."""
    ((_, drawing),) = bench.draw(made_up_report(bench)).values()
    elements = list(ET.fromstring(drawing).iter())  # noqa: S314 - our own drawing

    assert {"svg", "rect", "text"} == {element.tag.rpartition("}")[2] for element in elements}
    assert not [name for element in elements for name in element.attrib if "href" in name]
    assert "url(" not in drawing
