"""Values: fields by place and by name, defaults, comparison, frozen ones."""

import pickle

import pytest

from backscroll.value import Value, field


class Point(Value):
    """Two fields with a default, one of them made."""

    x: int
    y: int = 2
    marks: list[str] = field(default_factory=list)


class Named(Point):
    """A value that adds to another."""

    name: str = ""


class Fixed(Value, frozen=True):
    """A value that stays as it is."""

    x: int
    y: int = 2


def test_fields_are_given_by_place_and_by_name() -> None:
    """A value takes its fields in the order of their annotations, those of its base first."""
    assert Point(1, y=3) == Point(x=1, y=3, marks=[])
    assert Named(1, 2, [], "a").name == "a"


def test_a_made_default_is_new_for_each_value() -> None:
    """Two values never share one list."""
    first, second = Point(1), Point(1)
    first.marks.append("a")
    assert second.marks == []


@pytest.mark.parametrize(
    "args, named, says",
    [
        ((), {}, "missing ['x']"),
        ((1,), {"z": 1}, "unknown ['z']"),
        ((1,), {"x": 1}, "twice ['x']"),
        ((1, 2, [], 4), {}, "3 fields: 4 given"),
    ],
)
def test_wrong_fields_are_named(args: tuple[object, ...], named: dict[str, object], says: str) -> None:
    """Whoever forgets, invents or repeats a field is told which."""
    with pytest.raises(TypeError, match="Point takes") as raised:
        Point(*args, **named)  # type: ignore[arg-type]
    assert says in str(raised.value)


def test_values_are_compared_by_kind_and_fields() -> None:
    """Equal fields of another class are another value."""
    assert Point(1) != Point(2)
    assert Fixed(1) != Point(1)
    assert repr(Point(1)) == "Point(x=1, y=2, marks=[])"


def test_a_copy_may_differ_in_some_fields() -> None:
    """`changed` leaves the original alone."""
    fixed = Fixed(1)
    assert fixed.changed(y=5) == Fixed(1, 5)
    assert fixed.y == 2


def test_a_frozen_value_cannot_be_changed_and_fits_a_set() -> None:
    """What is frozen may be a key; what is not may not."""
    fixed = Fixed(1)
    with pytest.raises(AttributeError, match="Fixed is frozen: x"):
        fixed.x = 3  # type: ignore[misc]
    assert len({Fixed(1), Fixed(1), Fixed(2)}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1))


def test_a_value_crosses_processes() -> None:
    """Workers hand values over by pickle, frozen ones too."""
    assert pickle.loads(pickle.dumps(Fixed(1))) == Fixed(1)  # noqa: S301  (our own bytes)
