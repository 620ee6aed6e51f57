"""Values: fields by place and by name, defaults, comparison, frozen ones."""

import pickle
import typing
from typing import Any

import pytest

from backscroll.value import WORTH_CODE, NamedTuple, Value, field


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


class Theirs(typing.NamedTuple):
    """A named tuple of Python's."""

    name: str
    size: int = 1
    tags: tuple[str, ...] = ()

    @property
    def double(self) -> int:
        """Twice the size."""
        return 2 * self.size


class Ours(NamedTuple):
    """The same of ours."""

    name: str
    size: int = 1
    tags: tuple[str, ...] = ()

    @property
    def double(self) -> int:
        """Twice the size."""
        return 2 * self.size


@pytest.mark.parametrize(
    "args, named",
    [
        (("a",), {}),
        (("a", 2), {}),
        (("a", 2, ("x",)), {}),
        ((), {"name": "a", "tags": ("y",)}),
        (("a",), {"size": 3}),
        ((), {}),
        (("a", 2, (), 4), {}),
        (("a",), {"name": "b"}),
        (("a",), {"colour": "red"}),
    ],
)
def test_a_named_tuple_is_made_as_pythons(args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Fields by place, by name and by default; too many, too few and unknown ones are refused."""
    try:
        theirs = Theirs(*args, **named)
    except TypeError:
        with pytest.raises(TypeError, match="Ours takes"):
            Ours(*args, **named)
        return
    ours = Ours(*args, **named)

    assert tuple(theirs) == ours
    assert (theirs.name, theirs.size, theirs.tags, theirs.double) == (ours.name, ours.size, ours.tags, ours.double)
    assert repr(theirs).replace("Theirs", "Ours") == repr(ours)
    assert theirs._asdict() == ours._asdict()
    assert tuple(theirs._replace(size=9)) == ours._replace(size=9)
    assert tuple(Theirs._make(theirs)) == Ours._make(ours)
    assert ours == pickle.loads(pickle.dumps(ours))  # noqa: S301 - our own
    assert type(ours) is type(pickle.loads(pickle.dumps(ours)))  # noqa: S301 - our own


def test_a_named_tuple_that_is_made_often_is_the_same() -> None:
    """When a function is compiled for it, nothing changes but the time that it takes."""

    class Often(NamedTuple):
        name: str
        size: int = 1
        tags: tuple[str, ...] = ()

    made = [Often("a", tags=("x",)) for _ in range(3 * WORTH_CODE)]

    assert "__new__" in Often.__dict__
    assert {("a", 1, ("x",))} == {tuple(item) for item in made}
    assert {Often} == {type(item) for item in made}
    assert ("b", 1, ()) == Often("b") == Often._make(["b", 1, ()]) == Often("a")._replace(name="b")
    for args, named in (((), {}), (("a", 2, (), 4), {}), (("a",), {"colour": "red"})):
        with pytest.raises(TypeError):
            Often(*args, **named)  # type: ignore[arg-type]


def test_a_named_tuple_is_described_as_pythons() -> None:
    """Its fields can be asked for, matched and not set."""
    ours = Ours("a")

    assert (Theirs._fields, Theirs._field_defaults, Theirs.__match_args__) == (
        Ours._fields,
        Ours._field_defaults,
        Ours.__match_args__,
    )
    match ours:
        case Ours(name, size):
            assert ("a", 1) == (name, size)
    with pytest.raises(AttributeError):
        ours.name = "b"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Ours._make(["a", 1, (), 4])
    with pytest.raises(TypeError):
        ours._replace(colour="red")  # type: ignore[call-arg]
