"""Files and versions as people read them, at a terminal."""

from dataclasses import replace
from datetime import timedelta

from views.samples import ID, NOW, TIME

from backscroll.recovery.model import FileHistory, FileList, FileSummary, Match, Recovered, Version, WritePlan, Written
from backscroll.views.reports.versions import (
    diff_lines,
    file_list,
    match_lines,
    one_version,
    text_lines,
    timeline,
    write_report,
)
from backscroll.views.terminal.paper import Line, Paper, plain

PAPER = Paper(width=140, now=NOW, home="/home/ann")
PATH = "/home/ann/app/notes.txt"


def version(number: int = 1, how: str = "edit", sure: str = "text", **fields: object) -> Version:
    """Return a version."""
    return Version(number, TIME, how, sure, session=ID, bytes=12, **fields)  # type: ignore[arg-type]


def text(lines: list[Line]) -> str:
    """Return lines without their styles."""
    return "\n".join(map(plain, lines))


def test_a_list_says_how_many_more_there_are() -> None:
    """Files with their fate, and the number of those that are not shown."""
    file = FileSummary(PATH, 3, TIME, TIME, [ID], created=True, deleted=True, changes=2, candidates=0)
    shown = text(list(file_list(FileList(51, [file]), PAPER)))

    assert "created, deleted" in shown
    assert "1 of 51 files; --all shows every one." in shown


def test_every_kind_of_version_has_its_words() -> None:
    """Outside changes, deletions, renames, parts and gaps are told apart."""
    versions = [
        version(1, "write", created=True),
        version(2, "snapshot", outside=True),
        version(3, "read", "partial", missing=[(1, 4), (9, None)]),
        version(4, "edit", "gap"),
        version(5, "delete", deleted=True),
        version(6, "rename", "derived", other="/old"),
        version(7, "rename", deleted=True, other="/new"),
    ]
    history = FileHistory(PATH, versions, [version(1, "write", "derived", why="refused")], ["/else/notes.txt"])
    shown = text(list(timeline(history, PAPER)))

    for words in (
        "~/app/notes.txt",
        "write, created",
        "snapshot, changed outside",
        "without lines 1–4, 9–end",
        "unknown",
        "deleted",
        "renamed from /old",
        "renamed to /new",
        "write, refused",
        "also /else/notes.txt",
    ):
        assert words in shown


def test_a_diff_is_coloured_by_its_signs() -> None:
    """Added, removed, kept and heads have styles of their own, and what commands a terminal is escaped."""
    lines = list(diff_lines([b"--- a\n", b"@@ -1 +1 @@\n", b"-old\n", b"+n\x1bew\n\\ No newline at end of file\n"]))

    assert ["heading", "hunk", "removed", "added", "dim"] == [line[0].style for line in lines]
    assert "+n\\x1bew" == plain(lines[3])


def test_a_file_at_a_terminal_is_text() -> None:
    """Whatever its encoding, a file is shown as lines, escaped."""
    wide = Recovered(PATH, version(encoding="utf-16-le"), "a\nb\x1b\n".encode("utf-16-le"))

    assert ["a", "b\\x1b"] == [plain(line) for line in text_lines(wide)]
    assert "--print prints it" in text(list(one_version(wide, PAPER)))


def test_matches_name_the_versions() -> None:
    """One version, or a range of them."""
    first, last = version(1), version(4)
    shown = text(list(match_lines([Match(PATH, 7, "  found", first, last), Match(PATH, 8, "x", last, last)], PAPER)))

    assert "~/app/notes.txt:7  versions 1–4  found\n~/app/notes.txt:8  version 4  x" == shown


def test_a_report_says_what_was_not_written_and_why() -> None:
    """A plan asks to be applied, what was done warns of foreign words."""
    later = version()
    later.time = TIME + timedelta(days=1)
    files = [Written(PATH, "/out/notes.txt", later, "written"), Written("/x", None, None, "skipped", "deleted then")]
    done = text(list(write_report(WritePlan("/out", files, applied=True), PAPER)))
    planned = text(list(write_report(WritePlan(None, [replace(files[0], status="planned")], applied=False), PAPER)))

    assert "→ /out/notes.txt" in done
    assert "deleted then" in done
    assert "1 file written, 1 not." in done
    assert "Read them before you run them" in done
    assert "Add --apply to write" in planned
