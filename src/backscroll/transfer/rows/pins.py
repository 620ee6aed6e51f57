"""Plan to copy the groups of Desktop's sidebar, and their order, from one account to another.

They are in `claude_desktop_config.json`, under `preferences.epitaxyPrefs.dframe-group-scopes`.  Pins are in the
browser storage of its pages, which we never write, so they are only listed.  The copied sessions appear unpinned.
docs/formats.md, "Marks of Desktop".
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from backscroll.changes.plan import KEEP, REFUSE, SAME, SKIP, WRITE, ChangePlan, PlanStep, check_plan, digest_at
from backscroll.errors import QueryError, RefusedError
from backscroll.sessions.joining.marks import DesktopMarks, row_id
from backscroll.stores.desktop import CODE_ROWS
from backscroll.transfer.guard import TransferScope, guards
from backscroll.transfer.json_style import read_json
from backscroll.transfer.rows.targets import AccountPlace, chosen_owner

SETTINGS = "claude_desktop_config.json"
_WRAPPERS = ("state", "value", "customGroupsByScope")
_IN_BROWSER = (
    "it is in the browser storage of Claude Desktop, which backscroll never writes; set it again in the sidebar"
)


@dataclass(frozen=True, slots=True)
class PinOptions:
    """The options of one `transfer pins`, and its places."""

    account: str
    to: str
    desktops: Sequence[Path]
    marks: Mapping[str, DesktopMarks]
    """The data directory of each Desktop, and the marks there."""
    journal: Path
    emails: Mapping[str, str] = field(default_factory=dict)
    force: bool = False


class _Both(NamedTuple):
    data: Path
    source: AccountPlace
    target: AccountPlace


def plan_pins(wish: PinOptions) -> ChangePlan:
    """Plan to copy groups and order from one account to another, in the Desktop that has both."""
    both = _both(wish)
    if both.source == both.target:
        raise QueryError("the account and --to are the same", str(both.target))
    touched = TransferScope()
    steps = list(_settings(both, touched))
    if any(step.action == WRITE for step in steps):
        steps += guards(touched, [], wish.journal, force=wish.force)
    if (marks := wish.marks.get(str(both.data))) is not None:
        steps += _in_browser(marks, both)
    if not steps:
        steps.append(PlanStep(KEEP, None, str(both.data / SETTINGS), "this account has no groups and no pins", SAME))
    return check_plan(ChangePlan(f"transfer pins {wish.account} --to {wish.to}", steps, [both.data]))


def _both(wish: PinOptions) -> _Both:
    failure = RefusedError("Claude Desktop was not found here")
    for data in wish.desktops:
        try:
            names = (chosen_owner(data, asked, wish.emails) for asked in (wish.account, wish.to))
            return _Both(data, *names)
        except RefusedError as error:
            failure = error
    raise failure


def _settings(both: _Both, touched: TransferScope) -> Iterator[PlanStep]:
    path = both.data / SETTINGS
    if not path.is_file():
        return
    try:
        settings, style = read_json(str(path))
        held = settings["preferences"]["epitaxyPrefs"]["dframe-group-scopes"]
        inner = json.loads(held) if isinstance(held, str) else held
    except (LookupError, TypeError):
        return  # no groups at all
    except (OSError, ValueError) as error:
        yield PlanStep(REFUSE, str(path), None, f"cannot be read: {error}")
        return
    merged = deepcopy(inner)
    scopes = _scopes(merged)
    source = scopes.get(str(both.source)) if scopes is not None else None
    if scopes is None or not isinstance(source, dict):
        return
    target, skipped = _merged(source, scopes.get(str(both.target)), both)
    yield from (PlanStep(SKIP, one, None, "the account has no row of it; `transfer copy` it first") for one in skipped)
    if target == scopes.get(str(both.target)):
        yield PlanStep(KEEP, None, str(path), "the account has these groups already", SAME)
        return
    scopes[str(both.target)] = target
    value = json.dumps(merged, separators=(",", ":"), ensure_ascii=False) if isinstance(held, str) else merged
    settings["preferences"]["epitaxyPrefs"]["dframe-group-scopes"] = value
    touched.desktops.add(both.data)
    touched.sources.append(str(path))
    count = len(target["assignments"])
    why = f"groups in all: {len(target['groups'])}, sessions in them: {count}"
    yield PlanStep(WRITE, None, str(path), why, content=style.text(settings), replaces=digest_at(str(path)))


def _scopes(value: Any) -> dict[str, Any] | None:
    """Return the map from `account/organisation` to groups, inside any wrapper."""
    while isinstance(value, dict):
        wrapper = next((name for name in _WRAPPERS if isinstance(value.get(name), dict)), None)
        if wrapper is None:
            return value
        value = value[wrapper]
    return None


def _merged(source: dict[str, Any], there: Any, both: _Both) -> tuple[dict[str, Any], list[str]]:
    """Return the groups of both accounts, those that are there first, and the sessions that the target lacks."""
    target = dict(there) if isinstance(there, dict) else {}
    groups, known = list(target.get("groups") or []), {_id(one) for one in target.get("groups") or []}
    groups += [one for one in source.get("groups") or [] if _id(one) not in known]
    assignments, skipped = dict(target.get("assignments") or {}), []
    for session, group in (source.get("assignments") or {}).items():
        row = both.data.joinpath(CODE_ROWS, *both.target, f"{row_id(session)}.json")
        if row.is_file():
            assignments.setdefault(session, group)
        else:
            skipped.append(row_id(session))
    order = list(target.get("order") or [])
    order += [one for one in source.get("order") or [] if one not in order]
    return {**target, "groups": groups, "assignments": assignments, "order": order}, skipped


def _id(group: Any) -> Any:
    return group.get("id") if isinstance(group, dict) else None


def _in_browser(found: DesktopMarks, both: _Both) -> Iterator[PlanStep]:
    """Yield the pins and groups of the first account that only browser storage has."""
    rows = both.data.joinpath(CODE_ROWS, *both.source)
    marks = found.marks
    for name in marks.pinned or ():
        if (rows / f"{name}.json").is_file():
            yield PlanStep(SKIP, f"{marks.sources['pinned'].key} {name}", None, f"pinned: {_IN_BROWSER}")
    if marks.groups and marks.sources["groups"].kind != "settings":
        for group in marks.groups:
            if group.scope in (None, str(both.source)) and (rows / f"{group.session}.json").is_file():
                where = f"{marks.sources['groups'].key} {group.session}"
                yield PlanStep(SKIP, where, None, f"in the group {group.name!r}: {_IN_BROWSER}")
