"""Where stores are looked for: every layout of every system, each store once, and no home is needed."""

import unicodedata
from pathlib import Path

import pytest
from make import COWORK_ROWS, DESKTOPS, UUID, cowork, found, home, walked, write_demo_home, write_side, write_transcript

from backscroll.stores.find import find_stores


def kinds(root: Path | None, env: dict[str, str] | None = None) -> list[tuple[str, str]]:
    """Return kind and path of all stores, code and cowork only."""
    found = find_stores(root, env or {})
    return [(store.kind, str(store.path)) for store in found if store.kind in ("code", "cowork")]


def cowork_store(config: Path) -> str:
    """Return the directory of Cowork that a private configuration directory lies in."""
    return str(next(path for path in config.parents if path.name == COWORK_ROWS))


def config(directory: Path, stem: str = UUID) -> Path:
    """Make a configuration directory with one session and return it."""
    (directory / "projects" / "-p").mkdir(parents=True)
    (directory / "projects" / "-p" / f"{stem}.jsonl").write_bytes(b"{}\n")
    return directory


@pytest.mark.parametrize("name", [".claude", ".config/claude", ".claude-work", ".config/claude-work"])
def test_places_below_a_home(tmp_path: Path, name: str) -> None:
    """Each place of the command line's sessions is found below a root and below HOME."""
    path = str(config(tmp_path / name))

    assert kinds(tmp_path) == [("code", path)]
    assert kinds(None, {"HOME": str(tmp_path)}) == [("code", path)]
    assert kinds(None, {"USERPROFILE": str(tmp_path)}) == [("code", path)]


@pytest.mark.parametrize("desktop", DESKTOPS)
@pytest.mark.parametrize(
    "session", ["local_5a7d4a86-4628-4182-a822-292dc8a1df9d", "5a7d4a86", "agent/local_ditto_x_g2"]
)
def test_cowork_in_every_place_of_desktop(tmp_path: Path, desktop: str, session: str) -> None:
    """A Cowork session's private directory is found in each place of Desktop, with long and short names."""
    path = cowork(tmp_path, desktop, session)

    assert kinds(tmp_path) == [("cowork", cowork_store(path))]
    assert [(file.session, file.project_key) for file in found(tmp_path)] == [(UUID, "session")]


def test_a_user_with_everything(tmp_path: Path) -> None:
    """All stores of one home are listed, and with each of them its side store."""
    for name in (".claude", ".config/claude", ".claude-work"):
        config(tmp_path / name)
    cowork(tmp_path)

    assert [store.kind for store in find_stores(tmp_path, {})] == ["code", "side"] * 3 + ["desktop", "cowork"]


def test_windows_places_named_by_the_environment(tmp_path: Path) -> None:
    """APPDATA and LOCALAPPDATA may lie outside the profile."""
    (tmp_path / "home").mkdir()
    roaming = cowork(tmp_path / "roaming", "Claude")
    local = cowork(tmp_path / "local", "Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude")
    named = cowork(tmp_path / "named", "profile")
    env = {
        "USERPROFILE": str(tmp_path / "home"),
        "APPDATA": str(tmp_path / "roaming"),
        "LOCALAPPDATA": str(tmp_path / "local"),
        "CLAUDE_USER_DATA_DIR": str(tmp_path / "named" / "profile"),
    }

    assert {path for _, path in kinds(None, env)} == set(map(cowork_store, (roaming, local, named)))


def test_xdg_config_home(tmp_path: Path) -> None:
    """XDG_CONFIG_HOME moves `claude` and `Claude`, and a relative one is ignored."""
    code = config(tmp_path / "xdg" / "claude")
    desktop = cowork(tmp_path / "xdg", "Claude")
    env = {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "xdg")}

    assert kinds(None, env) == [("code", str(code)), ("cowork", cowork_store(desktop))]
    assert kinds(None, {**env, "XDG_CONFIG_HOME": "xdg"}) == []


def test_several_config_directories(tmp_path: Path) -> None:
    """CLAUDE_CONFIG_DIR may list several directories; `.claude` is read beside them."""
    work, play, usual = (config(tmp_path / name) for name in ("work", "play", "home/.claude"))
    env = {"HOME": str(tmp_path / "home"), "CLAUDE_CONFIG_DIR": f"{work}, {play},{tmp_path}/missing,"}

    assert [path for _, path in kinds(None, env)] == [str(work), str(play), str(usual)]


def test_a_config_directory_with_a_comma(tmp_path: Path) -> None:
    """A directory that exists is taken whole."""
    path = config(tmp_path / "a,b")

    assert kinds(None, {"CLAUDE_CONFIG_DIR": str(path)}) == [("code", str(path))]


def test_a_config_directory_with_a_tilde(tmp_path: Path) -> None:
    """A tilde that no shell expanded means the home."""
    path = config(tmp_path / "other")

    assert kinds(None, {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": "~/other"}) == [("code", str(path))]


def test_a_config_directory_in_the_other_unicode_form(tmp_path: Path) -> None:
    """Claude Code normalises the variable, so the normalised directory is looked at as well."""
    decomposed = tmp_path / unicodedata.normalize("NFD", "café")
    path = config(tmp_path / unicodedata.normalize("NFC", "café"))

    assert kinds(None, {"CLAUDE_CONFIG_DIR": str(decomposed)}) == [("code", str(path))]


@pytest.mark.parametrize("users", ["home", "Users"])
def test_a_backup_with_several_homes(tmp_path: Path, users: str) -> None:
    """A backup of a disk holds the homes of its users."""
    paths = [config(tmp_path / users / name / ".claude") for name in ("ann", "bob")]
    desktop = cowork(tmp_path / users / "bob")

    assert [path for _, path in kinds(tmp_path)] == [*map(str, paths), cowork_store(desktop)]


def test_a_config_directory_as_root(tmp_path: Path) -> None:
    """A root may be a configuration directory itself, under any name."""
    path = config(tmp_path / "copy-of-claude")
    write_side(tmp_path, "../copy-of-claude/unknown/x", b"x")
    (tmp_path / ".claude.json").write_bytes(b"{}")

    assert kinds(path) == [("code", str(path))]
    assert [file.kind for file in found(path)] == ["transcript", "side-other"]
    assert kinds(config(tmp_path / ".claude")) == [("code", str(tmp_path / ".claude"))]
    assert [file.kind for file in found(tmp_path / ".claude")] == ["transcript"]


def test_a_projects_directory_as_root(tmp_path: Path) -> None:
    """A root may be a `projects` directory; then nothing beside it is read."""
    path = config(tmp_path / "x")
    write_side(tmp_path, "../x/history.jsonl")

    assert [(file.session, file.config) for file in found(path / "projects")] == [(UUID, str(path))]


@pytest.mark.parametrize("key", ["my-app", "session"])
def test_a_projects_directory_with_odd_keys(tmp_path: Path, key: str) -> None:
    """A `projects` directory is known by its transcripts where its keys say nothing."""
    (tmp_path / "projects" / key).mkdir(parents=True)
    (tmp_path / "projects" / key / f"{UUID}.jsonl").write_bytes(b"")

    assert [file.session for file in found(tmp_path)] == [UUID]


def test_somebodys_own_projects_are_not_read(tmp_path: Path) -> None:
    """A home with a `projects` directory full of repositories is no configuration directory."""
    write_transcript(home(tmp_path), "-p", UUID)
    (tmp_path / "projects" / "ssh-tools" / "data").mkdir(parents=True)
    (tmp_path / "projects" / "ssh-tools" / "data.jsonl").write_bytes(b"")

    assert kinds(tmp_path) == [("code", str(tmp_path / ".claude"))]


def test_a_home_as_config_directory_is_not_walked(tmp_path: Path) -> None:
    """Where a variable makes the home a configuration directory, only known directories of it are walked."""
    config(tmp_path)
    (tmp_path / "Documents").mkdir()
    (tmp_path / "Documents" / "letter.txt").write_bytes(b"x")
    write_side(tmp_path, "../todos/x.json")
    files = found(None, {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path)})

    assert sorted(file.kind for file in files) == ["todos", "transcript"]


def test_a_store_is_listed_once(tmp_path: Path) -> None:
    """Two names of one directory are one store, whether the link is the config or its projects."""
    path = config(tmp_path / ".claude")
    (tmp_path / ".claude-link").symlink_to(path)
    (tmp_path / ".claude-other").mkdir()
    (tmp_path / ".claude-other" / "projects").symlink_to(path / "projects")
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(path)}

    assert [(store.kind, store.path.name) for store in find_stores(None, env)] == [
        ("code", ".claude"),
        ("side", ".claude"),
        ("side", ".claude-other"),
    ]


def test_directories_without_sessions_are_no_stores(tmp_path: Path) -> None:
    """Other tools' ~/.claude-something is left alone, an empty ~/.claude listed."""
    (tmp_path / ".claude-code-router" / "logs").mkdir(parents=True)
    (tmp_path / ".claude").mkdir()

    assert [(store.kind, store.path.name) for store in find_stores(tmp_path, {})] == [("side", ".claude")]


@pytest.mark.parametrize("env", [{}, {"HOME": ""}, {"HOME": "/nonexistent"}, {"CLAUDE_CONFIG_DIR": ""}])
def test_no_home(env: dict[str, str]) -> None:
    """H33: without a home nothing is found and nothing fails."""
    assert find_stores(None, env) == []


def test_home_is_the_root_directory(tmp_path: Path) -> None:
    """H33: with HOME=/ links still may not leave the store."""
    path = write_transcript(home(tmp_path), "-p", UUID)
    (path.parent / "x.jsonl").symlink_to("/etc/passwd")
    env = {"HOME": "/", "CLAUDE_CONFIG_DIR": str(tmp_path / ".claude")}

    assert "symbolic link to outside the store" in [getattr(item, "reason", None) for item in walked(None, env)]


def test_a_missing_root(tmp_path: Path) -> None:
    """A root that is not there, or is a file, holds no stores."""
    (tmp_path / "file").write_bytes(b"")

    assert find_stores(tmp_path / "missing", {}) == find_stores(tmp_path / "file", {}) == []


def test_a_broken_link_as_store(tmp_path: Path) -> None:
    """A `.claude` that leads nowhere is reported, not passed over."""
    (tmp_path / ".claude").symlink_to(tmp_path / "gone")

    assert [getattr(item, "reason", None) for item in walked(tmp_path)] == ["broken symbolic link"]


def test_the_environment_counts_for_nothing_with_a_root(tmp_path: Path) -> None:
    """With a root only that directory is read."""
    write_demo_home(tmp_path / "demo")
    write_transcript(home(tmp_path / "home"), "-p", "mine")
    env = {"HOME": str(tmp_path / "home"), "CLAUDE_CONFIG_DIR": str(tmp_path / "home" / ".claude")}

    assert all(store.path.is_relative_to(tmp_path / "demo") for store in find_stores(tmp_path / "demo", env))
    assert tmp_path / "demo" / ".claude" in {store.path for store in find_stores(tmp_path / "demo", env)}


def test_a_relative_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A root may be given relative to the working directory; paths are absolute all the same."""
    write_transcript(home(tmp_path), "-p", UUID)
    monkeypatch.chdir(tmp_path)

    assert [Path(file.path).is_absolute() for file in found(Path())] == [True]
