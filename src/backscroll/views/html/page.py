"""The frame of an HTML page: its policy, its style, its one script.  Of data it holds the escaped title alone."""

import base64
import hashlib
from functools import cache, lru_cache
from importlib import resources

PAGE_SCRIPT = "page.js"
TOOLS = (
    '<div class="tools" role="search" hidden>'
    '<input type="search" aria-label="Find in this page" placeholder="Find in this page">'
    '<output role="status"></output><button type="button" aria-pressed="false">Expand all</button></div>\n'
)


@cache
def stylesheet() -> str:
    """Return the style that pages and the web page share."""
    return resources.files(__package__).joinpath("style.css").read_text(encoding="utf-8")


@lru_cache(8)
def _script(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


@lru_cache(8)
def policy(script: str = PAGE_SCRIPT) -> str:
    """Return the policy of a page: its own style, its own script by hash, and no request of any kind."""
    digest = base64.b64encode(hashlib.sha256(_script(script).encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def start_of_page(title: str, script: str = PAGE_SCRIPT) -> str:
    """Return a page up to its body; `title` comes in escaped, `script` is the name of one of our files."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(script)}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{stylesheet()}</style>\n</head>\n<body>\n"
    )


def end_of_page(script: str = PAGE_SCRIPT) -> str:
    """Return the end of a page, with its script."""
    return f"<script>{_script(script)}</script>\n</body>\n</html>\n"
