"""Titles, in the order in which Claude Code itself chooses."""

from pathlib import Path

import pytest
from make import UUID, Draft, home, listed, write_side

from backscroll.sessions.joining.titles import Title, TitleFacts, title_of

OTHER = "22222222-2222-4222-8222-222222222222"


def test_the_order_of_titles() -> None:
    """What the user chose, what the program did, the last prompt, a summary, the first prompt, the agent's name."""
    facts = TitleFacts("custom", "ai", "last", "first", "agent")
    found = [title_of(facts, "beside", "summary")]
    for name in ("custom_title", "ai_title", "last_prompt"):
        facts = facts._replace(**{name: None})
        found.append(title_of(facts, None, "summary"))
    found.append(title_of(facts, None, None))
    found.append(title_of(facts._replace(first_prompt=None), None, None))

    assert [
        Title("custom", "custom"),
        Title("ai", "ai"),
        Title("last", "last-prompt"),
        Title("summary", "summary"),
        Title("first", "first-prompt"),
        Title("agent", "agent"),
    ] == found


def test_a_title_beside_the_transcript() -> None:
    """A custom-title.json counts like a title in the transcript, behind that."""
    assert Title("beside", "custom") == title_of(TitleFacts(ai_title="ai"), "beside", None)


@pytest.mark.parametrize("blank", ["", "  \n\t "])
def test_a_blank_title_is_none(blank: str) -> None:
    """A title of nothing gives way to the next."""
    assert Title("ai", "ai") == title_of(TitleFacts(custom_title=blank, ai_title="ai"), None, None)
    assert title_of(TitleFacts(ai_title=blank), None, None) is None


def test_a_title_is_one_line_of_bounded_length() -> None:
    """Line breaks become spaces, and a long prompt is cut."""
    assert Title("a b", "ai") == title_of(TitleFacts(ai_title="a\n  b"), None, None)
    assert "x" * 199 + "…" == (title_of(TitleFacts(ai_title="x" * 201), None, None) or Title("", "")).text


def test_a_summary_in_another_file_titles_a_session(tmp_path: Path) -> None:
    """A `summary` names the last record of the session it is about, which often lies in another file."""
    draft = Draft(UUID, version="1.0.128").prompt("A").answer("B")
    draft.write(home(tmp_path))
    Draft(OTHER, version="1.0.128").summary("About A", leaf=draft.tip).write(tmp_path)
    found = listed(tmp_path)

    assert ("About A", "summary") == (found[UUID].title, found[UUID].title_source)
    assert ("About A", 0) == (found[OTHER].title, found[OTHER].messages)


def test_the_summary_with_the_latest_leaf_wins(tmp_path: Path) -> None:
    """Of several summaries of one session that of its latest record is its title."""
    draft = Draft(UUID, version="1.0.128").prompt("A").answer("B")
    early = draft.tip
    draft.prompt("C").answer("D").write(home(tmp_path))
    Draft(OTHER, version="1.0.128").summary("Late", leaf=draft.tip).summary("Early", leaf=early).write(tmp_path)

    assert "Late" == listed(tmp_path)[UUID].title


def test_titles_in_a_home(tmp_path: Path) -> None:
    """The title in the sidecar directory outweighs the program's."""
    draft = Draft(UUID).prompt("A").title("By the program")
    draft.write(home(tmp_path))
    before = listed(tmp_path)[UUID]
    write_side(tmp_path, f"projects/-home-ann-code-demo/{UUID}/custom-title.json", b'{"customTitle":"Mine"}')
    after = listed(tmp_path)[UUID]

    assert [("By the program", "ai"), ("Mine", "custom")] == [
        (item.title, item.title_source) for item in (before, after)
    ]
