"""Bringing the index in step: only what changed is read, and the way there leaves no trace."""

import os
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from families import STEPS, STYLES, VERSIONS, drafted, put, written
from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from make import UUID, Draft, bash, home, indexed, write_demo_home, write_side, write_transcript

from backscroll.index.db import open_in_memory
from backscroll.index.progress import Progress, Report
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.index.schema import UNIT_TABLES
from backscroll.index.update import update as updating
from backscroll.index.update.update import update
from backscroll.stores.find import find_stores

OTHER = "22222222-2222-4222-8222-222222222222"
FOLDER = "projects/-home-ann-code-demo"


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    """Give a new index in memory."""
    made = open_in_memory()
    yield made
    made.close()


def updated(database: sqlite3.Connection, root: Path, **options: Any) -> Report:
    """Bring the index up to date and return what that took."""
    return update(database, find_stores(root, {}), **options)


def rows(database: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Return everything the index says of its sessions."""
    return (
        database.execute("SELECT * FROM session ORDER BY id").fetchall()
        + database.execute("SELECT * FROM fold ORDER BY id").fetchall()
    )


def fresh(root: Path) -> list[tuple[Any, ...]]:
    """Return what an index made at once says of its sessions."""
    return rows(indexed(root))


def two_sessions(root: Path) -> None:
    """Write two sessions, one with an agent."""
    draft = Draft(UUID).prompt("A")
    draft.join(draft.agent("Job", "Do"), "Done").write(home(root))
    Draft(OTHER).prompt("B").answer("C").write(root)


def test_the_first_time_everything_is_read(tmp_path: Path, database: sqlite3.Connection) -> None:
    """A report says how many files, bytes and records were read."""
    two_sessions(tmp_path)
    report = updated(database, tmp_path)
    sizes = [path.stat().st_size for path in tmp_path.rglob("*.jsonl")]

    assert (3, 3, 0, sum(sizes), 0) == (report.files, report.read, report.skipped, report.bytes, report.damage)
    assert report.records > 5
    assert report.seconds > 0


def test_the_second_time_nothing_is_read(tmp_path: Path, database: sqlite3.Connection) -> None:
    """What did not change costs no more than a look."""
    two_sessions(tmp_path)
    updated(database, tmp_path)
    before = rows(database)
    report = updated(database, tmp_path)

    assert (3, 0, 3, 0) == (report.files, report.read, report.skipped, report.bytes)
    assert before == rows(database)


def test_only_what_changed_is_read(tmp_path: Path, database: sqlite3.Connection) -> None:
    """A session that went on is read again, its neighbours are not."""
    two_sessions(tmp_path)
    updated(database, tmp_path)
    Draft(OTHER).prompt("B").answer("C").prompt("D").write(tmp_path)
    report = updated(database, tmp_path)

    assert (1, 2) == (report.read, report.skipped)
    assert 2 == query.session(database, OTHER).prompts
    assert fresh(tmp_path) == rows(database)


@pytest.mark.parametrize("is_growing", [True, False])
def test_a_live_file_at_every_length(tmp_path: Path, database: sqlite3.Connection, is_growing: bool) -> None:
    """A file that grows, or was replaced by a shorter one, is the same to the index as one that was always so."""
    lines = Draft(UUID).prompt("A").answer("B", calls=[bash("ls", "a")]).prompt("C").answer("D").lines()
    lengths = range(len(lines) + 1)
    for length in lengths if is_growing else reversed(lengths):
        write_transcript(home(tmp_path), "-p", UUID, [*lines[:length], *(line[:40] for line in lines[length:][:1])])
        updated(database, tmp_path)

        assert fresh(tmp_path) == rows(database)


def test_a_new_time_alone_changes_when_it_expires(tmp_path: Path, database: sqlite3.Connection) -> None:
    """A file that was only touched is looked at again, for its time decides when it will be deleted."""
    path = Draft(UUID).prompt("A").write(home(tmp_path))
    updated(database, tmp_path)
    before = query.session(database, UUID).expires
    os.utime(path, (1_800_000_000, 1_800_000_000))
    updated(database, tmp_path)

    assert before != query.session(database, UUID).expires


@pytest.mark.parametrize(
    "name, content",
    [
        (f"{FOLDER}/{UUID}/custom-title.json", b'{"customTitle":"New"}'),
        (f"{FOLDER}/{UUID}/archived.json", b'{"archived":true}'),
        (f"{FOLDER}/{UUID}.desktop-released.json", b'{"reason":"delete"}'),
        (f"{FOLDER}/{UUID}.jsonl.superseded-1", b'{"type":"user","uuid":"u1","message":{"content":"old"}}\n'),
    ],
)
def test_files_beside_the_transcript_are_seen(
    tmp_path: Path, database: sqlite3.Connection, name: str, content: bytes
) -> None:
    """A side file that appears, and one that vanishes, changes its session."""
    two_sessions(tmp_path)
    updated(database, tmp_path)
    before = rows(database)
    path = write_side(tmp_path, name, content)
    updated(database, tmp_path)

    assert before != rows(database)
    assert fresh(tmp_path) == rows(database)

    path.unlink()
    updated(database, tmp_path)

    assert before == rows(database)


def test_a_changed_meta_file_is_seen(tmp_path: Path, database: sqlite3.Connection) -> None:
    """An agent is what its meta file says now."""
    two_sessions(tmp_path)
    updated(database, tmp_path)
    meta = next(tmp_path.rglob("*.meta.json"))
    meta.write_bytes(b'{"agentType":"Explore"}')
    updated(database, tmp_path)

    assert ["Explore"] == [agent.type for agent in query.agents(database, UUID)]


def test_a_changed_setting_is_seen(tmp_path: Path, database: sqlite3.Connection) -> None:
    """The clean-up period of today decides when sessions expire."""
    Draft(UUID).prompt("A").write(home(tmp_path))
    updated(database, tmp_path)
    before = query.session(database, UUID).expires
    write_side(tmp_path, "settings.json", b'{"cleanupPeriodDays": 90}')
    updated(database, tmp_path)
    after = query.session(database, UUID).expires

    assert before is not None
    assert after is not None
    assert 60 == (after - before).days


def test_a_changed_global_config_is_seen(tmp_path: Path, database: sqlite3.Connection) -> None:
    """A path that .claude.json learns places the sessions that had none."""
    write_transcript(home(tmp_path), "-a-b", UUID)
    updated(database, tmp_path)
    (tmp_path / ".claude.json").write_bytes(b'{"projects":{"/a.b":{}}}')
    updated(database, tmp_path)

    assert "/a.b" == query.session(database, UUID).cwd
    assert fresh(tmp_path) == rows(database)


def test_a_global_config_that_says_nothing_new(tmp_path: Path, database: sqlite3.Connection) -> None:
    """Claude Code writes .claude.json at every start; only directories in it make sessions anew."""
    write_transcript(home(tmp_path), "-a-b", UUID)
    config = tmp_path / ".claude.json"
    config.write_bytes(b'{"numStartups":1,"projects":{"/a.b":{}}}')
    updated(database, tmp_path)
    config.write_bytes(b'{"numStartups":2,"projects":{"/a.b":{}}}')
    said: list[str] = []
    database.set_trace_callback(said.append)
    updated(database, tmp_path)

    assert [] == [statement for statement in said if "INTO dirty" in statement or "INTO session" in statement]


def test_vanished_files_are_forgotten(tmp_path: Path, database: sqlite3.Connection) -> None:
    """A session that is gone from disk is gone from the index, with all that was known of it."""
    two_sessions(tmp_path)
    updated(database, tmp_path)
    next(tmp_path.rglob(f"{OTHER}.jsonl")).unlink()
    report = updated(database, tmp_path)

    assert (2, 0) == (report.files, report.read)
    assert [UUID] == [session.id for session in query.sessions(database, SessionFilter(), None)]
    assert fresh(tmp_path) == rows(database)


def test_a_vanished_transcript_leaves_an_orphan(tmp_path: Path, database: sqlite3.Connection) -> None:
    """What is left of a swept session stays in the list."""
    two_sessions(tmp_path)
    updated(database, tmp_path)
    next(tmp_path.rglob(f"{UUID}.jsonl")).unlink()
    updated(database, tmp_path)

    assert "orphan" == query.session(database, UUID).state
    assert fresh(tmp_path) == rows(database)


def test_a_vanished_parent_gives_its_usage_to_the_fork(tmp_path: Path, database: sqlite3.Connection) -> None:
    """What was spent is counted where it is still recorded; the copied messages stay copies."""
    draft = Draft(UUID).prompt("A").answer("B")
    path = draft.write(home(tmp_path))
    draft.fork(OTHER).prompt("C").answer("D").write(tmp_path)
    updated(database, tmp_path)
    before = query.session(database, OTHER)
    path.unlink()
    updated(database, tmp_path)
    after = query.session(database, OTHER)

    assert [(1, 2), (2, 2)] == [(item.usage.messages, item.copied) for item in (before, after)]
    assert fresh(tmp_path) == rows(database)


def test_several_roots(tmp_path: Path, database: sqlite3.Connection) -> None:
    """Several configuration directories are one set of sessions; usage counts once over all of them."""
    draft = Draft(UUID).prompt("A").answer("B")
    draft.write(home(tmp_path / "one"))
    draft.fork(OTHER).write(home(tmp_path / "two"))
    stores = [*find_stores(tmp_path / "one", {}), *find_stores(tmp_path / "two", {})]
    update(database, stores)
    found = query.sessions(database, SessionFilter(), None)

    assert {UUID, OTHER} == {session.id for session in found}
    assert 1 == sum(session.usage.messages for session in found)
    assert 4 == len(query.stores(database))


def test_progress_is_told(tmp_path: Path, database: sqlite3.Connection) -> None:
    """Who waits is told how far it is, up to the end."""
    two_sessions(tmp_path)
    told: list[Progress] = []
    report = updated(database, tmp_path, on_progress=told.append)

    assert 3 == len(told)
    assert (report.bytes, report.bytes) == (told[-1].done, told[-1].total)
    assert "reading 3 of 3 transcripts" == told[-1].what


class StopError(Exception):
    """Somebody pressed Ctrl-C."""


@pytest.mark.parametrize("many", [200, 0])
@pytest.mark.parametrize("after", [1, 5, 12])
def test_an_interrupted_update_goes_on(
    tmp_path: Path, database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, after: int, many: int
) -> None:
    """What was read before an interruption is kept, and the next update ends as if nothing had happened."""
    write_demo_home(tmp_path)
    monkeypatch.setattr(updating, "BATCH_UNITS", 2)
    monkeypatch.setattr(updating, "MANY", many)
    told: list[Progress] = []

    def stop(progress: Progress) -> None:
        told.append(progress)
        if len(told) > after:
            raise StopError

    with pytest.raises(StopError):
        updated(database, tmp_path, on_progress=stop)
    report = updated(database, tmp_path)

    assert (after + 1) // 2 * 2 == report.skipped
    assert fresh(tmp_path) == rows(database)
    assert 0 == updated(database, tmp_path).read


def test_an_interruption_while_a_batch_is_written(tmp_path: Path, database: sqlite3.Connection) -> None:
    """A batch is written whole or not at all."""
    two_sessions(tmp_path)
    database.execute(
        "CREATE TRIGGER stop BEFORE INSERT ON unit WHEN new.agent <> '' BEGIN SELECT raise(ABORT, 'no'); END"
    )
    with pytest.raises(sqlite3.IntegrityError):
        updated(database, tmp_path)

    assert [] == database.execute("SELECT session FROM unit").fetchall()

    database.execute("DROP TRIGGER stop")
    updated(database, tmp_path)

    assert fresh(tmp_path) == rows(database)


def test_an_interruption_while_sessions_are_made(tmp_path: Path, database: sqlite3.Connection) -> None:
    """Rows of sessions are made all or none; what is still to be made is remembered."""
    two_sessions(tmp_path)
    database.execute(
        "CREATE TRIGGER stop BEFORE INSERT ON session WHEN new.id > '2' BEGIN SELECT raise(ABORT, 'no'); END"
    )
    with pytest.raises(sqlite3.IntegrityError):
        updated(database, tmp_path)

    assert [] == rows(database)

    database.execute("DROP TRIGGER stop")
    report = updated(database, tmp_path)

    assert 0 == report.read
    assert fresh(tmp_path) == rows(database)


@pytest.mark.slow
@pytest.mark.parametrize("batch", [{"BATCH_UNITS": 1}, {"BATCH_BYTES": 1}, {"MANY": 0}])
def test_the_way_of_reading_does_not_matter(
    tmp_path: Path, database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, batch: dict[str, int]
) -> None:
    """Batch by batch or in bulk: the index is the same."""
    write_demo_home(tmp_path)
    expected = fresh(tmp_path)
    for name, value in batch.items():
        monkeypatch.setattr(updating, name, value)
    updated(database, tmp_path)

    assert expected == rows(database)


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@for_all(STEPS, st.sampled_from(VERSIONS), st.sampled_from(STYLES), st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(
    steps: list[tuple[str, int]], version: str, style: str, chance: random.Random
) -> None:
    """An index that met its files one by one, in any order, equals one that was made at once."""
    with tempfile.TemporaryDirectory() as directory:
        root = home(Path(directory))
        for draft in drafted(steps, version, style):
            draft.write(root)
        files = written(root)
        chance.shuffle(files)
        with closing(open_in_memory()) as database:
            for file in files:
                put(*file)
                updated(database, root)

            assert fresh(root) == rows(database)


@pytest.mark.slow
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@for_all(STEPS, st.sampled_from(VERSIONS), st.sampled_from(STYLES), st.randoms(use_true_random=False))
def test_the_order_in_which_files_vanish_does_not_matter(
    steps: list[tuple[str, int]], version: str, style: str, chance: random.Random
) -> None:
    """An index that saw files go one by one equals one made of those that are left."""
    with tempfile.TemporaryDirectory() as directory:
        root = home(Path(directory))
        for draft in drafted(steps, version, style):
            draft.write(root)
        files = sorted(path for path in root.rglob("*") if path.is_file())
        with closing(open_in_memory()) as database:
            for path in chance.sample(files, len(files)):
                updated(database, root)

                assert fresh(root) == rows(database)

                path.unlink()


def test_forgetting_everything(tmp_path: Path, database: sqlite3.Connection) -> None:
    """An emptied home leaves an empty index."""
    write_demo_home(tmp_path)
    updated(database, tmp_path)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            path.unlink()
    updated(database, tmp_path)

    assert [] == rows(database)
    assert [] == database.execute("SELECT path FROM desktop_row").fetchall()
    for table in ("file", "unit", *UNIT_TABLES, "agent", "usage_sum", "tool_sum", "fold", "dirty"):
        assert [] == database.execute(f"SELECT * FROM {table}").fetchall(), table  # noqa: S608 - names of tables
