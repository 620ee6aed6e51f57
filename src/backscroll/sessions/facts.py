"""Facts: what a transcript states beside its tree — titles, directories, versions, agents, lineage.

Each record type has a merge rule (docs/formats.md, "Record types"): the last one wins, all of them
count, or it says nothing about the conversation and is only counted.
"""

from collections.abc import Callable
from math import isfinite
from typing import Any, ClassVar

from msgspec import Struct

from backscroll.lazy import pattern
from backscroll.records import Record
from backscroll.sessions.fingerprint import text_key
from backscroll.sessions.heads import Block, CompactMetadata, Head, decoded, started_by
from backscroll.value import NamedTuple

LARGEST_STATED = 10**15
ZERO_UUID = "00000000-0000-0000-0000-000000000000"
_TASK_ID = pattern(r"<task-id>\s*([^<\s]+)\s*</task-id>", needs="<task-id>")
_TOOL_USE_ID = pattern(r"<tool-use-id>\s*([^<\s]+)\s*</tool-use-id>", needs="<tool-use-id>")
_OLD_TASK_ID = pattern(r'"task_id"\s*:\s*"([^"\s]+)"', needs='"task_id"')

IGNORED_TYPES = {
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "agent-color",
    "agent-setting",
    "agent_metadata",
    "artifact-autoreact-ledger",
    "artifact-comment-monitor",
    "atis-latch",
    "attribution-snapshot",
    "bridge-session",
    "checkpoint",
    "content-replacement",
    "data-flow-incomplete",
    "data-flow-records",
    "dev-mods",
    "ended-by-model",
    "frame-link",
    "history-suppression",
    "isolation-latch",
    "marble-origami-commit",
    "marble-origami-snapshot",
    "memory-mode",
    "mode",
    "observer-ref",
    "permission-mode",
    "pr-link",
    "repl-mode",
    "resume-head-vouch",
    "speculation-accept",
    "task-summary",
    "tools-used",
}
"""Known types that shape neither the tree nor the facts; they pass through and are counted."""

ASIDE_TYPES = {"checkpoint", "frame-link", "pr-link", "task-summary"}
"""Those of them that say something to people."""
OPENING_LENGTH = 300


class AgentCall(NamedTuple):
    """A call that starts an agent: what it asked for."""

    prompt: str | None
    description: str | None
    type: str | None
    time: str | int | float | None


class Notice(NamedTuple):
    """A notice that a task of an agent has ended, and where its text lies."""

    call: str | None
    source: int
    offset: int
    length: int


class Aside(NamedTuple):
    """A record beside the tree that says something to people, and where it lies."""

    type: str
    key: bytes | None
    """Of its text, to find the same in a message; None where it is not a text that messages repeat."""
    opening: str
    """The beginning of that text."""
    time: str | int | float | None
    session: str | None
    source: int
    offset: int
    length: int
    line: int | None


class CostState(NamedTuple):
    """What Claude Code itself says that a session cost so far, resumes and what no transcript records included."""

    cost: float
    models: dict[str, dict[str, float]]
    """Model to its token counts and cost, as stored."""


class Leaf(NamedTuple):
    """A statement of which record is the visible end, made after `position` rows had been written."""

    uuid: str
    position: int


class Facts(Struct):
    """Everything that a transcript's records state beside the tree."""

    AGENT_TOOLS: ClassVar[set[str]] = {"Task", "Agent"}

    session_ids: dict[str, int] = {}
    cwds: dict[str, int] = {}
    versions: dict[str, int] = {}
    born: dict[int, str | int | float] = {}
    """The first time stated in each file, in file order: a copy's file begins later than its rows."""
    git_branch: str | None = None
    entrypoint: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    agent_name: str | None = None
    last_prompt: str | None = None
    tag: str | None = None
    summaries: dict[str, str] = {}
    leaf: Leaf | None = None
    relocated: str | None = None
    worktree_of: str | None = None
    account: str | None = None
    continued_in: str | None = None
    derived_from: list[str] = []
    context_from: str | None = None
    """The session that a fork agent's context begins in."""
    compaction_details: dict[str, CompactMetadata | None] = {}
    agent_calls: dict[str, AgentCall] = {}
    result_agents: dict[str, str] = {}
    """Agent to call, from the call's result."""
    result_runs: dict[str, str] = {}
    """Workflow run to call, from the call's result."""
    progress_agents: dict[str, str] = {}
    notices: dict[str, Notice] = {}
    asides: dict[str, Aside] = {}
    """What records beside the tree say, each text once however often it is repeated."""
    notified: dict[bytes, tuple[int, int]] = {}
    """Text of a notice, by its key, to the source and offset of the message that holds it."""
    enqueued: int = 0
    dequeued: int = 0
    cost_state: CostState | None = None

    def note(self, head: Head, source: int) -> None:
        """Take what any record may state."""
        if head.sessionId is not None:
            self.session_ids[head.sessionId] = self.session_ids.get(head.sessionId, 0) + 1
        if head.cwd is not None:
            self.cwds[head.cwd] = self.cwds.get(head.cwd, 0) + 1
        if head.version is not None:
            self.versions[head.version] = self.versions.pop(head.version, 0) + 1
        if head.gitBranch:
            self.git_branch = head.gitBranch
        if head.timestamp and source not in self.born:
            self.born[source] = head.timestamp
        if self.entrypoint is None:
            self.entrypoint = head.entrypoint

    def state(self, head: Head, record: Record, source: int, position: int) -> None:
        """Take what a record outside the tree states."""
        statement = _STATEMENTS.get(head.type)
        if statement is not None:
            statement(self, head, record, source, position)
        elif head.type not in IGNORED_TYPES or head.type in ASIDE_TYPES:
            self.set_aside(None, head, record, source)

    def set_aside(self, text: str | None, head: Head, record: Record, source: int, *once: Any) -> None:
        """Remember where a record lies that says something; one with a text only once for all that repeat it."""
        if text == "":
            return
        key = text_key(text) if text else None
        name = repr((head.type, key, *once) if key else (source, record.offset))
        place = (source, record.offset, record.length, record.line)
        opening = (text or "")[:OPENING_LENGTH]
        self.asides.setdefault(name, Aside(head.type or "", key, opening, head.timestamp, head.sessionId, *place))

    def called_agent(self, block: Block, head: Head) -> None:
        """Remember a call that starts an agent."""
        value = decoded(block.input)
        task: dict[str, Any] = value if isinstance(value, dict) else {}
        self.agent_calls[str(block.id)] = AgentCall(
            _text(task.get("prompt")), _text(task.get("description")), _text(task.get("subagent_type")), head.timestamp
        )

    def answered(self, results: tuple[str, ...], head: Head, raw: bytes) -> None:
        """Remember which agent or workflow run a call's result names; `raw` is the whole record."""
        if (b'"agentId"' not in raw and b'"runId"' not in raw) or memoryview(head.toolUseResult)[:1].tobytes() != b"{":
            return
        started = started_by(bytes(head.toolUseResult))
        if started.agentId:
            self.result_agents.setdefault(started.agentId, results[0])
        if started.runId:
            self.result_runs.setdefault(started.runId, results[0])

    def notice(self, text: str, source: int, offset: int, length: int) -> None:
        """Remember a notice that a message holds."""
        self.notified[text_key(text)] = (source, offset)
        self.note_task(text, source, offset, length)

    def note_task(self, text: str, source: int, offset: int, length: int) -> None:
        """Remember a notice that names the task it is about; the last one holds the result."""
        task = _TASK_ID.search(text) or _OLD_TASK_ID.search(text)
        if task is None:
            return
        call = _TOOL_USE_ID.search(text)
        earlier = self.notices.get(task.group(1))
        named = call.group(1) if call else (earlier.call if earlier else None)
        self.notices[task.group(1)] = Notice(named, source, offset, length)


def _custom_title(facts: Facts, head: Head, record: Record, source: int, _position: int) -> None:
    facts.set_aside(head.customTitle or "", head, record, source)
    facts.custom_title = head.customTitle


def _ai_title(facts: Facts, head: Head, record: Record, source: int, _position: int) -> None:
    facts.set_aside(head.aiTitle or "", head, record, source)
    facts.ai_title = head.aiTitle or facts.ai_title


def _agent_name(facts: Facts, head: Head, record: Record, source: int, _position: int) -> None:
    facts.set_aside(head.agentName or "", head, record, source)
    facts.agent_name = head.agentName or facts.agent_name


def _tag(facts: Facts, head: Head, *_: object) -> None:
    facts.tag = head.tag or None


def _summary(facts: Facts, head: Head, record: Record, source: int, _position: int) -> None:
    if head.summary:
        facts.set_aside(head.summary, head, record, source, head.leafUuid)
        facts.summaries[head.leafUuid or ""] = head.summary


def _last_prompt(facts: Facts, head: Head, record: Record, source: int, position: int) -> None:
    facts.set_aside(head.lastPrompt or "", head, record, source)
    facts.last_prompt = head.lastPrompt or facts.last_prompt
    if head.leafUuid:
        facts.leaf = Leaf(head.leafUuid, position)


def _relocated(facts: Facts, head: Head, *_: object) -> None:
    facts.relocated = head.relocatedCwd or facts.relocated


def _worktree_state(facts: Facts, head: Head, *_: object) -> None:
    if head.worktreeSession is not None:
        facts.worktree_of = head.worktreeSession.originalCwd or facts.worktree_of


def _continued_in(facts: Facts, head: Head, *_: object) -> None:
    facts.continued_in = head.continuedInSessionId


def _derived_from(facts: Facts, head: Head, *_: object) -> None:
    facts.derived_from = [item for item in head.sessions or () if isinstance(item, str)]


def _session_owner(facts: Facts, head: Head, *_: object) -> None:
    facts.account = head.accountUuid


def _fork_context(facts: Facts, head: Head, *_: object) -> None:
    facts.context_from = head.parentSessionId


def _queue_operation(facts: Facts, head: Head, record: Record, source: int, _position: int) -> None:
    facts.enqueued += head.operation == "enqueue"
    facts.dequeued += head.operation in {"dequeue", "remove", "popAll"}
    if text := queued_text(decoded(head.content)):
        facts.note_task(text, source, record.offset, record.length)
        if head.operation == "enqueue":
            facts.set_aside(text, head, record, source, head.timestamp)


def queued_text(prompt: object) -> str:
    """Return the text of a queued prompt, which is a string or a list of blocks."""
    if isinstance(prompt, list):
        texts = (block.get("text") if isinstance(block, dict) else block for block in prompt)
        return "\n".join(text for text in texts if isinstance(text, str) and text)
    return prompt if isinstance(prompt, str) else ""


def _cost_state(facts: Facts, head: Head, *_: object) -> None:
    models = decoded(head.modelUsage)
    if head.totalCostUSD is not None and isfinite(head.totalCostUSD):
        known = models.items() if isinstance(models, dict) else ()
        facts.cost_state = CostState(head.totalCostUSD, {name: _numbers(value) for name, value in known})


def _heard_elsewhere(_facts: Facts, _head: Head, *_: object) -> None:
    """Take nothing: what such a record says about files, `file_changes` hears."""


def _numbers(value: object) -> dict[str, float]:
    """Return the plain numbers of an object: a damaged one may hold anything, at any depth."""
    items = value.items() if isinstance(value, dict) else ()
    return {
        name: number
        for name, number in items
        if isinstance(number, (int, float)) and not isinstance(number, bool) and abs(number) < LARGEST_STATED
    }


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


_STATEMENTS: dict[str | None, Callable[[Facts, Head, Record, int, int], None]] = {
    "custom-title": _custom_title,
    "ai-title": _ai_title,
    "agent-name": _agent_name,
    "tag": _tag,
    "summary": _summary,
    "last-prompt": _last_prompt,
    "relocated": _relocated,
    "worktree-state": _worktree_state,
    "continued-in": _continued_in,
    "derived-from": _derived_from,
    "session-owner": _session_owner,
    "fork-context-ref": _fork_context,
    "queue-operation": _queue_operation,
    "cost-state": _cost_state,
    "file-history-delta": _heard_elsewhere,
    "file-history-snapshot": _heard_elsewhere,
}
