"""Every route refuses every request that is not from the user's own browser or script."""

import pytest
from web.conftest import Site

from backscroll.web.commands import ROUTES
from backscroll.web.secrets_of_run import RunSecret

PATHS = [f"/api/{name}" for name in (*ROUTES, "watch")] + ["/api/show/latest", "/api", "/api/", "/api/nothing"]
FORBIDDEN = (
    *("root", "secrets", "raw", "regex", "output", "o", "write", "in_place", "apply", "risky", "svg", "no_update"),
    *("json", "jsonl", "strict", "pager", "patch", "schema", "audit", "timezone", "fix", "rebuild", "dir", "is_print"),
)


def attacks(site: Site) -> list[tuple[int, str, dict[str, str]]]:
    """Return the expected status, the method and the headers of each attack."""
    own, token = f"127.0.0.1:{site.port}", {"Authorization": f"Bearer {site.token}"}
    hosts = ["evil.example", f"evil.example:{site.port}", "127.0.0.1", f"127.0.0.1:{site.port + 1}"]
    hosts += [f"localhost.evil.example:{site.port}", f"[::1]:{site.port}", f"127.0.0.1.:{site.port}"]
    origins = ["http://evil.example", f"http://127.0.0.1:{site.port + 1}", f"https://{own}", "null"]
    origins += [f"http://localhost:{site.port}"]
    methods = ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
    tokens = [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {site.token}"}]
    tokens += [{"Cookie": f"backscroll-{site.port}={site.token}"}]
    return [
        *((421, "GET", {**token, "Host": host}) for host in hosts),
        *((403, "GET", {**token, "Origin": origin}) for origin in origins),
        *((403, "GET", {**token, "Sec-Fetch-Site": place}) for place in ("cross-site", "same-site", "odd")),
        *((405, method, token) for method in methods),
        *((401, "GET", headers) for headers in tokens),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_every_route_refuses_every_attack(site: Site, path: str) -> None:
    """All 24 attacks end with their status, and none gets data or a header that lets another origin read."""
    tried = attacks(site)
    assert len(tried) == 24
    for status, method, headers in tried:
        got, answered, body = site.ask(path, method, None, **headers)
        assert got == status, (path, method, headers)
        assert not any(name.startswith("access-control") for name in answered)
        assert b'"error"' in body


@pytest.mark.slow
@pytest.mark.parametrize("name", ROUTES)
def test_options_that_write_or_reveal_are_refused(site: Site, name: str) -> None:
    """An option that is not in the table is 400 on every route."""
    path = f"/api/{name}/latest" if ROUTES[name].needs_name else f"/api/{name}"
    for option in FORBIDDEN:
        status, _, body = site.ask(f"{path}?{option}=1", Authorization=f"Bearer {site.token}")
        assert status == 400, option
        assert b"may not pass this option" in body


def test_pages_hold_no_data_and_a_strict_policy(site: Site) -> None:
    """A page needs no token, is the same for every address and forbids everything foreign."""
    status, headers, body = site.ask("/sessions/latest")
    assert status == 200
    assert body == site.ask("/")[2]
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert b"5d1a7b92" not in body
    assert site.ask("/", Host="evil.example")[0] == 421


def test_a_link_signs_in_one_browser(site: Site) -> None:
    """A link gives one cookie, works once, and only from our own page."""
    link = RunSecret(site.token).new_link().encode()
    own = f"http://127.0.0.1:{site.port}"
    assert site.ask("/sign-in", "POST", link)[0] == 403
    assert site.ask("/sign-in", "POST", link, Origin="http://evil.example")[0] == 403
    assert site.ask("/sign-in", "GET", Origin=own)[0] == 405
    status, headers, _ = site.ask("/sign-in", "POST", link, Origin=own)
    assert status == 204
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert site.ask("/api/overview", Cookie=cookie.partition(";")[0])[0] == 200
    assert site.ask("/sign-in", "POST", link, Origin=own)[0] == 401
    assert site.ask("/sign-in", "POST", b"x" * 1000, Origin=own)[0] == 400


def test_a_path_names_a_session_only_if_a_store_found_it(site: Site) -> None:
    """A transcript elsewhere on the disk is not read."""
    elsewhere = site.root.parent / "other.jsonl"
    elsewhere.write_text('{"type":"user","message":{"role":"user","content":"hidden"}}\n')
    status, _, body = site.ask(f"/api/show/{elsewhere}", Authorization=f"Bearer {site.token}")
    assert status == 404
    assert b"hidden" not in body
    known = site.json("/api/list?limit=1")["sessions"][0]["transcripts"][0]
    assert site.json(f"/api/show/{known}")["messages"]
