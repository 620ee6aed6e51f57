"""The one layer that every request passes: host, origin, site, method and token; anything unclear is refused.

It is pure ASGI, so it covers pages, files and streams alike, and it writes the headers of every response.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from backscroll.views.json.sessions import dumps
from backscroll.web.secrets_of_run import RunSecret

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SIGN_IN = "/sign-in"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


def cookie_name(port: int) -> str:
    """Return the name of the cookie; browsers share cookies between the ports of a host."""
    return f"backscroll-{port}"


class Guard:
    """Refuse every request that is not from this user's own browser or script."""

    def __init__(self, app: App, secret: RunSecret, port: int) -> None:
        self._app = app
        self._secret = secret
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._cookie = cookie_name(port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with the reason for its refusal."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(send, *refusal, is_head=scope["method"] == "HEAD")
            return
        await self._app(scope, receive, _with_headers(send, is_data=scope["path"].startswith("/api")))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:  # noqa: PLR0911 - one reason each
        """Return the status and the reason of a refusal, or None."""
        headers = _single_headers(scope)
        if headers is None:
            return 400, "a header occurs twice"
        host, path, method = headers.get("host", ""), scope["path"], scope["method"]
        if host not in self._hosts:
            return 421, "this server answers to 127.0.0.1 and localhost only"
        is_sign_in = path == SIGN_IN
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return 403, "this page belongs to another origin"
        is_api = path == "/api" or path.startswith("/api/")
        if (is_api or is_sign_in) and headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return 403, "the request comes from another site"
        if method != "POST" if is_sign_in else method not in ("GET", "HEAD"):
            return 405, "this method is not allowed here"
        if is_sign_in and "origin" not in headers:
            return 403, "signing in needs an origin"
        if is_api and not self._is_known(headers):
            return 401, "this browser is not signed in"
        return None

    def _is_known(self, headers: dict[str, str]) -> bool:
        """Return True if a request carries the token or the cookie of this run."""
        if "authorization" in headers:
            kind, _, token = headers["authorization"].partition(" ")
            return kind.lower() == "bearer" and self._secret.is_token(token)
        for pair in headers.get("cookie", "").split(";"):
            name, _, value = pair.strip().partition("=")
            if name == self._cookie and self._secret.is_cookie(value):
                return True
        return False


_ONCE = {"host", "origin", "authorization", "sec-fetch-site", "cookie"}


def _single_headers(scope: Scope) -> dict[str, str] | None:
    """Return the headers by name; None where one that decides occurs twice."""
    found: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name = raw_name.decode("latin-1").lower()
        if name in _ONCE and name in found:
            return None
        found[name] = raw_value.decode("latin-1")
    return found


def _with_headers(send: Send, *, is_data: bool) -> Send:
    """Return a `send` that adds our headers to the start of each response."""
    added = HEADERS | ({"cache-control": "no-store"} if is_data else {})

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [(name, value) for name, value in message.get("headers", []) if name.decode().lower() not in added]
            message["headers"] = kept + [(name.encode(), value.encode()) for name, value in added.items()]
        await send(message)

    return sending


async def _refuse(send: Send, status: int, what: str, *, is_head: bool) -> None:
    """WebAnswer with an error document."""
    remedy = "Run `backscroll web` for a new link." if status == 401 else None
    body = dumps({"error": {"what": what, "where": None, "remedy": remedy}}).encode()
    sending = _with_headers(send, is_data=True)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await sending({"type": "http.response.start", "status": status, "headers": headers})
    await sending({"type": "http.response.body", "body": b"" if is_head else body})
