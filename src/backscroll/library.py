"""Library: everything that one root holds, opened once, with one method for each verb.

    with backscroll.open() as library:
        for session in library.list_sessions(limit=3).sessions:
            print(session.updated, session.title)

Threads may share a Library; it serves one at a time.  Each call reads new and changed files first,
unless it was opened with `update=False`.
"""

from backscroll.verbs.archive import ArchiveVerbs
from backscroll.verbs.archive_upkeep import ArchiveUpkeepVerbs
from backscroll.verbs.base import OnProgress, Root
from backscroll.verbs.bundles import BundleVerbs
from backscroll.verbs.desktop import DesktopVerbs
from backscroll.verbs.drift import DriftVerbs
from backscroll.verbs.files import FileVerbs
from backscroll.verbs.health import HealthVerbs
from backscroll.verbs.redaction import RedactionVerbs
from backscroll.verbs.search import SearchVerbs
from backscroll.verbs.usage import UsageVerbs
from backscroll.verbs.watch import WatchVerbs


class Library(
    SearchVerbs,
    UsageVerbs,
    FileVerbs,
    HealthVerbs,
    DesktopVerbs,
    DriftVerbs,
    WatchVerbs,
    ArchiveVerbs,
    ArchiveUpkeepVerbs,
    RedactionVerbs,
    BundleVerbs,
):
    """All verbs over one root."""


def open_library(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> Library:
    """Open everything below a root, or everything of this user."""
    return Library(root, update=update, on_progress=on_progress)
