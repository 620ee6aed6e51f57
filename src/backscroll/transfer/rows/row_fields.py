"""Fields of rows: those that are never copied to another account, and those that a bundle may contain."""

import re
from typing import Any

from backscroll.stores.desktop_files.manifests import KNOWN

Fields = dict[str, Any]

_GROUPS = {"permissions", "browser", "approvals", "egress", "mcp", "schedule", "remote"}
"""The groups of `stores/desktop_files/manifests.py` that belong to one account on one machine."""
_LEASE = {
    *("worktreePath", "worktreeName", "worktreeLazy", "worktreePinned"),
    *("keptDirtyWorktree", "keptDirtyAt", "keptWorktreeLeftover"),
}
"""The lease of a worktree: the first session still has it, and deleting the second would delete the worktree."""
_PERSON = {"emailAddress", "accountName"}
_FAMILIES = re.compile(r"ssh|wsl|remoteControl|bridge|scheduled|chrome|cu[A-Z]")
_HARMLESS_MODES = ("default", "plan")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")

_BUNDLED: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("sessionId", "cliSessionId", "cwd", "originCwd", "title", "titleSource", "model"), str),
    **dict.fromkeys(("effort", "branch", "sourceBranch"), str),
    **dict.fromkeys(("createdAt", "lastActivityAt", "completedTurns"), (int, float)),
    "isArchived": bool,
    "priorCliSessionIds": list,
}
"""The fields that a row of a bundle may have, with their types: a bundle may come from anybody."""


def cleaned(fields: Fields) -> tuple[Fields, list[str]]:
    """Return the fields of a row that may be copied to another account, and the names of the others."""
    dropped = [name for name, value in fields.items() if not _may_go(name, value)]
    return {name: value for name, value in fields.items() if name not in dropped}, dropped


def _may_go(name: str, value: object) -> bool:
    if name == "permissionMode":
        return value in _HARMLESS_MODES
    group = KNOWN.get(name, ("", ""))[0]
    return group not in _GROUPS and name not in _LEASE | _PERSON and not _FAMILIES.match(name)


def bundled(fields: Fields) -> Fields:
    """Return the fields of a row that a bundle may contain."""
    kept = {name: fields[name] for name, kind in _BUNDLED.items() if isinstance(fields.get(name), kind)}
    prior = kept.get("priorCliSessionIds", [])
    kept["priorCliSessionIds"] = [one for one in prior if isinstance(one, str) and _UUID.fullmatch(one)]
    return kept


def with_prior(fields: Fields, *ids: object) -> Fields:
    """Return a row that also remembers earlier ids of its conversation."""
    prior = fields.get("priorCliSessionIds")
    known = [one for one in prior if isinstance(one, str)] if isinstance(prior, list) else []
    more = [one for one in ids if isinstance(one, str) and one not in (fields.get("cliSessionId"), *known)]
    return {**fields, "priorCliSessionIds": list(dict.fromkeys([*known, *more]))} if more else fields


def both_kept(there: Fields, coming: Fields) -> Fields:
    """Return the target's row with the ids of both: the last used conversation comes first."""
    prior = coming.get("priorCliSessionIds")
    known = prior if isinstance(prior, list) else []
    if _active(coming) > _active(there):
        newer = {**there, "cliSessionId": coming["cliSessionId"], "lastActivityAt": coming["lastActivityAt"]}
        return with_prior(newer, *known, there.get("cliSessionId"))
    return with_prior(there, *known, coming.get("cliSessionId"))


def _active(fields: Fields) -> float:
    value = fields.get("lastActivityAt")
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0
