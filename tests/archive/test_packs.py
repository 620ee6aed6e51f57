"""Small files share packs: each is one frame, and is read, pruned, repaired and mirrored by itself."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from chance import chance
from command import said
from make import UUID, Draft, home, write_side

from backscroll.archive import part as parts
from backscroll.archive import sync as syncing
from backscroll.archive.sync import LARGEST_PACKED, sync
from backscroll.archive.verify import verify
from backscroll.formats.archive import Frame, Gap, frames, pieces
from backscroll.library import Library
from backscroll.stores.archived import SEGMENTS, KeptFile, open_kept, rows_of
from backscroll.stores.find import find_stores

OTHERS = [f"{number:08}-1111-4111-8111-111111111111" for number in range(5)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with a session and the small files of five more."""
    directory = home(tmp_path / "root")
    Draft(UUID, "/home/ann/app").prompt("feed the okapi").answer("On it.").write(directory)
    for name in OTHERS:
        write_side(directory, f"todos/{name}-agent-{name}.json", f'[{{"content":"{name}"}}]'.encode())
    assert 0 == said("--root", directory, "archive", "sync")[0]
    return directory


def part_of(root: Path) -> Path:
    """Return the part of the archive that belongs to a root."""
    with Library(root) as library:
        return library.archive_part()


def todo(root: Path, number: int) -> Path:
    """Return the list of one session."""
    return root / ".claude/todos" / f"{OTHERS[number]}-agent-{OTHERS[number]}.json"


def packs(root: Path) -> list[Path]:
    """Return the packs of a root."""
    return sorted((part_of(root) / SEGMENTS).glob("pack-*.zst"))


def rows_at(root: Path, path: Path) -> list[KeptFile]:
    """Return all versions of a file."""
    return [row for row in rows_of(part_of(root)) if row.path == os.fsencode(path)]


def content(root: Path, row: KeptFile) -> bytes:
    """Return the bytes of a version."""
    with open_kept(part_of(root), row) as file:
        return file.read()


def flip(path: Path, place: int) -> None:
    """Change one bit of a file."""
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)


def is_whole(root: Path) -> bool:
    """Return True if every byte of the archive is right."""
    return verify(part_of(root), read_data=True).ok


def answer(root: Path, *words: str | Path) -> Any:
    """Return the JSON answer of a command that must succeed."""
    code, out, err = said("--root", root, *words, "--json")
    assert 0 == code, err
    return json.loads(out)


def synced(root: Path) -> Any:
    """Sync, and return the report."""
    return answer(root, "archive", "sync")


def test_small_files_share_a_pack(root: Path) -> None:
    """The small files of many sessions are one file of the archive; a transcript has its own, however small."""
    assert 1 == len(packs(root))
    assert 2 == len(list((part_of(root) / SEGMENTS).iterdir()))
    for number in range(5):
        (row,) = rows_at(root, todo(root, number))
        assert todo(root, number).read_bytes() == content(root, row)
    assert is_whole(root)


def test_a_rewritten_small_file_gets_one_more_frame(root: Path) -> None:
    """The new version goes into the same pack, and the old one stays readable."""
    first = todo(root, 2).read_bytes()
    todo(root, 2).write_bytes(b"[]")
    assert 1 == synced(root)["added"]

    assert 1 == len(packs(root))
    assert [first, b"[]"] == [content(root, row) for row in rows_at(root, todo(root, 2))]


def test_a_small_file_that_grows_leaves_the_pack(root: Path) -> None:
    """A file that grows gets a segment of its own, once; after that only its new bytes are added."""
    path = todo(root, 1)
    first = path.read_bytes()
    path.write_bytes(first + b" ")
    synced(root)
    path.write_bytes(first + b"  ")
    assert 1 == synced(root)["bytes"]

    rows = rows_at(root, path)
    assert [(True, first), (False, first + b"  ")] == [(row.is_packed, content(root, row)) for row in rows]
    assert 2 == rows[-1].frames


@pytest.mark.parametrize("size", [LARGEST_PACKED, LARGEST_PACKED + 1])
def test_the_limit(size: int, tmp_path: Path) -> None:
    """A file of 64 KiB is packed, a larger one is not."""
    root = home(tmp_path / "root")
    write_side(root, "plans/calm.md", b"x" * size)
    synced(root)

    assert (size == LARGEST_PACKED) == bool(packs(root))
    assert is_whole(root)


def test_a_full_pack_gets_no_more_frames(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a pack has its size, the next small file begins another one."""
    monkeypatch.setattr(parts, "PACK_BYTES", 1)
    for number in range(3):
        todo(root, number).write_bytes(b"[]")
    synced(root)

    assert 4 == len(packs(root))
    assert is_whole(root)


def test_the_catalogue_is_made_again_from_packs(root: Path) -> None:
    """Without its catalogue a sync finds every packed version by its header, and copies nothing."""
    todo(root, 0).write_bytes(b"[]")
    synced(root)
    before = {(row.path, row.version, row.whole, row.at) for row in rows_of(part_of(root))}
    (part_of(root) / "catalogue.db").unlink()
    assert 0 == synced(root)["added"]

    assert before == {(row.path, row.version, row.whole, row.at) for row in rows_of(part_of(root))}


def test_a_torn_frame_begins_another_pack(root: Path) -> None:
    """The end that a killed sync left in a pack is no damage; the next small file goes elsewhere."""
    (pack,) = packs(root)
    with pack.open("ab") as file:
        file.write(pack.read_bytes()[:100])
    assert is_whole(root)
    todo(root, 0).write_bytes(b"[]")
    synced(root)

    assert 2 == len(packs(root))
    assert b"[]" == content(root, rows_at(root, todo(root, 0))[-1])


def test_prune_takes_one_small_file_out_of_a_pack(root: Path) -> None:
    """The others stay readable; undo brings the pruned one back, however much was synced since."""
    gone, data = todo(root, 3), todo(root, 3).read_bytes()
    gone.unlink()
    asked = ("archive", "prune", "--session", OTHERS[3])
    assert 1 == said("--root", root, *asked)[0], "a session without a transcript is no session"
    old = ("archive", "prune", "--older-than", "2999-01-01")
    plan = answer(root, *old)["plan"]
    assert [("move", "planned")] == [(step["action"], step["status"]) for step in plan if step["status"] == "planned"]
    assert str(gone) in next(step["why"] for step in plan if step["status"] == "planned")
    answer(root, *old, "--apply")
    assert [] == rows_at(root, gone)
    assert [todo(root, 4).read_bytes()] == [content(root, row) for row in rows_at(root, todo(root, 4))]
    assert is_whole(root)

    todo(root, 0).write_bytes(b"[]")
    synced(root)
    assert 0 == said("--root", root, "transfer", "undo")[0]
    synced(root)
    assert [data] == [content(root, row) for row in rows_at(root, gone)]
    assert 2 == len(rows_at(root, todo(root, 0)))
    assert is_whole(root)


def test_prune_of_a_whole_pack(root: Path) -> None:
    """If every small file goes, the pack itself moves to the bin."""
    for number in range(5):
        todo(root, number).unlink()
    answer(root, "archive", "prune", "--older-than", "2999-01-01", "--apply")

    assert [] == packs(root)
    assert 1 == len(list((part_of(root) / "bin").rglob("pack-*.zst")))
    assert is_whole(root)


@pytest.mark.parametrize("fault", ["frame", "header", "short", "gone", "nothing left"])
def test_repair_of_a_pack(root: Path, fault: str) -> None:
    """Damaged small files are copied again from live ones; the others in the pack keep their bytes."""
    (pack,) = packs(root)
    row = rows_at(root, todo(root, 2))[0]
    if fault == "gone":
        pack.unlink()
    elif fault == "short":
        os.truncate(pack, row.at + 30)
    elif fault == "nothing left":
        pack.write_bytes(b"x" * pack.stat().st_size)
    else:
        flip(pack, row.end - 2 if fault == "frame" else row.at + 20)
    assert not is_whole(root)
    assert "planned" in {step["status"] for step in answer(root, "archive", "repair")["plan"]}
    mended = answer(root, "archive", "repair", "--apply")
    assert (True, []) == (mended["applied"], mended["lost"])

    assert is_whole(root)
    for number in range(5):
        (row,) = rows_at(root, todo(root, number))
        assert todo(root, number).read_bytes() == content(root, row)
    assert 0 == synced(root)["added"]


@pytest.mark.parametrize("place", [20, -2], ids=["header", "frame"])
def test_a_lost_small_file_is_named(root: Path, place: int) -> None:
    """A small file that no live one can mend is lost, and is named until it is pruned; the others are mended."""
    (pack,) = packs(root)
    lost, mended = rows_at(root, todo(root, 2))[0], rows_at(root, todo(root, 3))[0]
    for row in (lost, mended):
        flip(pack, row.at + place if place > 0 else row.end + place)
    todo(root, 2).unlink()
    for _ in range(2):
        code, out, _ = said("--root", root, "archive", "repair", "--apply")
        assert (5, True) == (code, f"lost: {todo(root, 2)} from byte 0 to {lost.length}" in out)

    (damage,) = verify(part_of(root), read_data=True).damage
    assert (str(pack), lost.at) == (damage.place.path, damage.place.offset)
    assert todo(root, 3).read_bytes() == content(root, rows_at(root, todo(root, 3))[0])
    answer(root, "archive", "prune", "--older-than", "2999-01-01", "--apply")
    assert is_whole(root)


def test_a_mirror_of_packs(root: Path, tmp_path: Path) -> None:
    """A pack is copied once, again when it grew, and not behind the last commit."""
    target = tmp_path / "disk"
    target.mkdir()
    assert 2 == answer(root, "archive", "mirror", target, "--apply", "--verify")["copied"]
    assert 0 == answer(root, "archive", "mirror", target, "--apply")["copied"]
    todo(root, 0).write_bytes(b"[]")
    synced(root)
    assert 1 == answer(root, "archive", "mirror", target, "--apply", "--verify")["copied"]
    (pack,) = packs(root)
    with pack.open("ab") as file:
        file.write(b"torn")
    todo(root, 1).write_bytes(b"[]")
    synced(root)
    copied = answer(root, "archive", "mirror", target, "--apply", "--verify")
    assert (1, []) == (copied["copied"], copied["damage"])

    (place,) = [path for path in target.iterdir() if path.is_dir()]
    assert {(row.path, row.version, row.whole) for row in rows_of(place)} == {
        (row.path, row.version, row.whole) for row in rows_of(part_of(root))
    }


def test_restore_from_a_pack(root: Path) -> None:
    """A session's small files come back with it."""
    name = f"{UUID}-agent-{UUID}.json"
    write_side(root, f"todos/{name}", b"[1]")
    synced(root)
    (transcript,) = root.rglob(f"{UUID}.jsonl")
    transcript.unlink()
    (root / ".claude/todos" / name).unlink()
    answer(root, "archive", "restore", UUID, "--apply")

    assert b"[1]" == (root / ".claude/todos" / name).read_bytes()


def test_headers_inside_archived_bytes_are_not_ours(root: Path, tmp_path: Path) -> None:
    """A small file may hold a whole pack of another archive: behind a bad header no frame of it is believed."""
    foreign = tmp_path / "foreign"
    sync(find_stores(root, {}), foreign)
    (other,) = (foreign / SEGMENTS).glob("pack-*.zst")
    with other.open("rb") as file:
        header = file.read(next(frames(file)).end)
    write_side(root, "plans/odd.md", chance(20).randbytes(60_000) + header)
    synced(root)
    (row,) = rows_at(root, root / ".claude/plans/odd.md")
    (pack,) = packs(root)
    flip(pack, row.at + 20)
    with pack.open("rb") as file:
        found = list(pieces(file, pack.name))

    assert 1 == pack.read_bytes().count(header), "zstd kept the bytes as they are"
    assert [(row.at, row.end)] == [(piece.start, piece.end) for piece in found if isinstance(piece, Gap)]
    assert len(rows_of(part_of(root))) - 2 == len([piece for piece in found if isinstance(piece, Frame)])


def test_an_archive_of_the_format_before(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive from before packs is read as it is; the next sync copies nothing again and adds packs."""
    part = tmp_path / "part"
    with monkeypatch.context() as patch:
        patch.setattr(syncing, "PACKED", frozenset())
        sync(find_stores(root, {}), part)
    with closing(sqlite3.connect(part / "catalogue.db")) as database:
        database.execute("ALTER TABLE file DROP COLUMN at")
        database.execute("UPDATE meta SET value = 2 WHERE name = 'format'")
        database.commit()
    before = rows_of(part)
    assert 6 == len({row.segment for row in before})
    assert verify(part, read_data=True).ok
    for row in before:
        with open_kept(part, row) as file:
            assert Path(os.fsdecode(row.path)).read_bytes() == file.read()

    assert 0 == sync(find_stores(root, {}), part).added
    todo(root, 0).write_bytes(b"[]")
    assert 1 == sync(find_stores(root, {}), part).added
    assert {row.segment for row in before} < {row.segment for row in rows_of(part)}
    assert verify(part, read_data=True).ok


def test_a_newer_archive_is_only_read(root: Path) -> None:
    """An archive that a newer version wrote is read, with columns that we do not know; a sync is refused with 4."""
    with closing(sqlite3.connect(part_of(root) / "catalogue.db")) as database:
        database.execute("ALTER TABLE file ADD COLUMN later DEFAULT 1")
        database.execute("UPDATE meta SET value = 99 WHERE name = 'format'")
        database.commit()

    assert 4 == said("--root", root, "archive", "sync")[0]
    assert todo(root, 0).read_bytes() == content(root, rows_at(root, todo(root, 0))[0])
    assert 6 == answer(root, "archive", "status")["files"]
