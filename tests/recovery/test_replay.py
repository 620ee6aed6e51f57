"""Replay: each fact of how the program changes files, from a whole home to the bytes of each version."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, Tool, bash, edit, failed, home, read, write

import backscroll
from backscroll import Version
from backscroll.demo.rows import NOON
from backscroll.recovery.history import MOST_OPEN

FILE = "/home/ann/app/notes.txt"


def drafted(*tools: Tool, version: str = "2.1.325") -> Draft:
    """Return a session that makes these calls one after the other."""
    draft = Draft(UUID, "/home/ann/app", version=version).prompt("Please.")
    for tool in tools:
        draft.answer(calls=[tool])
    return draft


def replayed(tmp_path: Path, draft: Draft, path: str = FILE) -> list[tuple[Version, bytes | None]]:
    """Return the versions of a file in a home that holds one session, with their bytes."""
    draft.write(home(tmp_path))
    versions = backscroll.recover(path, tmp_path).versions
    return [(version, content(tmp_path, version, path)) for version in versions]


def content(root: Path, version: Version, path: str = FILE) -> bytes | None:
    """Return the bytes of a version, None where they are not known or there is no file."""
    if version.bytes is None:
        return None
    return backscroll.recover_content(path, root, version=version.n, update=False).data


def shown(found: list[tuple[Version, bytes | None]]) -> list[tuple[str, str, bytes | None]]:
    """Return how each version is known, how surely, and its bytes."""
    return [(version.how, version.sure, data) for version, data in found]


def edited(old: str, new: str, base: str | None, **data: Any) -> Tool:
    """Return an Edit as the program records it; what it was asked for is what it did."""
    asked = {"file_path": FILE, "old_string": old, "new_string": new, "replace_all": data.get("replaceAll", False)}
    result = {"filePath": FILE, "oldString": old, "newString": new, "originalFile": base, "structuredPatch": [], **data}
    return Tool("Edit", asked, "The file has been updated.", result)


def test_a_write_and_an_edit_are_versions(tmp_path: Path) -> None:
    """Each change that reached the disk is a version, with the call and the message that prove it."""
    found = replayed(tmp_path, drafted(write(FILE, "one\n"), edit(FILE, "one\n", "one", "two")))
    first, second = (version for version, _ in found)

    assert [("write", "text", b"one\n"), ("edit", "text", b"two\n")] == shown(found)
    assert (True, False, True) == (first.created, second.created, second.exact)
    assert (UUID, "Edit", "main") == (second.session, second.tool, second.branch)
    assert first.call != second.call
    assert second.place is not None
    assert second.place.path.endswith(".jsonl")


def test_an_edit_shows_what_was_there_before(tmp_path: Path) -> None:
    """The text that an edit worked on is a version of its own, if nothing showed it before."""
    found = replayed(tmp_path, drafted(edit(FILE, "one\n", "one", "two")))

    assert [("snapshot", "text", b"one\n"), ("edit", "text", b"two\n")] == shown(found)
    assert [False, False] == [version.outside for version, _ in found]


def test_a_change_from_outside_is_a_version(tmp_path: Path) -> None:
    """Where the next record shows another text than the last, somebody else changed the file."""
    found = replayed(tmp_path, drafted(write(FILE, "one\n"), edit(FILE, "one\nmore\n", "one", "two")))

    assert [b"one\n", b"one\nmore\n", b"two\nmore\n"] == [data for _, data in found]
    assert [False, True, False] == [version.outside for version, _ in found]


def part(first: int, *lines: str, total: int) -> Tool:
    """Return a Read of some lines of the file."""
    file = {"filePath": FILE, "content": "\n".join(lines), "startLine": first, "numLines": len(lines)}
    return Tool("Read", {"file_path": FILE}, "", {"type": "text", "file": {**file, "totalLines": total}})


def test_line_ends_alone_are_no_change_from_outside(tmp_path: Path) -> None:
    """Lines that were read with CR LF, and an edit of the same text with LF, show one version before the edit."""
    tools = (part(1, "one\r", total=3), part(2, "two\r", "", total=3), edit(FILE, "one\ntwo\n", "one", "1"))
    found = replayed(tmp_path, drafted(*tools))

    assert ["read", "edit"] == [version.how for version, _ in found]
    assert [False, False] == [version.outside for version, _ in found]


def test_a_file_that_many_sessions_wrote(tmp_path: Path) -> None:
    """More sessions than files are held open at a time changed one file: the bytes of all versions are found."""
    count = 2 * MOST_OPEN
    for number in range(count):
        session = f"{number:08d}-1111-4111-8111-111111111111"
        draft = Draft(session, "/home/ann/app", started=NOON + timedelta(hours=number)).prompt("Please.")
        draft.answer(calls=[write(FILE, f"{number}\n")]).write(home(tmp_path))

    with backscroll.open(tmp_path) as library:
        found = [library.recover_content(FILE, version=number + 1).data for number in range(count)]

    assert [f"{number}\n".encode() for number in range(count)] == found


def test_a_refused_edit_shows_its_text(tmp_path: Path) -> None:
    """An edit that never reached the disk is a candidate with the text that it would have made."""
    asked = {"file_path": FILE, "old_string": "one", "new_string": "two"}
    tools = (write(FILE, "one\n"), Tool("Edit", asked, "The user doesn't want to proceed.", error=True))
    drafted(*tools).write(home(tmp_path))
    found = backscroll.recover(FILE, tmp_path)

    assert [(4, "derived")] == [(candidate.bytes, candidate.sure) for candidate in found.candidates]


def test_what_is_read_confirms(tmp_path: Path) -> None:
    """A record that shows the present text is no version, but counted as proof."""
    found = replayed(tmp_path, drafted(write(FILE, "one\n"), read(FILE, "one\n"), read(FILE, "one\n")))

    assert [2] == [version.confirmed for version, _ in found]


@pytest.mark.parametrize(
    "tool",
    [
        Tool("Write", {"file_path": FILE, "content": "lost"}, "File has not been read yet.", "Error: no", error=True),
        Tool("Write", {"file_path": FILE, "content": "lost"}, "The user doesn't want to proceed", "Error", error=True),
        Tool("Write", {"file_path": FILE, "content": "lost"}, None),
        Tool("Write", {"file_path": FILE, "content": "lost"}, "staged", {"content": "lost", "staged": True}),
    ],
    ids=["error", "refused", "unanswered", "staged"],
)
def test_what_never_reached_the_disk_is_a_candidate(tool: Tool, tmp_path: Path) -> None:
    """Failed, refused, unanswered and staged calls are never applied; they are offered with the reason."""
    drafted(write(FILE, "one\n"), tool).write(home(tmp_path))
    found = backscroll.recover(FILE, tmp_path)
    candidate = backscroll.recover_content(FILE, tmp_path, candidate=1)

    assert [("write", 4)] == [(version.how, version.bytes) for version in found.versions]
    assert b"lost" == candidate.data
    assert candidate.version.why in ("error", "refused", "unanswered", "staged")
    assert not candidate.version.exact


def test_a_notebook_error_is_a_failure_though_the_result_is_none(tmp_path: Path) -> None:
    """NotebookEdit says what went wrong in its data alone."""
    data = {"new_source": "x", "error": "no such cell", "edit_mode": "replace", "cell_id": "c9"}
    tool = Tool("NotebookEdit", {"notebook_path": FILE, "cell_id": "c9", "new_source": "x"}, "failed", data)
    drafted(write(FILE, "{}"), tool).write(home(tmp_path))
    found = backscroll.recover(FILE, tmp_path)

    assert (1, ["error"]) == (len(found.versions), [candidate.why for candidate in found.candidates])


def test_notebooks_old_and_new(tmp_path: Path) -> None:
    """Newer versions record the whole notebook, older ones a cell that is replayed."""
    cells = [{"cell_type": "code", "id": "c1", "source": "1"}, {"cell_type": "markdown", "id": "c2", "source": "é"}]
    before = json.dumps({"cells": cells}, indent=1, ensure_ascii=False)
    asked = {"notebook_path": FILE, "cell_id": "c1", "new_source": "2", "edit_mode": "replace"}
    old = Tool("NotebookEdit", asked, "ok", {"new_source": "2", "cell_id": "c1", "edit_mode": "replace", "error": ""})
    new = Tool("NotebookEdit", asked, "ok", {"error": "", "original_file": "X", "updated_file": "whole\n"})
    found = replayed(tmp_path, drafted(write(FILE, before), old, new))

    assert [("write", "text"), ("edit", "derived"), ("snapshot", "text"), ("edit", "text")] == [
        (version.how, version.sure) for version, _ in found
    ]
    assert '"source": "2"' in (found[1][1] or b"").decode()
    assert '"source": "é"' in (found[1][1] or b"").decode()
    assert b"whole\n" == found[3][1]


def test_several_edits_at_once(tmp_path: Path) -> None:
    """MultiEdit is replayed on the text that it records, under the name it has there."""
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c", "replace_all": True}]
    data = {"filePath": FILE, "edits": edits, "originalFileContents": "a b\n", "structuredPatch": []}
    tool = Tool("MultiEdit", {"file_path": FILE, "edits": edits}, "Applied 2 edits.", data)
    found = replayed(tmp_path, drafted(tool, version="1.0.128"))

    assert [b"a b\n", b"c c\n"] == [data for _, data in found]


def test_an_empty_base_in_which_something_was_found_is_no_base(tmp_path: Path) -> None:
    """Transcripts that were made smaller have "" for the text before; the replay's own state is used instead."""
    found = replayed(tmp_path, drafted(write(FILE, "one\n"), edited("one", "two", "")))

    assert [("write", "text", b"one\n"), ("edit", "derived", b"two\n")] == shown(found)


def test_an_edit_without_base_is_derived_until_it_is_confirmed(tmp_path: Path) -> None:
    """Large files have no originalFile: the edit is replayed, and a later record makes it sure."""
    draft = drafted(write(FILE, "one\n"), edited("one", "two", None))
    draft.answer(calls=[edited("two", "six", None)]).answer(calls=[read(FILE, "six\n")])
    found = replayed(tmp_path, draft)

    assert [("write", "text"), ("edit", "derived"), ("edit", "text")] == [(v.how, v.sure) for v, _ in found]


def test_an_edit_that_fits_nothing_known_is_a_gap(tmp_path: Path) -> None:
    """That a file changed is known even where nobody can tell what it became."""
    (version, data), *_ = replayed(tmp_path, drafted(edited("one", "two", None)))

    assert ("gap", None, [(1, None)], False) == (version.sure, data, version.missing, version.exact)


def test_a_person_may_change_what_was_proposed(tmp_path: Path) -> None:
    """The result says what was applied, whatever was asked for."""
    asked = {"file_path": FILE, "old_string": "one", "new_string": "two"}
    data = {"filePath": FILE, "oldString": "one", "newString": "mine", "originalFile": "one\n", "userModified": True}
    found = replayed(tmp_path, drafted(Tool("Edit", asked, "ok", data)))

    assert b"mine\n" == found[-1][1]


@pytest.mark.parametrize(
    "added, expected", [("say “bye”", "say “bye”\n"), ('say "bye"', 'say "bye"\n')], ids=["newer", "older"]
)
def test_the_patch_shows_whether_quotes_were_curled(added: str, expected: str, tmp_path: Path) -> None:
    """Newer versions curl the quotes of the new text as the old one has them, older ones do not."""
    patch = [{"lines": ["-say “hi”", f"+{added}"]}]
    tool = edited("“hi”", '"bye"', "say “hi”\n", structuredPatch=patch)

    assert expected.encode() == replayed(tmp_path, drafted(tool))[-1][1]


def test_line_ends_follow_the_backup(tmp_path: Path) -> None:
    """Transcripts show line feeds alone; the bytes before the edit show what the file really has."""
    draft = drafted(read(FILE, "one\ntwo\n")).backup(FILE, b"one\r\ntwo\r\n")
    found = replayed(tmp_path, draft.answer(calls=[edited("one", "1", "one\ntwo\n")]))

    assert [("read", "bytes", b"one\r\ntwo\r\n"), ("edit", "text", b"1\r\ntwo\r\n")] == shown(found)
    assert ["crlf", "crlf"] == [version.newline for version, _ in found]


def test_line_ends_follow_a_later_backup_too(tmp_path: Path) -> None:
    """A backup that is made only at the next prompt still shows how the file was written before."""
    draft = drafted(edited("one", "1", "one\ntwo\n")).backup(FILE, b"1\r\ntwo\r\n")
    found = replayed(tmp_path, draft)

    assert [b"one\r\ntwo\r\n", b"1\r\ntwo\r\n"] == [data for _, data in found]


def test_unknown_line_ends_are_said_to_be_unknown(tmp_path: Path) -> None:
    """Where nothing shows the line ends, they are written as line feeds, and the version says that it does not know."""
    assert [None] == [version.newline for version, _ in replayed(tmp_path, drafted(read(FILE, "one\n")))]


@pytest.mark.parametrize(
    "before, given, expected",
    [
        ("one\r\n", "two\n", b"two\r\n"),
        ("one\r\n", "two\r\n", b"two\r\r\n"),
        ("one\n", "two\n", b"two\n"),
        (None, "two\r\nthree\n", b"two\r\nthree\n"),
    ],
)
def test_a_write_keeps_line_ends_as_its_version_did(
    before: str | None, given: str, expected: bytes, tmp_path: Path
) -> None:
    """Up to 2.0.77 a file with CRLF was written with CRLF again, and the record shows the raw text before."""
    found = replayed(tmp_path, drafted(write(FILE, given, before), version="2.0.77"))

    assert expected == found[-1][1]


def test_a_byte_order_mark_stays(tmp_path: Path) -> None:
    """Read hides the mark, Edit's base shows it, and all versions have it."""
    tool = edited("one", "two", "\ufeffone\n")
    found = replayed(tmp_path, drafted(read(FILE, "one\n"), tool))

    assert [b"\xef\xbb\xbfone\n", b"\xef\xbb\xbftwo\n"] == [data for _, data in found]


def test_utf16_stays(tmp_path: Path) -> None:
    """The transcript shows plain text; the backup shows that the file is UTF-16."""
    draft = drafted(read(FILE, "one\n")).backup(FILE, "\ufeffone\n".encode("utf-16-le"))
    found = replayed(tmp_path, draft.answer(calls=[edited("one", "two", "\ufeffone\n")]))

    assert "\ufefftwo\n".encode("utf-16-le") == found[-1][1]
    assert "utf-16-le" == found[-1][0].encoding


def test_bytes_that_are_no_text_are_versions_too(tmp_path: Path) -> None:
    """A backup may hold anything."""
    found = replayed(tmp_path, drafted().backup(FILE, b"\x00\xff\xfe"))

    assert [("backup", "bytes", b"\x00\xff\xfe")] == shown(found)


def test_a_text_with_replacement_characters_is_not_exact(tmp_path: Path) -> None:
    """What was not UTF-8 shows as U+FFFD, and nobody can tell what stood there."""
    assert ["derived"] == [version.sure for version, _ in replayed(tmp_path, drafted(read(FILE, "caf\ufffd\n")))]


def test_some_lines_are_a_part(tmp_path: Path) -> None:
    """A partial Read gives some lines, and names the others."""
    file = {"filePath": FILE, "content": "two\nthree", "numLines": 2, "startLine": 2, "totalLines": 5}
    tool = Tool("Read", {"file_path": FILE, "offset": 2, "limit": 2}, "", {"type": "text", "file": file})
    (version, data), *_ = replayed(tmp_path, drafted(tool))
    partly = backscroll.recover_content(FILE, tmp_path, version=1, partly=True)

    assert ("partial", None, [(1, 1), (4, 5)]) == (version.sure, data, version.missing)
    assert b"two\nthree" == partly.data


def test_parts_make_a_whole(tmp_path: Path) -> None:
    """Pieces that were read one after the other become the file, when none is missing."""

    def piece(first: int, *lines: str) -> Tool:
        file = {"content": "\n".join(lines), "numLines": len(lines), "startLine": first, "totalLines": 4}
        return Tool("Read", {"file_path": FILE, "offset": first}, "", {"type": "text", "file": file})

    found = replayed(tmp_path, drafted(piece(1, "a", "b"), piece(3, "c", "")))

    assert [("read", "text", b"a\nb\nc\n")] == shown(found)


def test_an_edit_of_a_part(tmp_path: Path) -> None:
    """An edit without base is applied to the lines that are known, and the line numbers move with it."""
    file = {"content": "two\nthree", "numLines": 2, "startLine": 2, "totalLines": 5}
    part = Tool("Read", {"file_path": FILE, "offset": 2}, "", {"type": "text", "file": file})
    found = replayed(tmp_path, drafted(part, edited("two", "2\n2b", None)))

    assert [[(1, 1), (4, 5)], [(1, 1), (5, 6)]] == [version.missing for version, _ in found]


def test_a_part_that_contradicts_shows_a_change_from_outside(tmp_path: Path) -> None:
    """Lines that are not those of the present state show that it changed."""
    file = {"content": "other", "numLines": 1, "startLine": 2, "totalLines": 3}
    part = Tool("Read", {"file_path": FILE, "offset": 2}, "", {"type": "text", "file": file})
    found = replayed(tmp_path, drafted(write(FILE, "one\ntwo\n"), part))

    assert [("write", False), ("read", True)] == [(version.how, version.outside) for version, _ in found]


def test_agents_without_data_are_read_from_what_they_were_shown(tmp_path: Path) -> None:
    """Results without data still hold numbered lines, in the styles of all versions, with reminders behind them."""
    for style in ("     1→one\n     2→\n\n<system-reminder>\nx\n</system-reminder>\n", "1\tone\n2\t"):
        root = tmp_path / str(len(style))
        agent = drafted(Tool("Read", {"file_path": FILE}, style), Tool("Edit", edited("one", "2", "").input, "ok"))

        assert [("read", "text", b"one\n"), ("edit", "derived", b"2\n")] == shown(replayed(root, agent))


@pytest.mark.parametrize("is_kept", [True, False])
def test_what_was_read_may_lie_beside_the_transcript(tmp_path: Path, is_kept: bool) -> None:
    """A result that was too large for the transcript is read from its own file; its preview alone says nothing."""
    lines = "".join(f"{number}\tline {number}\n" for number in range(1, 1500))
    draft = drafted(Tool("Read", {"file_path": FILE}, lines[:2000], saved=lines.rstrip("\n")))
    if not is_kept:
        draft.files.clear()
    found = shown(replayed(tmp_path, draft))
    whole = "\n".join(f"line {number}" for number in range(1, 1500)).encode()

    assert ([("read", "text", whole)] if is_kept else []) == found


def test_a_file_that_is_not_found_was_deleted(tmp_path: Path) -> None:
    """A Read that fails because there is no file ends the file, and a backup that is null says the same."""
    gone = Tool("Read", {"file_path": FILE}, "File does not exist.", "Error: File does not exist.", error=True)
    found = replayed(tmp_path, drafted(gone, write(FILE, "one\n"), gone, gone, write(FILE, "two\n")))

    assert [("write", False), ("delete", True), ("write", False)] == [(v.how, v.deleted) for v, _ in found]


def test_removed_and_renamed_files(tmp_path: Path) -> None:
    """`rm` and `mv` end a file; what was renamed goes on under its new name, its directories included."""
    moved = "/home/ann/new/notes.txt"
    draft = drafted(
        write(FILE, "one\n"), bash("mv /home/ann/app /home/ann/new", ""), edit(moved, "one\n", "one", "two")
    )
    draft.answer(calls=[failed("rm notes.txt", 1, "no")])
    old = replayed(tmp_path, draft)
    new = replayed(tmp_path, draft, moved)

    assert [("write", False), ("rename", True)] == [(version.how, version.deleted) for version, _ in old]
    assert [("rename", "text", b"one\n"), ("edit", "text", b"two\n")] == shown(new)
    assert FILE == new[0][0].other


def test_relative_paths_and_tilde_are_one_file(tmp_path: Path) -> None:
    """Paths are stored as the model wrote them, and mean the same file."""
    names = ("notes.txt", "./notes.txt", "~/app/notes.txt", "../app/notes.txt")
    found = replayed(tmp_path, drafted(*(write(name, f"{name}\n") for name in names)))

    assert [f"{name}\n".encode() for name in names] == [data for _, data in found]


def test_windows_paths_are_one_file(tmp_path: Path) -> None:
    """Case and slashes do not matter on Windows."""
    draft = Draft(UUID, "C:\\Code").prompt("Please.")
    draft.answer(calls=[write("C:\\Code\\A.txt", "one")]).answer(calls=[write("c:/code/a.TXT", "two", "one")])

    assert [b"one", b"two"] == [data for _, data in replayed(tmp_path, draft, "C:\\Code\\A.txt")]


def test_named_files_snapshots_plans_and_memories(tmp_path: Path) -> None:
    """Everything that holds the whole text of a file proves it."""
    file = {"filePath": FILE, "content": "one\n", "numLines": 2, "startLine": 1, "totalLines": 2}
    draft = drafted().attachment("file", filename=FILE, content={"type": "text", "file": file})
    draft.system("file_snapshot", snapshotFiles=[{"key": "k", "path": FILE, "content": "two\n"}])
    draft.attachment("plan_file_reference", planFilePath=FILE, planContent="three\n")
    draft.attachment("nested_memory", path=FILE, content={"path": FILE, "content": "cut", "rawContent": "four\n"})
    draft.answer(calls=[Tool("ExitPlanMode", {"plan": "five\n"}, "ok", {"plan": "five\n", "filePath": FILE})])
    found = replayed(tmp_path, draft)

    assert [b"one\n", b"two\n", b"three\n", b"four\n", b"five\n"] == [data for _, data in found]
    assert ["read", "snapshot", "snapshot", "snapshot", "snapshot"] == [version.how for version, _ in found]


def test_an_outside_change_that_claude_was_told_of(tmp_path: Path) -> None:
    """The lines that Claude was shown after somebody changed a file are a part of that state."""
    draft = drafted(write(FILE, "one\ntwo\n")).attachment("edited_text_file", filename=FILE, snippet="1\tONE\n2\ttwo")
    found = replayed(tmp_path, draft)

    assert [("write", "text", False), ("read", "partial", True)] == [(v.how, v.sure, v.outside) for v, _ in found]


def test_a_picture_is_exact_where_the_record_has_all_of_it(tmp_path: Path) -> None:
    """Pictures are often made smaller for the model: only one of the file's own size is the file."""
    for size, expected in ((4, [b"abcd"]), (9999, [])):
        file = {"base64": "YWJjZA==", "type": "image/png", "originalSize": size}
        tool = Tool("Read", {"file_path": FILE}, "", {"type": "image", "file": file})

        assert expected == [data for _, data in replayed(tmp_path / str(size), drafted(tool))]


def test_file_system_tools_of_mcp_servers(tmp_path: Path) -> None:
    """Servers have inputs of their own."""
    made = Tool("mcp__files__write_file", {"path": FILE, "content": "one\n"}, "ok")
    edits = {"path": FILE, "edits": [{"oldText": "one", "newText": "two"}]}
    found = replayed(tmp_path, drafted(made, Tool("mcp__files__edit_file", edits, "ok")))

    assert [("write", "text", b"one\n"), ("edit", "derived", b"two\n")] == shown(found)


def test_line_ends_of_a_recorded_notebook(tmp_path: Path) -> None:
    """The whole notebook in a record shows its line ends."""
    asked = {"notebook_path": FILE, "cell_id": "c1", "new_source": "2", "edit_mode": "replace"}
    tool = Tool("NotebookEdit", asked, "ok", {"error": "", "original_file": "X", "updated_file": "a\r\nb\r\n"})
    ((_, _), (version, data)) = replayed(tmp_path, drafted(tool))

    assert ("crlf", b"a\r\nb\r\n") == (version.newline, data)
