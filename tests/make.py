r"""Everything that tests build their homes, sessions and files from.

    from make import Draft, bash, home, write_transcript

    draft = Draft("s1").prompt("Hello").answer("Hi.", calls=[bash("ls", "a.txt")])
    path = draft.write(home(tmp_path))                          # a session as Claude Code writes it, agents included
    write_transcript(home(tmp_path), "-p", "odd", [b"{}\n"])    # any bytes under any name
    write_side(home(tmp_path), "history.jsonl", b"...")         # any other file below .claude
    before = fingerprint(tmp_path)                              # ... read ...; assert fingerprint(tmp_path) == before
    as_nobody(lambda: [...])                                    # without the rights of root, who may read everything

`Draft` has a method for each thing that can happen in a session; see its docstrings.  Its version decides how records
look: 1.0.0 one record per message, 1.0.128 agents inline, 2.0.60 agents flat, 2.1.x agents nested with meta.json.
Nothing here is random and no clock is read.  No test reads the real home: homes lie below a test's tmp_path.
"""

import atexit
import hashlib
import json
import os
import pickle
import sqlite3
import tempfile
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from leveldb_make import Files, keyval_store, local_storage

from backscroll.demo import Draft, Tool, write_demo_home
from backscroll.demo.rows import NOON
from backscroll.demo.tools import bash, edit, failed, grep, read, todo, write
from backscroll.index.db import open_in_memory
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.index.queries.usage import UsageFilter
from backscroll.index.update.update import update
from backscroll.records import Damage
from backscroll.sessions.session import Session
from backscroll.sessions.transcript.conversation import Conversation, read_conversation
from backscroll.stores.base import FoundFile
from backscroll.stores.find import find_stores

__all__ = [
    "ACCOUNT",
    "APP",
    "CODE_ROWS",
    "COWORK_ROWS",
    "DESKTOPS",
    "NOON",
    "ORGANIZATION",
    "UUID",
    "Draft",
    "Tool",
    "as_nobody",
    "assistant",
    "bash",
    "call",
    "conversation",
    "cowork",
    "desktop_file",
    "edit",
    "failed",
    "fingerprint",
    "found",
    "given",
    "grep",
    "home",
    "indexed",
    "inside",
    "line",
    "listed",
    "manifest",
    "read",
    "row",
    "sums_of",
    "todo",
    "user",
    "walked",
    "write",
    "write_demo_home",
    "write_desktop",
    "write_side",
    "write_transcript",
]

Answer = TypeVar("Answer")

UUID = "11111111-1111-4111-8111-111111111111"

DESKTOPS = (
    "Library/Application Support/Claude",
    "Library/Application Support/Claude-3p",
    ".config/Claude",
    "AppData/Roaming/Claude",
    "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude",
    "AppData/Local/Packages/AnthropicPBC.Claude_fnn82j28hfe8t/LocalCache/Roaming/Claude",
    "AppData/Local/Claude-3p",
    "AppData/Local/Claude-Data",
    "AppData/Local/Claude-Data/Claude_pzs8sxrjxfjjc",
)
"""Where Claude Desktop keeps its data, on all systems, below a home directory."""


def home(directory: Path) -> Path:
    """Make `directory` a home with an empty store of Claude Code, and return it."""
    (directory / ".claude" / "projects").mkdir(parents=True, exist_ok=True)
    return directory


def line(record: Mapping[str, Any]) -> bytes:
    """Return a record as a line of a transcript."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def write_transcript(home: Path, key: str, stem: str, lines: bytes | Iterable[bytes] = b"") -> Path:
    """Write bytes, or lines, as `projects/<key>/<stem>.jsonl` and return the path."""
    return write_side(home, f"projects/{key}/{stem}.jsonl", lines)


def write_side(home: Path, name: str, lines: bytes | Iterable[bytes] = b"") -> Path:
    """Write any file below `.claude` and return its path."""
    path = home / ".claude" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines if isinstance(lines, bytes) else b"".join(lines))
    return path


def cowork(home: Path, desktop: str = DESKTOPS[0], session: str = "local_5a7d4a86-4628-4182-a822-292dc8a1df9d") -> Path:
    """Make the private configuration directory of a Cowork session, with one transcript, and return it."""
    config = home / desktop / "local-agent-mode-sessions" / "account" / "organization" / session / ".claude"
    transcript = config / "projects" / "session" / f"{UUID}.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_bytes(Draft(UUID, "/sessions/calm-river").prompt("Hello").answer("Hi.").text())
    return config


def write_desktop(home: Path, bad: str = "") -> Path:
    """Give a home the data directory of a Claude Desktop, with `bad` in every text of its pages; return the home."""
    state = {"state": {"pinnedOrder": [f"code:local_{UUID}"], "sidebarWidth": 280, "note": bad}, "version": 1}
    first = {"dframe-store": "{}", "gone": f"was here {bad}", "default-model": f"claude-opus-4-6{bad}"}
    then = {"dframe-store": json.dumps(state), "gone": None, f"key {bad}": bad}
    pins = json.dumps({"state": {"starredIds": [f"local_{UUID}"]}, "updatedAt": 1_777_000_100_000})
    Files(local_storage(first, then) | keyval_store({"store:pin-state:dframe-starred-code": pins})).write(
        home / ".config/Claude"
    )
    worktree = {
        "path": f"/r/{bad}",
        "leasedBy": f"local_{UUID}",
        "branch": bad or "claude/w",
        "createdAt": 1_777_000_000_000,
    }
    registry = {"schemaVersion": 2, "worktrees": {"w": worktree, "free": {"path": "C:\\w"}, f"none {bad}": bad}}
    (home / ".config/Claude/git-worktrees.json").write_text(json.dumps(registry))
    features = {"tengu_one": True, "tengu_two": {"note": bad}, f"tengu_three{bad}": bad}
    (home / ".claude").mkdir(exist_ok=True)
    (home / ".claude/.claude.json").write_text(
        json.dumps({"cachedGrowthBookFeatures": {**features, "tengu_one": False}})
    )
    return home


ACCOUNT, ORGANIZATION = "aaaaaaaa-1111-4111-8111-111111111111", "bbbbbbbb-2222-4222-8222-222222222222"
APP = "99999999-9999-4999-8999-999999999999"
CODE_ROWS, COWORK_ROWS = "claude-code-sessions", "local-agent-mode-sessions"


def desktop_file(home: Path, name: str, data: Any = b"", desktop: str = DESKTOPS[0]) -> Path:
    """Write any file below Claude Desktop's data, bytes as they are and all else as JSON, and return its path."""
    path = home / desktop / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return path


def row(home: Path, app: str = APP, *, owner: str = f"{ACCOUNT}/{ORGANIZATION}", at: str = "", **fields: Any) -> Path:
    """Write a row of the Code tab, and return its path; `at` names another directory of rows, or another Desktop."""
    place = at or f"{DESKTOPS[0]}/{CODE_ROWS}"
    given = {"sessionId": f"local_{app}", "createdAt": 1780000000000, "lastActivityAt": 1780000100000, "cwd": "/r"}
    given |= {"originCwd": "/r", "model": "claude-x[1m]", "isArchived": False, "title": "Fix", "titleSource": "auto"}
    given |= {"permissionMode": "default", "completedTurns": 2, **fields}
    return desktop_file(home, f"{owner}/local_{app}.json", given, place)


def manifest(home: Path, app: str = APP, *, desktop: str = DESKTOPS[0], **fields: Any) -> Path:
    """Write a manifest of Cowork, and return its path."""
    given = {"sessionId": f"local_{app}", "createdAt": 1780000000000, "lastActivityAt": 1780000100000}
    given |= {"processName": "calm-river", "vmProcessName": "calm-river", "cwd": "/sessions/calm-river"}
    given |= {"userSelectedFolders": ["/home/ann/tides"], "title": "Tides", "isArchived": False, **fields}
    name = f"{COWORK_ROWS}/{ACCOUNT}/{ORGANIZATION}/local_{app}.json"
    return desktop_file(home, name, given, desktop)


def inside(manifest: Path, name: str, data: bytes = b"") -> Path:
    """Write a file into the session directory beside a manifest, and return its path."""
    path = manifest.with_suffix("") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def walked(
    root: Path | None, env: Mapping[str, str] | None = None, own: Path | None = None
) -> list[FoundFile | Damage]:
    """Return everything that the stores below `root` hold, damage included."""
    return [item for store in find_stores(root, env or {}, own) for item in store.files()]


def found(root: Path | None, env: Mapping[str, str] | None = None, own: Path | None = None) -> list[FoundFile]:
    """Return every file that the stores below `root` hold."""
    return [item for item in walked(root, env, own) if isinstance(item, FoundFile)]


def fingerprint(directory: Path) -> dict[str, tuple[int, int, str]]:
    """Return mode, mtime and content of everything below `directory`, to prove that it was left alone."""
    paths = [Path(parent, name) for parent, folders, files in os.walk(directory) for name in folders + files]
    return {os.fspath(path): (*_mode_and_mtime(path), _digest(path)) for path in [directory, *paths]}


def let_others_in(path: Path) -> None:
    """Let every user go through the directories that pytest made around a path; no other directory changes."""
    ours = Path(tempfile.gettempdir())
    for directory in (path, *path.parents):
        if directory == ours or ours not in directory.parents:
            return
        directory.chmod(0o755)


def as_nobody(task: Callable[[], Answer]) -> Answer:
    """Return what `task` gives when it runs without the rights of root, in a process of its own if need be."""
    if os.getuid() != 0:
        return task()
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child forks no further and ends at once
        child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            with os.fdopen(writer, "wb") as pipe:
                pipe.write(pickle.dumps(task()))
        except BaseException:  # noqa: BLE001 - whatever it is, this process must not go on testing
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    answer: Answer = pickle.loads(data)  # noqa: S301 - from our own child
    return answer


def _mode_and_mtime(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_mode, status.st_mtime_ns


def _digest(path: Path) -> str:
    if path.is_symlink():
        return str(path.readlink())
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


# Records by hand, where the shape of a tree matters more than its looks


def user(uuid: str, parent: str | None = None, content: Any = "Hello", **fields: Any) -> dict[str, Any]:
    """Return what somebody says, or what a tool gave back."""
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": message, **fields}


def assistant(
    uuid: str,
    parent: str | None = None,
    content: Any = "Hi.",
    *,
    api: str | None = None,
    output: int = 5,
    **fields: Any,
) -> dict[str, Any]:
    """Return a record of the API message `api`, or of one of its own."""
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    usage = {"input_tokens": 1, "output_tokens": output}
    message = {"id": api or f"msg_{uuid}", "role": "assistant", "model": "claude-x", "content": parts, "usage": usage}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message, "version": "2.1.325", **fields}


def call(name: str, tool: str = "Bash", **asked: Any) -> dict[str, Any]:
    """Return the part of a message that calls a tool."""
    return {"type": "tool_use", "id": name, "name": tool, "input": asked}


def given(name: str, content: Any = "ok", **fields: Any) -> dict[str, Any]:
    """Return the part of a record that holds what a call gave back."""
    return {"type": "tool_result", "tool_use_id": name, "content": content, **fields}


def conversation(directory: Path, *records: Mapping[str, Any] | bytes, is_agent: bool = False) -> Conversation:
    """Write records, or lines as they are, as one file and read it as a session or an agent."""
    path = directory / "records.jsonl"
    path.write_bytes(b"".join(item if isinstance(item, bytes) else line(item) for item in records))
    return read_conversation([str(path)], is_agent=is_agent)


_indexes: deque[sqlite3.Connection] = deque()
"""The indexes that tests have made: old ones are closed, as every index must be."""


def indexed(root: Path, database: sqlite3.Connection | None = None) -> sqlite3.Connection:
    """Bring an index in step with the stores below `root`, a new one in memory if none is given, and return it."""
    if database is None:
        database = open_in_memory()
        _indexes.append(database)
        if len(_indexes) > 9:
            _indexes.popleft().close()
    update(database, find_stores(root, {}))
    return database


def sums_of(
    since: datetime | None = None, until: datetime | None = None, model: str | None = None, **of: Any
) -> UsageFilter:
    """Return what is to be summed up: of a time, of a model, and of the sessions that pass a filter."""
    return UsageFilter(SessionFilter(**of), since, until, model)


@atexit.register
def _close_indexes() -> None:
    for database in _indexes:
        database.close()


def listed(root: Path) -> dict[str, Session]:
    """Return every session below `root` by its id."""
    return {session.id: session for session in query.sessions(indexed(root), SessionFilter(), None)}
