"""Charts as SVG files that stand alone: no script, no font, no picture and no address is loaded from anywhere."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from backscroll.safe_text import one_line

_WIDTH = 960
_LEFT, _RIGHT, _TOP, _BOTTOM = 90, 24, 64, 48
_COLUMNS_HEIGHT = 320
_ROW = 26
_NAMES = 260
_LONGEST_NAME, _LONGEST_TITLE = 34, 80
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#333}.title{font-size:18px;font-weight:600}.dim{fill:#777}"
    ".bar{fill:#c96442}.line{fill:none;stroke:#c96442;stroke-width:2}.mark{stroke:#777;stroke-dasharray:4 3}"
    ".axis{stroke:#ddd}.paper{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.dim{fill:#999}.axis{stroke:#444}.paper{fill:#1c1c1c}}"
)


class Item(NamedTuple):
    """One bar: its name, its length, and the words that stand at it."""

    name: str
    value: float
    words: str


def columns(title: str, subtitle: str, items: Sequence[Item]) -> Iterator[str]:
    """Yield a chart of vertical bars, for values over time."""
    greatest = max((item.value for item in items), default=0.0) or 1.0
    room = _WIDTH - _LEFT - _RIGHT
    step = room / max(len(items), 1)
    base = _TOP + _COLUMNS_HEIGHT
    yield from _begin(title, subtitle, base + _BOTTOM)
    for share in (0.5, 1.0):
        y = base - _COLUMNS_HEIGHT * share
        words = next((item.words for item in items if item.value == greatest), "") if share == 1.0 else ""
        yield f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>\n'
        yield _text(_LEFT - 8, y + 4, words, anchor="end", style="dim")
    for number, item in enumerate(items):
        height = _COLUMNS_HEIGHT * item.value / greatest
        x = _LEFT + number * step
        yield (
            f'<rect class="bar" x="{x + step * 0.1:.1f}" y="{base - height:.1f}" width="{max(step * 0.8, 0.5):.1f}"'
            f' height="{height:.1f}"><title>{_safe(f"{item.name}: {item.words}")}</title></rect>\n'
        )
        if number % max(1, len(items) // 10) == 0:
            yield _text(x + step / 2, base + 18, item.name, anchor="middle", style="dim")
    yield "</svg>\n"


def rows(title: str, subtitle: str, items: Sequence[Item]) -> Iterator[str]:
    """Yield a chart of horizontal bars, for named values."""
    greatest = max((item.value for item in items), default=0.0) or 1.0
    room = _WIDTH - _NAMES - _RIGHT - 150
    yield from _begin(title, subtitle, _TOP + _ROW * max(len(items), 1) + _BOTTOM)
    for number, item in enumerate(items):
        y = _TOP + number * _ROW
        width = room * item.value / greatest
        name = item.name if len(item.name) <= _LONGEST_NAME else "…" + item.name[1 - _LONGEST_NAME :]
        yield _text(_NAMES - 10, y + 15, name, anchor="end")
        yield f'<rect class="bar" x="{_NAMES}" y="{y + 3}" width="{max(width, 0.5):.1f}" height="{_ROW - 8}"/>\n'
        yield _text(_NAMES + width + 8, y + 15, item.words, style="dim")
    yield "</svg>\n"


def growth(title: str, subtitle: str, values: Sequence[int], marks: Sequence[int]) -> Iterator[str]:
    """Yield a line chart with marks for events."""
    greatest = max(values, default=0) or 1
    base, room = _TOP + _COLUMNS_HEIGHT, _WIDTH - _LEFT - _RIGHT
    step = room / max(len(values) - 1, 1)
    yield from _begin(title, subtitle, base + _BOTTOM)
    yield f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{base}" y2="{base}"/>\n'
    yield _text(_LEFT - 8, _TOP + 4, f"{greatest:,}", anchor="end", style="dim")
    for number in marks:
        x = _LEFT + number * step
        yield f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{base}"/>\n'
    points = " ".join(
        f"{_LEFT + number * step:.1f},{base - _COLUMNS_HEIGHT * value / greatest:.1f}"
        for number, value in enumerate(values)
    )
    yield f'<polyline class="line" points="{points}"/>\n</svg>\n'


def _begin(title: str, subtitle: str, height: float) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" width="{_WIDTH}"'
        f' height="{height:.0f}" role="img">\n<title>{_safe(title)}</title>\n<style>{_STYLE}</style>\n'
        f'<rect class="paper" width="100%" height="100%"/>\n'
    )
    yield _text(24, 28, title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…", style="title")
    yield _text(24, 48, subtitle, style="dim")


def _text(x: float, y: float, words: str, *, anchor: str = "start", style: str = "") -> str:
    if not words:
        return ""
    named = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{named}>{_safe(words)}</text>\n'


def _safe(words: str) -> str:
    return escape(one_line(words))
