"""Say what was measured: a table for the terminal, a page of Markdown, the figures as JSON that both are made from.

`bench/figures.json` keeps every section as it was last measured, with the day, the machine and the programs.  So a
section that takes long need not be measured each time, and one that was disturbed can be measured again alone.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path

from measure import Cost, Figure

OURS = "backscroll"
BARE = "bare Python"
FLOOR = "reading all bytes"
QUIET = 0.2
"""So many cores may be busy with something else before wall times mean little."""


@dataclass(slots=True)
class Part:
    """The figures of one section, and when and where they were taken."""

    name: str
    title: str
    text: str
    columns: list[str]
    figures: list[Figure] = field(default_factory=list)
    taken: dict[str, str] = field(default_factory=dict)
    """The day, the machine and how busy others kept it."""
    versions: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    def tasks(self) -> dict[str, list[Figure]]:
        """Return the figures by task, in the order of their first appearance, ours first."""
        tasks: dict[str, list[Figure]] = {}
        for figure in self.figures:
            tasks.setdefault(figure.task, []).append(figure)
        return {task: sorted(figures, key=lambda figure: figure.who != OURS) for task, figures in tasks.items()}

    def find(self, task: str, who: str = OURS) -> Figure | None:
        """Return the first figure that came to something, of a task that begins so."""
        found = (item for item in self.figures if item.who == who and item.task.startswith(task) and item.costs)
        return next(found, None)


@dataclass(slots=True)
class Goal:
    """Something we want to reach, and what was measured."""

    text: str
    figure: str
    is_met: bool
    why: str = ""
    """Why it is not met."""


def dump(parts: Iterable[Part]) -> str:
    """Return parts as JSON, a line for each figure."""
    return "[\n" + ",\n".join(_dump_part(part) for part in parts) + "\n]\n"


def _dump_part(part: Part) -> str:
    head = json.dumps({name: value for name, value in asdict(part).items() if name != "figures"}, ensure_ascii=False)
    lines = (json.dumps(_plain(figure), ensure_ascii=False) for figure in part.figures)
    return head[:-1] + ', "figures": [\n ' + ",\n ".join(lines) + "\n]}"


def _plain(figure: Figure) -> dict[str, object]:
    costs = [[_short(value) for value in astuple(cost)] for cost in figure.costs]
    return {name: value for name, value in (asdict(figure) | {"costs": costs}).items() if value}


def _short(value: float | None) -> float | None:
    return round(value, 5) if isinstance(value, float) else value


def load(text: str) -> list[Part]:
    """Read parts back."""
    return [Part(**(part | {"figures": [_figure(item) for item in part["figures"]]})) for part in json.loads(text)]


def _figure(value: dict[str, object]) -> Figure:
    costs = [Cost(*cost) for cost in value.pop("costs", [])]  # type: ignore[attr-defined]
    return Figure(**value, costs=costs)  # type: ignore[arg-type]


# Cells


def seconds(value: float) -> str:
    """Write a time so that it has two or three digits that mean something."""
    if value < 0.01:
        return f"{value * 1000:.1f} ms"
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s" if value < 10 else f"{value:.0f} s"


def megabytes(value: float) -> str:
    """Write an amount of memory."""
    return f"{value / 1e6:.0f} MB"


def times(value: float) -> str:
    """Write a ratio."""
    if value < 0.01:
        return "< 0.01 x"
    return f"{value:.2f} x" if value < 1 else f"{value:.1f} x" if value < 10 else f"{value:,.0f} x"


def number(value: float | str) -> str:
    """Write a fact."""
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def to_other(figure: Figure, figures: list[Figure], who: str) -> str:
    """Write how many times the CPU of another program a program takes."""
    other = next((item for item in figures if item.who == who and item.is_timed), None)
    if other is None or figure is other or not figure.is_timed or other.cpu == 0:
        return ""
    return _more(figure) + times(figure.cpu / other.cpu)


def _more(figure: Figure) -> str:
    return "> " if figure.is_lower_bound else ""


def _note(figure: Figure) -> str:
    stopped = "stopped, took too long" if figure.is_lower_bound else ""
    return "; ".join(filter(None, (figure.note, figure.failure, stopped)))


def _timed(write: Callable[[Figure], float]) -> Callable[[Figure, list[Figure]], str]:
    return lambda figure, _: _more(figure) + seconds(write(figure)) if figure.is_timed else ""


def _walled(write: Callable[[Figure], float]) -> Callable[[Figure, list[Figure]], str]:
    return lambda figure, _: _more(figure) + seconds(write(figure)) if figure.costs else ""


COLUMNS: dict[str, Callable[[Figure, list[Figure]], str]] = {
    "program": lambda figure, _: figure.who,
    "CPU": _timed(lambda figure: figure.cpu),
    "least CPU": _timed(lambda figure: figure.least),
    "CPU p50": _timed(lambda figure: figure.cpu),
    "CPU p99": _timed(lambda figure: figure.worst("cpu")),
    "wall": _walled(lambda figure: figure.wall),
    "wall p50": _walled(lambda figure: figure.wall),
    "wall p95": _walled(lambda figure: figure.worst("wall", 0.95)),
    "wall p99": _walled(lambda figure: figure.worst("wall")),
    "peak memory": lambda figure, _: megabytes(figure.highest) if figure.costs and figure.highest else "",
    "anonymous": lambda figure, _: megabytes(figure.anonymous) if figure.costs and figure.anonymous else "",
    "runs": lambda figure, _: str(len(figure.costs)),
    "CPU to ours": lambda figure, figures: to_other(figure, figures, OURS),
    "CPU to a read": lambda figure, figures: to_other(figure, figures, FLOOR),
    "command": lambda figure, _: f"`{figure.how}`",
    "note": lambda figure, _: _note(figure),
}
"""What a column shows of a figure, among the figures of its task; any other heading is one of its facts."""
COSTS = ("program", "CPU", "least CPU", "wall", "peak memory", "runs", "CPU to ours", "command", "note")
SPREAD = ("program", "CPU p50", "CPU p99", "wall p50", "wall p99", "runs", "peak memory", "command", "note")


def cell(figure: Figure, figures: list[Figure], heading: str) -> str:
    """Return what stands below a heading."""
    if heading in COLUMNS:
        return COLUMNS[heading](figure, figures)
    return number(figure.facts.get(heading, ""))


def rows(part: Part) -> Iterator[list[str]]:
    """Yield the rows of a part's table: the task, where it is a new one, and the cells."""
    for task, figures in part.tasks().items():
        for figure in figures:
            yield ["" if figure is not figures[0] else task, *(cell(figure, figures, name) for name in part.columns)]


# Terminal


def terminal(parts: list[Part], goals: list[Goal]) -> Iterator[str]:
    """Yield the lines of the tables for a terminal."""
    for part in parts:
        yield from ("", f"{part.title}: {part.text}")
        table = [["", *part.columns], *rows(part)]
        kept = [place for place in range(1, len(table[0])) if table[0][place] != "command"]
        widths = {place: max(len(row[place]) for row in table) for place in kept}
        for row in table:
            if row[0]:
                yield f"  {row[0]}"
            yield "    " + "  ".join(row[place].ljust(widths[place]) for place in kept).rstrip()
    yield ""
    for goal in goals:
        yield f"{'met' if goal.is_met else 'NOT'}  {goal.text}: {goal.figure}"
    for name, why in _absent(parts).items():
        yield f"absent: {name}, {why}"


def _absent(parts: list[Part]) -> dict[str, str]:
    """Return the programs that are in no part."""
    there = {name for part in parts for name in part.versions}
    return {name: why for part in parts for name, why in part.absent.items() if name not in there}


# Page


def markdown(parts: list[Part], goals: list[Goal], pictures: dict[str, str]) -> str:
    """Return the page; `pictures` are the file names, relative to it, with what they show."""
    newest = max(parts, key=lambda part: part.taken["when"])
    shown = {name: value for name, value in newest.taken.items() if name in {"processor", "system", "network"}}
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench` (bench/run.py) from bench/figures.json; do not edit.",
        "[bench/README.md](../bench/README.md) tells how to repeat it.",
        "",
        "## Goals",
        "",
        *_table(
            ["goal", "measured", "met"],
            [[g.text, g.figure, "yes" if g.is_met else ": ".join(filter(None, ("no", g.why)))] for g in goals],
        ),
        "",
    ]
    for name, text in pictures.items():
        lines += [f"![{text}]({name})", ""]
    lines += ["## How it is measured", "", *HOW_TO_READ, ""]
    lines += [*_table(["machine", ""], [[name, value] for name, value in shown.items()]), ""]
    versions = {name: value for part in parts for name, value in part.versions.items() if name != OURS}
    lines += [*_table(["program", "version"], [[name, value] for name, value in versions.items()]), ""]
    if absent := _absent(parts):
        lines += [
            "Absent, and so not compared: " + "; ".join(f"{who} ({why})" for who, why in absent.items()) + ".",
            "",
        ]
    for part in parts:
        lines += [f"## {part.title}", "", *part.text.split("\n"), _taken(part, shown, newest.versions[OURS]), ""]
        lines += [*_table(["", *part.columns], list(rows(part))), ""]
    return "\n".join(lines).rstrip() + "\n"


def _named(absent: dict[str, str], why: str) -> list[str]:
    return [name for name, reason in absent.items() if reason == why]


def _taken(part: Part, machine: dict[str, str], version: str) -> str:
    """Say when a part was measured, with what, and how quiet the machine was."""
    taken = part.taken
    elsewhere = [taken[name] for name in machine if taken[name] != machine[name]]
    where = f"\nAnother machine than above: {', '.join(elsewhere)}." if elsewhere else ""
    busy = "\nSo its wall times mean little." if float(taken["others"].split()[0]) > QUIET else ""
    older = "\nAn earlier version than that of the newest section." if part.versions[OURS] != version else ""
    reasons = dict.fromkeys(part.absent.values())
    absent = "".join(f"\nWithout {', '.join(_named(part.absent, why))}: {why}." for why in reasons)
    return (
        f"Taken {taken['when']} in {taken['minutes']} minutes with backscroll {part.versions[OURS]}, "
        f"while everything else on the machine used {taken['others']}.{busy}{where}{older}{absent}"
    )


HOW_TO_READ = (
    "CPU is user and system time of a program and of all processes that it starts or leaves running.",
    "CPU and wall are medians of the given number of runs, “least CPU” is the least of them.",
    "p50 and p99 are what 50 and 99 of 100 runs kept to; of fewer than 100 runs, p99 is the worst.",
    "The programs of one task run in turn.",
    "Peak memory is the largest sum over a program's processes at one moment, the highest of all runs.",
    "9 MB of memory and less cannot be told apart.",
    "“CPU to ours” is a program's CPU time divided by ours: above 1 it needs more than we do.",
    "All files are in the system's cache, and no program sees the user's own home.",
    "Programs do not all do the same: the notes say what is left out.",
    "Wall times suffer from whatever else the machine does, CPU times less; each section says how much that was.",
)


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
