"""The modules that only some answers need, each imported at its first use.

Text needs none of JSON's and JSON none of text's; together they cost as much as reading a small index.
"""

from typing import TYPE_CHECKING

from backscroll.lazy import lazily

if TYPE_CHECKING:
    from backscroll.cli import terminal
    from backscroll.index.search import search as searching
    from backscroll.views import figures, markdown, visible
    from backscroll.views.html import session as html
    from backscroll.views.json import desktop as desktop_json
    from backscroll.views.json import sessions as json
    from backscroll.views.json import usage as usage_json
    from backscroll.views.json import versions as versions_json
    from backscroll.views.reports import (
        audit,
        blame,
        desktop,
        drift,
        flags,
        marks,
        storage,
        timeline,
        tool_use,
        usage,
        versions,
        worktrees,
    )
    from backscroll.views.reports import sessions as sessions_csv
    from backscroll.views.terminal import calls, hits, listing, outline, tree
    from backscroll.views.terminal import session as text
    from backscroll.views.upkeep import archive, doctor, plans, redaction
else:
    searching = lazily("backscroll.index.search.search")
    terminal = lazily("backscroll.cli.terminal")
    audit = lazily("backscroll.views.reports.audit")
    blame = lazily("backscroll.views.reports.blame")
    calls = lazily("backscroll.views.terminal.calls")
    desktop = lazily("backscroll.views.reports.desktop")
    desktop_json = lazily("backscroll.views.json.desktop")
    doctor = lazily("backscroll.views.upkeep.doctor")
    drift = lazily("backscroll.views.reports.drift")
    figures = lazily("backscroll.views.figures")
    hits = lazily("backscroll.views.terminal.hits")
    archive = lazily("backscroll.views.upkeep.archive")
    flags = lazily("backscroll.views.reports.flags")
    html = lazily("backscroll.views.html.session")
    json = lazily("backscroll.views.json.sessions")
    listing = lazily("backscroll.views.terminal.listing")
    markdown = lazily("backscroll.views.markdown")
    marks = lazily("backscroll.views.reports.marks")
    plans = lazily("backscroll.views.upkeep.plans")
    outline = lazily("backscroll.views.terminal.outline")
    redaction = lazily("backscroll.views.upkeep.redaction")
    sessions_csv = lazily("backscroll.views.reports.sessions")
    storage = lazily("backscroll.views.reports.storage")
    text = lazily("backscroll.views.terminal.session")
    timeline = lazily("backscroll.views.reports.timeline")
    tool_use = lazily("backscroll.views.reports.tool_use")
    tree = lazily("backscroll.views.terminal.tree")
    usage = lazily("backscroll.views.reports.usage")
    usage_json = lazily("backscroll.views.json.usage")
    versions = lazily("backscroll.views.reports.versions")
    versions_json = lazily("backscroll.views.json.versions")
    visible = lazily("backscroll.views.visible")
    worktrees = lazily("backscroll.views.reports.worktrees")

__all__ = [
    "archive",
    "audit",
    "blame",
    "calls",
    "desktop",
    "desktop_json",
    "doctor",
    "drift",
    "figures",
    "flags",
    "hits",
    "html",
    "json",
    "listing",
    "markdown",
    "marks",
    "outline",
    "plans",
    "redaction",
    "searching",
    "sessions_csv",
    "storage",
    "terminal",
    "text",
    "timeline",
    "tool_use",
    "tree",
    "usage",
    "usage_json",
    "versions",
    "versions_json",
    "visible",
    "worktrees",
]
