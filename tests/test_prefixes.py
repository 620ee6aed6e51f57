"""Every prefix of a transcript, for a writer may be stopped at any byte.

A prefix holds exactly the records whose last byte it holds; the rest of its last line is one damage, or nothing.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from make import UUID, Draft, bash, edit, home

import backscroll
from backscroll.formats.json.lines import INCOMPLETE
from backscroll.sessions.transcript.source import TranscriptSource

pytestmark = pytest.mark.slow

REAL = "cli/cli-2.1.325-interactive-clear-rewind/projects/-home-sam-lab-proj/6d9a1a6e-c4ab-412d-8715-59803f0f068b.jsonl"


class Line(NamedTuple):
    """Where a line begins, where its object ends, and where the next line begins."""

    start: int
    end: int
    after: int


def lines_of(data: bytes) -> list[Line]:
    """Return the lines of a transcript without a flaw: each is one object and a line feed."""
    lines, start = [], 0
    for text in data.splitlines(keepends=True):
        assert isinstance(json.loads(text), dict)
        lines.append(Line(start, start + len(text) - 1, start + len(text)))
        start += len(text)
    return lines


def draft() -> Draft:
    """Return a session of many kinds of records, with characters of one to four bytes."""
    made = Draft(UUID).title("Grüße, 世界 🎉").prompt("Was heißt “tail”? 😀")
    made.answer("Das Ende.", thinking="Hm…", calls=[bash("ls", "ä.txt\n"), edit("/a.py", "x = 1\n", "1", "2")])
    made.system("local_command", "<local-command-stdout></local-command-stdout>").attachment("todo", items=[])
    made.queued("Schneller!").answer("Gleich.").compact("Bisher: nichts.").prompt("Weiter").answer("Ja.")
    return made.rewind(to=1).prompt("Anders").answer("Gut.").last_prompt()


def cut_from_the_end(path: Path, lengths: Iterable[int]) -> Iterator[int]:
    """Cut a file shorter and shorter, and yield each length."""
    for length in lengths:
        os.truncate(path, length)
        yield length


def check_every_prefix(path: Path) -> None:
    """Cut a copy of a transcript at every byte, the last one first, and read what is left."""
    data = path.read_bytes()
    lines = lines_of(data)
    for length in cut_from_the_end(path, range(len(data), -1, -1)):
        while lines and lines[-1].start >= length:
            lines.pop()
        with TranscriptSource(str(path)) as source:
            found = [(record.offset, record.length) for record in source.heads()]

        whole = [(line.start, line.end - line.start) for line in lines if line.end <= length]
        torn = [(line.start, data[line.start : length].rstrip()) for line in lines[-1:] if line.end > length]
        assert whole == found, f"cut at {length}"
        damage = [(start, len(rest), INCOMPLETE) for start, rest in torn]
        assert damage == [(item.place.offset, item.place.length, item.reason) for item in source.damage], (
            f"cut at {length}"
        )
        assert length == source.size == source.record_bytes + source.damage_bytes + source.blank_bytes


def parts_by_message(path: Path) -> dict[str, list[tuple[str, str | None]]]:
    """Return kind and text of all parts of each message on all branches."""
    messages = backscroll.show(str(path), all_branches=True).messages
    return {message.id: [(part.kind, part.text) for part in message.parts] for message in messages}


def check_prefixes_at_line_ends(path: Path) -> None:
    """Cut a transcript at, before and behind each line end; what a prefix says must stand in every longer one."""
    lines = lines_of(path.read_bytes())
    longer = parts_by_message(path)
    cuts = sorted({cut for line in lines for cut in (line.end - 1, line.end, line.after, line.after + 1)}, reverse=True)
    for length in cut_from_the_end(path, [cut for cut in cuts if cut <= lines[-1].after]):
        shorter = parts_by_message(path)

        assert shorter.keys() <= longer.keys()
        assert all(parts == longer[name][: len(parts)] for name, parts in shorter.items()), f"cut at {length}"
        assert len(longer) - 1 <= len(shorter), f"cut at {length}"
        longer = shorter

    assert lines[0].end - 1 == length


def copied(path: Path, directory: Path) -> Path:
    """Copy a transcript that must not be changed."""
    copy = directory / path.name
    copy.write_bytes(path.read_bytes())
    return copy


def test_every_prefix_of_a_built_transcript(tmp_path: Path) -> None:
    """H10: a built transcript, cut at each byte, gives every record that is whole and at most one damage."""
    check_every_prefix(draft().write(home(tmp_path)))


@pytest.mark.slow
@pytest.mark.corpus
def test_every_prefix_of_a_real_transcript(corpus: Path, tmp_path: Path) -> None:
    """H10: so does a transcript that Claude Code wrote, 40 kB of fourteen types of records."""
    check_every_prefix(copied(corpus / REAL, tmp_path))


def test_messages_of_a_built_prefix_stay(tmp_path: Path) -> None:
    """H10: a message that a built transcript's prefix shows is there, and begins the same, in every longer one."""
    check_prefixes_at_line_ends(draft().write(home(tmp_path)))


@pytest.mark.slow
@pytest.mark.corpus
def test_messages_of_a_real_prefix_stay(corpus: Path, tmp_path: Path) -> None:
    """H10: so is a message of a transcript that Claude Code wrote."""
    check_prefixes_at_line_ends(copied(corpus / REAL, tmp_path))
