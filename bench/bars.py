"""Bars as plain SVG: no font or picture from anywhere else, readable on light and dark pages."""

from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, LABELS, VALUES = 760, 200, 130
BAR, GAP, HEAD = 18, 8, 34
STYLE = """<style>
.paper { fill: #fff } .ink { fill: #24292f } .pale { fill: #57606a } .ours { fill: #0969da } .theirs { fill: #afb8c1 }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117 } .ink { fill: #e6edf3 } .pale { fill: #9198a1 }
.ours { fill: #4493f8 } .theirs { fill: #656c76 }
}
</style>"""


@dataclass(slots=True)
class Bar:
    """One bar: its label, how long it is, what is written at its end."""

    label: str
    value: float
    text: str
    is_ours: bool = False


@dataclass(slots=True)
class Group:
    """Bars of one scale below a heading."""

    title: str
    bars: list[Bar]


def draw(title: str, groups: list[Group]) -> str:
    """Return a picture of some groups of bars, each group to its own scale."""
    parts, y = [_text(12, 24, title, 15, "ink", bold=True)], HEAD + 6
    for group in groups:
        parts.append(_text(12, y + 15, group.title, 12, "pale"))
        y += 24
        longest = max((bar.value for bar in group.bars), default=0) or 1
        for bar in group.bars:
            parts += _bar(bar, y, longest)
            y += BAR + GAP
        y += 10
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif">'
    )
    paper = f'<rect width="{WIDTH}" height="{y}" class="paper"/>'
    return "\n".join([head, STYLE, paper, *parts, "</svg>"]) + "\n"


def _bar(bar: Bar, y: int, longest: float) -> list[str]:
    length = max(round((WIDTH - LABELS - VALUES) * bar.value / longest, 1), 1.5)
    colour = "ours" if bar.is_ours else "theirs"
    return [
        _text(LABELS - 10, y + 14, bar.label, 13, "ink", anchor="end", bold=bar.is_ours),
        f'<rect x="{LABELS}" y="{y}" width="{length}" height="{BAR}" rx="2" class="{colour}"/>',
        _text(LABELS + length + 8, y + 14, bar.text, 13, "ink"),
    ]


def _text(x: float, y: float, text: str, size: int, colour: str, *, anchor: str = "start", bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" class="{colour}" text-anchor="{anchor}"{weight}>'
        f"{escape(text)}</text>"
    )
