"""The one filter of sessions, used wherever sessions, or what belongs to them, are listed, summed up or searched.

In comes what a user asked for; out comes a condition on the table `session`, with its parameters.
"""

from datetime import datetime
from typing import Any

from backscroll.times import iso
from backscroll.value import Value


class SessionFilter(Value):
    """Which sessions are meant; None means any."""

    project: str | None = None
    """Part of the project, of the working directory, or of the name of its directory."""
    store: str | None = None
    account: str | None = None
    """The beginning of an account's id."""
    since: datetime | None = None
    until: datetime | None = None
    """When the session was last updated."""
    state: str | None = None
    pinned: bool | None = None
    """Only what is pinned in Desktop's sidebar."""
    session: str | None = None
    branch: str | None = None
    """Part of the git branch."""


WHERE = """
    (:project IS NULL OR instr(lower(coalesce(session.project, '') || char(10) || coalesce(session.cwd, '') || char(10)
      || coalesce(session.project_key, '')), lower(:project)) > 0)
    AND (:store IS NULL OR instr(' ' || session.stores || ' ', ' ' || lower(:store) || ' ') > 0)
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
"""The condition; earlier copies that another session contains pass it too."""
LISTED = f" session.folded_into IS NULL AND {WHERE}"
"""The same for sessions that stand in lists."""


def parameters(wanted: SessionFilter) -> dict[str, Any]:
    """Return the parameters of the condition."""
    return {
        "project": searchable(wanted.project),
        "store": searchable(wanted.store),
        "account": searchable(wanted.account),
        "updated_since": iso(wanted.since) if wanted.since else None,
        "updated_until": iso(wanted.until) if wanted.until else None,
        "state": searchable(wanted.state),
        "session": wanted.session,
        "git_branch": searchable(wanted.branch),
        "pinned": wanted.pinned or None,
    }


def searchable(text: str | None) -> str | None:
    """Return what a user typed as text that a database can look for: bytes that are no text become escapes."""
    return text.encode(errors="backslashreplace").decode() if text else text
