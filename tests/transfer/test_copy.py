"""`transfer copy`: tombstones, rows that are there already, dropped fields, accounts, and Desktops that run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import said
from make import ACCOUNT, CODE_ROWS, UUID, Draft, desktop_file, fingerprint, inside, manifest, row
from os_calls import CHANGING, before_each_call
from two_accounts import (
    BEN,
    BENS,
    SYSTEMS,
    add_session,
    aged,
    app_id,
    manifests_of,
    reasons,
    rows_of,
    statuses,
    transcript_id,
    transfer,
    two_accounts,
)

from backscroll.stores.project_key import encode

SYSTEM = "linux"
ROWS = f"{SYSTEMS[SYSTEM]}/{CODE_ROWS}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with a Desktop of two accounts."""
    return two_accounts(tmp_path / "user", SYSTEM)


def test_fields_of_one_account_stay_behind(root: Path) -> None:
    """Permissions, connections, remote control, schedules, leases and addresses are dropped, and named."""
    held: dict[str, Any] = {
        "permissionMode": "bypassPermissions",
        "enabledMcpTools": {"x": True},
        "alwaysAllowedReasons": ["x"],
        "bridgeSessionIds": ["b"],
        "remoteControlUserEnabled": True,
        "scheduledTaskId": "t",
        "worktreePath": "/work/shop/.claude/worktrees/w",
        "emailAddress": "ann@example.com",
        "chromePermissionMode": "always",
    }
    add_session(root, SYSTEM, 6, **held, effort="high")
    aged(root)

    _, done = transfer(root, "copy", app_id(6), "--to", BEN, "--apply")

    fields = json.loads((rows_of(root, SYSTEM) / f"local_{app_id(6)}.json").read_bytes())
    assert sorted(held) == done["dropped"]
    assert not held.keys() & fields.keys()
    assert ("high", transcript_id(6), "/work/shop") == (fields["effort"], fields["cliSessionId"], fields["cwd"])


@pytest.mark.parametrize("name", [app_id(1), f"local_{app_id(1)}", transcript_id(1), transcript_id(99)])
def test_tombstones_of_both_id_spaces(root: Path, name: str) -> None:
    """A tombstone of the row's id or of any id of its lineage stops the copy; --undelete moves it aside."""
    row(root, app_id(1), at=ROWS, cliSessionId=transcript_id(1), priorCliSessionIds=[transcript_id(99)])
    tombstone = desktop_file(root, f"{CODE_ROWS}/{BENS}/deleted_{name}", b"1780000000000", SYSTEMS[SYSTEM])
    aged(root)
    before = fingerprint(root)

    code, answer = transfer(root, "copy", app_id(1), "--to", BEN, "--apply")
    assert 4 == code
    assert "--undelete" in reasons(answer)
    code, answer = transfer(root, "copy", "--all", "--to", BEN)
    assert (0, 2) == (code, statuses(answer).count(("write", "planned")))
    assert before == fingerprint(root)

    code, answer = transfer(root, "copy", app_id(1), "--to", BEN, "--undelete", "--apply")
    assert (0, True) == (code, answer["applied"])
    assert not tombstone.exists()
    assert b"1780000000000" == tombstone.with_name(f"undeleted_{name}").read_bytes()
    said("--root", root, "transfer", "undo")
    assert before == fingerprint(root)


@pytest.mark.parametrize("active, first", [(1, 1), (1_990_000_000_000, 9)])
def test_the_same_row_for_another_conversation(root: Path, active: int, first: int) -> None:
    """Both conversations are kept: the one used last in front, the other in `priorCliSessionIds`."""
    other = {"cliSessionId": transcript_id(9), "lastActivityAt": active, "title": "Ben's"}
    path = row(root, app_id(1), owner=BENS, at=ROWS, **other)
    aged(root)
    before = fingerprint(root)

    code, _ = transfer(root, "copy", transcript_id(1), "--to", BEN, "--apply")

    fields = json.loads(path.read_bytes())
    kept = {fields["cliSessionId"], *fields["priorCliSessionIds"]}
    assert (0, "Ben's", transcript_id(first)) == (code, fields["title"], fields["cliSessionId"])
    assert {transcript_id(1), transcript_id(9)} == kept
    assert ("keep", "same") in statuses(transfer(root, "copy", transcript_id(1), "--to", BEN, "--apply")[1])
    said("--root", root, "transfer", "undo")
    assert before == fingerprint(root)


def test_twice_is_once(root: Path) -> None:
    """A second copy finds its rows there, and changes nothing."""
    transfer(root, "copy", "--all", "--to", BEN, "--apply")
    before = fingerprint(root)

    code, answer = transfer(root, "copy", "--all", "--to", BEN, "--apply")

    assert (0, False, {("keep", "same")}) == (code, answer["applied"], set(statuses(answer)))
    assert before == fingerprint(root)


def test_accounts_that_cannot_be_meant(root: Path) -> None:
    """An account with several organisations, an unknown one and an ambiguous one are refused with the list."""
    second = "eeeeeeee-5555-4555-8555-555555555555"
    desktop_file(root, f"{CODE_ROWS}/{BEN}/{second}/scheduled-tasks.json", {}, SYSTEMS[SYSTEM])

    for account in (BEN, "ffffffff", "nobody@example.com"):
        code, answer = transfer(root, "copy", app_id(1), "--to", account)
        assert 4 == code
        assert second in answer["error"]
        assert BENS in answer["error"]
    code, answer = transfer(root, "copy", app_id(1), "--to", f"{BEN}/{second[:4]}")
    assert (0, [("write", "planned")]) == (code, statuses(answer))


def test_an_account_by_its_address(root: Path) -> None:
    """An e-mail address that a row tells names its account."""
    row(root, app_id(50), owner=BENS, at=ROWS, emailAddress="Ben@Example.com")
    aged(root)

    code, answer = transfer(root, "copy", app_id(1), "--to", "ben@example.com")

    assert (0, [("write", "planned")]) == (code, statuses(answer))


def test_ids_that_cannot_be_meant(root: Path) -> None:
    """An unknown id is 1, an ambiguous one 4 with the candidates, no choice or two choices 2."""
    assert 1 == transfer(root, "copy", "nobody", "--to", BEN)[0]
    code, answer = transfer(root, "copy", "0000000", "--to", BEN)
    assert 4 == code
    assert transcript_id(1) in answer["error"]
    assert 1 == transfer(root, "copy", "--project", "nowhere", "--to", BEN)[0]
    assert 2 == transfer(root, "copy", "--to", BEN)[0]
    assert 2 == transfer(root, "copy", app_id(1), "--all", "--to", BEN)[0]


def test_an_unreadable_row_is_skipped_and_named(root: Path) -> None:
    """In bulk a row that is no JSON is skipped with its path; the others go."""
    broken = desktop_file(root, f"{CODE_ROWS}/{ACCOUNT}/{'b' * 8}/local_{app_id(60)}.json", b"{", SYSTEMS[SYSTEM])
    aged(root)

    code, answer = transfer(root, "copy", "--all", "--to", BEN)

    named = [step["from"] for step in answer["plan"] if step["status"] == "skipped"]
    assert (0, [str(broken)], 3) == (code, named, statuses(answer).count(("write", "planned")))


def test_a_row_that_changed_a_moment_ago(root: Path) -> None:
    """A source that changed less than a minute ago is refused, with --force too."""
    path = next(root.rglob(f"local_{app_id(1)}.json"))
    os.utime(path)
    before = fingerprint(root)

    for force in ((), ("--force",)):
        code, answer = transfer(root, "copy", app_id(1), "--to", BEN, "--apply", *force)
        assert 4 == code
        assert "less than 60 seconds" in reasons(answer)
    assert before == fingerprint(root)


def test_a_cowork_session_that_ran_on_the_host(root: Path) -> None:
    """Its directory lies in its own folder: the copy names the new place, and its transcript has the key of that."""
    path = manifest(root, desktop=SYSTEMS[SYSTEM], cliSessionId=UUID, hostLoopMode=True)
    old = f"{path.with_suffix('')}/outputs"
    fields = json.loads(path.read_bytes()) | {"cwd": old}
    path.write_text(json.dumps(fields, indent=2))
    inside(path, f".claude/projects/{encode(old)}/{UUID}.jsonl", Draft(UUID, old).prompt("Hi").answer("Ho.").text())
    inside(path, "outputs/a.txt", b"a")
    aged(root)

    assert 0 == transfer(root, "copy", UUID, "--to", BEN, "--apply")[0]

    copied = manifests_of(root, SYSTEM) / path.name
    new = f"{copied.with_suffix('')}/outputs"
    assert new == json.loads(copied.read_bytes())["cwd"]
    assert (copied.with_suffix("") / f".claude/projects/{encode(new)}/{UUID}.jsonl").is_file()


@pytest.mark.parametrize("number", [28, 30])
def test_a_full_or_read_only_disk(root: Path, number: int) -> None:
    """The system refuses a write in the middle: everything is undone, exit 4."""
    before = fingerprint(root)

    def fail(count: int, name: str) -> None:
        if name == "link" and count > 30:
            raise OSError(number, os.strerror(number))

    with before_each_call(fail, CHANGING):
        code, answer = transfer(root, "copy", "--all", "--to", BEN, "--apply")

    assert (4, False) == (code, answer["applied"])
    assert ("write", "undone") in statuses(answer)
    assert "everything was undone" in reasons(answer)
    assert before == fingerprint(root)


HOLD = "import fcntl,sys; f=open(sys.argv[1],'r+'); fcntl.lockf(f, fcntl.LOCK_EX); print(1, flush=True); input()"


@pytest.mark.parametrize("kind", ["LOCK", "SingletonLock"])
def test_a_desktop_that_runs(root: Path, kind: str) -> None:
    """While Claude Desktop runs, its rows are not changed without --force; the plan says why."""
    data = root / SYSTEMS[SYSTEM]
    if kind == "SingletonLock":
        (data / kind).symlink_to(f"{os.uname().nodename}-{os.getpid()}")
        holder = None
    else:
        lock = desktop_file(root, "Local Storage/leveldb/LOCK", b"", SYSTEMS[SYSTEM])
        line = [sys.executable, "-c", HOLD, str(lock)]
        holder = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert holder.stdout is not None
        holder.stdout.readline()
    aged(root)
    before = fingerprint(root)

    code, answer = transfer(root, "copy", app_id(1), "--to", BEN, "--apply")
    assert 4 == code
    assert "Claude Desktop is running" in reasons(answer)
    assert before == fingerprint(root)
    assert 0 == transfer(root, "copy", app_id(1), "--to", BEN, "--apply", "--force")[0]
    if holder is not None:
        holder.communicate(b"\n")
