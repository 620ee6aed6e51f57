"""`recover --in-place --apply` and the places from which programs start by themselves: none is written unasked."""

from pathlib import Path

import pytest
from make import UUID, Draft, write

from backscroll.cli.main import run

PLACES = [
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"),
    *(".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".xonshrc"),
    *(".config/fish/config.fish", ".config/fish/conf.d/x.fish", ".config/fish/functions/ls.fish"),
    *(".config/environment.d/x.conf", ".config/systemd/user/x.service", ".config/autostart/x.desktop"),
    *(".config/git/config", ".config/git/hooks/post-checkout", ".gitconfig", ".config/powershell/profile.ps1"),
    *(".config/nvim/init.lua", ".config/nvim/plugin/x.vim", ".vimrc", ".vim/plugin/x.vim", ".exrc", ".gvimrc"),
    *(".emacs", ".emacs.d/init.el", ".config/emacs/init.el", ".gdbinit", ".config/gdb/gdbinit", ".lldbinit"),
    *(".local/bin/ls", ".local/lib/python3.11/site-packages/x.pth", ".local/share/applications/x.desktop"),
    *(".local/lib/python3.11/site-packages/usercustomize.py", ".config/pip/pip.conf", ".pythonrc", ".pypirc"),
    *(".cursor/mcp.json", ".vscode/tasks.json", ".config/Code/User/tasks.json", ".config/Code/User/settings.json"),
    *(
        ".idea/workspace.xml",
        ".npmrc",
        ".yarnrc.yml",
        ".cargo/config.toml",
        ".cargo/bin/cargo",
        ".rustup/settings.toml",
    ),
    *(".ssh/authorized_keys", ".ssh/config", ".ssh/rc", ".gnupg/gpg.conf", ".aws/config", ".kube/config", ".netrc"),
    *(".xinitrc", ".xprofile", ".xsession", ".Xresources", ".tmux.conf", ".screenrc", ".curlrc", ".wgetrc"),
    *(
        ".ipython/profile_default/startup/x.py",
        ".jupyter/jupyter_notebook_config.py",
        ".Rprofile",
        ".irbrc",
        ".perltidyrc",
    ),
    *(".docker/config.json", ".gradle/init.gradle", ".m2/settings.xml", ".terraformrc", ".condarc", ".direnvrc"),
    *(".claude.json", ".config/claude/settings.json", ".config/Claude/claude_desktop_config.json", ".mcp.json"),
    *("Library/LaunchAgents/x.plist", "Library/Application Support/Claude/claude_desktop_config.json"),
    *("AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup/x.bat", "AppData/Roaming/Claude/config.json"),
    *("bin/ls", "Documents/PowerShell/profile.ps1", "go/bin/gofmt", "node_modules/.bin/x", "x.pth", "sitecustomize.py"),
]
"""Places below a home, outside of the project."""
HIDDEN_IN_PROJECT = [
    *(".git/hooks/pre-commit", ".git/config", ".envrc", ".vscode/tasks.json", ".idea/x.xml", ".husky/pre-commit"),
    *(".claude/settings.json", ".claude/settings.local.json", ".claude/hooks/x.sh", ".mcp.json", ".cursor/mcp.json"),
    *(".devcontainer/devcontainer.json", ".github/workflows/x.yml", ".npmrc", ".pre-commit-config.yaml", ".gdbinit"),
    *("src/.vimrc", "a/b/.hidden/c", "GIT~1/config", "\u200b.envrc", ".venv/lib/python3.11/site-packages/x.pth"),
]
PLAIN = [
    "app.py",
    "src/app.py",
    "Makefile",
    "conftest.py",
    "package.json",
    "a.b/c.d",
    "notes~",
    "x/Library/y",
    "résumé",
]


def session(home: Path, cwd: str, paths: list[str], key: str | None = None) -> None:
    """Have a session of this home that was held in `cwd` write these files."""
    draft = Draft(UUID, cwd).prompt("x")
    for path in paths:
        draft.answer(calls=[write(path, "evil\n")])
    transcript = draft.write(home)
    if key is not None:
        transcript.parent.rename(transcript.parent.with_name(key))


def tried(paths: list[str], *options: str) -> dict[str, tuple[int, bool]]:
    """Try to write each file in place; return the exit code, and whether the file is there now."""
    return {path: (run(["recover", path, "--in-place", "--apply", *options]), Path(path).exists()) for path in paths}


def test_only_plain_files_of_the_project_are_written(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Every place from which something starts by itself needs --risky; files of the project do not."""
    app = home / "app"
    places = [str(home / name) for name in PLACES] + [str(app / name) for name in HIDDEN_IN_PROJECT]
    plain = [str(app / name) for name in PLAIN]
    session(home, str(app), [*places, *plain])

    assert len(places) >= 68
    assert dict.fromkeys(places, (4, False)) == tried(places)
    assert dict.fromkeys(plain, (0, True)) == tried(plain)
    assert dict.fromkeys(places, (0, True)) == tried(places, "--risky")
    assert not any(path.stat().st_mode & 0o111 for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize("cwd", ["", ".config", ".vim/plugin", "Library", "Library/LaunchAgents", "AppData/Roaming"])
def test_a_project_does_not_make_its_place_harmless(
    cwd: str, home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A session that was held in the home itself, or in a directory of settings, makes nothing there plain."""
    path = str(home / cwd / "x")
    session(home, str(home / cwd), [path])

    assert {path: (4, False)} == tried([path])


def test_a_project_that_only_a_record_claims_does_not_count(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The directory of a transcript must fit the project that its records name."""
    path = str(home / "bin/ls")
    session(home, str(home / "bin"), [path], key="-srv-other")

    assert {path: (4, False)} == tried([path])


@pytest.mark.parametrize(
    "variable, name",
    [
        ("CLAUDE_CONFIG_DIR", "settings.json"),
        ("CLAUDE_USER_DATA_DIR", "claude_desktop_config.json"),
        ("XDG_CONFIG_HOME", "fish/config.fish"),
        ("XDG_DATA_HOME", "applications/x.desktop"),
        ("BACKSCROLL_HOME", "prices.toml"),
    ],
)
def test_directories_of_settings_that_the_environment_names(
    variable: str,
    name: str,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    """Settings are settings even in a project, and even if no store was found there."""
    path = str(home / "app/place" / name)
    session(home, str(home / "app"), [path])
    monkeypatch.setenv(variable, str(home / "app/place"))

    assert {path: (4, False)} == tried([path])


def test_a_home_that_is_the_whole_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """With HOME=/ no file counts as one of the user's own."""
    path = str(tmp_path / "app/x.txt")
    session(tmp_path, str(tmp_path / "app"), [path])
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    monkeypatch.setenv("HOME", "/")

    assert {path: (4, False)} == tried([path])
    assert b"your home directory is the whole disk" in capsysbinary.readouterr().out
    assert {path: (0, True)} == tried([path], "--risky")
