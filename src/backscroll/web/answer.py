"""The answer of a route: pieces of a document, or a download with a name."""

import re
from collections.abc import Iterable
from typing import NamedTuple


class WebAnswer(NamedTuple):
    """A document in pieces, its type, and the name of the file if it is a download."""

    pieces: Iterable[str | bytes]
    media: str = "application/json"
    file: str | None = None

    def headers(self) -> dict[str, str]:
        """Return the headers of a download."""
        if self.file is None:
            return {}
        safe = re.sub(r"[^A-Za-z0-9._-]", "_", self.file).lstrip(".")[-100:] or "file"
        return {"content-disposition": f'attachment; filename="{safe}"'}
