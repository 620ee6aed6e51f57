"""The modules that only some answers need, each run when it is first used.

Text needs none of JSON's and JSON none of text's; together they cost as much as reading a small index.
"""

from typing import TYPE_CHECKING

from backscroll.lazy import lazily

if TYPE_CHECKING:
    from backscroll.cli import pager, terminal
    from backscroll.views import calls, figures, html, json, listing, markdown, text, tree
else:
    pager = lazily("backscroll.cli.pager")
    terminal = lazily("backscroll.cli.terminal")
    calls = lazily("backscroll.views.calls")
    figures = lazily("backscroll.views.figures")
    html = lazily("backscroll.views.html")
    json = lazily("backscroll.views.json")
    listing = lazily("backscroll.views.listing")
    markdown = lazily("backscroll.views.markdown")
    text = lazily("backscroll.views.text")
    tree = lazily("backscroll.views.tree")

__all__ = ["calls", "figures", "html", "json", "listing", "markdown", "pager", "terminal", "text", "tree"]
