"""Files, their versions and the report of a recovery, for people."""

from collections.abc import Iterable, Iterator, Sequence

from backscroll.recovery.model import FileHistory, FileList, FileSummary, Match, Recovered, Version, WritePlan, Written
from backscroll.views.figures import ago, clock_seconds, count, day, quoted, size, tilde
from backscroll.views.terminal.listing import hint_lines, short_ids
from backscroll.views.terminal.paper import Line, Paper, Span, cut, ink, word, wrap
from backscroll.views.terminal.table import Column, table

_SURE = {"bytes": "exact bytes", "text": "exact text", "derived": "derived", "partial": "partial", "gap": "unknown"}
_SURE_STYLES = {"derived": "warn", "partial": "warn", "gap": "error"}
_STATUS_STYLES = {"written": "added", "planned": "added", "same": "dim", "skipped": "warn", "failed": "error"}


def file_list(found: FileList, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `files`."""
    if not found.files:
        yield [Span("No files found.")]
        return
    columns = [
        Column("file", is_path=True),
        Column("versions", most=8, right=True, shown_from=50),
        Column("changes", most=8, right=True, shown_from=70),
        Column("sessions", most=8, right=True, shown_from=90),
        Column("last touched", most=16),
        Column("", most=16, shown_from=60),
    ]
    rows = [
        [
            word(tilde(file.path, paper) if paper.width else file.path, "project"),
            Span(str(file.versions)),
            Span(str(file.changes), "dim"),
            Span(str(len(file.sessions)), "dim"),
            Span(ago(file.last, paper), "time"),
            Span(_fate(file), "warn" if file.deleted else "dim"),
        ]
        for file in found.files
    ]
    yield from table(columns, rows, paper)
    if paper.width is not None and found.total > len(found.files):
        yield []
        yield [Span(f"{len(found.files):,} of {count(found.total, 'file')}; --all shows every one.", "dim")]


def _fate(file: FileSummary) -> str:
    return ", ".join(["created"] * file.created + ["deleted"] * file.deleted)


def timeline(history: FileHistory, paper: Paper) -> Iterator[Line]:
    """Yield the answer of `recover`: each version with its evidence and its call, then the next commands."""
    yield from _history(history, paper)
    if paper.width is not None and history.versions:
        yield []
        yield from _next_commands(history, paper)


def _history(history: FileHistory, paper: Paper) -> Iterator[Line]:
    if paper.width is not None:
        line = [
            word(tilde(history.path, paper), "heading"),
            Span(f"  {count(len(history.versions), 'version')}", "dim"),
        ]
        yield from wrap(line, paper.width, paper, hang="  ")
        yield []
    yield from _versions(history.versions, paper)
    if history.candidates:
        yield []
        yield [Span("Never reached the disk, as far as is known (--candidate N):", "heading")]
        yield from _versions(history.candidates, paper)
    for path in history.related:
        yield [Span("also "), word(tilde(path, paper), "project")]
    if history.lost and paper.width is not None:
        yield []
        yield [Span(f"{count(len(history.lost), 'record')} with more versions missing; --json lists them.", "dim")]


def _next_commands(history: FileHistory, paper: Paper) -> Iterator[Line]:
    """Yield the commands that people need after a list of versions; the numbers in them are versions of this file."""
    last = history.versions[-1].n
    path = quoted(history.path)
    hints = [
        (f"backscroll recover {path} --print", "print the last version"),
        (f"backscroll recover {path} --diff {last - 1} {last}", "the last change"),
        (f"backscroll recover {path} --version {last} -o FILE", "write a version to a new file"),
        (f"backscroll blame {path}", "the session behind each line"),
    ]
    yield from hint_lines(hints if last > 1 else [hints[0], *hints[2:]], paper)


def _versions(versions: Sequence[Version], paper: Paper) -> Iterator[Line]:
    names = short_ids(version.session for version in versions if version.session)
    columns = [
        Column("n", most=6, right=True),
        Column("time", most=20),
        Column("how"),
        Column("bytes", most=9, right=True, shown_from=60),
        Column("known as", most=24, shown_from=50),
        Column("session", most=10, shown_from=80),
        Column("call", most=12, shown_from=110),
    ]
    rows = [
        [
            Span(str(version.n), "id"),
            Span(_moment(version, paper), "time"),
            word(_how(version)),
            Span("" if version.bytes is None else size(version.bytes) if paper.width else str(version.bytes)),
            Span(_known(version), _SURE_STYLES.get(version.sure, "dim")),
            word(names.get(version.session or "", "") if paper.width else version.session, "id"),
            word(version.call, "dim"),
        ]
        for version in versions
    ]
    yield from table(columns, rows, paper)


def _moment(version: Version, paper: Paper) -> str:
    return f"{day(version.time, paper)} {clock_seconds(version.time, paper)}" if version.time else ""


def _how(version: Version) -> str:
    if version.why is not None:
        return f"{version.how}, {version.why}"
    if version.deleted:
        return "deleted" if version.other is None else f"renamed to {version.other}"
    if version.how == "rename":
        return f"renamed from {version.other}"
    return f"{version.how}{', changed outside' if version.outside else ''}{', created' if version.created else ''}"


def _known(version: Version) -> str:
    if version.deleted:
        return ""
    gaps = ", ".join(f"{first}–{last or 'end'}" for first, last in version.missing)
    if version.sure == "partial":
        return f"without lines {gaps}"
    return _SURE[version.sure]


def diff_lines(lines: Iterable[bytes]) -> Iterator[Line]:
    """Yield a unified diff, coloured."""
    styles = {"+": "added", "-": "removed", "@": "hunk", " ": "kept"}
    for line in lines:
        for text in line.decode(errors="backslashreplace").removesuffix("\n").split("\n"):
            style = "heading" if text.startswith(("--- ", "+++ ")) else styles.get(text[:1], "dim")
            yield [ink(text, style)]


def text_lines(found: Recovered) -> Iterator[Line]:
    """Yield a file's text for a terminal: control characters are shown as escapes."""
    text = found.data.decode(found.version.encoding or "utf-8", "backslashreplace")
    for line in text.removesuffix("\n").split("\n"):
        yield [ink(line.removesuffix("\r"))]


def one_version(found: Recovered, paper: Paper) -> Iterator[Line]:
    """Yield the one version that was chosen."""
    yield from _history(FileHistory(found.path, [found.version]), paper)
    if paper.width is not None:
        yield []
        yield [Span("--print prints it, -o FILE writes it to a new file.", "dim")]


def written_line(found: Recovered, target: str) -> Iterator[Line]:
    """Yield the answer of `recover -o`."""
    yield [Span(f"Wrote version {found.version.n} ({size(len(found.data))}) to "), word(target, "project")]


def match_lines(matches: Iterable[Match], paper: Paper) -> Iterator[Line]:
    """Yield the answer of `recover --grep`."""
    for match in matches:
        first, last = match.first.n, match.last.n
        span = f"version {first}" if first == last else f"versions {first}–{last}"
        yield cut(
            [
                word(tilde(match.path, paper), "project"),
                Span(f":{match.line}  ", "dim"),
                Span(f"{span}  ", "id"),
                word(match.text.strip()),
            ],
            paper,
        )


def write_report(plan: WritePlan, paper: Paper) -> Iterator[Line]:
    """Yield the files that were written, or would be, and the others with a reason."""
    for file in plan.files:
        yield [
            Span(f"{file.status:8}", _STATUS_STYLES[file.status]),
            word(tilde(file.path, paper), "project"),
            *_note(file),
        ]
    done = sum(file.status in ("written", "planned") for file in plan.files)
    left = sum(file.status in ("skipped", "failed") for file in plan.files)
    verb = "written" if plan.applied else "to be written"
    yield []
    yield [Span(f"{count(done, 'file')} {verb}, {left:,} not.", "heading")]
    if not plan.applied:
        yield [Span("Nothing was written yet. Add --apply to write.", "dim")]
    elif done:
        yield [Span("Recovered files may contain text from other people. Read them before you run them.", "dim")]


def _note(file: Written) -> Line:
    spans: Line = [Span(f"  version {file.version.n}", "dim")] if file.version else []
    if file.target and file.target != file.path:
        spans += [Span("  → "), word(file.target)]
    return [*spans, Span("  "), word(file.why, "warn")] if file.why else spans
