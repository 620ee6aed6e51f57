"""The faults of reliability.md, section 3, that its corpus does not build: H02, H11 to H22, H32 to H48, H66, H68.

Those that are about bytes alone stand in formats/; here each is read as a user reads it, through the library or the
command line.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from command import PROGRAM, TIMEOUT, answer, run, shown, strictly
from make import UUID, Draft, Tool, as_nobody, bash, cowork, fingerprint, home, line, user, write_side, write_transcript

import backscroll
from backscroll import CorruptError, Message, NotFoundError, Session
from backscroll.cli.main import run as run_here
from backscroll.errors import IndexWarning
from backscroll.formats.json.lines import INCOMPLETE
from backscroll.index.db import path_for

pytestmark = pytest.mark.slow

OTHER = "33333333-3333-4333-8333-333333333333"
THIRD = "44444444-4444-4444-8444-444444444444"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with an empty store."""
    return home(tmp_path / "user")


@pytest.fixture
def open_home() -> Iterator[Path]:
    """Return a home that any user may look into, which is not so of pytest's own directories."""
    directory = Path(tempfile.mkdtemp(prefix="backscroll-open-"))
    directory.chmod(0o755)
    yield home(directory)
    shutil.rmtree(directory)


def readable(directory: Path, name: str = "") -> None:
    """Let everybody read the files below a directory whose names hold `name`, and nobody the others."""
    for path in directory.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644 if name in path.name else 0)


def sessions(root: Path) -> dict[str, Session]:
    """Return all sessions, by id."""
    return {session.id: session for session in backscroll.list_sessions(root, limit=None).sessions}


def only_session(root: Path) -> Session:
    """Return the session that is the only one."""
    (session,) = sessions(root).values()
    return session


def texts(messages: Iterator[Message] | list[Message]) -> list[str]:
    """Return the text of each message that has one, program notices aside."""
    spoken = [message for message in messages if message.role in ("user", "assistant")]
    return ["".join(part.text or "" for part in message.parts) for message in spoken]


def rebuilt(root: Path, *arguments: str) -> Any:
    """Return the JSON answer of a command that found its index damaged; all that it may say is that it rebuilds it."""
    done = run("--root", root, "--json", *arguments)

    assert 0 == done.returncode
    assert all(line.startswith(b"backscroll: the index is rebuilt: ") for line in done.stderr.splitlines())
    return strictly(done.stdout)


def visible(root: Path, session: str = UUID) -> list[str]:
    """Return what is said on the visible branch of a session."""
    return texts(backscroll.show(session, root).messages)


def visible_without_index(root: Path) -> list[str]:
    """Return what is said on the visible branch, where no index can be kept."""
    with pytest.warns(IndexWarning, match="Set BACKSCROLL_HOME"):
        return visible(root)


def everything(root: Path, session: str = UUID) -> list[str]:
    """Return what is said on all branches of a session."""
    return texts(backscroll.show(session, root, all_branches=True).messages)


def chat(session: str, *said: str, cwd: str = "/home/ann/code/demo") -> Draft:
    """Return a session in which prompts and answers take turns."""
    draft = Draft(session, cwd)
    for number, text in enumerate(said):
        draft = draft.answer(text) if number % 2 else draft.prompt(text)
    return draft


# Bytes and lines


def test_a_nul_escape_cuts_nothing_off(root: Path) -> None:
    r"""H02: a text with `\u0000` is whole in the library, in JSON, in every other format and as a title."""
    Draft(UUID).title("before\0after", by="custom").prompt("one\0two").answer("three\0four").write(root)

    assert ("before\0after", ["one\0two", "three\0four"]) == (only_session(root).title, visible(root))
    assert "before\0after" == answer(root, "list")["sessions"][0]["title"]
    parts = [part["text"] for message in shown(root, UUID)["messages"] for part in message["parts"]]
    assert ["one\0two", "three\0four"] == parts
    for form in ("text", "md", "html"):
        printed = run("--root", root, "show", UUID, "--format", form).stdout
        assert b"\0" not in printed
        assert all(word in printed for word in (b"one", b"two", b"three", b"four")), form


@pytest.mark.parametrize(
    "hidden, shown_as",
    [
        ("\u202e", rb"\u202e"),
        ("\u2066", rb"\u2066"),
        ("\u200b", rb"\u200b"),
        ("\ufeff", rb"\ufeff"),
        ("\U000e0041", rb"\U000e0041"),
    ],
)
def test_hidden_characters_are_shown_as_escapes(hidden: str, shown_as: bytes, root: Path) -> None:
    """H13, H14: bidi, zero width and tag characters in titles, paths and texts are seen, and whole in JSON."""
    text = f"pay{hidden}load"
    Draft(UUID, f"/home/{text}").title(text, by="custom").prompt(text).write(root)

    for command in ("list", "show", "tree", "overview"):
        printed = run("--root", root, command, *([UUID] if command in ("show", "tree") else [])).stdout
        assert hidden.encode() not in printed, command
        assert b"pay" + shown_as + b"load" in printed, command
    raw = run("--root", root, "--json", "list").stdout
    assert hidden.encode() not in raw
    assert (text, f"/home/{text}") == tuple(answer(root, "list")["sessions"][0][key] for key in ("title", "cwd"))


def test_letters_that_look_alike_stay_what_they_are(root: Path) -> None:
    """H13: a Cyrillic letter in a title is a letter, and is printed as it is."""
    Draft(UUID).title("р\u0430yment", by="custom").prompt("x").write(root)

    assert "р\u0430yment".encode() in run("--root", root, "list").stdout


def test_a_file_written_twice_is_read_once(root: Path) -> None:
    """H11: all records of a doubled file are copies of the first ones."""
    text = chat(UUID, "one", "two", "three", "four").text()
    write_transcript(root, "-p", UUID, text + text)

    messages = list(backscroll.show(UUID, root, all_branches=True).messages)

    assert ["one", "two", "three", "four"] == texts(messages)
    assert [1, 1, 1, 1] == [message.copies for message in messages]
    assert (4, 1) == (only_session(root).messages, only_session(root).branches)


def test_two_files_in_one_are_both_read(root: Path) -> None:
    """H11: what another session's file brought along is there, once, under the file's own name."""
    write_transcript(root, "-p", UUID, chat(UUID, "one", "two").text() + chat(OTHER, "three", "four").text())

    assert [UUID] == list(sessions(root))
    assert ["one", "two", "three", "four"] == everything(root)


def test_two_writers_mixed_in_blocks_lose_only_what_was_torn(root: Path) -> None:
    """H12: of two files interleaved in blocks of 4 KiB, every record that lies in one block is read once."""
    written = [chat(name, *(f"{name[:2]}-{number:03d}." for number in range(60))) for name in (UUID, OTHER)]
    wholes, mixed = [], b""
    for draft in written:
        offset = 0
        for row in draft.lines():
            if offset // 4096 == (offset + len(row) - 1) // 4096:
                wholes += [
                    f"{draft.session[:2]}-{number:03d}." for number in range(60) if f"-{number:03d}.".encode() in row
                ]
            offset += len(row)
    data = [draft.text() for draft in written]
    for start in range(0, max(map(len, data)), 4096):
        mixed += b"".join(text[start : start + 4096] for text in data)
    write_transcript(root, "-p", UUID, mixed)

    found = everything(root)

    assert 70 < len(wholes) < 120
    assert [] == [text for text in wholes if found.count(text) != 1]
    assert len(found) == len(set(found))
    assert only_session(root).damage > 0


# The graph


def siblings(number: int) -> Iterator[bytes]:
    """Yield a message and very many answers to it."""
    yield line(user("root", None, "Hello"))
    for count in range(number):
        yield line(user(f"{count:08x}-0000-4000-8000-000000000000", "root", f"No. {count}"))


def test_very_many_siblings_are_branches(root: Path) -> None:
    """H15: 100,000 records under one parent are all there, each a branch, and the newest is visible."""
    write_transcript(root, "-p", UUID, siblings(100_000))

    transcript = backscroll.show(UUID, root)

    assert ["Hello", "No. 99999"] == texts(transcript.messages)
    assert (100_001, 100_000) == (transcript.session.messages, transcript.session.branches)
    assert 100_000 == len(transcript.branches)


@pytest.mark.slow
def test_a_million_siblings_are_read(root: Path) -> None:
    """H15: a million records under one parent are read and counted."""
    write_transcript(root, "-p", UUID, siblings(1_000_000))

    (session,) = answer(root, "list")["sessions"]

    assert (1_000_001, 1_000_000) == (session["messages"], session["branches"])


@pytest.mark.parametrize("version", ["2.0.60", "2.1.325"])
def test_an_agent_without_its_session_is_an_orphan(version: str, root: Path) -> None:
    """H16: the transcript of an agent is listed and shown though that of its session is gone."""
    draft = Draft(UUID, version=version).prompt("Go")
    draft.join(draft.agent("Look", "Look around").answer("I see."), "Seen.")
    draft.write(root).unlink()

    session = only_session(root)

    assert (UUID, "orphan", 3) == (session.id, session.state, session.messages)
    assert ["Look around", "I see.", "Seen."] == everything(root)


def test_two_sessions_that_are_each_others_parents_end(root: Path) -> None:
    """H16: two sessions that each claim to be a fork of the other are listed and shown, and counted once."""
    one = chat(UUID, "one", "two")
    other = one.fork(OTHER).prompt("three")
    for row in one.rows:
        if isinstance(row, dict) and "uuid" in row:
            row["forkedFrom"] = {"sessionId": OTHER, "messageUuid": row["uuid"]}
    one.write(root)
    other.write(root)

    assert {UUID: OTHER, OTHER: UUID} == {name: session.parent for name, session in sessions(root).items()}
    assert (["one", "two"], ["one", "two", "three"]) == (visible(root), visible(root, OTHER))
    assert 3 == backscroll.overview(root).messages
    assert {"session", "branch", "fork"} == {node["kind"] for node in answer(root, "tree", UUID)["nodes"]}
    assert 0 == run("--root", root, "tree", OTHER).returncode


def test_a_session_that_is_its_own_parent_ends(root: Path) -> None:
    """H16: so is a session that claims to be a fork of itself."""
    draft = chat(UUID, "one", "two")
    for row in draft.rows:
        if isinstance(row, dict) and "uuid" in row:
            row["forkedFrom"] = {"sessionId": UUID, "messageUuid": row["uuid"]}
    draft.write(root)

    assert (["one", "two"], 2) == (visible(root), backscroll.overview(root).messages)
    assert 0 == run("--root", root, "tree", UUID).returncode


def test_calls_and_results_that_do_not_match_are_flagged(root: Path) -> None:
    """H17: a call without result has none, a result without call is shown, two results are marked."""
    draft = Draft(UUID).prompt("Go").answer(calls=[Tool("Bash", {"command": "sleep"})])
    draft.open_calls.clear()
    draft.result("out of nowhere", call="toolu_nobody").answer(calls=[Tool("Bash", {"command": "ls"})])
    ls = draft.open_calls[0]
    draft.result("first")
    draft.open_calls.append(ls)
    draft.result("second").write(root)

    calls = list(backscroll.calls(UUID, root))
    parts = [part for message in backscroll.show(UUID, root).messages for part in message.parts]

    assert [({"command": "sleep"}, None, []), ({"command": "ls"}, "first", ["2 results"])] == [
        (call.input, call.result and call.result.text, call.marks) for call in calls
    ]
    assert ["out of nowhere", "first", "second"] == [part.text for part in parts if part.kind == "result"]
    assert [None, "first"] == [item["result"] and item["result"]["text"] for item in answer(root, "calls")["calls"]]


def test_a_boundary_without_its_parent_joins_by_order(root: Path) -> None:
    """H18: a compaction whose parent was never written follows what stands before it, marked as a gap."""
    draft = chat(UUID, "one", "two")
    draft.tip = "99999999-9999-4999-8999-999999999999"
    draft.compact("Nothing yet.").prompt("three").answer("four").write(root)

    messages = list(backscroll.show(UUID, root).messages)

    assert ["one", "two", "three", "four"] == texts(messages)
    assert ["gap"] == [mark for message in messages for mark in message.marks]
    assert (1, 1) == (only_session(root).branches, only_session(root).compactions)


def test_work_after_a_stale_restart_stays_visible(root: Path) -> None:
    """H19: what follows "Continue from where you left off." is on the visible branch, whatever leaf it names."""
    draft = chat(UUID, "one", "two")
    stale = draft.tip
    draft = draft.prompt("three").answer("four")
    draft.tip = stale
    draft.meta("Continue from where you left off.").answer("five").prompt("six").answer("seven").write(root)

    assert ["one", "two", "three", "four", "five", "six", "seven"] == visible(root)
    assert 1 == only_session(root).branches


def test_a_relocated_session_is_one_session_in_two_places(root: Path) -> None:
    """H20: a transcript that was moved to another project directory is one session, each message once."""
    draft = chat(UUID, "one", "two", cwd="/home/ann/code")
    first = draft.write(root)
    moved = draft.record(type="relocated", relocatedCwd="/home/ann/tree").prompt("three").answer("four")
    second = moved.write(root, key="-home-ann-tree")

    session = only_session(root)

    assert (UUID, 4, {str(first), str(second)}) == (session.id, session.messages, set(session.transcripts))
    assert ["one", "two", "three", "four"] == visible(root)


def test_one_id_in_two_configurations_is_one_entry(root: Path) -> None:
    """H21: copies of a session in two projects, two accounts and in Cowork are one entry that holds all of them."""
    short, long = chat(UUID, "one", "two"), chat(UUID, "one", "two", "three", "four")
    paths = [short.write(root), long.write(root, key="-elsewhere")]
    other = root / ".claude-work" / "projects" / "-p" / f"{UUID}.jsonl"
    other.parent.mkdir(parents=True)
    other.write_bytes(short.text())
    (last,) = cowork(root).rglob("*.jsonl")
    last.write_bytes(short.text())

    session = only_session(root)

    assert {*map(str, paths), str(other), str(last)} == set(session.transcripts)
    assert (4, ["one", "two", "three", "four"]) == (session.messages, everything(root))


def test_the_records_decide_the_directory(root: Path) -> None:
    """H22: `-a-b` holds sessions of /a/b, /a-b, /a_b and /a.b, and each is listed with its own."""
    cwds = {f"{number}{UUID[1:]}": cwd for number, cwd in enumerate(("/a/b", "/a-b", "/a_b", "/a.b"))}
    for name, cwd in cwds.items():
        chat(name, "one", cwd=cwd).write(root, key="-a-b")

    assert cwds == {name: session.cwd for name, session in sessions(root).items()}
    assert cwds == {name: session.project for name, session in sessions(root).items()}


# File systems


def test_what_may_not_be_read_is_listed_as_unreadable(open_home: Path) -> None:
    """H32: a file without read rights is an unreadable session with the reason, and the others are read."""
    if os.getuid() != 0:
        pytest.skip("needs root, to become another user")
    chat(OTHER, "one", "two").write(open_home)
    chat(UUID, "three").write(open_home).chmod(0)
    readable(open_home, OTHER)
    everything(open_home)  # so that all code is loaded, which nobody else may read here

    def look() -> Any:
        closed = backscroll.show(UUID, open_home)
        found = [(session.id, session.state) for session in sessions(open_home).values()]
        return sorted(found), everything(open_home, OTHER), list(closed.messages), closed.damage

    found, said, nothing, damage = as_nobody(look)

    assert [(UUID, "unreadable"), (OTHER, "live")] == found
    assert (["one", "two"], []) == (said, nothing)
    assert ["permission denied"] == [item.reason for item in damage]


@pytest.mark.parametrize("own", ["/dev/null/backscroll", "/proc/backscroll"])
def test_reading_needs_no_directory_of_ours(own: str, root: Path) -> None:
    """H33: where our own directory cannot be made, every reading command answers the same without an index."""
    chat(UUID, "one", "two").answer(calls=[bash("ls", "a")]).write(root)

    for command in (["list"], ["overview"], ["stores"], ["show", UUID], ["tree", UUID], ["calls"]):
        alone = run("--root", root, "--json", *command, BACKSCROLL_HOME=own)
        assert (0, run("--root", root, "--json", *command).stdout) == (alone.returncode, alone.stdout)
        assert b"Set BACKSCROLL_HOME" in alone.stderr


def test_reading_needs_no_rights_to_our_directory(open_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """H33: where our own directory may not be written, reading still works, and nothing is left behind."""
    if os.getuid() != 0:
        pytest.skip("needs root, to become another user")
    chat(UUID, "one", "two").write(open_home)
    readable(open_home)
    own = open_home / "ours"
    own.mkdir(mode=0o755)
    visible(open_home)
    before = fingerprint(open_home)
    monkeypatch.setenv("BACKSCROLL_HOME", str(own))

    assert ["one", "two"] == as_nobody(lambda: visible_without_index(open_home))
    assert before == fingerprint(open_home)


def test_an_index_that_others_made_is_not_needed(open_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """H33: an index that may not be read, or only read, is done without."""
    if os.getuid() != 0:
        pytest.skip("needs root, to become another user")
    chat(UUID, "one", "two").write(open_home)
    own = open_home / "ours"
    monkeypatch.setenv("BACKSCROLL_HOME", str(own))
    visible(open_home)
    answers = []
    for mode in (0o644, 0o600):
        for path in open_home.rglob("*"):
            path.chmod(0o755 if path.is_dir() else mode if own in path.parents else 0o644)
        answers.append(as_nobody(lambda: visible_without_index(open_home)))

    assert [["one", "two"]] * 2 == answers


@pytest.mark.parametrize("where", [None, "/", ""])
def test_reading_needs_no_home(where: str | None, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """H33: without HOME, or with HOME=/, commands answer, for a root and for this user's own sessions."""
    chat(UUID, "one", "two").write(root)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(root / ".claude"))
    monkeypatch.delenv("HOME") if where is None else monkeypatch.setenv("HOME", where)
    monkeypatch.setenv("BACKSCROLL_HOME", "/dev/null/ours")

    below = run("--root", root, "--json", "list")
    assert [UUID] == [session["id"] for session in json.loads(below.stdout)["sessions"]]
    own = run("--json", "list")
    assert 0 == own.returncode
    assert UUID.encode() in own.stdout
    assert 0 == run("list").returncode


def test_a_user_without_home_and_name_can_read(open_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """H33: a user id that no account belongs to, as in containers, gets an answer too."""
    if os.getuid() != 0:
        pytest.skip("needs root, to become another user")
    chat(UUID, "one", "two").write(open_home)
    readable(open_home)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(open_home / ".claude"))
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", unknown_user)

    def look() -> list[int]:
        return [run_here(arguments) for arguments in (["list"], ["show", UUID], ["overview"])]

    assert [0, 0, 0] == look() == as_nobody(look)


def unknown_user(number: int) -> None:
    """Say of any user id what the system says of one that it does not know."""
    raise KeyError(f"getpwuid(): uid not found: {number}")


@pytest.mark.parametrize(
    "name",
    [
        "projects/-\udcff/x.jsonl",
        "projects/\udcff.jsonl",
        "projects/-p/agent-\udcff.jsonl",
        f"projects/-p/{OTHER}/subagents/agent-\udcff.jsonl",
        f"projects/-p/{OTHER}/subagents/workflows/\udcff/agent-a1.jsonl",
        "projects/-p/\udcff/subagents/agent-a1.jsonl",
        "../.claude-\udcff/projects/-p/x.jsonl",
    ],
)
def test_a_name_that_is_no_text_costs_nobody(name: str, root: Path) -> None:
    """F06, L2: a damaged file with bytes in its path that are not UTF-8 is listed, and the others are read."""
    chat(UUID, "one", "two").write(root)
    write_side(root, name, chat(OTHER, "three").text() + b'{"type":"us')

    found = sessions(root)
    (other,) = set(found) - {UUID}

    assert (1, 1, ["one", "two"]) == (found[other].messages, found[other].damage, visible(root))
    assert [INCOMPLETE] == [item["reason"] for item in shown(root, other)["damage"]]
    for command in (["list", "--agents"], ["stores"], ["overview"], ["show", other], ["tree", other]):
        assert b"one" in run("--root", root, *command).stdout or command[0] not in ("list", "overview")


LONE = {"text": "a\ud800b"}["text"]


@pytest.mark.parametrize(
    "name, content",
    [
        ("../.claude.json", {"projects": {f"/a{LONE}": {}, "/p": {}}}),
        ("projects/-p/sessions-index.json", {"entries": [{"sessionId": OTHER, "projectPath": f"/a{LONE}"}]}),
        (f"projects/-p/{OTHER}/custom-title.json", {"customTitle": LONE}),
        (f"projects/-p/{OTHER}/archived.json", {"archived": LONE}),
        (f"projects/-p/{OTHER}.desktop-released.json", {"reason": LONE}),
        (f"projects/-p/{OTHER}/subagents/agent-a1.meta.json", dict.fromkeys(("agentType", "toolUseId"), LONE)),
        (f"projects/-p/{OTHER}/subagents/agent-a1.meta.json", dict.fromkeys(("description", "parentAgentId"), LONE)),
        ("settings.json", {"cleanupPeriodDays": 10**30}),
        ("settings.json", {"cleanupPeriodDays": -1}),
        ("settings.json", {LONE: LONE}),
    ],
)
def test_a_broken_side_file_costs_nobody(name: str, content: Any, root: Path) -> None:
    """A16, L2: a lone surrogate or an absurd number in a file beside the transcripts leaves every session readable."""
    chat(UUID, "one", "two").write(root)
    bare = line(user("u", None, "three"))
    write_transcript(root, "-p", OTHER, bare)
    write_side(root, f"projects/-p/{OTHER}/subagents/agent-a1.jsonl", bare)
    write_side(root, name, json.dumps(content).encode())

    assert {UUID, OTHER} == set(sessions(root))
    assert (["one", "two"], ["three", "three"]) == (visible(root), everything(root, OTHER))
    for command in (["list", "--agents"], ["stores"], ["overview"], ["tree", OTHER]):
        assert 0 == run("--root", root, *command).returncode


@pytest.mark.parametrize(
    "name",
    [
        f"{UUID}.sync-conflict-20260501-101010-ABCDEFG.jsonl",
        f"{UUID}.jsonl.orig",
        f"{UUID}.jsonl.bak",
        f"{UUID}.jsonl.tmp",
        f"{UUID}.jsonl~",
        f"{UUID}.jsonl.superseded-1780000000000",
        f"{UUID} 2.jsonl",
    ],
)
def test_a_version_set_aside_is_no_session(name: str, root: Path) -> None:
    """H38: a copy that an editor, a synchroniser or a backup left is a version: one session, nothing twice."""
    chat(UUID, "one", "two").write(root, key="-p")
    write_side(root, f"projects/-p/{name}", chat(UUID, "one", "two", "three").text())

    assert (3, 2) == (only_session(root).messages, len(only_session(root).transcripts))
    assert ["one", "three", "two"] == sorted(everything(root))


# Change while reading


def test_a_file_that_grows_is_read_on(root: Path) -> None:
    """H42: records that came since the last look are there at the next one."""
    lines = chat(UUID, "one", "two", "three", "four").lines()
    path = write_transcript(root, "-p", UUID, lines[:2])
    said = []
    for row in lines[2:]:
        said.append(visible(root))
        with path.open("ab") as file:
            file.write(row)

    assert ["one", "two", "three", "four"] == visible(root)
    assert all(before == visible(root)[: len(before)] for before in said)


def test_a_writer_at_work_disturbs_nobody(root: Path) -> None:
    """H42: while a writer appends byte by byte, each look shows whole records only, and no fewer than before."""
    wanted = [f"Message {number}, äöü 😀" for number in range(8)]
    data = chat(UUID, *wanted).text()
    path = write_transcript(root, "-p", UUID)
    is_done = threading.Event()

    def append() -> None:
        with path.open("ab", buffering=0) as file:
            for start in range(0, len(data), 3):
                file.write(data[start : start + 3])
        is_done.set()

    writer = threading.Thread(target=append)
    writer.start()
    seen = []
    try:
        while not is_done.is_set():
            transcript = backscroll.show(UUID, root)
            seen.append((texts(transcript.messages), [damage.reason for damage in transcript.damage]))
    finally:
        writer.join()

    assert (wanted, 0) == (visible(root), only_session(root).damage)
    assert all(said == wanted[: len(said)] for said, _ in seen)
    assert {INCOMPLETE} >= {reason for _, reasons in seen for reason in reasons}
    assert [len(said) for said, _ in seen] == sorted(len(said) for said, _ in seen)


def test_a_file_that_shrank_is_read_as_it_is(root: Path) -> None:
    """H43: a transcript that was replaced by a shorter one gives what it holds now."""
    path = chat(UUID, "one", "two", "three", "four").write(root)
    before = visible(root)
    path.write_bytes(chat(UUID, "one").text())

    assert (["one", "two", "three", "four"], ["one"]) == (before, visible(root))
    assert 1 == only_session(root).messages


def test_a_file_that_shrinks_during_the_read_ends_nothing(root: Path) -> None:
    """H43: messages that were cut off after the transcript was opened come without their text, and without an error."""
    path = chat(UUID, "one", "two", "three").write(root)
    transcript = backscroll.show(UUID, root)
    first = next(transcript.messages)
    os.truncate(path, first.place.length or 0)

    assert ["one"] == texts([first])
    assert {"", "two", "three"} >= set(texts(transcript.messages))


def test_other_content_of_the_same_size_is_seen(root: Path) -> None:
    """H44: a transcript rewritten in place with the same size and the same time is read again."""
    path = chat(UUID, "one", "two").write(root)
    status = path.stat()
    before = visible(root)
    for text in (b"uno", b"due"):
        data = path.read_bytes().replace({b"uno": b"one", b"due": b"two"}[text], text)
        path.write_bytes(data)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert status.st_size == path.stat().st_size
    assert (["one", "two"], ["uno", "due"]) == (before, visible(root))
    assert 2 == only_session(root).messages


def test_a_new_file_under_the_old_name_is_seen(root: Path) -> None:
    """H45: a transcript that was renamed, and another one under its name, are both read."""
    path = chat(UUID, "one", "two").write(root)
    before = visible(root)
    path.rename(path.with_name(f"{OTHER}.jsonl"))
    chat(UUID, "three").write(root)

    assert ["one", "two"] == before == visible(root, OTHER)
    assert ["three"] == visible(root)


def test_a_deleted_session_is_not_found(root: Path) -> None:
    """H46: a transcript that was deleted after it was listed is no session any more."""
    path = chat(UUID, "one").write(root)
    chat(OTHER, "two").write(root)
    before = set(sessions(root))
    path.unlink()

    assert ({UUID, OTHER}, {OTHER}) == (before, set(sessions(root)))
    with pytest.raises(NotFoundError):
        backscroll.show(UUID, root)
    assert 1 == run("--root", root, "show", UUID).returncode


def test_a_vanished_transcript_is_said_to_have_vanished(root: Path) -> None:
    """H46: asked from the index as it is, a deleted transcript is an empty answer with its damage."""
    path = chat(UUID, "one").write(root)
    sessions(root)
    path.unlink()

    transcript = backscroll.show(UUID, root, update=False)

    assert ([], ["vanished: no such file"]) == (list(transcript.messages), [item.reason for item in transcript.damage])
    for command in ("show", "tree", "calls"):
        assert 0 == run("--root", root, command, UUID, "--no-update").returncode, command
    assert run("--root", root, "show", UUID, "--no-update", "--raw").returncode in (0, 1)


def test_a_file_deleted_during_the_read_is_read_to_its_end(root: Path) -> None:
    """H46: what is open stays readable though its name is gone."""
    path = chat(UUID, "one", "two").write(root)
    transcript = backscroll.show(UUID, root)
    path.unlink()

    assert ["one", "two"] == texts(transcript.messages)


@pytest.mark.parametrize("seconds", [0, 1, 4_000_000_000, 15_000_000_000, -1_000_000])
def test_a_wrong_clock_costs_nothing(seconds: int, root: Path) -> None:
    """H48: a file time of 0, before 1970 or far in the future changes neither what is read nor whether."""
    path = chat(UUID, "one", "two").write(root)
    os.utime(path, (seconds, seconds))

    assert ["one", "two"] == visible(root)
    for command in ("overview", "list", "stores"):
        assert 0 == run("--root", root, command).returncode
    path.write_bytes(chat(UUID, "one", "two", "three").text())
    os.utime(path, (seconds, seconds))
    assert ["one", "two", "three"] == visible(root)


# Our own index


def index_of(root: Path) -> Path:
    """Return the index file of a root."""
    return path_for(Path(os.environ["BACKSCROLL_HOME"], "index"), root)


def spoil(path: Path, how: str) -> None:
    """Damage an index in one of several ways."""
    data = path.read_bytes()
    if how == "deleted":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "garbage":
        path.write_bytes(b"SQLite format 3\0" + os.urandom(len(data)))
    elif how == "noise":
        path.write_bytes(b"no database at all\n" * 1000)
    elif how == "another version":
        with sqlite3.connect(path) as database:
            database.execute("PRAGMA user_version = 99")
        database.close()
    elif how == "pages of zeros":
        path.write_bytes(data[:4096] + bytes(len(data) - 4096))
    else:
        path.write_bytes(data[: int(len(data) * float(how))])


@pytest.mark.parametrize(
    "how",
    [
        "deleted",
        "empty",
        "garbage",
        "noise",
        "another version",
        "pages of zeros",
        "0.01",
        "0.5",
        "0.9",
    ],
)
def test_a_spoiled_index_is_made_anew(how: str, root: Path) -> None:
    """H66: an index that was deleted, cut, overwritten or is of another version is rebuilt, and right."""
    chat(UUID, "one", "two").write(root)
    chat(OTHER, "three", "four").write(root)
    right = answer(root, "list", "--all")
    spoil(index_of(root), how)

    assert right == rebuilt(root, "list", "--all")
    assert (["one", "two"], ["three", "four"]) == (visible(root), visible(root, OTHER))


def test_a_damaged_page_of_the_index_costs_one_command(root: Path) -> None:
    """H66: whichever page of the index was overwritten, a command is right, or says so and the next one is right."""
    for number in range(20):
        chat(f"{number:08x}{UUID[8:]}", "one", "two").write(root)
    right = backscroll.list_sessions(root, limit=None).sessions
    index = index_of(root)
    data = index.read_bytes()
    for start in range(0, len(data), 4096):
        index.write_bytes(data[:start] + b"\xff" * 4096 + data[start + 4096 :])
        for _ in range(2):  # the list is read from some pages, a session's relatives from others
            with suppress(CorruptError):
                backscroll.list_sessions(root, limit=None)
                visible(root, "00000001")

        assert right == backscroll.list_sessions(root, limit=None).sessions, start
        assert ["one", "two"] == visible(root, "00000001"), start


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_a_lost_journal_costs_nothing(suffix: str, root: Path) -> None:
    """H66: the index is right though its write-ahead log or its shared memory was lost in a crash."""
    chat(UUID, "one", "two").write(root)
    answer(root, "list", "--all")
    index = index_of(root)
    with closing(sqlite3.connect(index)) as reader:  # while somebody reads, what is new stays in the log
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM session").fetchall()
        chat(OTHER, "three", "four").write(root)
        right = answer(root, "list", "--all")
        crashed = {name: Path(f"{index}{name}").read_bytes() for name in ("", "-wal", "-shm")}
    for name, data in crashed.items():
        Path(f"{index}{name}").unlink(missing_ok=True)
        if name != suffix:
            Path(f"{index}{name}").write_bytes(data)

    assert (2, right) == (right["total"], rebuilt(root, "list", "--all"))
    assert (["one", "two"], ["three", "four"]) == (visible(root), visible(root, OTHER))


def test_indexers_at_once_agree(root: Path) -> None:
    """H68: processes that bring the same index up to date at the same time all give the right answer."""
    names = [f"{number:08x}{UUID[8:]}" for number in range(300)]
    for name in names:
        chat(name, "one", "two").write(root)
    command = [*PROGRAM, "--root", str(root), "--json", "list", "--all"]
    pipes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    answers = [pipe.communicate(timeout=TIMEOUT) for pipe in pipes]

    assert [(0, b"")] * 4 == [(pipe.returncode, errors) for pipe, (_, errors) in zip(pipes, answers, strict=True)]
    for output in [*(output for output, _ in answers), run("--root", root, "--json", "list", "--all").stdout]:
        found = sorted((session["id"], session["messages"]) for session in strictly(output)["sessions"])
        assert [(name, 2) for name in names] == found


def test_an_indexer_that_was_killed_is_continued(root: Path) -> None:
    """H60: an update that was killed at any moment leaves an index that the next one brings to the right end."""
    names = [f"{number:08x}{UUID[8:]}" for number in range(200)]
    for name in names:
        chat(name, "one", "two").write(root)
    command = [*PROGRAM, "--root", str(root), "list"]
    for seconds in (0.2, 0.3, 0.4, 0.5, 0.6):
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds, check=False)

    assert dict.fromkeys(names, 2) == {name: session.messages for name, session in sessions(root).items()}
