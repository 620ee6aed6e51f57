"""What every command takes, before or after its name, and the values that its options become."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import click

from backscroll.times import parse_when
from backscroll.value import Value

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Explained = TypeVar("_Explained", bound=click.Command)


class Settings(Value):
    """What the options that every command takes say."""

    root: str | None = None
    json: bool = False
    jsonl: bool = False
    color: bool = True
    update: bool = True
    strict: bool = False
    pager: bool = True


def _remember(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Set what was said, here or before the command; what was not said changes nothing."""
    if value is not None:
        setattr(context.ensure_object(Settings), str(parameter.name), value)


def _switch(name: str, field: str, text: str, *, on: bool = True) -> Callable[[_Command], _Command]:
    return click.option(
        name, field, flag_value=on, default=None, type=bool, expose_value=False, callback=_remember, help=text
    )


_ROOT = click.option(
    "--root",
    metavar="DIR",
    expose_value=False,
    callback=_remember,
    help="Read DIR as a home directory instead of yours: a backup, another machine's disk.",
)
_JSON = _switch("--json", "json", "Answer with one JSON document.")
_NO_UPDATE = _switch("--no-update", "update", "Answer from the index as it is.", on=False)
_STRICT = _switch("--strict", "strict", "Exit with 3 when something could not be read.")
_NO_COLOR = _switch("--no-color", "color", "Use no colours; so does NO_COLOR in the environment.", on=False)
_NO_PAGER = _switch("--no-pager", "pager", "Never start a pager.", on=False)
_JSONL = _switch("--jsonl", "jsonl", "Answer with one JSON object a line, as it is read.")


def reading(command: _Command) -> _Command:
    """Give a command the options of everything that reads."""
    for option in (_NO_PAGER, _NO_COLOR, _STRICT, _NO_UPDATE, _JSON, _ROOT):
        command = option(command)
    return command


def streaming(command: _Command) -> _Command:
    """Give a command `--jsonl`, for answers that may be long."""
    return _JSONL(command)


def examples(*lines: str) -> Callable[[_Explained], _Explained]:
    """Add examples to the help of a command."""

    def explain(command: _Explained) -> _Explained:
        text = command.help or ""
        margin = "    " if "\n    " in text else ""  # from Python 3.13 on, the compiler takes it off
        added = ["", "\b", "Examples:", *(f"  {line}" for line in lines)]
        command.help = "\n".join([text.rstrip(), *(margin + line for line in added)])
        return command

    return explain


def moment(context: click.Context, parameter: click.Parameter, value: str | None) -> datetime | None:  # noqa: ARG001
    """Return the moment that an option means, in the zone of this machine: 2026-05-01, yesterday, 12h, 3d, 2w."""
    return None if value is None else parse_when(value, datetime.now().astimezone())
