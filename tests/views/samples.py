"""Values of the model, made by hand: what views are tried on."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from backscroll.place import Place
from backscroll.records import Damage, Note
from backscroll.sessions.message import Message, Part
from backscroll.sessions.model import Branch, Call, Result, Transcript, TreeNode
from backscroll.sessions.session import Agent, Session, Usage
from backscroll.sessions.summaries import StoreAccount
from backscroll.views.terminal.paper import Line, Paper, plain

NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
TIME = datetime(2026, 5, 3, 9, 30, tzinfo=UTC)
ID = "c9258e92-ad74-42f8-b67c-c9186dc46931"

HOSTILE = [  # D02 of hostile_corpus.py, and what H13, H14 and the names of F06 add
    "\x1b]8;;http://evil/\x1b\\click\x1b]8;;\x1b\\",
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1b]0;PWNED\x07",
    "\x1b[2J\x1b[H",
    "\x9b2J",
    "ok\rEVIL",
    "\u202eevil\u202c",
    "[/foo]",
    "[link=file:///etc/passwd]x[/link]",
    "\x1bP+q544e\x1b\\",
    "\x07" * 20,
    "\x1b[?1049h",
    "\x1b]9;7;calc\x07",
    "pay\u200bpal\u2060\ufeff",
    "hidden\U000e0041\U000e0042",
    "\udcff\udcfe.jsonl",
    "\ud83d",
    "a\u200db",
    "\u2066x\u2069\u200e\u200f\u061c",
    "\x00\x08\x7f\x85",
]


def paper(width: int | None = 80, **changes: Any) -> Paper:
    """Return paper in UTC, noon on 3 May 2026."""
    return Paper(width=width, now=NOW, zone=UTC, **changes)


def text_of(lines: Iterable[Line]) -> str:
    """Return lines without styles."""
    return "\n".join(plain(line) for line in lines)


def session(**changes: Any) -> Session:
    """Return a session, with some of its fields changed."""
    fields: dict[str, Any] = {
        "id": ID,
        "title": "Fix the flaky login test",
        "project": "/home/me/shop",
        "cwd": "/home/me/shop",
        "stores": ["code"],
        "state": "live",
        "started": TIME,
        "updated": TIME.replace(hour=11),
        "messages": 42,
        "calls": 31,
        "agents": 2,
        "branches": 2,
        "compactions": 1,
        "damage": 0,
        "model": "claude-opus-4-1-20250805",
        "models": ["claude-opus-4-1-20250805"],
        "usage": Usage(input=1200, output=34_000, cache_write=90_000, cache_read=1_100_000, messages=20),
        "branch": "main",
        "version": "2.1.112",
        "account": None,
        "rows": [],
        "parent": None,
        "transcripts": [f"/home/me/.claude/projects/-home-me-shop/{ID}.jsonl"],
        "expires": None,
        "prompts": 12,
    }
    return Session(**(fields | changes))


def message(role: str, *parts: Part | str, **changes: Any) -> Message:
    """Return a message of text and other parts."""
    fields: dict[str, Any] = {
        "id": "u1",
        "parent": None,
        "session": ID,
        "role": role,
        "time": TIME,
        "model": "claude-opus-4-1-20250805" if role == "assistant" else None,
        "agent": None,
        "branch": "main",
        "parts": [Part("text", part) if isinstance(part, str) else part for part in parts],
        "usage": None,
        "place": Place("/t.jsonl", 1, 0, 10),
    }
    return Message(**(fields | changes))


def call_part(name: str, call_input: Any, identity: str = "toolu_1") -> Part:
    """Return a call as a part of a message."""
    return Part("call", None, {"id": identity, "name": name, "input": call_input})


def result_part(text: str | None, identity: str = "toolu_1", *, error: bool = False, name: str = "Bash") -> Part:
    """Return a result as a part of a message."""
    return Part("result", text, {"id": identity, "error": error, "name": name})


def call(name: str = "Bash", call_input: Any = None, result: Result | None = None, **changes: Any) -> Call:
    """Return a call."""
    fields: dict[str, Any] = {
        "id": "toolu_1",
        "name": name,
        "input": {"command": "make check"} if call_input is None else call_input,
        "result": result,
        "session": ID,
        "message": "u1",
        "agent": None,
        "started": TIME,
        "finished": TIME.replace(second=3),
    }
    return Call(**(fields | changes))


def transcript(messages: Iterable[Message], **changes: Any) -> Transcript:
    """Return a transcript over messages that are read one at a time."""
    iterator: Iterator[Message] = iter(messages)
    fields: dict[str, Any] = {"session": session(), "branches": [], "messages": iterator, "damage": [], "notes": []}
    return Transcript(**(fields | changes))


def branch(name: str = "b1", **changes: Any) -> Branch:
    """Return a branch that leaves after message u1."""
    fields: dict[str, Any] = {"name": name, "messages": 3, "fork": "u1", "parent": "main", "label": "go", "tip": "u9"}
    return Branch(**(fields | changes))


def agent(**changes: Any) -> Agent:
    """Return an agent."""
    fields: dict[str, Any] = {
        "id": "a0ad4f44468bdf20d",
        "kind": "nested",
        "type": "Explore",
        "description": "find all callers",
        "call": "toolu_1",
        "joined_by": "meta",
        "parent": None,
        "is_internal": False,
        "messages": 5,
        "calls": 4,
        "transcript": "/a.jsonl",
        "updated": TIME,
    }
    return Agent(**(fields | changes))


def store(**changes: Any) -> StoreAccount:
    """Return what was found in a store."""
    fields: dict[str, Any] = {
        "kind": "code",
        "path": "/home/me/.claude/projects",
        "files": 48,
        "bytes": 31_000_000,
        "sessions": 40,
        "damage": [],
        "record_bytes": 30_900_000,
        "damage_bytes": 0,
        "blank_bytes": 100_000,
        "unread": [],
        "left_alone": [],
    }
    return StoreAccount(**(fields | changes))


def damage(reason: str = "not JSON", path: str = "/t.jsonl") -> Damage:
    """Return a damaged place."""
    return Damage(Place(path, 7, 1200, 30), reason)


def note(reason: str = "a number too large") -> Note:
    """Return a repaired place."""
    return Note(Place("/t.jsonl", 8, 1300, 30), reason)


def node(identity: str, parent: str | None, kind: str, label: str = "", messages: int | None = None) -> TreeNode:
    """Return a node of a tree."""
    return TreeNode(identity, parent, kind, label, messages)
