"""Desktop's registry of worktrees, in all its versions, joined with sessions."""

import json
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from make import DESKTOPS, UUID, Draft, home

import backscroll
from backscroll.stores.desktop_files.worktrees import Worktree, is_local


def registered(root: Path, registry: Any, desktop: str = DESKTOPS[0]) -> list[Worktree]:
    """Write a registry and return what is read from it."""
    path = root / desktop / "git-worktrees.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(registry))
    return backscroll.worktrees(root).worktrees


def entry(path: str = "/r/.claude/worktrees/calm", **fields: Any) -> dict[str, Any]:
    """Return what a registry says of one worktree."""
    return {"path": path, "baseRepo": "/r", "branch": "claude/calm", "sourceBranch": "main", **fields}


VERSIONS = [
    {
        "schemaVersion": 2,
        "worktrees": {"opaque": entry(name="calm", leasedBy="local_1")},
        "untrackedDirGc": {"cwds": []},
    },
    {"worktrees": {"calm": entry(name="calm", leasedBy="local_1")}},
    {"worktrees": {"local_1": entry()}},
    {"local_1": entry()},
]


@pytest.mark.parametrize("registry", VERSIONS, ids=["2", "1", "by session", "oldest"])
def test_formats_9_row_22_registry_of_any_version(registry: Any, tmp_path: Path) -> None:
    """Row 22: registries with and without a version, keyed by name or by session, say the same."""
    [found] = registered(tmp_path, registry)

    assert ("calm", "/r/.claude/worktrees/calm", "claude/calm", "/r") == astuple(found)[:4]
    assert ("local_1", "local_1", "main", False) == (found.row, found.session, found.source_branch, found.exists)


@pytest.mark.parametrize("desktop", DESKTOPS)
def test_found_on_every_system(desktop: str, tmp_path: Path) -> None:
    """The registry is found in the data directory of any system."""
    assert ["calm"] == [item.name for item in registered(tmp_path, VERSIONS[0], desktop)]


def test_joined_with_the_session_that_was_held_there(tmp_path: Path) -> None:
    """A worktree belongs to its row's session, else to the newest one held in the directory."""
    directory = "/r/.claude/worktrees/calm"
    Draft(UUID, directory).prompt("Hello").answer("Hi.").write(home(tmp_path))
    leased, imported, free = registered(
        tmp_path,
        {
            "worktrees": {
                "a": entry(leasedBy="local_unknown"),
                "b": entry("/elsewhere", leasedBy=f"local_{UUID}"),
                "c": entry("/nowhere", leasedBy=None),
            }
        },
    )

    assert (UUID, "local_unknown") == (leased.session, leased.row)
    assert UUID == imported.session
    assert (None, None) == (free.session, free.row)


def test_existence(tmp_path: Path) -> None:
    """It is said whether the directory is there; of a path of another system nothing is known."""
    found = registered(
        tmp_path, {"a": entry(str(tmp_path)), "b": entry("/no/such"), "c": entry("C:\\w"), "d": entry("\0")}
    )

    assert [True, False, None, None] == [item.exists for item in found]


@pytest.mark.parametrize(
    "path, expected", [("C:\\w", True), ("\\\\server\\share\\w", True), ("/home/ann", False), ("w", False)]
)
def test_paths_of_windows(path: str, expected: bool) -> None:
    """On Windows a path has a drive or a server."""
    assert expected == is_local(path, "nt")


@pytest.mark.parametrize("registry", [[], "x", None, {"worktrees": {"a": {"name": "x"}, "b": 7}}])
def test_registry_of_another_shape(registry: Any, tmp_path: Path) -> None:
    """What is no registry, or no worktree, is damage and nothing else."""
    assert [] == registered(tmp_path, registry)
    assert 0 < len(backscroll.worktrees(tmp_path).damage)


def test_no_registry(tmp_path: Path) -> None:
    """Without a Desktop there is nothing, and no damage."""
    assert backscroll.WorktreeReport([], []) == backscroll.worktrees(home(tmp_path))
