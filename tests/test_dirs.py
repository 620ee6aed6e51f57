"""Our own directories: one home, found without a home, moved by one variable."""

from pathlib import Path

import pytest

from backscroll import dirs


@pytest.mark.parametrize(
    "platform, env, expected",
    [
        ("linux", {"HOME": "/home/ann"}, "/home/ann/.local/share/backscroll"),
        ("linux", {"HOME": "/home/ann", "XDG_DATA_HOME": "/data"}, "/data/backscroll"),
        ("linux", {"HOME": "/home/ann", "XDG_DATA_HOME": "data"}, "/home/ann/.local/share/backscroll"),
        ("darwin", {"HOME": "/Users/ann"}, "/Users/ann/Library/Application Support/backscroll"),
        ("win32", {"USERPROFILE": "/Users/ann"}, "/Users/ann/AppData/Local/backscroll"),
        ("win32", {"USERPROFILE": "/Users/ann", "LOCALAPPDATA": "/local"}, "/local/backscroll"),
        ("linux", {"HOME": "/home/ann", "BACKSCROLL_HOME": "/ours"}, "/ours"),
    ],
)
def test_home_on_each_system(platform: str, env: dict[str, str], expected: str) -> None:
    """The home follows the custom of the system, and BACKSCROLL_HOME before all."""
    assert dirs.home(env, platform) == Path(expected)


@pytest.mark.parametrize("env", [{}, {"HOME": ""}, {"HOME": "/"}])
def test_home_without_a_user(env: dict[str, str]) -> None:
    """No HOME, an empty one or `/` gives a place, not a crash."""
    assert dirs.home(env, "linux") == Path("/.local/share/backscroll")


def test_everything_lies_in_the_home() -> None:
    """Index and demo are directories of the home."""
    assert (dirs.index(Path("/ours")), dirs.demo(Path("/ours"))) == (Path("/ours/index"), Path("/ours/demo"))


def test_user_home_may_be_unknown() -> None:
    """Without HOME and USERPROFILE there is no user's home."""
    assert dirs.user_home({}) is None
