"""Tell what a human typed from what the program put in.

Facts: docs/formats.md, "What a human typed".  A `user` record may be a prompt, a tool result, an
injected text, a slash command, a compaction summary, a notice or an agent's task.
"""

import re

from backscroll.lazy import pattern
from backscroll.sessions.fingerprint import number_of
from backscroll.sessions.heads import Head

TYPED = "typed"
PROMPT = "prompt"
COMMAND = "command"
RESULTS = "results"
SUMMARY = "summary"
META = "meta"
NOTICE = "notice"

HUMAN_SOURCES = {None, "typed", "queued", "suggestion_accepted"}
HUMAN_ORIGINS = {None, "human"}

_COMMAND_TAGS = ("command-name", "command-message", "command-args", "command-contents", "bash-input")
_NOTICE_TAGS = (
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-stdout",
    "bash-stderr",
    "system-reminder",
    "task-notification",
    "session-start-hook",
    "user-prompt-submit-hook",
    "tick",
    "fork-boilerplate",
)
_PREFIX_TAGS = ("ide_opened_file", "ide_selection", "uploaded_files")
_ENVELOPE = pattern(rf"\s*<({'|'.join(_COMMAND_TAGS + _NOTICE_TAGS)})(?:\s[^>]*)?>.*?</\1>\s*", re.DOTALL, "</")
_PREFIX = pattern(rf"\s*<({'|'.join(_PREFIX_TAGS)})(?:\s[^>]*)?>.*?</\1>\s*", re.DOTALL, "</")
_INTERRUPTED = "[Request interrupted by user"
_COMMAND_NAME = pattern(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL, "<command-name>")
_COMMAND_ARGS = pattern(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL, "<command-args>")
_NO_LETTERS = pattern(r"[\W_]+")
_BASH_INPUT = pattern(r"<bash-input>\s*(.*?)\s*</bash-input>", re.DOTALL, "<bash-input>")


def kind_of(head: Head, text: str, *, has_results: bool, is_empty: bool) -> str:
    """Say what a `user` record is; `text` is the text of its content, which may also hold images."""
    if head.isCompactSummary:
        return SUMMARY
    if has_results:
        return RESULTS
    if head.isMeta:
        return META
    origin = head.origin.kind if head.origin else None
    if origin not in HUMAN_ORIGINS or head.promptSource == "system":
        return NOTICE
    envelope = _kind_of_envelope(text)
    if envelope is not None:
        return envelope
    is_human = origin == "human" or head.promptSource in HUMAN_SOURCES
    return TYPED if is_human and not head.isSidechain and not is_empty else PROMPT


def _kind_of_envelope(text: str) -> str | None:
    """Return COMMAND or NOTICE for a text that is wholly the program's wrapping, else None."""
    if text.startswith(_INTERRUPTED):
        return NOTICE
    position, tags = 0, set[str]()
    while match := _ENVELOPE.match(text, position):
        tags.add(match.group(1))
        position = match.end()
    if not tags or position < len(text):
        return None
    return COMMAND if tags.intersection(_COMMAND_TAGS) else NOTICE


def is_typed(text: str) -> bool:
    """Say whether a text is what somebody typed, and not a notice of the program."""
    return _kind_of_envelope(text) != NOTICE


def spoken(text: str) -> str:
    """Return a prompt as a person would repeat it: `/name args`, `!command`, without the editor's preamble."""
    if _kind_of_envelope(text) == COMMAND and (name := _COMMAND_NAME.search(text)):
        args = _COMMAND_ARGS.search(text)
        command = name.group(1) if name.group(1).startswith("/") else f"/{name.group(1)}"
        return f"{command} {args.group(1)}".strip() if args else command
    if shell := _BASH_INPUT.fullmatch(text.strip()):
        return f"!{shell.group(1)}"
    position = 0
    while match := _PREFIX.match(text, position):
        position = match.end()
    return text[position:].strip() or text.strip()


def said_key(text: str) -> int:
    """Return a number that stands for what was typed, whatever becomes of its blanks and signs on the way."""
    return number_of(b"said", _NO_LETTERS.sub("", spoken(text).casefold()) or text.strip())
