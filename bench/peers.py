"""The programs that we are compared with, each in a virtual environment of its own below bench/.venv.

A peer that cannot be had is reported as absent, with the reason; nothing else changes.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENTS = Path(__file__).parent / ".venv"
PATIENCE = 600


@dataclass(slots=True)
class Peer:
    """A program that does some of what we do."""

    name: str
    program: Path
    version: str = ""
    absent: str = ""
    """Why it is not there; empty where it is."""


PACKAGES = {
    "claude-agent-sdk": ("claude-agent-sdk", "python"),
    "agentsview": ("agentsview==0.46.1", "../lib/python*/site-packages/agentsview/bin/agentsview"),
    "claude-code-log": ("claude-code-log==1.7.0", "claude-code-log"),
}
"""What to install, and the program in it that is run: native ones without the Python that wraps them."""
TOOLS = {"ripgrep": "rg", "cat": "cat"}
"""Programs of the system, by the name of their package."""


def all_peers(say: Callable[[str], None]) -> dict[str, Peer]:
    """Install what is missing and return every peer, the absent ones too."""
    found = [installed(name, *wanted, say) for name, wanted in PACKAGES.items()]
    return {peer.name: peer for peer in (*found, *(_tool(name, program) for name, program in TOOLS.items()))}


def installed(name: str, requirement: str, program: str, say: Callable[[str], None]) -> Peer:
    """Return a peer, installed from the package index into an environment of its own."""
    place = ENVIRONMENTS / name
    peer = Peer(name, place / "bin" / program)
    mark = place / "installed"
    try:
        if not mark.exists() or mark.read_text(encoding="utf-8") != requirement:
            say(f"installing {requirement}")
            shutil.rmtree(place, ignore_errors=True)
            _call([sys.executable, "-m", "venv", place])
            _call([place / "bin" / "python", "-m", "pip", "install", "--quiet", requirement])
            mark.write_text(requirement, encoding="utf-8")
        ask = f"from importlib.metadata import version; print(version({name!r}))"
        peer.version = _call([place / "bin" / "python", "-c", ask]).strip()
        peer.program = next((place / "bin").glob(program))
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
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=PATIENCE, env=env, stdin=subprocess.DEVNULL
    )
    return done.stdout
