"""The package as its users get it: the wheel alone, its metadata, and the modules that a start imports."""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from backscroll.demo.home import write_demo_home
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


def install(wheel: Path, environment: Path) -> Path:
    """Install the wheel with the locked versions of what it needs and nothing else; return the program."""
    sync = ("sync", "--frozen", "--no-dev", "--no-install-project", "--python", sys.executable)
    uv(*sync, UV_PROJECT_ENVIRONMENT=str(environment))
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
def test_wheel_works_alone(wheel: Path, tmp_path: Path, home: Path) -> None:
    """In an empty environment the wheel works with nothing but what it says it needs, colours included."""
    program = install(wheel, tmp_path / "venv")

    assert f"backscroll {__version__}\n" == run(program, "--version")
    assert run(program, "--help").startswith("Usage: backscroll")
    assert {"total": 0, "sessions": []} == json.loads(run(program, "--root", str(home), "list", "--json"))
    assert "MIT" in json.loads(run(program, "--root", str(home), "usage", "--json"))["prices"]
    run(program, "demo", str(tmp_path / "demo"))
    assert 0 < json.loads(run(program, "--root", str(tmp_path / "demo"), "search", "the", "--json"))["total"]


@pytest.mark.slow
def test_wheel_serves_the_web_page(wheel: Path, tmp_path: Path) -> None:
    """In an empty environment `web` prints a link with a secret, and serves the page."""
    program = install(wheel, tmp_path / "venv")
    home = write_demo_home(tmp_path / "demo")
    command: list[str | Path] = [program, "--root", home, "web", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            link = urlsplit(server.stdout.readline().strip())
            connection = HTTPConnection(link.netloc)
            connection.request("GET", "/")
            page = connection.getresponse().read().decode()
            connection.close()
        finally:
            server.terminate()

    assert ("127.0.0.1", True) == (link.hostname, bool(link.fragment))
    assert "<title>backscroll</title>" in page


@pytest.mark.slow
def test_source_archive_holds_the_sources_alone(tmp_path: Path) -> None:
    """The source archive has every module, the README and the licence, and nothing that was made here."""
    uv("build", "--sdist", "--out-dir", tmp_path)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*.py")}
    made = [name for name in names if re.search(r"__pycache__|node_modules|\.pyc$|/\.", name)]

    assert modules | {"README.md", "LICENSE", "pyproject.toml"} <= names
    assert [] == made


@pytest.mark.slow
def test_the_page_of_a_package_index_is_not_empty(wheel: Path) -> None:
    """The wheel carries the README, links, keywords, the licence and the mark of a typed package."""
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        text = opened.read(next(name for name in names if name.endswith("METADATA"))).decode()
    metadata = message_from_string(text)
    links = {link.partition(",")[0] for link in metadata.get_all("Project-URL", [])}

    assert str(metadata.get_payload()).lstrip().startswith("# backscroll")
    assert "text/markdown" == metadata["Description-Content-Type"]
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} == links
    assert {"Summary", "Keywords", "License-Expression", "Requires-Python"} <= set(metadata.keys())
    assert {"backscroll/py.typed", "backscroll/__init__.pyi"} <= set(names)
    page = {f"backscroll/web/static/{name}" for name in ("page.html", "app.js", "app.css", "LICENSES.txt")}
    assert page <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)


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


def test_workflows_call_targets_that_exist() -> None:
    """Every make target in a workflow of GitHub is one of the Makefile, and `make` lists it with its purpose."""
    workflows = [path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")]
    called = {target for text in workflows for target in re.findall(r"run: make ([a-z-]+)", text)}
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)

    assert {"test", "check", "check-plain", "dist"} == called
    assert called <= set(targets)
