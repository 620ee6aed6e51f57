"""Plan to unpack a bundle: its files under the keys of this machine, its rows for an account here.

Paths are mapped only in keys and rows: no record is rewritten, nothing is overwritten.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from shlex import quote

from backscroll.changes.plan import COPY, KEEP, REFUSE, SAME, SKIP, WRITE, ChangePlan, PlanStep, check_plan, digest_at
from backscroll.errors import RefusedError
from backscroll.stores.desktop import CODE_ROWS
from backscroll.stores.desktop_files.worktrees import is_local
from backscroll.stores.project_key import could_be, encode
from backscroll.transfer.bundles.bundle import Bundle, BundledSession, BundleManifest
from backscroll.transfer.guard import TransferScope, guards
from backscroll.transfer.json_style import COMPACT, parsed
from backscroll.transfer.model import Unpacking
from backscroll.transfer.path_map import PathMap, moved_by
from backscroll.transfer.rows.row_fields import bundled
from backscroll.transfer.rows.targets import AccountPlace, signed_in_owner


@dataclass(frozen=True, slots=True)
class UnpackOptions:
    """The options of one `transfer unpack`, and its places."""

    config: Path
    desktops: Sequence[Path]
    journal: Path
    maps: list[PathMap] = field(default_factory=list)
    to: str | None = None
    emails: Mapping[str, str] = field(default_factory=dict)
    force: bool = False
    is_usual: bool = True
    """Claude Code takes this configuration by itself."""


def plan_unpack(bundle: Bundle, wish: UnpackOptions) -> Unpacking:
    """Read a bundle to its end, then plan to unpack it."""
    manifest, rows = bundle.read_manifest()
    digests = {entry.path: entry.sha256 for entry in manifest.files}
    places = {one.id: _place(one, digests, wish) for one in manifest.sessions}
    touched = TransferScope(set(places))
    steps = [*_files(bundle, manifest, places, wish), *_rows(manifest, rows, wish, touched), *_missing(places)]
    if any(step.action in (COPY, WRITE) for step in steps):
        steps += guards(touched, [wish.config], wish.journal, force=wish.force)
    roots = sorted({_existing(wish.config), *touched.desktops})
    changes = check_plan(ChangePlan(f"transfer unpack {bundle.where}", steps, roots))
    _let_side_files_stay(changes, wish)
    commands = {} if changes.is_refused else {one.id: _command(one, places[one.id], wish) for one in manifest.sessions}
    return Unpacking(changes, manifest.document(), commands)


@dataclass(frozen=True, slots=True)
class _Place:
    key: str
    cwd: str | None


def _place(session: BundledSession, digests: Mapping[str, str], wish: UnpackOptions) -> _Place:
    """Return the key and the directory of an unpacked session; an existing session keeps its key."""
    cwd = None if session.cwd is None else moved_by(wish.maps, session.cwd)
    for there in sorted(wish.config.glob(f"projects/*/{session.id}.jsonl")):
        if digest_at(str(there)) == digests.get(f"projects/{session.key}/{session.id}.jsonl"):
            return _Place(there.parent.name, cwd)
    if cwd is None:
        return _Place(session.key, None)
    if _is_here(cwd):
        cwd = os.path.realpath(cwd)
    is_same = cwd == session.cwd and not could_be(session.key, session.cwd)
    return _Place(session.key if is_same else encode(cwd), cwd)


def _files(
    bundle: Bundle, manifest: BundleManifest, places: Mapping[str, _Place], wish: UnpackOptions
) -> Iterator[PlanStep]:
    by_key = {one.key: places[one.id].key for one in reversed(manifest.sessions)}
    for number, entry in enumerate(manifest.files):
        parts = entry.path.split("/")
        if parts[0] == "rows":
            continue
        if parts[0] == "projects":
            owner = places.get(parts[2].removesuffix(".jsonl"))
            parts[1] = owner.key if owner is not None else by_key.get(parts[1], parts[1])
        target = wish.config.joinpath(*parts)
        step = PlanStep(COPY, entry.path, str(target), content=partial(bundle.open, number), digest=entry.sha256)
        is_transcript = parts[0] == "projects" and len(parts) == 3
        yield _settled(step, target, wish) if is_transcript else step


def _settled(step: PlanStep, target: Path, wish: UnpackOptions) -> PlanStep:
    """Return the step for a transcript; one id must not be under two keys."""
    for other in sorted(wish.config.glob(f"projects/*/{target.name}")):
        if other != target:
            return PlanStep(REFUSE, step.source, str(other), "another version of this session is here already")
    return step


def _let_side_files_stay(changes: ChangePlan, wish: UnpackOptions) -> None:
    """Turn a refusal into a skip if the file in the way is no transcript."""
    for step in changes.steps:
        if step.action != COPY or step.status != "refused" or not (step.why or "").startswith("something else"):
            continue
        names = Path(step.target or "").relative_to(wish.config).parts
        if names[0] == "projects" and len(names) == 3:
            step.why = "another version of this session is here already"
        else:
            step.action, step.status, step.why = SKIP, "skipped", "another file is in its place, and stays"


def _rows(
    manifest: BundleManifest, rows: Mapping[str, bytes], wish: UnpackOptions, touched: TransferScope
) -> Iterator[PlanStep]:
    """Yield a step for each row: the fields that a bundle may bring, with the paths of this machine."""
    if not rows:
        return
    try:
        data, owner = signed_in_owner(wish.desktops, wish.to, wish.emails)
    except RefusedError as error:
        if wish.to is not None:
            raise
        for path in rows:
            yield PlanStep(SKIP, path, None, f"{error.what}; `backscroll transfer row ID` makes a row later")
        return
    known = {one.id for one in manifest.sessions}
    for path, content in rows.items():
        step = _row(path, content, data, owner, wish, known)
        if step.action == WRITE:
            touched.desktops.add(data)
        yield step


def _row(  # noqa: PLR0913, PLR0917 - the row and its place
    path: str, content: bytes, data: Path, owner: AccountPlace, wish: UnpackOptions, known: set[str]
) -> PlanStep:
    try:
        fields, _ = parsed(content)
    except ValueError as error:
        return PlanStep(SKIP, path, None, f"cannot be read: {error}")
    name = Path(path).stem
    row = bundled(fields) if isinstance(fields, dict) else {}
    if row.get("sessionId") != name or row.get("cliSessionId") not in known:
        return PlanStep(SKIP, path, None, "this row belongs to no session of the bundle")
    row |= {one: moved_by(wish.maps, row[one]) for one in ("cwd", "originCwd") if one in row}
    directory = data.joinpath(CODE_ROWS, owner.account, owner.organization)
    target = directory / f"{name}.json"
    ids = (name, name.removeprefix("local_"), row["cliSessionId"])
    if any(os.path.lexists(directory / f"deleted_{one}") for one in ids):
        return PlanStep(SKIP, path, str(target), "this session was deleted in this account")
    if os.path.lexists(target):
        return PlanStep(KEEP, path, str(target), "the account has this row already", SAME)
    return PlanStep(WRITE, path, str(target), content=COMPACT.text(row))


def _missing(places: Mapping[str, _Place]) -> Iterator[PlanStep]:
    """Yield a note about each directory that a session needs and this machine lacks."""
    for cwd in dict.fromkeys(place.cwd for place in places.values()):
        if cwd is not None and not _is_here(cwd):
            yield PlanStep(SKIP, cwd, None, "this directory is not here yet; make it, or use --map OLD=NEW")


def _is_here(cwd: str) -> bool:
    return is_local(cwd) and os.path.isdir(cwd)  # noqa: PTH112 - a path of any system


def _existing(directory: Path) -> Path:
    """Return a directory, or its nearest existing parent."""
    while not directory.is_dir() and directory != directory.parent:
        directory = directory.parent
    return directory


def _command(session: BundledSession, place: _Place, wish: UnpackOptions) -> str:
    config = "" if wish.is_usual else f"CLAUDE_CONFIG_DIR={quote(str(wish.config))} "
    start = f"cd {quote(place.cwd)} && " if place.cwd is not None and _is_here(place.cwd) else ""
    return f"{start}{config}claude --resume {session.id}"
