"""Completeness: what a search finds beside what decoding everything and looking finds.

The words are drawn at random from all that was said: prompts, answers, thinking, calls and results.
"""

import json
import random
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from corpora import Home
from lab import Lab, Section
from searching import HTTP_ASKED, found, written
from texts import records, texts, words
from theirs import agentsview_http

WORDS, ONE_IN = 500, 20
"""So many words are asked for, drawn from one in so many of all."""
LETTERS = 24
"""Longer words are ids and digests."""
OURS_FOUND = """
import json, pathlib, sys, time, backscroll
root, words = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text())
options, cpu, wall = backscroll.Options(all_hits=True, limit=1_000_000), time.process_time(), time.perf_counter()
with backscroll.search_index(root) as search:
    found = {word: [hit.message for hit in search(f'"{word}"', options).hits if hit.message] for word in words}
print(json.dumps(found))
print(json.dumps([[time.process_time() - cpu, time.perf_counter() - wall]]))
"""


@dataclass(slots=True)
class Said:
    """What brute force finds: the messages that hold each word, and the message that each record belongs to."""

    holders: dict[str, set[str]] = field(default_factory=dict)
    message_of: dict[str, str] = field(default_factory=dict)


def completeness(lab: Lab) -> Section:
    """Look for words of all kinds in a large home, and count what is missing and what is wrong."""
    home, task = lab.sized("M"), "find all messages with a word"
    said = look(home)
    file = written(lab.scratch / "words.json", sorted(said.holders))
    ours = lab.script(task, "search(WORD, Options(all_hits=True))", OURS_FOUND, [home.path, file], 1)
    ours.setup = lambda: lab.ask(home, "index")
    ours.facts = lambda output, _: compared(json.loads(output.splitlines()[-2]), said)
    cases = [ours, *agentsview_http(lab, task, home, HTTP_ASKED, file, 0)]
    for case in cases[1:]:
        case.facts = lambda output, figure: {"words found": found(output, figure)["found"]}
    text = (
        f"{home.describe()}.\n"
        f"{len(said.holders)} words are drawn at random from all text; decoding every record and looking finds them in "
        f"{sum(map(len, said.holders.values())):,} messages, each counted once a word.\n"
        "“words found” are those that a search finds at all; of the messages, “missing” are not found, and “wrong” are "
        "found without holding the word.\n"
        "tests/test_search_complete.py compares scripts without blanks and real transcripts in the same way."
    )
    columns = ("program", "words found", "messages found", "missing", "wrong", "command", "note")
    return Section("Completeness", text, cases, columns)


def look(home: Home) -> Said:
    """Draw words from everything that was said, and find the messages that hold them, by brute force."""
    said, holders = Said(), defaultdict[str, set[str]](set)
    for record in records(home.transcripts):
        message = record.get("message")
        name = (message.get("id") if isinstance(message, dict) else None) or record["uuid"]
        said.message_of[record["uuid"]] = name
        for word in {word for _, text in texts(record) for word in words(text)}:
            if len(word) <= LETTERS and word.isascii() and zlib.crc32(word.encode()) % ONE_IN == 0:
                holders[word].add(name)
    drawn = random.Random(5).sample(sorted(holders), min(WORDS, len(holders)))  # noqa: S311 - the same every time
    said.holders = {word: holders[word] for word in drawn}
    return said


def compared(answers: dict[str, list[str]], said: Said) -> dict[str, Any]:
    """Hold what a search found against brute force; messages that this does not know, such as titles, are left out."""
    right = missing = wrong = 0
    for word, expected in said.holders.items():
        answered = {said.message_of[name] for name in answers[word] if name in said.message_of}
        right += len(expected & answered)
        missing += len(expected - answered)
        wrong += len(answered - expected)
    words_found = f"{sum(map(bool, answers.values()))} of {len(answers)}"
    return {"words found": words_found, "messages found": right, "missing": missing, "wrong": wrong}
