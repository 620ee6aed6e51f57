"""The package as its users get it: the wheel, its extras, and how little `--version` costs."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from backscroll.version import __version__

ROOT = Path(__file__).parent.parent
UV = ROOT / ".tools" / "bin" / "uv"

# As it was before the fixtures gave this process another home: uv keeps its downloads in the real one.
ENVIRONMENT = dict(os.environ)


def uv(*arguments: str | Path, **variables: str) -> None:
    """Run the uv that `make setup` installed."""
    command = [UV, "--quiet", "--no-config", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, check=False, capture_output=True, text=True, env={**ENVIRONMENT, **variables}
    )

    assert 0 == done.returncode, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel."""
    directory = tmp_path_factory.mktemp("wheel")
    uv("build", "--wheel", "--out-dir", directory)
    return next(directory.glob("*.whl"))


def install(wheel: Path, environment: Path, *extras: str) -> Path:
    """Install the wheel with the locked versions of what it needs and nothing else; return the program."""
    chosen = [word for extra in extras for word in ("--extra", extra)]
    sync = ("sync", "--frozen", "--no-dev", "--no-install-project", "--python", sys.executable)
    uv(*sync, *chosen, UV_PROJECT_ENVIRONMENT=str(environment))
    python = environment / "bin" / "python"
    uv("pip", "install", "--no-deps", "--python", python, wheel)
    uv("pip", "check", "--python", python)
    return environment / "bin" / "backscroll"


def run(program: Path, *arguments: str) -> str:
    """Run the installed program and return what it prints."""
    done = subprocess.run([program, *arguments], check=False, capture_output=True, text=True)

    assert (0, "") == (done.returncode, done.stderr)

    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("extras", [(), ("terminal",)], ids=["core", "terminal"])
def test_wheel_works_alone(wheel: Path, tmp_path: Path, home: Path, extras: tuple[str, ...]) -> None:
    """The wheel works with what it says it needs, with and without the terminal extra."""
    program = install(wheel, tmp_path / "venv", *extras)

    assert f"backscroll {__version__}\n" == run(program, "--version")
    assert run(program, "--help").startswith("Usage: backscroll")
    assert {"total": 0, "sessions": []} == json.loads(run(program, "--root", str(home), "list", "--json"))
    assert "MIT" in json.loads(run(program, "--root", str(home), "usage", "--json"))["prices"]


def test_version_imports_next_to_nothing() -> None:
    """`--version` is answered before click, msgspec, json or typing are imported."""
    code = (
        "import sys; before = set(sys.modules); sys.argv = ['backscroll', '--version'];"
        "from backscroll.__main__ import main; main(); print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], check=True, capture_output=True, text=True, env=source_env()
    )
    said, modules = done.stdout.splitlines()

    assert f"backscroll {__version__}" == said
    assert {"backscroll", "backscroll.__main__", "backscroll.version"} == set(modules.split())


def source_env() -> dict[str, str]:
    """Return an environment in which Python finds the package's source without any site hooks."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def test_version_is_said_once() -> None:
    """pyproject.toml and version.py name the same version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert project["version"] == __version__


def test_lock_names_the_public_index_only() -> None:
    """uv.lock holds on any machine: it names no mirror and no local path."""
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    sources = {str(source) for package in lock["package"] for source in package["source"].items()}

    assert 2 == len(sources)  # the public index, and this package itself
    assert "('editable', '.')" in sources
