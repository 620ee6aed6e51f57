"""Called: each call of a conversation once, with what it was about, how it ended and how long it took.

Only heads are needed: inputs and results stay in the files.  Calls of internal agents, helpers of the
program that nobody asked for, do not count.
"""

from collections.abc import Iterator

from backscroll.sessions.conversation import Conversation, is_internal_agent
from backscroll.sessions.digest import call_key, moment_of, stored_moment, trees_of
from backscroll.sessions.rows import Row
from backscroll.sessions.tree import Tree
from backscroll.value import NamedTuple


class Called(NamedTuple):
    """One call as one transcript records it."""

    key: bytes
    agent: str | None
    """The inline agent that made it."""
    name: str
    target: str | None
    """The file, the skill or the type of agent that it is about."""
    time: str | None
    is_copy: bool
    outcome: str | None
    """ok, error or refused; None where no result was recorded."""
    seconds: float | None
    """From the call to its result, waiting for a person's leave included."""


def called(conversation: Conversation, *, is_internal: bool = False) -> Iterator[Called]:
    """Yield each call of a conversation once; `is_internal` says that all of it is a helper of the program."""
    if is_internal:
        return
    for agent, tree in trees_of(conversation):
        if agent is None or not is_internal_agent(agent, tree):
            yield from _of_tree(tree, agent, conversation)


def _of_tree(tree: Tree, agent: str | None, conversation: Conversation) -> Iterator[Called]:
    answers = _first_answers(tree)
    seen: set[str] = set()
    for node in tree.nodes:
        for row in node.rows:
            for (call, name), target in zip(row.calls, row.targets, strict=True):
                if call not in seen:
                    seen.add(call)
                    answer, outcome = answers.get(call, (None, None))
                    yield Called(
                        key=call_key(call, row, conversation),
                        agent=agent,
                        name=name,
                        target=target,
                        time=stored_moment(row.time),
                        is_copy=row.copied_from is not None,
                        outcome=outcome,
                        seconds=_seconds(row, answer),
                    )


def _first_answers(tree: Tree) -> dict[str, tuple[Row, str]]:
    answers: dict[str, tuple[Row, str]] = {}
    for node in tree.nodes:
        for row in node.rows:
            for call, outcome in zip(row.results, row.outcomes, strict=True):
                answers.setdefault(call, (row, outcome))
    return answers


def _seconds(row: Row, answer: Row | None) -> float | None:
    started, finished = moment_of(row.time), moment_of(answer.time) if answer else None
    if started is None or finished is None or finished < started:
        return None
    return (finished - started).total_seconds()
