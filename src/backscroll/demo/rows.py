"""Rows: build the records of a transcript in the form of a given version.

The mechanics below `Draft`: ids, times, the fields that every record carries, token counts.
Nothing is random and no clock is read: the same calls give the same bytes.
"""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from backscroll import times

Row = dict[str, Any]

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
FIRST_CONTEXT = 15_000
"""Tokens of the program's own prompt, which every answer reads."""


_MODELS = {
    (1, 0, 999): "claude-sonnet-4-20250514",
    (2, 0, 999): "claude-sonnet-4-5-20250929",
    (9, 9, 999): "claude-opus-5-5",
}


class Rows:
    """The records of one transcript file; `tip` is the one that the next will answer, `now` its time."""

    def __init__(
        self,
        session: str,
        cwd: str = "/home/ann/code/demo",
        version: str = "2.1.325",
        started: datetime = NOON,
        *,
        branch: str = "main",
    ) -> None:
        self.session, self.cwd, self.version, self.branch = session, cwd, version, branch
        self.model = next(model for until, model in _MODELS.items() if self._is(*until))
        self.now = started
        self.tip: str | None = None
        self.rows: list[Row | bytes] = []
        self.files: dict[str, bytes] = {}
        """Other files of the session, by their path below the configuration directory."""
        self.typed: list[tuple[datetime, str]] = []
        """Everything a person typed."""
        self.agent_id: str | None = None
        self.call: str | None = None
        """For an agent: the call that started it."""
        self.meta_data: Row | None = None
        self.agents: list[Self] = []
        self.is_side = False
        self.prompts: list[tuple[str, str | None]] = []
        self.open_calls: list[tuple[str, str]] = []
        self.context = FIRST_CONTEXT
        self.seed = session
        self.count = 0
        self.backups: dict[str, Row] = {}

    def lines(self) -> list[bytes]:
        """Return the transcript's lines, each with its line end."""
        return [row if isinstance(row, bytes) else line_of(row) for row in self.rows]

    def text(self) -> bytes:
        """Return the whole transcript."""
        return b"".join(self.lines())

    def _is(self, *version: int) -> bool:
        """Return True if this draft's version is at most the given one."""
        return tuple(int(part) for part in self.version.split(".")) <= version

    def _id(self, prefix: str) -> str:
        self.count += 1
        seed = f"{self.seed}/{self.count}".encode("utf-8", "surrogatepass")
        return prefix + hashlib.sha256(seed).hexdigest()[:32]

    def new_uuid(self) -> str:
        """Return the next id of a record."""
        name = self._id("")
        return f"{name[:8]}-{name[8:12]}-4{name[13:16]}-8{name[17:20]}-{name[20:]}"

    def _time(self, seconds: float = 0.1) -> str:
        self.now += timedelta(seconds=seconds)
        return times.iso(self.now)

    def _raw(self, row: Row) -> Self:
        self.rows.append(row)
        return self

    def _row(self, kind: str, seconds: float, **fields: Any) -> Self:
        common = {"userType": "external", "cwd": self.cwd, "sessionId": self.session, "version": self.version}
        if not self._is(1, 0, 127):
            common["gitBranch"] = self.branch
        if not self._is(2, 1, 111):
            common["entrypoint"] = "cli"
        agent = {"agentId": self.agent_id} if self.agent_id else {}
        head = {"parentUuid": self.tip, "isSidechain": self.is_side, **agent}
        self.tip = self.new_uuid()
        tail = {"type": kind, **fields, "uuid": self.tip, "timestamp": self._time(seconds)}
        # Up to 2.1.20 the common fields stand in front, later behind.
        return self._raw({**head, **common, **tail} if self._is(2, 1, 20) else {**head, **tail, **common})

    def _user(self, content: Any, seconds: float, **fields: Any) -> Self:
        self.context += len(str(content)) // 4
        return self._row("user", seconds, message={"role": "user", "content": content}, **fields)

    def _assistant(self, message: Row, index: int, fields: Row) -> Self:
        more = {} if self._is(1, 0, 43) else {"requestId": message["id"].replace("msg_", "req_")}
        if not self._is(2, 1, 299):
            more["apiBlockIndex"] = index
        return self._row("assistant", 4, message=message, **more, **fields)

    def _message(self, parts: list[Row]) -> Row:
        output = max(1, len(json.dumps(parts)) // 4)
        is_final = self._is(1, 0, 43) or not self._is(2, 1, 96)
        usage = {
            "input_tokens": 4,
            "cache_creation_input_tokens": 200 + output,
            "cache_read_input_tokens": self.context,
            # Until 2.1.97 the recorded usage is a placeholder from the beginning of the stream.
            "output_tokens": output if is_final else 1 + output % 8,
        }
        self.context += output
        is_call = any(part["type"] == "tool_use" for part in parts)
        stop = ("tool_use" if is_call else "end_turn") if is_final else None
        head = {"id": self._id("msg_01"), "type": "message", "role": "assistant", "model": self.model}
        return {**head, "content": [], "stop_reason": stop, "stop_sequence": None, "usage": usage}


def line_of(row: Row) -> bytes:
    """Return a record as one line of a transcript."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
