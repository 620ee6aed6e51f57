"""Searches with much context: it is read from its places, hit by hit, and dropped before the next hit."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import answer, said
from make import UUID, Draft, home

import backscroll
from backscroll.demo import write_demo_home
from backscroll.index.context import ContextReader
from backscroll.records import Record
from backscroll.sessions.transcript.source import TranscriptSource

HITS, WIDTH = 30, 50


def talk(root: Path) -> Path:
    """Write one session that says the same word in every prompt."""
    draft = Draft(UUID)
    for number in range(HITS):
        draft.prompt(f"okapi {number}").answer(f"Fed {number}.")
    draft.write(home(root))
    return root


def test_one_context_at_a_time(tmp_path: Path) -> None:
    """While hits are given out, only the last one holds the messages around it."""
    with backscroll.open(talk(tmp_path)) as library:
        found = library.search("okapi", options=backscroll.Options(limit=HITS, all_hits=True))
        for hit in library.in_context(found.hits, WIDTH):
            assert [hit] == [other for other in found.hits if other.before or other.after]


def test_the_command_gives_every_context(tmp_path: Path) -> None:
    """`search --all-hits --context` has the messages around every hit, as many as there are."""
    hits = answer(talk(tmp_path), "search", "okapi", "--all-hits", "--limit", str(HITS), "--context", "50")["hits"]

    assert HITS == len(hits)
    assert {min(2 * n, WIDTH) for n in range(HITS)} == {len(hit["before"]) for hit in hits}


def test_a_pipe_reads_no_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines on a pipe have no context, so none is read; JSON has it."""
    widths: list[int] = []
    around = ContextReader.around

    def counted(self: ContextReader, hit: backscroll.Hit, width: int) -> Any:
        widths.append(width)
        return around(self, hit, width)

    monkeypatch.setattr(ContextReader, "around", counted)
    command = ("--root", talk(tmp_path), "search", "okapi", "--all-hits", "--limit", "5", "--context", "7")

    assert (0, []) == (said(*command)[0], widths)
    assert (0, [7] * 5) == (said(*command, "--json")[0], widths)


def test_no_transcript_is_read_for_a_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A warm search with context reads places and never a whole transcript, however many hits it has."""
    command = ("--root", talk(tmp_path), "search", "okapi", "--all-hits", "--context", "3", "--json")
    expected = said(*command)

    def refuse(source: TranscriptSource) -> Iterator[Record]:
        raise AssertionError(f"{source.path} is read whole")

    monkeypatch.setattr(TranscriptSource, "heads", refuse)

    assert 0 == expected[0]
    assert expected == said(*command)


@pytest.mark.parametrize("redact", [False, True])
def test_context_is_the_neighbours_in_show(tmp_path: Path, *, redact: bool) -> None:
    """The messages around a hit are those that stand beside it in `show`, in the session or in the same agent."""
    root = tmp_path / "home"
    write_demo_home(root)
    with backscroll.open(root) as library:
        options = backscroll.Options(limit=300, all_hits=True)
        found = library.search("the", options=options, context=2, redact=redact).hits
        agents = set()
        for hit in found:
            if hit.session is None or hit.message is None:
                continue
            told = library.show(hit.session, all_branches=True, internal=True).messages
            ids = [message.id for message in told if message.agent == hit.agent]
            place = ids.index(hit.message)
            assert ids[max(place - 2, 0) : place] == [message.id for message in hit.before]
            assert ids[place + 1 : place + 3] == [message.id for message in hit.after]
            agents.add(hit.agent)

    assert len(agents) > 1
