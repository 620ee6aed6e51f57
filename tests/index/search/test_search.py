"""Search: what is found, in which order, and what a hit says."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from make import (
    UUID,
    Draft,
    assistant,
    bash,
    edit,
    failed,
    home,
    line,
    user,
    write_demo_home,
    write_side,
    write_transcript,
)
from searched import Searched

from backscroll.errors import QueryError
from backscroll.index.search import search
from backscroll.query.question import Ask

OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searched]:
    """Search a home with two sessions."""
    root = home(tmp_path_factory.mktemp("shop"))
    draft = Draft(UUID, "/srv/shop")
    draft.prompt("Why does the Café page time out?")
    draft.answer(
        "It waits for a lock.", thinking="Perhaps a deadlock in the pool.", calls=[bash("pytest -k cart", "1 passed")]
    )
    draft.answer(
        "Look:\n```py\nparseSessionHeader(x)\n```", calls=[failed("make build", 2, "undefined reference to foo_bar")]
    )
    draft.prompt("修复数据库连接超时").answer(
        "好的。", calls=[edit("/srv/shop/src/cart.py", "old_name", "new_name", "old_name")]
    )
    agent = draft.agent("Look around", "Count the zebras.")
    draft.join(agent, "There are seven zebras.")
    draft.title("Slow café page", by="custom")
    draft.write(root)
    Draft(OTHER, "/srv/blog", branch="draft-post").prompt("A lock on the gate").answer("A lock, a lock, a lock.").write(
        root
    )
    write_side(root, "plans/calm-river.md", b"# Plan\nRewrite the frobnicator.\n")
    write_side(root, f"todos/{UUID}-agent-{UUID}.json", b'[{"content": "polish the brass", "status": "pending"}]')
    write_side(
        root,
        "history.jsonl",
        b'{"display":"long gone wish","timestamp":1763000000000,"sessionId":"gone","project":"/p"}\n',
    )
    with Searched(root) as searched:
        yield searched


@pytest.mark.parametrize(
    "query, kinds",
    [
        ("cafe time", {"text"}),
        ("deadlock", {"thinking"}),
        ("pytest", {"call"}),
        ("passed", {"result"}),
        ("zebras", {"text", "call", "result"}),
        ("slow café", {"title"}),
        ("frobnicator", {"plan"}),
        ("brass", {"todo"}),
        ("gone wish", {"text"}),
    ],
)
def test_everything_is_found(shop: Searched, query: str, kinds: set[str]) -> None:
    """Prompts, answers, thinking, calls, results, agents, titles, plans, todos and prompts of lost sessions."""
    assert kinds == {hit.kind for hit in shop(query).hits}


@pytest.mark.parametrize(
    "query",
    [
        "parseSessionHeader",
        "session header",
        "PARSESESSIONHEADER",
        "SessionHeader",
        "parseSess*",
        "foo_bar",
        "foo bar",
        "src/cart.py",
        "cart.py",
        "数据库",
        "接超",
        "file:cart.py",
        "tool:edit",
        '"waits for a"',
        "wait*",
    ],
)
def test_spellings(shop: Searched, query: str) -> None:
    """Identifiers are found by themselves and by their parts, paths by theirs, Chinese by any substring."""
    assert shop(query).hits


@pytest.mark.parametrize(
    "query",
    [
        "wait",
        '"for waits"',
        "cafe -time -slow",
        "据数",
        "lock project:shop -wait* -deadlock role:user",
        "",
        "+++",
        "()",
    ],
)
def test_nothing(shop: Searched, query: str) -> None:
    """Parts of words, other orders and excluded words are not found; punctuation alone finds nothing."""
    assert [] == shop(query).hits


def test_fields(shop: Searched) -> None:
    """Fields narrow a search down."""
    assert {UUID, OTHER} == {hit.session for hit in shop("lock").hits}
    assert {OTHER} == {hit.session for hit in shop("lock project:blog").hits}
    assert {OTHER} == {hit.session for hit in shop("lock branch:draft").hits}
    assert {UUID} == {hit.session for hit in shop("lock -project:blog").hits}
    assert {"user"} == {hit.role for hit in shop("lock role:user").hits}
    assert {"assistant", "user"} == {hit.role for hit in shop("lock role:user role:assistant").hits}
    assert ["result"] == [hit.kind for hit in shop("is:error").hits]
    assert [True] == [bool(hit.agent) for hit in shop("zebras is:agent role:user").hits]
    assert 1 == shop("has:code").total
    assert shop(f"session:{UUID[:8]}").total == shop("", {"session": UUID}).total != 0
    assert 0 == shop("lock since:2030-01-01").total
    assert 3 == shop("lock until:2030-01-01").total
    assert 0 == shop("lock store:cowork").total
    assert shop("lock", {"model": "opus"}).total == shop("lock model:claude role:assistant").total


def test_only_in_a_kind(shop: Searched) -> None:
    """With `kind:` words are looked for in that kind of text alone."""
    assert ["thinking"] == [hit.kind for hit in shop("pool kind:thinking").hits]
    assert [] == shop("waits kind:thinking").hits


def test_one_hit_for_each_session(shop: Searched) -> None:
    """Without `all_hits` each session has its best hit, and the number of its others."""
    found = shop("lock", all_hits=False)

    assert 3 == found.total
    assert [(OTHER, 1), (UUID, 0)] == [(hit.session, hit.others) for hit in found.hits]


@pytest.mark.parametrize("page", [1, 2, 3, 200])
@pytest.mark.parametrize("query", ["lock", "lo*", "lock OR gate", "project:srv lock"])
@pytest.mark.parametrize("mode", [None, "exact"])
def test_some_hits_of_each_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str, page: int, mode: str | None
) -> None:
    """With `per_session` each session has its best hits, each once, and the number of those that are left out."""
    names = [f"{number}{UUID[1:]}" for number in range(1, 6)]
    for place, name in enumerate(names):
        draft = Draft(name, "/srv/shop")
        for turn in range(place + 1):
            draft.prompt(f"A lock, number {turn}").answer("Nothing.")
        draft.write(home(tmp_path))
    monkeypatch.setattr(search, "PAGE", page)
    asked = "lock" if mode else query
    with Searched(tmp_path) as searched:
        found = searched(asked, all_hits=False, per_session=3, limit=100, mode=mode)
        few = searched(asked, all_hits=False, per_session=3, limit=4, mode=mode)

    assert [min(place + 1, 3) for place in range(5)] == [
        [hit.session for hit in found.hits].count(name) for name in names
    ]
    assert len(found.hits) == len({(hit.session, hit.message) for hit in found.hits})
    assert {(name, max(place - 2, 0)) for place, name in enumerate(names)} == {
        (hit.session, hit.others) for hit in found.hits
    }
    assert found.total == few.total == 15
    assert [hit.message for hit in few.hits] == [hit.message for hit in found.hits[:4]]


@pytest.mark.parametrize(
    "query", ["lock", "lo*", '"a lock"', "lock since:2000-01-01", "lock project:srv", "lock OR gate"]
)
def test_best_of_each_session_over_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str) -> None:
    """However few documents are looked at in one go, every session has its best hit, and all counts are exact."""
    names = [f"{number}{UUID[1:]}" for number in range(1, 6)]
    for place, name in enumerate(names):
        draft = Draft(name, "/srv/shop")
        for turn in range(3 * place + 1):
            draft.prompt(f"A lock, number {turn}").answer("Nothing.")
        draft.write(home(tmp_path))
    monkeypatch.setattr(search, "PAGE", 2)
    with Searched(tmp_path) as searched:
        found = searched(query, all_hits=False)
        assert found.total == sum(3 * place + 1 for place in range(5))
        assert {name: 3 * place for place, name in enumerate(names)} == {hit.session: hit.others for hit in found.hits}
        assert len(searched(query, all_hits=False, limit=2).hits) == 2


def test_order(shop: Searched) -> None:
    """What people say comes before what tools give back; by time the newest comes first."""
    times = [hit.time for hit in shop("lock", by_time=True).hits if hit.time]

    assert "text" == shop("zebras").hits[0].kind
    assert sorted(times, reverse=True) == times


def test_marks(shop: Searched) -> None:
    """The snippet holds the match, and the marks say where."""
    (hit,) = shop("session header").hits

    assert ["Session", "Header"] == [hit.snippet[start:end] for start, end in hit.marks]
    assert [hit.snippet[start:end] for hit in shop("cafe time").hits for start, end in hit.marks] == ["Café", "time"]


def test_place(shop: Searched) -> None:
    """A hit names the message and the bytes that it was read from."""
    (hit,) = shop("waits").hits

    assert hit.place
    with open(hit.place.path, "rb") as file:  # noqa: PTH123 - as any reader would
        file.seek(hit.place.offset or 0)
        record = file.read(hit.place.length)
    assert hit.message
    assert hit.message.encode() in record


def test_exact(shop: Searched) -> None:
    """`exact` finds letters, punctuation and case as they are, parts of words too."""
    assert 1 == shop("parseSessionHeader(x)", mode="exact").total
    assert 1 == shop("ssionHead", mode="exact").total
    assert 0 == shop("ssionhead", mode="exact").total
    assert 1 == shop("```py", mode="exact").total
    assert 1 == shop("库连", mode="exact").total


def test_regex(shop: Searched) -> None:
    """`regex` finds what an expression matches; a bad one is the asker's mistake."""
    assert ["parseSessionHeader(x)"] == [
        hit.snippet[slice(*hit.marks[0])] for hit in shop(r"parse\w+\(.\)", mode="regex").hits
    ]
    assert 1 == shop(r"undefined.*foo_bar", mode="regex").total
    with pytest.raises(QueryError):
        shop("(", mode="regex")


def test_regex_takes_no_time(shop: Searched) -> None:
    """An expression that backtracking engines choke on ends at once."""
    assert 0 == shop(r"(a+)+b$|(x+x+)+y", mode="regex").total


def test_as_one_types(shop: Searched) -> None:
    """While somebody types, the last word may go on."""
    assert shop("dead", is_typing=True).hits
    assert not shop("dead ", is_typing=True).hits


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searched]:
    """Search the demo home."""
    root = write_demo_home(tmp_path_factory.mktemp("demo"))
    with Searched(root) as searched:
        yield searched


@pytest.mark.parametrize("page", [1, 3, 200])
@pytest.mark.parametrize("query", ["th*", "re*", "a*", "re* role:user", "s* -kind:title", "qx*", "st* kind:text"])
def test_beginnings_are_counted(demo: Searched, monkeypatch: pytest.MonkeyPatch, query: str, page: int) -> None:
    """Of a beginning that much matches, the numbers are right, and no session is left out."""
    monkeypatch.setattr(search, "PAGE", page)
    every = demo(query, limit=100_000)
    numbers = Counter(hit.session for hit in every.hits)
    found = demo(query, all_hits=False, limit=100_000)
    few = demo(query, all_hits=False, limit=2)

    assert every.total == found.total == few.total == len(every.hits)
    assert numbers == Counter({hit.session: hit.others + 1 for hit in found.hits if hit.session}) + Counter(
        hit.session for hit in found.hits if not hit.session
    )
    assert few.hits == found.hits[:2]


@pytest.mark.parametrize("is_mixed", [True, False])
def test_beginnings_in_a_message_of_both_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_mixed: bool) -> None:
    """What Claude wrote and what it was told are counted apart, but for messages that hold both."""
    prompt, answer = "11111111-0000-4000-8000-000000000000", "22222222-0000-4000-8000-000000000000"
    told = {"type": "tool_result", "tool_use_id": "srvtoolu_1", "content": "street"}
    said = [{"type": "text", "text": "stone"}, *([told] if is_mixed else [])]
    records = [user(prompt, None, "stream"), assistant(answer, prompt, said)]
    write_transcript(tmp_path, "-p", UUID, map(line, records))
    parts: list[int] = []
    count = search._Search._asked_apart

    def noted(self: search._Search, asked: Ask) -> list[Ask]:
        found = count(self, asked)
        parts.append(len(found))
        return found

    monkeypatch.setattr(search._Search, "_asked_apart", noted)
    with Searched(tmp_path) as searched:
        found = searched("st*", all_hits=False)

    assert parts == [1 if is_mixed else 2]
    assert found.total == 2
    assert [hit.others for hit in found.hits] == [1]


def test_sessions_are_looked_up_once(demo: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often a search asks, which sessions fit a wish is looked up once."""
    asked: list[str] = []
    fitting = search._Search._fitting

    def noted(self: search._Search, name: str, value: str) -> list[str]:
        asked.append(value)
        return fitting(self, name, value)

    monkeypatch.setattr(search._Search, "_fitting", noted)
    assert demo("s* project:a -project:zzz", all_hits=False).hits
    assert asked == ["a", "zzz"]


def test_beginnings_are_ordered(demo: Searched) -> None:
    """The best kind of text comes first, and of one kind what is newest."""
    hits = demo("s*", all_hits=False, limit=100).hits
    order = [(-(hit.score or 0), -(hit.time.timestamp() if hit.time else 0)) for hit in hits]

    assert len({hit.score for hit in hits}) > 1
    assert order == sorted(order)


@pytest.mark.slow
def test_fuzzed_queries(shop: Searched) -> None:
    """A thousand queries made of everything that means something somewhere raise nothing, but for unknown roles."""
    chance = random.Random(3)  # noqa: S311 - the same queries every time
    pieces = [
        *'"*()[]{}\\/:;-+^~?!&|<>=$%#@,.',
        "OR",
        "NOT",
        "AND",
        "NEAR",
        "role:",
        "project:",
        "session:",
        "since:",
        "kind:text",
        "a",
        "lock",
        "修",
        "é",
        " ",
        "\0",
        "\ud800",
    ]
    for _ in range(1000):
        with suppress(QueryError):
            shop("".join(chance.choices(pieces, k=chance.randrange(1, 12))), limit=3)


def test_long_queries(shop: Searched) -> None:
    """Three hundred parentheses, a thousand words and a megabyte are plain text."""
    for query in ("(" * 300 + "lock" + ")" * 300, "lock " * 1000, "x" * 1_000_000, "a OR " * 1000, "x" * 10_000 + "*"):
        shop(query)
    for field in ("project", "session", "tool", "file", "model", "account"):
        assert 0 == shop(f"{field}:{'修([x' * 10_000}").total


def test_demo_home(tmp_path: Path) -> None:
    """The demo home is found whole."""
    write_demo_home(tmp_path)
    with Searched(tmp_path) as searched:
        assert searched.documents() > 50
