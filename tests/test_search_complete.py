"""Search against brute force: the messages found are those that decoding everything and looking finds.

The second way shares no code with backscroll: it reads every line with the standard library, joins records by their
ids, and looks for words with its own idea of what a word is.
"""

import json
import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import shared_path
from make import Draft, bash, home, read, write_demo_home
from searched import NOW, Searched

from backscroll.text import asking
from backscroll.text.language import parse_query

WORDS = 500
UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]+")
ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{512,}")
"""Base64 is no text."""
CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z0-9]")
HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]")


def plain(text: str) -> str:
    """Return a text without accents and case."""
    apart = unicodedata.normalize("NFKD", text)
    bare = "".join(letter for letter in apart if not "\u0300" <= letter <= "\u036f")
    return unicodedata.normalize("NFC", bare).lower()


def texts_in(record: dict[str, Any]) -> Iterator[str]:
    """Yield what a record says."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else message
    for block in [content] if isinstance(content, str) else content or []:
        if isinstance(block, str):
            yield block
        elif block.get("type") in ("text", "thinking"):
            yield block.get(block["type"]) or ""
        elif block.get("type") == "tool_use":
            yield from ["\n".join([block["name"], *leaves(block.get("input"))])]
        elif block.get("type") == "tool_result":
            inner = block.get("content")
            yield from [inner] if isinstance(inner, str) else [item.get("text") or "" for item in inner or []]


def leaves(value: Any) -> Iterator[str]:
    """Yield the texts inside a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)


def messages_below(root: Path) -> dict[str, dict[str, list[str]]]:
    """Return what every message says, by the id of each of its records: {uuid: {id of the message: texts}}."""
    said: dict[str, list[str]] = defaultdict(list)
    of_record: dict[str, str] = {}
    for path in sorted((root / ".claude" / "projects").rglob("*.jsonl")):
        for line in path.read_bytes().split(b"\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if (
                not isinstance(record, dict)
                or record.get("type") not in ("user", "assistant")
                or not record.get("uuid")
            ):
                continue
            message = record.get("message")
            name = (message.get("id") if isinstance(message, dict) else None) or record["uuid"]
            for text in texts_in(record):
                if text not in said[name]:
                    said[name].append(text)
            of_record[record["uuid"]] = name
    return {uuid: {name: said[name]} for uuid, name in of_record.items()}


def check(root: Path, searched: Searched) -> None:
    """Compare the two ways for words of all scripts, drawn by chance."""
    by_record = messages_below(root)
    said = {name: texts for item in by_record.values() for name, texts in item.items()}
    words = {name: set(words_of(texts)) for name, texts in said.items()}
    chance = random.Random(5)  # noqa: S311 - the same words every time
    everything = sorted({word for found in words.values() for word in found})
    chosen = chance.sample(everything, min(WORDS, len(everything)))
    foreign = [word for word in everything if not word.isascii()]
    chosen += chance.sample(foreign, min(WORDS, len(foreign)))

    for word in chosen:
        expected = {text_of(said[name]) for name, found in words.items() if word in found}
        assert expected == found_texts(searched, f'"{word}"', by_record), word
    for beginning in sorted({word[: chance.randrange(1, 4)] for word in chosen if word.isalpha()}):
        expected = {text_of(said[name]) for name, found in words.items() if any(map(starting(beginning), found))}
        assert expected <= found_texts(searched, f"{beginning}*", by_record), beginning
    for piece in substrings(said, chance):
        expected = {text_of(texts) for texts in said.values() if any(piece in text for text in texts)}
        assert expected == found_texts(searched, f'"{piece}"', by_record), piece


def starting(beginning: str) -> Callable[[str], bool]:
    """Return what says whether a word begins so."""
    return lambda word: word.startswith(beginning)


def words_of(texts: list[str]) -> Iterator[str]:
    """Yield the words of a message, and the humps of those in camel case."""
    for text in (ENCODED.sub(" ", item) for item in texts):
        for word in re.findall(r"(?:[^\W_]|[\u0900-\u0dff])+", UNSPACED.sub(" ", unicodedata.normalize("NFKC", text))):
            if len(word) <= 100 and "ß" not in word:
                yield plain(word)
                if word.isascii() and CAMEL.search(word):
                    yield from (hump.lower() for hump in HUMP.findall(word))


def substrings(said: dict[str, list[str]], chance: random.Random) -> list[str]:
    """Return pieces of the texts in scripts without blanks."""
    runs = sorted({run for texts in said.values() for text in texts for run in UNSPACED.findall(text)})
    pieces = set()
    for run in chance.sample(runs, min(150, len(runs))):
        start = chance.randrange(len(run))
        pieces.add(run[start : start + chance.randrange(1, 5)])
    return sorted(pieces)


def text_of(texts: list[str]) -> str:
    """Return what a message says: copies under other ids say the same."""
    return "\0".join(sorted(texts))


def found_texts(searched: Searched, query: str, by_record: dict[str, dict[str, list[str]]]) -> set[str]:
    """Return what the messages say that the index finds, as far as the second way can read them."""
    told = [next(iter(by_record[uuid].values())) for uuid in uuids(searched, query) if uuid in by_record]
    return {text_of(texts) for texts in told if any(texts)}


def uuids(searched: Searched, query: str) -> list[str]:
    """Return the ids of all messages that the index finds."""
    question = asking.question(parse_query(query, NOW))
    searcher = searched.text.searcher()
    if question is None:
        return []
    addresses = [address for _, address in searcher.search(question, 100_000, count=False).hits]
    return [json.loads(bytes(searcher.doc(address)["at"][0]))[2] for address in addresses]


def test_made_home(tmp_path: Path) -> None:
    """On sessions made here, with all scripts in them."""
    write_demo_home(tmp_path)
    root = home(tmp_path)
    draft = Draft("99999999-1111-4111-8111-111111111111")
    draft.prompt("Ελληνικά και Русский текст, עברית, العربية, हिन्दी भाषा, naïve Ünïcödé ﬁne").answer(
        "修复数据库连接超时、データ読込処理"
    )
    draft.prompt("ภาษาไทยไม่มีช่องว่าง 한국어 문장").answer(
        "x86_64 fooBarBaz HTTPServer2 a1b2", calls=[bash("ls -la", "ok"), read("/a/b.py", "x = 1")]
    )
    draft.write(root)
    with Searched(root) as searched:
        check(root, searched)


@pytest.mark.corpus
@pytest.mark.slow
def test_corpus(tmp_path: Path) -> None:
    """On transcripts that nobody here wrote."""
    for name in ("home", "cli/cli-2.1.325-interactive-compact", "cli/resume-1.0.44", "cli/resume-2.0.33"):
        root = shared_path(f"corpus/{name}")
        with Searched(root) as searched:
            check(root, searched)
