"""Usage and cost, their audit, the timeline of one session, and tools."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.lazy import lazily
from backscroll.verbs.base import OwnPrices, When, account_of, moment_of
from backscroll.verbs.sessions import SessionVerbs

if TYPE_CHECKING:
    from backscroll.index.queries import details, usage_records
    from backscroll.index.queries import usage as sums
    from backscroll.stats import audit as audit_stats
    from backscroll.stats import model as stats_model
    from backscroll.stats import prices as price_table
    from backscroll.stats import timeline as timeline_stats
    from backscroll.stats import tools as tool_stats
    from backscroll.stats import usage as usage_stats
else:
    stats_model = lazily("backscroll.stats.model")
    details = lazily("backscroll.index.queries.details")
    sums = lazily("backscroll.index.queries.usage")
    usage_records = lazily("backscroll.index.queries.usage_records")
    audit_stats = lazily("backscroll.stats.audit")
    price_table = lazily("backscroll.stats.prices")
    timeline_stats = lazily("backscroll.stats.timeline")
    tool_stats = lazily("backscroll.stats.tools")
    usage_stats = lazily("backscroll.stats.usage")


class UsageVerbs(SessionVerbs):
    """The verbs about usage, cost and tools."""

    def usage(  # noqa: PLR0913 - one argument per option of the command
        self,
        *,
        by: str | Sequence[str] = "day",
        since: When = None,
        until: When = None,
        project: str | None = None,
        store: str | None = None,
        account: str | None = None,
        session: str | None = None,
        model: str | None = None,
        zone: tzinfo | None = None,
        prices: OwnPrices = None,
    ) -> stats_model.UsageReport:
        """Return tokens and cost, each API message once, grouped by one key or a combination of keys.

        Days and hours are in `zone`, by default this machine's; `since` and `until` are exact to a quarter of an hour.
        """
        keys = by.split(",") if isinstance(by, str) else by
        with self.optional_session(session) as (database, name):
            sessions = SessionFilter(project, store, account_of(database, account), session=name)
            wanted = sums.UsageFilter(sessions, moment_of(since, zone), moment_of(until, zone), model)
            table = price_table.load_prices(prices)
            return usage_stats.report(database, wanted, keys, table, zone=zone, now=datetime.now(UTC))

    def usage_audit(self, session: str | None = None, *, prices: OwnPrices = None) -> stats_model.Audit:
        """Return the steps from the records on disk to the total, of everything or of one session."""
        with self.optional_session(session) as (database, name):
            return audit_stats.report(database, name, price_table.load_prices(prices))

    def timeline(self, session: str, *, prices: OwnPrices = None) -> stats_model.Timeline:
        """Return one session turn by turn: working and waiting time, calls, cost, and the growth of its context."""
        with self.session(session) as (database, name):
            found = self.priced(database, [query.session(database, name)], prices)[0]
            files = details.files_of(database, name)
            copied = usage_records.copied_records(database, name)
        table = price_table.load_prices(prices)
        return timeline_stats.read_timeline(found, files.transcripts, table, self.open_file(), copied)

    def tools(  # noqa: PLR0913 - one argument per option of the command
        self,
        *,
        since: When = None,
        until: When = None,
        project: str | None = None,
        store: str | None = None,
        account: str | None = None,
        session: str | None = None,
    ) -> stats_model.ToolReport:
        """Return the number of calls of each tool, how they ended and their duration, each call once."""
        with self.optional_session(session) as (database, name):
            sessions = SessionFilter(project, store, account_of(database, account), session=name)
            wanted = sums.UsageFilter(sessions, moment_of(since), moment_of(until))
            return tool_stats.report(database, wanted)
