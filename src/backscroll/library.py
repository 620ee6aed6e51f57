"""Library: everything that one root holds, opened once, with one method for each verb.

    with backscroll.open() as library:
        for session in library.list_sessions(limit=3).sessions:
            print(session.updated, session.title)

A Library may be shared between threads; one at a time is served.  Each call sees what was written since the last one,
unless it was opened with `update=False`.
"""

from backscroll.verbs.desktop import DesktopVerbs
from backscroll.verbs.drift import DriftVerbs
from backscroll.verbs.files import FileVerbs
from backscroll.verbs.opened import OnProgress, Root
from backscroll.verbs.search import SearchVerbs
from backscroll.verbs.usage import UsageVerbs
from backscroll.verbs.watch import WatchVerbs


class Library(SearchVerbs, UsageVerbs, FileVerbs, DesktopVerbs, DriftVerbs, WatchVerbs):
    """All verbs over one root."""


def open_library(root: Root = None, *, update: bool = True, on_progress: OnProgress = None) -> Library:
    """Open everything below a root, or everything of this user."""
    return Library(root, update=update, on_progress=on_progress)
