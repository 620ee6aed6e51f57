"""The table of commands that the web page may call, each with the options that it may pass."""

from collections.abc import Callable, Iterator
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from backscroll.errors import NotFoundError, QueryError
from backscroll.index.search.search import Options
from backscroll.library import Library
from backscroll.sessions.page import MessagePage
from backscroll.verbs.base import OwnPrices
from backscroll.views import markdown
from backscroll.views.html import session as html
from backscroll.views.json import desktop as desktop_json
from backscroll.views.json import sessions as json
from backscroll.views.json import usage as usage_json
from backscroll.views.json import versions as versions_json
from backscroll.views.reports import blame as blame_view
from backscroll.views.reports import drift as drift_view
from backscroll.views.reports import flags as flags_view
from backscroll.views.reports import storage as storage_view
from backscroll.views.reports import tool_use
from backscroll.views.reports import usage as usage_view
from backscroll.views.reports import worktrees as worktrees_view
from backscroll.views.terminal.paper import Paper
from backscroll.views.upkeep import archive as archive_view
from backscroll.views.upkeep import doctor as doctor_view
from backscroll.web.answer import WebAnswer
from backscroll.web.options import Allowed, WebRequest
from backscroll.web.rendering import BESIDE, PageRenderer

PAGE, LARGEST_PAGE = 50, 500
MOST = 500
TIME: Allowed = {"since": "since", "until": "until"}
SESSIONS: Allowed = {"project": "text", "store": "text", "account": "text", **TIME}


class WebSource(NamedTuple):
    """The library that routes read, and the user's own prices."""

    library: Library
    prices: OwnPrices


class Route(NamedTuple):
    """One command: its function, its options, and whether its path may or must name a session."""

    answer: Callable[[WebSource, WebRequest], WebAnswer]
    options: Allowed = MappingProxyType({})
    takes_name: bool = False
    needs_name: bool = False


def _overview(source: WebSource, asked: WebRequest) -> WebAnswer:  # noqa: ARG001 - as every route
    found = source.library.overview(prices=source.prices)
    return WebAnswer(json.overview_document(found.stores, found.sessions, found.latest, found.expiring))


def _stores(source: WebSource, asked: WebRequest) -> WebAnswer:
    library = source.library
    if asked.get("logs"):
        return WebAnswer(desktop_json.log_files_document(library.log_files()))
    if asked.get("mcp"):
        return WebAnswer(desktop_json.servers_document(library.mcp_servers()))
    return WebAnswer(json.stores_document(library.list_stores(), library.looked_at()))


def _list(source: WebSource, asked: WebRequest) -> WebAnswer:
    found = source.library.list_sessions(
        limit=None if asked.get("all") else asked.get("limit", 20),
        offset=asked.get("offset", 0),
        **asked.some("project", "store", "account", "since", "until", "state", "model", "branch"),
        agents=asked.get("agents", False),
        pinned=asked.get("pinned", False),
        sort=asked.get("sort", "updated"),
        prices=source.prices,
    )
    keys = json.session_fields(asked.get("fields")) if asked.get("fields") else None
    agents = found.agents if asked.get("agents") else None
    return WebAnswer(json.list_document(found.total, found.sessions, agents, keys))


def _show(source: WebSource, asked: WebRequest) -> WebAnswer:
    session, form = asked.name or "", asked.get("format", "json")
    branch = asked.get("branch", "main")
    if form not in ("json", "md", "html"):
        raise QueryError("no such format", form, "Use json, md or html.")
    if asked.get("image") is not None:
        return _media(source, asked)
    if form == "json" and {"offset", "limit", "at", "html"} & set(asked.options):
        return WebAnswer(_page(source, asked))
    found = source.library.show(
        session, branch=branch, all_branches=asked.get("all_branches", False), prices=source.prices
    )
    if form == "json":
        return WebAnswer(json.show_document(found))
    view, media = (markdown, "text/markdown") if form == "md" else (html, "application/octet-stream")
    return WebAnswer(view.document(found, _paper()), media, f"{found.session.id}.{form}")


def _media(source: WebSource, asked: WebRequest) -> WebAnswer:
    """Return an image that a page may show, and anything else as a download."""
    if asked.get("at") is None:
        raise QueryError("no message is named", "at")
    number = asked.get("image")
    found = source.library.media(asked.name or "", asked.get("at"), number)
    media = found.image_type or "application/octet-stream"
    return WebAnswer([found.data], media, f"{number}.{media.partition('/')[2]}".replace("octet-stream", "bin"))


def _page(source: WebSource, asked: WebRequest) -> Iterator[str]:
    limit = asked.get("limit", PAGE)
    if not 1 <= limit <= LARGEST_PAGE:
        raise QueryError("a page has 1 to 500 messages", "limit")
    choice = {"branch": asked.get("branch"), "all_branches": asked.get("all_branches", False), "prices": source.prices}
    session, offset, at = asked.name or "", asked.get("offset", 0), asked.get("at")
    if not asked.get("html"):
        page = source.library.messages(session, offset=offset, limit=limit, around=at, **choice)
        return json.page_document(page)
    if at is not None:
        offset = max(0, source.library.messages(session, limit=1, around=at, **choice).offset - limit // 2)
    before = min(BESIDE, offset)
    page = source.library.messages(session, offset=offset - before, limit=before + limit + BESIDE, **choice)
    return _rendered(page, before, limit)


def _rendered(page: MessagePage, before: int, limit: int) -> Iterator[str]:
    """Yield a page whose parts carry safe HTML too; the messages beside it are read for their results only."""
    renderer = PageRenderer(page.messages, before, _paper()._replace(base=page.session.cwd))
    yield '{"session": ' + json.dumps(json.object_of(page.session))
    yield f',\n"total": {page.total},\n"offset": {page.offset + before},\n"messages": ['
    for number, message in enumerate(page.messages[before : before + limit]):
        yield (",\n" if number else "\n") + json.dumps(renderer.message_object(message))
    yield "]" + json.page_end(page)


def _paper() -> Paper:
    return Paper(now=datetime.now().astimezone())


def _outline(source: WebSource, asked: WebRequest) -> WebAnswer:
    return WebAnswer(json.outline_document(source.library.outline(asked.name or "", prices=source.prices)))


def _tree(source: WebSource, asked: WebRequest) -> WebAnswer:
    return WebAnswer(json.tree_document(*source.library.tree(asked.name or "", prices=source.prices)))


def _calls(source: WebSource, asked: WebRequest) -> WebAnswer:
    found = source.library.calls(asked.name, tool=asked.get("tool"), errors=asked.get("errors", False))
    return WebAnswer(list(json.calls_document(found, asked.get("limit", MOST))))


_FIELDS = ("project", "role", "kind", "tool", "model", "session", "store", "account", "branch", "file")


def _search(source: WebSource, asked: WebRequest) -> WebAnswer:
    options = Options(
        limit=min(asked.get("limit", 20), MOST),
        mode="exact" if asked.get("exact") else None,
        all_hits=asked.get("all_hits", False),
        per_session=max(asked.get("per_session", 1), 1),
        by_time=asked.get("sort") == "time",
        is_typing=asked.get("typing", False),
    )
    found = source.library.search(
        asked.get("query", ""),
        options=options,
        fields=asked.some(*_FIELDS),
        **asked.some("since", "until", "counts"),
    )
    return WebAnswer(json.search_document(found))


def _files(source: WebSource, asked: WebRequest) -> WebAnswer:
    found = source.library.list_files(
        limit=None if asked.get("all") else asked.get("limit", 50),
        deleted=asked.get("deleted", False),
        **asked.some("session", "project", "match", "since", "until"),
    )
    return WebAnswer(versions_json.files_document(found))


def _recover(source: WebSource, asked: WebRequest) -> WebAnswer:
    library = source.library
    if (text := asked.get("grep")) is not None:
        found = library.recover_search(text, **asked.some("session", "project", "match"))
        return WebAnswer(versions_json.matches_document(text, found))
    path = asked.get("path")
    if path is None:
        raise QueryError("no file is named", "path")
    if (two := asked.get("diff")) is not None:
        diff = b"".join(library.recover_diff(path, *two)).decode(errors="replace")
        return WebAnswer([json.dumps({"path": path, "diff": diff})])
    choice = asked.some("version", "at", "message", "candidate")
    if asked.get("print") or any(value is not None for value in choice.values()):
        one = library.recover_content(path, **choice, partly=asked.get("partly", False))
        if asked.get("print"):
            return WebAnswer([one.data], "application/octet-stream", path.replace("\\", "/").rpartition("/")[2])
        return WebAnswer(versions_json.content_document(one))
    return WebAnswer(versions_json.recover_document(library.recover(path)))


def _blame(source: WebSource, asked: WebRequest) -> WebAnswer:
    found = source.library.blame(asked.get("path", ""), **asked.some("version", "at", "lines"))
    return WebAnswer(blame_view.blame_document(found))


def _usage(source: WebSource, asked: WebRequest) -> WebAnswer:
    library = source.library
    if asked.get("timeline"):
        return WebAnswer(usage_json.timeline_document(library.timeline(asked.get("session", ""), prices=source.prices)))
    found = library.usage(
        by=[key.strip() for key in asked.get("by", "day").split(",")],
        **asked.some("since", "until", "project", "store", "account", "model", "session"),
        prices=source.prices,
    )
    if asked.get("csv"):
        return WebAnswer(usage_view.csv_document(found), "text/csv", "usage.csv")
    return WebAnswer(usage_json.usage_document(found))


def _tools(source: WebSource, asked: WebRequest) -> WebAnswer:
    found = source.library.tools(**asked.some("since", "until", "project", "store", "account", "session"))
    if asked.get("csv"):
        return WebAnswer(tool_use.csv_document(found), "text/csv", "tools.csv")
    return WebAnswer(usage_json.tools_document(found))


def _accounts(source: WebSource, asked: WebRequest) -> WebAnswer:  # noqa: ARG001 - as every route
    return WebAnswer(desktop_json.accounts_document(source.library.accounts()))


def _worktrees(source: WebSource, asked: WebRequest) -> WebAnswer:  # noqa: ARG001 - as every route
    return WebAnswer(worktrees_view.worktrees_document(source.library.worktrees()))


def _flags(source: WebSource, asked: WebRequest) -> WebAnswer:
    return WebAnswer(flags_view.flags_document(source.library.flags(prefix=asked.get("prefix", ""))))


def _storage(source: WebSource, asked: WebRequest) -> WebAnswer:
    flags = {name: asked.get(name, False) for name in ("indexeddb", "deleted", "everything")}
    found = source.library.storage(asked.get("key"), origin=asked.get("origin"), **flags)
    return WebAnswer(storage_view.storage_document(found))


def _cowork(source: WebSource, asked: WebRequest) -> WebAnswer:
    found = source.library.cowork(asked.name)
    if asked.name is not None and not found:
        raise NotFoundError("Desktop has no record of this session", asked.name)
    planned = source.library.schedules() if asked.name is None else []
    return WebAnswer(desktop_json.cowork_document(found, planned))


def _drift(source: WebSource, asked: WebRequest) -> WebAnswer:
    return WebAnswer(drift_view.drift_document(source.library.drift(), asked.get("type")))


def _doctor(source: WebSource, asked: WebRequest) -> WebAnswer:
    library = source.library
    found = library.doctor(asked.name, kind=asked.get("kind"), program=library.program)
    return WebAnswer(doctor_view.doctor_document(found))


def _archive(source: WebSource, asked: WebRequest) -> WebAnswer:
    library, part = source.library, asked.name or "status"
    if part == "status":
        return WebAnswer(archive_view.document(library.archive_status()))
    if part != "list":
        raise NotFoundError("there is no such view of the archive", part)
    if asked.get("files"):
        return WebAnswer(archive_view.contents_document("files", library.archive_files()))
    if asked.get("facts"):
        return WebAnswer(archive_view.contents_document("facts", library.archive_facts()))
    found = library.archive_list(limit=None if asked.get("all") else asked.get("limit", 20), prices=source.prices)
    return WebAnswer(json.list_document(found.total, found.sessions))


ROUTES: dict[str, Route] = {
    "overview": Route(_overview),
    "stores": Route(_stores, {"logs": "flag", "mcp": "flag"}),
    "list": Route(
        _list,
        {
            **SESSIONS,
            "limit": "number",
            "offset": "number",
            "fields": "text",
            "all": "flag",
            "state": "text",
            "model": "text",
            "branch": "text",
            "agents": "flag",
            "pinned": "flag",
            "sort": "text",
        },
    ),
    "show": Route(
        _show,
        {
            "branch": "text",
            "all_branches": "flag",
            "at": "text",
            "offset": "number",
            "limit": "number",
            "html": "flag",
            "image": "number",
            "format": "text",
        },
        takes_name=True,
        needs_name=True,
    ),
    "outline": Route(_outline, takes_name=True, needs_name=True),
    "tree": Route(_tree, takes_name=True, needs_name=True),
    "calls": Route(_calls, {"tool": "text", "errors": "flag", "limit": "number"}, takes_name=True),
    "search": Route(
        _search,
        {
            **dict.fromkeys(_FIELDS, "text"),
            **TIME,
            "query": "text",
            "typing": "flag",
            "limit": "number",
            "exact": "flag",
            "all_hits": "flag",
            "per_session": "number",
            "sort": "text",
            "counts": "text",
        },
    ),
    "files": Route(
        _files,
        {
            "session": "text",
            "project": "text",
            "match": "text",
            **TIME,
            "limit": "number",
            "all": "flag",
            "deleted": "flag",
        },
    ),
    "recover": Route(
        _recover,
        {
            "path": "text",
            "version": "number",
            "at": "since",
            "message": "text",
            "candidate": "number",
            "print": "flag",
            "partly": "flag",
            "diff": "numbers",
            "grep": "text",
            "project": "text",
            "match": "text",
            "session": "text",
        },
    ),
    "blame": Route(_blame, {"path": "text", "version": "number", "at": "since", "lines": "text"}),
    "usage": Route(
        _usage, {**SESSIONS, "by": "text", "model": "text", "session": "text", "csv": "flag", "timeline": "flag"}
    ),
    "tools": Route(_tools, {**SESSIONS, "session": "text", "csv": "flag"}),
    "accounts": Route(_accounts),
    "worktrees": Route(_worktrees),
    "flags": Route(_flags, {"prefix": "text"}),
    "storage": Route(
        _storage,
        {"key": "text", "origin": "text", "indexeddb": "flag", "deleted": "flag", "everything": "flag"},
    ),
    "cowork": Route(_cowork, takes_name=True),
    "drift": Route(_drift, {"type": "text"}),
    "doctor": Route(_doctor, {"kind": "text"}, takes_name=True),
    "archive": Route(_archive, {"files": "flag", "facts": "flag", "limit": "number", "all": "flag"}, takes_name=True),
}
"""Every route below `/api/` but `watch`; an option that is not here is refused."""
