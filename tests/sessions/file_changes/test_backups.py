"""Backups that records of file history name."""

import pytest

from backscroll.sessions.file_changes.backups import _tracked_path as tracked_path
from backscroll.sessions.file_changes.backups import backup_stem, tracked_backups


@pytest.mark.parametrize("stem, expected", [("/a/x.py", "/a/x.py"), ("/b/x.py", "/b/x.py"), ("/c/x.py", "/a/x.py")])
def test_a_relative_path_belongs_to_the_directory_that_its_backup_implies(stem: str, expected: str) -> None:
    """The name of a backup begins with a digest of the path; if no directory fits, the first one counts."""
    assert expected == tracked_path("x.py", f"{backup_stem(stem)}@v1", ["/a", "/b"], "/home/t.jsonl")


def test_a_path_without_a_backup_belongs_to_the_first_directory() -> None:
    """A record of a file that was not there names no backup."""
    assert "/a/x.py" == tracked_path("x.py", None, ["/a", "/b"], "/home/t.jsonl")


@pytest.mark.parametrize("record", [{}, {"snapshot": 5}, {"snapshot": {"trackedFileBackups": [1]}}])
def test_odd_records_name_no_backup(record: dict[str, object]) -> None:
    """A damaged record of file history names nothing, and raises nothing."""
    assert [] == list(tracked_backups(record))
