"""Sessions that grow: reading on from where a transcript was left gives all that reading it anew would."""

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from catalogue import differing, dump, dump_words
from families import STEPS, STYLES, VERSIONS, drafted, written
from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from make import (
    UUID,
    Draft,
    assistant,
    bash,
    call,
    edit,
    failed,
    given,
    home,
    indexed,
    line,
    read,
    user,
    write,
    write_transcript,
)
from searched import Searched

from backscroll.formats.json import lines as jsonl
from backscroll.index.db import open_in_memory
from backscroll.index.update.update import update
from backscroll.sessions.transcript import source
from backscroll.stores.find import find_stores

FORK = "22222222-2222-4222-8222-222222222222"
WORDS = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "omicron", "pi"),
    *("kind:prompt", "role:tool", "tool:bash", "is:agent", "kind:title", "a OR the"),
)
"""The searches whose answers are compared."""


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    """Give a new index in memory."""
    with closing(open_in_memory()) as made:
        yield made


def updated(database: sqlite3.Connection, root: Path) -> None:
    """Bring the index up to date."""
    update(database, find_stores(root, {}))


def differences(root: Path, database: sqlite3.Connection) -> list[str]:
    """Return the tables in which a catalogue differs from one made at once."""
    return differing(dump(indexed(root)), dump(database))


def answers(searched: Searched) -> dict[str, list[tuple[Any, ...]]]:
    """Return the hits of several searches; a copied message may be found in the session that was read first."""
    return {
        word: sorted(
            (
                (hit.agent, hit.message, hit.role, hit.kind, hit.time, hit.snippet)
                for hit in searched(word, limit=200).hits
            ),
            key=repr,
        )
        for word in WORDS
    }


def queued(text: str) -> dict[str, str]:
    """Return the record of a prompt that was typed while Claude worked."""
    return {"type": "queue-operation", "operation": "enqueue", "timestamp": "2026-05-01T10:00:00Z", "content": text}


def long_session() -> Draft:
    """Return a session with calls, changed files, agents, a branch and a compaction."""
    draft = Draft(UUID).prompt("A").answer("B", calls=[bash("rm a.py", ""), edit("/w/a.py", "one\n", "one", "two")])
    draft.prompt("C").join(draft.agent("Job", "Do it"), "Done").prompt("D").answer("E", calls=[bash("ls", "x")])
    return draft.rewind(to=1).prompt("Again").answer("F").compact("So far").prompt("G").answer("H")


def working() -> Draft:
    """Return a session that goes straight on: calls, changed files, failures, queued prompts and titles."""
    draft = Draft(UUID, "/w").prompt("alpha").answer("beta", thinking="gamma", calls=[bash("delta", "epsilon")])
    draft.prompt("zeta").answer(calls=[read("/w/a.py", "one\n"), edit("/w/a.py", "one\n", "one", "two")])
    draft.record(**queued("eta")).answer("theta", calls=[write("/w/b.py", "iota\n"), failed("make", 2, "no")])
    draft.title("kappa").prompt("eta").answer("lambda").title("omicron", by="custom").record(**queued("pi"))
    return draft.queued("pi").answer("a", calls=[bash("rm /w/b.py", ""), bash("mv /w/a.py /w/c.py", "")]).prompt("the")


def with_agents() -> Draft:
    """Return a session whose agents answer, one of them with an agent of its own."""
    draft = Draft(UUID, "/w").prompt("alpha")
    outer = draft.agent("beta", "gamma")
    outer.join(outer.agent("delta", "epsilon").answer("zeta", calls=[write("/w/a.py", "eta\n")]), "theta")
    draft.join(outer, "iota").prompt("kappa").answer("lambda", calls=[edit("/w/a.py", "eta\n", "eta", "pi")])
    return draft.internal_agent("compact", "Summarise", "Short").compact("omicron").prompt("a").answer("the")


def with_branches() -> Draft:
    """Return a session that was rewound, interrupted and compacted."""
    draft = Draft(UUID, "/w").prompt("alpha").answer("beta", calls=[bash("gamma", "delta")]).prompt("epsilon")
    draft.answer("zeta").rewind(to=1).prompt("eta").answer("theta").command("iota", "").answer("kappa").meta("lambda")
    return draft.compact("omicron").prompt("pi").api_error("529 Overloaded").answer("a").shell("the", "ok").answer("of")


def forked() -> list[Draft]:
    """Return a session and a fork of it that copies what was said, both of which go on."""
    draft = Draft(UUID, "/w").prompt("alpha").answer("beta", calls=[write("/w/a.py", "gamma\n")])
    fork = draft.fork(FORK).prompt("delta").answer("epsilon", calls=[bash("zeta", "eta")])
    return [draft.prompt("theta").answer("iota"), fork.prompt("kappa").title("lambda").answer("omicron")]


def torn(text: bytes, chance: random.Random) -> list[bytes]:
    """Cut a file into pieces: whole lines most of the time, and now and then a torn one."""
    pieces = []
    while text:
        ends = [place for place, byte in enumerate(text, 1) if byte == 10][:4]
        size = chance.choice([*ends, *ends, chance.randint(1, 400)]) if ends else len(text)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def grow_at_random(root: Path, chance: random.Random) -> None:
    """Let all files of a home grow piece by piece, and compare with an index made at once."""
    files = {path: torn(content, chance) for path, content, _ in written(root)}
    with Searched(root) as grown:
        while files:
            path = chance.choice(sorted(files))
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                for piece in files[path][:1]:
                    file.write(piece)
            files[path] = files[path][1:]
            if not files[path]:
                del files[path]
            if chance.random() < 0.5:
                updated(grown.database, root)
            else:
                grown.refresh()
        grown.refresh()
        with Searched(root) as anew:
            assert [] == differing(dump(anew.database), dump(grown.database))
            assert answers(anew) == answers(grown)
            assert [] == differing(dump_words(anew), dump_words(grown))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("make", [working, with_agents, with_branches, long_session])
def test_a_session_grows_at_random(tmp_path: Path, make: Any, seed: int) -> None:
    """A session that grew in any steps, with and without its words, is the same as one that was read at once."""
    make().write(home(tmp_path))
    grow_at_random(tmp_path, random.Random(seed))  # noqa: S311 - no secret


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_forks_grow_at_random(tmp_path: Path, seed: int) -> None:
    """A session and its fork may grow in any order."""
    for draft in forked():
        draft.write(home(tmp_path))
    grow_at_random(tmp_path, random.Random(seed))  # noqa: S311 - no secret


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("number", range(6))
def test_real_transcripts_grow_at_random(tmp_path: Path, corpus: Path, number: int) -> None:
    """Real transcripts grow as made ones do, two of them beside each other."""
    found = sorted(path for path in corpus.rglob("*.jsonl") if 10_000 < path.stat().st_size < 120_000)
    for name, path in zip((UUID, FORK), (found[number * 7 % len(found)], found[number * 11 % len(found)]), strict=True):
        write_transcript(home(tmp_path), "-p", name, path.read_bytes())
    grow_at_random(tmp_path, random.Random(number))  # noqa: S311 - no secret


@pytest.mark.slow
@pytest.mark.parametrize("make", [long_session, working, with_agents, with_branches])
def test_every_line_that_is_appended(tmp_path: Path, database: sqlite3.Connection, make: Any) -> None:
    """A session that grows line by line is at every line the same as if it was read at once."""
    lines = make().lines()
    for length in range(len(lines) + 1):
        write_transcript(home(tmp_path), "-p", UUID, lines[:length])
        updated(database, tmp_path)

        assert [] == differences(tmp_path, database)


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

            assert [] == differences(root, database)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("number", range(20))
def test_real_transcripts_grow(tmp_path: Path, database: sqlite3.Connection, corpus: Path, number: int) -> None:
    """Real transcripts grow as made ones do."""
    found = [path for path in corpus.rglob("*.jsonl") if 20_000 < path.stat().st_size < 400_000]
    lines = sorted(found)[number * 5 % len(found)].read_bytes().splitlines(keepends=True)
    for cut in [*sorted(random.Random(number).sample(range(len(lines)), 6)), len(lines)]:  # noqa: S311 - no secret
        write_transcript(home(tmp_path), "-p", UUID, lines[:cut])
        updated(database, tmp_path)

        assert [] == differences(tmp_path, database)


def test_an_earlier_copy_that_goes_on(tmp_path: Path, database: sqlite3.Connection) -> None:
    """A session that a later one contained, and that is now continued itself, no longer counts for the later one."""
    root = home(tmp_path)
    old = Draft(UUID, version="1.0.44").prompt("A").answer("B")
    old.write(root)
    old.fork(FORK, style="resume").prompt("C").answer("D").write(root)
    updated(database, tmp_path)
    folded = database.execute("SELECT count(*) FROM fold").fetchone()
    old.prompt("E").answer("F").write(root)
    updated(database, tmp_path)

    assert (1,) == folded
    assert (0,) == database.execute("SELECT count(*) FROM fold").fetchone()
    assert [] == differences(tmp_path, database)


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

    assert [] == differences(tmp_path, database)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Take down at which byte each scan of a transcript begins."""
    found: list[int] = []

    def noted(*given: Any, **more: Any) -> jsonl.Scan:
        found.append(given[3])
        return jsonl.scan(*given, **more)

    monkeypatch.setattr(source, "scan", noted)
    return found


@pytest.mark.parametrize("make", [long_session, working, with_agents])
def test_only_new_bytes_are_read(tmp_path: Path, database: sqlite3.Connection, begun: list[int], make: Any) -> None:
    """Of a session that grew, no old record is decoded, and its rows are those of a whole reading."""
    lines = make().lines()
    write_transcript(home(tmp_path), "-p", UUID, lines[:-2])
    updated(database, tmp_path)
    del begun[:]
    write_transcript(home(tmp_path), "-p", UUID, lines)
    updated(database, tmp_path)

    assert [sum(map(len, lines[:-2]))] == begun
    assert [] == differences(tmp_path, database)


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(user("u9", "u1", "Another way"), id="a second branch"),
        pytest.param(user("u3", "a2", "Again"), id="an id that came before"),
        pytest.param(assistant("a9", "a2", [call("toolu_1")], api="msg_a1"), id="an answer that came before"),
        pytest.param(user("u9", "gone", "Lost"), id="a parent that is not there"),
    ],
)
def test_what_hangs_elsewhere_is_read_anew(
    tmp_path: Path, database: sqlite3.Connection, begun: list[int], record: dict[str, Any]
) -> None:
    """A new record that changes what came before means reading from the start, and the answer is the same."""
    records = [user("u1"), assistant("a1", "u1"), user("u2", "a1"), user("u3", "u2"), assistant("a2", "u3")]
    path = write_transcript(home(tmp_path), "-p", UUID, map(line, records))
    updated(database, tmp_path)
    del begun[:]
    path.write_bytes(path.read_bytes() + line(record))
    updated(database, tmp_path)

    assert 0 == begun[-1]
    assert [] == differences(tmp_path, database)


def test_a_result_that_comes_later(tmp_path: Path, database: sqlite3.Connection, begun: list[int]) -> None:
    """A call whose result is written after the call was taken in gets its end, its time and the change of its file."""
    asked = assistant("a1", "u1", [call("toolu_0123456789", "Write", file_path="/w/a", content="x\n")])
    answer = user("u2", "a1", [given("toolu_0123456789")], toolUseResult={"type": "create", "filePath": "/w/a"})
    times = ("2026-05-01T10:00:00.000Z", "2026-05-01T10:00:01.000Z", "2026-05-01T10:00:03.500Z")
    records = [line(item | {"timestamp": time}) for item, time in zip((user("u1"), asked, answer), times, strict=True)]
    path = write_transcript(home(tmp_path), "-p", UUID, records[:2])
    updated(database, tmp_path)
    open_call = database.execute("SELECT outcome, seconds FROM call").fetchall()
    path.write_bytes(b"".join(records))
    del begun[:]
    updated(database, tmp_path)

    assert [(None, None)] == open_call
    assert [("ok", 2.5)] == database.execute("SELECT outcome, seconds FROM call").fetchall()
    assert [("/w/a", "write", "ok")] == database.execute("SELECT path, kind, outcome FROM change").fetchall()
    assert [sum(map(len, records[:2]))] == begun
    assert [] == differences(tmp_path, database)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"   \n", b"\n\n  \n"])
def test_blanks_after_a_record_may_be_many(tmp_path: Path, database: sqlite3.Connection, end: bytes) -> None:
    """However a line ends, it is read once."""
    lines = [item.rstrip(b"\n") + end for item in told("one", "two", "three")]
    write_transcript(home(tmp_path), "-p", UUID, lines[:2])
    updated(database, tmp_path)

    assert (1,) == database.execute("SELECT count(tail) FROM unit").fetchone()

    write_transcript(home(tmp_path), "-p", UUID, lines)
    updated(database, tmp_path)

    assert [] == differences(tmp_path, database)


@pytest.mark.parametrize("damage", [None, b"", b"x" * 50, b"x\x9c"])
def test_a_damaged_tail_means_reading_anew(tmp_path: Path, database: sqlite3.Connection, damage: bytes | None) -> None:
    """What is kept may be damaged; nothing is lost by that."""
    write_transcript(home(tmp_path), "-p", UUID, told("one", "two"))
    updated(database, tmp_path)
    database.execute("UPDATE unit SET tail = ?", (damage,))
    write_transcript(home(tmp_path), "-p", UUID, told("one", "two", "three"))
    updated(database, tmp_path)

    assert [] == differences(tmp_path, database)


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

    assert [] == differences(tmp_path, database)


def test_a_lone_surrogate_that_is_appended(tmp_path: Path, database: sqlite3.Connection) -> None:
    """A text that no database can hold may come with growth as with a first reading."""
    odd = rb'{"type":"ai-title","aiTitle":"odd \ud800 title"}' + b"\n"
    path = write_transcript(home(tmp_path), "-p", UUID, told("one", "two"))
    updated(database, tmp_path)
    path.write_bytes(path.read_bytes() + odd + told("one", "two", "\ud83d three")[2])
    updated(database, tmp_path)

    assert [] == differences(tmp_path, database)
