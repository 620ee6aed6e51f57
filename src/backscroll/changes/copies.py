"""The id of a copy of a session: the same for the same content and place.

So a plan names the id that --apply gives, and a second run finds the copy of the first.
"""

import os
from itertools import count
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from backscroll.changes.plan import digest_at


def copy_id(session: str, place: Path, digest: str) -> str:
    """Return the id of a copy in a project directory; the next one if the copy there was used since."""
    names = (str(uuid5(NAMESPACE_URL, f"backscroll:copy:{session}:{place}:{digest}:{n}")) for n in count())
    return next(name for name in names if _is_free(place / f"{name}.jsonl", digest))


def _is_free(path: Path, digest: str) -> bool:
    """Return True if nothing is there, or the unchanged copy."""
    try:
        return not os.path.lexists(path) or digest_at(str(path)) == digest
    except OSError:
        return False
