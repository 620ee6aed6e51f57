"""The public names: values are real dataclasses with exact types, and functions take what the commands take."""

import dataclasses
import inspect
import typing
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import backscroll
from backscroll.demo.home import write_demo_home

VALUES = [
    value
    for name in backscroll.__all__
    if isinstance(value := getattr(backscroll, name), type)
    and not issubclass(value, Exception | dict | Enum)
    and value not in {backscroll.Library, backscroll.SearchFunction}
]

PUBLIC_TYPES = [name for name in backscroll.__all__ if isinstance(getattr(backscroll, name), type)]


def types_in(hint: Any) -> list[Any]:
    """Return a type and all types that it is made of."""
    return [hint, *(inner for part in typing.get_args(hint) for inner in types_in(part))]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.__name__)
def test_public_values_are_dataclasses(value: type) -> None:
    """Each public value is a slotted dataclass, and no field of it has the type Any."""
    hints = typing.get_type_hints(value)

    assert dataclasses.is_dataclass(value)
    assert "__slots__" in vars(value)
    assert [] == [field.name for field in dataclasses.fields(value) if Any in types_in(hints[field.name])]


def public_callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public function, and every method of every public class."""
    for name in backscroll.__all__:
        value = getattr(backscroll, name)
        if isinstance(value, type):
            found = inspect.getmembers_static(value)
            members = ((member, item.fget if isinstance(item, property) else item) for member, item in found)
            yield from ((f"{name}.{member}", item) for member, item in members if inspect.isfunction(item))
        elif callable(value):
            yield name, value


CALLABLES = {name: value for name, value in public_callables() if "._" not in name}
FUNCTIONS = {name: value for name, value in CALLABLES.items() if "." not in name}


@pytest.mark.parametrize("name", CALLABLES)
def test_types_of_arguments_can_be_read(name: str) -> None:
    """A program can read the type of each argument and result; none is Any, and every result has one."""
    hints = typing.get_type_hints(CALLABLES[name])

    assert "return" in hints
    assert [] == [argument for argument, hint in hints.items() if Any in types_in(hint)]


@pytest.mark.parametrize("value", [*VALUES, *FUNCTIONS.values()], ids=lambda value: str(value.__name__))
def test_types_in_public_types_are_public(value: Callable[..., Any]) -> None:
    """A program can import the name of each class of ours that it gets from a function or a value."""
    parts = [part for hint in typing.get_type_hints(value).values() for part in types_in(hint)]
    ours = {part for part in parts if isinstance(part, type) and part.__module__.startswith("backscroll")}

    assert set() == ours - {getattr(backscroll, name) for name in PUBLIC_TYPES}


def test_a_session_is_taken_apart_and_copied(tmp_path: Path) -> None:
    """`asdict`, `replace` and `fields` work on the values that a command returns."""
    session = backscroll.list_sessions(write_demo_home(tmp_path)).sessions[0]

    assert session.usage.input == dataclasses.asdict(session)["usage"]["input"]
    assert ("other", session.title) == (dataclasses.replace(session, title="other").title, session.title)
    assert "title" in [field.name for field in dataclasses.fields(session)]


def test_a_place_can_be_in_a_set() -> None:
    """A frozen value is compared by its fields and cannot be changed."""
    place = backscroll.Place("a", 1)

    assert 1 == len({place, backscroll.Place("a", 1)})
    with pytest.raises(dataclasses.FrozenInstanceError):
        place.line = 2  # type: ignore[misc]


def test_times_may_be_texts(tmp_path: Path) -> None:
    """`since` and `until` take the texts that --since takes, and moments."""
    root = write_demo_home(tmp_path)
    total = backscroll.list_sessions(root, since=datetime(2001, 1, 1, tzinfo=UTC)).total
    newest = backscroll.list_sessions(root, limit=1).sessions[0].updated

    assert newest is not None
    assert total == backscroll.list_sessions(root, since="2001-01").total
    assert 0 == backscroll.list_sessions(root, until="2001-01").total
    assert 0 == backscroll.list_sessions(root, since=newest + timedelta(seconds=1)).total
    assert 0 == backscroll.search("the", root, until="2001-01-01").total
    assert [] == backscroll.usage(root, until="2001-01-01").rows


@pytest.mark.parametrize("when", ["soon", "", 5])
def test_a_text_that_is_no_time_is_refused(when: str, tmp_path: Path) -> None:
    """Anything else is an error that says which times are understood."""
    with pytest.raises(backscroll.QueryError) as caught:
        backscroll.list_sessions(tmp_path, since=when)

    assert "yesterday" in str(caught.value.remedy)


def test_a_moment_of_another_zone(tmp_path: Path) -> None:
    """Moments with a zone count as they are."""
    now = datetime.now(UTC)

    assert 0 == backscroll.list_sessions(tmp_path, since=now.astimezone()).total
