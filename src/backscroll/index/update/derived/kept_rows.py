"""Rows of Desktop that only the archive has: they give a kept session the title, project and account it had.

They are read when such a session is made, and stand in no list: Desktop does not have them any more.
"""

import os
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import cast

from backscroll.sessions.session import DesktopRow
from backscroll.stores.archived import KeptFile, kept_files, open_kept
from backscroll.stores.desktop_files import rows


class KeptRows:
    """The archived rows, by the sessions that they name and by their directories."""

    def __init__(self, parts: Iterable[Path]) -> None:
        self._parts = list(parts)

    def of(self, session: str, config: str | None) -> list[DesktopRow]:
        """Return the rows of a session, the newest first; `config` is its configuration directory."""
        beside = self._by_name.get(os.path.dirname(config), []) if config else []
        found = {row["path"]: row for row in (*self._by_name.get(session, ()), *beside)}
        return sorted(found.values(), key=lambda row: row["active"] or "", reverse=True)

    @cached_property
    def _by_name(self) -> dict[str, list[DesktopRow]]:
        found: dict[str, list[DesktopRow]] = defaultdict(list)
        for part in self._parts:
            for file in kept_files(part, "row"):
                row = _read(part, file)
                for name in (*row["lineage"], *rows.session_directories(row["path"])):
                    found[name].append(row)
        return found


def _read(part: Path, file: KeptFile) -> DesktopRow:
    return cast("DesktopRow", rows.read_row(os.fsdecode(file.path), lambda _: open_kept(part, file))[0])
