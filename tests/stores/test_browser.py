"""Desktop's profiles on disk: which files are theirs, on every system, and that reading leaves them alone."""

import os
import shutil
import sqlite3
import stat
from contextlib import closing, suppress
from pathlib import Path

import pytest
from leveldb_make import Files, beneath, log_of, store
from make import DESKTOPS, fingerprint

from backscroll.files import private_copies
from backscroll.formats.chromium.records import StorageRecord
from backscroll.formats.state import State
from backscroll.records import Damage
from backscroll.stores.base import FoundFile
from backscroll.stores.browser import BrowserStore, DiskProfile
from backscroll.stores.find import find_stores

LOCAL = beneath("Local Storage/leveldb/", store({3: log_of([(b"_https://claude.ai\0\x01k", b"\x01v")])}))


def profile(directory: Path, files: dict[str, bytes] | None = None) -> Path:
    """Write a profile with one value in Local Storage, and other files."""
    return Files(LOCAL | (files or {})).write(directory)


def browsers(root: Path | None, env: dict[str, str] | None = None, own: Path | None = None) -> list[BrowserStore]:
    """Return the browser storages that are found."""
    return [item for item in find_stores(root, env or {}, own) if isinstance(item, BrowserStore)]


def texts(item: BrowserStore) -> list[str | None]:
    """Return what pages stored in Local Storage."""
    return [r.text for r in item.records() if isinstance(r, StorageRecord) and r.kind == "local-storage"]


@pytest.mark.parametrize("desktop", DESKTOPS)
def test_found_on_every_system(desktop: str, tmp_path: Path) -> None:
    """Desktop's storage is found below any home, whatever system it comes from, and below a disk of homes."""
    profile(tmp_path / "home" / "ann" / desktop)

    for root in (tmp_path / "home" / "ann", tmp_path):
        [found] = browsers(root)
        assert (tmp_path / "home" / "ann" / desktop, ["v"]) == (found.path, texts(found))


def test_found_at_home_and_where_the_environment_says(tmp_path: Path) -> None:
    """Without a root, the home's own places and those that variables name are read, each once."""
    home, other = tmp_path / "ann", tmp_path / "other"
    profile(home / ".config/Claude")
    profile(home / ".config/Claude-work")
    profile(other)
    env = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "CLAUDE_USER_DATA_DIR": str(other)}

    assert [home / ".config/Claude", home / ".config/Claude-work", other] == [item.path for item in browsers(None, env)]


def test_profile_itself_as_root(tmp_path: Path) -> None:
    """A copy of the data directory alone is read too."""
    assert [["v"]] == [texts(item) for item in browsers(profile(tmp_path / "copied"))]
    assert [] == browsers(tmp_path)


def test_files_are_those_of_storage_only(tmp_path: Path) -> None:
    """Sessions, settings, cookies and virtual machines of the same directory are neither counted nor opened."""
    others = (
        "config.json",
        "Cookies",
        "vm_bundles/claudevm.bundle/sessiondata.img",
        "claude-code-sessions/a/b/local_1.json",
    )
    profile(tmp_path, dict.fromkeys(others, b"x") | beneath("Partitions/p/", LOCAL) | {"Partitions/p/Cookies": b"x"})
    [found] = browsers(tmp_path)

    names = {os.path.relpath(file.path, tmp_path) for file in found.files() if isinstance(file, FoundFile)}
    assert names == LOCAL.keys() | beneath("Partitions/p/", LOCAL).keys()
    assert ["v", "v"] == texts(found)


def test_linked_directories(tmp_path: Path) -> None:
    """A profile that was moved away and linked to is read under its own names; a link to outside is damage."""
    profile(tmp_path / "home/moved")
    desktop = tmp_path / "home/.config/Claude"
    desktop.mkdir(parents=True)
    (desktop / "Local Storage").symlink_to(tmp_path / "home/moved/Local Storage")
    (desktop / "IndexedDB").symlink_to("/etc")
    [found] = browsers(tmp_path / "home")

    assert ["v"] == texts(found)
    assert [str(desktop / "IndexedDB")] == [item.place.path for item in found.files() if isinstance(item, Damage)]


def test_places_name_the_real_file(tmp_path: Path) -> None:
    """A record's place is the path of the log or table that holds it."""
    [found] = browsers(profile(tmp_path))

    places = {item.place.path for item in found.records()}
    assert {str(tmp_path / "Local Storage/leveldb/000003.log")} == places


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """Return a profile whose Local Storage has moved to SQLite, with a change that is in the write-ahead log only."""
    directory = profile(tmp_path / "profile")
    with closing(sqlite3.connect(directory / "LocalStorage")) as database:
        database.executescript(
            "PRAGMA journal_mode = WAL;"
            "CREATE TABLE maps(row_id, storage_key, last_accessed, last_modified, total_size);"
            "CREATE TABLE map_entries(map_id, value_compression_type, key, value);"
            "INSERT INTO maps VALUES (1, CAST('https://claude.ai/' AS BLOB), 1, 1, 1);"
            "INSERT INTO map_entries VALUES (1, 0, X'016B', X'016E6577');"
        )
        for name in ("LocalStorage", "LocalStorage-wal"):
            shutil.copy(directory / name, tmp_path / name)
    for name in ("LocalStorage", "LocalStorage-wal"):
        (tmp_path / name).replace(directory / name)
    return directory


def test_sqlite_is_read_from_a_copy(moved: Path, tmp_path: Path) -> None:
    """SQLite sees a copy below our own directory, the store stays as it is, and nothing is left behind."""
    before = fingerprint(moved)
    [found] = browsers(moved, own=tmp_path / "ours")
    states = {r.text: r.state for r in found.records() if isinstance(r, StorageRecord) and r.kind == "local-storage"}

    assert {"new": State.LIVE, "v": State.SUPERSEDED} == states
    assert before == fingerprint(moved)
    assert [tmp_path / "ours/copies"] == list((tmp_path / "ours").rglob("*"))


def test_sqlite_behind_a_link(moved: Path, tmp_path: Path) -> None:
    """A file of SQLite that was moved away and linked to is read under the name of the link."""
    for name, target in (("LocalStorage", tmp_path / "kept"), ("LocalStorage-wal", tmp_path / "kept-log")):
        (moved / name).rename(target)
        (moved / name).symlink_to(target)

    assert {"new", "v"} == set(texts(BrowserStore(moved, tmp_path, tmp_path / "ours")))


def test_copies_are_private(moved: Path, tmp_path: Path) -> None:
    """A copy can be read by its owner alone, and is gone in the end, after an error too."""
    files = DiskProfile(BrowserStore(moved, moved, tmp_path / "ours"))
    assert "LocalStorage" in files.names()
    with suppress(RuntimeError), files.copy(["LocalStorage", "LocalStorage-wal"]) as place:
        modes = {stat.S_IMODE(path.stat().st_mode) for path in Path(place).iterdir()}
        assert ({0o600}, 0o700) == (modes, stat.S_IMODE(Path(place).stat().st_mode))
        assert Path(place).parent == tmp_path / "ours/copies"
        raise RuntimeError

    assert not Path(place).exists()


def test_copies_left_behind_are_removed(moved: Path, tmp_path: Path) -> None:
    """What a run that was killed left behind goes with the next copy; what another run reads now stays."""
    old, new = tmp_path / "ours/copies/copy-old", tmp_path / "ours/copies/copy-new"
    for place in (old, new):
        place.mkdir(parents=True)
        (place / "LocalStorage").write_bytes(b"x")
    os.utime(old, (1, 1))
    with private_copies({"LocalStorage": str(moved / "LocalStorage")}, tmp_path / "ours"):
        pass

    assert [new] == list((tmp_path / "ours/copies").iterdir())


def test_copy_where_our_own_directory_cannot_be_written(moved: Path, tmp_path: Path) -> None:
    """Where our own directory is not writable, the copy lies in the system's place for temporary files."""
    own = tmp_path / "ours"
    own.write_bytes(b"not a directory")

    with private_copies({"LocalStorage": str(moved / "LocalStorage")}, own) as place:
        assert not Path(place).is_relative_to(tmp_path)


def test_file_that_vanished(tmp_path: Path) -> None:
    """A file that was there a moment ago is damage, not an error of ours."""
    files = DiskProfile(BrowserStore(profile(tmp_path), tmp_path))
    with pytest.raises(FileNotFoundError):
        files.open("Local Storage/leveldb/000009.log")
