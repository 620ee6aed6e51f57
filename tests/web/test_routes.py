"""Each route answers with the document of its command."""

import asyncio
import json
import subprocess
import time
from collections.abc import Iterator, MutableMapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from web.conftest import PROGRAM, Site

import backscroll
from backscroll.demo import write_demo_home
from backscroll.web.app import make_app
from backscroll.web.commands import ROUTES
from backscroll.web.events import SPARED, spared
from backscroll.web.secrets_of_run import RunSecret

SESSION = "5d1a7b92-33c8-4e90-a6f4-2b8c7d9e0a04"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in ROUTES if name not in ("recover", "blame", "search", "calls", "archive")]
)
def test_a_route_is_the_document_of_its_command(site: Site, name: str) -> None:
    """The answer has the bytes that `--json` prints."""
    session = [SESSION] if ROUTES[name].needs_name else []
    command = [*PROGRAM, "--root", str(site.root), name, *session, "--json"]
    printed = subprocess.run(command, capture_output=True, env=site.env, check=True).stdout
    assert site.json("/".join(["/api", name, *session])) == json.loads(printed)


def test_a_hint_names_the_root(site: Site) -> None:
    """The remedy of an error can be pasted: it names the root that the server reads."""
    error = json.loads(site.ask("/api/show/nothing", Authorization=f"Bearer {site.token}")[2])["error"]
    assert error["remedy"] == f"Run `backscroll --root {site.root} list --all` to see every session with its id."


@pytest.mark.slow
def test_the_archive_has_two_documents(site: Site) -> None:
    """`archive` is the document of `archive status`, `archive/list` that of `archive list`."""
    for path, words in (("/api/archive", ["status"]), ("/api/archive/list", ["list"])):
        command = [*PROGRAM, "--root", str(site.root), "archive", *words, "--json"]
        printed = subprocess.run(command, capture_output=True, env=site.env, check=True).stdout
        assert site.json(path) == json.loads(printed)
    assert site.ask("/api/archive/nothing", Authorization=f"Bearer {site.token}")[0] == 404


def test_search_finds_beginnings_while_typing(site: Site) -> None:
    """The last word may be a beginning; nothing found is an empty answer."""
    assert site.json("/api/search?query=butto&typing=1")["total"] > 0
    assert site.json("/api/search?query=butto")["total"] == 0


def test_a_search_has_some_hits_of_each_session(site: Site) -> None:
    """`per_session` limits the hits of a session; `others` counts those that are left out."""
    hits = site.json("/api/search?query=amount*&per_session=2&limit=100")["hits"]
    every = site.json("/api/search?query=amount*&all_hits=1&limit=100")["hits"]
    for session in {hit["session"] for hit in every}:
        own = [hit for hit in hits if hit["session"] == session]
        number = sum(hit["session"] == session for hit in every)
        assert [max(0, number - 2)] * min(number, 2) == [hit["others"] for hit in own]


def test_a_letter_that_nobody_waits_for_is_not_searched(tmp_path: Path) -> None:
    """If a browser has left while its letter waited, the letter costs nothing; any other request is answered."""
    secret, answers = RunSecret(), []
    with backscroll.open(write_demo_home(tmp_path / "home", datetime.now(UTC))) as library:
        app = make_app(library, secret, 80)

        async def ask(query: bytes) -> None:
            async def receive() -> dict[str, str]:
                return {"type": "http.disconnect"}

            async def send(message: MutableMapping[str, Any]) -> None:
                answers.append(message.get("status"))

            headers = [(b"host", b"127.0.0.1:80"), (b"authorization", f"Bearer {secret.token}".encode())]
            await app({**scope, "query_string": query, "headers": headers}, receive, send)

        scope = {"type": "http", "method": "GET", "path": "/api/search", "raw_path": b"/api/search"}
        asyncio.run(ask(b"query=amount&typing=1"))
        assert answers == [204, None]
        answers.clear()
        asyncio.run(ask(b"query=amount"))
        assert 204 not in answers


def test_news_are_looked_for_at_once_and_else_rarely() -> None:
    """After a change everything is looked at; without one, only as often as a small part of the time allows."""
    now = [0.0]
    cost = 2.0

    def wakes() -> Iterator[set[str]]:
        for second in range(1000):
            now[0] += 1
            yield {"changed"} if second == 7 else set()

    looks = []
    for _ in spared(wakes(), lambda: now[0]):
        looks.append(now[0])
        now[0] += cost

    assert looks[0] == 1
    assert 10 in looks
    assert len(looks) < 1000 / (SPARED * cost) + 4


def test_a_page_of_messages_has_safe_html(site: Site) -> None:
    """`html=1` adds HTML to each part; the page says how many messages there are."""
    page = site.json(f"/api/show/{SESSION}?offset=1&limit=2&html=1")
    assert (page["offset"], len(page["messages"])) == (1, 2)
    assert page["total"] > 3
    assert all("html" in part for message in page["messages"] for part in message["parts"])
    last = page["messages"][1]["id"]
    assert last in [message["id"] for message in site.json(f"/api/show/{SESSION}?at={last}&limit=3")["messages"]]
    assert "error" in site.json(f"/api/show/{SESSION}?limit=501")


def test_a_page_of_messages_names_its_agents(site: Site) -> None:
    """A page, with HTML or without, has the agents that said some of its messages."""
    session = "71c5d0e8-6f2b-4a97-b1d4-8e9f0a1b2c06"
    known = [one for one in site.json("/api/list?all=1&agents=1")["agents"][session] if not one["is_internal"]]
    for html in ("", "&html=1"):
        assert site.json(f"/api/show/{session}?limit=100{html}")["agents"] == known
    for number in range(6):
        page = site.json(f"/api/show/{session}?offset={number}&limit=1")
        assert [one["id"] for one in page["agents"]] == [one["agent"] for one in page["messages"] if one["agent"]]


def test_a_result_stands_under_its_call(site: Site) -> None:
    """On a page that has a call and its result, the HTML of the call holds both."""
    parts = [part for one in site.json("/api/show/3f0c2a51?html=1")["messages"] for part in one["parts"]]
    calls = [part for part in parts if part["kind"] == "call"]

    assert any("3 passed" in part["html"] for part in calls)
    assert {""} == {part["html"] for part in parts if part["kind"] == "result"}


def test_every_result_is_on_one_page_wherever_pages_end(site: Site) -> None:
    """Pages of any size show each result once, under its call or alone."""
    session = "3f0c2a51"
    total = site.json(f"/api/show/{session}?limit=1")["total"]
    for size in (1, 2, 3, 7):
        pages = [site.json(f"/api/show/{session}?html=1&offset={n}&limit={size}") for n in range(0, total, size)]
        html = "".join(part["html"] for page in pages for one in page["messages"] for part in one["parts"])
        assert html.count("12 passed in 0.31s") == 1
        assert html.count("1 failed, 3 passed") == 1


def test_documents_that_are_not_json_are_downloads(site: Site) -> None:
    """Markdown, HTML, CSV and the bytes of a file come as attachments."""
    path = site.json("/api/files")["files"][-1]["path"]
    for asked in (
        f"show/{SESSION}?format=md",
        f"show/{SESSION}?format=html",
        "usage?csv=1",
        f"recover?path={path}&print=1",
    ):
        status, headers, body = site.ask(f"/api/{asked}", Authorization=f"Bearer {site.token}")
        assert (status, bool(body)) == (200, True), asked
        assert headers["content-disposition"].startswith("attachment; filename=")
        assert "html" not in headers["content-type"]


def test_a_second_web_finds_the_first(site: Site) -> None:
    """It prints a new link to the same server and ends; the file with the address is private."""
    command = [*PROGRAM, "--root", str(site.root), "web", "latest", "--no-open", "--json"]
    found = json.loads(subprocess.run(command, capture_output=True, env=site.env, check=True).stdout)
    assert (found["port"], found["pid"], found["token"]) == (site.port, site.pid, site.token)
    assert found["url"] != site.url
    assert "/sessions/" in found["url"]
    (file,) = (site.root.parent / "own/run").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
def test_watch_sends_new_messages(site: Site) -> None:
    """A message that is written while somebody listens arrives as an event."""
    import http.client  # noqa: PLC0415

    file = site.root / ".claude/projects/-home-ann-live/11111111-2222-4333-8444-555555555555.jsonl"
    file.parent.mkdir(exist_ok=True)
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=30)
    connection.request("GET", "/api/watch", headers={"Authorization": f"Bearer {site.token}"})
    answer = connection.getresponse()
    assert answer.getheader("content-type", "").startswith("text/event-stream")
    assert answer.readline() == b": open\n"
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    record = {
        "type": "user", "uuid": "aaaaaaaa-0000-4000-8000-000000000001", "parentUuid": None, "timestamp": now,
        "sessionId": file.stem, "cwd": "/home/ann/live", "message": {"role": "user", "content": "are you there"},
    }  # fmt: skip
    file.write_text(json.dumps(record) + "\n")
    lines = iter(answer.readline, b"")
    assert next(line for line in lines if line.startswith(b"event:")) == b"event: message\n"
    assert json.loads(next(lines).removeprefix(b"data: "))["parts"][0]["text"] == "are you there"
    connection.close()
