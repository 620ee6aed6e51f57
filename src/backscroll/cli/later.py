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
        figures,
        hits,
        html,
        json,
        listing,
        markdown,
        text,
        timeline,
        tool_use,
        tree,
        usage,
        usage_json,
    )
else:
    pager = lazily("backscroll.cli.pager")
    searching = lazily("backscroll.index.search")
    terminal = lazily("backscroll.cli.terminal")
    audit = lazily("backscroll.views.audit")
    calls = lazily("backscroll.views.calls")
    figures = lazily("backscroll.views.figures")
    hits = lazily("backscroll.views.hits")
    html = lazily("backscroll.views.html")
    json = lazily("backscroll.views.json")
    listing = lazily("backscroll.views.listing")
    markdown = lazily("backscroll.views.markdown")
    text = lazily("backscroll.views.text")
    timeline = lazily("backscroll.views.timeline")
    tool_use = lazily("backscroll.views.tool_use")
    tree = lazily("backscroll.views.tree")
    usage = lazily("backscroll.views.usage")
    usage_json = lazily("backscroll.views.usage_json")

__all__ = [
    "audit",
    "calls",
    "figures",
    "hits",
    "html",
    "json",
    "listing",
    "markdown",
    "pager",
    "searching",
    "terminal",
    "text",
    "timeline",
    "tool_use",
    "tree",
    "usage",
    "usage_json",
]
