"""The facts about a session in Claude Desktop's rows: its state, account, title, directory and times.

Input: a session from its transcripts, and the rows joined to it, the newest first.
A fact in the transcript wins over a row, except for a title that the user typed into Desktop.
"""

from backscroll.sessions.joining.projects import Cwd, project_of
from backscroll.sessions.joining.titles import Title
from backscroll.sessions.session import DesktopRow, Session
from backscroll.times import parse

ELSEWHERE = {"ssh", "wsl", "cloud"}
TYPED_TITLES = {"user", "custom"}
_STORES = {"code": "desktop", "cowork": "cowork", "cloud": "cowork", "page": "browser", "page-list": "browser"}


def living(rows: list[DesktopRow]) -> list[DesktopRow]:
    """Return the rows that exist, without tombstones of deleted ones."""
    return [row for row in rows if row["product"] != "tombstone"] if rows else rows


def state_of(state: str, rows: list[DesktopRow], released: str | None, *, has_transcript: bool) -> str:
    """Return the state of a session; `state` is its state according to its files alone."""
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


def apply_rows(session: Session, rows: list[DesktopRow]) -> None:
    """Add facts from the rows that the transcripts lack."""
    session.rows = rows
    if not rows:
        return
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


def hints_of(rows: list[DesktopRow]) -> list[tuple[str, str]]:
    """Return the directories in rows, as hints."""
    named = (path for row in living(rows) for path in (row["cwd"], row["worktree"], row["origin"]))
    return [(path, "row") for path in named if path]


def cwd_of(rows: list[DesktopRow]) -> Cwd | None:
    """Return the directory of a session without records."""
    return next((Cwd(row["cwd"], "row") for row in living(rows) if row["cwd"]), None)


def project_by_rows(session: Session, rows: list[DesktopRow], worktree_of: str | None) -> str | None:
    """Return the project: the folder that the user gave to Cowork, the repository of a worktree, or the directory."""
    for row in living(rows):
        if row["product"] in ("cowork", "cloud") and row["folders"]:
            return str(row["folders"][0])
        if row["worktree"] and row["origin"]:
            worktree_of = worktree_of or row["origin"]
    return project_of(session.cwd, worktree_of)


def title_by_rows(rows: list[DesktopRow]) -> tuple[Title | None, bool]:
    """Return the title that Desktop shows, and True if the user typed it."""
    for row in living(rows):
        if row["title"]:
            return Title(row["title"], "row"), row["title_source"] in TYPED_TITLES
    return None, False
