"""Side files: each found and named, each read with tolerance, and secrets kept inside."""

import json
from pathlib import Path
from typing import Any

import pytest
from make import UUID, as_nobody, found, home, line, walked, write_side

from backscroll.records import Damage
from backscroll.stores import side
from backscroll.stores.base import Label


def written(directory: Path, value: Any) -> str:
    """Write a value as a JSON file and return its path."""
    path = directory / "file.json"
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return str(path)


@pytest.mark.parametrize(
    "path, expected",
    [
        ("history.jsonl", Label("history")),
        (f"todos/{UUID}-agent-{UUID}.json", Label("todos", UUID, UUID)),
        (f"todos/{UUID}.json", Label("todos", UUID)),
        (f"tasks/{UUID}/1.json", Label("tasks", UUID)),
        ("tasks/my-team/1.json", Label("tasks")),
        ("plans/calm-mapping-heron.md", Label("plan")),
        ("paste-cache/0123abcd.txt", Label("paste")),
        (f"file-history/{UUID}/0123456789abcdef@v1", Label("file-history", UUID)),
        ("settings.json", Label("settings")),
        ("settings.local.json", Label("settings")),
        ("sessions/4242.json", Label("live")),
        (".claude.json", Label("global-config")),
        (".config.json", Label("global-config")),
        ("backups/.claude.json.backup.1780000000000", Label("config-backup")),
        (".claude.json.backup", Label("config-backup")),
        (".last-cleanup", Label("last-cleanup")),
        (f"image-cache/{UUID}/1.png", Label("image", UUID)),
        (f"uploads/{UUID}/a.pdf", Label("upload", UUID)),
        ("jobs/j1/parent-transcript.jsonl", Label("copy")),
        ("jobs/j1/state.json", Label("side-other")),
        (f"debug/{UUID}.txt", Label("side-other", UUID)),
        ("stats-cache.json", Label("side-other")),
        ("new-thing/of/2027.bin", Label("side-other")),
    ],
)
def test_side_files_are_named_by_their_place(tmp_path: Path, path: str, expected: Label) -> None:
    """Each known side file has its kind and session; the rest is counted as side-other."""
    write_side(home(tmp_path), path)

    (file,) = found(tmp_path)
    assert Label(file.kind, file.session, file.agent, file.project_key) == expected


@pytest.mark.parametrize("name", ["plugins/p/x.js", "local/node_modules/y.js", "node_modules/z.js", ".git/HEAD"])
def test_software_is_not_walked(tmp_path: Path, name: str) -> None:
    """Installed programs and repositories below `.claude` are no data of sessions."""
    write_side(home(tmp_path), name)

    assert walked(tmp_path) == []


def test_the_global_config_beside(tmp_path: Path) -> None:
    """`.claude.json` and its backups are found beside `.claude`, even through a link, and without `.claude`."""
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "claude.json").write_bytes(b"{}")
    (tmp_path / ".claude.json").symlink_to("dotfiles/claude.json")
    (tmp_path / ".claude.json.backup.1780000000000").write_bytes(b"{}")

    assert [(Path(file.path).name, file.kind) for file in found(tmp_path)] == [
        ("claude.json", "global-config"),
        (".claude.json.backup.1780000000000", "config-backup"),
    ]


def test_a_global_config_that_is_no_file(tmp_path: Path) -> None:
    """A directory in the place of `.claude.json` is reported."""
    (tmp_path / ".claude.json").mkdir()

    assert [item.reason for item in walked(tmp_path) if isinstance(item, Damage)] == ["not a regular file (directory)"]


def test_history_in_file_order(tmp_path: Path) -> None:
    """Prompts of history.jsonl carry text, time, project, session and pastes; bad lines are damage."""
    full = {"display": "fix it", "pastedContents": {"1": {"id": 1}}, "timestamp": 1777629600000}
    lines = [line({**full, "project": "/p", "sessionId": UUID}), b"garbage\n", line({"display": "old"}), line({"x": 1})]
    path = write_side(home(tmp_path), "history.jsonl", lines)

    first, bad, second, odd = side.history(str(path))
    assert isinstance(first, side.HistoryPrompt)
    assert (first.text, str(first.time), first.project, first.session) == (
        "fix it",
        "2026-05-01 10:00:00+00:00",
        "/p",
        UUID,
    )
    assert (first.pasted, first.place.line) == ({"1": {"id": 1}}, 1)
    assert isinstance(second, side.HistoryPrompt)
    assert (second.text, second.time, second.project, second.session, second.pasted) == ("old", None, None, None, {})
    assert [item.place.line for item in (bad, odd) if isinstance(item, Damage)] == [2, 4]


def test_history_that_cannot_be_opened(tmp_path: Path) -> None:
    """A missing history is one damage."""
    assert [item.reason for item in side.history(str(tmp_path / "no")) if isinstance(item, Damage)] == [
        "vanished: no such file"
    ]


@pytest.mark.parametrize(
    "settings, expected",
    [
        ([{"cleanupPeriodDays": 99}], 99),
        ([{"cleanupPeriodDays": 99}, {"cleanupPeriodDays": 7}], 7),
        ([{"cleanupPeriodDays": 99}, {"theme": "dark"}], 99),
        ([{"cleanupPeriodDays": 0}], 0),
        ([{"cleanupPeriodDays": "99"}], None),
        ([{"cleanupPeriodDays": True}], None),
        ([{"cleanupPeriodDays": -1}], None),
        ([b"{not json"], None),
        ([[1, 2]], None),
        ([], None),
    ],
)
def test_cleanup_days(tmp_path: Path, settings: list[Any], expected: int | None) -> None:
    """The last settings file that gives a whole number of days wins; anything else is None."""
    paths = []
    for number, value in enumerate(settings):
        (tmp_path / str(number)).mkdir()
        paths.append(written(tmp_path / str(number), value))

    assert side.cleanup_days(paths) == expected


def test_known_cwds_and_nothing_else(tmp_path: Path) -> None:
    """Of a global config only the projects' paths leave."""
    config = {"projects": {"/a": {"env": {"KEY": "secret"}}, "C:/b": {}}, "oauthAccount": {"emailAddress": "x"}}

    assert side.known_cwds(written(tmp_path, config)) == ["/a", "C:/b"]
    assert side.known_cwds(written(tmp_path, {"projects": ["/a"]})) == []


def test_index_hints(tmp_path: Path) -> None:
    """sessions-index.json gives working directories; odd entries are passed over."""
    entries = [
        {"sessionId": "s1", "projectPath": "/p"},
        {"sessionId": "s2"},
        {"sessionId": 3},
        "x",
        {"projectPath": "/q"},
    ]
    index = {"version": 1, "entries": entries, "originalPath": "/o"}

    assert side.index_hints(written(tmp_path, index)) == {"s1": "/p", "s2": "/o"}
    assert side.index_hints(written(tmp_path, {"entries": {"a": 1}})) == {}


def test_small_sidecars(tmp_path: Path) -> None:
    """Titles, marks and an agent's meta.json are read, and wrong types are not taken for values."""
    assert side.custom_title(written(tmp_path, {"customTitle": "Parser work"})) == "Parser work"
    assert side.custom_title(written(tmp_path, {"customTitle": 7})) is None
    assert side.archived(written(tmp_path, {"archived": True, "by": "sdk"}))
    assert not side.archived(written(tmp_path, {"archived": "yes"}))
    assert side.released(written(tmp_path, {"v": 1, "reason": "delete"})) == "delete"
    assert side.released(written(tmp_path, {"v": 1})) is None
    assert side.agent_meta(written(tmp_path, {"agentType": "Explore"})) == {"agentType": "Explore"}


@pytest.mark.parametrize(
    "data", [b"", b"null", b"[]", b"\xff\xfe{", b"{" * 5000, b"[" * 100_000, b"\0" * 100, b'{"a":' + b"9" * 5000]
)
def test_bad_files_are_damage(tmp_path: Path, data: bytes) -> None:
    """A side file of any bytes gives an empty answer and one damage, never an exception."""
    damage: list[Damage] = []

    assert side.agent_meta(written(tmp_path, data), damage) == {}
    assert len(damage) == 1


def test_a_byte_order_mark_is_no_damage(tmp_path: Path) -> None:
    """A settings file that an editor gave a byte order mark is read."""
    assert side.cleanup_days([written(tmp_path, b'\xef\xbb\xbf{"cleanupPeriodDays": 5}')]) == 5


def test_a_closed_file_is_damage(tmp_path: Path) -> None:
    """H32: a file that may not be read gives its reason."""
    damage: list[Damage] = []
    path = written(tmp_path, {})
    Path(path).chmod(0)

    def read() -> list[Damage]:
        side.agent_meta(path, damage)
        return damage

    assert [item.reason for item in as_nobody(read)] == ["permission denied"]


def test_live_sessions(tmp_path: Path) -> None:
    """The registry gives session and process; keys and odd files in it are not opened."""
    write_side(home(tmp_path), "sessions/4242.json", line({"pid": 4242, "sessionId": UUID}))
    write_side(tmp_path, "sessions/4243.json", b"torn")
    write_side(tmp_path, "sessions/4242.abc.key", b"secret")
    write_side(tmp_path, "sessions/notes.json", line({"sessionId": "no"}))
    damage: list[Damage] = []

    assert side.live_sessions(str(tmp_path / ".claude"), damage) == {UUID: 4242}
    assert [Path(item.place.path).name for item in damage] == ["4243.json"]
    assert side.live_sessions(str(tmp_path / "none")) == {}
