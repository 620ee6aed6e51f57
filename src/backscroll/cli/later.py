"""The modules that only some answers need, each run when it is first used.

Text needs none of JSON's and JSON none of text's; together they cost as much as reading a small index.
"""

from typing import TYPE_CHECKING

from backscroll.lazy import lazily

if TYPE_CHECKING:
    from backscroll.cli import pager, terminal
    from backscroll.index import search as searching
    from backscroll.views import (
        audit,
        calls,
        desktop,
        desktop_json,
        drift,
        figures,
        flags,
        hits,
        html,
        json,
        listing,
        markdown,
        marks,
        outline,
        storage,
        text,
        timeline,
        tool_use,
        tree,
        usage,
        usage_json,
        versions,
        versions_json,
        worktrees,
    )
else:
    pager = lazily("backscroll.cli.pager")
    searching = lazily("backscroll.index.search")
    terminal = lazily("backscroll.cli.terminal")
    audit = lazily("backscroll.views.audit")
    calls = lazily("backscroll.views.calls")
    desktop = lazily("backscroll.views.desktop")
    desktop_json = lazily("backscroll.views.desktop_json")
    drift = lazily("backscroll.views.drift")
    figures = lazily("backscroll.views.figures")
    hits = lazily("backscroll.views.hits")
    flags = lazily("backscroll.views.flags")
    html = lazily("backscroll.views.html")
    json = lazily("backscroll.views.json")
    listing = lazily("backscroll.views.listing")
    markdown = lazily("backscroll.views.markdown")
    marks = lazily("backscroll.views.marks")
    outline = lazily("backscroll.views.outline")
    storage = lazily("backscroll.views.storage")
    text = lazily("backscroll.views.text")
    timeline = lazily("backscroll.views.timeline")
    tool_use = lazily("backscroll.views.tool_use")
    tree = lazily("backscroll.views.tree")
    usage = lazily("backscroll.views.usage")
    usage_json = lazily("backscroll.views.usage_json")
    versions = lazily("backscroll.views.versions")
    versions_json = lazily("backscroll.views.versions_json")
    worktrees = lazily("backscroll.views.worktrees")

__all__ = [
    "audit",
    "calls",
    "desktop",
    "desktop_json",
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
    "pager",
    "searching",
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
    "worktrees",
]
