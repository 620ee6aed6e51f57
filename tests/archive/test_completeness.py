"""A sync takes everything that the issue of losses names, never a secret, and a restore gives all of it back."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest
from chance import chance
from command import said
from make import UUID, Draft, home, inside, manifest, row, write_desktop, write_side

from backscroll.archive import merge
from backscroll.archive import sync as syncing
from backscroll.archive.sync import sync
from backscroll.archive.verify import verify
from backscroll.library import Library
from backscroll.stores.archived import KeptFile, open_kept, rows_of
from backscroll.stores.find import find_stores

OTHER = "11111111-2222-4333-8444-555555555555"


def content(part: Path, kept: KeptFile) -> bytes:
    """Return the bytes of a version."""
    with open_kept(part, kept) as file:
        return file.read()


def contents(part: Path) -> dict[str, bytes]:
    """Return the current bytes of every path in the archive."""
    return {os.fsdecode(kept.path): content(part, kept) for kept in rows_of(part)}


def test_outputs_and_uploads_of_cowork(tmp_path: Path) -> None:
    """Files that a Cowork session made or was given are kept, up to 64 MB."""
    root, part = home(tmp_path / "root"), tmp_path / "part"
    place = manifest(root, cliSessionId=UUID)
    made = inside(place, "outputs/deep/report.md", b"tides")
    given = inside(place, "uploads/data.csv", b"1,2")
    large = inside(place, "outputs/film.mp4")
    os.truncate(large, 64_000_001)
    report = sync(find_stores(root, {}), part)
    kept = contents(part)

    assert [b"tides", b"1,2", None] == [kept.get(str(path)) for path in (made, given, large)]
    assert [(str(large), "larger than 64 MB")] == [(one.path, one.reason) for one in report.skipped]
    assert (len(kept), 0) == (report.versions, sync(find_stores(root, {}), part).added)


def test_browser_facts(tmp_path: Path) -> None:
    """Pins are kept as lines when they change; the storage itself and its other values are not."""
    root, part = write_desktop(home(tmp_path / "root"), "sk-hidden"), tmp_path / "part"
    sync(find_stores(root, {}), part)
    (path,) = [path for path in contents(part) if path.endswith("#browser-facts.jsonl")]
    first = contents(part)[path]
    told = {line["fact"]: line["value"] for line in map(json.loads, first.splitlines())}
    assert [f"local_{UUID}"] == told["pinned"]
    assert not any(b"sk-hidden" in data for name, data in contents(part).items() if "Claude/" not in name)

    shutil.rmtree(root / ".config/Claude/Local Storage")
    sync(find_stores(root, {}), part)
    second = contents(part)[path]
    assert second.startswith(first)
    sync(find_stores(root, {}), part)
    assert (second, 1) == (contents(part)[path], len([one for one in rows_of(part) if path == os.fsdecode(one.path)]))


def big_session(random: Random) -> Draft:
    """Return a session with much text that does not compress."""
    draft = Draft(UUID, "/home/ann/app")
    for _ in range(40):
        draft.prompt(random.randbytes(2000).hex()).answer(random.randbytes(2000).hex())
    return draft


@pytest.mark.parametrize("is_first", [True, False], ids=["with its parent", "after its parent"])
def test_a_fork_is_a_patch_of_its_parent(tmp_path: Path, *, is_first: bool) -> None:
    """A fork takes hardly any room, reads like any file, and goes on growing; its parent may grow too."""
    root, part = home(tmp_path / "root"), tmp_path / "part"
    draft = big_session(chance(20))
    parent = draft.write(root)
    if not is_first:
        sync(find_stores(root, {}), part)
    fork = draft.fork("00000000-1111-4111-8111-111111111111").prompt("other way").write(root)
    report = sync(find_stores(root, {}), part)
    kept = {os.fsdecode(one.path): one for one in rows_of(part)}
    assert kept[str(parent)].segment == kept[str(fork)].parent
    assert kept[str(fork)].stored < kept[str(parent)].stored / 10
    assert report.added == (2 if is_first else 1)

    for path in (fork, parent):
        with path.open("ab") as file:
            file.write(b'{"type":"x"}\n')
    sync(find_stores(root, {}), part)
    assert {str(path): path.read_bytes() for path in (parent, fork)} == contents(part)
    assert verify(part, read_data=True).ok
    (part / "catalogue.db").unlink()
    sync(find_stores(root, {}), part)
    assert kept[str(fork)].parent in {one.parent for one in rows_of(part)}
    with Library(root) as library:
        library.archive_sync()
        fork.unlink()
        assert library.show("00000000").session.state == "kept"


def test_small_frames_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small frames become one when the session is idle; a busy one and a damaged one stay as they are."""
    root, part = home(tmp_path / "root"), tmp_path / "part"
    path = Draft(UUID, "/home/ann/app").prompt("feed the okapi").write(root)
    for number in range(12):
        with path.open("ab") as file:
            file.write(b'{"type":"x","n":%d}\n' % number)
        sync(find_stores(root, {}), part)
    (before,) = rows_of(part)
    monkeypatch.setattr(merge, "IDLE", -(1 << 62))
    monkeypatch.setattr(syncing, "SETTLED", -(1 << 62))
    sync(find_stores(root, {}), part)
    (after,) = rows_of(part)

    assert before.frames > 8
    assert (1, before.whole, True) == (after.frames, after.whole, after.stored < before.stored)
    assert path.read_bytes() == content(part, after)
    assert verify(part, read_data=True).ok


def test_small_frames_of_a_fork_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork stays a patch of its parent, and the `zstd` tool alone unpacks it."""
    root, part = home(tmp_path / "root"), tmp_path / "part"
    draft = big_session(chance(21))
    parent, fork = draft.write(root), draft.fork(OTHER).prompt("other way").write(root)
    sync(find_stores(root, {}), part)
    for number in range(12):
        with fork.open("ab") as file:
            file.write(b'{"type":"x","n":%d}\n' % number)
        sync(find_stores(root, {}), part)
    before = next(one for one in rows_of(part) if one.parent)
    monkeypatch.setattr(merge, "IDLE", -(1 << 62))
    monkeypatch.setattr(syncing, "SETTLED", -(1 << 62))
    sync(find_stores(root, {}), part)
    after = next(one for one in rows_of(part) if one.session == OTHER)

    assert (13, 1, before.parent) == (before.frames, after.frames, after.parent)
    assert after.stored < before.stored < parent.stat().st_size / 10
    assert fork.read_bytes() == content(part, after)
    assert verify(part, read_data=True).ok
    if (zstd := shutil.which("zstd")) is not None:
        line = [zstd, "-dcq", f"--patch-from={parent}", str(part / "segments" / after.segment)]
        assert fork.read_bytes() == subprocess.run(line, check=True, capture_output=True).stdout


def test_both_live_and_kept(tmp_path: Path) -> None:
    """A live session that the archive has names it among its stores, and `--store archive` finds it."""
    root = home(tmp_path / "root")
    Draft(UUID, "/home/ann/app").prompt("feed the okapi").write(root)
    with Library(root) as library:
        library.archive_sync()
        Draft(OTHER, "/home/ann/app").prompt("new").write(root)
        found = {session.id: session.stores for session in library.list_sessions().sessions}
        listed = library.list_sessions(store="archive").sessions

    assert {UUID: ["archive", "code"], OTHER: ["code"]} == found
    assert [UUID] == [session.id for session in listed]


def test_a_restore_brings_row_plan_and_outputs(tmp_path: Path) -> None:
    """Desktop's row, the plan and Cowork's outputs come back with the session; a deleted row does not."""
    root = home(tmp_path / "root")
    draft = Draft(UUID, "/home/ann/app").prompt("feed the okapi").answer("On it.")
    path = draft.write(root)
    path.write_bytes(path.read_bytes() + b'{"type":"system","slug":"calm-river","sessionId":"%s"}\n' % UUID.encode())
    write_side(root, "plans/calm-river.md", b"# Plan")
    write_side(root, "plans/other.md", b"# Other")
    code_row = row(root, cliSessionId=UUID)
    cowork_row = manifest(root, "88888888-9999-4999-8999-999999999999", cliSessionId=UUID)
    made = inside(cowork_row, "outputs/report.md", b"tides")
    assert 0 == said("--root", root, "archive", "sync")[0]
    gone = {one: one.read_bytes() for one in (path, code_row, cowork_row, made, root / ".claude/plans/calm-river.md")}
    for one in gone:
        one.unlink()
    (code_row.parent / f"deleted_{code_row.stem}").write_text("1780000000000")
    code, out, err = said("--root", root, "archive", "restore", UUID, "--apply", "--json")

    assert 0 == code, err
    assert {"done", "skipped"} == {step["status"] for step in json.loads(out)["plan"]}
    assert {one: data for one, data in gone.items() if one != code_row} == {
        one: one.read_bytes() for one in gone if one.exists()
    }
    assert 0 == said("--root", root, "transfer", "undo")[0]
    assert not any(one.exists() for one in gone)


@pytest.mark.slow
@pytest.mark.corpus
def test_the_whole_corpus_comes_back(tmp_path: Path, corpus: Path) -> None:
    """Every session of the corpus is deleted and restored: all bytes are the same."""
    root = tmp_path / "home"
    shutil.copytree(corpus / "home", root, copy_function=shutil.copyfile)
    for path in [root, *root.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    with Library(root) as library:
        library.archive_sync()
        before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
        sessions = [one.id for one in library.archive_list(limit=None).sessions]
        for place in root.rglob("projects"):
            shutil.rmtree(place)
        assert len(sessions) == library.list_sessions(state="kept").total
        restored = library.archive_restore(sessions, apply=True)

    assert {"done"} <= {step.status for step in restored.changes.steps} <= {"done", "same"}
    lost = {path for path, data in before.items() if not path.exists() or path.read_bytes() != data}
    assert set() == lost
