"""Separate prompts that a human typed from texts that the program wrote.

Facts: docs/formats.md, "What a human typed".  A `user` record may be a prompt, a tool result, an
injected text, a slash command, an accepted plan, a compaction summary, a notice or an agent's task.
"""

import re
from functools import cache

from backscroll.sessions.transcript.fingerprint import number_of
from backscroll.sessions.transcript.heads import Head, is_there

TYPED = "typed"
PROMPT = "prompt"
COMMAND = "command"
PLAN = "plan"
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
    "teammate-message",
    "ci-monitor-event",
)
_MESSAGE_OPENINGS = ("<teammate-message", "<ci-monitor-event")
"""A text that starts like this comes from another agent or from CI."""
_PREFIX_TAGS = ("ide_opened_file", "ide_selection", "uploaded_files")


@cache
def _envelope() -> re.Pattern[str]:
    return re.compile(rf"\s*<({'|'.join(_COMMAND_TAGS + _NOTICE_TAGS)})(?:\s[^>]*)?>.*?</\1>\s*", re.DOTALL)


@cache
def _prefix() -> re.Pattern[str]:
    return re.compile(rf"\s*<({'|'.join(_PREFIX_TAGS)})(?:\s[^>]*)?>.*?</\1>\s*", re.DOTALL)


@cache
def _trailer() -> re.Pattern[str]:
    """Match the line that the program writes after the notice of a task."""
    return re.compile(r"(?:Read the output file|Full transcript available)\b[^\n]*\s*")


@cache
def _open_notice() -> re.Pattern[str]:
    """Match a notice whose end is missing."""
    return re.compile(rf"\s*<({'|'.join(_NOTICE_TAGS)})(?:\s[^>]*)?>(?!.*</\1>)", re.DOTALL)


_INTERRUPTED = "[Request interrupted by user"
PLAN_OPENING = "Implement the following plan:"
_TASK_OPENING = '{"task_id":"'


@cache
def _command_name() -> re.Pattern[str]:
    return re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)


@cache
def _command_args() -> re.Pattern[str]:
    return re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)


@cache
def _no_letters() -> re.Pattern[str]:
    return re.compile(r"[\W_]+")


@cache
def _bash_input() -> re.Pattern[str]:
    return re.compile(r"<bash-input>\s*(.*?)\s*</bash-input>", re.DOTALL)


def kind_of(head: Head, text: str, *, has_results: bool, is_empty: bool) -> str:
    """Return the kind of a `user` record; `text` is the text of its content, which may also hold images."""
    if head.isCompactSummary:
        return SUMMARY
    if has_results:
        return RESULTS
    if head.isMeta:
        return META
    origin = head.origin.kind if head.origin else None
    if origin not in HUMAN_ORIGINS or head.promptSource == "system":
        return NOTICE
    return _kind_of_envelope(text) or _kind_of_prompt(head, text, is_empty=is_empty)


def _kind_of_prompt(head: Head, text: str, *, is_empty: bool) -> str:
    if is_there(head.planContent) and text.startswith(PLAN_OPENING):
        return PLAN
    is_human = (head.origin is not None and head.origin.kind == "human") or head.promptSource in HUMAN_SOURCES
    return TYPED if is_human and not head.isSidechain and not is_empty else PROMPT


def _kind_of_envelope(text: str) -> str | None:
    """Return COMMAND or NOTICE for a text that only the program wrote, else None."""
    if text.startswith(_INTERRUPTED) or text[:100].lstrip().startswith(_MESSAGE_OPENINGS):
        return NOTICE
    if "</" not in text:
        return None
    position, tags = 0, set[str]()
    while match := _envelope().match(text, position):
        tags.add(match.group(1))
        trailer = _trailer().match(text, match.end()) if match.group(1) == "task-notification" else None
        position = (trailer or match).end()
    if not tags or position < len(text):
        return None
    return COMMAND if tags.intersection(_COMMAND_TAGS) else NOTICE


def is_typed(text: str) -> bool:
    """Return True if a person typed a text; a notice may be incomplete, as in `last-prompt` records."""
    return _kind_of_envelope(text) != NOTICE and not (text.lstrip()[:1] == "<" and _open_notice().match(text))


def is_typed_in_queue(text: str) -> bool:
    """Return True if a person typed a queued text; Claude Code 2.1.49 queued its notices of tasks as JSON."""
    return not text.startswith(_TASK_OPENING) and is_typed(text)


def spoken(text: str) -> str:
    """Return a prompt as a person would repeat it: `/name args`, `!command`, without the editor's preamble."""
    if _kind_of_envelope(text) == COMMAND and (name := _command_name().search(text)):
        args = _command_args().search(text)
        command = name.group(1) if name.group(1).startswith("/") else f"/{name.group(1)}"
        return f"{command} {args.group(1)}".strip() if args else command
    if "</" not in text:
        return text.strip()
    if shell := _bash_input().fullmatch(text.strip()):
        return f"!{shell.group(1)}"
    position = 0
    while match := _prefix().match(text, position):
        position = match.end()
    return text[position:].strip() or text.strip()


def said_key(text: str) -> int:
    """Return a number for the letters of a prompt; blanks and signs may differ between copies."""
    return number_of(b"said", _no_letters().sub("", spoken(text).casefold()) or text.strip())
