"""Logs: lines that tell of an error, with their times."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from backscroll.records import Damage
from backscroll.stores.desktop_files import logs

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
EAST = timezone(timedelta(hours=2))


def errors(directory: Path, text: str) -> list[logs.Line]:
    """Return the errors of a log."""
    path = directory / "main.log"
    path.write_text(text, encoding="utf-8")
    return [line for line in logs.errors([str(path)], EAST) if isinstance(line, logs.Line)]


@pytest.mark.parametrize(
    "line",
    [
        "2026-05-01 14:00:00 [error] boom",
        "[2026-05-01 14:00:00.000] [error] boom",
        "2026-05-01T12:00:00Z ERROR boom",
        "2026-05-01T12:00:00.000Z [main] FATAL: boom",
        "2026-05-01 14:00:00,000 +0200 panic: boom",
    ],
)
def test_times_of_every_form(tmp_path: Path, line: str) -> None:
    """A time without a zone is local; one with a zone is what it says."""
    (found,) = errors(tmp_path, line + "\n")

    assert (NOON, "error", line, 1) == (found.time, found.level, found.text, found.place.line)


def test_only_errors_and_warnings_count(tmp_path: Path) -> None:
    """Other levels are left out; a line below has the time of the one above; the word counts at the beginning only."""
    text = "2026-05-01 14:00:00 [info] fine\n    WARN later\n2026-05-01 14:00:00 [info] " + "x" * 200 + " error\n"
    (found,) = errors(tmp_path, text)

    assert ("warning", NOON, 2) == (found.level, found.time, found.place.line)


@pytest.mark.parametrize("text", ["", "\x00\x01\xff", "2026-99-99 99:99:99 error x", "error" * 100_000])
def test_odd_logs(tmp_path: Path, text: str) -> None:
    """Whatever stands in a log, it is read; what has no time has none."""
    assert all(line.time is None for line in errors(tmp_path, text))


def test_a_log_that_is_gone(tmp_path: Path) -> None:
    """A log that cannot be read is damage."""
    (found,) = logs.errors([str(tmp_path / "gone.log")])

    assert isinstance(found, Damage)
