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
from make import Draft, bash, home, line, read, write_demo_home, write_side
from searched import NOW, Searched

from backscroll.query import question as asking
from backscroll.query.language import parse_query

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
        for raw in path.read_bytes().split(b"\n"):
            try:
                record = json.loads(raw)
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


MACHINERY = {"uuid", "parentUuid", "sessionId", "timestamp", "version", "cwd", "gitBranch", "type", "userType", "slug"}
MACHINERY |= {"entrypoint", "subtype", "requestId", "level", "toolUseID", "parentToolUseID", "agentId", "session_id"}
MACHINERY |= {"logicalParentUuid", "leafUuid", "operation", "commit", "message", "forkedFrom"}
# What an attachment became for the model says the same once more.
MACHINERY |= {"commandMode", "rendered", "renderedRole", "renderedBesideToolResult"}
BESIDE = {"system", "attachment", "queue-operation", "summary", "custom-title", "ai-title", "agent-name", "last-prompt"}
BESIDE |= {"pr-link", "frame-link", "task-summary", "checkpoint", "tag", "of-tomorrow"}
IN_ROWS = ("title", "initialMessage", "mcqAnswers", "fsDetectedFiles", "userSelectedFolders", "error", "previousTitles")
TEXT_FILES = (
    "plans/*",
    "projects/*/memory/*",
    "projects/*/*/tool-results/*",
    "paste-cache/*",
    "projects/*/*/scripts/*",
)
JSON_FILES = ("todos/*.json", "tasks/*/*.json")


def said_beside(root: Path) -> Iterator[str]:
    """Yield what is said anywhere but in prompts and answers."""
    config = root / ".claude"
    for path in sorted((config / "projects").rglob("*.jsonl")):
        yield from (text for record in lines_of(path) for text in said_beside_the_tree(record))
    for prompt in lines_of(config / "history.jsonl"):
        yield from [prompt["display"], *(item.get("content") or "" for item in prompt["pastedContents"].values())]
    for path in (root / ".claude.json", *config.glob("**/.claude.json*")):
        histories = (about.get("history", []) for fields in lines_of(path) for about in fields["projects"].values())
        yield from leaves([*histories])
    yield from (path.read_text(errors="replace") for pattern in TEXT_FILES for path in config.glob(pattern))
    yield from (text for pattern in JSON_FILES for path in config.glob(pattern) for text in leaves([*lines_of(path)]))
    for path in root.glob("**/local_*.json"):
        for fields in lines_of(path) if "skills-plugin" not in path.parts else ():
            yield from leaves([fields.get(name) for name in IN_ROWS])
    yield from (text for path in root.glob("**/scheduled-tasks.json") for text in leaves([*lines_of(path)]))


def said_beside_the_tree(record: dict[str, Any]) -> Iterator[str]:
    """Yield what a record says that is no prompt and no answer."""
    attachment = record.get("attachment", {})
    if record.get("type") in BESIDE and attachment.get("type") != "prompt_snapshot":
        said = leaves(without(record, MACHINERY))
        yield from (text.rpartition(" ")[0] if text.endswith("…") else text for text in said)  # cut off


def without(value: Any, names: set[str]) -> Any:
    """Return a value without fields of certain names, at any depth."""
    if isinstance(value, list):
        return [without(item, names) for item in value]
    if isinstance(value, dict):
        return {name: without(item, names) for name, item in value.items() if name not in names}
    return value


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects in a file: one, or one on each line."""
    data = path.read_bytes() if path.exists() else b""
    for raw in [data] if path.suffix == ".json" else data.split(b"\n"):
        try:
            record = json.loads(raw)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def check_beside(root: Path, searched: Searched) -> None:
    """Look for every word that is said beside the messages."""
    words = sorted({word for text in said_beside(root) for word in words_of([text])})
    chosen = random.Random(6).sample(words, min(WORDS, len(words)))  # noqa: S311 - the same words every time
    assert [] == [word for word in chosen if not searched(f'"{word}"', limit=1).total]


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


@pytest.mark.slow
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
    write_beside(draft).write(root)
    write_files(root)
    with Searched(root) as searched:
        check(root, searched)
        check_beside(root, searched)


def write_beside(draft: Draft) -> Draft:
    """Add records beside the messages to a draft."""
    time = {"timestamp": "2026-05-01T10:00:00.000Z"}
    records: list[dict[str, Any]] = [
        {"type": "queue-operation", "operation": "enqueue", "content": "yarrow while waiting", **time},
        {"type": "queue-operation", "operation": "enqueue", "content": "修复 again", **time},
        {"type": "summary", "summary": "Bramble and heather", "leafUuid": "gone"},
        {"type": "custom-title", "customTitle": "Foxglove field"},
        {"type": "custom-title", "customTitle": "Lavender field"},
        {"type": "ai-title", "aiTitle": "Thistle field"},
        {"type": "tag", "tag": "meadow"},
        {"type": "last-prompt", "lastPrompt": "a lost buttercup"},
        {"type": "pr-link", "prRepository": "ann/clover", "prUrl": "https://x.test/ann/clover/pull/1", **time},
        {"type": "frame-link", "title": "Marigold report", "frameUrl": "https://x.test/marigold", **time},
        {"type": "of-tomorrow", "note": ["primrose"]},
    ]
    for record in records:
        draft.record(**record)
    draft.system("informational", "The nettle warning").attachment("hook_success", stdout="burdock checked")
    return draft


def write_files(root: Path) -> None:
    """Add files beside the transcripts."""
    paste = {"1": {"id": 1, "type": "text", "content": "cornflower"}, "2": {"id": 2, "contentHash": "ab12"}}
    gone = {"display": "the lost daisy", "pastedContents": paste, "timestamp": 1_778_000_000_000, "sessionId": "gone"}
    history = root / ".claude" / "history.jsonl"
    write_side(root, "history.jsonl", (history.read_bytes() if history.exists() else b"") + line(gone))
    typed = {"display": "the first tulip", "pastedContents": {"1": {"id": 1, "type": "text", "content": "crocus"}}}
    config = {"projects": {"/p": {"history": [typed, "a plain dahlia"]}}}
    write_side(root, ".claude.json", json.dumps(config).encode())
    write_side(root, "paste-cache/ab12.txt", b"pasted speedwell")
    write_side(root, "paste-cache/cd34.txt", b"orphaned tansy")
    write_side(root, "projects/-p/memory/MEMORY.md", b"remember the comfrey")
    write_side(root, "tasks/list/1.json", b'{"subject": "weed the garlic", "status": "pending"}')
    write_side(root, "projects/-p/99999999-2222-4111-8111-111111111111/scripts/run.js", b"water(mallow)")


def claude(home: Path, config: Path) -> Path:
    """Return a home whose configuration directory is another one."""
    home.mkdir(parents=True)
    (home / ".claude").symlink_to(config)
    return home


@pytest.mark.corpus
@pytest.mark.slow
def test_corpus(tmp_path: Path) -> None:
    """On transcripts that nobody here wrote."""
    for name in ("home", "cli/cli-2.1.325-interactive-compact", "cli/resume-1.0.44", "cli/resume-2.0.33"):
        root = shared_path(f"corpus/{name}")
        with Searched(root) as searched:
            check(root, searched)
            check_beside(root if (root / ".claude").exists() else claude(tmp_path / name, root), searched)
