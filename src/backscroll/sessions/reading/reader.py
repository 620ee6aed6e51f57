"""Read one session: its messages with the agents in their places, its calls, its tree.

Rows come first and stay in memory (a few hundred bytes each).  Texts are read message by message, so
memory does not grow with the texts of a session.
"""

import os
from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from backscroll.errors import NotFoundError
from backscroll.files import open_readonly, reason_of
from backscroll.records import Damage
from backscroll.sessions.message import Message
from backscroll.sessions.model import Branch, Call, TreeNode
from backscroll.sessions.reading.calls import CallReader
from backscroll.sessions.reading.join import join_message
from backscroll.sessions.reading.outputs import output_directories
from backscroll.sessions.session import MAIN, Agent, Session
from backscroll.sessions.transcript.conversation import Conversation, read_conversation
from backscroll.sessions.transcript.keys import Keys, is_rewriting_version
from backscroll.sessions.transcript.moments import moment_of
from backscroll.sessions.transcript.rows import PROGRESS, SPOKEN_KINDS
from backscroll.sessions.transcript.source import TranscriptSource
from backscroll.sessions.transcript.tree import NOBODY, Node, Path, Tree, compaction_nodes
from backscroll.stores.base import Opener

LABEL_LENGTH = 80


class SessionFiles(Struct):
    """The files of a session."""

    transcripts: list[str]
    agents: dict[str, list[str]] = {}
    """The transcripts of each agent."""

    def outputs(self, session: str) -> list[str]:
        """Return the directories that may hold outputs too large for the transcripts."""
        named = [os.path.join(os.path.dirname(path), session) for path in self.transcripts]
        agents = [path for paths in self.agents.values() for path in paths]
        return output_directories([*named, *self.transcripts, *agents])


class _Frame(Struct):
    """One conversation on the stack of `messages`: the session itself, or an agent inside it."""

    agent: str | None
    conversation: Conversation
    tree: Tree
    positions: Iterator[int]
    depth: int
    is_own: bool
    """True if the conversation was opened for this frame only; then it is closed with the frame."""


class SessionReader:
    """One session, opened for reading; use it as a context manager or let `messages` run to its end."""

    def __init__(
        self,
        session: Session,
        agents: list[Agent],
        files: SessionFiles,
        copied_from: dict[bytes, str] | None = None,
        open_file: Opener = open_readonly,
    ) -> None:
        self.session = session
        self._agents = {agent.id: agent for agent in agents}
        self._files = files
        self._open_file = open_file
        self._conversation = read_conversation(files.transcripts, open_file=open_file)
        self._started_by: dict[str, list[str]] = defaultdict(list)
        for agent in agents:
            if agent.call is not None:
                self._started_by[agent.call].append(agent.id)
        self._owners = _owners_by_node(self._conversation, copied_from or {})
        self._forks = _forks(self._conversation.tree)

    def close(self) -> None:
        """Close the files."""
        self._conversation.__exit__(None, None, None)

    @property
    def tree(self) -> Tree:
        """The session's own tree."""
        return self._conversation.tree

    def damage(self) -> list[Damage]:
        """Return the damage of the session's own files."""
        return [damage for source in self._conversation.sources for damage in source.damage]

    def branches(self) -> list[Branch]:
        """Return the branches, main first."""
        spoken: dict[str, list[Node]] = defaultdict(list)
        for node in self.tree.nodes:
            if node.head.kind in SPOKEN_KINDS:
                spoken[node.branch].append(node)
        paths = (path for path in self.tree.branches if path.spoken or path.name == MAIN)
        return [_branch(path, spoken[path.name], self.tree) for path in paths]

    def messages(self, branch: str | None = MAIN, *, internal: bool = False, images: bool = False) -> Iterator[Message]:
        """Yield the messages along one branch (all of them when None), agents below the call that started them.

        With `images` the parts of images hold their bytes.
        """
        told: set[str] = set()
        positions = range(len(self.tree.nodes)) if branch is None else self.tree.read_along(branch)
        stack = [_Frame(None, self._conversation, self.tree, iter(positions), 0, is_own=False)]
        waiting = self._lost_agents()
        try:
            while stack or waiting:
                if not stack:
                    self._enter(waiting.pop(0), 1, stack, told, internal=internal)
                    continue
                position = next(stack[-1].positions, None)
                if position is None:
                    self._leave(stack.pop())
                elif stack[-1].tree.nodes[position].head.kind != PROGRESS:
                    yield self._message(position, stack, images=images)
                    self._enter_agents(stack[-1].tree.nodes[position], stack, told, internal=internal)
        finally:
            while stack:
                self._leave(stack.pop())
            self.close()

    def _lost_agents(self) -> list[str]:
        """Return the agents whose call is unknown or in a deleted transcript; they come last."""
        trees = (self.tree, *(inline.tree for inline in self._conversation.inline))
        calls = {call for tree in trees for node in tree.nodes for row in node.rows for call, _ in row.calls}
        return [
            name
            for name, agent in self._agents.items()
            if agent.call is None or (agent.call not in calls and agent.parent not in self._agents)
        ]

    def _message(self, position: int, stack: list[_Frame], *, images: bool) -> Message:
        frame = stack[-1]
        node = frame.tree.nodes[position]
        message = join_message(node, frame.tree, frame.conversation, self.session.id, frame.agent, images=images)
        message.depth = frame.depth
        if frame.agent is None:
            message.copied_from = self._owners.get(position)
            message.marks += [f"fork {name}" for name in self._forks.get(position, ())]
        return message

    def _enter_agents(self, node: Node, stack: list[_Frame], told: set[str], *, internal: bool) -> None:
        started = [name for row in node.rows for call, _ in row.calls for name in self._started_by.get(call, ())]
        depth = stack[-1].depth + 1
        for name in reversed(started):
            self._enter(name, depth, stack, told, internal=internal)

    def _enter(self, name: str, depth: int, stack: list[_Frame], told: set[str], *, internal: bool) -> None:
        """Start an agent's messages, once; internal agents only if the caller asked for them."""
        if name in told or (self._agents[name].is_internal and not internal):
            return
        told.add(name)
        for inline in self._conversation.inline:
            if inline.id == name:
                stack.append(_frame(name, depth, self._conversation, inline.tree, is_own=False))
                return
        conversation = read_conversation(self._files.agents.get(name, []), is_agent=True, open_file=self._open_file)
        stack.append(_frame(name, depth, conversation, conversation.tree, is_own=True))

    def _leave(self, frame: _Frame) -> None:
        if frame.is_own:
            frame.conversation.__exit__(None, None, None)

    def calls(self, *, internal: bool = False) -> Iterator[Call]:
        """Yield every call of the session and its agents, on all branches, each once."""
        outputs = self._files.outputs(self.session.id)
        try:
            yield from self._with_agents(
                CallReader(self._conversation, self.session.id, None, outputs).calls(self.tree)
            )
            for inline in self._conversation.inline:
                yield from CallReader(self._conversation, self.session.id, inline.id, outputs).calls(inline.tree)
            for name, paths in self._files.agents.items():
                if name in self._agents and (internal or not self._agents[name].is_internal):
                    with read_conversation(paths, is_agent=True, open_file=self._open_file) as conversation:
                        reader = CallReader(conversation, self.session.id, name, outputs)
                        yield from self._with_agents(reader.calls(conversation.tree))
        finally:
            self.close()

    def _with_agents(self, calls: Iterator[Call]) -> Iterator[Call]:
        for call in calls:
            started = self._started_by.get(call.id)
            call.started_agent = started[0] if started else call.started_agent
            yield call

    def tree_nodes(self, related: list[Session]) -> list[TreeNode]:
        """Return the session, its branches, compactions, agents, copies and forks as one flat tree."""
        session = self.session
        nodes = [
            TreeNode(session.id, session.parent, "session", session.title or "", session.messages, session.started)
        ]
        nodes += [TreeNode(name, session.id, "copy", "earlier copy of this session", None) for name in session.copies]
        for branch in self.branches():
            parent = branch.parent if branch.parent is not None else session.id
            nodes.append(TreeNode(branch.name, parent, "branch", branch.label, branch.messages, branch.started))
        nodes += [self._compaction(node) for node in compaction_nodes(self.tree)]
        nodes += [self._agent_node(agent) for agent in self._agents.values()]
        nodes += [
            TreeNode(fork.id, session.id, "fork", fork.title or "", fork.messages, fork.started) for fork in related
        ]
        return nodes

    def _compaction(self, node: Node) -> TreeNode:
        detail = self._conversation.facts.compaction_details.get(node.head.id)
        tokens = f", {detail.preTokens:,} tokens before" if detail and detail.preTokens is not None else ""
        label = f"{(detail.trigger if detail else None) or 'compaction'}{tokens}"
        return TreeNode(node.head.id, node.branch, "compaction", label, None, moment_of(node.head.time))

    def _agent_node(self, agent: Agent) -> TreeNode:
        label = " ".join(filter(None, (agent.type, agent.description))) or agent.kind
        kind = "internal agent" if agent.is_internal else "agent"
        parent = agent.parent if agent.parent in self._agents else MAIN
        return TreeNode(agent.id, parent, kind, label, agent.messages, agent.started)


def stored_lines(paths: list[str], open_file: Opener = open_readonly) -> Iterator[bytes]:
    """Yield the stored lines of transcripts, unchanged."""
    for path in paths:
        try:
            with TranscriptSource(path, open_file) as source:
                yield from source.lines()
        except OSError as error:
            raise NotFoundError(f"the transcript cannot be read: {reason_of(error)}", path) from error


def _frame(agent: str, depth: int, conversation: Conversation, tree: Tree, *, is_own: bool) -> _Frame:
    return _Frame(agent, conversation, tree, iter(range(len(tree.nodes))), depth, is_own)


def _owners_by_node(conversation: Conversation, copied_from: dict[bytes, str]) -> dict[int, str]:
    """Return the session of the original for each node that is a copy."""
    if not copied_from:
        return {}
    version = next(reversed(conversation.facts.versions), None)
    names = Keys([source.path for source in conversation.sources])
    keys = names.messages(conversation.tree, is_rewriting=is_rewriting_version(version))
    return {position: copied_from[key] for position, key in keys.items() if key in copied_from}


def _forks(tree: Tree) -> dict[int, list[str]]:
    forks: dict[int, list[str]] = defaultdict(list)
    for path in tree.branches:
        if path.fork != NOBODY and path.name != MAIN:
            forks[path.fork].append(path.name)
    return forks


def _branch(path: Path, own: list[Node], tree: Tree) -> Branch:
    moments = [moment for node in own if (moment := moment_of(node.head.time))]
    label = next((node.head.label for node in own if node.head.label), None) or ""
    fork = tree.nodes[path.fork] if path.fork != NOBODY else None
    return Branch(
        name=path.name,
        messages=path.spoken,
        fork=fork.head.id if fork else None,
        parent=fork.branch if fork else None,
        label=_shortened(" ".join(label.split())),
        tip=tree.nodes[path.tip].head.id if tree.nodes and path.tip != NOBODY else "",
        started=min(moments, default=None),
        updated=max(moments, default=None),
    )


def _shortened(label: str) -> str:
    """Return a label that shows where it was cut."""
    return label if len(label) <= LABEL_LENGTH else label[: LABEL_LENGTH - 1].rstrip() + "…"
