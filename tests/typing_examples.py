"""Usage of the library as a typed program would write it; mypy checks this file strictly, and nothing runs it.

`assert_type` fails the check where a name or a type is other than documented in docs/python.md.
"""

import dataclasses
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import assert_type

import backscroll


def lists(root: Path) -> list[str]:
    """Filter by a moment, by a text such as the command line takes, and by nothing."""
    found = backscroll.list_sessions(root, limit=None, since="3d", until=datetime(2026, 5, 1, tzinfo=UTC))
    assert_type(found, backscroll.SessionList)
    for session in found.sessions:
        assert_type(session.updated, datetime | None)
        assert_type(session.usage.cost, float | None)
        assert_type(session.rows, list[backscroll.DesktopRow])
        if session.marks is not None:
            assert_type(session.marks["group"], str | None)
    return [session.id for session in found.sessions]


def messages(session: str) -> Iterator[str]:
    """Read a session; the data of a part is JSON, which a program must narrow."""
    with backscroll.open(update=False) as library:
        assert_type(library, backscroll.Library)
        transcript = library.show(session, all_branches=True)
    for message in transcript.messages:
        assert_type(message.place, backscroll.Place)
        for part in message.parts:
            name = part.data.get("name")
            yield name if isinstance(name, str) else part.text or ""


def searches(progress: Callable[[backscroll.Progress], None]) -> list[backscroll.Hit]:
    """Search with options, and look at the first hit."""
    options = backscroll.Options(limit=3)
    found = backscroll.search("parser", options=options, since="2026-05", on_progress=progress)
    assert_type(found, backscroll.Found)
    assert_type(found.hits[0].time, datetime | None)
    with backscroll.search_index() as search:
        assert_type(search, backscroll.SearchFunction)
        assert_type(search("lexer", options, since="3d"), backscroll.Found)
    return found.hits


def values(place: backscroll.Place) -> dict[str, object]:
    """Copy a value with changes, take it apart and describe it: values are dataclasses."""
    moved = dataclasses.replace(place, line=7)
    assert_type(moved, backscroll.Place)
    names = [field.name for field in dataclasses.fields(moved)]
    return {name: value for name, value in dataclasses.asdict(moved).items() if name in names}


def calls() -> Iterator[str]:
    """Narrow the input of a call, which is JSON of foreign making."""
    for call in backscroll.calls(tool="Bash"):
        assert_type(call.result, backscroll.Result | None)
        if isinstance(call.input, dict) and isinstance(command := call.input.get("command"), str):
            yield command


def desktop() -> None:
    """Use names that type checkers once did not see."""
    assert_type(backscroll.flags(), backscroll.FlagReport)
    assert_type(backscroll.flags().flags[0], backscroll.Flag)
    assert_type(backscroll.compare_flags("/other"), backscroll.FlagDifference)
    assert_type(backscroll.compare_flags("/other").changes[0], backscroll.FlagChange)
    assert_type(backscroll.worktrees(), backscroll.WorktreeReport)
    assert_type(backscroll.worktrees().worktrees[0], backscroll.Worktree)


def files(path: str, library: backscroll.Library) -> Iterator[str]:
    """Read the lines of a file, and browser storage: every class in an answer has a public name."""
    blame = library.blame(path, lines="3-5")
    assert_type(blame, backscroll.Blame)
    assert_type(blame.lines[0], backscroll.BlameLine)
    for record in library.storage(deleted=True).records:
        assert_type(record.state, backscroll.StorageState)
        assert_type(record.json, backscroll.Json)
    yield from (line.text for line in blame.lines)


def documents() -> backscroll.Json:
    """Read a JSON Schema, which is JSON; own prices may come from any table."""
    prices: dict[str, dict[str, dict[str, int]]] = {"models": {"claude-opus-5-5": {"input": 0, "output": 0}}}
    assert_type(backscroll.usage(by="model", prices=prices), backscroll.UsageReport)
    return backscroll.drift_json_schema()


def errors(path: str) -> bytes | None:
    """Catch one kind of error, and all of ours."""
    try:
        return backscroll.recover_content(path, at="yesterday").data
    except backscroll.NotFoundError as error:
        assert_type(error.remedy, str | None)
    except backscroll.BackscrollError:
        raise
    return None
