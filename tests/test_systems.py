"""One Ann, five machines: the same sessions are found on every system, and in a copy of any of them."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from make import CODE_ROWS, UUID, Draft, desktop_file, home, inside, manifest, row

import backscroll

OTHER, THIRD = "22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333"
SYSTEMS = {
    "macos": ("Library/Application Support/Claude", "Library/Logs/Claude"),
    "linux": (".config/Claude", ".config/Claude/logs"),
    "windows": ("AppData/Roaming/Claude", "AppData/Roaming/Claude/logs"),
    "windows-store": (
        "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude",
        "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/logs",
    ),
    "windows-newer": (
        "AppData/Local/Claude-Data/Claude_pzs8sxrjxfjjc",
        "AppData/Local/Claude-Data/Claude_pzs8sxrjxfjjc/logs",
    ),
}


def build(root: Path, desktop: str, logs: str) -> Path:
    """Make a home with a session at the terminal, one of the Code tab, a ghost, and two of Cowork."""
    Draft(UUID, "/r").prompt("At the terminal").answer("Yes.").write(home(root))
    Draft(OTHER, "/r").prompt("In the Code tab").answer("Yes.").write(root)
    row(root, "aaaaaaaa", cliSessionId=OTHER, title="Code tab", at=f"{desktop}/{CODE_ROWS}")
    row(root, "bbbbbbbb", cliSessionId=THIRD, title="Ghost", at=f"{desktop}/{CODE_ROWS}")
    report = manifest(root, "cccccccc", cliSessionId="cccccccc-1111-4111-8111-111111111111", desktop=desktop)
    Draft("cccccccc-1111-4111-8111-111111111111", "/sessions/x").prompt("In Cowork").write(report.with_suffix(""))
    inside(report, "outputs/report.md", b"x")
    inside(manifest(root, "dddddddd", error="boom", desktop=desktop), "audit.jsonl", b"")
    desktop_file(root, "config.json", {"lastKnownAccountUuid": "aaaaaaaa-1111-4111-8111-111111111111"}, desktop)
    desktop_file(root, "main.log", b"2026-05-28T20:27:00Z [error] boom\n", logs)
    return root


def told(root: Path) -> Any:
    """Return what is found below a root, without where it lies."""
    sessions = backscroll.list_sessions(root, limit=None).sessions
    listed = sorted((one.id, one.title, one.state, one.stores, one.account, one.messages) for one in sessions)
    accounts = [(one.id, one.rows, one.cowork, one.current) for one in backscroll.accounts(root).accounts]
    files = [len(one.files) for one in backscroll.cowork(None, root)]
    lines = [line.level for line in backscroll.logs(THIRD, root)[1] if isinstance(line, backscroll.LogLine)]
    return listed, accounts, files, lines


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what is found on Linux."""
    directory = tmp_path_factory.mktemp("linux")
    return build(directory / "home", *SYSTEMS["linux"])


def test_what_is_there(expected: Path) -> None:
    """Five sessions in three states, one account, one file, one error."""
    listed, accounts, files, lines = told(expected)

    assert ["ghost", "live", "live", "live", "live"] == sorted(state for _, _, state, *_ in listed)
    assert [("aaaaaaaa-1111-4111-8111-111111111111", 2, 2, ["desktop"])] == accounts
    assert (1, ["error"]) == (sum(files), lines)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_same_sessions_on_every_system(system: str, expected: Path, tmp_path: Path) -> None:
    """macOS, Linux and the three places of Windows hold the same."""
    assert told(expected) == told(build(tmp_path / "home", *SYSTEMS[system]))


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("place", ["Users/ann", "home/ann", "copy"])
def test_the_same_sessions_in_a_backup(system: str, place: str, expected: Path, tmp_path: Path) -> None:
    """A copy of a home, or of a disk with homes on it, holds the same."""
    build(tmp_path / "machine", *SYSTEMS[system])
    shutil.copytree(tmp_path / "machine", tmp_path / "backup" / place)
    root = tmp_path / "backup" if "/" in place else tmp_path / "backup" / place

    assert told(expected) == told(root)
