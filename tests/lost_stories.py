"""The first 25 stories of people who lost sessions, each as a home that shows the loss.

    STORIES["power cut"].build(home)     makes the home
    STORIES["power cut"].told            the kinds, severities and words that the doctor must say

`cc` is the number of the report that a story comes from.  Times count back from now, because clean-ups do.
"""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from command import said
from make import (
    ACCOUNT,
    UUID,
    Draft,
    bash,
    desktop_file,
    home,
    inside,
    line,
    manifest,
    row,
    write_side,
    write_transcript,
)

OTHER = "22222222-2222-4222-8222-222222222222"
SECOND = "cccccccc-3333-4333-8333-333333333333"


class Told(NamedTuple):
    """A finding that must be there."""

    kind: str
    severity: str
    words: str
    times: int = 1


class Story(NamedTuple):
    """A home, and the findings that it must have."""

    cc: str
    build: Callable[[Path], None]
    told: tuple[Told, ...]


def told(root: Path, *arguments: str) -> Any:
    """Return the JSON answer of a command that must succeed, run in this process."""
    code, out, error = said("--root", root, "--json", *arguments)

    assert (0, "") == (code, error)
    return json.loads(out)


def days_ago(days: float) -> datetime:
    """Return a moment in the past, in whole seconds."""
    return (datetime.now(UTC) - timedelta(days=days)).replace(microsecond=0)


def milliseconds(moment: datetime) -> int:
    """Return a moment as Desktop stores it."""
    return int(moment.timestamp() * 1000)


def draft(name: str = UUID, days: float = 3, cwd: str = "/srv/shop") -> Draft:
    """Return a session of some days ago with two prompts and a call."""
    begun = Draft(name, cwd, started=days_ago(days)).prompt("Mend the till").answer("On it.", calls=[bash("ls", "a")])
    return begun.prompt("And test it").answer("Done.")


def age(path: Path, days: float) -> None:
    """Give a file the time of some days ago."""
    then = days_ago(days).timestamp()
    os.utime(path, (then, then))


def name(number: int) -> str:
    """Return the id of one of many sessions."""
    return f"{number:08d}{UUID[8:]}"


def remembered(root: Path, count: int, days: float) -> None:
    """Write a history with two prompts of each of so many sessions, and no transcript."""
    lines = [
        line({"display": text, "sessionId": name(number), "project": "/srv/shop", "timestamp": milliseconds(when)})
        for number in range(count)
        for when in [days_ago(days)]
        for text in (f"Count the boxes of row {number}", "And the lids")
    ]
    write_side(home(root), "history.jsonl", lines)


def listed(root: Path, count: int) -> None:
    """Write a list of sessions as Claude Code kept it, and no transcript."""
    entries = [
        {"sessionId": name(number), "projectPath": "/srv/shop", "messageCount": 40 + number} for number in range(count)
    ]
    write_side(home(root), "projects/-srv-shop/sessions-index.json", line({"version": 1, "entries": entries}))


def swept(root: Path) -> None:
    """Let a clean-up have run an hour ago."""
    age(write_side(home(root), ".last-cleanup", b""), 1 / 24)


def records(count: int, days: float = 3) -> list[dict[str, Any]]:
    """Return a conversation of so many records, each the answer to the one before."""
    begun = Draft(UUID, "/srv/shop", started=days_ago(days))
    for number in range(count // 2):
        begun.prompt(f"Question {number}").answer(f"Answer {number}.")
    return [json.loads(item) for item in begun.lines()]


def said_in(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the records that somebody said."""
    return [item for item in found if item["type"] in ("user", "assistant")]


def transcript(root: Path, found: list[dict[str, Any]] | bytes, days: float = 3) -> Path:
    """Write a transcript, some days ago."""
    data = found if isinstance(found, bytes) else b"".join(map(line, found))
    path = write_transcript(home(root), "-srv-shop", UUID, data)
    age(path, days)
    return path


# 1 to 9: deleted


def setting_ignored(root: Path) -> None:
    """Show a clean-up that ignored the setting; a list still names the sessions."""
    listed(root, 6)
    write_side(root, "settings.json", b'{"cleanupPeriodDays": 99999}')
    draft(OTHER).write(root)


def only_history(root: Path) -> None:
    """Show a clean-up that only the history survived."""
    remembered(root, 8, 45)
    draft(OTHER).write(root)
    write_side(root, f"session-env/{name(99)}/env", b"A=1\n")


def time_set_back(root: Path) -> None:
    """Show a transcript with an old file time, which decides, though it was used lately."""
    draft().write(home(root), mtime=days_ago(28))


def away_for_months(root: Path) -> None:
    """Show transcripts that the next start of Claude Code deletes."""
    for number in range(3):
        draft(name(number), 120).write(home(root))


def gone_the_same_day(root: Path) -> None:
    """Show five sessions of today that were removed two hours later."""
    remembered(root, 5, 0.2)
    draft(OTHER).write(root)
    swept(root)


def two_accounts_purged(root: Path) -> None:
    """Show that all projects are gone at once, with the note of the clean-up."""
    remembered(root, 12, 10)
    swept(root)


def ghost_in_the_sidebar(root: Path) -> None:
    """Show a row whose transcript is gone."""
    row(home(root), cliSessionId=UUID)


def editor_restart(root: Path) -> None:
    """Show sessions that were deleted in spite of a setting of a hundred years."""
    remembered(root, 3, 2)
    write_side(root, "settings.json", b'{"cleanupPeriodDays": 36500}')
    draft(OTHER).write(root)


def lost_while_compacting(root: Path) -> None:
    """Show a transcript that was deleted before its summary; the agent that compacts has a copy."""
    begun = draft()
    begun.internal_agent("compact", "Summarize the conversation.", "It was about a till.")
    begun.write(home(root)).unlink()


# 10 to 15: damaged


def bad_line(root: Path) -> None:
    """Show a torn line in the middle, with whole records after it."""
    lines = draft().lines()
    transcript(root, b"".join([*lines[:3], lines[3][:40] + b"\n", *lines[4:]]))


def glued(root: Path) -> None:
    """Show a record that a kill cut off, with the next one on the same line."""
    lines = draft().lines()
    transcript(root, b"".join([*lines[:3], lines[3][:40], *lines[4:]]))


def power_cut(root: Path) -> None:
    """Show a last record that is cut off."""
    transcript(root, draft().text()[:-60])


def nul_tail(root: Path) -> None:
    """Show blocks of NUL bytes at the end."""
    transcript(root, draft().text() + bytes(9000))


def nul_run(root: Path) -> None:
    """Show a run of NUL bytes in the middle."""
    lines = draft().lines()
    transcript(root, b"".join([*lines[:4], bytes(700), b"\n", *lines[4:]]))


def nul_manifest(root: Path) -> None:
    """Show a manifest that is all NUL beside a whole transcript."""
    path = manifest(home(root))
    inside(path, f".claude/projects/-sessions-calm-river/{UUID}.jsonl", draft(cwd="/sessions/calm-river").text())
    path.write_bytes(bytes(1234))


# 16 to 20: broken links, lost results, large files


def chain_breaks(root: Path) -> None:
    """Show a late record whose parent was never written."""
    found = records(60)
    said_in(found)[-4]["parentUuid"] = OTHER
    transcript(root, found)


def one_id_twice(root: Path) -> None:
    """Show an old id that is used again and closes a circle."""
    found = records(40)
    spoken = said_in(found)
    spoken[30]["uuid"] = spoken[4]["uuid"]
    spoken[31]["parentUuid"] = spoken[4]["uuid"]
    transcript(root, found)


def stale_leaf(root: Path) -> None:
    """Show a restart that continues from an old record, beside hours of work."""
    begun = draft()
    old = begun.tip
    for number in range(8):
        begun.prompt(f"Step {number}").answer("Done.")
    begun.tip = old
    begun.meta("Continue from where you left off.")
    begun.prompt("Go on").answer("Sure.")
    begun.write(home(root))


def many_leaves(root: Path) -> None:
    """Show dozens of branches that leave one point."""
    begun = draft()
    tip = begun.tip
    for number in range(60):
        begun.tip = tip
        begun.prompt(f"Try {number}").answer("No.")
    begun.write(home(root))


def lost_result(root: Path) -> None:
    """Show a call without a result in the middle of a conversation."""
    transcript(root, b"".join(item for item in draft().lines() if b"tool_result" not in item))


def very_large(root: Path) -> None:
    """Show a transcript of gigabytes."""
    os.truncate(draft().write(home(root)), 3 << 30)  # a hole, which costs no disk
    age(root / ".claude/projects/-srv-shop" / f"{UUID}.jsonl", 3)


# 21 to 25: Desktop and Cowork


def link_removed(root: Path) -> None:
    """Show a row that lost the link to its transcript, which is whole."""
    begun = draft()
    first, last = begun.now - timedelta(seconds=60), begun.now
    begun.write(home(root))
    created, active = milliseconds(first), milliseconds(last)
    place = {"cwd": "/srv/shop", "originCwd": "/srv/shop"}
    path = row(root, transcriptUnavailable=True, createdAt=created, lastActivityAt=active)
    path.write_text(json.dumps(json.loads(path.read_text()) | place))
    age(path, 2)


def another_folder(root: Path) -> None:
    """Show a row that looks for its transcript under another project directory."""
    row(root, cliSessionId=UUID, cwd="/srv/shop-new", originCwd="/srv/shop-new")
    draft().write(home(root))


def only_in_vm(root: Path) -> None:
    """Show a Cowork session whose transcript is in its virtual machine."""
    manifest(home(root), cliSessionId=UUID)


def archived_cowork(root: Path) -> Path:
    """Write five Cowork sessions whose manifests name no transcript, archive them, and return their directory."""
    for number in range(5):
        path = manifest(home(root), name(number))
        text = draft(f"{number}{OTHER[1:]}", cwd="/sessions/calm-river").text()
        inside(path, f".claude/projects/-s/{number}{OTHER[1:]}.jsonl", text)
    assert 0 == said("--root", root, "archive", "sync")[0]
    return next(root.rglob("local-agent-mode-sessions"))


def recreated_empty(root: Path) -> None:
    """Show a directory of Cowork that was made again, empty; the archive has the sessions."""
    top = archived_cowork(root)
    for path in sorted(top.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def account_switched(root: Path) -> None:
    """Show rows of an account that is no longer signed in."""
    draft().write(home(root))
    row(root, cliSessionId=UUID, cwd="/srv/shop", originCwd="/srv/shop")
    desktop_file(root, "config.json", {"lastKnownAccountUuid": SECOND})


STORIES = {
    "1 setting ignored": Story(
        "41458",
        setting_ignored,
        (
            Told("lost", "error", "A list of Claude Code still names it", 6),
            Told("mass-loss", "error", "6 sessions are gone"),
            Told("cleanup-setting", "note", "sets cleanupPeriodDays to 99999"),
        ),
    ),
    "2 only the history": Story(
        "62476",
        only_history,
        (
            Told("lost", "error", "2 prompts survive, the first: “Count the boxes of row", 8),
            Told("mass-loss", "error", "8 sessions are gone, and 16 of their prompts survive"),
            Told("lost", "note", "1 more session left todos or the like"),
        ),
    ),
    "3 file time set back": Story("62250", time_set_back, (Told("expiring", "error", "something set the time back"),)),
    "4 away for months": Story("95203", away_for_months, (Told("expiring", "error", "at its next clean-up", 3),)),
    "5 the same day": Story(
        "18881",
        gone_the_same_day,
        (
            Told("lost", "error", "2 prompts survive", 5),
            Told("mass-loss", "error", "when 5 of them were younger than its own limit"),
        ),
    ),
    "6 all projects purged": Story(
        "74798",
        two_accounts_purged,
        (Told("mass-loss", "error", "Claude Code's last clean-up ran on"), Told("lost", "error", "survive", 12)),
    ),
    "7 ghost": Story("69652", ghost_in_the_sidebar, (Told("ghost", "error", "its transcript is gone"),)),
    "8 editor restart": Story(
        "62272",
        editor_restart,
        (Told("lost", "error", "survive", 3), Told("cleanup-setting", "note", "ignored such a large value")),
    ),
    "9 lost while compacting": Story(
        "63187", lost_while_compacting, (Told("orphan", "error", "has a copy of the conversation"),)
    ),
    "10 bad line": Story("50347", bad_line, (Told("damaged", "warning", "3 whole records follow"),)),
    "11 glued": Story("52387", glued, (Told("damaged", "warning", "Line 4 of the transcript"),)),
    "12 power cut": Story("53821", power_cut, (Told("damaged", "warning", "the last record was cut off"),)),
    "13 NUL tail": Story("76059", nul_tail, (Told("damaged", "warning", "NUL"),)),
    "14 NUL run": Story("49876", nul_run, (Told("damaged", "warning", "NUL"),)),
    "15 NUL manifest": Story("59811", nul_manifest, (Told("damaged", "warning", "Its transcript is whole"),)),
    "16 chain breaks": Story("58554", chain_breaks, (Told("chain", "warning", "names a parent that does not exist"),)),
    "17 one id twice": Story("40487", one_id_twice, (Told("chain", "warning", "its parents form a cycle"),)),
    "18a stale leaf": Story(
        "89820",
        stale_leaf,
        (Told("chain", "warning", "reaches 6 of 22 messages (27.3 %): line 33 continues from an old record"),),
    ),
    "18b many leaves": Story("48270", many_leaves, (Told("chain", "note", "60 branches"),)),
    "19 lost result": Story("45286", lost_result, (Told("unanswered", "note", "goes on after them"),)),
    "20 very large": Story("22365", very_large, (Told("large", "warning", "3,072 MiB"),)),
    "21 link removed": Story("63082", link_removed, (Told("ghost", "error", f"that of {UUID} fits it"),)),
    "22 another folder": Story("63839", another_folder, (Told("moved", "warning", "/srv/shop-new"),)),
    "23 only in a VM": Story("30215", only_in_vm, (Told("in-vm", "warning", "virtual machine"),)),
    "24 recreated empty": Story(
        "86280", recreated_empty, (Told("mass-loss", "warning", "5 transcripts vanished before their time"),)
    ),
    "25 account switched": Story(
        "48511", account_switched, (Told("account", "warning", f"hides 1 session of account {ACCOUNT[:8]}"),)
    ),
}
"""Number and name to a story; number 18 has two forms."""
