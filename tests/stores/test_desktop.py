"""Desktop's files: named by their places, in every data directory, settings and logs included."""

from pathlib import Path

import pytest
from make import (
    APP,
    CODE_ROWS,
    COWORK_ROWS,
    DESKTOPS,
    UUID,
    Draft,
    desktop_file,
    found,
    inside,
    manifest,
    row,
    walked,
)

from backscroll.records import Damage
from backscroll.stores.desktop import is_data_directory
from backscroll.stores.find import find_stores

OWNER = "account/organization"


def kinds(root: Path) -> dict[str, str]:
    """Return the name of each file, and what it was taken for."""
    return {Path(file.path).name: file.kind for file in found(root)}


@pytest.mark.parametrize("desktop", DESKTOPS)
def test_both_stores_in_every_place(tmp_path: Path, desktop: str) -> None:
    """Rows and manifests are found in each place of Desktop, on all systems."""
    row(tmp_path, at=f"{desktop}/{CODE_ROWS}")
    manifest(tmp_path, desktop=desktop)

    stores = [(store.kind, store.path) for store in find_stores(tmp_path, {})]
    assert [("desktop", tmp_path / desktop), ("cowork", tmp_path / desktop / COWORK_ROWS)] == stores
    assert ["row", "row"] == [file.kind for file in found(tmp_path)]


@pytest.mark.parametrize("tree", [CODE_ROWS, COWORK_ROWS])
def test_files_beside_rows(tmp_path: Path, tree: str) -> None:
    """What lies beside rows is named by its name, in both directories alike."""
    for name in (
        "local_x.json",
        "local_y.json.tmp",
        "deleted_z",
        "archived-sessions.idx",
        "scheduled-tasks.json",
        "memo",
    ):
        desktop_file(tmp_path, f"{tree}/{OWNER}/{name}")
    desktop_file(tmp_path, f"{tree}/{OWNER}/imported-staging/{UUID}.jsonl")

    expected = {"local_x.json": "row", "local_y.json.tmp": "row-tmp", "deleted_z": "tombstone", "memo": "desktop-other"}
    expected |= {"archived-sessions.idx": "archived-index", "scheduled-tasks.json": "schedule"}
    assert {**expected, f"{UUID}.jsonl": "transcript"} == kinds(tmp_path)


def test_a_private_directory_is_named_as_any_other(tmp_path: Path) -> None:
    """Transcripts, agents and side files of a Cowork session have the names they have in ~/.claude, and its config."""
    path = manifest(tmp_path)
    inside(path, f".claude/projects/session/{UUID}.jsonl", Draft(UUID).prompt("Hi").text())
    inside(path, f".claude/projects/session/{UUID}/subagents/agent-a1.jsonl")
    inside(path, ".claude/todos/x.json")
    inside(path, "audit.jsonl")
    files = {file.kind: file for file in found(tmp_path)}

    assert {"row", "transcript", "agent", "todos", "audit"} == files.keys()
    assert (UUID, "session") == (files["transcript"].session, files["transcript"].project_key)
    assert str(path.with_suffix("") / ".claude") == files["agent"].config == files["todos"].config


def test_secrets_are_named_and_what_a_session_made_is_not_walked(tmp_path: Path) -> None:
    """The key of an audit is a secret wherever it lies; outputs and uploads may be anything, and of any size."""
    path = manifest(tmp_path)
    for name in (".audit-key", ".claude/.credentials.json", "outputs/a", "uploads/b", ".claude/plugins/p/c"):
        inside(path, name, b"x")

    names = kinds(tmp_path)
    assert {"local_" + APP + ".json": "row", ".audit-key": "secret", ".credentials.json": "secret"} == names


def test_settings_and_logs(tmp_path: Path) -> None:
    """Settings, counters and logs are found once, with the rows of the Code tab, on macOS in the Library too."""
    for name in ("config.json", "claude_desktop_config.json", "buddy-tokens.json", "plan-usage-history.json"):
        desktop_file(tmp_path, name)
    desktop_file(tmp_path, "logs/main.log")
    desktop_file(tmp_path, "coworkd.log", desktop="Library/Logs/Claude")
    manifest(tmp_path)

    expected = {"config.json": "desktop-config", "claude_desktop_config.json": "desktop-settings", "coworkd.log": "log"}
    expected |= {"buddy-tokens.json": "counter", "plan-usage-history.json": "counter", "main.log": "log"}
    assert {**expected, f"local_{APP}.json": "row"} == kinds(tmp_path)
    assert 7 == len(found(tmp_path))


def test_plugins_are_no_accounts(tmp_path: Path) -> None:
    """A `local_*.json` among Cowork's skills is none of its sessions."""
    desktop_file(tmp_path, f"{COWORK_ROWS}/skills-plugin/ws/org/local_fake.json", {})

    assert [] == found(tmp_path)


def test_a_data_directory_as_root(tmp_path: Path) -> None:
    """A copy of Desktop's data under any name may be the root."""
    row(tmp_path, at=f"copy/{CODE_ROWS}")

    assert ["row"] == [file.kind for file in found(tmp_path / "copy")]


def test_a_configuration_directory_is_no_desktop(tmp_path: Path) -> None:
    """`config.json` alone, which Claude Code wrote once too, makes a Desktop only where the name says so."""
    for name in (".claude", "Claude"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_bytes(b"{}")

    assert (False, True) == (is_data_directory(tmp_path / ".claude"), is_data_directory(tmp_path / "Claude"))


def test_a_link_out_of_the_store(tmp_path: Path) -> None:
    """A row that is a link to outside the home is named, not followed."""
    path = row(tmp_path / "home")
    (path.parent / "local_evil.json").symlink_to("/etc/passwd")

    damage = [item for item in walked(tmp_path / "home") if isinstance(item, Damage)]
    assert ["symbolic link to outside the store"] == [item.reason for item in damage]
