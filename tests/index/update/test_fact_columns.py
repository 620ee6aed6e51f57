"""The columns of a unit that hold facts of its transcript."""

from backscroll.index.update.fact_columns import fact_columns, facts_before
from backscroll.sessions.transcript.facts import CostState, Facts


def test_facts_survive_their_columns() -> None:
    """Facts that are written and restored are the same, and the first time of the file stays the first."""
    facts = Facts(tag="wip", cwds={"/b": None, "/a": None}, versions={"2.1.0": None}, session_ids={"s": None})
    facts.born = {0: "2026-05-01T10:00:00Z"}
    facts.cost_state = CostState(0.5, {"opus": {"inputTokens": 3}})

    assert facts == facts_before({**fact_columns(facts), "born": facts.born[0]})
