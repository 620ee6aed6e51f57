"""Names: no recorded path leads out of the directory that it is written into, by any system's rules."""

import ntpath
import re
import unicodedata
from pathlib import Path

import pytest
from hostile_paths import PATHS

from backscroll.new_files import NewTree
from backscroll.recovery.names import MACOS, POSIX, WINDOWS, Names, is_repository, safe_parts

RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)( *\..*| *)")


def test_there_are_enough_paths() -> None:
    """At least 250 hostile paths are tried."""
    assert len(PATHS) >= 250


def is_plain(name: str, system: str) -> bool:
    """Say whether a file system takes a name for nothing but a name: no separator, parent, device or stream."""
    is_short = 0 < len(name.encode()) <= 255
    if not is_short or name in (".", "..") or set(name) & {"/", "\0", "\n"}:
        return False
    is_windows = not set(name) & set('<>:"/\\|?*') and not name.endswith((".", " ")) and not RESERVED.fullmatch(name)
    return is_windows or system != WINDOWS


@pytest.mark.parametrize("system", [POSIX, WINDOWS, MACOS])
def test_every_name_is_a_plain_name(system: str) -> None:
    """Whatever a path holds, it becomes at least one name, and all of them are plain."""
    found = [safe_parts(path, system) for path in PATHS]

    assert all(found)
    assert [] == [names for names in found if not all(is_plain(name, system) for name in names)]


def test_no_path_leads_out_on_windows() -> None:
    """Joined by the rules of Windows, every path stays below its target."""
    joined = [ntpath.normpath(ntpath.join("T:\\target", *safe_parts(path, WINDOWS))) for path in PATHS]

    assert [] == [path for path in joined if not path.startswith("T:\\target\\")]


@pytest.mark.parametrize("system", [POSIX, WINDOWS, MACOS])
def test_no_two_paths_share_a_name(system: str) -> None:
    """All of them together get places of their own, however the file system folds names."""
    given = Names(system)
    fold = str if system == POSIX else lambda text: unicodedata.normalize("NFKD", text).casefold()
    places = [tuple(fold(name) for name in given.for_path(path)) for path in PATHS]

    assert len(places) == len(set(places))
    assert not [place for place in places for size in range(1, len(place)) if place[:size] in set(places)]


@pytest.mark.parametrize("system", [POSIX, WINDOWS, MACOS])
def test_nothing_is_written_outside(system: str, tmp_path: Path) -> None:
    """Goal 14: all of them are written, and nothing appears beside the target."""
    target, given = tmp_path / "target", Names(system)
    with NewTree(target) as tree:
        for number, path in enumerate(PATHS):
            tree.write(given.for_path(path), str(number).encode())
    written = [path for path in target.rglob("*") if path.is_file()]

    assert [target] == list(tmp_path.iterdir())
    assert len(PATHS) == len(written)
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in written)


def test_plain_paths_stay_as_they_are() -> None:
    """A path that is harmless is not changed."""
    assert ["home", "ann", "Notes (1).txt"] == safe_parts("/home/ann/Notes (1).txt", WINDOWS)
    assert ["C", "Users", "ann", "x.py"] == safe_parts("C:\\Users\\ann\\x.py", POSIX)
    assert ["a:b"] == safe_parts("/a:b", POSIX)


@pytest.mark.parametrize("name", [".git", ".GIT", "git~1", ".git ", ".git.", ".g\u200cit", ".hg"])
def test_version_control_is_recognised(name: str) -> None:
    """However it is spelled, a directory that git would take for its own is one."""
    assert is_repository(["a", name, "config"])
    assert not is_repository(["a", ".github", "x"])
