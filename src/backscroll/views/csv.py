"""CSV that a spreadsheet shows and never runs: an apostrophe quotes text that begins like a formula."""

from collections.abc import Iterable, Iterator, Sequence

from backscroll.safe_text import one_line

Cell = str | int | float | None

# Full-width forms run as formulas as well.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_SPECIAL = frozenset('",\r\n')


def lines(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Yield a head and rows in the form of RFC 4180; unknown values are empty."""
    yield _line(head)
    for row in rows:
        yield _line(row)


def _line(cells: Sequence[Cell]) -> str:
    return ",".join(map(_cell, cells)) + "\r\n"


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return repr(value)
    text = ("'" if value.startswith(_FORMULA) else "") + one_line(value)
    text = "'" + text if text.startswith(_FORMULA) else text
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.intersection(text) else text
