"""What a home says, decoded with the standard library alone: how much it is, and questions that have an answer.

Shares no code with backscroll, so that what is said here can be held against it.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from corpora import Home

SAID = ("user", "assistant")
SAMPLE, LARGEST = 150, 5_000_000
"""Questions are drawn from so many transcripts, none larger than this."""
WORD = re.compile("[a-z]{3,}")
RUN = re.compile(r"[^\W_]+")
CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z0-9]")
HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]")
THREE_WORDS = re.compile("[A-Za-z]{3,} [A-Za-z]{3,} [A-Za-z]{3,}")
ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{512,}")
"""Base64 is no text."""


def records(files: Iterable[Path], kinds: tuple[str, ...] = SAID) -> Iterator[dict[str, Any]]:
    """Yield what was said, or records of other types, each once though several transcripts hold it."""
    seen, hints = set(), [f'"{kind}"'.encode() for kind in kinds]
    for path in files:
        with path.open("rb") as lines:
            for line in lines:
                if not any(hint in line for hint in hints):
                    continue
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if isinstance(record, dict) and record.get("type") in kinds:
                    name = record.get("uuid")
                    if name and name not in seen:
                        seen.add(name)
                        yield record


def texts(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts of a record with their kind: text, thinking, call, result."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else message
    for block in [content] if isinstance(content, str) else content or []:
        if isinstance(block, str):
            yield "text", block
        elif block.get("type") in {"text", "thinking"}:
            yield block["type"], block.get(block["type"]) or ""
        elif block.get("type") == "tool_use":
            yield "call", "\n".join([block["name"], *_leaves(block.get("input"))])
        elif block.get("type") == "tool_result":
            inner = block.get("content")
            for item in [{"text": inner}] if isinstance(inner, str) else inner or []:
                yield "result", item.get("text") or ""


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)


def words(text: str) -> set[str]:
    """Return the words of a text in small letters: runs of letters and digits, and the humps of those in camel case."""
    found = set(RUN.findall(ENCODED.sub(" ", text)))
    humps = (hump for word in found if word.isascii() and CAMEL.search(word) for hump in HUMP.findall(word))
    return {word.lower() for word in (*found, *humps)}


def text_size(home: Home) -> int:
    """Return how many bytes of text a home holds: prompts, answers, thinking, calls, results, each record once."""
    said = (text for record in records(home.transcripts) for _, text in texts(record))
    return sum(len(ENCODED.sub(" ", text).encode(errors="replace")) for text in said)


def questions(home: Home, number: int) -> dict[str, list[str]]:
    """Return different questions of each kind that people ask, drawn from prompts and answers, the same every time."""
    chance = random.Random(7)  # noqa: S311 - the same questions every time
    files = sorted(path for path in home.transcripts if path.stat().st_size <= LARGEST)
    said, projects = [], Counter[str]()
    for record in records(chance.sample(files, min(SAMPLE, len(files)))):
        said += [text for kind, text in texts(record) if kind == "text"]
        projects[Path(record.get("cwd") or "").name] += 1
    heard = Counter(word for text in said for word in WORD.findall(text.lower()))
    phrases = sorted({found for text in said for found in THREE_WORDS.findall(text)})
    common = [word for word, _ in heard.most_common(number)]
    rare = sorted(word for word, times in heard.items() if times == 1 and len(word) > 5) or common
    beginnings = Counter[str]()
    for word, times in heard.items():
        beginnings[word[:2]] += times
    filters = [
        *(f"project:{name}" for name, _ in projects.most_common(5)),
        "role:user",
        "kind:answer",
        "since:2026-08-01",
    ]
    drawn = {
        "a rare word": chance.sample(rare, min(number, len(rare))),
        "a common word, best 20": common,
        "two words": [f"{chance.choice(common)} {chance.choice(common)}" for _ in range(number)],
        "a phrase": [f'"{text}"' for text in chance.sample(phrases, min(number, len(phrases)))],
        "two letters, as one types": [f"{letters}*" for letters, _ in beginnings.most_common(number)],
        "a word and a field": [f"{chance.choice(common)} {chance.choice(filters)}" for _ in range(number)],
    }
    return {kind: list(islice(_again(asked), number)) for kind, asked in drawn.items()}


def _again(items: list[str]) -> Iterator[str]:
    while items:
        yield from items
