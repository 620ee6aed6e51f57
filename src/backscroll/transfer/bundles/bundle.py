"""Bundles: one file that carries sessions, a tar archive in Zstandard whose first member is the manifest.

    manifest.json   {format, version, created, system, redacted, sessions: [...], files: [{path, size, sha256}]}
    PATH...         the files, in the order of the manifest

A bundle is foreign data: `Bundle.read_manifest` reads it to its end, and every name, size and checksum must be valid
before anything else happens.  Members are opened one after the other, and are checked again when they are written.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from io import BytesIO, RawIOBase
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self, cast

from backscroll.errors import RefusedError
from backscroll.formats import ustar
from backscroll.formats.cursor import MalformedError

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile
else:
    from backports.zstd import ZstdError, ZstdFile

FORMAT, VERSION = "backscroll-bundle", 1
MANIFEST = "manifest.json"
MOST_FILES = 100_000
MOST_BYTES = 20 << 30
MOST_MANIFEST = 64 << 20
MOST_RATIO, FREE_BYTES = 200, 32 << 20
"""A bundle may unpack to 200 times its size, and 32 MiB more."""

UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_KEY = r"[A-Za-z0-9-]{1,220}"
_NAME = r"[A-Za-z0-9_@+=,~-][A-Za-z0-9_@.+=,~-]{0,150}"
_PATHS = re.compile(
    rf"projects/{_KEY}/(?:{UUID}\.jsonl|agent-{_NAME}\.jsonl|memory/(?:{_NAME}/)?{_NAME}\.md"
    rf"|{UUID}/(?:(?:subagents|tool-results|remote-agents|mcp-tasks)/(?:{_NAME}/){{0,3}}{_NAME}"
    rf"|custom-title\.json|archived\.json))"
    rf"|file-history/{UUID}/[0-9a-f]{{16}}@v[0-9]{{1,9}}"
    rf"|todos/{UUID}(?:-agent-{_NAME})?\.json|tasks/{UUID}/[0-9]{{1,9}}\.json|plans/{_NAME}\.md"
    rf"|rows/local_{UUID}\.json"
)
"""Every path that a bundle may have: no settings, no scripts, nothing that a program would run."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)", re.IGNORECASE)
_DIGEST = re.compile(r"[0-9a-f]{64}")


class BundledFile(NamedTuple):
    """A file of a bundle."""

    path: str
    size: int
    sha256: str


class BundledSession(NamedTuple):
    """A session of a bundle."""

    id: str
    key: str
    cwd: str | None
    title: str | None


class BundleManifest(NamedTuple):
    """The first member of a bundle: its origin, its sessions and its files."""

    created: str | None
    system: str
    redacted: bool
    sessions: list[BundledSession]
    files: list[BundledFile]

    def document(self) -> dict[str, Any]:
        """Return the manifest in the form of its JSON."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "created": self.created,
            "system": self.system,
            "redacted": self.redacted,
            "sessions": [one._asdict() for one in self.sessions],
            "files": [one._asdict() for one in self.files],
        }


def is_path(path: str) -> bool:
    """Return True if a bundle may have a file of this path."""
    names = path.split("/")
    return _PATHS.fullmatch(path) is not None and not any(_RESERVED.match(one) or one.endswith(".") for one in names)


class _Counted(RawIOBase):
    """A stream that counts the bytes read from it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)


class _Unpacked:
    """The tar archive inside a bundle; reading raises MalformedError if it exceeds its limit of size."""

    def __init__(self, file: BinaryIO) -> None:
        self._packed = _Counted(file)
        self._plain = ZstdFile(cast("BinaryIO", self._packed))
        self._count = 0

    def read(self, length: int = -1) -> bytes:
        try:
            data = self._plain.read(length)
        except (ZstdError, EOFError, OSError) as error:
            raise MalformedError(f"not Zstandard: {error}") from error
        self._count += len(data)
        if self._count > MOST_BYTES + MOST_MANIFEST or self._count > MOST_RATIO * self._packed.count + FREE_BYTES:
            raise MalformedError("it unpacks to far more than its size")
        return data


OpenBundle = Callable[[], BinaryIO]
"""Opens the bundle, decrypted."""


def _manifest(stream: BinaryIO) -> BundleManifest:
    member = ustar.read_member(stream)
    if member is None or member.name != MANIFEST or member.size > MOST_MANIFEST:
        raise MalformedError("its first member is not a manifest")
    try:
        value = json.loads(b"".join(ustar.pieces(stream, member.size)))
    except (ValueError, RecursionError) as error:
        raise MalformedError("its manifest is not JSON") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise MalformedError("its manifest is of another format")
    if value.get("version") != VERSION:
        raise MalformedError("a newer backscroll wrote it")
    sessions = [_session(one) for one in _objects(value, "sessions")]
    files = [_file(one) for one in _objects(value, "files")]
    _check_names(files, {one.id for one in sessions})
    created, system = value.get("created"), value.get("system")
    return BundleManifest(
        created if isinstance(created, str) else None,
        system if isinstance(system, str) else "",
        value.get("redacted") is True,
        sessions,
        files,
    )


def _objects(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = value.get(name)
    if not isinstance(found, list) or len(found) > MOST_FILES or not all(isinstance(one, dict) for one in found):
        raise MalformedError(f"its manifest has no list of {name}, or the list is too long")
    return found


def _session(value: dict[str, Any]) -> BundledSession:
    name, key, cwd, title = (value.get(one) for one in BundledSession._fields)
    if not isinstance(name, str) or not re.fullmatch(UUID, name):
        raise MalformedError("a session without an id")
    if not isinstance(key, str) or not re.fullmatch(_KEY, key):
        raise MalformedError("a session without a key")
    if not isinstance(cwd, str | None) or not isinstance(title, str | None):
        raise MalformedError("a session with odd fields")
    return BundledSession(name, key, cwd, title)


def _file(value: dict[str, Any]) -> BundledFile:
    path, size, digest = (value.get(one) for one in BundledFile._fields)
    if not isinstance(path, str) or not is_path(path):
        raise MalformedError("a file with a name that no session has")
    if type(size) is not int or size < 0 or not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise MalformedError("a file without size or checksum")
    return BundledFile(path, size, digest)


def _check_names(files: list[BundledFile], sessions: set[str]) -> None:
    """Refuse names that clash, also where a file system ignores case, and files of sessions that are not named."""
    folded = {one.path.lower() for one in files}
    if len(folded) != len(files):
        raise MalformedError("two files of the same name")
    parents = {"/".join(path.split("/")[:count]) for path in folded for count in range(1, path.count("/") + 1)}
    if folded & parents:
        raise MalformedError("a file inside a file")
    if sum(one.size for one in files) > MOST_BYTES:
        raise MalformedError("more than 20 GB")
    owners = {match[0] for one in files if (match := re.search(rf"(?<=/){UUID}", one.path))}
    if not owners <= sessions:
        raise MalformedError("a file of a session that it does not name")


def _checked(stream: BinaryIO, entry: BundledFile) -> bytes:
    """Read one file; return the content of a row, which is small."""
    _next(stream, entry)
    digest, is_row, kept = sha256(), entry.path.startswith("rows/"), b""
    if is_row and entry.size > 1 << 20:
        raise MalformedError("a row that is too large")
    for piece in ustar.pieces(stream, entry.size):
        digest.update(piece)
        kept += piece if is_row else b""
    if digest.hexdigest() != entry.sha256:
        raise MalformedError(f"its content differs from its manifest: {entry.path}")
    return kept


def _next(stream: BinaryIO, entry: BundledFile) -> None:
    member = ustar.read_member(stream)
    if member is None or member != (entry.path, entry.size):
        raise MalformedError(f"its members do not follow its manifest: {entry.path}")


def _end(stream: BinaryIO) -> None:
    if ustar.read_member(stream) is not None:
        raise MalformedError("it has more members than its manifest names")
    while rest := stream.read(1 << 20):
        if any(rest):
            raise MalformedError("bytes after its end")


class Bundle:
    """A bundle, held open; files that are opened in the order of the manifest cost one pass."""

    def __init__(self, open_bundle: OpenBundle, where: str) -> None:
        self.where = where
        self._open_bundle = open_bundle
        self._files: list[BundledFile] = []
        self._file: BinaryIO | None = None
        self._stream: BinaryIO | None = None
        self._next = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def read_manifest(self) -> tuple[BundleManifest, dict[str, bytes]]:
        """Read the bundle to its end, and return its manifest and its rows; raise RefusedError if anything is wrong."""
        try:
            stream, rows = self._restart(), {}
            manifest = _manifest(stream)
            for entry in manifest.files:
                data = _checked(stream, entry)
                if entry.path.startswith("rows/"):
                    rows[entry.path] = data
            _end(stream)
        except MalformedError as error:
            remedy = "Nothing was written."
            raise RefusedError(f"this bundle is damaged or not safe: {error}", self.where, remedy) from error
        finally:
            self._close()
        self._files = manifest.files
        return manifest, rows

    def open(self, number: int) -> BinaryIO:
        """Open one file of the manifest."""
        try:
            stream = self._stream
            if stream is None or number < self._next:
                stream = self._restart()
                _manifest(stream)
            while self._next < number:
                for _ in self._pieces(stream):
                    pass
            return cast("BinaryIO", _Pieces(self._pieces(stream)))
        except MalformedError as error:
            raise OSError(str(error)) from error

    def _restart(self) -> BinaryIO:
        self._close()
        self._file = self._open_bundle()
        self._stream = cast("BinaryIO", _Unpacked(self._file))
        self._next = 0
        return self._stream

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = self._stream = None

    def _pieces(self, stream: BinaryIO) -> Iterator[bytes]:
        """Yield the next file."""
        entry = self._files[self._next]
        self._next += 1
        _next(stream, entry)
        yield from ustar.pieces(stream, entry.size)


class _Pieces(BytesIO):
    """Pieces as a stream: every read returns the next piece."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces = pieces

    def read(self, _size: int | None = -1, /) -> bytes:
        """Return the next piece."""
        try:
            return next(self._pieces, b"")
        except MalformedError as error:
            raise OSError(str(error)) from error
