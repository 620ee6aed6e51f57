"""The sidebar as Desktop would show it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from make import ACCOUNT, ORGANIZATION, UUID, Draft, home, indexed, manifest, row

import backscroll
from backscroll.index.queries import sessions as query

OTHER, THIRD = "22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333"
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def shown(root: Path, account: str = ACCOUNT) -> list[str]:
    """Return the ids of the sessions that Desktop would show."""
    return [session.id for session in query.sidebar(indexed(root), account, NOW)]


def test_rows_of_one_account_newest_first(tmp_path: Path) -> None:
    """Rows below the account are shown in the order of their last use, whether their transcripts are here or not."""
    Draft(UUID, "/r").prompt("Hi").write(home(tmp_path))
    row(tmp_path, "a", cliSessionId=UUID)
    row(tmp_path, "b", cliSessionId=OTHER, lastActivityAt=1780000200000)
    row(tmp_path, "c", cliSessionId=THIRD, owner=f"other/{ORGANIZATION}")

    assert [OTHER, UUID] == shown(tmp_path)
    assert [OTHER, UUID] == shown(tmp_path, f"{ACCOUNT[:8]}/{ORGANIZATION[:4]}")
    assert [] == shown(tmp_path, f"{ACCOUNT}/other")
    assert [THIRD] == shown(tmp_path, "other")


@pytest.mark.parametrize(
    "fields",
    [
        {"isArchived": True},
        {"createdAt": None},
        {"lastActivityAt": "now"},
        {"sessionId": None},
        {"zz": "x" * (10 << 20)},
    ],
)
def test_what_desktop_does_not_show(tmp_path: Path, fields: dict[str, Any]) -> None:
    """Archived rows are hidden, rows that Desktop cannot load are not there for it; the list has them all."""
    row(tmp_path, cliSessionId=UUID, **fields)

    assert [] == shown(tmp_path)
    assert 1 == backscroll.list_sessions(tmp_path).total


def test_cowork_has_a_tab_of_its_own(tmp_path: Path) -> None:
    """Manifests are not in the sidebar of the Code tab."""
    manifest(tmp_path, cliSessionId=UUID)

    assert [] == shown(tmp_path)


def test_a_half_written_row_is_taken_while_it_is_young(tmp_path: Path) -> None:
    """Desktop takes a .tmp for the row for thirty days."""
    path = row(tmp_path, cliSessionId=UUID)
    path.rename(path.with_name(f"{path.name}.tmp"))

    assert [UUID] == shown(tmp_path)
    assert [] == [one.id for one in query.sidebar(indexed(tmp_path), ACCOUNT, datetime(2026, 8, 1, tzinfo=UTC))]


def test_the_sidebar_by_an_address(tmp_path: Path) -> None:
    """The library takes an e-mail address, and a limit."""
    manifest(tmp_path, emailAddress="ann@example.com")
    row(tmp_path, "a", cliSessionId=UUID)
    row(tmp_path, "b", cliSessionId=OTHER)
    found = backscroll.list_sessions(tmp_path, sidebar="ann@example.com", limit=1)

    assert (2, 1) == (found.total, len(found.sessions))
