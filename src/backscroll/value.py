"""Value and NamedTuple: classes whose annotations are their fields, made without writing code.

`dataclasses` writes and compiles functions for every class, 0.7 ms for each at every start of the program, and
`typing.NamedTuple` one, 0.15 ms; a hundred of them would cost more than Python itself.  Type checkers see a dataclass,
and the NamedTuple of `typing`.  A NamedTuple that is made often gets its function then.
"""

from collections import _tuplegetter, namedtuple  # type: ignore[attr-defined]  # what `namedtuple` makes its fields of
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, dataclass_transform

__all__ = ["NamedTuple", "Value", "field"]


class _Made:
    """A default that is made anew for each value."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def field(*, default_factory: Callable[[], Any]) -> Any:
    """Give a field a default that is made anew for each value, such as an empty list."""
    return _Made(default_factory)


@dataclass_transform(field_specifiers=(field,))
class Value:
    """Fields given by place or by name, compared and printed; with `frozen` unchangeable and fit for a set."""

    __match_args__: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[frozenset[str]] = frozenset()
    _defaults: ClassVar[dict[str, Any]] = {}
    _made: ClassVar[dict[str, Callable[[], Any]]] = {}

    def __init_subclass__(cls, *, frozen: bool = False) -> None:
        own = [name for name in cls.__annotations__ if name not in cls.__match_args__]
        given = {name: cls.__dict__[name] for name in own if name in cls.__dict__}
        cls.__match_args__ = (*cls.__match_args__, *own)  # type: ignore[misc]
        cls._names = frozenset(cls.__match_args__)
        cls._made = cls._made | {name: it.make for name, it in given.items() if isinstance(it, _Made)}
        cls._defaults = cls._defaults | {name: it for name, it in given.items() if name not in cls._made}
        for name in given:
            delattr(cls, name)  # a field that was left out must not be found on the class
        if frozen:
            cls.__setattr__ = _refuse  # type: ignore[assignment,method-assign]
            cls.__hash__ = _hash  # type: ignore[assignment,method-assign]

    def __init__(self, *args: object, **named: object) -> None:
        by_place = dict(zip(self.__match_args__, args, strict=False))
        values = self.__dict__
        values.update(self._defaults)
        values.update(by_place)
        values.update(named)
        for name, make in self._made.items():
            if name not in values:
                values[name] = make()
        if values.keys() != self._names or len(by_place) != len(args) or not by_place.keys().isdisjoint(named):
            raise TypeError(self._complaint(len(args), named))

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if isinstance(other, type(self)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self.__match_args__)
        return f"{type(self).__name__}({fields})"

    def changed(self, **named: object) -> Self:
        """Return a copy in which some fields are others."""
        return type(self)(**(self.__dict__ | named))

    def _complaint(self, places: int, named: dict[str, object]) -> str:
        fields = self.__match_args__
        missing = [name for name in fields if name not in self.__dict__]
        unknown = [name for name in named if name not in fields]
        twice = [name for name in fields[:places] if name in named]
        return (
            f"{type(self).__name__} takes {len(fields)} fields: {places + len(named)} given,"
            f" missing {missing}, unknown {unknown}, twice {twice}"
        )


def _refuse(value: Value, name: str, _: object) -> NoReturn:
    message = f"{type(value).__name__} is frozen: {name} cannot be set"
    raise AttributeError(message)


def _hash(value: Value) -> int:
    return hash(tuple(value.__dict__[name] for name in value.__match_args__))


WORTH_CODE = 256
"""How often a NamedTuple is made before a function is compiled for it."""
_uses: dict[type, int] = {}


if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class NamedTuple(tuple):
        """A tuple whose places have names; some may have defaults."""

        __slots__ = ()
        _fields: ClassVar[tuple[str, ...]] = ()
        _field_defaults: ClassVar[dict[str, Any]] = {}

        def __init_subclass__(cls) -> None:
            names = tuple(cls.__annotations__)
            cls._fields = cls.__match_args__ = names
            cls._field_defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
            for place, name in enumerate(names):
                setattr(cls, name, _tuplegetter(place, ""))

        def __new__(cls, *args: object, **named: object) -> Self:  # noqa: D102
            uses = _uses[cls] = _uses.get(cls, 0) + 1
            if uses == WORTH_CODE:
                likeness = namedtuple(cls.__name__, cls._fields, defaults=cls._field_defaults.values())  # noqa: PYI024 - its function is wanted, not it
                cls.__new__ = likeness.__new__
            if named or len(args) != len(cls._fields):
                args = cls._completed(args, named)
            return tuple.__new__(cls, args)

        @classmethod
        def _completed(cls, args: tuple[object, ...], named: dict[str, object]) -> tuple[object, ...]:
            rest = cls._fields[len(args) :]
            given = cls._field_defaults | named
            if len(args) > len(cls._fields) or not named.keys() <= set(rest) or not given.keys() >= set(rest):
                message = f"{cls.__name__} takes {cls._fields}: {len(args)} by place, {list(named)} by name"
                raise TypeError(message)
            return (*args, *(given[name] for name in rest))

        @classmethod
        def _make(cls, values: Iterable[object]) -> Self:
            made = tuple.__new__(cls, values)
            return made if len(made) == len(cls._fields) else cls(*made)

        def _replace(self, **named: object) -> Self:
            made = tuple.__new__(type(self), map(named.pop, self._fields, self))
            if named:
                message = f"{type(self).__name__} has no fields {list(named)}"
                raise TypeError(message)
            return made

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({fields})"
