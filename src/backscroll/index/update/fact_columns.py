"""The columns of a unit that hold facts of its transcript: written after each read, restored before the next one."""

import json
from collections.abc import Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any

from backscroll.sessions.transcript.facts import CostState, Facts

LAST_WINS = (
    *("git_branch", "entrypoint", "custom_title", "ai_title", "agent_name", "last_prompt"),
    *("tag", "relocated", "worktree_of", "account"),
)
"""The facts with one value: each has a column of its own name."""


@lru_cache(1 << 10)
def stored_texts(texts: tuple[str, ...]) -> str:
    """Return a list of texts for a column; most units of a project have the same directories and models."""
    return json.dumps(texts)


_last_wins = attrgetter(*LAST_WINS)


def fact_columns(facts: Facts) -> dict[str, Any]:
    """Return the columns that a whole read and a read of new records fill alike."""
    cost = facts.cost_state
    return {
        **dict(zip(LAST_WINS, _last_wins(facts), strict=True)),
        "version": next(reversed(facts.versions), None),
        "named_session": next(iter(facts.session_ids), None),
        "cwds": stored_texts(tuple(facts.cwds)),
        "cost": cost.cost if cost else None,
        "cost_models": json.dumps(cost.models) if cost else None,
    }


def facts_before(before: Mapping[str, Any]) -> Facts:
    """Return the facts from an earlier read, so that later ones replace them in the usual order."""
    facts = Facts()
    for name in LAST_WINS:
        setattr(facts, name, before[name])
    facts.cwds = dict.fromkeys(json.loads(before["cwds"]))
    facts.versions = {before["version"]: None} if before["version"] is not None else {}
    facts.session_ids = {before["named_session"]: None} if before["named_session"] is not None else {}
    facts.born = {0: before["born"]} if before["born"] is not None else {}
    if before["cost"] is not None:
        facts.cost_state = CostState(before["cost"], json.loads(before["cost_models"]))
    return facts
