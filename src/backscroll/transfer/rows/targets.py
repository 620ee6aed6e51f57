"""Targets: the account and organisation of a Claude Desktop that gets rows.

    <data>/claude-code-sessions/<account>/<organization>/        rows of the Code tab
    <data>/local-agent-mode-sessions/<account>/<organization>/   manifests of Cowork

Both names may be shortened to eight digits.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from backscroll.errors import RefusedError
from backscroll.stores.desktop import CODE_ROWS, COWORK_ROWS
from backscroll.stores.desktop_files.allowed import desktop_account

_NAME = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F-]{27})?")


class AccountPlace(NamedTuple):
    """An account with one of its organisations, as directories name them."""

    account: str
    organization: str

    def __str__(self) -> str:
        return f"{self.account}/{self.organization}"


def owners_in(data: Path) -> list[AccountPlace]:
    """Return the accounts of one Desktop, each with every organisation that has a directory."""
    found: set[AccountPlace] = set()
    for rows in (CODE_ROWS, COWORK_ROWS):
        for account in _directories(data / rows):
            found.update(AccountPlace(account.name, one.name) for one in _directories(account))
    return sorted(found)


def _directories(directory: Path) -> list[Path]:
    try:
        found = [path for path in directory.iterdir() if _NAME.fullmatch(path.name)]
    except OSError:
        return []
    return sorted(path for path in found if path.is_dir() and not path.is_symlink())


def chosen_owner(data: Path, asked: str, emails: Mapping[str, str]) -> AccountPlace:
    """Return the owner for ACCOUNT[/ORG]; `emails` maps addresses in lower case to accounts.

    Raise RefusedError with the list if none or several fit.
    """
    account, _, organization = asked.partition("/")
    named = emails.get(account.lower(), account)
    known = owners_in(data)
    found = [one for one in known if _fits(one.account, named) and _fits(one.organization, organization)]
    if len(found) == 1:
        return found[0]
    what = "no directory here belongs to this account" if not found else "this account has several organisations here"
    if len({one.account for one in found}) > 1:
        what = "several accounts have this name"
    raise RefusedError(what, asked, _listed(found or known, emails))


def signed_in_owner(
    desktops: Sequence[Path], asked: str | None, emails: Mapping[str, str], account: str | None = None
) -> tuple[Path, AccountPlace]:
    """Return the Desktop and the owner: the requested one, the one of the account, or the signed-in one.

    Raise RefusedError with the list if that is not clear.
    """
    if asked is not None and desktops:
        fitting = [data for data in desktops if owners_in(data)] or list(desktops)
        return fitting[0], chosen_owner(fitting[0], asked, emails)
    for data in desktops:
        for one in (account, desktop_account(str(data / "config.json"))):
            if one is not None and any(owner.account == one for owner in owners_in(data)):
                return data, chosen_owner(data, one, emails)
    known = [(data, owner) for data in desktops for owner in owners_in(data)]
    if len(known) == 1:
        return known[0]
    raise RefusedError("it is not clear which account gets the row", None, _listed([one for _, one in known], emails))


def _fits(name: str, asked: str) -> bool:
    """Return True if a directory belongs to an id, the start of one, or nothing in particular."""
    if not asked:
        return True
    is_short = len(name) == 8 and asked.lower().startswith(name.lower())
    return is_short or name.lower().startswith(asked.lower())


def _listed(owners: Sequence[AccountPlace], emails: Mapping[str, str]) -> str:
    names = {account: email for email, account in emails.items()}
    lines = [f"  {one}" + (f"  {names[one.account]}" if one.account in names else "") for one in owners]
    return "\n".join(["Name one with --to ACCOUNT/ORG:", *lines]) if lines else "Sign in to Claude Desktop once first."
