"""Damage in a segment costs the frames that it hits: reading goes on behind them, and repair copies them again."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from command import said
from make import UUID, Draft, home

from backscroll.archive.verify import verify
from backscroll.formats.archive import frames
from backscroll.library import Library
from backscroll.stores.archived import SEGMENTS, KeptFile, rows_of

WORDS = ["okapi", "zebra", "llama", "camel"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with a session that the archive has in four frames, and that is gone."""
    directory = home(tmp_path / "root")
    draft = Draft(UUID, "/home/ann/app")
    for word in WORDS:
        draft.prompt(f"feed the {word}").answer("On it.").write(directory)
        assert 0 == said("--root", directory, "archive", "sync")[0]
    return directory


def transcript(root: Path) -> Path:
    """Return the place of the session's transcript."""
    return root / ".claude/projects/-home-ann-app" / f"{UUID}.jsonl"


def part_of(root: Path) -> Path:
    """Return the part of the archive that belongs to a root."""
    with Library(root) as library:
        return library.archive_part()


def kept(root: Path) -> tuple[Path, KeptFile]:
    """Return the segment of the session, and its row."""
    (row,) = [row for row in rows_of(part_of(root)) if row.kind == "transcript"]
    return part_of(root) / SEGMENTS / row.segment, row


def starts(path: Path) -> list[int]:
    """Return the offsets of the headers of a segment, and its end."""
    with path.open("rb") as file:
        return [frame.start for frame in frames(file)] + [path.stat().st_size]


def flip(path: Path, place: int) -> None:
    """Change one bit of a file."""
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)


def answer(root: Path, *words: str | Path) -> Any:
    """Return the JSON answer of a command that must succeed."""
    code, out, err = said("--root", root, *words, "--json")
    assert 0 == code, err
    return json.loads(out)


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("place", [1, 40, -2], ids=["magic number", "header", "frame"])
def test_reading_goes_on_behind_a_lost_frame(root: Path, number: int, place: int) -> None:
    """A bad bit in one frame costs the messages of that frame; those before and behind it are shown."""
    path, row = kept(root)
    whole, ends = transcript(root).read_bytes(), starts(path)
    transcript(root).unlink()
    flip(path, ends[number] + place if place > 0 else ends[number + 1] + place)
    shown = answer(root, "show", UUID)
    (damage,) = shown["damage"]
    texts = [part["text"] for message in shown["messages"] for part in message["parts"]]

    lost = [f"feed the {word}" in " ".join(texts) for word in WORDS]
    assert [at != number for at in range(4)] == lost
    first = whole.index(f"feed the {WORDS[number]}".encode())
    extent = range(damage["place"]["offset"], damage["place"]["offset"] + damage["place"]["length"])
    assert (str(path), True) == (damage["place"]["path"], first in extent)
    assert row.length == len(b"".join(Library(root).raw(UUID)))
    assert 4 == said("--root", root, "archive", "restore", UUID, "--apply")[0]


def test_several_lost_frames_are_named(root: Path) -> None:
    """`verify` names each bad header with its offset; `repair` copies the session again from the live file."""
    path, row = kept(root)
    ends = starts(path)
    for number in (0, 2):
        flip(path, ends[number] + 40)
    damage = verify(part_of(root)).damage
    assert [(ends[0], ends[1] - ends[0]), (ends[2], ends[3] - ends[2])] == [
        (one.place.offset, one.place.length) for one in damage
    ]
    mended = answer(root, "archive", "repair", "--apply")

    assert (True, []) == (mended["applied"], mended["lost"])
    assert verify(part_of(root), read_data=True).ok
    assert row.whole == kept(root)[1].whole
    assert 0 == answer(root, "archive", "sync")["added"]


def test_bytes_that_stay_lost(root: Path) -> None:
    """Without a live file the lost range is told by file, begin and end; `verify` goes on finding it."""
    path, _ = kept(root)
    whole, ends = transcript(root).read_bytes(), starts(path)
    transcript(root).unlink()
    flip(path, ends[1] + 40)
    first, behind = (whole.index(f"feed the {word}".encode()) for word in WORDS[1:3])
    for _ in range(2):
        code, out, _ = said("--root", root, "archive", "repair", "--apply", "--json")
        (lost,) = json.loads(out)["lost"]
        assert (5, str(transcript(root))) == (code, lost["path"])
        assert lost["offset"] < first < lost["offset"] + lost["length"] < behind
    assert not verify(part_of(root)).ok


def test_a_bad_header_in_a_lost_catalogue(root: Path) -> None:
    """Headers and catalogue damaged together: the session keeps its other frames, and goes on growing."""
    path, _ = kept(root)
    flip(path, starts(path)[1] + 40)
    (part_of(root) / "catalogue.db").unlink()
    with transcript(root).open("ab") as file:
        file.write(b'{"type":"x"}\n')
    answer(root, "archive", "sync")
    assert 0 == said("--root", root, "archive", "repair", "--apply")[0]

    assert verify(part_of(root), read_data=True).ok
    current = [row for row in rows_of(part_of(root)) if row.path == os.fsencode(transcript(root))][-1]
    assert transcript(root).stat().st_size == current.length
