"""Pack sessions into a bundle: transcripts, agents, tool results, file versions, todos, plans, memory and rows."""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from backscroll.errors import RefusedError
from backscroll.files import create_from_pieces, reason_of
from backscroll.formats import ustar
from backscroll.redaction.cleaning import clean
from backscroll.redaction.values import ValueRedactor
from backscroll.sessions.session import Agent, Session
from backscroll.sessions.transcript.source import AUDIT
from backscroll.stores.base import Opener
from backscroll.stores.code import uuid_pattern
from backscroll.stores.project_key import canon, encode
from backscroll.transfer.bundles import secret
from backscroll.transfer.bundles.bundle import MANIFEST, BundledFile, BundledSession, BundleManifest, is_path
from backscroll.transfer.json_style import COMPACT, read_json
from backscroll.transfer.model import LeftOut, Packed, absence
from backscroll.transfer.resume import files_beside, plan_document
from backscroll.transfer.rows.row_fields import bundled

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdCompressor
else:
    from backports.zstd import ZstdCompressor

_PIECE = 1 << 20


class _Source(NamedTuple):
    path: str
    """The path in the bundle."""
    origin: str
    open: Callable[[], BinaryIO]


class Packer:
    """Collects the files of sessions, and writes them."""

    def __init__(self, open_file: Opener, redactor: ValueRedactor | None = None) -> None:
        self._open_file = open_file
        self._redactor = redactor
        self._sources: dict[str, _Source] = {}
        self._sessions: list[BundledSession] = []
        self._skipped: list[LeftOut] = []

    def add(self, session: Session, agents: Sequence[Agent]) -> None:
        """Add a session with everything that belongs to it; refuse one that has no transcript."""
        transcripts = _transcripts(session)
        if not can_go(session):
            raise RefusedError(f"this session cannot be packed: {_why_not(session)}", session.id)
        cwd = self._text(session.cwd)
        key = canon(session.project_key or encode(cwd or session.id))
        if self._redactor is not None and cwd is not None:
            key = encode(cwd)
        for name, path in transcripts.items():
            self._sessions.append(BundledSession(name, key, cwd, self._text(session.title)))
            self._add(f"projects/{key}/{name}.jsonl", path)
            for file, parts in files_beside(Path(path)):
                inner = (parts[0], key, *parts[2:]) if parts[0] == "projects" else parts
                self._add("/".join(inner), str(file))
            if (plan := plan_document(Path(path), self._open_file)) is not None:
                self._add(f"plans/{plan.name}", str(plan))
        for agent in agents:
            if agent.transcript is not None and agent.transcript not in {one.origin for one in self._sources.values()}:
                is_flat = any(Path(agent.transcript).parent == Path(path).parent for path in transcripts.values())
                place = key if is_flat else f"{key}/{session.id}/subagents"
                self._add(f"projects/{place}/agent-{agent.id}.jsonl", agent.transcript)
        for row in session.rows:
            if row["product"] == "code" and row["kind"] == "local" and not row["temporary"]:
                self._add_row(row["path"])

    def leave_out(self, session: Session) -> None:
        """Note a session of a project that has nothing to pack."""
        self._skipped.append(LeftOut(session.id, _why_not(session)))

    def add_memory(self, directories: Iterable[Path]) -> None:
        """Add the memory of projects."""
        for directory in directories:
            for path in sorted(directory.glob("memory/**/*.md")):
                below = path.relative_to(directory)
                self._add("/".join(("projects", canon(directory.name), *below.parts)), str(path))

    def write(self, output: Path, passphrase: str | None = None) -> Packed:
        """Write the bundle as a new file, and return its facts."""
        manifest = self._manifest()
        if not manifest.files:
            reasons = sorted({one.reason for one in self._skipped})
            raise RefusedError(f"nothing can be packed: {'; '.join(reasons) or 'no session has a file here'}")
        packed = Packed(str(output), 0, "", len(manifest.files), len(manifest.sessions), self._skipped)
        digest = hashlib.sha256()

        def counted(pieces: Iterable[bytes]) -> Iterator[bytes]:
            for piece in pieces:
                packed.bytes += len(piece)
                digest.update(piece)
                yield piece

        pieces = _compressed(self._tar(manifest))
        if passphrase is not None:
            pieces = iter([secret.encrypt(b"".join(pieces), passphrase)])
        create_from_pieces(output, counted(pieces))
        packed.sha256 = digest.hexdigest()
        return packed

    def _add(self, path: str, origin: str) -> None:
        place = Path(origin)
        if not is_path(path) or ustar.header(path, 0) is None:
            self._skipped.append(LeftOut(origin, "a bundle cannot contain a file of this name or kind"))
        elif place.is_symlink() or not place.is_file():
            self._skipped.append(LeftOut(origin, "not a regular file"))
        else:
            self._sources.setdefault(path, _Source(path, origin, partial(self._open_file, origin)))

    def _add_row(self, path: str) -> None:
        name = f"rows/{Path(path).name}"
        try:
            fields, _ = read_json(path)
        except (OSError, ValueError) as error:
            self._skipped.append(LeftOut(path, f"its row cannot be read: {error}"))
            return
        if isinstance(fields, dict) and is_path(name):
            known = bundled(fields)
            data = COMPACT.text(known if self._redactor is None else self._redactor.value(known))
            self._sources.setdefault(name, _Source(name, path, partial(BytesIO, data)))

    def _text(self, text: str | None) -> str | None:
        return text if text is None or self._redactor is None else self._redactor.text(text)

    def _content(self, source: _Source, size: int | None) -> Iterator[bytes]:
        """Yield the content of a file, clean if asked; `size` bounds one that grows."""
        with source.open() as file:
            pieces = _bounded(file, size)
            if self._redactor is None or source.path.startswith("rows/"):
                yield from pieces
            else:
                yield from clean(self._redactor, pieces)

    def _manifest(self) -> BundleManifest:
        """Read every file once for its size and checksum."""
        files = []
        self._raw: dict[str, int] = {}
        for source in list(self._sources.values()):
            try:
                files.append(self._measured(source))
            except OSError as error:
                del self._sources[source.path]
                self._skipped.append(LeftOut(source.origin, reason_of(error)))
        now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        is_clean = self._redactor is not None
        return BundleManifest(now, sys.platform, is_clean, list(dict.fromkeys(self._sessions)), files)

    def _measured(self, source: _Source) -> BundledFile:
        with source.open() as file:
            self._raw[source.path] = file.seek(0, os.SEEK_END)
        digest, size = hashlib.sha256(), 0
        for piece in self._content(source, self._raw[source.path]):
            digest.update(piece)
            size += len(piece)
        return BundledFile(source.path, size, digest.hexdigest())

    def _tar(self, manifest: BundleManifest) -> Iterator[bytes]:
        yield from _member(MANIFEST, json.dumps(manifest.document(), indent=1).encode())
        for entry in manifest.files:
            source = self._sources[entry.path]
            yield ustar.header(entry.path, entry.size) or b""
            digest = hashlib.sha256()
            for piece in self._content(source, self._raw[entry.path]):
                digest.update(piece)
                yield piece
            if digest.hexdigest() != entry.sha256:
                raise RefusedError("a file changed while it was packed", source.origin, "Try again.")
            yield ustar.padding(entry.size)
        yield ustar.END


def _why_not(session: Session) -> str:
    """Return the reason why a session cannot be packed."""
    if any(path.endswith(AUDIT) for path in session.transcripts):
        return absence(session, f"it has only its audit log; run `backscroll transfer resume {session.id}` first")
    return absence(session)


def can_go(session: Session) -> bool:
    """Return True if a session has a transcript on this machine."""
    return session.state not in ("remote", "unreadable") and bool(_transcripts(session))


def _transcripts(session: Session) -> dict[str, str]:
    """Return the id and the path of each transcript; one of the archive has no name of its own."""
    paths = [path for path in session.transcripts if not path.endswith(AUDIT)]
    named = {Path(path).stem: path for path in paths if path.endswith(".jsonl")}
    found = {name: path for name, path in named.items() if uuid_pattern().fullmatch(name)}
    return found or ({session.id: paths[0]} if paths and uuid_pattern().fullmatch(session.id) else {})


def _bounded(file: BinaryIO, size: int | None) -> Iterator[bytes]:
    rest = size
    while rest is None or rest > 0:
        piece = file.read(_PIECE if rest is None else min(_PIECE, rest))
        if not piece:
            return
        rest = None if rest is None else rest - len(piece)
        yield piece


def _member(name: str, data: bytes) -> Iterator[bytes]:
    yield ustar.header(name, len(data)) or b""
    yield data
    yield ustar.padding(len(data))


def _compressed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    packer = ZstdCompressor()
    for piece in pieces:
        if packed := packer.compress(piece):
            yield packed
    yield packer.flush()
