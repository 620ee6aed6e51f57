"""Facts: the statements of a transcript beside its tree: titles, directories, versions, agents, lineage.

Each record type has a merge rule (docs/formats.md, "Record types"): the last one wins, all of them
count, or it does not concern the conversation and is only counted.
"""

import re
from collections.abc import Callable
from functools import cache
from math import isfinite
from typing import Any, ClassVar, NamedTuple

from msgspec import Struct

from backscroll.records import Record
from backscroll.sessions.transcript import prompts
from backscroll.sessions.transcript.fingerprint import text_key
from backscroll.sessions.transcript.heads import Block, CompactMetadata, Head, decoded, started_by
from backscroll.sessions.transcript.moments import stored_moment

LARGEST_STATED = 10**15
ZERO_UUID = "00000000-0000-0000-0000-000000000000"


@cache
def _task_id() -> re.Pattern[str]:
    return re.compile(r"<task-id>\s*([^<\s]+)\s*</task-id>")


@cache
def _tool_use_id() -> re.Pattern[str]:
    return re.compile(r"<tool-use-id>\s*([^<\s]+)\s*</tool-use-id>")


@cache
def _old_task_id() -> re.Pattern[str]:
    return re.compile(r'"task_id"\s*:\s*"([^"\s]+)"')


IGNORED_TYPES = {
    "api-request",
    "api-request-blob",
    "api-request-resumed",
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
    "continued-in",
    "data-flow-incomplete",
    "data-flow-records",
    "derived-from",
    "dev-mods",
    "ended-by-model",
    "fork-context-ref",
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
"""Known types that affect neither the tree nor the facts; they are only counted."""

ASIDE_TYPES = {"checkpoint", "frame-link", "pr-link", "task-summary"}
"""Those of them with a text for people."""
OPENING_LENGTH = 300


class AgentCall(NamedTuple):
    """A call that starts an agent, with its input."""

    prompt: str | None
    description: str | None
    type: str | None
    time: str | int | float | None


class Notice(NamedTuple):
    """A notice that the task of an agent has ended, and the place of its text."""

    call: str | None
    source: int
    offset: int
    length: int


class Aside(NamedTuple):
    """A record beside the tree with a text for people, and its place."""

    type: str
    key: bytes | None
    """The key of its text, to find the same text in a message; None if messages never repeat it."""
    opening: str
    """The beginning of that text."""
    time: str | int | float | None
    session: str | None
    source: int
    offset: int
    length: int
    line: int | None


class CostState(NamedTuple):
    """Claude Code's own cost of a session so far; it includes resumes and requests that no transcript records."""

    cost: float
    models: dict[str, dict[str, float]]
    """The token counts and cost of each model, as stored."""


class Leaf(NamedTuple):
    """A statement that a record is the visible end, made after `position` rows."""

    uuid: str
    position: int


class Facts(Struct):
    """All statements of a transcript's records beside the tree."""

    AGENT_TOOLS: ClassVar[set[str]] = {"Task", "Agent"}

    surroundings: tuple[str | None, ...] = ()
    """Session, directory, version and git branch of the last record."""
    session_ids: dict[str, None] = {}
    cwds: dict[str, None] = {}
    """The working directories, in the order of their first use."""
    versions: dict[str, None] = {}
    """The versions of Claude Code, in the order of their last use."""
    born: dict[int, str | int | float] = {}
    """The first time in each file, in file order: the file of a copy starts later than its rows."""
    first_time: str | None = None
    last_time: str | None = None
    """The first and the last time of records outside the tree."""
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
    compaction_details: dict[str, CompactMetadata | None] = {}
    agent_calls: dict[str, AgentCall] = {}
    result_agents: dict[str, str] = {}
    """The call of each agent, from the call's result."""
    result_runs: dict[str, str] = {}
    """The call of each workflow run, from the call's result."""
    progress_agents: dict[str, str] = {}
    notices: dict[str, Notice] = {}
    asides: dict[str, Aside] = {}
    """The texts of records beside the tree, each once."""
    notified: dict[bytes, tuple[int, int]] = {}
    """For the key of each notice's text: the source and offset of its message."""
    cost_state: CostState | None = None

    def note(self, head: Head, source: int) -> None:
        """Add the fields that any record may have."""
        surroundings = (head.sessionId, head.cwd, head.version, head.gitBranch)
        if surroundings != self.surroundings:
            self._note_surroundings(*surroundings)
        if head.timestamp and source not in self.born:
            self.born[source] = head.timestamp
        if self.entrypoint is None:
            self.entrypoint = head.entrypoint

    def _note_surroundings(
        self, session: str | None, cwd: str | None, version: str | None, git_branch: str | None
    ) -> None:
        """Add the fields that are the same in most records."""
        self.surroundings = (session, cwd, version, git_branch)
        if session is not None:
            self.session_ids.setdefault(session)
        if cwd is not None:
            self.cwds.setdefault(cwd)
        if version is not None:
            self.versions.pop(version, None)
            self.versions[version] = None
        self.git_branch = git_branch or self.git_branch

    def state(self, head: Head, record: Record, source: int, position: int) -> None:
        """Add the statement of a record outside the tree."""
        if (moment := stored_moment(head.timestamp)) is not None:
            self.first_time = min(self.first_time or moment, moment)
            self.last_time = max(self.last_time or moment, moment)
        statement = _STATEMENTS.get(head.type)
        if statement is not None:
            statement(self, head, record, source, position)
        elif head.type not in IGNORED_TYPES or head.type in ASIDE_TYPES:
            self.set_aside(None, head, record, source)

    def set_aside(self, text: str | None, head: Head, record: Record, source: int, *once: Any) -> None:
        """Remember the place of a record with a text; one place for equal texts."""
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

    def answered(self, results: tuple[str, ...], head: Head) -> None:
        """Remember the agent or workflow run that a call's result names."""
        if memoryview(head.toolUseResult)[:1].tobytes() != b"{":
            return
        started = started_by(head.toolUseResult)
        if started.agentId:
            self.result_agents.setdefault(started.agentId, results[0])
        if started.runId:
            self.result_runs.setdefault(started.runId, results[0])

    def notice(self, text: str, source: int, offset: int, length: int) -> None:
        """Remember a notice that a message holds."""
        self.notified[text_key(text)] = (source, offset)
        self.note_task(text, source, offset, length)

    def note_task(self, text: str, source: int, offset: int, length: int) -> None:
        """Remember a notice that names its task; the last one holds the result."""
        task = _task_id().search(text) if "<task-id>" in text else None
        if task is None and '"task_id"' in text:
            task = _old_task_id().search(text)
        if task is None:
            return
        call = _tool_use_id().search(text)
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
    if head.lastPrompt and (facts.last_prompt is None or not _is_written_by_program(head.lastPrompt)):
        facts.last_prompt = head.lastPrompt
    if head.leafUuid:
        facts.leaf = Leaf(head.leafUuid, position)


def _is_written_by_program(prompt: str) -> bool:
    return prompt.startswith(prompts.PLAN_OPENING) or not prompts.is_typed(prompt)


def _relocated(facts: Facts, head: Head, *_: object) -> None:
    facts.relocated = head.relocatedCwd or facts.relocated


def _worktree_state(facts: Facts, head: Head, *_: object) -> None:
    if head.worktreeSession is not None:
        facts.worktree_of = head.worktreeSession.originalCwd or facts.worktree_of


def _session_owner(facts: Facts, head: Head, *_: object) -> None:
    facts.account = head.accountUuid


def _queue_operation(facts: Facts, head: Head, record: Record, source: int, _position: int) -> None:
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


def _for_file_changes(_facts: Facts, _head: Head, *_: object) -> None:
    """Ignore the record: `file_changes` gets its statements about files."""


def _numbers(value: object) -> dict[str, float]:
    """Return the plain numbers of an object; a damaged object may hold anything, at any depth."""
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
    "session-owner": _session_owner,
    "queue-operation": _queue_operation,
    "cost-state": _cost_state,
    "file-history-delta": _for_file_changes,
    "file-history-snapshot": _for_file_changes,
}
