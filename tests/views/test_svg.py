"""Charts as SVG: well-formed, alone, and safe with any name."""

import re
from xml.etree import ElementTree as ET

import pytest

from backscroll.views import svg
from backscroll.views.svg import Item

HOSTILE = '</text><script>alert(1)</script>"\x1b[31m&\u202e'


def charts(name: str) -> dict[str, str]:
    """Return one chart of each kind, with a name in all places that take one."""
    items = [Item(name, 3.0, "$3"), Item("b", 0.0, ""), Item("c" * 90, 1.5, name)]
    made = {
        "columns": svg.columns(name, name, items),
        "rows": svg.rows(name, name, items),
        "growth": svg.growth(name, name, [1, 5, 3], [2]),
        "empty columns": svg.columns(name, name, []),
        "empty rows": svg.rows(name, name, []),
        "empty growth": svg.growth(name, name, [], []),
    }
    return {kind: "".join(pieces) for kind, pieces in made.items()}


@pytest.mark.parametrize("kind", charts("a"))
@pytest.mark.parametrize("name", ["Usage", HOSTILE])
def test_charts_are_well_formed(kind: str, name: str) -> None:
    """Whatever a name holds, a chart is XML without scripts."""
    root = ET.fromstring(charts(name)[kind])  # noqa: S314 - our own output

    assert "{http://www.w3.org/2000/svg}svg" == root.tag
    assert {"svg", "title", "style", "rect", "text", "line", "polyline"} >= {
        element.tag.rpartition("}")[2] for element in root.iter()
    }


@pytest.mark.parametrize("kind", charts("a"))
def test_charts_call_nowhere(kind: str) -> None:
    """A chart loads nothing and links nowhere; the name of SVG itself is all it may say."""
    text = charts(HOSTILE)[kind].replace('xmlns="http://www.w3.org/2000/svg"', "")

    assert [] == re.findall(r"https?:|//|<script|<image|@import|@font-face|url\(|href", text)


def test_bars_are_as_long_as_their_values() -> None:
    """The greatest value has the longest bar, half of it half as much."""
    text = charts("a")["rows"]
    widths = [float(width) for width in re.findall(r'class="bar"[^>]* width="([\d.]+)"', text)]

    assert widths[2] == pytest.approx(widths[0] / 2)
    assert 0 < widths[1] < 1


def test_compactions_are_marked() -> None:
    """A line has a mark wherever something happened."""
    assert 1 == charts("a")["growth"].count('class="mark"')
