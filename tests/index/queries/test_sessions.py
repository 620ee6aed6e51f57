"""Asking the index: filters, ids as people type them, what expires, totals."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from make import NOON, UUID, Draft, home, indexed, line, listed, user, write_side, write_transcript

from backscroll.errors import NotFoundError, QueryError
from backscroll.index.db import open_in_memory
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter

OTHER = "22222222-2222-4222-8222-222222222222"
THIRD = "33333333-3333-4333-8333-333333333333"


@pytest.fixture
def three(tmp_path: Path) -> sqlite3.Connection:
    """Return an index of three sessions: two of one project on two days, one empty in another."""
    Draft(UUID, "/home/ann/Ledger").prompt("A").record(type="session-owner", accountUuid="acc-1").write(home(tmp_path))
    Draft(OTHER, "/home/ann/shop", started=NOON + timedelta(days=1)).prompt("B").write(tmp_path)
    write_transcript(tmp_path, "-home-ann-empty", THIRD)
    return indexed(tmp_path)


def ids(database: sqlite3.Connection, wanted: SessionFilter, limit: int | None = None) -> list[str]:
    """Return the first characters of the ids that pass a filter."""
    return [session.id[:1] for session in query.sessions(database, wanted, limit)]


def test_newest_first(three: sqlite3.Connection) -> None:
    """The session that was used last comes first, one without any time last."""
    assert ["2", "1", "3"] == ids(three, SessionFilter())


def test_a_limit(three: sqlite3.Connection) -> None:
    """No more than asked for; the count is of all."""
    assert ["2"] == ids(three, SessionFilter(), 1)
    assert 3 == query.count(three, SessionFilter())


@pytest.mark.parametrize(
    "wanted, expected",
    [
        (SessionFilter(project="ledger"), ["1"]),
        (SessionFilter(project="/home/ann/"), ["2", "1"]),
        (SessionFilter(project="-ann-"), ["2", "1", "3"]),
        (SessionFilter(project="nowhere"), []),
        (SessionFilter(store="code"), ["2", "1", "3"]),
        (SessionFilter(store="cod"), []),
        (SessionFilter(account="acc"), ["1"]),
        (SessionFilter(account="cc-1"), []),
        (SessionFilter(since=NOON + timedelta(hours=20)), ["2"]),
        (SessionFilter(until=NOON + timedelta(hours=20)), ["1"]),
        (SessionFilter(since=NOON, until=NOON + timedelta(days=9)), ["2", "1"]),
        (SessionFilter(state="live"), ["2", "1", "3"]),
        (SessionFilter(state="orphan"), []),
        (SessionFilter(project="ann", account="acc", state="live"), ["1"]),
    ],
)
def test_filters(three: sqlite3.Connection, wanted: SessionFilter, expected: list[str]) -> None:
    """Project by any part of it, store exactly, account by its beginning, time from `since` to before `until`."""
    assert expected == ids(three, wanted)
    assert len(expected) == query.count(three, wanted)


@pytest.mark.parametrize(
    "asked, expected",
    [
        (UUID, UUID),
        ("1", UUID),
        ("22222222", OTHER),
        (f"local_{UUID}", UUID),
        ("local_2", OTHER),
        ("latest", OTHER),
    ],
)
def test_ids_as_people_type_them(three: sqlite3.Connection, asked: str, expected: str) -> None:
    """A unique beginning is enough, with or without the app's prefix; `latest` is the newest."""
    assert expected == query.resolve(three, asked)


@pytest.mark.parametrize("asked", ["9", "", "local_", "LATEST", "%", "_", "1%"])
def test_ids_that_are_not_there(three: sqlite3.Connection, asked: str) -> None:
    """What no session's id begins with is not found, and no character is a wild card."""
    with pytest.raises(NotFoundError, match="no session has this id"):
        query.resolve(three, asked)


def test_an_ambiguous_beginning(tmp_path: Path) -> None:
    """A beginning that several ids share is refused, and they are named."""
    for name in ("1aaa", "1aab"):
        Draft(name).prompt("A").write(home(tmp_path))

    with pytest.raises(QueryError, match="this id fits several sessions") as error:
        query.resolve(indexed(tmp_path), "1aa")
    assert "Give the id of one:\n  1aaa  2026-05-01  A\n  1aab  2026-05-01  A" in str(error.value)


@pytest.mark.parametrize("asked", ["notes", "local_notes"])
def test_a_whole_id_that_begins_another(tmp_path: Path, asked: str) -> None:
    """An id that is given whole is meant, though another one begins with it."""
    for name in ("notes", "notes 2", "notes 3"):
        Draft(name).prompt("A").write(home(tmp_path))

    assert "notes" == query.resolve(indexed(tmp_path), asked)


def test_a_session_that_really_begins_with_local(tmp_path: Path) -> None:
    """A name that begins with the app's prefix is found by it."""
    Draft("local_thing").prompt("A").write(home(tmp_path))

    assert "local_thing" == query.resolve(indexed(tmp_path), "local_thi")


def test_latest_of_nothing() -> None:
    """Where there are no sessions, there is no latest one."""
    with closing(open_in_memory()) as database, pytest.raises(NotFoundError, match="there are no sessions"):
        query.resolve(database, "latest")


def test_a_loop_of_copies_ends(three: sqlite3.Connection) -> None:
    """Copies that lead round in a circle do not hang."""
    three.executemany("INSERT INTO fold VALUES (?, ?)", [(UUID, OTHER), (OTHER, UUID)])

    assert query.resolve(three, UUID) in (UUID, OTHER)


def expires(root: Path) -> datetime | None:
    """Return when the session will be deleted."""
    return listed(root)[UUID].expires


def test_thirty_days_by_default(tmp_path: Path) -> None:
    """Claude Code deletes a transcript 30 days after its file was last written."""
    Draft(UUID).prompt("A").write(home(tmp_path), mtime=NOON)

    assert NOON + timedelta(days=30) == expires(tmp_path)


@pytest.mark.parametrize(
    "settings, days",
    [
        (b'{"cleanupPeriodDays": 365}', 365),
        (b'{"cleanupPeriodDays": 0}', 1),
        (b'{"cleanupPeriodDays": -5}', 30),
        (b'{"cleanupPeriodDays": "7"}', 30),
        (b"{ torn", 30),
        (b'{"cleanupPeriodDays": 99999999999}', None),
    ],
)
def test_the_period_of_the_settings(tmp_path: Path, settings: bytes, days: int | None) -> None:
    """The user's own period counts, from one day on; one beyond all calendars is never."""
    Draft(UUID).prompt("A").write(home(tmp_path), mtime=NOON)
    write_side(tmp_path, "settings.json", settings)

    assert (None if days is None else NOON + timedelta(days=days)) == expires(tmp_path)


def test_local_settings_come_last(tmp_path: Path) -> None:
    """What settings.local.json says outweighs settings.json."""
    Draft(UUID).prompt("A").write(home(tmp_path), mtime=NOON)
    write_side(tmp_path, "settings.json", b'{"cleanupPeriodDays": 10}')
    write_side(tmp_path, "settings.local.json", b'{"cleanupPeriodDays": 20}')

    assert NOON + timedelta(days=20) == expires(tmp_path)


@pytest.mark.parametrize(
    "released, is_kept", [(None, True), (b'{"reason":"delete"}', False), (b'{"reason":"archive"}', False)]
)
def test_what_desktop_made_is_kept(tmp_path: Path, released: bytes | None, is_kept: bool) -> None:
    """Transcripts of Claude Desktop are exempt until it releases them."""
    write_transcript(home(tmp_path), "-p", UUID, [line(user("u1", entrypoint="claude-desktop"))])
    if released:
        write_side(tmp_path, f"projects/-p/{UUID}.desktop-released.json", released)

    assert is_kept is (expires(tmp_path) is None)


def test_an_orphan_has_nothing_to_delete(tmp_path: Path) -> None:
    """Without a transcript there is nothing to expire."""
    write_side(home(tmp_path), f"projects/-p/{UUID}/tool-results/b1.txt", b"x")

    assert expires(tmp_path) is None


def test_the_next_to_expire_comes_first(tmp_path: Path) -> None:
    """What will be deleted before a moment, the soonest first; the rest is not named."""
    for name, age in ((UUID, 25), (OTHER, 29), (THIRD, 1)):
        Draft(name).prompt("A").write(home(tmp_path), mtime=NOON - timedelta(days=age))
    found = query.expiring(indexed(tmp_path), NOON + timedelta(days=7))

    assert [OTHER, UUID] == [session.id for session in found]


def test_totals_count_each_message_once(tmp_path: Path) -> None:
    """Copies in forks and earlier copies of a session do not add to the total; damage does."""
    draft = Draft(UUID).prompt("A").answer("B")
    draft.write(home(tmp_path))
    draft.fork(OTHER).prompt("C").answer("D").raw(b"torn {\n").write(tmp_path)

    assert (4, 1) == query.totals(indexed(tmp_path))


def test_stores_and_their_damage(tmp_path: Path) -> None:
    """What was found in each store, and what could not be looked at, with its place."""
    Draft(UUID).prompt("A").write(home(tmp_path))
    (tmp_path / ".claude/projects/broken.jsonl").symlink_to("nowhere")
    code, side = query.stores(indexed(tmp_path))

    assert ("code", "side") == (code.kind, side.kind)
    assert (str(tmp_path / ".claude"), 1, 1) == (code.path, code.files, code.sessions)
    assert [(str(tmp_path / ".claude/projects/broken.jsonl"), "broken symbolic link")] == [
        (item.place.path, item.reason) for item in code.damage
    ]


def test_an_empty_index(tmp_path: Path) -> None:
    """An index that was never filled says so; one of an empty home does not."""
    with closing(open_in_memory()) as database:
        assert query.is_empty(database)
    assert not query.is_empty(indexed(home(tmp_path)))


def test_times_come_back_as_they_were(three: sqlite3.Connection) -> None:
    """What the index hands out are moments, not texts."""
    session = query.session(three, OTHER)

    assert session.started is not None
    assert session.started.tzinfo is UTC
    assert session.started > NOON + timedelta(days=1)


def test_agents_of_an_unknown_session(three: sqlite3.Connection) -> None:
    """A session that is not there has no agents."""
    assert [] == query.agents(three, "nobody")
