"""Checks of a home beside its sessions: accounts, worktrees, file modes, names in the clear."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote

from backscroll.desktop.accounts import accounts
from backscroll.health.surroundings import CheckResult, Surroundings, counted, named
from backscroll.index.health_facts import configs, paths_of_files, rows_with_person, stated_accounts
from backscroll.place import Place
from backscroll.sessions.desktop_model import Account
from backscroll.stores.desktop_files.worktrees import REGISTRY, read_worktrees

_COWORK = "/local-agent-mode-sessions/"


def account(around: Surroundings) -> Iterator[CheckResult]:
    """Report that Desktop hides sessions of other accounts, or that one person has two accounts."""
    found = accounts(around.database)
    having = [one for one in found.accounts if one.rows or one.cowork]
    current = {one.account: one.path for one in found.signed_in if one.program == "desktop"}
    for name, path in current.items():
        others = [one for one in having if one.id not in current]
        is_empty = name not in {one.id for one in having}
        for other in others:
            yield _hidden(other, name, path, is_empty=is_empty)
    yield from _same_person(having, around)
    yield from _wrong_rows(around)


def _hidden(other: Account, current: str, path: str, *, is_empty: bool) -> CheckResult:
    hidden = counted(other.rows + other.cowork, "session")
    text = f"Desktop is signed in with account {current[:8]} and hides {hidden} of account {other.id[:8]}"
    if is_empty:
        return CheckResult(
            "warning", f"{text}; its own list is empty.", Place(path), f"list --account {named(other.id)}"
        )
    return CheckResult("note", f"{text}.", Place(path), f"list --account {named(other.id)}")


def _same_person(having: list[Account], around: Surroundings) -> Iterator[CheckResult]:
    by_email: dict[str, list[Account]] = {}
    for one in having:
        if one.email:
            by_email.setdefault(one.email.casefold(), []).append(one)
    for same in by_email.values():
        if len(same) > 1:
            names = " and ".join(one.id[:8] for one in same)
            text = f"The accounts {names} have one e-mail address: a new sign-in may have made a second account."
            yield CheckResult("warning", text, _row_of(same[0], around), f"list --account {named(same[-1].id)}")


def _row_of(one: Account, around: Surroundings) -> Place:
    """Return a row that proves an account."""
    rows = (row for session in around.sessions for row in session.rows if row["account"] == one.id)
    return Place(next((row["path"] for row in rows), one.id))


def _wrong_rows(around: Surroundings) -> Iterator[CheckResult]:
    """Report that a row is under another account than the one in its transcript."""
    stated = stated_accounts(around.database)
    for session in around.sessions:
        own = stated.get(session.id)
        owners = {row["account"] for row in session.rows if row["account"] and row["product"] in ("code", "cowork")}
        if own is not None and owners and own not in owners:
            place = next(row["path"] for row in session.rows if row["account"] in owners)
            text = f"The row of this session is under account {min(owners)[:8]}, but account {own[:8]} made it."
            yield CheckResult("note", text, Place(place), session=session.id)


def worktree(around: Surroundings) -> Iterator[CheckResult]:
    """Report that a worktree of Desktop's registry is gone; paths of another home mean nothing here."""
    if not around.is_own:
        return
    registries = paths_of_files(around.database, kind="worktrees")
    sessions = {row["id"]: one.id for one in around.sessions for row in one.rows}
    for item in read_worktrees([Path(path).parent for path in registries if path.endswith(REGISTRY)]).worktrees:
        if item.exists is False:
            text = f"Desktop's registry has the worktree {item.name}, but {item.path} is gone."
            yield CheckResult("note", text, Place(item.registry), session=sessions.get(item.row or ""))


def permissions(around: Surroundings) -> Iterator[CheckResult]:
    """Report that other users of this machine may read or change files of a configuration directory."""
    modes: dict[str, list[int]] = {}
    for config in configs(around.database):
        if _is_open(Path(config), around.homes):
            paths = paths_of_files(around.database, config=config)
            modes.setdefault(_outermost(config), []).extend(map(_mode, paths))
    for directory, found in modes.items():
        readable = sum(bool(mode & (stat.S_IRGRP | stat.S_IROTH)) for mode in found)
        writable = sum(bool(mode & stat.S_IWOTH) for mode in found)
        if readable or writable:
            text = f"Files that other users may read: {readable:,}; that everybody may change: {writable:,}."
            severity = "warning" if writable else "note"
            yield CheckResult(severity, text, Place(directory), f"$chmod -R go= {quote(directory)}")


def _is_open(config: Path, homes: Sequence[Path]) -> bool:
    """Return True if other users can enter every directory from the home to a configuration directory."""
    way = [path for path in (config, *config.parents) if any(path.is_relative_to(home) for home in homes)]
    return all(_mode(str(path)) & (stat.S_IXGRP | stat.S_IXOTH) for path in way or [config])


def _outermost(config: str) -> str:
    """Return the directory of all Cowork sessions for the directory of one; any other directory unchanged."""
    front, name, _ = config.partition(_COWORK)
    return front + name.rstrip("/") if name else config


def _mode(path: str) -> int:
    """Return the permissions of a path; 0 if they are not known."""
    try:
        return stat.S_IMODE(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return 0


def names_in_clear(around: Surroundings) -> Iterator[CheckResult]:
    """Report that files hold the name and e-mail address of a person in the clear."""
    people = [one for one in accounts(around.database).accounts if one.email or one.name]
    if people:
        text = "Claude's files hold your name and e-mail address in the clear; `share` and `redact` replace them."
        yield CheckResult("note", text, Place(_first_with_person(around)), "accounts")


def _first_with_person(around: Surroundings) -> str:
    rows = rows_with_person(around.database)
    return next(iter([*rows, *paths_of_files(around.database, kind="global-config")]), ".")
