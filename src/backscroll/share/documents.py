"""A session as redacted files: streamed, split if they would be too large, and scanned when they are finished.

Input: a library and a choice of messages.  Output: new files, or none at all if a scan finds a secret.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from backscroll.errors import NotFoundError, RefusedError
from backscroll.library import Library
from backscroll.redact import Finding
from backscroll.redaction import ValueRedactor
from backscroll.sessions.message import Message
from backscroll.sessions.model import Transcript
from backscroll.sessions.session import Session
from backscroll.share import pdf
from backscroll.share.choice import ShareChoice, chosen
from backscroll.staged_files import StagedFiles
from backscroll.views import markdown
from backscroll.views.html.pages import PageFrame, session_pages
from backscroll.views.json import sessions as json
from backscroll.views.terminal.paper import Paper

FORMS = ("html", "md", "json", "pdf")
_CHUNK = 1 << 20
_BRACKETS = bytes.maketrans(b"<>", b"\n\n")
"""In a page of ours every bracket belongs to a tag of ours, and a tag ends a value."""
_ENTITIES = ((b"&lt;", b"<"), (b"&gt;", b">"), (b"&quot;", b'"'), (b"&#x27;", b"'"), (b"&#39;", b"'"), (b"&amp;", b"&"))
_INLINE = re.compile(rb'</?(?:b|code|em|i|s|small|span|strong)>|</?a(?: [^<>]*)?>|<span class="[a-z0-9]{1,3}">')
"""Tags inside words: a reader, a printer and a PDF see the text around them as one.  Other spans are lines."""

Files = Iterator[tuple[str, Iterable[bytes]]]
"""The files of a session: the name of each, and its bytes in pieces."""


@dataclass(slots=True)
class Shared:
    """The totals of a share: files, bytes, redactions by rule, and findings of the last scan."""

    files: list[str] = field(default_factory=list)
    bytes: int = 0
    redactions: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    messages: int = 0

    def counted(self, messages: Iterable[Message]) -> Iterator[Message]:
        """Yield the messages unchanged, and count them."""
        for message in messages:
            self.messages += 1
            yield message


def share_sessions(
    library: Library,
    names: dict[str, str],
    form: str,
    choice: ShareChoice,
    stage: StagedFiles | None,
) -> Shared:
    """Write sessions into files that are not published yet; without a stage nothing is written, only counted.

    `names` has the file name, without its ending, of each session.
    """
    shared = Shared()
    redactor = library.redactor()
    with library.as_it_is():
        for session, stem in names.items():
            for name, pieces in _session_files(library, redactor, session, stem, form, choice, shared):
                _take(shared, redactor, name, pieces, stage)
                if form == "pdf" and stage is not None:
                    _print(shared, redactor, name, stage)
    if choice.select is not None and not shared.messages:
        raise NotFoundError("no message has such a number", choice.select, "Messages are counted from 1.")
    shared.redactions = redactor.redactions
    return shared


def without_account(session: Session) -> Session:
    """Return a session without the rows of Desktop and without commands of this machine."""
    return replace(session, rows=[], marks=None, account=None, resume=None, resume_note=None)


def refuse_unsafe(findings: Iterable[Finding]) -> None:
    """Raise RefusedError if the last scan found anything; no value is named."""
    rules = Counter(finding.rule for finding in findings)
    if rules:
        found = ", ".join(f"{rule} {number}" for rule, number in sorted(rules.items()))
        raise RefusedError(
            f"the finished document still holds something that looks like a secret: {found}",
            remedy="Nothing was written. Leave out messages with --select, or add a rule to redact.toml.",
        )


def refuse_inside_claude(library: Library, target: Path) -> None:
    """Raise RefusedError if a file or directory would lie in a directory of Claude's."""
    real = target.resolve()
    stores = {Path(store.path).resolve() for store in library.stores()}
    if any(place in stores or place.name == ".claude" for place in (real, *real.parents)):
        raise RefusedError("this directory belongs to Claude", str(target), "Choose another place.")


def _session_files(  # noqa: PLR0913, PLR0917 - the session, its names, the choice and the totals
    library: Library, redactor: ValueRedactor, session: str, stem: str, form: str, choice: ShareChoice, shared: Shared
) -> Files:
    """Return the files of a session, redacted as they are read."""
    images = choice.images and form in ("html", "pdf")
    transcript = library.show(session, branch=choice.branch, images=images)
    own = without_account(transcript.session)
    messages = shared.counted(chosen(transcript.messages, choice))
    redacted = redactor.transcript(replace(transcript, session=own, messages=messages))
    return _WRITERS[form](redacted, Paper(now=datetime.now(UTC), zone=UTC), stem)


def _take(
    shared: Shared, redactor: ValueRedactor, name: str, pieces: Iterable[bytes], stage: StagedFiles | None
) -> None:
    """Write a file, scan the stored file, and count both."""
    if stage is not None:
        path = stage.write(name, pieces)
        shared.bytes += path.stat().st_size
        with path.open("rb") as file:
            shared.findings += _scanned(redactor, name, iter(partial(file.read, _CHUNK), b""))
    else:
        sizes: list[int] = []
        shared.findings += _scanned(redactor, name, (_counted(piece, sizes) for piece in pieces))
        shared.bytes += sum(sizes)
    shared.files.append(name)


def findings_in_page(redactor: ValueRedactor, page: bytes) -> list[Finding]:
    """Return the findings in a finished page: in its stored form and in its visible text."""
    texts = (page, _INLINE.sub(b"", page))
    return [one for text in texts for one in redactor.scan_chunks([_unescaped(text.translate(_BRACKETS))])]


def _unescaped(text: bytes) -> bytes:
    """Return a text with the characters that a page spells as entities: an entity would be a part of a value."""
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text


def _scanned(redactor: ValueRedactor, name: str, chunks: Iterable[bytes]) -> Iterable[Finding]:
    """Return the findings in a file; a page was in memory when it was written, and may be so again."""
    return findings_in_page(redactor, b"".join(chunks)) if name.endswith(".html") else redactor.scan_chunks(chunks)


def _counted(piece: bytes, sizes: list[int]) -> bytes:
    sizes.append(len(piece))
    return piece


def _print(shared: Shared, redactor: ValueRedactor, name: str, stage: StagedFiles) -> None:
    """Print a page into a PDF; the page itself stays private.  The scan reads the facts that a PDF holds in plain."""
    page = stage.drop(name)
    printed = pdf.print_page(page)
    shared.findings += redactor.scan(pdf.plain_texts(printed.read_bytes()))
    shared.bytes += printed.stat().st_size - page.stat().st_size
    shared.files[-1] = name[1:].removesuffix(".html") + ".pdf"
    stage.add(printed, shared.files[-1])


def _html(transcript: Transcript, paper: Paper, stem: str) -> Files:
    return ((name, [_encoded(page)]) for name, page in session_pages(transcript, paper, stem))


def _markdown(transcript: Transcript, paper: Paper, stem: str) -> Files:
    return ((name, [_encoded(page)]) for name, page in markdown.document_pages(transcript, paper, stem))


def _json(transcript: Transcript, _paper: Paper, stem: str) -> Files:
    return iter([(f"{stem}.json", map(_encoded, json.show_document(transcript)))])


def _pdf(transcript: Transcript, paper: Paper, stem: str) -> Files:
    """Return one page with all boxes open, to be printed; its name is private."""
    pages = session_pages(transcript, paper, stem, PageFrame(largest=None))
    return ((f".{name}", [_encoded(pdf.unfolded(page))]) for name, page in pages)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


_WRITERS: dict[str, Callable[[Transcript, Paper, str], Files]] = {
    "html": _html,
    "md": _markdown,
    "json": _json,
    "pdf": _pdf,
}
