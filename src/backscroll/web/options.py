"""The options of a request: parsed by the table of its command; an unknown option is refused."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple

from backscroll.errors import QueryError
from backscroll.times import parse_until, parse_when

Kind = Literal["text", "flag", "number", "since", "until", "numbers"]
Allowed = Mapping[str, Kind]


class WebRequest(NamedTuple):
    """One request: the session or name in its path, and its options."""

    name: str | None
    options: Mapping[str, Any]

    def get(self, option: str, default: Any = None) -> Any:
        """Return an option, or a default."""
        return self.options.get(option, default)

    def some(self, *names: str) -> dict[str, Any]:
        """Return the named options; one that was not given is None."""
        return {name: self.options.get(name) for name in names}


def parse(name: str | None, pairs: Iterable[tuple[str, str]], allowed: Allowed) -> WebRequest:
    """Return a request with values of the right types; QueryError for anything that the table does not allow."""
    found: dict[str, Any] = {}
    for option, text in pairs:
        if option not in allowed:
            known = ", ".join(allowed) or "none"
            raise QueryError("the web page may not pass this option", option, f"Allowed here: {known}.")
        if option in found:
            raise QueryError("this option occurs twice", option)
        if len(text) > 10_000 or "\0" in text:
            raise QueryError("this value is too long, or holds a zero byte", option)
        found[option] = _value(option, text, allowed[option])
    return WebRequest(name, found)


def _value(option: str, text: str, kind: Kind) -> Any:
    if kind == "text":
        return text
    if kind in ("since", "until"):
        return (parse_when if kind == "since" else parse_until)(text, datetime.now().astimezone())
    if kind == "flag":
        if text not in ("0", "1"):
            raise QueryError("a flag is 1 or 0", option)
        return text == "1"
    numbers = [_number(option, piece) for piece in text.split(",")]
    if kind == "number" and len(numbers) == 1:
        return numbers[0]
    if kind == "numbers" and len(numbers) == 2:
        return numbers
    raise QueryError("this option takes one number, or two of them as a,b", option)


def _number(option: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise QueryError("not a number", option)
    return int(text)
