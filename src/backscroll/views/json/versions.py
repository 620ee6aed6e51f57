"""Files and their versions to JSON: the keys of docs/json.md, in its order."""

from collections.abc import Iterable, Iterator

from backscroll.recovery.model import FileHistory, FileList, Match, Recovered, Version, WritePlan, Written
from backscroll.views.json.sessions import Object, dumps, object_of

_ONLY_WHERE_KNOWN = {"missing", "other", "why"}


def version_object(version: Version) -> Object:
    """Return one version of a file."""
    value = object_of(version) | {"exact": version.exact}
    return {key: item for key, item in value.items() if item or key not in _ONLY_WHERE_KNOWN}


def history_object(history: FileHistory) -> Object:
    """Return all versions of a file."""
    versions = [version_object(version) for version in history.versions]
    candidates = [version_object(version) for version in history.candidates]
    return object_of(history) | {"versions": versions, "candidates": candidates}


def match_object(match: Match) -> Object:
    """Return one line that holds a searched text."""
    return object_of(match) | {"first": version_object(match.first), "last": version_object(match.last)}


def written_object(written: Written) -> Object:
    """Return the outcome for one file to write."""
    return object_of(written) | {"version": version_object(written.version) if written.version else None}


def files_document(found: FileList) -> Iterator[str]:
    """Yield the answer of `files`."""
    yield dumps({"total": found.total, "files": [object_of(file) for file in found.files]}) + "\n"


def recover_document(history: FileHistory) -> Iterator[str]:
    """Yield the answer of `recover`."""
    yield dumps(history_object(history)) + "\n"


def content_document(found: Recovered) -> Iterator[str]:
    """Yield one version that was chosen, without its bytes."""
    yield dumps({"path": found.path, "version": version_object(found.version)}) + "\n"


def matches_document(text: str, matches: Iterable[Match]) -> Iterator[str]:
    """Yield the answer of `recover --grep`."""
    found = [match_object(match) for match in matches]
    yield dumps({"text": text, "total": len(found), "matches": found}) + "\n"


def plan_document(plan: WritePlan) -> Iterator[str]:
    """Yield the report of written files, or of files to write."""
    files = [written_object(file) for file in plan.files]
    yield dumps({"directory": plan.directory, "applied": plan.applied, "files": files}) + "\n"
