"""Following transcripts: every record once and whole, whatever happens to the file."""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from make import UUID, assistant, call, home, line, user, write_transcript

import backscroll
from backscroll.sessions.reading.follow import Follower
from backscroll.stores.code import CodeStore
from backscroll.stores.find import find_stores

BEGUN = datetime(2026, 6, 1, tzinfo=UTC)
BEFORE, AFTER = "2026-05-01T10:00:00.000Z", "2026-07-01T10:00:00.000Z"


def said(number: int, time: str = AFTER) -> bytes:
    """Return a record."""
    return line(user(f"{number:08}-0000-4000-8000-000000000000", None, f"text {number}", timestamp=time))


def follower(root: Path) -> Follower:
    """Follow everything below a home."""
    stores = [store for store in find_stores(root, {}) if isinstance(store, CodeStore)]
    return Follower(stores, BEGUN)


def told(watching: Follower) -> list[str]:
    """Return the texts that one look gives."""
    return [str(message.parts[0].text) for message in watching.look()]


def append(path: Path, data: bytes) -> None:
    """Write on."""
    with path.open("ab") as file:
        file.write(data)


def test_only_what_is_new(tmp_path: Path) -> None:
    """What lay there is history; what is appended, and new files, are told with their places."""
    root = home(tmp_path)
    path = write_transcript(root, "-p", UUID, [said(1, BEFORE), said(2, BEFORE)])
    watching = follower(root)
    append(path, said(3))
    write_transcript(root, "-p", "other", [said(4)])

    messages = list(watching.look())
    assert ["text 3", "text 4"] == [message.parts[0].text for message in messages]
    assert [(UUID, 3), ("other", 1)] == [(message.session, message.place.line) for message in messages]
    assert [] == told(watching)


def test_an_unfinished_line_waits(tmp_path: Path) -> None:
    """A record that is being written is told when it is whole, however many looks that takes."""
    root = home(tmp_path)
    path = write_transcript(root, "-p", UUID, [said(1, BEFORE), said(2)[:30]])
    watching = follower(root)
    for byte in said(2)[30:-1]:
        assert [] == told(watching)
        append(path, bytes([byte]))

    assert ["text 2"] == told(watching)
    append(path, b"\n" + said(3))
    assert ["text 3"] == told(watching)


def rewritten(path: Path) -> None:
    """Write the whole file anew in its place."""
    path.write_bytes(b"".join([said(1, BEFORE), said(2), said(3)]))


def rotated(path: Path) -> None:
    """Put another file in its place."""
    path.rename(path.with_suffix(".jsonl.bak-1"))
    rewritten(path)


def cut(path: Path) -> None:
    """Cut the file, and let it grow anew beyond where it was."""
    path.write_bytes(b"")
    path.write_bytes(b"".join([said(2), said(3), b" " * 5000, b"\n"]))


def set_aside(path: Path) -> None:
    """Write on, and put a file in its place at once that holds nothing of that."""
    append(path, said(3))
    path.rename(path.with_suffix(".jsonl.superseded-1"))
    path.write_bytes(said(1, BEFORE))


def moved(path: Path) -> None:
    """Write on, and move the file to another project."""
    append(path, said(3))
    place = path.parent.with_name("-q")
    place.mkdir()
    path.rename(place / path.name)


@pytest.mark.parametrize("change", [rewritten, rotated, cut, set_aside, moved])
def test_replaced_files(tmp_path: Path, change: Callable[[Path], None]) -> None:
    """A file that is rewritten, rotated or cut loses nothing and doubles nothing."""
    root = home(tmp_path)
    path = write_transcript(root, "-p", UUID, [said(1, BEFORE)])
    watching = follower(root)
    append(path, said(2))
    assert ["text 2"] == told(watching)
    change(path)

    assert ["text 3"] == told(watching)


def test_a_copy_of_the_past_is_no_news(tmp_path: Path) -> None:
    """A fork that begins with copies of old records is told from its own first record on."""
    root = home(tmp_path)
    watching = follower(root)
    write_transcript(root, "-p", UUID, [said(1, BEFORE), said(2)])

    assert ["text 2"] == told(watching)


JUST_BEFORE = "2026-05-31T23:00:00.000Z"


def test_a_new_session_that_is_stamped_before_the_start(tmp_path: Path) -> None:
    """A file that came up after the start is news, though another clock stamped its records an hour too early."""
    root = home(tmp_path)
    watching = follower(root)
    write_transcript(root, "-p", UUID, [said(1, JUST_BEFORE), said(2)])
    write_transcript(root, f"-p/{UUID}/subagents", "agent-a1", [said(3, JUST_BEFORE)])

    assert ["text 1", "text 2", "text 3"] == told(watching)


@pytest.mark.parametrize(
    "fields", [{"forkedFrom": {"sessionId": "s", "messageUuid": "m"}}, {"sessionId": "another"}], ids=["fork", "copy"]
)
def test_a_copied_record_is_no_news(tmp_path: Path, fields: dict[str, Any]) -> None:
    """A fork copies records of the last hours into a new file; those were told before."""
    root = home(tmp_path)
    watching = follower(root)
    copied = line(user("1" * 20, None, "copied", timestamp=JUST_BEFORE, **fields))
    write_transcript(root, "-p", UUID, [copied, said(2)])

    assert ["text 2"] == told(watching)


def test_a_known_session_in_a_new_file(tmp_path: Path) -> None:
    """If the file of a known session is moved, its last hours are history too."""
    root = home(tmp_path)
    path = write_transcript(root, "-p", UUID, [said(1, JUST_BEFORE)])
    watching = follower(root)
    moved(path)

    assert ["text 3"] == told(watching)


def test_torn_writes(tmp_path: Path) -> None:
    """However writes are cut into pieces, each record is told once, in order."""
    root = home(tmp_path)
    path = write_transcript(root, "-p", UUID, [said(0, BEFORE)])
    watching = follower(root)
    chance = random.Random(7)  # noqa: S311 - the same pieces every time
    data = b"".join(said(number) for number in range(1, 60))
    seen: list[str] = []
    position = 0
    while position < len(data):
        size = chance.randrange(1, 400)
        append(path, data[position : position + size])
        position += size
        seen += told(watching)

    assert [f"text {number}" for number in range(1, 60)] == seen


def test_one_session_with_its_agents(tmp_path: Path) -> None:
    """`watch ID` tells one session and its agents; parts are those of any message."""
    root = home(tmp_path)
    path = write_transcript(root, "-p", UUID, [said(1, BEFORE)])
    other = write_transcript(root, "-p", "22222222-2222-4222-8222-222222222222", [said(2, BEFORE)])

    def writing() -> Iterator[None]:
        append(path, line(assistant("a" * 20, None, [call("c1", command="ls")], timestamp=AFTER)))
        append(other, said(3))
        write_transcript(root, f"-p/{UUID}/subagents", "agent-a1", [said(4, "2030-01-01T00:00:00.000Z")])
        yield None

    messages = list(backscroll.watch(UUID, root, wakes=writing()))
    assert [(None, "call"), ("a1", "text")] == [(message.agent, message.parts[0].kind) for message in messages]
