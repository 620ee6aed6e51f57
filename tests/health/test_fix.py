"""`doctor --fix`: a plan first, repaired copies under new ids, rebuilt rows, and an undo that leaves no trace."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from command import said
from lost_stories import OTHER, STORIES, age, draft, records, said_in, told, transcript
from make import UUID, fingerprint, home, listed, write_side

MENDED_COPIES = ["10 bad line", "11 glued", "12 power cut", "13 NUL tail", "14 NUL run", "16 chain breaks"]
MENDED_COPIES += ["17 one id twice", "18a stale leaf"]
MENDED_ROWS = ["15 NUL manifest", "21 link removed"]


def settled(root: Path) -> dict[str, tuple[int, int, str]]:
    """Give everything the time of two days ago, so that nothing counts as in use, and return its fingerprint."""
    for path in sorted(root.rglob("*"), reverse=True):
        age(path, 2)
    age(root, 2)
    return fingerprint(root)


def fixed(root: Path, *options: str) -> dict[str, Any]:
    """Return the answer of `doctor --fix`."""
    document: dict[str, Any] = told(root, "doctor", "--fix", *options)
    return document


@pytest.mark.parametrize("name", MENDED_COPIES)
def test_a_mended_copy(tmp_path: Path, name: str) -> None:
    """The plan changes nothing; the copy has a new id and no fault; the old transcript stays; undo removes it."""
    STORIES[name].build(tmp_path)
    before = settled(tmp_path)
    planned = fixed(tmp_path)
    assert before == fingerprint(tmp_path)

    done = fixed(tmp_path, "--apply")
    (step,) = done["plan"]
    path = Path(step["to"])

    assert (False, None, "planned") == (planned["applied"], planned["journal"], planned["plan"][0]["status"])
    assert (True, "write", "done") == (done["applied"], step["action"], step["status"])
    assert step["to"] == planned["plan"][0]["to"]
    assert before.items() - fingerprint(tmp_path).items() <= {item for item in before.items() if "jsonl" not in item[0]}
    is_sound(tmp_path, path)
    assert 0 == said("--root", tmp_path, "transfer", "undo")[0]
    assert before == fingerprint(tmp_path)


def is_sound(root: Path, path: Path) -> None:
    """Check that a repaired copy is whole: every line a record of its own id, and every message reached by a resume."""
    records = [json.loads(item) for item in path.read_bytes().splitlines()]
    kinds = [item["kind"] for item in told(root, "doctor", "--session", path.stem)["findings"]]

    assert {path.stem} == {item["sessionId"] for item in records if "sessionId" in item}
    assert len({item["uuid"] for item in records if "uuid" in item}) == sum("uuid" in item for item in records)
    assert not {"damaged", "chain"} & set(kinds)


def test_nothing_is_lost_by_a_repair(tmp_path: Path) -> None:
    """A copy with new links has every message of the old transcript, and a resume reaches them all."""
    STORIES["17 one id twice"].build(tmp_path)
    settled(tmp_path)
    path = Path(fixed(tmp_path, "--apply")["plan"][0]["to"])

    sessions = listed(tmp_path)

    assert 40 == sessions[UUID].messages == sessions[path.stem].messages


@pytest.mark.parametrize("name", MENDED_ROWS)
def test_a_rebuilt_row(tmp_path: Path, name: str) -> None:
    """A row is rebuilt from its transcript; then Desktop's session is whole again; undo gives the old bytes."""
    STORIES[name].build(tmp_path)
    before = settled(tmp_path)

    done = fixed(tmp_path, "--apply")
    (step,) = done["plan"]
    fields = json.loads(Path(step["to"]).read_bytes())

    assert (True, "write", "done") == (done["applied"], step["action"], step["status"])
    assert (UUID, True) == (fields["cliSessionId"], fields["sessionId"].startswith("local_"))
    assert "transcriptUnavailable" not in fields
    assert ["live"] == [item["state"] for item in told(tmp_path, "list", "--all")["sessions"]]
    assert 0 == said("--root", tmp_path, "transfer", "undo")[0]
    assert before == fingerprint(tmp_path)


def test_the_fields_that_can_be_read_stay(tmp_path: Path) -> None:
    """A row that only lost its link keeps its own title and times."""
    STORIES["21 link removed"].build(tmp_path)
    (path,) = (tmp_path / "Library").rglob("local_*.json")
    kept = json.loads(path.read_bytes())
    settled(tmp_path)
    fixed(tmp_path, "--apply")

    now = json.loads(path.read_bytes())

    assert kept | {"cliSessionId": UUID} == now | {"transcriptUnavailable": True}


def test_no_row_is_rebuilt_while_desktop_runs(tmp_path: Path) -> None:
    """A running Desktop would write its rows again, so the step is skipped and nothing changes."""
    STORIES["21 link removed"].build(tmp_path)
    (path,) = (tmp_path / "Library").rglob("local_*.json")
    before = settled(tmp_path)
    desktop = path.parents[3]
    times = desktop.stat()
    lock = desktop / "SingletonLock"
    lock.symlink_to(f"{os.uname().nodename}-{os.getpid()}")

    (step,) = fixed(tmp_path, "--apply")["plan"]

    assert ("skip", "skipped") == (step["action"], step["status"])
    assert "Claude Desktop is running" in step["why"]
    lock.unlink()
    os.utime(desktop, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert before == fingerprint(tmp_path)


def test_a_session_in_use(tmp_path: Path) -> None:
    """A session that a running process has open is refused by name, skipped in bulk, and never changed."""
    STORIES["10 bad line"].build(tmp_path)
    write_side(tmp_path, f"sessions/{os.getpid()}.json", json.dumps({"sessionId": UUID}).encode())
    before = settled(tmp_path)

    code, out, _ = said("--root", tmp_path, "doctor", "--fix", "--apply", "--session", UUID, "--json")
    (refused,) = json.loads(out)["plan"]
    (skipped,) = fixed(tmp_path, "--apply")["plan"]

    assert (4, "refused", f"process {os.getpid()}") == (
        code,
        refused["status"],
        refused["why"][: 8 + len(str(os.getpid()))],
    )
    assert "skipped" == skipped["status"]
    assert before == fingerprint(tmp_path)


def test_a_fresh_file(tmp_path: Path) -> None:
    """A transcript that changed less than a minute ago is left alone."""
    STORIES["10 bad line"].build(tmp_path)
    settled(tmp_path)
    (path,) = tmp_path.rglob(f"{UUID}.jsonl")
    path.touch()

    code, out, _ = said("--root", tmp_path, "doctor", "--fix", "--apply", "--session", UUID)

    assert 4 == code
    assert "60 seconds" in out
    assert [path] == list(tmp_path.rglob("*.jsonl"))


def test_the_same_repair_twice(tmp_path: Path) -> None:
    """A second repair finds the copy of the first and changes nothing."""
    STORIES["16 chain breaks"].build(tmp_path)
    settled(tmp_path)
    first = fixed(tmp_path, "--apply")

    second = fixed(tmp_path, "--apply")

    assert (["done"], ["same"]) == tuple([step["status"] for step in run["plan"]] for run in (first, second))
    assert not second["applied"]


def test_files_beside_a_transcript(tmp_path: Path) -> None:
    """A repaired copy gets the agents and results of tools too."""
    begun = draft()
    begun.join(begun.agent("Look", "Look at it"), "Seen.")
    path = begun.write(home(tmp_path))
    path.write_bytes(path.read_bytes() + bytes(500))
    settled(tmp_path)

    done = fixed(tmp_path, "--apply")

    assert {"done"} == {step["status"] for step in done["plan"]}
    (copy,) = [Path(step["to"]) for step in done["plan"] if step["action"] == "write"]
    assert [1, 1] == [len(list(one.with_suffix("").rglob("agent-*.jsonl"))) for one in (path, copy)]


def test_nothing_to_mend(tmp_path: Path) -> None:
    """A sound home needs no repair, and --apply without --fix is wrong use."""
    draft().write(home(tmp_path))

    assert (0, "Nothing that doctor can repair.\n") == said("--root", tmp_path, "doctor", "--fix")[:2]
    assert 2 == said("--root", tmp_path, "doctor", "--apply")[0]


def test_the_share_that_a_resume_reaches(tmp_path: Path) -> None:
    """The share counts messages from the break to the end."""
    STORIES["16 chain breaks"].build(tmp_path)
    (found,) = told(tmp_path, "doctor", "--kind", "chain")["findings"]

    assert "reaches 4 of 60 messages (6.67 %)" in found["text"]
    assert UUID == found["session"]


def test_an_answer_without_a_parent(tmp_path: Path) -> None:
    """A copy links an answer that names no parent to the record before it; a prompt without one starts anew."""
    found = records(40)
    spoken = said_in(found)
    spoken[-4]["parentUuid"] = OTHER
    spoken[21]["parentUuid"] = spoken[10]["parentUuid"] = None
    transcript(tmp_path, found)
    settled(tmp_path)

    copy = Path(fixed(tmp_path, "--apply")["plan"][0]["to"])
    parents = {item.get("uuid"): item.get("parentUuid") for item in map(json.loads, copy.read_bytes().splitlines())}

    assert ("assistant", "user") == (spoken[21]["type"], spoken[10]["type"])
    assert parents[spoken[21]["uuid"]] in parents
    assert parents[spoken[10]["uuid"]] is None
    assert [] == told(tmp_path, "doctor", "--session", copy.stem, "--kind", "chain")["findings"]
