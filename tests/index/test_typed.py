"""Histories that grow beside transcripts: what must be found of them is what an index made anew would hold."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from catalogue import dump_words
from make import UUID, Draft, home, line, user, write_side
from searched import Searched

from backscroll.stores import side

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


def changes(root: Path, chance: random.Random) -> Iterator[None]:
    """Let prompts be typed and sent, sessions come and go, and a history be cut, torn and made anew."""
    history = root / ".claude" / "history.jsonl"
    for number in range(30):
        session = chance.choice([UUID, OTHER, GONE, None])
        text = chance.choice(TEXTS)
        transcript = root / ".claude" / "projects" / "-p" / f"{chance.choice([UUID, OTHER])}.jsonl"
        step = chance.choice(["typed", "typed", "typed", "sent", "sent", "gone", "cut", "torn", "pasted", "both"])
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


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_as_made_anew(tmp_path: Path, seed: int) -> None:
    """Whatever is typed, sent and deleted, in any order, the words are those of an index made anew."""
    root = home(tmp_path)
    Draft("55555555-5555-4555-8555-555555555555").prompt("something else").write(root)
    with Searched(root) as searched:
        for _ in changes(root, random.Random(seed)):  # noqa: S311 - no secret
            searched.refresh()
            with Searched(root) as anew:
                assert dump_words(anew) == dump_words(searched)


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
