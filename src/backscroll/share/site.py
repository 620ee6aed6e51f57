"""`export`: a static site of all sessions for oneself; each run writes only the sessions that changed.

Input: a library and a directory.  Output: `sessions/`, one page or more for each session; `entries/`, the facts
and words of each session; `index.html` and `search.html`, made from the entries.
An entry is written when its pages are whole, so a killed run is continued by the next.
The site is not redacted by default; each page states if it is.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from backscroll.errors import BackscrollError, NotFoundError, RefusedError
from backscroll.files import make_private_directory, read_small, reason_at_named, write_atomically
from backscroll.library import Library
from backscroll.sessions.model import Transcript
from backscroll.sessions.session import Session
from backscroll.share.documents import findings_in_page, without_account
from backscroll.views.figures import count, dollars
from backscroll.views.html.pages import PageFrame, session_pages
from backscroll.views.html.site import SiteEntry, SitePage, above_session, list_page, search_page, words_of_page
from backscroll.views.json.sessions import object_of
from backscroll.views.terminal.paper import Paper

MARKER = ".backscroll-site.json"
VERSION = 1
_LARGEST_ENTRY = 64 << 20
_PASSING = ("resume", "resume_note", "expires", "marks")
"""Fields of a session that change without the session."""
_PAGE_NAME = re.compile(r"[A-Za-z0-9_-]{1,120}\.html")


@dataclass(slots=True)
class Exported:
    """The answer of `export`: sessions asked for, those written this time, and the size of all that was written."""

    dir: str
    sessions: int = 0
    written: int = 0
    bytes: int = 0
    refused: list[str] = field(default_factory=list)
    """Sessions whose redacted pages still held something that looks like a secret; they were not written."""


def export_site(library: Library, directory: Path, *, project: str | None = None, redact: bool = False) -> Exported:
    """Write or update a site; raise NotFoundError without sessions, RefusedError if the directory is not ours."""
    sessions = library.list_sessions(limit=None, project=project).sessions
    if not sessions:
        raise NotFoundError("there are no sessions to export", project)
    site = _Site(library, directory, redact=redact)
    site.linked = {session.id for session in sessions}
    with library.as_it_is():
        for session in sessions:
            site.export(session)
    site.write_lists()
    return site.done


class _Site:
    """A site while it is written."""

    def __init__(self, library: Library, directory: Path, *, redact: bool) -> None:
        self.library = library
        self.directory = directory
        self.redact = redact
        self.redactor = library.redactor() if redact else None
        self.linked: set[str] = set()
        self.done = Exported(str(directory))
        self.paper = Paper(now=datetime.now(UTC))
        _claim(directory, redact=redact)

    def export(self, session: Session) -> None:
        """Write the pages of a session if it changed since the last time."""
        self.done.sessions += 1
        stem = _stem(session.id)
        fingerprint = _fingerprint(session)
        old = self._entry(stem)
        if old is not None and old.fingerprint == fingerprint and self._is_whole(old):
            return
        if (pages := self._write_pages(session, stem)) is None:
            self.done.refused.append(session.id)
            return
        self._remove_old(old, pages)
        self._write("entries", f"{stem}.json", msgspec.json.encode(self._made_entry(session, fingerprint, pages)))
        self.done.written += 1

    def _remove_old(self, old: SiteEntry | None, pages: list[SitePage]) -> None:
        """Remove pages that the session no longer has."""
        names = {page.name for page in pages}
        for page in () if old is None else old.pages:
            if page.name not in names:
                (self.directory / "sessions" / page.name).unlink(missing_ok=True)

    def write_lists(self) -> None:
        """Write the list and the search from all entries, those of earlier runs included."""
        entries = [entry for stem in self._stems() if (entry := self._entry(stem)) is not None]
        self._write("", "index.html", _encoded(list_page(entries, is_redacted=self.redact)))
        self._write("", "search.html", _encoded("".join(search_page(entries, is_redacted=self.redact))))

    def _write_pages(self, session: Session, stem: str) -> list[SitePage] | None:
        """Write the pages of a session, the first one last; None if one of them is not clean."""
        if self.redactor is not None:
            self.redactor = self.redactor.renewed()
        around = PageFrame(above_session(is_redacted=self.redact, parent=self._parent(session)))
        pages: list[SitePage] = []
        for name, html in session_pages(self._transcript(session), self.paper, stem, around):
            data = _encoded(html)
            if self.redactor is not None and findings_in_page(self.redactor, data):
                return None
            self._write("sessions", name, data)
            pages.append(SitePage(name, words_of_page(html)))
        return pages

    def _transcript(self, session: Session) -> Transcript:
        try:
            found = self.library.show(session.id, all_branches=True, images=True)
        except BackscrollError:  # its files are gone or cannot be read: the page has the known facts
            found = Transcript(session, [], iter(()), [], [])
        if self.redactor is None:
            return found
        return self.redactor.transcript(replace(found, session=without_account(found.session)))

    def _parent(self, session: Session) -> str | None:
        """Return the page of the session's parent, if the site has it."""
        stem = _stem(session.parent or "")
        has_page = session.parent in self.linked or (self.directory / "entries" / f"{stem}.json").is_file()
        return f"{stem}.html" if session.parent and has_page else None

    def _made_entry(self, session: Session, fingerprint: str, pages: list[SitePage]) -> SiteEntry:
        shown = self.redactor.value(without_account(session)) if self.redactor is not None else session
        updated = session.updated.isoformat() if session.updated else ""
        facts = [updated[:10], count(session.messages, "message"), dollars(session.usage.cost)]
        facts += [session.state] if session.state != "live" else []
        title, project = shown.title or shown.id, shown.project or shown.cwd or ""
        return SiteEntry(fingerprint, session.id, title, project, updated, " · ".join(filter(None, facts)), pages)

    def _write(self, folder: str, name: str, data: bytes) -> None:
        try:
            write_atomically(self.directory / folder / name, data, inside=self.directory, durable=False)
        except OSError as error:
            raise RefusedError(f"cannot write here: {reason_at_named(error)}", str(self.directory)) from error
        self.done.bytes += len(data)

    def _stems(self) -> Iterator[str]:
        names = sorted(path.name for path in (self.directory / "entries").iterdir())
        return (name.removesuffix(".json") for name in names if name.endswith(".json"))

    def _entry(self, stem: str) -> SiteEntry | None:
        """Return the entry of a session; None if there is none that can be read."""
        try:
            data = read_small(self.directory / "entries" / f"{stem}.json", _LARGEST_ENTRY)
            entry = msgspec.json.decode(data, type=SiteEntry)
        except (OSError, ValueError):
            return None
        return entry if entry.pages and all(_PAGE_NAME.fullmatch(page.name) for page in entry.pages) else None

    def _is_whole(self, entry: SiteEntry) -> bool:
        return all((self.directory / "sessions" / page.name).is_file() for page in entry.pages)


def _claim(directory: Path, *, redact: bool) -> None:
    """Start a site in a directory, or continue one; refuse other directories, and a site of the other kind."""
    marker = {"site": "backscroll", "version": VERSION, "redacted": redact}
    try:
        if directory.is_symlink():
            raise RefusedError("this is a symbolic link, not a directory", str(directory), "Name a directory.")
        make_private_directory(directory)
        known = _marker(directory / MARKER)
        if known is None and any(directory.iterdir()):
            remedy = "Name a new or empty directory, or one that `export` made."
            raise RefusedError("this directory holds other files", str(directory), remedy)
        if known is not None and known != marker:
            kind = "with" if not redact else "without"
            remedy = "Name another directory, or use the options of the first time."
            raise RefusedError(f"this site was written {kind} --redact, or by another version", str(directory), remedy)
        if known is None:
            write_atomically(directory / MARKER, json.dumps(marker).encode(), inside=directory)
        for name in ("sessions", "entries"):
            make_private_directory(directory / name)
    except OSError as error:
        raise RefusedError(f"cannot write here: {reason_at_named(error)}", str(directory)) from error


def _marker(path: Path) -> Any:
    try:
        return json.loads(read_small(path, 1 << 16))
    except FileNotFoundError:
        return None
    except ValueError:
        return {}


def _stem(name: str) -> str:
    """Return a file name for a session; an id with other characters gets a digest."""
    safe = re.sub(r"[^A-Za-z0-9_-]", "", name)[:64]
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _fingerprint(session: Session) -> str:
    """Return a digest of everything that is known of a session, and of the state of its transcripts."""
    known = {name: value for name, value in object_of(session).items() if name not in _PASSING}
    states = [_state(path) for path in session.transcripts]
    return hashlib.sha256(json.dumps([VERSION, known, states], default=str).encode()).hexdigest()


def _state(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
