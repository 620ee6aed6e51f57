"""Usage: every grouping has the same total, which a second way of counting finds too."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import second_way
from conftest import shared_path
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from make import NOON, UUID, Draft, assistant, bash, home, indexed, line, listed, sums_of, user, write_transcript

from backscroll.errors import QueryError
from backscroll.index.queries.usage import UsageFilter
from backscroll.stats.costs import fill_costs
from backscroll.stats.model import UsageReport
from backscroll.stats.prices import load_prices
from backscroll.stats.usage import GROUPS, report

OTHER = "22222222-2222-4222-8222-222222222222"
THIRD = "33333333-3333-4333-8333-333333333333"
TOKENS = ("input", "output", "cache_write", "cache_read")
PRICES = load_prices()


def used(root: Path, *by: str, zone: Any = UTC, now: datetime = NOON, **wanted: Any) -> UsageReport:
    """Return the usage of a home."""
    return report(indexed(root), sums_of(**wanted), by or ("day",), PRICES, zone=zone, now=now)


def summed(found: UsageReport) -> dict[str, int]:
    """Return the sums over the rows."""
    return {name: sum(getattr(row, name) or 0 for row in found.rows) for name in (*TOKENS, "messages")}


def second(root: Path) -> dict[str, int]:
    """Return the same sums counted by other means."""
    tokens: dict[str, int] = second_way.count(root)["total"]["tokens"]
    return {("messages" if name == "api_messages" else name): number for name, number in tokens.items()}


def spent(uuid: str, api: str, model: str = "claude-opus-5-5", **usage: Any) -> dict[str, Any]:
    """Return a record of an API message with the usage given."""
    record = assistant(uuid, None, api=api, timestamp="2026-05-01T12:00:00.000Z")
    record["message"] |= {"model": model, "usage": {"input_tokens": 1, "output_tokens": 1} | usage}
    return record


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("home", marks=pytest.mark.slow),
        *(
            f"cli/cli-{version}"
            for version in ("1.0.0-headless", "1.0.44-headless", "1.0.128-headless", "2.0.33-headless")
        ),
        *(
            f"cli/cli-{version}"
            for version in ("2.0.60-interactive", "2.1.20-headless", "2.1.112-headless", "2.1.325-headless")
        ),
        *(f"cli/cli-2.1.325-interactive-{what}" for what in ("branch-mcp-worktree", "compact", "hooks-subagents")),
        *(f"cli/resume-{version}" for version in ("1.0.44", "1.0.128", "2.0.33", "2.1.325")),
        "cli/torn-tail-2.1.112",
    ],
)
def test_the_corpus_has_its_exact_totals(name: str) -> None:
    """Transcripts of every version, with resumes, forks and agents, have the totals that a second way counts."""
    root = shared_path(f"corpus/{name}")
    found = used(root, "session", "model")

    counted = second(root)
    assert counted == summed(found)
    assert counted == {name: getattr(found.total, name) or 0 for name in (*TOKENS, "messages")}


@pytest.mark.slow
@pytest.mark.corpus
def test_every_grouping_of_the_corpus_has_one_total() -> None:
    """One key or two that cross: tokens, messages and cost come to the same."""
    database = indexed(shared_path("corpus/home"))
    reports = [
        report(database, UsageFilter(), by, PRICES, zone=ZoneInfo("Asia/Kolkata"), now=NOON)
        for by in [*((key,) for key in GROUPS), *combinations(GROUPS, 2)]
    ]

    assert 1 == len({tuple(summed(found).values()) for found in reports})
    assert 1 == len({found.total.cost for found in reports})
    assert all(found.total.cost == pytest.approx(sum(row.cost or 0 for row in found.rows)) for found in reports)


ACTS = st.lists(
    st.sampled_from(["answer", "call", "agent", "internal", "compact", "fork", "sdk", "plain", "error"]), max_size=6
)
VERSIONS = st.sampled_from(["1.0.0", "1.0.44", "1.0.128", "2.0.60", "2.1.45", "2.1.112", "2.1.325"])


def play(root: Path, number: int, version: str, acts: list[str]) -> None:
    """Write a session in which things happen one after the other, and the forks that leave it."""
    name = f"{number:08}-0000-4000-8000-000000000000"
    draft = Draft(name, f"/home/ann/{number % 2}", version, NOON + timedelta(hours=7 * number)).prompt("Go")
    for step, act in enumerate(acts):
        if act == "agent":
            draft.join(draft.agent("Look", f"Look {number} {step}"), "Seen.")
        elif act == "internal":
            draft.internal_agent("compact", "Sum up", "Done.")
        elif act == "compact":
            draft.compact("So far")
        elif act == "error":
            draft.api_error("Overloaded")
        elif act in {"fork", "sdk", "plain"}:
            style = {"fork": "branch", "plain": "resume" if version.startswith("1.0.") else "plain"}.get(act, act)
            draft.fork(f"{number:08}-{step:04}-4000-8000-000000000000", style=style).prompt("On").answer("Yes.").write(
                root
            )
        else:
            draft.answer(f"Step {step}", calls=[bash("ls", "a")] if act == "call" else [])
    draft.write(root)


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(sessions=st.lists(st.tuples(VERSIONS, ACTS), min_size=1, max_size=4), data=st.data())
def test_any_home_has_one_total_in_any_grouping(
    tmp_path_factory: pytest.TempPathFactory, sessions: list[tuple[str, list[str]]], data: st.DataObject
) -> None:
    """Whatever happened in whichever versions, rows sum up to the total, and a second way counts the same."""
    root = home(tmp_path_factory.mktemp("home"))
    for number, (version, acts) in enumerate(sessions):
        play(root, number, version, acts)
    by = data.draw(st.lists(st.sampled_from(GROUPS), min_size=1, max_size=3, unique=True))
    found = used(root, *by)

    assert second(root) == summed(found)
    assert second(root) == {name: getattr(found.total, name) or 0 for name in (*TOKENS, "messages")}
    assert sum(row.lower_bound_messages for row in found.rows) == found.total.lower_bound_messages


def test_a_total_equals_the_sessions_of_a_list(tmp_path: Path) -> None:
    """`list` and `usage` say the same of each session, cost included."""
    draft = Draft(UUID).prompt("A").answer("B")
    draft.write(home(tmp_path))
    draft.fork(OTHER).prompt("C").answer("D").write(tmp_path)
    sessions = listed(tmp_path)
    fill_costs(indexed(tmp_path), sessions.values(), PRICES)
    rows = {row.key: row for row in used(tmp_path, "session").rows}

    assert set(sessions) == set(rows)
    for name, session in sessions.items():
        assert [getattr(rows[name], key) for key in (*TOKENS, "messages", "cost")] == [
            getattr(session.usage, key) for key in (*TOKENS, "messages", "cost")
        ]


def test_a_fork_spends_what_is_its_own(tmp_path: Path) -> None:
    """What a fork copied counts for the session that was first."""
    draft = Draft(UUID).prompt("A").answer("B").prompt("C").answer("D")
    draft.write(home(tmp_path))
    draft.fork(OTHER).prompt("E").answer("F").write(tmp_path)

    assert {UUID: 2, OTHER: 1} == {row.key: row.messages for row in used(tmp_path, "session").rows}


def test_baits_are_not_counted(tmp_path: Path) -> None:
    """Progress of agents, blobs of requests, results of agents, cost states, synthetic words: none is usage."""
    usage = {"input_tokens": 1000, "output_tokens": 1000}
    message = {"id": "msg_0123456789abcdef", "role": "assistant", "model": "claude-opus-5-5", "usage": usage}
    draft = Draft(UUID, version="2.1.45").prompt("A").answer("B", calls=[bash("ls", "a")])
    draft.row("progress", data={"type": "agent_progress", "agentId": "a1", "message": {"message": message}})
    draft.record(type="api-request-blob", hash="x", message=message)
    draft.record(type="cost-state", totalCostUSD=5, modelUsage={"claude-opus-5-5": {"inputTokens": 9, "costUSD": 5}})
    draft.record(type="cost-state", totalCostUSD=9, modelUsage={"claude-opus-5-5": {"inputTokens": 99, "costUSD": 9}})
    draft.api_error("Overloaded")
    draft.write(home(tmp_path))

    assert (1, second(tmp_path)) == (used(tmp_path).total.messages, summed(used(tmp_path)))


def test_placeholders_are_counted_apart(tmp_path: Path) -> None:
    """Outputs that were written before the answer was complete are counted, and said to be a lower bound."""
    Draft(UUID, version="2.1.88").prompt("A").answer("B").write(home(tmp_path))
    Draft(OTHER).prompt("A").answer("B").write(tmp_path)
    total = used(tmp_path).total
    rows = {row.key: row for row in used(tmp_path, "session").rows}

    assert (True, 1, rows[UUID].output) == (total.lower_bound, total.lower_bound_messages, total.lower_bound_output)
    assert [True, False] == [rows[name].lower_bound for name in (UUID, OTHER)]


def test_three_layouts_of_agents(tmp_path: Path) -> None:
    """Inline, flat and nested agents, and helpers of the program, each count once and under their type."""
    home(tmp_path)
    for number, version in enumerate(("1.0.128", "2.0.60", "2.1.325")):
        draft = Draft(f"{number}1111111-1111-4111-8111-111111111111", version=version).prompt("A")
        draft.join(draft.agent("Look", f"Look {number}", kind="Explore"), "Seen.")
        if version == "2.1.325":
            draft.internal_agent("compact", "Sum up", "Done.")
        draft.write(tmp_path)
    rows = {row.key: row.messages for row in used(tmp_path, "agent").rows}

    assert {"main": 3, "Explore": 3, "internal": 1} == rows
    assert second(tmp_path) == summed(used(tmp_path, "agent"))


def test_unpriced_models_are_named_and_not_free(tmp_path: Path) -> None:
    """The cost is that of what has a price; the rest is named, and alone it costs nothing that we know."""
    rows = [
        user("u1"),
        spent("a1", "msg_0123456789abcdef0"),
        spent("a2", "msg_0123456789abcdef1", "some-model", output_tokens=7),
    ]
    write_transcript(home(tmp_path), "-p", UUID, map(line, rows))
    found = used(tmp_path, "model")

    assert [("some-model", 1, 7)] == [(item.model, item.messages, item.output) for item in found.unpriced]
    assert {"claude-opus-5-5": 0.000024, "some-model": None} == {row.key: row.cost for row in found.rows}
    assert (0.000024, ["some-model"]) == (found.total.cost, found.total.unpriced)


def test_how_a_message_was_served_decides_its_price(tmp_path: Path) -> None:
    """Speed, geography, tier, long prompts, hour-long caches and searches all reach the price."""
    usages: list[dict[str, Any]] = [
        {"input_tokens": 1_000_000, "speed": "fast"},
        {"input_tokens": 1_000_000, "inference_geo": "us"},
        {"input_tokens": 1_000_000, "service_tier": "batch"},
        {"cache_creation_input_tokens": 1_000_000, "cache_creation": {"ephemeral_1h_input_tokens": 1_000_000}},
        {"server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 1}},
    ]
    rows = [
        spent(f"a{n}", f"msg_0123456789abcdef{n}", **{"output_tokens": 0, "input_tokens": 0} | usage)
        for n, usage in enumerate(usages)
    ]
    rows.append(spent("b", "msg_0123456789abcdefb", "claude-haiku-5-5", input_tokens=1_000_000, output_tokens=0))
    write_transcript(home(tmp_path), "-p", UUID, map(line, rows))
    total = used(tmp_path).total

    assert 22.92 == total.cost  # 8 + 4.4 + 2 + 8 + 0.02 + 0.5
    assert (2, 1, 1_000_000) == (total.web_searches, total.web_fetches, total.cache_write_1h)


def test_unknown_stays_unknown(tmp_path: Path) -> None:
    """What no record says is None in a row and in the total, not 0."""
    write_transcript(home(tmp_path), "-p", UUID, [line(spent("a1", "msg_0123456789abcdef"))])
    found = used(tmp_path)

    assert [None, None, None] == [found.total.cache_write, found.total.cache_write_5m, found.rows[0].web_searches]


@pytest.mark.parametrize(
    "zone, days",
    [("UTC", ["2026-05-01"]), ("Asia/Kolkata", ["2026-05-01", "2026-05-02"]), ("Pacific/Kiritimati", ["2026-05-02"])],
)
def test_days_are_those_of_the_zone(tmp_path: Path, zone: str, days: list[str]) -> None:
    """A message belongs to the day that it was where the user is; half-hour zones included."""
    for number, clock in enumerate(("18:20", "18:35")):
        record = spent("a", f"msg_0123456789abcdef{number}") | {"timestamp": f"2026-05-01T{clock}:00.000Z"}
        write_transcript(home(tmp_path), "-p", f"{number}1111111-1111-4111-8111-111111111111", [line(record)])

    assert days == [row.key for row in used(tmp_path, "day", zone=ZoneInfo(zone)).rows]


def test_times_as_keys(tmp_path: Path) -> None:
    """Hours, days, ISO weeks and months are written so that they sort; what has no time is unknown, and last."""
    first = spent("a1", "msg_0123456789abcdef0") | {"timestamp": "2027-01-01T09:59:00.000Z"}
    second_record = spent("a2", "msg_0123456789abcdef1")
    del second_record["timestamp"]
    write_transcript(home(tmp_path), "-p", UUID, map(line, [first, second_record]))
    keys = {key: [row.key for row in used(tmp_path, key).rows] for key in ("hour", "day", "week", "month")}

    assert ["2027-01-01 09:00", None] == keys["hour"]
    assert ["2027-01-01", None] == keys["day"]
    assert ["2026-W53", None] == keys["week"]
    assert ["2027-01", None] == keys["month"]


def test_since_and_until(tmp_path: Path) -> None:
    """Only what was spent between two moments counts, to the quarter of an hour."""
    for number in range(4):
        record = spent("a", f"msg_0123456789abcdef{number}") | {"timestamp": f"2026-05-01T1{number}:05:00.000Z"}
        write_transcript(home(tmp_path), "-p", f"{number}1111111-1111-4111-8111-111111111111", [line(record)])
    at = [datetime(2026, 5, 1, 10 + number, tzinfo=UTC) for number in range(4)]

    assert 2 == used(tmp_path, since=at[1], until=at[3]).total.messages
    assert 1 == used(tmp_path, since=at[3]).total.messages
    assert 0 == used(tmp_path, until=at[0]).total.messages


def test_filters(tmp_path: Path) -> None:
    """Project, account, store, session and model narrow what is counted, together."""
    draft = Draft(UUID, "/home/ann/shop").prompt("A").answer("B").record(type="session-owner", accountUuid="acc-1")
    draft.write(home(tmp_path))
    Draft(OTHER, "/home/ann/ledger", "2.0.60").prompt("A").answer("B").write(tmp_path)
    filters: list[dict[str, Any]] = [
        {"project": "SHOP"},
        {"account": "acc"},
        {"session": OTHER},
        {"model": "opus"},
        {"store": "code"},
        {"store": "cowork"},
        {"project": "shop", "model": "sonnet"},
    ]

    assert [1, 1, 1, 1, 2, 0, 0] == [used(tmp_path, **wanted).total.messages for wanted in filters]


def test_keys_that_cross(tmp_path: Path) -> None:
    """Several keys make a row for each of their combinations, in time first and then the dearest first."""
    home(tmp_path)
    for number, (version, day) in enumerate((("2.1.325", 1), ("2.0.60", 1), ("2.1.325", 2))):
        started = datetime(2026, 5, day, 12, tzinfo=UTC)
        Draft(f"{number}1111111-1111-4111-8111-111111111111", version=version, started=started).prompt("A").answer(
            "B"
        ).write(tmp_path)
    rows = used(tmp_path, "model", "day").rows

    assert [
        ("2026-05-01", "claude-sonnet-4-5-20250929"),
        ("2026-05-01", "claude-opus-5-5"),
        ("2026-05-02", "claude-opus-5-5"),
    ] == [(row.keys["day"], row.keys["model"]) for row in rows]
    assert "claude-opus-5-5 · 2026-05-01" == rows[1].key


def test_branches_are_those_of_each_message(tmp_path: Path) -> None:
    """A message counts for the git branch that was checked out when it was said."""
    draft = Draft(UUID, branch="main").prompt("A").answer("B")
    draft.branch = "feature"
    draft.prompt("C").answer("D").write(home(tmp_path))

    assert {"main": 1, "feature": 1} == {row.key: row.messages for row in used(tmp_path, "branch").rows}


def test_sessions_have_their_titles(tmp_path: Path) -> None:
    """A row of a session carries the session's title."""
    Draft(UUID).prompt("A").answer("B").title("Repair the shop").write(home(tmp_path))

    assert ["Repair the shop"] == [row.title for row in used(tmp_path, "session").rows]


def blocks_of(root: Path, *moments: str, now: datetime) -> UsageReport:
    """Write a message at each moment and return the blocks."""
    for number, moment in enumerate(moments):
        record = spent("a", f"msg_0123456789abcdef{number}", input_tokens=60_000) | {"timestamp": f"{moment}:00.000Z"}
        write_transcript(home(root), "-p", f"{number}1111111-1111-4111-8111-111111111111", [line(record)])
    return used(root, "block", now=now)


def test_blocks_begin_at_the_full_hour_of_their_first_message(tmp_path: Path) -> None:
    """A block lasts five hours from the hour of its first message; the next message after that begins another."""
    found = blocks_of(
        tmp_path, "2026-05-01T09:50", "2026-05-01T13:59", "2026-05-01T14:00", now=NOON + timedelta(days=9)
    )

    assert [("2026-05-01 09:00", 2), ("2026-05-01 14:00", 1)] == [(row.key, row.messages) for row in found.rows]
    assert [False, False] == [row.burn.active for row in found.rows if row.burn]


def test_burn_of_a_block(tmp_path: Path) -> None:
    """A block that is over burnt from its first message to its last; one that goes on, until now, and is projected."""
    now = datetime(2026, 5, 2, 11, 0, tzinfo=UTC)
    found = blocks_of(tmp_path, "2026-05-01T09:00", "2026-05-01T11:00", "2026-05-02T10:00", now=now)
    over, active = [row.burn for row in found.rows]

    assert over is not None
    assert active is not None
    assert (False, None) == (over.active, over.projected_tokens)
    assert 2 * 60_001 / 120 == pytest.approx(over.tokens_per_minute, rel=1e-4)
    assert active.active
    assert 5 * 60_001 == pytest.approx(active.projected_tokens, rel=1e-4)
    assert 5 * 0.24 == pytest.approx(active.projected_cost, rel=1e-3)


def test_a_single_moment_has_no_rate(tmp_path: Path) -> None:
    """A block of one message says nothing of its rate."""
    found = blocks_of(tmp_path, "2026-05-01T09:00", now=NOON + timedelta(days=9))

    assert [None] == [row.burn.tokens_per_minute for row in found.rows if row.burn]


@pytest.mark.parametrize("by", [["year"], ["day", "day"], []])
def test_impossible_groupings_are_refused(tmp_path: Path, by: list[str]) -> None:
    """A key that there is not, a key twice and no key at all are wrong use."""
    database = indexed(home(tmp_path))
    with pytest.raises(QueryError):
        report(database, UsageFilter(), by, PRICES, zone=UTC, now=NOON)


def test_nothing_spent(tmp_path: Path) -> None:
    """An empty home has no rows, a total of no messages and no cost."""
    found = used(home(tmp_path))

    assert ([], 0, None, []) == (found.rows, found.total.messages, found.total.cost, found.unpriced)


def test_a_changed_file_changes_the_sums_of_all_it_touches(tmp_path: Path) -> None:
    """When the session that was first goes, its copy answers for what both held, until the first comes back."""
    draft = Draft(UUID).prompt("A").answer("B")
    path = draft.write(home(tmp_path))
    draft.fork(OTHER, style="plain").prompt("C").answer("D").write(tmp_path)
    database = indexed(tmp_path)

    def owners() -> dict[str | None, int]:
        found = report(indexed(tmp_path, database), UsageFilter(), ["session"], PRICES, zone=UTC, now=NOON)
        return {row.key: row.messages for row in found.rows}

    assert {UUID: 1, OTHER: 1} == owners()
    content = path.read_bytes()
    path.unlink()
    assert {OTHER: 2} == owners()
    path.write_bytes(content)
    assert {UUID: 1, OTHER: 1} == owners()


def test_an_old_resume_is_counted_once_and_under_its_last_id(tmp_path: Path) -> None:
    """Sessions of 1.0.44 that were rewritten on resume are one session with one usage."""
    draft = Draft(UUID, version="1.0.44").prompt("A").answer("B")
    draft.write(home(tmp_path))
    later = draft.fork(OTHER, style="resume").prompt("C").answer("D")
    later.write(tmp_path)
    rows = used(tmp_path, "session").rows

    assert second(tmp_path) == summed(used(tmp_path, "session"))
    assert 2 == sum(row.messages for row in rows)
    assert Counter(row.key for row in rows).most_common(1)[0][1] == 1


@pytest.mark.slow
def test_absurd_counts_break_nothing(tmp_path: Path) -> None:
    """Numbers that no message can have are unknown, and thousands of the greatest possible ones can be summed up."""
    usages: list[dict[str, Any]] = [
        {"input_tokens": 2**53},
        *({"input_tokens": 10**9, "output_tokens": 10**9} for _ in range(2000)),
    ]
    rows = [spent(f"a{number}", f"msg_0123456789{number:08}", **usage) for number, usage in enumerate(usages)]
    write_transcript(home(tmp_path), "-p", UUID, map(line, rows))
    total = used(tmp_path).total

    assert (2001, 2000 * 10**9) == (total.messages, total.input)


def test_broken_characters_in_names(tmp_path: Path) -> None:
    """Names of models, branches and tiers with halves of characters in them are counted like any other."""
    text = line(spent("a1", "msg_0123456789abcdef", service_tier="TIER") | {"gitBranch": "BRANCH"}).decode()
    for name in ("claude-opus-5-5", "TIER", "BRANCH"):
        text = text.replace(name, "x\\ud800")
    write_transcript(home(tmp_path), "-p", UUID, text.encode())

    assert [1] == [row.messages for row in used(tmp_path, "model", "branch").rows]
