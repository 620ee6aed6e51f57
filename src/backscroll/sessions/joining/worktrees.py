"""Find the session of each worktree in Desktop's registry: by the row that leases it, else by its directory."""

from collections.abc import Iterable
from dataclasses import replace

from backscroll.sessions.session import Session
from backscroll.stores.desktop_files.worktrees import Worktree


def join_worktrees(worktrees: Iterable[Worktree], sessions: Iterable[Session]) -> list[Worktree]:
    """Return worktrees with the sessions that ran in them; `sessions` come newest first.

    A worktree without a known session keeps the id of the row that leases it.
    """
    by_row: dict[str, str] = {}
    by_directory: dict[str, str] = {}
    for session in sessions:
        for name in (session.id, *(row["id"] for row in session.rows)):
            by_row.setdefault(_bare(str(name)), session.id)
        if session.cwd:
            by_directory.setdefault(_canonical(session.cwd), session.id)
    return [
        replace(item, session=by_row.get(_bare(item.row or "")) or by_directory.get(_canonical(item.path)) or item.row)
        for item in worktrees
    ]


def _bare(name: str) -> str:
    """Return an id without Desktop's own prefix."""
    return name.removeprefix("local_")


def _canonical(path: str) -> str:
    return path.replace("\\", "/").rstrip("/")
