"""`backscroll usage`: tokens and cost, their audit, and one session turn by turn."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, tzinfo
from itertools import chain
from pathlib import Path
from typing import Any

import click

from backscroll.cli.completion import complete_model, complete_session
from backscroll.cli.lazy_views import audit as audit_view
from backscroll.cli.lazy_views import listing, terminal
from backscroll.cli.lazy_views import timeline as timeline_view
from backscroll.cli.lazy_views import usage as usage_view
from backscroll.cli.lazy_views import usage_json as json
from backscroll.cli.library import opened, tell_unknown
from backscroll.cli.options import closed, examples, in_order, of_project, reading
from backscroll.cli.output import print_document
from backscroll.cli.prices import own_prices
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, QueryError
from backscroll.files import create_file
from backscroll.query.closed_fields import CLOSED
from backscroll.stats.model import UsageReport, UsageRow
from backscroll.times import parse_until, parse_when

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
    "--by",
    metavar="KEYS",
    default="day",
    show_default=True,
    help=f"Group by {KEYS}; combine several with commas: day,model.",
)
@click.option(
    "--since", metavar="WHEN", help="Only since WHEN: 2026-05-01, 2026-05, yesterday, 'last week', '3 days', 12h."
)
@click.option("--until", metavar="WHEN", help="Only up to WHEN, that day or month included.")
@of_project
@click.option("--store", type=closed(CLOSED["store"]), help="Only one kind of store.")
@click.option("--account", metavar="TEXT", help="Only one account: the start of its id, or its e-mail address.")
@click.option("--model", metavar="TEXT", shell_complete=complete_model, help="Only models whose name contains TEXT.")
@click.option("--session", metavar="ID", shell_complete=complete_session, help="Only one session.")
@click.option("--timezone", metavar="NAME", help="Time zone for days: Europe/Rome, UTC; the default is yours.")
@click.option("--timeline", "is_timeline", is_flag=True, help="Show one session turn by turn; needs --session.")
@click.option(
    "--audit", "is_audit", is_flag=True, help="Explain the total: counted records, excluded records, and the reasons."
)
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), help="Show N rows: the newest, or the most expensive."
)
@click.option("--csv", "is_csv", is_flag=True, help="Print CSV.")
@click.option(
    "--svg",
    metavar="FILE",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Draw a chart into FILE, which must be new; - is stdout.",
)
@reading
@click.pass_obj
def command(settings: Settings, /, **options: Any) -> int:
    """Show tokens and cost, each API message counted once.

    Resumes, forks and agents copy messages into many files. A message counts for its first session.
    ID is any unique start of a session's id, its title, `latest` or the path of a transcript.
    """
    if options["is_audit"]:
        return _audit(settings, options)
    if options["is_timeline"]:
        return _timeline(settings, options)
    zone = _zone(options["timezone"])
    since, until = _moment(options["since"], parse_when, zone), _moment(options["until"], parse_until, zone)
    in_order(since, until)
    with opened(settings) as library:
        found = library.usage(
            by=[key.strip() for key in options["by"].split(",")],
            since=since,
            until=until,
            zone=zone,
            prices=own_prices(),
            **{name: options[name] for name in ("project", "store", "account", "model", "session")},
        )
        tell_unknown(library, settings, found.rows, project=options["project"], model=options["model"])
    in_all = len(found.rows)
    found = replace(found, rows=_limited(found, options["limit"]))
    if options["svg"] is not None:
        return _drawn(options["svg"], usage_view.svg_document(found, terminal.make_paper(settings, is_document=True)))
    if settings.json:
        print_document(json.usage_document(found))
    elif options["is_csv"]:
        print_document(usage_view.csv_document(found))
    else:
        paper = terminal.make_paper(settings)._replace(zone=zone)
        above = listing.range_lines(since, until, paper)
        below = listing.limit_lines(len(found.rows), in_all, "row", paper, "; the total counts all of them")
        terminal.print_lines(chain(above, usage_view.usage_report(found, paper), below), settings)
    return DONE


def _limited(report: UsageReport, limit: int | None) -> list[UsageRow]:
    """Return the newest rows of a report by time, the first rows of any other."""
    if limit is None:
        return report.rows
    return report.rows[-limit:] if set(report.by) & set(usage_view.TIMES) else report.rows[:limit]


def _zone(name: str | None) -> tzinfo | None:
    if name is None:
        return None
    from zoneinfo import ZoneInfo  # noqa: PLC0415  (10 ms, and only for those who name a zone)

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise QueryError(f"no such time zone: {name}", remedy="Use a name such as Europe/Rome or UTC.") from None


def _moment(text: str | None, parse: Callable[[str, datetime], datetime], zone: tzinfo | None) -> datetime | None:
    return None if text is None else parse(text, datetime.now().astimezone(zone))


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
        raise QueryError("--timeline needs --session ID", remedy="Name it: --session ID --timeline.")
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
            raise QueryError(f"--{option} cannot be used with --{what}", remedy=f"Leave out --{option}.")


def _drawn(path: Path, pieces: Iterable[str]) -> int:
    if str(path) == "-":
        print_document(pieces)
    else:
        create_file(path, "".join(pieces).encode())
    return DONE
