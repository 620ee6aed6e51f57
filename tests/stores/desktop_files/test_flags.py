"""Feature flags: found in the right file, compared, and nothing else taken from it."""

import json
import os
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from make import home

import backscroll
from backscroll.errors import NotFoundError


def write_config(root: Path, name: str = ".claude.json", *, age: int = 0, **fields: Any) -> Path:
    """Write a global config that is so many seconds old."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(fields))
    os.utime(path, (1_777_000_000 - age, 1_777_000_000 - age))
    return path


def values(root: Path, **options: Any) -> dict[str, Any]:
    """Return the flags of a home."""
    return {flag.name: flag.value for flag in backscroll.flags(root, **options).flags}


@pytest.mark.parametrize(
    "name", [".claude.json", ".claude/.claude.json", ".claude/.config.json", ".claude/config.json"]
)
def test_formats_9_row_16_config_in_home_or_in_config(name: str, tmp_path: Path) -> None:
    """Row 16: the global config lies beside `.claude`, or in it where CLAUDE_CONFIG_DIR was set; both are looked at."""
    write_config(home(tmp_path), name, cachedGrowthBookFeatures={"tengu_a": True, "b": {"x": [1]}})

    assert {"tengu_a": True, "b": {"x": [1]}} == values(tmp_path)
    assert {"tengu_a": True} == values(tmp_path, prefix="tengu_")


def test_last_written_config_wins(tmp_path: Path) -> None:
    """Of several configs the one that was written last is believed, and those that differ are named."""
    old = write_config(tmp_path, age=60, cachedGrowthBookFeatures={"a": 1, "b": 1, "c": 1})
    new = write_config(tmp_path, ".claude/.claude.json", cachedGrowthBookFeatures={"a": 2, "b": 1})
    flags = {flag.name: flag for flag in backscroll.flags(tmp_path).flags}

    assert (2, str(new), [(str(old), 1)]) == astuple(flags["a"])[1:]
    assert (1, str(new), []) == astuple(flags["b"])[1:]
    assert (1, str(old), []) == astuple(flags["c"])[1:]


def test_legacy_config_wins_in_its_directory(tmp_path: Path) -> None:
    """`.config.json` wins over a newer `.claude.json` in the same directory, as Claude Code has it."""
    write_config(tmp_path, ".claude/.claude.json", cachedGrowthBookFeatures={"a": "new"})
    write_config(tmp_path, ".claude/.config.json", age=60, cachedGrowthBookFeatures={"a": "legacy"})

    assert {"a": "legacy"} == values(tmp_path)


def test_nothing_else_is_taken(tmp_path: Path) -> None:
    """Secrets of the config are nowhere in what is handed out."""
    secrets: dict[str, Any] = {
        "mcpServers": {"x": {"env": {"KEY": "hidden"}}},
        "oauthAccount": {"emailAddress": "hidden"},
    }
    write_config(
        tmp_path, cachedGrowthBookFeatures={"a": True}, customApiKeyResponses={"approved": ["hidden"]}, **secrets
    )

    assert "hidden" not in repr(backscroll.flags(tmp_path))


@pytest.mark.parametrize("features", [None, [], "x", 7])
def test_flags_of_another_shape(features: Any, tmp_path: Path) -> None:
    """What is no object of flags is none."""
    write_config(tmp_path, cachedGrowthBookFeatures=features)

    assert backscroll.FlagReport([], []) == backscroll.flags(tmp_path)


def test_damaged_config(tmp_path: Path) -> None:
    """A config that cannot be read is damage, and says where."""
    path = write_config(tmp_path)
    path.write_bytes(b'{"cachedGrowthBookFeatures":{"a":tr')

    assert [str(path)] == [item.place.path for item in backscroll.flags(tmp_path).damage]


def test_difference(tmp_path: Path) -> None:
    """Two homes are compared by name and value; null is a value."""
    write_config(tmp_path / "here", cachedGrowthBookFeatures={"same": 1, "changed": True, "gone": None, "x_y": 1})
    write_config(tmp_path / "there", cachedGrowthBookFeatures={"same": 1, "changed": False, "new": None})
    difference = backscroll.compare_flags(tmp_path / "there", tmp_path / "here")

    assert [
        ("changed", True, False, "changed"),
        ("gone", None, None, "removed"),
        ("new", None, None, "added"),
        ("x_y", 1, None, "removed"),
    ] == list(map(astuple, difference.changes))
    assert ["x_y"] == [
        c.name for c in backscroll.compare_flags(tmp_path / "there", tmp_path / "here", prefix="x").changes
    ]
    with pytest.raises(NotFoundError):
        backscroll.compare_flags(tmp_path / "nowhere", tmp_path / "here")
