"""What it cost and what it did: usage, its audit, one session's timeline, and tools."""

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo

from backscroll.index import details, query, sums
from backscroll.stats import audit as audit_stats
from backscroll.stats import prices as price_table
from backscroll.stats import timeline as timeline_stats
from backscroll.stats import tools as tool_stats
from backscroll.stats import usage as usage_stats
from backscroll.stats.model import Audit, Timeline, ToolReport, UsageReport
from backscroll.verbs.opened import OnProgress, OwnPrices, Root, account_of, open_session, perhaps_session
from backscroll.verbs.sessions import priced


def usage(  # noqa: PLR0913 - one argument per option of the command
    root: Root = None,
    *,
    by: str | Sequence[str] = "day",
    since: datetime | None = None,
    until: datetime | None = None,
    project: str | None = None,
    store: str | None = None,
    account: str | None = None,
    session: str | None = None,
    model: str | None = None,
    zone: tzinfo | None = None,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> UsageReport:
    """Return tokens and cost, each API message once, grouped by one key or by several that cross.

    Days and hours are those of `zone`, or of this machine; `since` and `until` count to the quarter of an hour.
    """
    keys = by.split(",") if isinstance(by, str) else by
    with perhaps_session(session, root, update=update, on_progress=on_progress) as (database, name):
        wanted = sums.Wanted(since, until, project, store, account_of(database, account), name, model)
        table = price_table.load_prices(prices)
        return usage_stats.report(database, wanted, keys, table, zone=zone, now=datetime.now(UTC))


def usage_audit(
    session: str | None = None,
    root: Root = None,
    *,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Audit:
    """Return the way from the records on disk to the total, of everything or of one session."""
    with perhaps_session(session, root, update=update, on_progress=on_progress) as (database, name):
        return audit_stats.report(database, name, price_table.load_prices(prices))


def timeline(
    session: str,
    root: Root = None,
    *,
    prices: OwnPrices = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> Timeline:
    """Return one session turn by turn: working and waiting time, calls, cost, and how its context grew."""
    with open_session(session, root, update=update, on_progress=on_progress) as (database, name):
        found = priced(database, [query.session(database, name)], prices)[0]
        files = details.files_of(database, name)
    return timeline_stats.read_timeline(found, files.transcripts, price_table.load_prices(prices))


def tools(  # noqa: PLR0913 - one argument per option of the command
    root: Root = None,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    project: str | None = None,
    store: str | None = None,
    account: str | None = None,
    session: str | None = None,
    update: bool = True,
    on_progress: OnProgress = None,
) -> ToolReport:
    """Return how often each tool was called, how that ended and how long it took, each call once."""
    with perhaps_session(session, root, update=update, on_progress=on_progress) as (database, name):
        wanted = sums.Wanted(since, until, project, store, account_of(database, account), name)
        return tool_stats.report(database, wanted)
