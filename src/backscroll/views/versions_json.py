"""Files and their versions to JSON: the keys of docs/json.md, in its order."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from backscroll.times import iso
from backscroll.versions.model import FileHistory, FileList, FileSummary, Match, Recovered, Version, WritePlan, Written
from backscroll.views.json import Object, dumps, place_object


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else iso(moment)


def version_object(version: Version) -> Object:
    """Return one version of a file."""
    value: Object = {
        "n": version.n,
        "time": _time(version.time),
        "session": version.session,
        "message": version.message,
        "call": version.call,
        "how": version.how,
        "bytes": version.bytes,
        "sha256": version.sha256,
        "exact": version.exact,
        "branch": version.branch,
        "sure": version.sure,
        "tool": version.tool,
        "agent": version.agent,
        "outside": version.outside,
        "created": version.created,
        "deleted": version.deleted,
        "confirmed": version.confirmed,
        "encoding": version.encoding,
        "newline": version.newline,
        "place": place_object(version.place) if version.place else None,
    }
    if version.missing:
        value["missing"] = [list(gap) for gap in version.missing]
    if version.other is not None:
        value["other"] = version.other
    if version.why is not None:
        value["why"] = version.why
    return value


def history_object(history: FileHistory) -> Object:
    """Return all versions of a file."""
    return {
        "path": history.path,
        "versions": [version_object(version) for version in history.versions],
        "candidates": [version_object(version) for version in history.candidates],
        "related": history.related,
        "lost": [place_object(place) for place in history.lost],
    }


def file_object(file: FileSummary) -> Object:
    """Return one file that sessions touched."""
    return {
        "path": file.path,
        "versions": file.versions,
        "first": _time(file.first),
        "last": _time(file.last),
        "sessions": file.sessions,
        "deleted": file.deleted,
        "created": file.created,
        "changes": file.changes,
        "candidates": file.candidates,
        "project": file.project,
    }


def match_object(match: Match) -> Object:
    """Return one line that holds a searched text."""
    return {
        "path": match.path,
        "line": match.line,
        "text": match.text,
        "first": version_object(match.first),
        "last": version_object(match.last),
    }


def written_object(written: Written) -> Object:
    """Return what became of one file that was to be written."""
    return {
        "path": written.path,
        "target": written.target,
        "status": written.status,
        "why": written.why,
        "version": version_object(written.version) if written.version else None,
    }


def files_document(found: FileList) -> Iterator[str]:
    """Yield the answer of `files`."""
    yield dumps({"total": found.total, "files": [file_object(file) for file in found.files]}) + "\n"


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
    """Yield the report of what was written, or would be."""
    files = [written_object(file) for file in plan.files]
    yield dumps({"directory": plan.directory, "applied": plan.applied, "files": files}) + "\n"
