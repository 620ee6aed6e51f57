"""The title of a session: from the user, from the program, or from the first prompt."""

from typing import NamedTuple

from backscroll.sessions.transcript.prompts import PLAN_OPENING, is_typed

LONGEST = 200


class TitleFacts(NamedTuple):
    """The statements of a transcript about its title."""

    custom_title: str | None = None
    ai_title: str | None = None
    last_prompt: str | None = None
    first_prompt: str | None = None
    agent_name: str | None = None


class Title(NamedTuple):
    """A title and its source: row, custom, ai, last-prompt, summary, first-prompt, agent."""

    text: str
    source: str


def title_of(
    facts: TitleFacts,
    side_title: str | None,
    summary: str | None,
    row: Title | None = None,
    *,
    is_typed_row: bool = False,
) -> Title | None:
    """Return the first existing title, in Claude Code's own order.

    A title that the user typed into Desktop comes first.  Desktop's generated title comes before the generated title in
    the transcript, because users see Desktop's.  A notice is never a title.  An accepted plan, which the program wrote,
    is one only if the user typed nothing.
    """
    last = facts.last_prompt if facts.last_prompt and is_typed(facts.last_prompt) else None
    is_plan = last is not None and last.startswith(PLAN_OPENING)
    candidates = (
        (row.text if row and is_typed_row else None, "row"),
        (facts.custom_title or side_title, "custom"),
        (row.text if row else None, "row"),
        (facts.ai_title, "ai"),
        (None if is_plan else last, "last-prompt"),
        (summary, "summary"),
        (facts.first_prompt, "first-prompt"),
        (last, "last-prompt"),
        (facts.agent_name, "agent"),
    )
    for text, source in candidates:
        if text and (line := " ".join(text.split())):
            return Title(line if len(line) <= LONGEST else line[: LONGEST - 1] + "…", source)
    return None
