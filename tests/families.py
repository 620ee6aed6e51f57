"""Families: sessions that fork from one another, have agents and give each other titles, for tests that vary them."""

import os
from pathlib import Path

from hypothesis import strategies as st
from make import UUID, Draft, bash


def written(root: Path) -> list[tuple[Path, bytes, int]]:
    """Return every file of a home with its content and time, and empty the home."""
    files = sorted(path for path in (root / ".claude").rglob("*") if path.is_file())
    kept = [(path, path.read_bytes(), path.stat().st_mtime_ns) for path in files]
    for path in files:
        path.unlink()
    return kept


def put(path: Path, content: bytes, time: int) -> None:
    """Write a file back as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, ns=(time, time))


STYLES = ("branch", "plain", "sdk", "resume")
VERSIONS = ("1.0.44", "1.0.128", "2.0.33", "2.1.20", "2.1.325")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["go on", "fork", "agent", "rewind", "summary", "empty", "other name"]), st.integers(0, 99)
    ),
    min_size=2,
    max_size=7,
)


def drafted(steps: list[tuple[str, int]], version: str, style: str) -> list[Draft]:
    """Make sessions that fork from one another, have agents and give each other titles."""
    drafts = [Draft(UUID, version=version).prompt("A").answer("B", calls=[bash("ls", "a")])]
    for number, (step, choice) in enumerate(steps):
        draft = drafts[choice % len(drafts)]
        name = f"{number:08d}-aaaa-4aaa-8aaa-{choice:012d}"
        if step == "fork":
            drafts.append(draft.fork(name, style=style).prompt(f"Fork {number}").answer(f"Forked {number}"))
        elif step == "agent":
            draft.prompt(f"Agent {number}").join(draft.agent("Job", f"Do {number}"), "Done")
        elif step == "rewind" and draft.prompts:
            draft.rewind(to=1).prompt(f"Again {number}").answer("Once more")
        elif step == "summary":
            drafts[-1].summary(f"Summary {number}", leaf=draft.tip)
        elif step == "empty":
            drafts.append(Draft(name, version=version))
        elif step == "other name":
            drafts.append(Draft("notes", f"/r/{number}", version=version).prompt(f"Notes {number}").answer("Noted"))
        else:
            draft.prompt(f"Go on {number}").answer("Gone on")
    return drafts
