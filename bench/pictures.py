"""The pictures of the page: which figures are drawn, and as what."""

from collections.abc import Callable
from dataclasses import dataclass

import bars
from measure import Figure
from report import OURS, Part, number, seconds


@dataclass(slots=True)
class Drawing:
    """A picture of one value of some sections, a group of bars for each task."""

    title: str
    parts: tuple[str, ...]
    value: Callable[[Figure], float | None]
    write: Callable[[float], str] = seconds


def _cpu(figure: Figure) -> float | None:
    return figure.cpu if figure.is_timed else None


def _fact(name: str) -> Callable[[Figure], float | None]:
    return lambda figure: figure.facts.get(name)  # type: ignore[return-value]


DRAWINGS = {
    "bench-start.svg": Drawing("CPU time of --version", ("start",), _cpu),
    "bench-list.svg": Drawing("CPU time of a list of sessions, 300 MB", ("large_home",), _cpu),
    "bench-show.svg": Drawing("CPU time to show the largest session", ("one_session",), _cpu),
    "bench-index.svg": Drawing(
        "First index: MB of transcripts a second",
        ("first_index_M", "first_index_L"),
        _fact("MB/s"),
        lambda n: f"{n:,.1f}",
    ),
    "bench-search-shell.svg": Drawing(
        "Search from the shell: median of CPU time", ("search_cold_M", "search_cold_L"), _cpu
    ),
    "bench-search.svg": Drawing(
        "Search in a running program: 99 of 100 take at most",
        ("search_warm_M", "search_warm_L"),
        lambda figure: figure.worst("wall"),
    ),
    "bench-recovery.svg": Drawing("Recovery: files with the right content", ("recovery",), _fact("right"), number),
}


def draw(parts: list[Part]) -> dict[str, tuple[str, str]]:
    """Draw the figures that readers ask for first: file name to what it shows and the picture."""
    drawn = {}
    for name, drawing in DRAWINGS.items():
        groups = [group for part in parts if part.name in drawing.parts for group in _groups(part, drawing)]
        if groups:
            drawn[name] = (drawing.title, bars.draw(drawing.title, groups))
    return drawn


def _groups(part: Part, drawing: Drawing) -> list[bars.Group]:
    """Return the tasks of a part at which there is something to compare."""
    size = part.title.partition(", ")[2] if len(drawing.parts) > 1 else ""
    groups = []
    for task, figures in part.tasks().items():
        values = [(figure, drawing.value(figure)) for figure in figures if figure.costs]
        drawn = [_bar(figure, value, drawing) for figure, value in values if value is not None]
        if len(drawn) > 1:
            groups.append(bars.Group(", ".join(filter(None, (task, size))), drawn))
    return groups


def _bar(figure: Figure, value: float, drawing: Drawing) -> bars.Bar:
    text = ("> " if figure.is_lower_bound else "") + drawing.write(value)
    return bars.Bar(figure.who, value, text, is_ours=figure.who == OURS)
