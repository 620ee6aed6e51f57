"""Calls paired with their results: the text for the model, the program's own data, persisted outputs.

A background agent delivers its result in a notice, long after the first answer to its call.
That notice is then the call's result.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

from backscroll.errors import BackscrollError
from backscroll.place import Place
from backscroll.records import fault
from backscroll.sessions.model import Call, Result
from backscroll.sessions.reading.outputs import persisted_name, whole_output
from backscroll.sessions.reading.results import result_block, text_of_answer
from backscroll.sessions.transcript.conversation import Conversation
from backscroll.sessions.transcript.facts import queued_text
from backscroll.sessions.transcript.moments import moment_of
from backscroll.sessions.transcript.rows import Row
from backscroll.sessions.transcript.tree import Node, Tree


@cache
def _notice_result() -> re.Pattern[str]:
    return re.compile(r"<result>\s*(.*?)\s*</result>", re.DOTALL)


class CallReader:
    """Reads the calls of one conversation's tree."""

    def __init__(self, conversation: Conversation, session: str, agent: str | None, outputs: list[str]) -> None:
        self._conversation = conversation
        self._session = session
        self._agent = agent
        self._outputs = outputs
        """Directories that may hold outputs too large for the transcript."""

    def calls(self, tree: Tree) -> Iterator[Call]:
        """Yield every call of a tree once, in file order."""
        results = _rows_with_results(tree)
        seen: set[str] = set()
        for node in tree.nodes:
            for row in node.rows:
                new = [name for name, _ in row.calls if name not in seen]
                if new:
                    seen.update(new)
                    yield from self._of_row(node, row, set(new), results)

    def _of_row(self, node: Node, row: Row, wanted: set[str], results: dict[str, list[Row]]) -> Iterator[Call]:
        inputs = self._inputs(row)
        for name, tool in row.calls:
            if name in wanted:
                wanted.discard(name)
                yield self._sure_call(node, row, (name, tool), inputs.get(name), results.get(name, []))

    def _sure_call(self, node: Node, row: Row, call: tuple[str, str], given: Any, answers: list[Row]) -> Call:
        """Return a call; a bug of ours costs the texts of this call only, and its mark names the exception."""
        try:
            return self._call(node, row, call, given, answers)
        except (OSError, BackscrollError):
            raise
        except Exception as error:  # noqa: BLE001 - a fault of one call must not affect another
            marks = [fault(error, "reading this call")]
            return Call(
                *call, None, None, self._session, node.head.id, self._agent, None, None, node.branch, marks=marks
            )

    def _inputs(self, row: Row) -> dict[str, Any]:
        message = self._conversation.value(row).get("message")
        content = message.get("content") if isinstance(message, dict) else None
        blocks = content if isinstance(content, list) else []
        return {str(block.get("id")): block.get("input") for block in blocks if isinstance(block, dict)}

    def _call(self, node: Node, row: Row, call: tuple[str, str], given: Any, answers: list[Row]) -> Call:
        name, tool = call
        result, started_agent = self._result(name, answers[0]) if answers else (None, None)
        source = self._conversation.sources[row.source]
        return Call(
            id=name,
            name=tool,
            input=given,
            result=result,
            session=self._session,
            message=node.head.id,
            agent=self._agent,
            started=moment_of(row.time),
            finished=moment_of(answers[0].time) if answers else None,
            branch=node.branch,
            started_agent=started_agent,
            place=Place(source.path, row.line, row.offset, row.length),
            marks=[f"{len(answers)} results"] if len(answers) > 1 else [],
        )

    def _result(self, name: str, row: Row) -> tuple[Result, str | None]:
        value = self._conversation.value(row)
        message = value.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        block = result_block(name, content)
        detail = value.get("toolUseResult") if len(row.results) <= 1 else None
        agent = detail.get("agentId") if isinstance(detail, dict) else None
        is_error = block is not None and block.get("is_error") is True
        result = Result(text_of_answer(block, content), is_error, detail)
        self._add_persisted(result)
        if isinstance(agent, str):
            self._add_notice(result, agent)
        return result, agent if isinstance(agent, str) else None

    def _add_persisted(self, result: Result) -> None:
        """Replace the short notice with the whole output."""
        named = result.data.get("persistedOutputPath") if isinstance(result.data, dict) else None
        name = persisted_name(result.text or "")
        name = name or (os.path.basename(str(named).replace("\\", "/")) if named else None)
        if not name or name in (".", ".."):
            return
        if whole := whole_output(name, self._outputs):
            result.persisted, result.text = whole

    def _add_notice(self, result: Result, agent: str) -> None:
        """Add an agent's final answer from the notice of its end."""
        status = result.data.get("status") if isinstance(result.data, dict) else None
        notice = self._conversation.facts.notices.get(agent)
        if notice is None or status not in ("async_launched", None):
            return
        value = self._conversation.sources[notice.source].value(notice.offset, notice.length)
        text = _notice_text(value)
        answer = _notice_result().search(text)
        result.text = answer.group(1) if answer else text or result.text


def _rows_with_results(tree: Tree) -> dict[str, list[Row]]:
    results: dict[str, list[Row]] = defaultdict(list)
    for node in tree.nodes:
        for row in node.rows:
            for name in row.results:
                results[name].append(row)
    return results


def _notice_text(value: dict[str, Any]) -> str:
    if value.get("type") == "attachment":
        attachment = value.get("attachment")
        return queued_text(attachment.get("prompt")) if isinstance(attachment, dict) else ""
    message = value.get("message")
    return queued_text(message.get("content") if isinstance(message, dict) else value.get("content"))
