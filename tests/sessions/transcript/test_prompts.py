"""What a human typed, told from what the program put in."""

from typing import Any

import pytest

from backscroll.sessions.transcript import prompts
from backscroll.sessions.transcript.heads import Head, Origin
from backscroll.sessions.transcript.prompts import kind_of, spoken

COMMAND = (
    "<command-name>/review</command-name>\n<command-message>review</command-message>\n<command-args></command-args>"
)


def kind(text: str, *, has_results: bool = False, is_empty: bool = False, **fields: Any) -> str:
    """Return the kind of a user record with this text."""
    return kind_of(Head(type="user", **fields), text, has_results=has_results, is_empty=is_empty)


@pytest.mark.parametrize(
    "text",
    [
        "<local-command-stdout>ok</local-command-stdout>",
        "<local-command-stderr>no</local-command-stderr>",
        "<local-command-caveat>Caveat: …</local-command-caveat>",
        "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
        "<system-reminder>\nRemember\n</system-reminder>",
        "<task-notification>\n<task-id>a1</task-id>\n</task-notification>",
        "<session-start-hook>x</session-start-hook>",
        "<user-prompt-submit-hook>x</user-prompt-submit-hook>",
        "<tick>12:00</tick>",
        "<fork-boilerplate>x</fork-boilerplate>",
        "  <tick>1</tick>\n<system-reminder>2</system-reminder>  ",
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
    ],
)
def test_the_programs_own_texts_are_notices(text: str) -> None:
    """A text that is wholly one of the program's envelopes was typed by nobody."""
    assert prompts.NOTICE == kind(text)


@pytest.mark.parametrize(
    "text",
    [
        COMMAND,
        "<command-message>review</command-message>\n<command-name>/review</command-name>",
        "<command-name>init</command-name><command-args>-v</command-args><command-contents>{}</command-contents>",
        "<bash-input>ls</bash-input>",
        "<bash-input>ls</bash-input><bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
    ],
)
def test_commands_are_commands(text: str) -> None:
    """Slash commands and `!` commands are a user's, but not typed prompts; their tags come in any order."""
    assert prompts.COMMAND == kind(text)


@pytest.mark.parametrize(
    "text",
    [
        "Hello",
        "<tick>1</tick> and more",
        "What does <system-reminder>x</system-reminder> mean?",
        "<tick>never closed",
        "<unknown>x</unknown>",
        "<ide_opened_file>/r/a.py</ide_opened_file>\nFix this",
        "<command-name>x</command-names>",
    ],
)
def test_anything_else_was_typed(text: str) -> None:
    """A text that only contains an envelope, or an editor's preamble before real text, was typed."""
    assert prompts.TYPED == kind(text)


@pytest.mark.parametrize(
    "fields, expected",
    [
        ({"isCompactSummary": True}, prompts.SUMMARY),
        ({"isMeta": True}, prompts.META),
        ({"isSidechain": True}, prompts.PROMPT),
        ({"promptSource": "typed"}, prompts.TYPED),
        ({"promptSource": "queued"}, prompts.TYPED),
        ({"promptSource": "suggestion_accepted"}, prompts.TYPED),
        ({"promptSource": "sdk"}, prompts.PROMPT),
        ({"promptSource": "system"}, prompts.NOTICE),
        ({"origin": Origin("human"), "promptSource": "sdk"}, prompts.TYPED),
        ({"origin": Origin("human")}, prompts.TYPED),
        ({"origin": Origin(None)}, prompts.TYPED),
        ({"origin": Origin("task-notification")}, prompts.NOTICE),
        ({"origin": Origin("peer")}, prompts.NOTICE),
        ({"origin": Origin("auto-continuation")}, prompts.NOTICE),
    ],
)
def test_the_records_fields_decide_first(fields: dict[str, Any], expected: str) -> None:
    """Meta, summary, origin and source of a record say who caused it; `human` outweighs the SDK it came through."""
    assert expected == kind("Hello", **fields)


def test_a_record_with_results_is_no_prompt() -> None:
    """A result is a result whatever text stands beside it, but a summary stays a summary."""
    assert prompts.RESULTS == kind("Hello", has_results=True)
    assert prompts.RESULTS == kind("Hello", has_results=True, isMeta=True)
    assert prompts.SUMMARY == kind("Hello", has_results=True, isCompactSummary=True)


def test_nobody_typed_nothing() -> None:
    """A record without content is a message, but not a typed one; an image alone is."""
    assert prompts.PROMPT == kind("", is_empty=True)
    assert prompts.TYPED == kind("", is_empty=False)


@pytest.mark.parametrize(
    "text, expected",
    [
        (COMMAND, "/review"),
        ("<command-name>/model</command-name><command-args>opus</command-args>", "/model opus"),
        ("<command-message>x</command-message>\n<command-name>init</command-name>", "/init"),
        ("<bash-input> ls -l </bash-input>", "!ls -l"),
        ("<ide_opened_file>The user opened a.py</ide_opened_file>\nFix this", "Fix this"),
        ("<ide_selection>lines</ide_selection><uploaded_files>\n/a\n</uploaded_files> Why?", "Why?"),
        ("<ide_opened_file>alone</ide_opened_file>", "<ide_opened_file>alone</ide_opened_file>"),
        ("  Hello\n", "Hello"),
        ("", ""),
    ],
)
def test_a_prompt_is_repeated_as_a_person_would(text: str, expected: str) -> None:
    """Commands are shown as typed, and an editor's preamble is left out."""
    assert expected == spoken(text)


def test_a_quoted_command_is_not_a_command() -> None:
    """Who asks about a transcript quotes its tags: the question stays what it is."""
    text = "Why does the log say <command-name>/clear</command-name>?"

    assert text == spoken(text)
