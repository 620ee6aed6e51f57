"""The identities that a root names: homes, users, hosts, accounts, organisations and the author of git commits.

Input: the catalogue, and the roots that are read.  Output: the values that become ⟨home⟩, ⟨user⟩ and so on.
"""

import re
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from backscroll import dirs
from backscroll.desktop.accounts import accounts
from backscroll.files import read_small
from backscroll.index.db import Connection
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.redact import KnownIdentities
from backscroll.sessions.desktop_model import Account

_HOME = re.compile(r"(?:/(?:home|Users)/|[A-Za-z]:[\\/]Users[\\/])[^/\\\s]{1,64}")
_SHARED = re.compile("shared|public|default|all users", re.IGNORECASE)
_SECTION = re.compile(r"^\s*\[\s*([A-Za-z0-9.-]+)")
_AUTHOR = re.compile(r"^\s*(name|email)\s*=\s*\"?([^\"#;\r\n]+)", re.IGNORECASE)
_LARGEST = 1 << 20


def known_identities(database: Connection, roots: Sequence[Path], env: Mapping[str, str]) -> KnownIdentities:
    """Return the identities of the owner of all sessions below the roots, or of this user without roots."""
    own = dirs.user_home(env)
    directories = list(roots) or ([own] if own else [])
    homes = _unique([*_homes(database), *(str(path) for path in directories if path.parent != path)])
    found = accounts(database).accounts
    authors = [pair for directory in directories for pair in _git_author(directory)]
    return KnownIdentities(
        homes=homes,
        users=_unique([*_users(homes), *([] if roots else [env.get("USER") or env.get("USERNAME") or ""])]),
        hosts=() if roots else _unique([socket.gethostname(), socket.gethostname().partition(".")[0]]),
        emails=_unique([*(one.email or "" for one in found), *(text for name, text in authors if name == "email")]),
        names=_unique([*(one.name or "" for one in found), *(text for name, text in authors if name == "name")]),
        accounts=_unique([name for one in found for name in _ids(one)]),
    )


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))


def _ids(account: Account) -> Iterator[str]:
    """Yield the ids of an account and of its organisations, and the names of these."""
    yield account.id
    for workspace in account.workspaces:
        yield workspace.id
        yield workspace.name or ""


def _homes(database: Connection) -> Iterator[str]:
    """Yield the home directories of any system in which sessions were held."""
    for session in query.sessions(database, SessionFilter(), None):
        found = _HOME.match(session.cwd or session.project or "")
        if found is not None and not _SHARED.fullmatch(_last_name(found[0])):
            yield found[0]


def _users(homes: Iterable[str]) -> Iterator[str]:
    """Yield the names of the users that homes belong to; a root of any other name belongs to nobody."""
    return (_last_name(home) for home in homes if _HOME.fullmatch(home))


def _last_name(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


def _git_author(home: Path) -> Iterator[tuple[str, str]]:
    """Yield name and e-mail of the author in the settings of git."""
    for path in (home / ".gitconfig", home / ".config/git/config"):
        try:
            lines = read_small(path, _LARGEST).decode(errors="replace").splitlines()
        except (OSError, ValueError):
            continue
        section = ""
        for line in lines:
            if (opened := _SECTION.match(line)) is not None:
                section = opened[1].lower()
            elif section == "user" and (said := _AUTHOR.match(line)) is not None:
                yield said[1].lower(), said[2].strip()
