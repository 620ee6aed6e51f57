"""A Stop hook in Claude Code's settings that runs `archive sync` after every answer."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from backscroll.changes.plan import REFUSE, SAME, WRITE, PlanStep, digest_at
from backscroll.files import read_small, reason_of

_LARGEST = 16 << 20
_MARK = "archive sync >/dev/null 2>&1 || true"
"""The end of our hook's command: it prints nothing, and never prevents Claude Code from stopping."""
_SECONDS = 60


def hook_step(config: Path, command: Sequence[str], variables: dict[str, str], *, is_wanted: bool) -> PlanStep:
    """Plan to add our hook to the settings, or to remove it; every other setting stays unchanged."""
    path = config / "settings.json"
    try:
        before = _settings(path)
    except (OSError, ValueError, RecursionError) as error:
        why = reason_of(error) if isinstance(error, OSError) else "its JSON cannot be read"
        return PlanStep(REFUSE, None, str(path), f"the settings stay as they are: {why}")
    after = _without_hook(before or {})
    if is_wanted:
        after = _with_hook(after, _line(command, variables))
    why = "a Stop hook that runs archive sync" if is_wanted else "without backscroll's Stop hook"
    if after == (before or {}):
        return PlanStep(WRITE, None, str(path), why, SAME)
    content = json.dumps(after, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
    replaces = None if before is None else digest_at(str(path))
    return PlanStep(WRITE, None, str(path), why, content=content, replaces=replaces)


def _settings(path: Path) -> dict[str, Any] | None:
    try:
        data = read_small(path, _LARGEST)
    except FileNotFoundError:
        return None
    value = json.loads(data)
    hooks = value.get("hooks", {}) if isinstance(value, dict) else None
    if not isinstance(hooks, dict) or not isinstance(hooks.get("Stop", []), list):
        raise ValueError("unknown shape")  # noqa: TRY004 - the caller treats it as bad JSON
    return dict(value)


def _line(command: Sequence[str], variables: dict[str, str]) -> str:
    return f"{shell_line(command[:-2], variables)} {_MARK}"


def shell_line(command: Sequence[str], variables: dict[str, str]) -> str:
    """Return a command with its variables as a line for a shell."""
    words = [*(f"{name}={shlex.quote(value)}" for name, value in variables.items()), *map(shlex.quote, command)]
    return " ".join(words)


def _with_hook(settings: dict[str, Any], line: str) -> dict[str, Any]:
    hooks = settings.get("hooks", {})
    ours = {"hooks": [{"type": "command", "command": line, "timeout": _SECONDS}]}
    return settings | {"hooks": hooks | {"Stop": [*hooks.get("Stop", []), ours]}}


def _without_hook(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings without our hook, and without lists that contained only our hook."""
    hooks = settings.get("hooks", {})
    stops = hooks.get("Stop", [])
    kept = [group for group in stops if not _is_ours(group)]
    if len(kept) == len(stops):
        return settings
    left = {name: value for name, value in (hooks | {"Stop": kept}).items() if name != "Stop" or value}
    return {name: value for name, value in (settings | {"hooks": left}).items() if name != "hooks" or value}


def _is_ours(group: Any) -> bool:
    inner = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(inner, list) or len(inner) != 1 or not isinstance(inner[0], dict):
        return False
    command = inner[0].get("command")
    return isinstance(command, str) and command.endswith(_MARK) and "backscroll" in command
