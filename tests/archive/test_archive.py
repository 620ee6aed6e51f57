"""The archive: sync, reading of kept sessions, verify, and restoring with the zstd tool alone."""

import json
import os
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path
from random import Random

import pytest
from chance import chance, rounds
from make import UUID, Draft, fingerprint, home, write_side, write_transcript

import backscroll
from backscroll.archive import part as parts
from backscroll.archive.sync import sync
from backscroll.archive.verify import verify
from backscroll.errors import BusyError, RefusedError
from backscroll.formats import archive as segments
from backscroll.library import Library
from backscroll.stores.archived import ArchiveStore, rows_of
from backscroll.stores.find import find_stores

KEY = "-home-ann-app"
OTHER = "11111111-2222-4333-8444-555555555555"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with one session."""
    directory = home(tmp_path / "root")
    write_transcript(directory, KEY, UUID, told().lines())
    return directory


def told() -> Draft:
    """Return a short session."""
    return Draft(UUID, "/home/ann/app").prompt("feed the okapi").answer("On it.")


def transcript(root: Path) -> Path:
    """Return the path of the session's transcript."""
    (found,) = root.rglob(f"{UUID}.jsonl")
    return found


def restored(part: Path) -> list[bytes]:
    """Return the raw bytes of every segment, in the order of versions."""
    found = []
    for path in sorted((part / "segments").glob("*.zst")):
        with path.open("rb") as file:
            found.append(b"".join(segments.unpack(file, frame) for frame in segments.frames(file)))
    return found


def test_a_deleted_session_is_read_from_the_archive(root: Path) -> None:
    """A session whose transcript is gone is kept: list, show and search read it."""
    with Library(root) as library:
        before = fingerprint(root)
        report = library.archive_sync()
        assert before == fingerprint(root)
        assert 1 == report.added
        (live,) = library.list_sessions().sessions
        transcript(root).unlink()
        (session,) = library.list_sessions().sessions
        shown = library.show(UUID)
        hits = library.search("okapi").hits
        raw = b"".join(library.raw(UUID))

    assert ("live", "kept") == (live.state, session.state)
    assert (["archive"], None, live.messages) == (session.stores, session.expires, session.messages)
    assert "feed the okapi" in [part.text for message in shown.messages for part in message.parts]
    assert [UUID] == [hit.session for hit in hits]
    assert told().text() == raw


def test_a_live_session_is_one_entry(root: Path) -> None:
    """A session that is both live and archived is listed once and read live."""
    with Library(root) as library:
        library.archive_sync()
        (session,) = library.list_sessions().sessions

    assert ("live", [str(transcript(root))]) == (session.state, session.transcripts)


def test_growth_and_replacement(root: Path, tmp_path: Path) -> None:
    """Appended bytes become one more frame; other bytes become a new version, and the old one stays."""
    part, stores = tmp_path / "part", find_stores(root, {})
    path = transcript(root)
    first = path.read_bytes()
    sync(stores, part)
    with path.open("ab") as file:
        file.write(b'{"type":"x"}\n')
    grown = path.read_bytes()
    report = sync(stores, part)
    assert (1, len(grown) - len(first)) == (report.added, report.bytes)
    assert [grown] == restored(part)
    path.write_bytes(b'{"type":"other"}\n')
    sync(stores, part)

    assert [grown, b'{"type":"other"}\n'] == restored(part)
    assert 0 == sync(stores, part).added
    assert verify(part, read_data=True).ok


def test_bytes_of_an_earlier_version_are_read(root: Path) -> None:
    """A message that only an earlier version has is still shown."""
    with Library(root) as library:
        library.archive_sync()
        other = Draft(UUID, "/home/ann/app").prompt("groom the zebra").answer("Done.")
        transcript(root).write_bytes(other.text())
        library.archive_sync()
        (session,) = library.list_sessions().sessions
        found = [library.search(word).total for word in ("okapi", "zebra")]

    assert "live" == session.state
    assert [1, 1] == found


def test_secrets_are_not_copied(root: Path, tmp_path: Path) -> None:
    """Credentials are skipped, and the report names them; of settings only allowed fields are kept."""
    secret = {"token": "sk-hidden", "env": {"KEY": "sk-hidden"}, "apiKeyHelper": "sk-hidden", "cleanupPeriodDays": 99}
    for name in (".credentials.json", "settings.json"):
        (root / ".claude" / name).write_text(json.dumps(secret))
    config = {"primaryApiKey": "sk-hidden", "projects": {"/home/ann/app": {"mcpServers": {"x": {"env": "sk-hidden"}}}}}
    (root / ".claude.json").write_text(json.dumps(config))
    report = sync(find_stores(root, {}), tmp_path / "part")
    kept = restored(tmp_path / "part")

    assert [".credentials.json"] == [Path(item.path).name for item in report.skipped]
    assert not any(b"sk-hidden" in data for data in kept)
    assert all(any(word in data for data in kept) for word in (b'"cleanupPeriodDays": 99', b'"/home/ann/app"'))


@pytest.mark.skipif(shutil.which("zstd") is None, reason="needs the zstd tool, which is not installed")
def test_restore_by_hand(root: Path, tmp_path: Path) -> None:
    """The commands of docs/archive.md alone find and restore a file."""
    part, path = tmp_path / "part", transcript(root)
    fork = told().fork(OTHER).prompt("and the zebra").write(root)
    small = [write_side(root, f"todos/{name}-agent-{name}.json", name.encode() * 9) for name in (OTHER, UUID, "third")]
    sync(find_stores(root, {}), part)
    with path.open("ab") as file:
        file.write(b'{"type":"x"}\n')
    sync(find_stores(root, {}), part)
    page = Path(__file__).parents[2].joinpath("docs/archive.md").read_text()
    listing, unpacking, packed, taking, patching = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    lines = subprocess.run(
        ["sh", "-c", listing], cwd=part, capture_output=True, check=True, text=True
    ).stdout.splitlines()
    (name,) = re.findall(r"segments/(\S+)\.zst", next(line for line in lines if f"{UUID}.jsonl" in line))
    subprocess.run(["sh", "-c", unpacking.replace("NAME", name)], cwd=part, check=True)
    (line,) = [line for line in lines if f"{OTHER}.jsonl" in line]
    (name,), (parent,) = (re.findall(find, line) for find in (r"segments/(\S+)\.zst", r'"segment":"([^"]+)"'))
    (length,) = re.findall(r'"length":(\d+)', line)
    script = patching.replace("NAME", name).replace("PARENT", parent).replace("LENGTH", length)
    subprocess.run(["sh", "-c", script], cwd=part, check=True, capture_output=True)

    found = subprocess.run(["sh", "-c", packed], cwd=part, capture_output=True, check=True, text=True).stdout
    for side in small:
        (line,) = [line for line in found.splitlines() if f'"{side}"' in line]
        place, length = re.findall(r"segments/(\S+?\.zst):(\d+):", line)[0], re.findall(r'"length":(\d+)$', line)[0]
        script = taking.replace("PACK", place[0]).replace("PLACE", place[1]).replace("LENGTH", length)
        subprocess.run(["sh", "-c", script], cwd=part, check=True)
        assert side.read_bytes() == (part / "restored-small-file").read_bytes()

    assert path.read_bytes() == (part / "restored.jsonl").read_bytes()
    assert fork.read_bytes() == (part / "restored-fork.jsonl").read_bytes()


@pytest.mark.slow
def test_every_flipped_bit_is_found(root: Path, tmp_path: Path) -> None:
    """A single flipped bit anywhere in a segment is damage: a thousand, in plain segments, tails, forks and packs."""
    part, path = tmp_path / "part", transcript(root)
    told().fork(OTHER).prompt("and the zebra").write(root)
    for name in (OTHER, UUID, "third"):
        write_side(root, f"todos/{name}-agent-{name}.json", b"[1, 2]")
    sync(find_stores(root, {}), part)
    with path.open("ab") as file:
        file.write(b'{"type":"x"}\n')
    sync(find_stores(root, {}), part)
    found, random = sorted((part / "segments").glob("*.zst")), chance(20)
    assert 3 == len(found)
    for number in range(rounds(1000)):
        segment = found[number % 3]
        good = segment.read_bytes()
        segment.write_bytes(flipped(good, random))
        assert not verify(part, read_data=True).ok
        segment.write_bytes(good)
    assert verify(part, read_data=True).ok


def flipped(data: bytes, random: Random) -> bytes:
    """Return bytes with one bit changed."""
    changed = bytearray(data)
    changed[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(changed)


def test_a_short_segment_is_damage(root: Path, tmp_path: Path) -> None:
    """A segment that lost its last frame, or that is gone, is found without reading data."""
    part, path = tmp_path / "part", transcript(root)
    sync(find_stores(root, {}), part)
    (segment,) = (part / "segments").glob("*.zst")
    first = segment.read_bytes()
    with path.open("ab") as file:
        file.write(b"{}\n")
    sync(find_stores(root, {}), part)
    segment.write_bytes(first)
    (short,) = verify(part).damage
    segment.unlink()

    assert (str(segment), len(first)) == (short.place.path, short.place.offset)
    assert not verify(part).ok


@pytest.mark.parametrize("name", ["write", "fsync", "ftruncate", "lseek"])
def test_an_error_loses_nothing(root: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an error of the disk the acknowledged bytes are there, and the next sync completes the archive."""
    part, stores, path = tmp_path / "part", find_stores(root, {}), transcript(root)
    sync(stores, part)
    before = path.read_bytes()
    with path.open("ab") as file:
        file.write(b'{"type":"x"}\n')

    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, name, fail)
        with pytest.raises(RefusedError):
            sync(stores, part)
    (kept,) = restored(part)
    assert kept.startswith(before)
    sync(stores, part)

    assert [path.read_bytes()] == restored(part)
    assert verify(part, read_data=True).ok


def test_a_torn_tail_is_cut(root: Path, tmp_path: Path) -> None:
    """Bytes of a killed sync are no damage, and the next sync removes them."""
    part, path = tmp_path / "part", transcript(root)
    sync(find_stores(root, {}), part)
    (segment,) = (part / "segments").glob("*.zst")
    with segment.open("ab") as file:
        file.write(segment.read_bytes()[:100])
    assert verify(part, read_data=True).ok
    with path.open("ab") as file:
        file.write(b"{}\n")
    sync(find_stores(root, {}), part)

    assert [path.read_bytes()] == restored(part)


def test_the_catalogue_is_made_again(root: Path, tmp_path: Path) -> None:
    """Without its catalogue the archive is whole after the next sync, and nothing is copied twice."""
    part = tmp_path / "part"
    sync(find_stores(root, {}), part)
    (part / "catalogue.db").unlink()
    report = sync(find_stores(root, {}), part)

    assert (0, [transcript(root).read_bytes()]) == (report.added, restored(part))
    (part / "catalogue.db").write_bytes(b"no database")
    assert 0 == sync(find_stores(root, {}), part).added


@pytest.mark.slow
def test_eight_writers(tmp_path: Path) -> None:
    """Eight sessions are written while the archive is synced 200 times: at the end it equals the files."""
    root, part = home(tmp_path / "root"), tmp_path / "part"
    names = [f"{number:08}-1111-4111-8111-111111111111" for number in range(8)]
    paths = [Draft(name, "/home/ann/app").prompt("begin").write(root) for name in names]
    is_over = threading.Event()

    def write(path: Path, random: Random) -> None:
        number = 0
        while not is_over.is_set():
            number += 1
            with path.open("ab") as file:
                file.write(b'{"type":"x","n":%d}\n' % number)
            if random.random() < 0.01:
                other = path.with_suffix(".new")
                other.write_bytes(path.read_bytes()[-200:])
                other.replace(path)
            time.sleep(random.random() / 200)

    writers = [threading.Thread(target=write, args=(path, chance(at))) for at, path in enumerate(paths)]
    for writer in writers:
        writer.start()
    try:
        reports = [sync(find_stores(root, {}), part) for _ in range(200)]
    finally:
        is_over.set()
        for writer in writers:
            writer.join()
    sync(find_stores(root, {}), part)

    assert sum(report.added for report in reports) > 200
    assert verify(part, read_data=True).ok
    current = {os.fsdecode(row.path): row for row in rows_of(part)}
    for path in paths:
        with ArchiveStore(part).open(str(part / "segments" / current[str(path)].segment)) as file:
            assert path.read_bytes() == file.read()


def test_two_syncs_at_once(root: Path, tmp_path: Path) -> None:
    """A second sync says that another one runs."""
    with parts.opened_part(tmp_path / "part"), pytest.raises(BusyError):
        sync(find_stores(root, {}), tmp_path / "part")


def test_an_unsafe_place_is_refused(root: Path, tmp_path: Path) -> None:
    """An archive inside Claude's directories, or one that others may write to, is refused."""
    with pytest.raises(RefusedError):
        sync(find_stores(root, {}), root / ".claude" / "archive")
    part = tmp_path / "part"
    part.mkdir()
    part.chmod(0o770)
    with pytest.raises(RefusedError):
        sync(find_stores(root, {}), part)


def test_modes(root: Path, tmp_path: Path) -> None:
    """Only the owner may read the archive."""
    part = tmp_path / "part"
    sync(find_stores(root, {}), part)

    assert {0o600} == {path.stat().st_mode & 0o777 for path in part.rglob("*") if path.is_file()}
    assert {0o700} == {path.stat().st_mode & 0o777 for path in part.rglob("*") if path.is_dir()}


def test_functions(root: Path) -> None:
    """The functions of the package do the same as the methods."""
    assert 1 == backscroll.archive_sync(root, dry_run=True).added
    assert 1 == backscroll.archive_sync(root).added
    status = backscroll.archive_status(root)

    assert (1, 1, os.path.getsize(transcript(root))) == (status.sessions, status.versions, status.raw_bytes)  # noqa: PTH202
    assert backscroll.archive_verify(root).ok
