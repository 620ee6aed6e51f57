"""What Claude Desktop's rows say of a session: its state, account, title, directory and times.

Comes in: a session made from its transcripts, and the rows joined to it (`stores/rows.py`), the newest first.
A transcript's own word counts more than a row's, but for a title that somebody typed into Desktop.
"""

from typing import Any

from backscroll.sessions.model import Session
from backscroll.sessions.projects import Cwd, project_of
from backscroll.sessions.titles import Title
from backscroll.times import parse

Row = dict[str, Any]

ELSEWHERE = {"ssh", "wsl", "cloud"}
TYPED_TITLES = {"user", "custom"}
_STORES = {"code": "desktop", "cowork": "cowork", "cloud": "cowork"}


def living(rows: list[Row]) -> list[Row]:
    """Return the rows that are there, without the tombstones of those that are not."""
    return [row for row in rows if row["product"] != "tombstone"]


def state_of(state: str, rows: list[Row], released: str | None, *, has_transcript: bool) -> str:
    """Return the state of a session whose files alone would give it `state`."""
    present = living(rows)
    if state == "damaged" or (not present and not has_transcript):
        return state
    if not present:
        return _state_without_row(state, is_deleted=bool(rows) or released == "delete", released=released)
    if not has_transcript and all(row["damage"] for row in present):
        return "damaged"
    if any(row["kind"] == "ssh" or (row["kind"] in ELSEWHERE and not has_transcript) for row in present):
        return "remote"
    if not has_transcript:
        return "ghost"
    return "archived" if all(row["archived"] for row in present) else state


def _state_without_row(state: str, *, is_deleted: bool, released: str | None) -> str:
    if is_deleted:
        return "deleted"
    return "archived" if released == "archive" else state


def apply_rows(session: Session, rows: list[Row]) -> None:
    """Give a session what its rows know and its transcripts do not."""
    session.rows = rows
    present = living(rows)
    session.stores = sorted({*session.stores, *(_STORES[row["product"]] for row in present)})
    session.damage += sum(row["damage"] is not None for row in present)
    session.account = session.account or next((row["account"] for row in rows if row["account"]), None)
    if not present:
        return
    newest = present[0]
    session.model = session.model or newest["model"]
    session.models = session.models or [model for model in [newest["model"]] if model]
    session.branch = session.branch or newest["branch"]
    session.started = session.started or parse(newest["created"])
    session.updated = session.updated or parse(newest["active"])


def hints_of(rows: list[Row]) -> list[tuple[str, str]]:
    """Return the directories that rows name, as hints."""
    names = ("cwd", "worktree", "origin")
    return [(row[name], "row") for row in living(rows) for name in names if row[name]]


def cwd_of(rows: list[Row]) -> Cwd | None:
    """Return the directory of a session that has no records to tell it."""
    return next((Cwd(row["cwd"], "row") for row in living(rows) if row["cwd"]), None)


def project_by_rows(session: Session, rows: list[Row], worktree_of: str | None) -> str | None:
    """Return the project: the folder that somebody gave to Cowork, the repository of a worktree, or the directory."""
    for row in living(rows):
        if row["product"] in ("cowork", "cloud") and row["folders"]:
            return str(row["folders"][0])
        if row["worktree"] and row["origin"]:
            worktree_of = worktree_of or row["origin"]
    return project_of(session.cwd, worktree_of)


def title_by_rows(rows: list[Row]) -> tuple[Title | None, bool]:
    """Return the title that Desktop shows, and whether somebody typed it."""
    row = next((row for row in living(rows) if row["title"]), None)
    return (Title(row["title"], "row"), row["title_source"] in TYPED_TITLES) if row else (None, False)
