"""The one filter of sessions, for every list, sum and search.

Input: the user's options.  Output: a condition on the table `session`, with its parameters.
"""

import json
from datetime import datetime
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, NamedTuple

from backscroll.lazy import lazily
from backscroll.times import iso

if TYPE_CHECKING:
    from backscroll.sessions.joining import git_worktrees
else:
    git_worktrees = lazily("backscroll.sessions.joining.git_worktrees")


class SessionFilter(NamedTuple):
    """A filter of sessions; None means any."""

    project: str | None = None
    """Part of the project, of the working directory, or of the name of its directory.

    An absolute path means that directory: the project around it with its worktrees, and all projects below it.
    Worktrees of git count too, if git's own files on this machine name them.
    """
    store: str | None = None
    account: str | None = None
    """The beginning of an account's id."""
    since: datetime | None = None
    until: datetime | None = None
    """The time of the session's last update."""
    state: str | None = None
    pinned: bool | None = None
    """True for sessions pinned in Desktop's sidebar only."""
    session: str | None = None
    branch: str | None = None
    """Part of the git branch."""
    title: tuple[str, ...] = ()
    """Words that the title holds."""
    model: str | None = None
    """Part of the name of one of its models."""


_SHORTEST_PROJECT = 3
"""A path with no more parts, such as /home/ann, is no project that holds others."""

WHERE = """
    (:project IS NULL OR instr(lower(coalesce(session.project, '') || char(10) || coalesce(session.cwd, '') || char(10)
      || coalesce(session.project_key, '')), lower(:project)) > 0)
    AND (:directories IS NULL OR EXISTS (
      SELECT 1 FROM (SELECT value AS path FROM json_each(:directories) UNION ALL SELECT path FROM (
        SELECT coalesce(other.project, other.cwd) AS path FROM session AS other, json_each(:above) AS above
        WHERE above.value IN (other.cwd, other.project) ORDER BY length(above.value) DESC, other.id LIMIT 1)) AS meant
      WHERE meant.path IN (session.project, session.cwd)
        OR substr(session.project, 1, length(meant.path) + 1) = meant.path || :separator
        OR substr(session.cwd, 1, length(meant.path) + 1) = meant.path || :separator))
    AND (:title IS NULL OR NOT EXISTS (
      SELECT 1 FROM json_each(:title) AS word WHERE instr(lower(coalesce(session.title, '')), word.value) = 0))
    AND (:model IS NULL OR instr(lower(session.models || coalesce(session.model, '')), lower(:model)) > 0)
    AND (:store IS NULL OR instr(' ' || session.stores || ' ', ' ' || lower(:store) || ' ') > 0
        OR (lower(:store) = 'archive' AND session.id IN (SELECT session FROM file WHERE kind = 'kept')))
    AND (:account IS NULL OR instr(session.accounts, ' ' || :account) > 0)
    AND (:updated_since IS NULL OR session.updated >= :updated_since)
    AND (:updated_until IS NULL OR session.updated < :updated_until)
    AND (:state IS NULL OR session.state = :state)
    AND (:session IS NULL OR session.id = :session)
    AND (:git_branch IS NULL OR instr(lower(coalesce(session.branch, '')), lower(:git_branch)) > 0)
    AND (:pinned IS NULL OR session.id IN (SELECT pin.value FROM marks, json_each(marks.body, '$.pinned') AS pin
      UNION SELECT desktop_row.session FROM marks, json_each(marks.body, '$.pinned') AS pin,
        desktop_row, json_each(desktop_row.names) AS name WHERE name.value = pin.value))
"""
"""The condition; earlier copies inside another session pass it too."""
LISTED = f" session.folded_into IS NULL AND {WHERE}"
"""The same for sessions in lists."""


def parameters(wanted: SessionFilter) -> dict[str, Any]:
    """Return the parameters of the condition."""
    return {
        **_places(wanted.project),
        "title": json.dumps([word.lower() for word in wanted.title]) if wanted.title else None,
        "model": searchable(wanted.model),
        "store": searchable(wanted.store),
        "account": searchable(wanted.account),
        "updated_since": iso(wanted.since) if wanted.since else None,
        "updated_until": iso(wanted.until) if wanted.until else None,
        "state": searchable(wanted.state),
        "session": wanted.session,
        "git_branch": searchable(wanted.branch),
        "pinned": wanted.pinned or None,
    }


def _places(project: str | None) -> dict[str, Any]:
    """Return the parameters for a project: text that its path holds, or an absolute path with all above it."""
    text = searchable(project)
    if text is None or not is_absolute(text):
        return {"project": text, "directories": None, "above": "[]", "separator": "/"}
    path = _pure(text)
    separator = "\\" if isinstance(path, PureWindowsPath) else "/"
    above = [str(one) for one in (path, *path.parents) if len(one.parts) > _SHORTEST_PROJECT]
    meant = dict.fromkeys([str(path), *git_worktrees.related_directories(text)])
    return {"project": None, "directories": json.dumps([*meant]), "above": json.dumps(above), "separator": separator}


def is_absolute(text: str) -> bool:
    """Return True if a text is an absolute path of any system."""
    return PurePosixPath(text).is_absolute() or PureWindowsPath(text).is_absolute()


def _pure(text: str) -> PurePath:
    return PurePosixPath(text) if text.startswith("/") else PureWindowsPath(text)


def searchable(text: str | None) -> str | None:
    """Return typed text in a form that the database can search: undecodable bytes become escapes."""
    return text.encode(errors="backslashreplace").decode() if text else text
