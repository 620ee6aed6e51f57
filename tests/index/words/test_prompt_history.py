"""Histories that grow beside transcripts: what must be found of them is what an index made anew would hold."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from catalogue import dump_words
from make import UUID, Draft, home, line, user, write_side
from searched import Searched

from backscroll.index.update.update import update
from backscroll.stores import side
from backscroll.stores.find import find_stores

OTHER = "33333333-3333-4333-8333-333333333333"
GONE = "44444444-4444-4444-8444-444444444444"
PROJECT = "/home/ann/code/ledger"
TEXTS = ["okapi", "feed the okapi", "/clear", "tapir [Pasted text #1 +3 lines]", "panda and okapi", "/model opus"]


def typed(text: str, session: str | None, minute: int, **more: Any) -> bytes:
    """Return a line of a history."""
    known = {"sessionId": session} if session else {}
    return line({"display": text, "timestamp": 1778000000000 + minute * 60_000, "project": PROJECT, **known, **more})


def append(path: Path, data: bytes) -> None:
    """Let a file grow."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(data)


def remembered(root: Path) -> list[Any]:
    """Return what a global config remembers of the project."""
    path = root / ".claude.json"
    return json.loads(path.read_text())["projects"][PROJECT]["history"] if path.exists() else []


def remember(root: Path, history: list[Any], startups: int, name: str = ".claude.json") -> None:
    """Write a global config as Claude Code 1.0 did."""
    config = {"numStartups": startups, "projects": {PROJECT: {"history": history, "allowedTools": []}, "/p": {}}}
    (root / name).write_text(json.dumps(config))


CONFIG_STEPS = ["remembered", "remembered", "remembered", "forgotten", "moved", "started", "backed up", "vanished"]


def change_config(root: Path, step: str, text: str, number: int) -> None:
    """Let a global config remember more or less, move what it remembers into a history, or vanish."""
    prompts = remembered(root)
    if step == "remembered":
        item = text if number % 3 == 0 else {"display": text, "pastedContents": {}}
        remember(root, [item, *prompts][:4], number)
    elif step == "forgotten":
        remember(root, prompts[:-1], number)
    elif step == "moved":
        texts = [item if isinstance(item, str) else item["display"] for item in prompts]
        append(root / ".claude" / "history.jsonl", b"".join(typed(text, None, number) for text in texts))
        remember(root, [], number)
    elif step == "started":
        remember(root, prompts, number)
    elif step == "backed up":
        remember(root, prompts, number, f".claude.json.backup.{number % 3}")
    else:
        next(iter(sorted(root.glob(".claude.json*"))), root / ".claude.json").unlink(missing_ok=True)


def changes(root: Path, chance: random.Random, steps: list[str]) -> Iterator[None]:
    """Let prompts be typed and sent, sessions come and go, and a history be cut, torn and made anew."""
    history = root / ".claude" / "history.jsonl"
    for number in range(35):
        session = chance.choice([UUID, OTHER, GONE, None])
        text = chance.choice(TEXTS)
        transcript = root / ".claude" / "projects" / "-p" / f"{chance.choice([UUID, OTHER])}.jsonl"
        step = chance.choice(steps)
        if step in CONFIG_STEPS:
            change_config(root, step, text, number)
        if step in ("typed", "both"):
            append(history, typed(text, session, number))
        if step in ("sent", "both"):
            name = f"{number:08}-0000-4000-8000-{chance.getrandbits(40):012}"
            said = user(name, None, text, sessionId=transcript.stem, cwd=PROJECT, version="2.1.325")
            append(transcript, line(said))
        elif step == "gone":
            transcript.unlink(missing_ok=True)
        elif step == "cut" and history.exists():
            history.write_bytes(b"".join(history.read_bytes().splitlines(keepends=True)[1:]))
        elif step == "torn":
            append(history, typed(text, session, number)[:-20])
        elif step == "pasted":
            write_side(root, f"paste-cache/{number:016x}.txt", f"a paste of {text}".encode())
            pasted = {"1": {"id": 1, "type": "text", "contentHash": f"{number:016x}"}}
            if chance.random() < 0.7:
                append(history, typed(TEXTS[3], session, number, pastedContents=pasted))
        yield


STEPS = ["typed", "typed", "typed", "sent", "sent", "gone", "cut", "torn", "pasted", "both"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_as_made_anew(tmp_path: Path, seed: int) -> None:
    """Whatever is typed, sent, remembered and deleted, in any order, the words are those of an index made anew."""
    root = home(tmp_path)
    steps = STEPS if seed % 2 else [*STEPS, *CONFIG_STEPS]
    Draft("55555555-5555-4555-8555-555555555555").prompt("something else").write(root)
    with Searched(root) as searched:
        chance = random.Random(seed)  # noqa: S311 - no secret
        for _ in changes(root, chance, steps):
            if chance.random() < 0.2:
                update(searched.database, find_stores(root, {}))
                continue
            searched.refresh()
            with Searched(root) as anew:
                assert dump_words(anew) == dump_words(searched)


def test_a_session_is_placed_anew(tmp_path: Path) -> None:
    """Where a global config says that a session was held elsewhere, it no longer holds what was typed in a project."""
    root = home(tmp_path)
    Draft(UUID, PROJECT).prompt("feed the okapi").write(root, key="-p")
    append(root / ".claude" / "history.jsonl", typed("feed the okapi", None, 1))
    with Searched(root) as searched:
        assert 1 == searched("okapi").total
        remember(root, [], 1)
        searched.refresh()
        assert 2 == searched("okapi").total
        (root / ".claude.json").unlink()
        searched.refresh()
        assert 1 == searched("okapi").total


def test_copies_of_a_history(tmp_path: Path) -> None:
    """A prompt that two histories hold is found once; where one of them loses it, in the other."""
    root = home(tmp_path)
    Draft(UUID).prompt("begin").write(root)
    paths = {str(root / name / "history.jsonl") for name in (".claude", ".claude-work")}
    for path in paths:
        append(Path(path), typed("feed the okapi", GONE, 1))
    with Searched(root) as searched:
        for _ in range(2):
            (hit,) = searched("okapi").hits
            assert hit.place
            assert hit.place.path in paths
            paths.remove(hit.place.path)
            Path(hit.place.path).write_bytes(typed("another", GONE, 2))
            searched.refresh()
        assert 0 == searched("okapi").total


def test_only_new_lines_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A history that grew, or whose prompts were sent meanwhile, is read from its last line on."""
    root = home(tmp_path)
    history = root / ".claude" / "history.jsonl"
    append(history, b"".join(typed(f"word{number}", GONE, number) for number in range(50)))
    read: list[int] = []
    real = side._prompt

    def noted(record: Any, path: str) -> Any:
        read.append(record.line)
        return real(record, path)

    with Searched(root) as searched:
        monkeypatch.setattr(side, "_prompt", noted)
        append(history, typed("word50", GONE, 50))
        searched.refresh()
        assert [51] == read
        Draft(UUID).prompt("word7").write(root)
        searched.refresh()
        assert ["word50"] == searched.texts("word50")
        Draft(GONE).prompt("word7").write(root)
        searched.refresh()
        assert [51] == read
        assert {UUID, GONE} == {hit.session for hit in searched("word7").hits}
        assert all(hit.message for hit in searched("word7").hits)
