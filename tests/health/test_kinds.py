"""The kinds of findings that no story shows, and their finer points."""

import os
import shlex
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from command import said
from lost_stories import OTHER, SECOND, age, archived_cowork, days_ago, draft, milliseconds, name, told
from make import (
    ACCOUNT,
    APP,
    UUID,
    Draft,
    desktop_file,
    home,
    line,
    manifest,
    row,
    user,
    write_side,
    write_transcript,
)

from backscroll.demo import write_demo_home

KEY = (
    "sk-ant-api03-" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3kL5mN7pQ9rS1tU3vW5xY7zA9bC1dE3fG5hJ7-kL9mN1pQAA"
)


def findings(root: Path, kind: str, *options: str) -> list[dict[str, Any]]:
    """Return the findings of one kind."""
    found: list[dict[str, Any]] = told(root, "doctor", "--kind", kind, *options)["findings"]
    return found


def texts(root: Path, kind: str) -> list[tuple[str, str]]:
    """Return severity and sentence of the findings of one kind."""
    return [(item["severity"], item["text"]) for item in findings(root, kind)]


@pytest.mark.parametrize(
    "settings, severity, words",
    [
        (b'{"cleanupPeriodDays": 0}', "error", "deletes every transcript after a day"),
        (b'{"cleanupPeriodDays": "90"}', "warning", "is not a number of days"),
        (b'{"cleanupPeriodDays": -1}', "warning", "is not a number of days"),
        (b'{"cleanupPeriodDays": 90', "warning", "cannot be parsed"),
        (b'{"cleanupPeriodDays": 99999}', "note", "sets cleanupPeriodDays to 99999"),
    ],
)
def test_cleanup_setting(tmp_path: Path, settings: bytes, severity: str, words: str) -> None:
    """A dangerous or useless setting is told with its file."""
    draft().write(home(tmp_path))
    path = write_side(tmp_path, "settings.json", settings)

    (found,) = findings(tmp_path, "cleanup-setting")

    assert (severity, str(path)) == (found["severity"], found["place"]["path"])
    assert words in found["text"]


def test_settings_that_cannot_be_parsed_save_transcripts(tmp_path: Path) -> None:
    """While the settings cannot be parsed the clean-up waits, so an old transcript is a warning."""
    draft(days=40).write(home(tmp_path))
    write_side(tmp_path, "settings.json", b"{")

    ((severity, text),) = texts(tmp_path, "expiring")

    assert "warning" == severity
    assert "It waits as long as it cannot parse" in text


def of_desktop(root: Path) -> None:
    """Write an old transcript that Desktop made."""
    data = draft(days=60).text().replace(b'"entrypoint":"cli"', b'"entrypoint":"claude-desktop"')
    age(write_transcript(home(root), "-srv-shop", UUID, data), 60)


def test_an_old_version_does_not_spare_sessions_of_desktop(tmp_path: Path) -> None:
    """An old Claude Code that ran here lately deletes transcripts that newer ones spare."""
    of_desktop(tmp_path)
    assert [] == findings(tmp_path, "expiring")
    Draft(OTHER, "/srv/shop", "2.1.112", days_ago(4)).prompt("Hello").answer("Hi.").write(tmp_path)

    (found,) = findings(tmp_path, "expiring")

    assert ("warning", UUID) == (found["severity"], found["session"])
    assert found["text"].startswith("Claude Code 2.1.112, which ran here on ")


def test_a_counter_that_knows_more(tmp_path: Path) -> None:
    """The statistics of Claude Code count more sessions than are left: a note of kind lost."""
    draft().write(home(tmp_path))
    write_side(tmp_path, "stats-cache.json", b'{"version": 5, "totalSessions": 512}')

    ((severity, text),) = texts(tmp_path, "lost")

    assert "note" == severity
    assert "512 sessions, 511 more than are here" in text


def test_lost_by_kept_versions_of_files(tmp_path: Path) -> None:
    """Kept versions of files prove a session; todos alone do not."""
    draft().write(home(tmp_path))
    path = write_side(tmp_path, f"file-history/{OTHER}/0123456789abcdef@v1", b"old\n")
    write_side(tmp_path, f"todos/{name(7)}-agent-{name(7)}.json", b"[]")

    found = findings(tmp_path, "lost")

    assert [("error", OTHER), ("note", None)] == [(item["severity"], item["session"]) for item in found]
    assert str(path) == found[0]["place"]["path"]


def test_an_earlier_part_of_a_session_is_gone(tmp_path: Path) -> None:
    """A row that names an earlier transcript which is gone is a warning of kind lost."""
    draft().write(home(tmp_path))
    row(tmp_path, cliSessionId=UUID, cwd="/srv/shop", originCwd="/srv/shop", priorCliSessionIds=[OTHER])

    ((severity, text),) = texts(tmp_path, "lost")

    assert ("warning", True) == (severity, OTHER in text)


def test_deleted(tmp_path: Path) -> None:
    """A deleted session with a transcript is a note, and its remedy keeps it."""
    path = draft().write(home(tmp_path))
    path.with_suffix(".desktop-released.json").write_text('{"v": 1, "releasedAt": 1780000000000, "reason": "delete"}')

    (found,) = findings(tmp_path, "deleted")

    assert "note" == found["severity"]
    assert found["remedy"].endswith("archive sync")
    assert "because Desktop released it" in texts(tmp_path, "expiring")[0][1]


def test_cloud(tmp_path: Path) -> None:
    """A session that moved to the cloud is a note that names its id there."""
    row(home(tmp_path), movedToCloud=True, cloudSessionId="session_01Harbour")

    assert [("note", True)] == [(severity, "session_01Harbour" in text) for severity, text in texts(tmp_path, "cloud")]


def test_short_ids_tell_cloud_sessions_apart(tmp_path: Path) -> None:
    """The ids of all cloud sessions begin with the same letters; the report shows more of each."""
    root = write_demo_home(tmp_path / "demo")

    printed = said("--root", root, "doctor", "--kind", "cloud")[1]

    assert "\n  session_01Ha  The transcript" in printed


def test_two_accounts_of_one_person(tmp_path: Path) -> None:
    """Two accounts with one e-mail address are a warning; both are named by their beginnings."""
    for number, account in enumerate((ACCOUNT, SECOND)):
        fields = {"sessionId": f"local_{name(number)}", "emailAddress": "ann@example.org", "processName": "p"}
        times = {"createdAt": 1780000000000, "lastActivityAt": 1780000100000}
        desktop_file(home(tmp_path), f"local-agent-mode-sessions/{account}/o/local_{name(number)}.json", fields | times)

    (warned,) = [item for item in findings(tmp_path, "account") if item["severity"] == "warning"]

    assert ACCOUNT[:8] in warned["text"]
    assert SECOND[:8] in warned["text"]
    assert Path(warned["place"]["path"]).is_file()


def test_a_row_under_the_wrong_account(tmp_path: Path) -> None:
    """A row that lies under another account than the one that made the session is a note."""
    owner = {"type": "session-owner", "accountUuid": SECOND, "sessionId": UUID}
    path = draft().write(home(tmp_path))
    path.write_bytes(path.read_bytes() + line(owner))
    row(tmp_path, cliSessionId=UUID, cwd="/srv/shop", originCwd="/srv/shop")

    assert [("note", True)] == [(severity, SECOND[:8] in text) for severity, text in texts(tmp_path, "account")]


def test_secrets_are_counted_and_never_shown(tmp_path: Path) -> None:
    """Secrets in transcripts are a warning with counts by rule; no output holds a value."""
    draft().prompt(f"Use {KEY} please").write(home(tmp_path))

    found = [item for item in findings(tmp_path, "secrets") if item["severity"] == "warning"]
    outputs = [said("--root", tmp_path, "doctor", *options)[1] for options in ([], ["--json"], ["--kind", "secrets"])]

    assert 1 == len(found)
    assert "1 in 1 session" in found[0]["text"]
    assert not any(KEY[:30] in out for out in outputs)


def test_a_sample_is_told(tmp_path: Path) -> None:
    """Without --kind only the transcripts written last are searched for secrets, and the text says so."""
    draft().prompt(f"Use {KEY} please").write(home(tmp_path))
    large = draft(OTHER, 5).prompt(f"Use {KEY} " + "x " * 600_000).write(tmp_path)

    sampled = [item["text"] for item in told(tmp_path, "doctor")["findings"] if item["kind"] == "secrets"]

    assert large.stat().st_size > 1 << 20
    assert ["in a sample: 1 in 1 session" in sampled[0], "2 in 2 sessions" in texts(tmp_path, "secrets")[0][1]] == [
        True,
        True,
    ]


def test_a_name_in_the_clear(tmp_path: Path) -> None:
    """A manifest with an e-mail address is a note, with the file as proof."""
    path = manifest(home(tmp_path), emailAddress="ann@example.org", accountName="Ann")

    (found,) = findings(tmp_path, "secrets")

    assert ("note", str(path)) == (found["severity"], found["place"]["path"])


def sync_was(moment: datetime) -> None:
    """Let the last sync of the archive have been at some moment."""
    with closing(sqlite3.connect(next(Path(os.environ["BACKSCROLL_HOME"]).rglob("catalogue.db")))) as database:
        database.execute("UPDATE meta SET value = ? WHERE name = 'synced'", (int(moment.timestamp() * 1e9),))
        database.commit()


def test_archive_and_timer(tmp_path: Path) -> None:
    """Without an archive there is a note; a late sync is a warning; a lost segment is an error."""
    draft().write(home(tmp_path))
    assert ["note"] == [severity for severity, _ in texts(tmp_path, "archive")]
    assert 0 == said("--root", tmp_path, "archive", "sync")[0]
    assert [] == texts(tmp_path, "archive") + texts(tmp_path, "timer")

    sync_was(days_ago(3))
    assert [("warning", True)] == [(severity, "The last sync" in text) for severity, text in texts(tmp_path, "timer")]
    assert [None] == [item["place"] for item in findings(tmp_path, "timer")]

    segment = next(Path(os.environ["BACKSCROLL_HOME"]).rglob("*.zst"))
    segment.unlink()
    assert [("error", str(segment))] == [
        (item["severity"], item["place"]["path"]) for item in findings(tmp_path, "archive")
    ]


def test_a_timer_that_does_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the timer is installed and no sync came, the text says so, and the remedy syncs."""
    tool = tmp_path / "tools/systemctl"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    draft().write(home(tmp_path))
    assert 0 == said("--root", tmp_path, "archive", "sync")[0]
    assert 0 == said("--root", tmp_path, "archive", "install", "--apply")[0]
    sync_was(days_ago(3))

    (found,) = findings(tmp_path, "timer")

    assert found["text"].endswith("Its timer is installed, but it does not run.")
    assert 0 == said(*shlex.split(found["remedy"])[1:])[0]
    assert [] == findings(tmp_path, "timer")


def test_a_moved_project_is_no_mass_loss(tmp_path: Path) -> None:
    """Transcripts that were moved, or that were due, have not vanished before their time."""
    for number in range(6):
        draft(name(number)).write(home(tmp_path))
        draft(name(number + 10), 40).write(tmp_path)
    assert 0 == said("--root", tmp_path, "archive", "sync")[0]
    (tmp_path / ".claude/projects/-srv-shop").rename(tmp_path / ".claude/projects/-srv-other")
    for number in range(6):
        (tmp_path / ".claude/projects/-srv-other" / f"{name(number + 10)}.jsonl").unlink()
    assert [] == texts(tmp_path, "mass-loss")

    for number in range(6):
        (tmp_path / ".claude/projects/-srv-other" / f"{name(number)}.jsonl").unlink()
    assert [("warning", "6 transcripts vanished before their time. The archive has them all.")] == texts(
        tmp_path, "mass-loss"
    )


def test_rows_that_vanished(tmp_path: Path) -> None:
    """Rows of Desktop that an update deleted come back by the remedy, as it is printed."""
    rows = []
    for number in range(5):
        begun = draft(name(number))
        begun.write(home(tmp_path))
        times = {"createdAt": milliseconds(begun.now), "lastActivityAt": milliseconds(begun.now)}
        app = f"{number}9999999-9999-4999-8999-999999999999"
        fields = {"cliSessionId": begun.session, "cwd": "/srv/shop", "originCwd": "/srv/shop", **times}
        rows.append(row(tmp_path, app, **fields))  # type: ignore[arg-type]
    assert 0 == said("--root", tmp_path, "archive", "sync")[0]
    before = [path.read_bytes() for path in rows]
    for path in rows:
        path.unlink()

    (found,) = findings(tmp_path, "mass-loss")
    assert "5 rows of Desktop vanished before their time" in found["text"]
    words = shlex.split(found["remedy"])[1:]
    assert 0 == said(*words)[0]
    assert 0 == said(*words, "--apply")[0]
    assert before == [path.read_bytes() for path in rows]
    assert [] == findings(tmp_path, "mass-loss")


def test_cowork_that_an_update_emptied(tmp_path: Path) -> None:
    """Both halves of emptied Cowork sessions come back by either remedy, though no manifest names its transcript."""
    top = archived_cowork(tmp_path)
    before = {path: path.read_bytes() for path in top.rglob("*") if path.is_file()}

    shutil.rmtree(top)
    remedies = {item["remedy"] for item in findings(tmp_path, "mass-loss")}

    (remedy,) = remedies
    assert 0 == said(*shlex.split(remedy)[1:], "--apply")[0]
    assert before == {path: path.read_bytes() for path in top.rglob("*") if path.is_file()}
    assert [] == findings(tmp_path, "mass-loss")


def test_drift(tmp_path: Path) -> None:
    """A record type that we do not know is a note at its first place."""
    path = write_transcript(home(tmp_path), "-p", UUID, [line(user("u1")), line({"type": "hologram", "uuid": "u2"})])

    (found,) = findings(tmp_path, "drift")

    assert ("note", str(path), 2) == (found["severity"], found["place"]["path"], found["place"]["line"])
    assert "hologram" in found["text"]


def test_a_growing_transcript_is_no_warning(tmp_path: Path) -> None:
    """A last line that is being written at this moment is a note."""
    path = draft(days=0).write(home(tmp_path))
    path.write_bytes(path.read_bytes()[:-40])

    assert ["note"] == [severity for severity, _ in texts(tmp_path, "damaged")]


def test_a_session_whose_id_begins_with_a_dash(tmp_path: Path) -> None:
    """A remedy quotes an odd id so that the command runs as pasted."""
    write_transcript(home(tmp_path), "-p", "-x y", draft().text() + b"{torn\n")

    (found,) = findings(tmp_path, "damaged")

    assert found["remedy"].endswith("doctor --fix --session='-x y'")


def test_a_row_that_two_transcripts_fit(tmp_path: Path) -> None:
    """A ghost gets no transcript if two fit."""
    begun = draft()
    for one in (begun, draft(OTHER)):
        one.write(home(tmp_path))
    stamp = int(begun.now.timestamp() * 1000)
    row(tmp_path, APP, cwd="/srv/shop", lastActivityAt=stamp)

    ((severity, text),) = texts(tmp_path, "ghost")

    assert ("error", False) == (severity, "fits" in text)
