"""The errors near a session."""

from pathlib import Path

from make import APP, UUID, Draft, desktop_file, home, row

import backscroll

LOG = f"""\
2026-05-28T20:20:00Z [error] long before
2026-05-28T20:26:00Z [error] near
2026-05-28T20:27:00Z [info] fine
2026-05-28T20:27:30Z [warn] careful
2026-06-28T20:27:30Z [error] local_{APP}: much later, but about it
2026-06-28T20:27:30Z [error] about somebody else
"""


def test_errors_near_a_session(tmp_path: Path) -> None:
    """Errors within five minutes of a session count, and those that name it at any time."""
    row(tmp_path, cliSessionId=UUID)
    desktop_file(tmp_path, "logs/main.log", LOG.encode())
    session, lines = backscroll.logs(APP, tmp_path)
    found = [line for line in lines if isinstance(line, backscroll.LogLine)]

    assert UUID == session.id
    assert [(2, "error", False), (4, "warning", False), (5, "error", True)] == [
        (line.line, line.level, line.names_session) for line in found
    ]


def test_a_home_without_logs(tmp_path: Path) -> None:
    """Without logs there are no errors."""
    Draft(UUID).prompt("Hi").write(home(tmp_path))

    assert ([], []) == (backscroll.logs(UUID, tmp_path)[1], backscroll.log_files(tmp_path))
