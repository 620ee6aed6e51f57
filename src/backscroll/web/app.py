"""The application: pages without data, sign-in, and the routes below `/api/` from the table of commands."""

from asyncio import Lock
from collections.abc import AsyncIterator, Iterable, Iterator
from functools import lru_cache
from gzip import compress
from importlib.resources import files
from itertools import chain, islice
from pathlib import PurePosixPath

from starlette.applications import Starlette
from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route as Address

from backscroll.dirs import NAME, named_in
from backscroll.errors import BackscrollError, BusyError, CorruptError, NotFoundError, QueryError, answer_for
from backscroll.index import db
from backscroll.library import Library
from backscroll.verbs.base import OwnPrices
from backscroll.views.html.page import stylesheet
from backscroll.web.answer import WebAnswer
from backscroll.web.commands import ROUTES, WebSource
from backscroll.web.events import Feed
from backscroll.web.guard import App, Guard, cookie_name
from backscroll.web.options import Allowed, parse
from backscroll.web.secrets_of_run import RunSecret

TYPES = {".js": "text/javascript", ".css": "text/css", ".txt": "text/plain"}
_WATCH: Allowed = {"session": "text"}
_LONGEST_LINK = 200
_CHUNK = 1 << 16
_PACKED = 5
"""The level of gzip for answers: 9 takes three times as long and saves a fourteenth."""


def make_app(library: Library, secret: RunSecret, port: int, prices: OwnPrices = None) -> App:
    """Return the guarded application of one library."""
    source, one_letter = WebSource(library, prices), Lock()

    async def api(request: Request) -> Response:
        try:
            if "typing" not in request.query_params:
                return await _answered(source, request)
            async with one_letter:
                if await request.is_disconnected():
                    return Response(status_code=204)  # a newer letter came while this one waited
                return await _answered(source, request)
        except (BackscrollError, db.OperationError, OSError) as error:
            return _failed(error, library.program)

    async def sign_in(request: Request) -> Response:
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _LONGEST_LINK:
                return _failed(QueryError("not a link"), NAME)
        cookie = secret.use_link(body.decode("latin-1"))
        if cookie is None:
            document = {
                "what": "this link was used already",
                "where": None,
                "remedy": "Run `backscroll web` for a new one.",
            }
            return JSONResponse({"error": document}, 401)
        response = Response(status_code=204)
        response.set_cookie(cookie_name(port), cookie, path="/api/", httponly=True, samesite="strict")
        return response

    addresses = [
        Address("/sign-in", sign_in, methods=["POST"]),
        Address("/api/{name}", api),
        Address("/api/{name}/{session:path}", api),
        Address("/api/", api),
        Address("/static/{name}", _static),
        Address("/{page:path}", _page),
    ]
    return Guard(GZipMiddleware(Starlette(routes=addresses), minimum_size=1000, compresslevel=_PACKED), secret, port)


async def _answered(source: WebSource, request: Request) -> Response:
    name, session = request.path_params.get("name", ""), request.path_params.get("session")
    if name == "watch":
        asked = parse(session, request.query_params.multi_items(), _WATCH)
        feed = await run_in_threadpool(Feed, source.library, _named(source.library, asked.get("session")))
        return StreamingResponse(feed.events(), media_type="text/event-stream")
    route = ROUTES.get(name)
    if route is None or (session is not None and not route.takes_name) or (route.needs_name and not session):
        raise NotFoundError("there is no such route", request.url.path)
    asked = parse(session or None, request.query_params.multi_items(), route.options)
    for named in (asked.name, asked.get("session")):
        _named(source.library, named)
    answer = await run_in_threadpool(lambda: _begun(route.answer(source, asked)))
    return StreamingResponse(_encoded(answer.pieces), media_type=answer.media, headers=answer.headers())


def _named(library: Library, session: str | None) -> str | None:
    """Return the name of a session; refuse a path that no store found."""
    if session is not None and ("/" in session or "\\" in session or session.endswith(".jsonl")):
        known = {path for one in library.list_sessions(limit=None).sessions for path in one.transcripts}
        if session not in known:
            raise NotFoundError("no store has this transcript", session)
    return session


def _begun(answer: WebAnswer) -> WebAnswer:
    """Return an answer whose first piece is made, so that an error becomes a status."""
    pieces = iter(answer.pieces)
    return answer._replace(pieces=chain(list(islice(pieces, 1)), pieces))


async def _encoded(pieces: Iterable[str | bytes]) -> AsyncIterator[bytes]:
    async for chunk in iterate_in_threadpool(_gathered(pieces)):
        yield chunk


def _gathered(pieces: Iterable[str | bytes]) -> Iterator[bytes]:
    """Yield pieces in chunks: each chunk costs a change of threads, and a long list has thousands of pieces."""
    chunk = bytearray()
    for piece in pieces:
        chunk += piece.encode() if isinstance(piece, str) else piece
        if len(chunk) >= _CHUNK:
            yield bytes(chunk)
            chunk.clear()
    if chunk:
        yield bytes(chunk)


def _failed(error: Exception, program: str) -> Response:
    """Return the document of an error; its remedy names the program with the roots."""
    if not isinstance(error, BackscrollError):
        error = BusyError("the index cannot be read now", remedy="Try again in a moment.")
    status = 503 if isinstance(error, BusyError | CorruptError) else answer_for(error).http_status
    remedy = None if error.remedy is None else named_in(error.remedy, program)
    return JSONResponse({"error": {"what": error.what, "where": error.where, "remedy": remedy}}, status)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name == "messages.css":
        return _file(request, name, "text/css")
    media = TYPES.get(PurePosixPath(name).suffix)
    names = {one.name for one in (files("backscroll.web") / "static").iterdir()}
    if media is None or name not in names:
        return Response("not found", 404)
    return _file(request, name, media)


async def _page(request: Request) -> Response:
    return _file(request, "page.html", "text/html")  # every address has the same page


def _file(request: Request, name: str, media: str) -> Response:
    headers = {"cache-control": "no-cache", "vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(_content(name), media_type=media, headers=headers)
    return Response(_packed(name), media_type=media, headers=headers | {"content-encoding": "gzip"})


@lru_cache(16)
def _packed(name: str) -> bytes:
    return compress(_content(name), mtime=0)


@lru_cache(16)
def _content(name: str) -> bytes:
    """Return the bytes of our own file; they stay the same while this server runs."""
    if name == "messages.css":  # in its own scope, because the page's own elements have a style of their own
        return f"@scope (.html) {{\n{stylesheet()}}}\n".encode()
    return (files("backscroll.web") / "static" / name).read_bytes()
