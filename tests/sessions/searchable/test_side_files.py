"""Files beside the transcripts, as a search needs them."""

import os
from pathlib import Path

from backscroll.sessions.searchable.side_files import written_at


def test_the_time_of_a_file(tmp_path: Path) -> None:
    """The modification time counts in milliseconds; a file that is gone, or as old as 1970, has none."""
    path = tmp_path / "plan.md"
    path.touch()
    os.utime(path, ns=(0, 1_700_000_000_123_000_000))
    then = written_at(str(path))
    os.utime(path, ns=(0, 0))

    assert (1_700_000_000_123, None) == (then, written_at(str(path)))
    assert written_at(str(tmp_path / "gone.md")) is None
