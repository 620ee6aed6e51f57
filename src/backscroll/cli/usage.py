"""`backscroll usage`: tokens and cost, their audit, and one session turn by turn."""

from collections.abc import Iterable
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import click

from backscroll.cli.identity import complete_session
from backscroll.cli.later import audit as audit_view
from backscroll.cli.later import terminal
from backscroll.cli.later import timeline as timeline_view
from backscroll.cli.later import usage as usage_view
from backscroll.cli.later import usage_json as json
from backscroll.cli.opened import opened
from backscroll.cli.options import Settings, examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.prices import own_prices
from backscroll.errors import DONE, QueryError
from backscroll.files import create_file
from backscroll.times import parse_when

KEYS = "day, week, month, hour, block, model, project, session, account, agent, branch"


@examples(
    "backscroll usage",
    "backscroll usage --by model,day --since 2w",
    "backscroll usage --by project --svg projects.svg",
    "backscroll usage --by block --since today",
    "backscroll usage --session latest --timeline",
    "backscroll usage --audit --json",
)
@click.command("usage")
@click.option(
    "--by", metavar="KEYS", default="day", show_default=True, help=f"Group by {KEYS}; several cross: day,model."
)
@click.option("--since", metavar="WHEN", help="Only since WHEN: 2026-05-01, yesterday, 12h, 3d, 2w.")
@click.option("--until", metavar="WHEN", help="Only before WHEN.")
@click.option("--project", metavar="TEXT", help="Only of projects whose path holds TEXT.")
@click.option("--store", metavar="KIND", help="Only of one store: code, cowork, …")
@click.option("--account", metavar="TEXT", help="Only of one account: the beginning of its id, or its e-mail address.")
@click.option("--model", metavar="TEXT", help="Only of models whose name holds TEXT.")
@click.option("--session", metavar="ID", shell_complete=complete_session, help="Only of one session.")
@click.option("--timezone", metavar="NAME", help="Whose days these are: Europe/Rome, UTC; without it yours.")
@click.option("--timeline", "is_timeline", is_flag=True, help="Show one session turn by turn; needs --session.")
@click.option("--audit", "is_audit", is_flag=True, help="Explain the total: what counts, what does not, and why.")
@click.option("--csv", "is_csv", is_flag=True, help="Answer with CSV.")
@click.option("--svg", metavar="FILE", type=click.Path(path_type=Path), help="Draw a chart into FILE, a new one.")
@reading
@click.pass_obj
def command(settings: Settings, /, **options: Any) -> int:
    """Show tokens and cost, each API message counted once.

    A message that stands in many files, through resumes, forks and agents, counts for the session that was first.
    ID is any unique beginning of a session's id, or `latest`, or the path of a transcript.
    """
    if options["is_audit"]:
        return _audit(settings, options)
    if options["is_timeline"]:
        return _timeline(settings, options)
    zone = _zone(options["timezone"])
    with opened(settings) as library:
        found = library.usage(
            by=[key.strip() for key in options["by"].split(",")],
            since=_moment(options["since"], zone),
            until=_moment(options["until"], zone),
            zone=zone,
            prices=own_prices(),
            **{name: options[name] for name in ("project", "store", "account", "model", "session")},
        )
    if options["svg"] is not None:
        return _drawn(options["svg"], usage_view.svg_document(found, terminal.make_paper(settings, is_document=True)))
    if settings.json:
        print_document(json.usage_document(found))
    elif options["is_csv"]:
        print_document(usage_view.csv_document(found))
    else:
        terminal.print_lines(usage_view.usage_report(found, terminal.make_paper(settings)), settings)
    return DONE


def _zone(name: str | None) -> tzinfo | None:
    if name is None:
        return None
    from zoneinfo import ZoneInfo  # noqa: PLC0415  (10 ms, and only for those who name a zone)

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise QueryError(f"no such time zone: {name}", remedy="Use a name such as Europe/Rome or UTC.") from None


def _moment(text: str | None, zone: tzinfo | None) -> datetime | None:
    return None if text is None else parse_when(text, datetime.now().astimezone(zone))


def _audit(settings: Settings, options: dict[str, Any]) -> int:
    _refuse(
        options, "audit", ("since", "until", "project", "store", "account", "model", "is_timeline", "is_csv", "svg")
    )
    with opened(settings) as library:
        found = library.usage_audit(options["session"], prices=own_prices())
    if settings.json:
        print_document(json.audit_document(found))
    else:
        terminal.print_lines(audit_view.audit(found, terminal.make_paper(settings)), settings)
    return DONE


def _timeline(settings: Settings, options: dict[str, Any]) -> int:
    if options["session"] is None:
        raise QueryError("a timeline is that of one session", remedy="Name it: --session ID --timeline.")
    _refuse(options, "timeline", ("since", "until", "project", "store", "account", "model"))
    with opened(settings) as library:
        found = library.timeline(options["session"], prices=own_prices())
    if options["svg"] is not None:
        return _drawn(options["svg"], timeline_view.svg_document(found))
    if settings.json:
        print_document(json.timeline_document(found))
    elif options["is_csv"]:
        print_document(timeline_view.csv_document(found))
    else:
        terminal.print_lines(timeline_view.timeline(found, terminal.make_paper(settings)), settings)
    return DONE


def _refuse(options: dict[str, Any], what: str, unfit: Iterable[str]) -> None:
    """Refuse options that would be ignored."""
    for name in unfit:
        if options[name]:
            option = name.removeprefix("is_")
            raise QueryError(f"--{option} does not go with --{what}", remedy=f"Leave out --{option}.")


def _drawn(path: Path, pieces: Iterable[str]) -> int:
    create_file(path, "".join(pieces).encode())
    return DONE
