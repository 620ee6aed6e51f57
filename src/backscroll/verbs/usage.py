"""What it cost and what it did: usage, its audit, one session's timeline, and tools."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from backscroll.index import query
from backscroll.index.session_filter import SessionFilter
from backscroll.lazy import lazily
from backscroll.verbs.opened import OwnPrices, account_of
from backscroll.verbs.sessions import SessionVerbs

if TYPE_CHECKING:
    from backscroll.index import details, sums
    from backscroll.stats import audit as audit_stats
    from backscroll.stats import prices as price_table
    from backscroll.stats import timeline as timeline_stats
    from backscroll.stats import tools as tool_stats
    from backscroll.stats import usage as usage_stats
    from backscroll.stats.model import Audit, Timeline, ToolReport, UsageReport
else:
    details = lazily("backscroll.index.details")
    sums = lazily("backscroll.index.sums")
    audit_stats = lazily("backscroll.stats.audit")
    price_table = lazily("backscroll.stats.prices")
    timeline_stats = lazily("backscroll.stats.timeline")
    tool_stats = lazily("backscroll.stats.tools")
    usage_stats = lazily("backscroll.stats.usage")


class UsageVerbs(SessionVerbs):
    """Asks what it cost and what it did."""

    def usage(  # noqa: PLR0913 - one argument per option of the command
        self,
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
    ) -> UsageReport:
        """Return tokens and cost, each API message once, grouped by one key or by several that cross.

        Days and hours are those of `zone`, or of this machine; `since` and `until` count to the quarter of an hour.
        """
        keys = by.split(",") if isinstance(by, str) else by
        with self.perhaps_session(session) as (database, name):
            wanted = sums.Wanted(
                SessionFilter(project, store, account_of(database, account), session=name), since, until, model
            )
            table = price_table.load_prices(prices)
            return usage_stats.report(database, wanted, keys, table, zone=zone, now=datetime.now(UTC))

    def usage_audit(self, session: str | None = None, *, prices: OwnPrices = None) -> Audit:
        """Return the way from the records on disk to the total, of everything or of one session."""
        with self.perhaps_session(session) as (database, name):
            return audit_stats.report(database, name, price_table.load_prices(prices))

    def timeline(self, session: str, *, prices: OwnPrices = None) -> Timeline:
        """Return one session turn by turn: working and waiting time, calls, cost, and how its context grew."""
        with self.session(session) as (database, name):
            found = self.priced(database, [query.session(database, name)], prices)[0]
            files = details.files_of(database, name)
        return timeline_stats.read_timeline(found, files.transcripts, price_table.load_prices(prices), self.open_file())

    def tools(  # noqa: PLR0913 - one argument per option of the command
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        project: str | None = None,
        store: str | None = None,
        account: str | None = None,
        session: str | None = None,
    ) -> ToolReport:
        """Return how often each tool was called, how that ended and how long it took, each call once."""
        with self.perhaps_session(session) as (database, name):
            wanted = sums.Wanted(
                SessionFilter(project, store, account_of(database, account), session=name), since, until
            )
            return tool_stats.report(database, wanted)
