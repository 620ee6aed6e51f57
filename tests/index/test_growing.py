"""Sessions that grow: what was read of them is kept, and reading on gives what reading anew would."""

import json
import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from catalogue import dump
from families import STEPS, STYLES, VERSIONS, drafted, written
from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from make import UUID, Draft, bash, edit, home, indexed, line, user, write_transcript

from backscroll.formats import jsonl
from backscroll.index import reading
from backscroll.index.db import open_in_memory
from backscroll.index.update import update
from backscroll.sessions import source, standing
from backscroll.stores import find_stores


@pytest.fixture(autouse=True, params=[1, 64], ids=["kept for long", "renewed often"])
def kept(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Keep what was read of every unit, however small."""
    monkeypatch.setattr(reading, "WORTH_STANDING", 0)
    monkeypatch.setattr(reading, "RENEWED", request.param)


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    """Give a new index in memory."""
    with closing(open_in_memory()) as made:
        yield made


def updated(database: sqlite3.Connection, root: Path) -> None:
    """Bring the index up to date."""
    update(database, find_stores(root, {}))


def long_session() -> Draft:
    """Return a session with calls, changed files, agents, a branch and a compaction."""
    draft = Draft(UUID).prompt("A").answer("B", calls=[bash("rm a.py", ""), edit("/w/a.py", "one\n", "one", "two")])
    draft.prompt("C").join(draft.agent("Job", "Do it"), "Done").prompt("D").answer("E", calls=[bash("ls", "x")])
    return draft.rewind(to=1).prompt("Again").answer("F").compact("So far").prompt("G").answer("H")


@pytest.mark.slow
def test_every_line_that_is_appended(tmp_path: Path, database: sqlite3.Connection) -> None:
    """A session that grows line by line is at every line what it would be if it was read at once."""
    lines = long_session().lines()
    for length in range(len(lines) + 1):
        write_transcript(home(tmp_path), "-p", UUID, lines[:length])
        updated(database, tmp_path)

        assert dump(indexed(tmp_path)) == dump(database)


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@for_all(STEPS, st.sampled_from(VERSIONS), st.sampled_from(STYLES), st.randoms(use_true_random=False))
def test_families_that_grow(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[str, int]],
    version: str,
    style: str,
    chance: random.Random,
) -> None:
    """Sessions that fork from one another may grow in any order, by lines or by torn ones."""
    root = home(tmp_path_factory.mktemp("family"))
    for draft in drafted(steps, version, style):
        draft.write(root)
    rest = {path: content for path, content, _ in written(root)}
    with closing(open_in_memory()) as database:
        while rest:
            path = chance.choice(sorted(rest))
            size = chance.choice([rest[path].find(b"\n") + 1 or len(rest[path]), 40, 400, len(rest[path])])
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(rest[path][:size])
            rest[path] = rest[path][size:]
            if not rest[path]:
                del rest[path]
            updated(database, root)

            assert dump(indexed(root)) == dump(database)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20))
def test_real_transcripts_grow(tmp_path: Path, database: sqlite3.Connection, corpus: Path, number: int) -> None:
    """Real transcripts grow as made ones do."""
    found = [path for path in corpus.rglob("*.jsonl") if 20_000 < path.stat().st_size < 400_000]
    lines = sorted(found)[number * 5 % len(found)].read_bytes().splitlines(keepends=True)
    for cut in [*sorted(random.Random(number).sample(range(len(lines)), 6)), len(lines)]:  # noqa: S311 - no secret
        write_transcript(home(tmp_path), "-p", UUID, lines[:cut])
        updated(database, tmp_path)

        assert dump(indexed(tmp_path)) == dump(database)


def test_an_earlier_copy_that_goes_on(tmp_path: Path, database: sqlite3.Connection) -> None:
    """A session that a later one contained, and that is now continued itself, no longer counts for the later one."""
    root = home(tmp_path)
    old = Draft(UUID, version="1.0.44").prompt("A").answer("B")
    old.write(root)
    old.fork("22222222-2222-4222-8222-222222222222", style="resume").prompt("C").answer("D").write(root)
    updated(database, tmp_path)
    folded = database.execute("SELECT count(*) FROM fold").fetchone()
    old.prompt("E").answer("F").write(root)
    updated(database, tmp_path)

    assert (1,) == folded
    assert (0,) == database.execute("SELECT count(*) FROM fold").fetchone()
    assert dump(indexed(tmp_path)) == dump(database)


def told(*words: str) -> list[bytes]:
    """Return records of prompts, one for each word."""
    ids = [f"{number:08}-0000-4000-8000-000000000000" for number in range(len(words) + 1)]
    return [line(user(ids[n + 1], ids[n] if n else None, word, version="2.1.325")) for n, word in enumerate(words)]


LONG = ["word " * 2000, "more " * 2000, "last"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(told("else", *LONG[1:], "new"), id="another beginning"),
        pytest.param(told(*LONG[:2], "lost", "new"), id="another end"),
        pytest.param(told(*LONG[:2]), id="shorter"),
        pytest.param([b"{torn\n", *told(*LONG)], id="moved"),
        pytest.param([*told(*LONG), b"{torn", *told("new")], id="torn in between"),
        pytest.param([], id="emptied"),
    ],
)
def test_anything_but_growth_is_read_anew(tmp_path: Path, database: sqlite3.Connection, content: list[bytes]) -> None:
    """A file that was rewritten, shortened or replaced is read from its beginning."""
    write_transcript(home(tmp_path), "-p", UUID, told(*LONG))
    updated(database, tmp_path)
    write_transcript(home(tmp_path), "-p", UUID, content)
    updated(database, tmp_path)

    assert dump(indexed(tmp_path)) == dump(database)


def test_only_new_bytes_are_read(tmp_path: Path, database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a session that grew, no old record is decoded."""
    lines = long_session().lines()
    write_transcript(home(tmp_path), "-p", UUID, lines[:-2])
    updated(database, tmp_path)
    begun: list[int] = []

    def noted(*given: Any) -> jsonl.Scan:
        begun.append(given[3])
        return jsonl.scan(*given)

    monkeypatch.setattr(source, "scan", noted)
    write_transcript(home(tmp_path), "-p", UUID, lines)
    updated(database, tmp_path)

    assert [sum(map(len, lines[:-2]))] == begun


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"   \n", b"\n\n  \n"])
def test_blanks_after_a_record_may_be_many(tmp_path: Path, database: sqlite3.Connection, end: bytes) -> None:
    """However a line ends, it is read once."""
    lines = [item.rstrip(b"\n") + end for item in told("one", "two", "three")]
    write_transcript(home(tmp_path), "-p", UUID, lines[:2])
    updated(database, tmp_path)

    assert (1,) == database.execute("SELECT count(*) FROM standing").fetchone()

    write_transcript(home(tmp_path), "-p", UUID, lines)
    updated(database, tmp_path)

    assert dump(indexed(tmp_path)) == dump(database)


@pytest.mark.parametrize("damage", [b"", b"x" * 50, b"x\x9c"])
def test_a_damaged_standing_means_reading_anew(tmp_path: Path, database: sqlite3.Connection, damage: bytes) -> None:
    """What is kept may be damaged; nothing is lost by that."""
    write_transcript(home(tmp_path), "-p", UUID, told("one", "two"))
    updated(database, tmp_path)
    database.execute("UPDATE standing SET body = ?", (damage,))
    write_transcript(home(tmp_path), "-p", UUID, told("one", "two", "three"))
    updated(database, tmp_path)

    assert dump(indexed(tmp_path)) == dump(database)


@pytest.mark.parametrize("odd", ["\ud800", "x" * 10])
def test_what_no_format_can_hold_is_not_kept(tmp_path: Path, database: sqlite3.Connection, odd: str) -> None:
    """Lone surrogates cannot be kept, and do no harm."""
    records = [
        *told("one"),
        (json.dumps({"type": "cost-state", "totalCostUSD": 1, "modelUsage": {odd: {}}}) + "\n").encode(),
    ]
    write_transcript(home(tmp_path), "-p", UUID, records)
    updated(database, tmp_path)
    write_transcript(home(tmp_path), "-p", UUID, [*records, *told("two", "three")[1:]])
    updated(database, tmp_path)

    assert dump(indexed(tmp_path)) == dump(database)


def test_a_prefix_is_known_by_both_its_ends(tmp_path: Path) -> None:
    """The beginning of a file is told by its first and its last bytes."""
    path = tmp_path / "a"
    path.write_bytes(bytes(range(256)) * 100)
    known = standing.prefix_of(str(path), 20_000)
    with path.open("ab") as file:
        file.write(b"more")

    assert known == standing.prefix_of(str(path), 20_000)
    for place in (0, 4095, 20_000 - 4096, 19_999):
        changed = bytearray(path.read_bytes())
        changed[place] ^= 1
        (tmp_path / "b").write_bytes(changed)

        assert known != standing.prefix_of(str(tmp_path / "b"), 20_000)

    os.truncate(path, 19_999)

    assert known != standing.prefix_of(str(path), 20_000)
