"""The colours of pages: every text can be read by WCAG AA, in light and dark."""

import re

import pytest

from backscroll.views.html.page import stylesheet

TEXTS = ("text", "faint", "accent", "danger", "word", "name")
GROUNDS = ("bg", "sunken")
AA = 4.5


def themes() -> dict[str, dict[str, str]]:
    """Return the colours of both themes."""
    light, dark = re.findall(r":root \{(.*?)\}", stylesheet(), re.DOTALL)[:2]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", light))
    return {"light": colours, "dark": colours | dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", dark))}


def brightness(colour: str) -> float:
    """Return the relative luminance of a colour, as WCAG defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours."""
    dark, light = sorted((brightness(one), brightness(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_can_be_read(theme: str) -> None:
    """Each colour of text has a contrast of 4.5 on each ground, and plain text on marks and diffs too."""
    colours = themes()[theme]
    pairs = [(text, ground) for text in TEXTS for ground in GROUNDS]
    pairs += [("text", ground) for ground in ("mark", "add", "del")] + [("faint", "add"), ("faint", "del")]

    assert {} == {
        pair: round(ratio, 2) for pair in pairs if (ratio := contrast(colours[pair[0]], colours[pair[1]])) < AA
    }


def test_print_shows_folded_parts_and_wraps_long_lines() -> None:
    """On paper nothing is behind a fold or a scroll bar."""
    printed = stylesheet().partition("@media print")[2]

    assert "details::details-content { content-visibility: visible" in printed
    assert "white-space: pre-wrap" in printed
    assert ".unmatched { display: block }" in printed


def test_paper_is_white_and_never_dark() -> None:
    """The dark colours are those of screens, and the ground of paper is white."""
    assert "@media (prefers-color-scheme: dark)" not in stylesheet()
    assert "@media screen and (prefers-color-scheme: dark)" in stylesheet()
    assert ":root { --bg: #fff }" in stylesheet().partition("@media print")[2]
