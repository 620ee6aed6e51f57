"""Draft: builds the transcript of one session, record by record, as the Claude Code of a given version writes it.

Nothing is random and no clock is read: the same calls give the same bytes.  Every method that adds to the
conversation returns the draft, so calls can be chained; `agent` returns the agent's own draft.

    draft = Draft("s1", "/home/ann/code")
    draft.prompt("Fix the test").answer("Done.", thinking="Easy.", calls=[bash("pytest", "1 passed")])
    draft.rewind(to=1).prompt("Leave the test alone").answer("All right.")
    draft.write(home)

Differences between versions: docs/formats.md, "The transcript" and "Copies and lineage".
"""

import base64
import hashlib
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from backscroll import times
from backscroll.demo.rows import FIRST_CONTEXT, Row, Rows, line_of
from backscroll.demo.tools import Tool
from backscroll.files import make_private_directory, write_atomically
from backscroll.stores import project_key

NOWHERE = "00000000-0000-0000-0000-000000000000"


class Draft(Rows):
    """An unfinished transcript; `tip` is the parent of the next record, `now` its time."""

    # Messages of people and of the model

    def prompt(self, text: str, *, image: bytes | None = None, after: float = 40, **fields: Any) -> Self:
        """Add a typed prompt, or for an agent the task from its caller."""
        content: Any = text
        if image is not None:
            source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(image).decode()}
            content = [{"type": "text", "text": text}, {"type": "image", "source": source}]
        if not self.is_side:
            fields = self._human() | fields
        self.prompts.append(("", self.tip))
        self._user(content, after, **fields)
        self.prompts[-1] = (str(self.tip), self.prompts[-1][1])
        if not self.is_side:
            self.typed.append((self.now, text))
            self._snapshot()
        return self

    def answer(
        self,
        text: str | None = None,
        *,
        thinking: str | None = None,
        calls: Iterable[Tool] = (),
        interleaved: bool = False,
        **fields: Any,
    ) -> Self:
        """Add one API message: a record for each part (for all of them before 1.0.44), then the calls' results.

        `interleaved` writes each result directly after its call, like newer versions.
        """
        calls = list(calls)
        parts: list[Row] = [{"type": "thinking", "thinking": thinking, "signature": "c2ln"}] if thinking else []
        parts += [{"type": "text", "text": text}] if text is not None else []
        parts += [{"type": "tool_use", "id": self._id("toolu_01"), "name": c.name, "input": c.input} for c in calls]
        message = self._message(parts)
        waiting = list(calls)
        for index, group in enumerate([parts] if self._is(1, 0, 43) else [[part] for part in parts]):
            self._assistant({**message, "content": group}, index, fields)
            self.open_calls += [(part["id"], str(self.tip)) for part in group if part["type"] == "tool_use"]
            if interleaved and group[0]["type"] == "tool_use":
                self._answer_call(waiting.pop(0))
        for call in waiting:
            self._answer_call(call)
        return self

    def result(self, text: Any, data: Any = None, *, error: bool = False, call: str | None = None) -> Self:
        """Add the result of a call: the oldest one that has none, or `call`."""
        number = next((n for n, (name, _) in enumerate(self.open_calls) if name == call), 0)
        name, row = self.open_calls.pop(number) if self.open_calls else (str(call), str(self.tip))
        part = {"tool_use_id": name, "type": "tool_result", "content": text, **({"is_error": True} if error else {})}
        fields = {} if data is None else {"toolUseResult": data}
        if not self._is(2, 0, 76):
            self.tip = row
            fields["sourceToolAssistantUUID"] = row
        return self._user([part], 3, **fields)

    def queued(self, text: str) -> Self:
        """Add a prompt that was typed while the model worked: only an attachment holds it."""
        self.record(type="queue-operation", operation="enqueue", timestamp=self._time(8), content=text)
        self.record(type="queue-operation", operation="remove", timestamp=self._time(2))
        self.typed.append((self.now, text))
        return self.attachment("queued_command", prompt=text, commandMode="prompt")

    def command(self, name: str, arguments: str = "", output: str | None = None) -> Self:
        """Add a slash command and its output."""
        tags = {"name": f"/{name}", "message": name, "args": arguments}
        self.typed.append((self.now, f"/{name} {arguments}".rstrip()))
        self._user("\n".join(f"<command-{tag}>{text}</command-{tag}>" for tag, text in tags.items()), 30)
        if output is None:
            return self
        return self.system("local_command", f"<local-command-stdout>{output}</local-command-stdout>")

    def shell(self, command: str, output: str) -> Self:
        """Add a command that a person ran with `!`."""
        self._user(f"<bash-input>{command}</bash-input>", 20)
        return self._user(f"<bash-stdout>{output}</bash-stdout><bash-stderr></bash-stderr>", 1)

    def interrupt(self) -> Self:
        """Add the notice that a person stopped the model."""
        return self._user([{"type": "text", "text": "[Request interrupted by user]"}], 5)

    # Records of the program

    def meta(self, text: str) -> Self:
        """Add a text that the program gave the model in the user's name."""
        return self._user(text, 0.01, isMeta=True)

    def attachment(self, kind: str, **fields: Any) -> Self:
        """Add an attachment."""
        return self._row("attachment", 0.1, attachment={"type": kind, **fields})

    def system(self, subtype: str | None, content: str | None = None, **fields: Any) -> Self:
        """Add a notice of the program."""
        named = {"subtype": subtype, "content": content}
        return self._row("system", 0.1, **{k: v for k, v in named.items() if v is not None}, level="info", **fields)

    def api_error(self, text: str) -> Self:
        """Add an error that the program shows in the model's place."""
        usage = {"input_tokens": 0, "output_tokens": 0}
        parts = [{"type": "text", "text": text}]
        message = {"id": self._id("msg_"), "type": "message", "role": "assistant", "model": "<synthetic>"}
        return self._assistant({**message, "content": parts, "usage": usage}, 0, {"isApiErrorMessage": True})

    def compact(self, summary: str, *, trigger: str = "auto", tokens: int = 155_000) -> Self:
        """Add a compaction: a boundary that begins a new tree, and the summary below it."""
        before, self.tip = self.tip, None
        data = {"trigger": trigger, "preTokens": tokens}
        self.system("compact_boundary", "Conversation compacted", logicalParentUuid=before, compactMetadata=data)
        self.context = FIRST_CONTEXT
        text = f"This session is being continued from a previous conversation. Summary:\n{summary}"
        return self._user(text, 0.1, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def backup(self, path: str, content: bytes | None) -> Self:
        """Keep the bytes of a file before it is edited, or None if there was none, and record that."""
        number = self.backups[path]["version"] + 1 if path in self.backups else 1
        name = f"{hashlib.sha256(path.encode()).hexdigest()[:16]}@v{number}"
        if content is not None:
            self.files[f"file-history/{self.session}/{name}"] = content
        entry = {"backupFileName": name if content is not None else None, "version": number, "backupTime": self._time()}
        self.backups[path] = entry
        if self._is(2, 1, 249):
            return self._snapshot(is_update=True)
        prompt = self.prompts[-1][0] if self.prompts else None
        ids = {"messageId": self.tip, "snapshotMessageId": prompt}
        return self._raw({"type": "file-history-delta", **ids, "trackingPath": path, "backup": entry})

    # Metadata, and raw bytes

    def title(self, text: str, *, by: str = "ai") -> Self:
        """Add a title, given by the program (ai) or by a person (custom)."""
        return self.record(type=f"{by}-title", **{f"{by}Title": text})

    def summary(self, text: str, leaf: str | None = None) -> Self:
        """Add a title as old versions kept it: without session, for the record `leaf`."""
        return self._raw({"type": "summary", "summary": text, "leafUuid": leaf or self.tip})

    def last_prompt(self, leaf: str | None = None) -> Self:
        """Add the note that names the record at the visible end."""
        return self.record(
            type="last-prompt", lastPrompt=self.typed[-1][1] if self.typed else "", leafUuid=leaf or self.tip
        )

    def record(self, **fields: Any) -> Self:
        """Add any record of this session that stands outside the tree."""
        return self._raw({**fields, "sessionId": self.session})

    def row(self, kind: str, **fields: Any) -> Self:
        """Add any record of the tree."""
        return self._row(kind, 1, **fields)

    def raw(self, data: bytes) -> Self:
        """Add bytes unchanged, such as damage; the caller adds line ends."""
        self.rows.append(data)
        return self

    def tear(self) -> Self:
        """Cut the last record in half, like a power cut."""
        line = self.lines()[-1]
        self.rows[-1] = line[: len(line) // 2]
        return self

    # Branches, agents and copies

    def rewind(self, to: int | str) -> Self:
        """Go back to before the prompt of number `to` (from 1), or to the record `to`."""
        self.tip = self.prompts[to - 1][1] if isinstance(to, int) else to
        if self._is(2, 1, 144):
            return self
        return self.record(type="last-prompt", leafUuid=NOWHERE, explicit=True)

    def agent(self, description: str, prompt: str, *, kind: str = "general-purpose", background: bool = False) -> Self:
        """Start an agent and return its draft, to be ended by `join`, or by `notify` if it runs in the background."""
        asked = {"description": description, "prompt": prompt, "subagent_type": kind}
        self.answer(calls=[Tool("Task" if self._is(2, 1, 60) else "Agent", asked)])
        child = self._child(self._agent_name(), self.open_calls[-1][0])
        if not self._is(2, 1, 69):
            call = {} if self._is(2, 1, 112) else {"toolUseId": child.call, "spawnDepth": 2 if self.is_side else 1}
            above = {"parentAgentId": self.agent_id} if self.agent_id and call else {}
            child.meta_data = {"agentType": kind, "description": description, **call, **above}
        if background:
            data = {"isAsync": True, "status": "async_launched", "agentId": child.agent_id, **asked}
            self.result([{"type": "text", "text": "Async agent launched successfully."}], data)
        return child.prompt(prompt, after=0.1)

    def internal_agent(self, label: str, prompt: str, answer: str) -> Self:
        """Let a helper of the program, which knows the conversation so far, do its work: compact, side_question."""
        child = self._child(f"a{label}-{self._id('')[:16]}", None)
        parent = {"parentSessionId": self.session, "parentLastUuid": self.tip}
        child.rows.append({"type": "fork-context-ref", "agentId": child.agent_id, **parent})
        child.tip = self.tip
        child.prompt(prompt, after=0.1).answer(answer)
        return self

    def join(self, agent: Self, text: str) -> Self:
        """End an agent with `text`, and add that as the result of its call."""
        agent.answer(text)
        self.now = max(self.now, agent.now)
        content = [{"type": "text", "text": text}]
        data: Row = {"content": content, "totalDurationMs": 60_000, "totalTokens": 20_000, "totalToolUseCount": 1}
        if agent.agent_id:
            data = {"status": "completed", "agentId": agent.agent_id, **data}
        return self.result(content, data, call=agent.call)

    def notify(self, agent: Self, text: str) -> Self:
        """Let a background agent end with `text`: only a notification carries it back."""
        agent.answer(text)
        self.now = max(self.now, agent.now)
        ids = f"<task-id>{agent.agent_id}</task-id>\n<tool-use-id>{agent.call}</tool-use-id>"
        note = f"<task-notification>\n{ids}\n<status>completed</status>\n<result>{text}</result>\n</task-notification>"
        self.record(type="queue-operation", operation="enqueue", timestamp=self._time(), content=note)
        self.record(type="queue-operation", operation="dequeue", timestamp=self._time())
        return self._user(note, 1, origin={"kind": "task-notification"}, promptSource="system")

    def fork(self, session: str, *, style: str = "branch") -> Self:
        """Return a new session that begins as a copy of this one.

        branch: same ids, each record says `forkedFrom`.  plain: same ids, no mention of it (--fork-session).
        sdk: new ids and `forkedFrom`.  resume: new ids, no mention of it (every --resume up to 1.0.44).
        From 2.1.326 on, answers that `branch` and `plain` copy name the session whose request they were.
        """
        copy = type(self)(session, self.cwd, self.version, self.now, branch=self.branch)
        ids: dict[Any, Any] = {None: None}
        for row in self.rows:
            if isinstance(row, dict) and "uuid" in row:
                ids[row["uuid"]] = copy.new_uuid() if style in ("sdk", "resume") else row["uuid"]
                new = {**row, "uuid": ids[row["uuid"]], "parentUuid": ids.get(row["parentUuid"]), "sessionId": session}
                if style in ("branch", "sdk"):
                    new["forkedFrom"] = {"sessionId": self.session, "messageUuid": row["uuid"]}
                if style in ("branch", "plain") and row["type"] == "assistant" and not self._is(2, 1, 325):
                    new.setdefault("requestSessionId", self.session)
                copy.rows.append(new)
        copy.tip, copy.context = ids[self.tip], self.context
        copy.prompts = [(ids[prompt], ids[parent]) for prompt, parent in self.prompts]
        return copy

    # Results

    def write(self, home: Path, *, key: str | None = None, mtime: datetime | None = None) -> Path:
        """Write the session, its agents and other files into the home directory `home`; return the transcript."""
        config = home / ".claude"
        project = f"projects/{key or project_key.encode(self.cwd)}"
        paths = {f"{project}/{self.session}.jsonl": self.text(), **self.files}
        for agent in self.all_agents():
            stem = f"{project}/{agent.folder()}agent-{agent.agent_id}"
            paths |= {f"{stem}.jsonl": agent.text(), **agent.files}
            if agent.meta_data:
                paths[f"{stem}.meta.json"] = line_of(agent.meta_data)
        stamp = (mtime or self.now).timestamp()
        for name, data in paths.items():
            make_private_directory((config / name).parent)
            write_atomically(config / name, data, inside=home, durable=False)
            os.utime(config / name, (stamp, stamp))
        return config / project / f"{self.session}.jsonl"

    # How records are made

    def _answer_call(self, tool: Tool) -> None:
        text = tool.text
        if tool.saved is not None:
            name = f"{project_key.encode(self.cwd)}/{self.session}/tool-results/{self._id('b')[:9]}.txt"
            self.files[f"projects/{name}"] = tool.saved.encode()
            size = f"{len(tool.saved) / 1024:.1f}KB"
            notice = f"Output too large ({size}). Full output saved to: ~/.claude/projects/{name}"
            text = f"<persisted-output>\n{notice}\n\nPreview (first 2KB):\n{text}\n</persisted-output>"
        if text is not None:
            self.result(text, tool.data, error=tool.error)

    def _human(self) -> Row:
        fields: Row = {} if self._is(2, 1, 111) else {"promptId": self.new_uuid(), "permissionMode": "default"}
        return fields if self._is(2, 1, 199) else {**fields, "origin": {"kind": "human"}, "promptSource": "typed"}

    def _snapshot(self, *, is_update: bool = False) -> Self:
        if self._is(1, 0, 127) or not self.prompts:
            return self
        message = self.prompts[-1][0]
        snapshot = {"messageId": message, "trackedFileBackups": dict(self.backups), "timestamp": times.iso(self.now)}
        ids = {"type": "file-history-snapshot", "messageId": message}
        return self._raw({**ids, "snapshot": snapshot, "isSnapshotUpdate": is_update})

    def _agent_name(self) -> str | None:
        if self._is(2, 0, 32):
            return None
        if self._is(2, 0, 76):
            return self._id("")[:8]
        return "a" + self._id("")[: 6 if self._is(2, 1, 69) else 16]

    def _child(self, name: str | None, call: str | None) -> Self:
        child = type(self)(self.session, self.cwd, self.version, self.now, branch=self.branch)
        child.agent_id, child.call, child.is_side = name, call, True
        child.seed = f"{self.seed}/{len(self.agents)}"
        if name is None:
            child.rows = self.rows  # up to 1.0.128 an agent's records are in the session's own file
        self.agents.append(child)
        return child

    def all_agents(self) -> list[Self]:
        """Return every agent below this session that has a file of its own."""
        inside = [below for agent in self.agents for below in (agent, *agent.all_agents())]
        return [agent for agent in inside if agent.agent_id]

    def folder(self) -> str:
        """Return the path of an agent's file below the project's directory."""
        return "" if self._is(2, 1, 1) else f"{self.session}/subagents/"
