"""Desktop's marks for people and for scripts."""

import json
from datetime import UTC, datetime

from backscroll.place import Place
from backscroll.records import Damage
from backscroll.sessions.joining.marks import DesktopMarks, Group, Marks, Source
from backscroll.views.reports.marks import marks_document, marks_report
from backscroll.views.terminal.paper import Paper, plain

SINCE = datetime(2026, 5, 1, 10, tzinfo=UTC)
MARKS = Marks(
    pinned=["local_a"],
    groups=[Group("local_a", "Work \x1b[2J", "acct/org")],
    unread=[],
    branches={"/r": {"branch": "main"}},
    sources={
        "pinned": Source("dframe-store", "local-storage", SINCE),
        "groups": Source("dframe-group-scopes", "settings", None),
        "unread": Source("epitaxy-unread-v1", "local-storage", SINCE),
        "branches": Source("branch-status-cache", "local-storage", SINCE),
    },
)
FOUND = [DesktopMarks("/d", MARKS, [Damage(Place("/d/x.log"), "torn")])]


def shown(found: list[DesktopMarks]) -> str:
    """Return the answer for people."""
    return "\n".join(plain(line) for line in marks_report(found, Paper(zone=UTC)))


def test_report() -> None:
    """Each mark is shown with its source and since when it is so; damage follows."""
    text = shown(FOUND)

    assert "local_a in Work \\x1b[2J" in text
    assert "dframe-store (local-storage)" in text
    assert "2026-05-01 10:00" in text
    assert "unread    none" in text
    assert "/d/x.log: torn" in text
    assert "No marks of Claude Desktop found." == shown([])


def test_document() -> None:
    """JSON has every mark, null where it is not known, and the sources by name."""
    answer = json.loads("".join(marks_document(FOUND)))
    [marks] = answer["marks"]

    assert ("/d", ["local_a"], [], None) == (marks["path"], marks["pinned"], marks["unread"], marks["panes"])
    assert [{"session": "local_a", "name": "Work \x1b[2J", "scope": "acct/org"}] == marks["groups"]
    assert {"key": "dframe-group-scopes", "kind": "settings", "since": None} == marks["sources"]["groups"]
    assert ["torn"] == [item["reason"] for item in answer["damage"]]
