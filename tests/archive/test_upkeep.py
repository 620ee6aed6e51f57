"""Prune, repair, mirror and import: nothing that is needed goes, and damage is mended or named."""

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from command import said
from make import UUID, Draft, fingerprint, home

from backscroll.archive import part as parts
from backscroll.archive.verify import verify
from backscroll.stores.archived import rows_of

OTHER = "11111111-2222-4333-8444-555555555555"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with a session and a fork of it, which the archive has."""
    directory = home(tmp_path / "user")
    draft = Draft(UUID, "/home/ann/app").prompt("feed the okapi").answer("On it.")
    draft.write(directory)
    draft.fork(OTHER).prompt("and the zebra").write(directory)
    done("--root", directory, "archive", "sync")
    return directory


def done(*words: str | Path) -> Any:
    """Run a command that must succeed, and return its answer."""
    code, answer = asked(*words)
    assert 0 == code, answer
    return answer


def asked(*words: str | Path) -> tuple[int, Any]:
    """Run a command, and return its exit code and its answer."""
    code, out, err = said(*words, "--json")
    return code, json.loads(out) if out else err


def transcript(root: Path, session: str = UUID) -> Path:
    """Return the transcript of a session."""
    (found,) = root.rglob(f"{session}.jsonl")
    return found


def part_of(root: Path) -> Path:
    """Return the part of the archive that belongs to a root."""
    return Path(done("--root", root, "archive", "status")["path"])


def segment(root: Path, session: str = UUID) -> Path:
    """Return the segment of a session's newest transcript."""
    rows = [row for row in rows_of(part_of(root)) if row.session == session and row.kind == "transcript"]
    return part_of(root) / "segments" / rows[-1].segment


def flip(path: Path, place: int = -3) -> None:
    """Change one bit of a file."""
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)


def test_a_prefix_is_never_pruned(root: Path) -> None:
    """The parent of a fork stays as long as the fork does; both go together, and undo brings both back."""
    assert rows_of(part_of(root))[0].parent or rows_of(part_of(root))[1].parent
    for session in (UUID, OTHER):
        transcript(root, session).unlink()
    plan = done("--root", root, "archive", "prune", "--session", UUID)
    assert [("skipped", "1 other file needs it as a prefix")] == [(one["status"], one["why"]) for one in plan["plan"]]

    before = verify(part_of(root), read_data=True)
    both = ("--root", root, "archive", "prune", "--session", UUID, "--session", OTHER)
    plan = done(*both)
    assert (False, 2) == (plan["applied"], len(plan["plan"]))
    pruned = done(*both, "--apply")
    assert (True, before.bytes) == (pruned["applied"], pruned["bytes"])
    assert (0, []) == (done("--root", root, "list")["total"], rows_of(part_of(root)))
    done("--root", root, "transfer", "undo")
    done("--root", root, "archive", "sync")
    assert before == verify(part_of(root), read_data=True)
    assert 2 == done("--root", root, "list", "--state", "kept")["total"]


def test_a_prefix_stays_for_a_live_fork(root: Path) -> None:
    """The parent of a fork stays if a rule names both and the fork stays because its file is still there."""
    assert OTHER == next(row.session for row in rows_of(part_of(root)) if row.parent)
    transcript(root).unlink()
    done("--root", root, "archive", "sync")
    pruned = done("--root", root, "archive", "prune", "--older-than", "2100-01-01", "--apply")
    live = "its file is still there, and the next sync would copy it again"
    assert {"1 other file needs it as a prefix", live} == {one["why"] for one in pruned["plan"]}
    assert {"skipped"} == {one["status"] for one in pruned["plan"]}
    transcript(root, OTHER).unlink()
    assert verify(part_of(root), read_data=True).ok
    done("--root", root, "archive", "restore", OTHER, "--apply")


def test_prune_rules(root: Path) -> None:
    """Rules are combined; a live file stays; no rule at all is wrong use."""
    path = transcript(root, OTHER)
    path.write_bytes(path.read_bytes().replace(b"zebra", b"llama"))
    done("--root", root, "archive", "sync")
    plan = done("--root", root, "archive", "prune", "--superseded", "--session", UUID)
    assert [] == plan["plan"]
    assert [] == done("--root", root, "archive", "prune", "--superseded", "--older-than", "1990-01-01")["plan"]
    live = done("--root", root, "archive", "prune", "--session", UUID)["plan"]
    assert ["skipped"] == [one["status"] for one in live]
    assert 2 == said("--root", root, "archive", "prune")[0]
    assert 1 == said("--root", root, "archive", "prune", "--session", "nobody")[0]

    old = done("--root", root, "archive", "prune", "--superseded", "--apply")
    assert (True, 1) == (old["applied"], len(old["plan"]))
    assert [2] == [row.version for row in rows_of(part_of(root)) if row.session == OTHER]
    assert verify(part_of(root), read_data=True).ok


def test_the_bin_is_emptied_after_30_days(root: Path) -> None:
    """A pruned segment is in the bin for 30 days."""
    transcript(root, OTHER).unlink()
    done("--root", root, "archive", "prune", "--session", OTHER, "--apply")
    (binned,) = (part_of(root) / "bin").rglob("*.zst")
    with parts.opened_part(part_of(root)) as part:
        part.empty_bin(time.time() + 29 * 86400)
        assert binned.exists()
        part.empty_bin(time.time() + 32 * 86400)
    assert [] == list((part_of(root) / "bin").iterdir())


def test_repair_from_live_files(root: Path) -> None:
    """A damaged, a missing and a cut segment are copied again; undo gives the damaged ones back."""
    flip(segment(root))
    segment(root, OTHER).unlink()
    good = {row.segment: row.whole for row in rows_of(part_of(root))}
    assert 5 == said("--root", root, "archive", "verify", "--read-data")[0]
    before = fingerprint(part_of(root))
    plan = done("--root", root, "archive", "repair")
    assert ({"planned"}, []) == ({step["status"] for step in plan["plan"]}, plan["lost"])
    assert before == fingerprint(part_of(root))

    mended = done("--root", root, "archive", "repair", "--apply")
    assert (True, {"done"}) == (mended["applied"], {step["status"] for step in mended["plan"]})
    assert good == {row.segment: row.whole for row in rows_of(part_of(root))}
    assert verify(part_of(root), read_data=True).ok
    assert [] == done("--root", root, "archive", "repair")["plan"]
    done("--root", root, "transfer", "undo")
    assert not verify(part_of(root), read_data=True).ok


def test_a_repaired_prefix_mends_its_forks(root: Path) -> None:
    """A fork whose file is gone is whole again once its parent is copied again."""
    kept = transcript(root, OTHER).read_bytes()
    transcript(root, OTHER).unlink()
    flip(segment(root))
    mended = done("--root", root, "archive", "repair", "--apply")
    assert ([], 1) == (mended["lost"], len(mended["plan"]))
    done("--root", root, "archive", "restore", OTHER, "--apply")

    assert kept == transcript(root, OTHER).read_bytes()


def test_lost_bytes_are_named(root: Path) -> None:
    """Damage that no live file can mend is named by file and byte, with exit 5."""
    path = transcript(root)
    first = path.stat().st_size
    with path.open("ab") as file:
        file.write(b'{"type":"x"}\n')
    done("--root", root, "archive", "sync")
    flip(segment(root))
    path.unlink()
    code, mended = asked("--root", root, "archive", "repair", "--apply")

    assert (5, [(str(path), first)]) == (code, [(one["path"], one["offset"]) for one in mended["lost"]])
    assert "lost:" in said("--root", root, "archive", "repair")[1]


def test_the_catalogue_is_repaired(root: Path) -> None:
    """A catalogue that is no database is made again from the headers, with damage in a segment beside it."""
    before = [(row.path, row.version, row.whole, row.parent) for row in rows_of(part_of(root))]
    flip(segment_named(root), 20)
    place = part_of(root)
    (place / "catalogue.db").write_bytes(b"no database at all")
    assert [5, 5] == [asked("--root", root, "archive", word)[0] for word in ("status", "verify")]
    mended = done("--root", root, "archive", "repair", "--apply")
    done("--root", root, "archive", "sync")

    assert "done" == mended["plan"][-1]["status"]
    after = {(row.path, row.whole) for row in rows_of(part_of(root))}
    assert {(path, whole) for path, _, whole, _ in before} == after
    assert verify(part_of(root), read_data=True).ok


def test_a_lost_catalogue_is_told(root: Path) -> None:
    """An archive without its catalogue is damaged, not empty, and repair brings it back."""
    for session in (UUID, OTHER):
        transcript(root, session).unlink()
    place = part_of(root)
    (place / "catalogue.db").unlink()
    assert [5, 5] == [asked("--root", root, "archive", word)[0] for word in ("status", "verify")]
    code, _, err = said("--root", root, "list", "--strict")
    assert (3, True) == (code, "1 damaged place" in err)
    (finding,) = done("--root", root, "doctor", "--kind", "archive")["findings"]
    assert ("error", True) == (finding["severity"], finding["remedy"].endswith("archive repair"))

    done("--root", root, "archive", "repair", "--apply")
    assert "2 sessions, 2 files, 2 versions" in said("--root", root, "archive", "status")[1]
    assert 2 == done("--root", root, "list", "--state", "kept")["total"]


@pytest.mark.parametrize("name", [".claude/settings.json", ".claude/settings.local.json", ".claude.json"])
def test_damaged_facts_are_copied_again(root: Path, name: str) -> None:
    """The kept fields of a settings file are repaired from the file, if it still has the same values."""
    (root / name).write_text('{"model": "opus", "projects": {"/home/ann/app": {}}}')
    done("--root", root, "archive", "sync")
    pack = next((part_of(root) / "segments").glob("pack-*.zst"))
    (row,) = [row for row in rows_of(part_of(root)) if row.kind == "fields"]
    flip(pack, row.end - 3)
    assert 5 == asked("--root", root, "archive", "verify", "--read-data")[0]

    mended = done("--root", root, "archive", "repair", "--apply")
    assert ([], ["done"]) == (mended["lost"], [step["status"] for step in mended["plan"]])
    assert verify(part_of(root), read_data=True).ok


def segment_named(root: Path) -> Path:
    """Return a segment without a prefix."""
    paths = sorted((part_of(root) / "segments").glob("*.zst"))
    return next(path for path in paths if b'"parent"' not in path.read_bytes())


def test_mirror(root: Path, tmp_path: Path) -> None:
    """A mirror is an archive of its own; it takes new bytes, `--verify` finds damage, and `--apply` mends it."""
    target = tmp_path / "disk"
    code, _ = asked("--root", root, "archive", "mirror", target)
    assert 4 == code, "the disk is not there"
    target.mkdir()
    plan = done("--root", root, "archive", "mirror", target)
    assert (False, {"planned"}, []) == (
        plan["applied"],
        {one["status"] for one in plan["plan"]},
        list(target.iterdir()),
    )
    copied = done("--root", root, "archive", "mirror", target, "--apply", "--verify")
    place = Path(copied["target"])
    assert (2, verify(place).bytes, []) == (copied["copied"], copied["bytes"], copied["damage"])
    assert {0o600} == {path.stat().st_mode & 0o777 for path in place.rglob("*") if path.is_file()}

    with transcript(root).open("ab") as file:
        file.write(b'{"type":"x"}\n')
    done("--root", root, "archive", "sync")
    assert 1 == done("--root", root, "archive", "mirror", target, "--apply", "--verify")["copied"]
    whole = {row.path: row.whole for row in rows_of(part_of(root))}
    assert whole == {row.path: row.whole for row in rows_of(place)}
    shutil.rmtree(part_of(root))
    shutil.copytree(place, part_of(root))
    assert 2 == done("--root", root, "archive", "list")["total"], "a copy of the mirror takes the place of the archive"
    done("--root", root, "archive", "sync")
    flip(next(place.glob("segments/*.zst")))
    assert 5 == asked("--root", root, "archive", "mirror", target, "--verify")[0]
    mended = done("--root", root, "archive", "mirror", target, "--apply", "--verify")
    assert (1, []) == (mended["copied"], mended["damage"]), "a damaged copy is copied again"
    assert verify(place, read_data=True).ok
    for wrong in (part_of(root), root / ".claude"):
        assert 4 == asked("--root", root, "archive", "mirror", wrong, "--apply")[0]


def test_a_damaged_segment_is_not_mirrored(root: Path, tmp_path: Path) -> None:
    """A good copy in the mirror is not replaced by a damaged one."""
    target = tmp_path / "disk"
    target.mkdir()
    flip(segment(root))
    code, copied = asked("--root", root, "archive", "mirror", target, "--apply")

    assert (4, {"failed"}) == (code, {one["status"] for one in copied["plan"]}), "the fork cannot be read either"


@pytest.mark.parametrize("below", ["", ".claude", ".claude/projects", "whole-disk"])
def test_import_of_a_backup(root: Path, tmp_path: Path, below: str) -> None:
    """Sessions of a backup are kept as if they lay in this home; a second import adds nothing."""
    backup = tmp_path / "backup"
    other = "22222222-2222-4333-8444-555555555555"
    place = backup / "Users/ann" if below == "whole-disk" else backup
    place.mkdir(parents=True)
    shutil.copytree(root, place, dirs_exist_ok=True)
    Draft(other, "/home/ann/old").prompt("long ago").answer("Yes.").write(place)
    kept = transcript(place, other).read_bytes()
    asked_for = backup / below if below != "whole-disk" else backup
    dry = done("--root", root, "archive", "import", asked_for, "--dry-run")
    assert 1 <= dry["added"]
    report = done("--root", root, "archive", "import", asked_for)
    assert (1, len(kept), 3, 3) == (report["added"], report["bytes"], report["sessions"], report["versions"])
    assert 0 == done("--root", root, "archive", "import", asked_for)["added"]

    assert [other] == [one["id"] for one in done("--root", root, "list", "--state", "kept")["sessions"]]
    done("--root", root, "archive", "restore", other, "--apply")
    assert kept == (root / ".claude/projects/-home-ann-old" / f"{other}.jsonl").read_bytes()


def test_import_of_older_and_longer_files(root: Path, tmp_path: Path) -> None:
    """An older backup of the same file adds nothing, a longer one its end, and another one a version."""
    path, backup = transcript(root), tmp_path / "backup"
    shutil.copytree(root, backup)
    copy, live = transcript(backup), path.read_bytes()
    copy.write_bytes(live[: len(live) // 2])
    assert 0 == done("--root", root, "archive", "import", backup)["added"]
    copy.write_bytes(live + b'{"type":"late"}\n')
    assert len(live) + 16 == done("--root", root, "archive", "import", backup)["bytes"]
    copy.write_bytes(live.replace(b"okapi", b"camel"))
    assert 1 == done("--root", root, "archive", "import", backup)["added"]
    assert 0 == done("--root", root, "archive", "sync")["added"]

    current = [row for row in rows_of(part_of(root)) if row.path == os.fsencode(path)][-1]
    assert (1, 3) == (current.version, len([row for row in rows_of(part_of(root)) if row.path == current.path]))
    assert 1 == asked("--root", root, "archive", "import", tmp_path / "nothing")[0]
    (tmp_path / "empty").mkdir()
    assert 1 == asked("--root", root, "archive", "import", tmp_path / "empty")[0]
