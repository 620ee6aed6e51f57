"""The title of a session: what the user called it, what the program did, or what was asked first."""

from backscroll.value import NamedTuple

LONGEST = 200


class TitleFacts(NamedTuple):
    """What a transcript says about its title."""

    custom_title: str | None = None
    ai_title: str | None = None
    last_prompt: str | None = None
    first_prompt: str | None = None
    agent_name: str | None = None


class Title(NamedTuple):
    """A title and where it comes from: row, custom, ai, last-prompt, summary, first-prompt, agent."""

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
    """Return the first title there is, in the order in which Claude Code itself chooses.

    The title in a row of Desktop stands in front where somebody typed it; where nobody did, it comes before what
    Claude Code made up for the transcript, because it is what people see.
    """
    candidates = (
        (row.text if row and is_typed_row else None, "row"),
        (facts.custom_title or side_title, "custom"),
        (row.text if row else None, "row"),
        (facts.ai_title, "ai"),
        (facts.last_prompt, "last-prompt"),
        (summary, "summary"),
        (facts.first_prompt, "first-prompt"),
        (facts.agent_name, "agent"),
    )
    for text, source in candidates:
        if text and (line := " ".join(text.split())):
            return Title(line if len(line) <= LONGEST else line[: LONGEST - 1] + "…", source)
    return None
