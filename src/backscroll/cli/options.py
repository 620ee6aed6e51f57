"""The options that every command takes, before or after its name, and their values."""

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import click

from backscroll.cli.completion import complete_project
from backscroll.cli.settings import Settings
from backscroll.errors import QueryError
from backscroll.times import parse_until, parse_when

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Explained = TypeVar("_Explained", bound=click.Command)


def _remember(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Set an option that was given, here or before the command; a missing one changes nothing."""
    if value is not None:
        setattr(context.ensure_object(Settings), str(parameter.name), value)


def _remember_roots(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> None:  # noqa: ARG001
    """Add roots to those that were given before the command."""
    settings = context.ensure_object(Settings)
    if value:
        settings.root = tuple(dict.fromkeys((*(settings.root or ()), *value)))


def _switch(name: str, field: str, text: str, *, on: bool = True) -> Callable[[_Command], _Command]:
    return click.option(
        name, field, flag_value=on, default=None, type=bool, expose_value=False, callback=_remember, help=text
    )


_ROOT = click.option(
    "--root",
    metavar="DIR",
    multiple=True,
    type=click.Path(readable=False),
    expose_value=False,
    callback=_remember_roots,
    help="Read DIR as a home directory instead of yours: a backup, another machine's disk. Several are read as one.",
)
_JSON = _switch("--json", "json", "Print one JSON document.")
_NO_UPDATE = _switch("--no-update", "update", "Do not update the index first.", on=False)
_STRICT = _switch("--strict", "strict", "Exit with 3 if something could not be read.")
_NO_COLOR = _switch("--no-color", "color", "Use no colours; the variable NO_COLOR does the same.", on=False)
_NO_PAGER = _switch("--no-pager", "pager", "Never start a pager.", on=False)
_JSONL = _switch("--jsonl", "jsonl", "Print one JSON object per line while reading.")


def reading(command: _Command) -> _Command:
    """Give a command the options of everything that reads."""
    for option in (_NO_PAGER, _NO_COLOR, _STRICT, _NO_UPDATE, _JSON, _ROOT):
        command = option(command)
    return command


def streaming(command: _Command) -> _Command:
    """Give a command `--jsonl`, for answers that may be long."""
    return _JSONL(command)


def redacting(command: _Command) -> _Command:
    """Give a command `--redact`."""
    return click.option(
        "--redact", is_flag=True, help="Replace secrets, and names of people and machines, with pseudonyms."
    )(command)


def _is_here(context: click.Context, parameter: click.Parameter, value: bool) -> None:  # noqa: ARG001
    context.meta["backscroll.here"] = value


def _project(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001
    """Return a path as an absolute one; any other text unchanged."""
    if context.meta.get("backscroll.here"):
        if value is not None:
            raise click.UsageError("--here and --project exclude each other.", context)
        value = "."
    if value is None or not (value in (".", "..", "~") or value.startswith(("/", "./", "../", "~/"))):
        return value
    return os.path.abspath(os.path.expanduser(value))  # noqa: PTH100, PTH111  (links stay; never raises)


def of_project(command: _Command) -> _Command:
    """Give a command `--project` and `--here`."""
    text = "Only projects whose path contains TEXT; a path such as . or ~/shop means that project with its worktrees."
    command = click.option(
        "--here", is_flag=True, is_eager=True, expose_value=False, callback=_is_here, help="The same as --project ."
    )(command)
    return click.option("--project", metavar="TEXT", callback=_project, shell_complete=complete_project, help=text)(
        command
    )


def closed(values: Sequence[str]) -> click.Choice[str]:
    """Return the type of an option with a fixed list of values."""
    return click.Choice(values, case_sensitive=False)


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
    """Return the moment that an option means, or the start of a day, in the zone of this machine."""
    return None if value is None else parse_when(value, datetime.now().astimezone())


def _start(context: click.Context, parameter: click.Parameter, value: str | None) -> datetime | None:
    """Return the start of a range; refuse one that ends before it."""
    since = context.meta["backscroll.since"] = moment(context, parameter, value)
    in_order(since, context.meta.get("backscroll.until"))
    return since


def _end(context: click.Context, parameter: click.Parameter, value: str | None) -> datetime | None:  # noqa: ARG001
    """Return the end of the day, week or month that an option names, in the zone of this machine."""
    until = None if value is None else parse_until(value, datetime.now().astimezone())
    context.meta["backscroll.until"] = until
    in_order(context.meta.get("backscroll.since"), until)
    return until


def in_order(since: datetime | None, until: datetime | None) -> None:
    """Refuse a range of time that ends before it begins."""
    if since is not None and until is not None and until <= since:
        raise QueryError("--until is before --since", remedy="Exchange the two.")


def since_and_until(command: _Command) -> _Command:
    """Give a command `--since` and `--until`; both include the day, week or month that they name."""
    command = click.option(
        "--until", metavar="WHEN", callback=_end, help="Only up to WHEN, that day or month included."
    )(command)
    return click.option(
        "--since",
        metavar="WHEN",
        callback=_start,
        help="Only since WHEN: 2026-05-01, 2026-05, yesterday, 'last week', '3 days', 12h.",
    )(command)
