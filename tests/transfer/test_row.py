"""`transfer row`: a row for a session of the terminal, and the right transcript for a row that points nowhere."""

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from command import said
from make import CODE_ROWS, Draft, desktop_file, fingerprint
from two_accounts import (
    ANNS,
    BEN,
    BENS,
    SYSTEMS,
    add_session,
    aged,
    app_id,
    reasons,
    rows_of,
    statuses,
    transcript_id,
    transfer,
    two_accounts,
)

SYSTEM = "linux"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with a Desktop of two accounts, and a session of the terminal."""
    directory = two_accounts(tmp_path / "user", SYSTEM)
    Draft(transcript_id(20), "/work/shop").prompt("From the terminal").answer("Yes.").write(directory)
    return aged(directory)


def test_a_session_of_the_terminal_gets_a_row(root: Path) -> None:
    """The account that is signed in gets a row that Desktop would load; undo takes it away again."""
    before = fingerprint(root)

    code, done = transfer(root, "row", transcript_id(20), "--apply")

    path = rows_of(root, SYSTEM) / f"local_{transcript_id(20)}.json"
    fields = json.loads(path.read_bytes())
    assert (0, [("write", "done")]) == (code, statuses(done))
    assert (transcript_id(20), "/work/shop") == (fields["cliSessionId"], fields["cwd"])
    listed = json.loads(said("--root", root, "list", "--sidebar", BEN, "--json")[1])
    assert [transcript_id(20)] == [one["id"] for one in listed["sessions"]]
    assert [("keep", "same")] == statuses(transfer(root, "row", transcript_id(20), "--apply")[1])
    said("--root", root, "transfer", "undo")
    assert before == fingerprint(root)


def test_the_account_can_be_named(root: Path) -> None:
    """--to names the account that gets the row."""
    transfer(root, "row", transcript_id(20), "--to", ANNS, "--apply")

    assert (rows_of(root, SYSTEM, ANNS) / f"local_{transcript_id(20)}.json").exists()


def test_a_row_finds_an_earlier_transcript_of_its_lineage(root: Path) -> None:
    """A row whose transcript is gone gets the newest one of its lineage that is here, and remembers the other."""
    lost: dict[str, Any] = {"cliSessionId": transcript_id(77), "priorCliSessionIds": [transcript_id(30)]}
    path = add_session(root, SYSTEM, 30, **lost)
    aged(root)
    before = fingerprint(root)

    code, _ = transfer(root, "row", app_id(30), "--apply")

    fields = json.loads(path.read_bytes())
    assert (0, transcript_id(30)) == (code, fields["cliSessionId"])
    assert transcript_id(77) in fields["priorCliSessionIds"]
    said("--root", root, "transfer", "undo")
    assert before == fingerprint(root)


def test_a_row_finds_the_transcript_that_began_with_it(root: Path) -> None:
    """A row of which nothing is left gets the one transcript of its directory that began when it was made."""
    started = json.loads(said("--root", root, "show", transcript_id(20), "--json")[1])["session"]["started"]
    moment = int(datetime.fromisoformat(started).timestamp() * 1000)
    path = add_session(root, SYSTEM, 40, cwd="/work/shop", cliSessionId=transcript_id(88), createdAt=moment)
    next(root.rglob(f"{transcript_id(40)}.jsonl")).unlink()
    for number in (1, 2, 3):
        next(root.rglob(f"local_{app_id(number)}.json")).touch()
    aged(root)

    code, answer = transfer(root, "row", app_id(40), "--apply")

    assert (0, transcript_id(20)) == (code, json.loads(path.read_bytes())["cliSessionId"]), reasons(answer)


def test_a_row_that_nothing_fits(root: Path) -> None:
    """Without a transcript that fits, or with several, the row is refused."""
    add_session(root, SYSTEM, 41, cwd="/work/none", cliSessionId=transcript_id(88))
    next(root.rglob(f"{transcript_id(41)}.jsonl")).unlink()
    aged(root)

    code, answer = transfer(root, "row", app_id(41))

    assert (4, "no transcript here fits it") == (code, reasons(answer))


def test_tombstones_and_live_sources_are_respected(root: Path) -> None:
    """A session that was deleted in the account, or that is being written, gets no row."""
    tombstone = desktop_file(root, f"{CODE_ROWS}/{BENS}/deleted_{transcript_id(20)}", b"1", SYSTEMS[SYSTEM])
    assert "deleted" in reasons(transfer(root, "row", transcript_id(20))[1])
    tombstone.unlink()

    os.utime(next(root.rglob(f"{transcript_id(20)}.jsonl")))
    assert 4 == transfer(root, "row", transcript_id(20), "--apply", "--force")[0]
    assert 1 == transfer(root, "row", "nobody")[0]
