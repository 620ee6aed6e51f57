"""What every test gets: a home of its own, and the shared material where it is at hand."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from backscroll.lazy import PLAIN_START

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"

# Two workers on two cores make single examples slow by chance; a failure prints how to repeat it.
settings.register_profile("backscroll", deadline=None, print_blob=True)
settings.register_profile("quick", settings.get_profile("backscroll"), max_examples=25)  # `make check`
settings.load_profile("backscroll")


def is_of_the_user(name: str) -> bool:
    """Tell whether an environment variable carries the user's own choices into a test."""
    prefixes = ("ANTHROPIC_", "BACKSCROLL_", "CLAUDE", "XDG_")
    if name == PLAIN_START:  # `make check-plain` sets it for all tests
        return False
    return name.startswith(prefixes) or name in {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"}


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the test an empty home and BACKSCROLL_HOME, outside its tmp_path, and none of the user's settings."""
    for name in filter(is_of_the_user, list(os.environ)):
        monkeypatch.delenv(name)
    with tempfile.TemporaryDirectory(prefix="backscroll-", ignore_cleanup_errors=True) as directory:
        path = Path(directory, "home")
        path.mkdir()
        monkeypatch.setenv("HOME", str(path))
        monkeypatch.setenv("BACKSCROLL_HOME", str(Path(directory, "ours")))
        yield path


def shared_path(name: str) -> Path:
    """Return a path of the shared material, or skip the test that needs it."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"needs ../shared/{name}, which is not beside this repository")
    return path


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the directory of material shared between projects, ../shared."""
    return shared_path("")


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Return the shared corpus of homes and their truths, ../shared/corpus."""
    return shared_path("corpus")


@pytest.fixture(scope="session")
def hostile_dir() -> Path:
    """Return the shared files that are damaged on purpose, ../shared/hostile."""
    return shared_path("hostile")
