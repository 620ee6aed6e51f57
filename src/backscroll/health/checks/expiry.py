"""Checks of the clean-up: transcripts that Claude Code deletes soon, and settings that are dangerous."""

from collections.abc import Iterator
from datetime import timedelta

from backscroll.health.retention import LONG, SETTING
from backscroll.health.surroundings import CheckResult, Surroundings
from backscroll.index.health_facts import configs
from backscroll.place import Place
from backscroll.sessions.session import Session
from backscroll.times import of_file

SOON = timedelta(days=7)
RECENT = timedelta(days=90)
"""A version that wrote a transcript here within this time may run again."""
SET_BACK = timedelta(days=2)
LAST_WITHOUT_EXEMPTION = (2, 1, 112)
"""The newest version that is known to delete the transcripts of Desktop like all others."""


def expiring(session: Session, around: Surroundings) -> Iterator[CheckResult]:
    """Report that Claude Code deletes the transcript within seven days."""
    if not session.transcripts or session.id not in around.ages:
        return
    if session.expires is None:
        yield from _by_old_version(session, around)
    elif session.expires <= around.now + SOON:
        yield _due(session, around)


def _due(session: Session, around: Surroundings) -> CheckResult:
    expires = session.expires or around.now
    rule = around.rule(around.ages[session.id].config)
    due = f"on {expires:%Y-%m-%d}" if expires > around.now else "at its next clean-up"
    text = f"Claude Code deletes this transcript {due}: {rule.text}.{_set_back(session, around)}"
    if session.state == "deleted":
        text = f"Claude Code deletes this transcript {due}, because Desktop released it."
    if around.has_copies(session):
        return CheckResult("note", f"{text} The archive has a copy.", remedy="archive list")
    if rule.unreadable is not None:
        return CheckResult("warning", f"{text} It waits as long as it cannot parse {rule.unreadable}.")
    return CheckResult("error", text)


def _set_back(session: Session, around: Surroundings) -> str:
    """Return a sentence if the time of the file is older than its last message."""
    written = of_file(around.ages[session.id].mtime)
    if written is None or session.updated is None or session.updated - written < SET_BACK:
        return ""
    return (
        f" The file time, {written:%Y-%m-%d}, decides; the last message is of {session.updated:%Y-%m-%d},"
        " so something set the time back."
    )


def _by_old_version(session: Session, around: Surroundings) -> Iterator[CheckResult]:
    """Report that an old Claude Code, which still runs here, does not spare the transcripts of Desktop."""
    age = around.ages[session.id]
    written = of_file(age.mtime)
    is_spared = (session.entrypoint or "").startswith("claude-desktop") and "code" in session.stores
    if not is_spared or written is None or session.state == "kept":
        return
    if written + timedelta(days=around.rule(age.config).period) > around.now + SOON or around.has_copies(session):
        return
    for version, last in around.versions.items():
        if _number(version) <= LAST_WITHOUT_EXEMPTION and last > around.now - RECENT:
            yield CheckResult(
                "warning",
                f"Claude Code {version}, which ran here on {last:%Y-%m-%d}, does not spare the sessions of Desktop:"
                " its next clean-up deletes this transcript.",
            )
            return


def _number(version: str) -> tuple[int, ...]:
    """Return a version as numbers; an odd one counts as new."""
    parts = version.split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() and len(part) < 10 for part in parts) else (99,)


def cleanup_setting(around: Surroundings) -> Iterator[CheckResult]:
    """Report that a settings file deletes everything at once, cannot be parsed, or promises too much."""
    for config in configs(around.database):
        rule = around.rule(config)
        if rule.unreadable is not None:
            text = (
                f"{rule.unreadable} cannot be parsed. Claude Code skips its clean-up until it can,"
                f" and then {rule.text}."
            )
            yield CheckResult("warning", text, Place(rule.unreadable))
        if rule.refused is not None:
            text = f"{SETTING} in {rule.refused} is not a number of days and has no effect: {rule.text}."
            yield CheckResult("warning", text, Place(rule.refused))
        if rule.path is not None and rule.days == 0:
            text = f"{rule.text}: Claude Code deletes every transcript after a day, or keeps none at all."
            yield CheckResult("error", text, Place(rule.path))
        elif rule.path is not None and (rule.days or 0) >= LONG:
            text = f"{rule.text}. Some versions of Claude Code ignored such a large value and deleted after 30 days."
            yield CheckResult("note", text, Place(rule.path))
