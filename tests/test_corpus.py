"""Transcripts that nobody here wrote: every byte accounted for, and every count known twice.

The numbers were checked record by record; `second_way` counts them without a line of backscroll.
A number that changes here is a change of what backscroll counts, and needs its reason in docs/counting.md.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import second_way
from conftest import shared_path
from make import indexed

import backscroll
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.sessions.session import Session
from backscroll.sessions.transcript.source import TranscriptSource

pytestmark = pytest.mark.corpus

NAMES = (
    "sessions",
    "messages",
    "prompts",
    "calls",
    "agents",
    "internal_agents",
    "branches",
    "compactions",
    "input",
    "output",
    "cache_write",
    "cache_read",
    "api_messages",
    "damage",
)

NO_TEXT = {"type", "media_type", "signature", "data", "base64"}
"""Fields of blocks, images, documents and signatures that are no text."""
COUNTS = {
    "home": (94, 2406, 245, 2129, 15, 1, 88, 5, 96110, 512839, 7599919, 203512338, 1976, 4),
    "cli/cli-1.0.0-headless": (7, 41, 7, 26, 2, 0, 7, 0, 456, 1736, 3200, 6400, 32, 0),
    "cli/cli-1.0.128-headless": (7, 43, 7, 28, 2, 0, 7, 0, 474, 1665, 3400, 6800, 34, 0),
    "cli/cli-1.0.44-headless": (7, 41, 7, 26, 2, 0, 7, 0, 456, 676, 3200, 6400, 32, 0),
    "cli/cli-2.0.33-headless": (7, 43, 7, 28, 2, 12, 7, 0, 594, 2384, 4600, 9200, 46, 0),
    "cli/cli-2.0.60-interactive": (1, 29, 4, 20, 2, 0, 1, 1, 370, 1330, 2400, 4800, 24, 0),
    "cli/cli-2.0.77-file-edits": (1, 0, 0, 0, 0, 3, 0, 0, 30, 150, 300, 600, 3, 0),
    "cli/cli-2.1.112-headless": (7, 43, 7, 28, 2, 0, 7, 0, 474, 1834, 3400, 6800, 34, 0),
    "cli/cli-2.1.20-headless": (7, 43, 7, 28, 2, 0, 7, 0, 474, 34, 3400, 6800, 34, 0),
    "cli/cli-2.1.325-headless": (11, 48, 0, 20, 2, 0, 11, 0, 387, 1787, 3500, 7000, 35, 0),
    "cli/cli-2.1.325-interactive-branch-mcp-worktree": (2, 64, 17, 28, 0, 0, 2, 0, 258, 1178, 2300, 4600, 23, 0),
    "cli/cli-2.1.325-interactive-clear-rewind": (2, 29, 5, 19, 0, 0, 3, 0, 356, 1276, 2300, 4600, 23, 0),
    "cli/cli-2.1.325-interactive-compact": (1, 22, 3, 16, 0, 0, 1, 1, 300, 1020, 1800, 3600, 18, 0),
    "cli/cli-2.1.325-interactive-hooks-subagents": (1, 24, 5, 8, 2, 0, 1, 0, 187, 867, 1700, 3400, 17, 0),
    "cli/project-dir-encoding-2.1.325": (10, 20, 0, 0, 0, 0, 10, 0, 100, 500, 1000, 2000, 10, 0),
    "cli/resume-1.0.128": (3, 14, 7, 0, 0, 0, 2, 0, 40, 200, 400, 800, 4, 0),
    "cli/resume-1.0.44": (1, 6, 3, 0, 0, 0, 1, 0, 30, 150, 300, 600, 3, 0),
    "cli/resume-2.0.33": (3, 14, 7, 0, 0, 6, 2, 0, 100, 500, 1000, 2000, 10, 0),
    "cli/resume-2.1.325": (2, 14, 0, 0, 0, 0, 2, 0, 40, 200, 400, 800, 4, 0),
    "cli/torn-tail-2.1.112": (1, 4, 2, 0, 0, 0, 1, 0, 20, 100, 200, 400, 2, 1),
}

PARTS = [pytest.param(name, marks=pytest.mark.slow) if name == "home" else name for name in COUNTS]

_sessions: dict[str, dict[str, Session]] = {}


def sessions(name: str) -> dict[str, Session]:
    """Return every session of a part of the corpus, read once for all tests."""
    if name not in _sessions:
        database = indexed(shared_path(f"corpus/{name}"))
        _sessions[name] = {session.id: session for session in query.sessions(database, SessionFilter(), None)}
        database.close()
    return _sessions[name]


def counts(session: Session) -> dict[str, Any]:
    """Return what backscroll counts of a session, by name; an unknown number of tokens counts nothing."""
    usage = session.usage
    tokens = {name: getattr(usage, name) or 0 for name in ("input", "output", "cache_write", "cache_read")}
    own = {name: getattr(session, name) for name in NAMES if name not in {*tokens, "sessions", "api_messages"}}
    return {**own, **tokens, "api_messages": usage.messages}


def test_every_part_of_the_corpus_is_pinned() -> None:
    """A directory that is added to the corpus needs its numbers here."""
    found = {path.name for path in shared_path("corpus/cli").iterdir() if path.is_dir()}

    assert found | {"home"} == {name.removeprefix("cli/") for name in COUNTS}


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    """The numbers of every part of the corpus are what they were when somebody checked them."""
    found = [counts(session) for session in sessions(name).values()]
    sums = {key: sum(item[key] for item in found) for key in NAMES if key != "sessions"}

    assert dict(zip(NAMES, COUNTS[name], strict=True)) == {"sessions": len(found), **sums}


@pytest.mark.parametrize("name", PARTS)
def test_the_second_way_counts_the_same(name: str) -> None:
    """Session by session, a program that shares no code with ours comes to the same numbers."""
    theirs = second_way.count(shared_path(f"corpus/{name}"))["sessions"]
    expected = {
        session: {**{key: found[key] for key in NAMES if key in found}, **found["tokens"], "copies": found["copies"]}
        for session, found in theirs.items()
    }
    read = [session for session in sessions(name).values() if session.transcripts or not session.rows]
    ours = {session.id: counts(session) | {"copies": session.copies} for session in read}
    for found in ours.values():
        del found["damage"]

    assert expected == ours


@pytest.mark.parametrize("name", PARTS)
def test_the_second_way_gives_calls_to_the_same_sessions(name: str) -> None:
    """Each call counts once, for the session that made it, in `calls` as in `tools`."""
    root = shared_path(f"corpus/{name}")
    theirs = {key: found["made"] for key, found in second_way.count(root)["sessions"].items() if found["made"]}
    database = indexed(root)
    sums = dict(database.execute("SELECT session, sum(calls) FROM tool_sum GROUP BY session"))
    database.close()

    assert theirs == sums == Counter(call.session for call in backscroll.calls(root=root))


@pytest.mark.parametrize("name", PARTS)
def test_the_second_way_finds_the_same_titles(name: str) -> None:
    """Where no row of Desktop gives a title, the records do."""
    theirs = second_way.count(shared_path(f"corpus/{name}"))["sessions"]
    ours = {key: found.title for key, found in sessions(name).items() if found.title_source != "row" and key in theirs}

    assert {key: theirs[key]["title"] for key in ours} == ours


@pytest.mark.parametrize("name", COUNTS)
def test_every_byte_is_accounted_for(name: str) -> None:
    """Records, damage and blanks of every file add up to its size."""
    paths = sorted(path for path in shared_path(f"corpus/{name}").rglob("*.jsonl*") if path.is_file())

    assert paths
    for path in paths:
        with TranscriptSource(str(path)) as source:
            records = sum(1 for _ in source.heads())

            assert path.stat().st_size == source.record_bytes + source.damage_bytes + source.blank_bytes, path
            assert records == source.records


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_what_is_counted_is_told(name: str) -> None:
    """Whoever reads every branch of every session meets exactly the messages, prompts and calls that were counted."""
    root = shared_path(f"corpus/{name}")
    backscroll.update_index(root)
    for session in sessions(name).values():
        told = list(backscroll.show(session.id, root, all_branches=True, update=False).messages)
        found = (
            sum(message.role in ("user", "assistant") for message in told),
            sum(message.is_typed for message in told),
            len(list(backscroll.calls(session.id, root, update=False))),
        )

        assert (session.messages, session.prompts, session.calls) == found, session.id


def strings_in(value: object, without: Collection[str] = ()) -> Iterator[str]:
    """Yield every text in a value but those of some keys, with blanks as one space."""
    if isinstance(value, str):
        yield " ".join(value.replace("\0", "").split())
    elif isinstance(value, dict):
        yield from (text for key, item in value.items() if key not in without for text in strings_in(item, without))
    elif isinstance(value, list):
        yield from (text for item in value for text in strings_in(item, without))


def said_in(record: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of a message, a notice or an attachment."""
    kind = record.get("type")
    if kind in ("user", "assistant"):
        yield from strings_in(second_way.message_of(record).get("content"), NO_TEXT)
    elif kind == "system":
        yield from strings_in(record.get("content"), NO_TEXT)
    elif kind == "attachment":
        yield from strings_in(record.get("attachment"), NO_TEXT)


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_every_text_of_every_message_is_shown(name: str) -> None:
    """Every branch of a session together has each text of the session's own transcripts."""
    root = shared_path(f"corpus/{name}")
    backscroll.update_index(root)
    missing = []
    for session in sessions(name).values():
        told = backscroll.show(session.id, root, all_branches=True, update=False).messages
        shown = "\n".join(text for message in told for text in strings_in(asdict(message)))
        said = {text for path in session.transcripts for row in second_way.read(Path(path))[0] for text in said_in(row)}
        missing += [(session.id, text[:200]) for text in sorted(said) if text not in shown]

    assert [] == missing
