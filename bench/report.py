"""Say what was measured: a table for the terminal, a page of Markdown, JSON to compare with later.

Everything here works on a `Report`, which `load` reads back from JSON.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from measure import Cost, Figure

OURS = "backscroll"


@dataclass(slots=True)
class Part:
    """The figures of one section."""

    title: str
    text: str
    figures: list[Figure] = field(default_factory=list)

    def tasks(self) -> dict[str, list[Figure]]:
        """Return the figures by task, in the order of their first appearance."""
        tasks: dict[str, list[Figure]] = {}
        for figure in self.figures:
            tasks.setdefault(figure.task, []).append(figure)
        return tasks


@dataclass(slots=True)
class Goal:
    """Something we want to reach, and what was measured."""

    text: str
    figure: str
    is_met: bool


@dataclass(slots=True)
class Report:
    """One run of the bench."""

    date: str
    machine: dict[str, str]
    versions: dict[str, str]
    absent: dict[str, str]
    is_quick: bool = False
    parts: list[Part] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    seconds: float = 0


def dump(report: Report) -> str:
    """Return a report as JSON."""
    return json.dumps(asdict(report), indent=1) + "\n"


def load(text: str) -> Report:
    """Read a report back."""
    value = json.loads(text)
    value["goals"] = [Goal(**goal) for goal in value["goals"]]
    value["parts"] = [
        Part(part["title"], part["text"], [_figure(item) for item in part["figures"]]) for part in value["parts"]
    ]
    return Report(**value)


def _figure(value: dict[str, object]) -> Figure:
    costs = [Cost(**cost) for cost in value.pop("costs")]  # type: ignore[attr-defined]
    return Figure(**value, costs=costs)  # type: ignore[arg-type]


def find(parts: Iterable[Part], title: str, task: str, who: str = OURS) -> Figure | None:
    """Return one figure that came to something."""
    return next(
        (
            figure
            for part in parts
            if part.title == title
            for figure in part.figures
            if figure.who == who and figure.task.startswith(task) and figure.costs
        ),
        None,
    )


def seconds(value: float) -> str:
    """Write a time so that it has two or three digits that mean something."""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s" if value < 10 else f"{value:.0f} s"


def megabytes(value: float) -> str:
    """Write an amount of memory."""
    return f"{value / 1e6:.0f} MB"


def ratio(figure: Figure, ours: Figure | None) -> str:
    """Write how many times our CPU time a program takes."""
    if ours is None or not ours.costs or not figure.costs or figure is ours or ours.cpu == 0:
        return ""
    value = figure.cpu / ours.cpu
    text = f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:.0f}"
    return f"{'> ' if figure.is_lower_bound else ''}{text} x"


def row(figure: Figure, ours: Figure | None) -> list[str]:
    """Return the cells of one figure: program, command, CPU, its least, wall, peak, runs, ratio, note."""
    if not figure.costs:
        return [figure.who, figure.how, "", "", "", "", "0", "", figure.failure]
    more = "> " if figure.is_lower_bound else ""
    note = "; ".join(filter(None, (figure.note, figure.failure, "stopped, took too long" if more else "")))
    return [
        figure.who,
        figure.how,
        more + seconds(figure.cpu),
        more + seconds(figure.least),
        more + seconds(figure.wall),
        megabytes(figure.peak) if figure.peak else "",
        str(len(figure.costs)),
        ratio(figure, ours),
        note,
    ]


HEADINGS = ["program", "command", "CPU", "least", "wall", "peak memory", "runs", "CPU to ours", "note"]


def rows(figures: list[Figure]) -> list[list[str]]:
    """Return the rows of one task, ours first."""
    ours = next((figure for figure in figures if figure.who == OURS), None)
    return [row(figure, ours) for figure in sorted(figures, key=lambda figure: figure is not ours)]


def terminal(report: Report) -> Iterator[str]:
    """Yield the lines of the table for a terminal."""
    for part in report.parts:
        yield ""
        yield f"{part.title}: {part.text}"
        for task, figures in part.tasks().items():
            yield f"  {task}"
            for who, _, cpu, least, wall, peak, runs, times, note in rows(figures):
                figures_of_one = f"{cpu:>9} CPU ({least:>9}) {wall:>9} wall {peak:>8}  {runs:>2} runs  {times:>8}"
                yield f"    {who:18} {figures_of_one}  {note}".rstrip()
    yield ""
    for goal in report.goals:
        yield f"{'met ' if goal.is_met else 'NOT '}  {goal.text}: {goal.figure}"
    for name, why in report.absent.items():
        yield f"absent: {name}, {why}"


def markdown(report: Report, pictures: dict[str, str]) -> str:
    """Return the page; `pictures` are the file names, relative to it, with what they show."""
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench` (bench/run.py); do not edit.",
        "Repeat it with `make bench`, or on a small home only with `.venv/bin/python bench/run.py --quick`.",
        "",
        f"Measured on {report.date}, in {report.seconds / 60:.0f} minutes.",
        "",
        *_table(["machine", ""], [[name, value] for name, value in report.machine.items()]),
        "",
        *_table(["program", "version"], [[name, value] for name, value in report.versions.items()]),
        "",
    ]
    if report.absent:
        lines += [
            "Absent, and so not compared: " + "; ".join(f"{name} ({why})" for name, why in report.absent.items()) + ".",
            "",
        ]
    lines += _how_to_read()
    lines += [
        "## Goals",
        "",
        *_table(["goal", "measured", "met"], [[g.text, g.figure, "yes" if g.is_met else "no"] for g in report.goals]),
        "",
    ]
    for name, text in pictures.items():
        lines += [f"![{text}]({name})", ""]
    for part in report.parts:
        lines += [f"## {part.title}", "", part.text, ""]
        for task, figures in part.tasks().items():
            lines += [f"### {task}", "", *_table(HEADINGS, rows(figures)), ""]
    return "\n".join(lines).rstrip() + "\n"


def _how_to_read() -> list[str]:
    return [
        "CPU is user and system time of a program and of all processes that it starts or leaves running.",
        "Figures are medians of the given number of runs, “least” is the least CPU time of them.",
        "The programs of one task run in turn.",
        "Peak memory is the largest sum over a program's processes; 9 MB and less cannot be told apart.",
        "“CPU to ours” is a program's CPU time divided by ours: above 1 it needs more than we do.",
        "All files are in the system's cache, and no program sees the user's own home.",
        "Programs do not all do the same: the notes say what is left out.",
        "Wall times suffer from whatever else the machine does, CPU times less.",
        "",
    ]


def _table(headings: list[str], cells: list[list[str]]) -> list[str]:
    return [
        _line(headings),
        _line(["---"] * len(headings)),
        *(_line(row) for row in cells),
    ]


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def write(path: Path, text: str) -> None:
    """Write a file and the directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
