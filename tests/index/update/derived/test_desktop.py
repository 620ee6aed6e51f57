"""Rows joined with transcripts: one conversation is one session, wherever its pieces lie."""

import json
import os
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from make import (
    ACCOUNT,
    APP,
    CODE_ROWS,
    COWORK_ROWS,
    DESKTOPS,
    ORGANIZATION,
    UUID,
    Draft,
    bash,
    desktop_file,
    home,
    indexed,
    inside,
    line,
    listed,
    manifest,
    row,
    write_side,
    write_transcript,
)

from backscroll.errors import QueryError
from backscroll.index.db import open_in_memory
from backscroll.index.progress import Report
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.index.update.update import update
from backscroll.sessions.session import Session
from backscroll.stores.find import find_stores

OTHER, THIRD = "22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333"
OFFICE = "cccccccc-3333-4333-8333-333333333333"
LATER = 1790000000000


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    """Give a new index in memory."""
    made = open_in_memory()
    yield made
    made.close()


def updated(database: sqlite3.Connection, root: Path) -> Report:
    """Bring the index up to date and return what that took."""
    return update(database, find_stores(root, {}))


def only(root: Path) -> Session:
    """Return the one session that there is."""
    (session,) = listed(root).values()
    return session


def said(name: str = UUID, text: str = "Hello", cwd: str = "/r") -> Draft:
    """Return a session with one prompt and one answer."""
    return Draft(name, cwd).prompt(text).answer("Hi.")


# Row and transcript


def test_a_row_and_its_transcript_are_one_session(tmp_path: Path) -> None:
    """The row gives title and account, the transcript everything else."""
    said().write(tmp_path)
    row(tmp_path, cliSessionId=UUID)
    session = only(tmp_path)

    assert (UUID, "Fix", "row", "live") == (session.id, session.title, session.title_source, session.state)
    assert (["code", "desktop"], ACCOUNT, 2) == (session.stores, session.account, session.messages)
    assert [f"local_{APP}"] == [item["id"] for item in session.rows]


def test_a_transcript_under_any_key_is_found(tmp_path: Path) -> None:
    """A row's cwd says nothing about the directory that its transcript lies in."""
    said().write(tmp_path, key="-quite-elsewhere")
    row(tmp_path, cliSessionId=UUID, cwd="/r")

    assert "live" == only(tmp_path).state


def test_a_title_that_somebody_typed_wins(tmp_path: Path) -> None:
    """What was typed into Desktop stands before what was typed at the terminal; what Desktop made up does not."""
    said().title("From the terminal", by="custom").write(tmp_path)
    path = row(tmp_path, cliSessionId=UUID, title="Typed", titleSource="user")

    assert "Typed" == only(tmp_path).title
    path.write_text(path.read_text().replace('"user"', '"auto"'))
    assert "From the terminal" == only(tmp_path).title


def test_two_accounts_one_conversation(tmp_path: Path) -> None:
    """The same row below two accounts is one session, found under both of them."""
    said().write(tmp_path)
    row(tmp_path, cliSessionId=UUID)
    row(tmp_path, cliSessionId=UUID, owner=f"{OFFICE}/org", lastActivityAt=LATER)
    database = indexed(tmp_path)

    assert [OFFICE, ACCOUNT] == [item["account"] for item in only(tmp_path).rows]
    assert OFFICE == only(tmp_path).account
    for account in (ACCOUNT, OFFICE[:6]):
        assert 1 == query.count(database, SessionFilter(account=account))
    assert 0 == query.count(database, SessionFilter(account=ACCOUNT[1:]))


def test_one_row_id_may_mean_two_conversations(tmp_path: Path) -> None:
    """The same id below two accounts with other transcripts stays two sessions, and the id alone is ambiguous."""
    said().write(tmp_path)
    said(OTHER, "Other").write(tmp_path)
    row(tmp_path, cliSessionId=UUID)
    row(tmp_path, cliSessionId=OTHER, owner=f"{OFFICE}/org")

    assert {UUID: ACCOUNT, OTHER: OFFICE} == {name: session.account for name, session in listed(tmp_path).items()}
    with pytest.raises(QueryError, match="this id fits several sessions"):
        query.resolve(indexed(tmp_path), f"local_{APP}")


def test_the_owner_that_a_transcript_names_counts_more(tmp_path: Path) -> None:
    """A session-owner record says who ran it; the row says only below whom it lies."""
    said().record(type="session-owner", accountUuid=OFFICE).write(tmp_path)
    row(tmp_path, cliSessionId=UUID)

    assert OFFICE == only(tmp_path).account


# Lineage


def test_three_transcripts_of_one_row(tmp_path: Path) -> None:
    """Everything that a row's earlier ids hold is in the session of its newest one, and no id is lost."""
    for number, name in enumerate((THIRD, OTHER, UUID)):
        said(name, f"Part {number}").write(tmp_path)
    row(tmp_path, cliSessionId=UUID, preClearCliSessionId=OTHER, priorCliSessionIds=[THIRD])
    session, database = only(tmp_path), indexed(tmp_path)

    assert (UUID, 6, 3) == (session.id, session.messages, session.prompts)
    assert (UUID, {UUID, OTHER, THIRD}) == (
        Path(session.transcripts[0]).stem,
        {Path(path).stem for path in session.transcripts},
    )
    assert {UUID} == {query.resolve(database, name) for name in (UUID, OTHER, THIRD, APP, f"local_{APP}", APP[:5])}


def test_a_shared_beginning_counts_once(tmp_path: Path) -> None:
    """A resume that copied everything adds only what is new; what it rewound is a branch."""
    first = said(OTHER, "One").prompt("Left behind").answer("Gone.")
    second = said(OTHER, "One").fork(UUID, style="plain").prompt("Two").answer("2")
    first.write(tmp_path)
    second.write(tmp_path)
    row(tmp_path, cliSessionId=UUID, priorCliSessionIds=[OTHER])
    session = only(tmp_path)

    assert (6, 2, 3) == (session.messages, session.branches, session.prompts)


def test_agents_of_earlier_ids_come_along(tmp_path: Path) -> None:
    """Agents, nested and flat, belong to the session that continues theirs."""
    for name, version in ((OTHER, "2.1.325"), (THIRD, "2.0.60")):
        draft = Draft(name, "/r", version).prompt("Start")
        draft.join(draft.agent("Job", f"Do it in {version}").answer(calls=[bash("ls", "a")]), "Done").write(tmp_path)
    said().write(tmp_path)
    row(tmp_path, cliSessionId=UUID, priorCliSessionIds=[OTHER, THIRD])

    assert (UUID, 2) == (only(tmp_path).id, only(tmp_path).agents)


def test_the_newest_id_may_be_gone(tmp_path: Path) -> None:
    """Where only an earlier transcript is left, that one is the session."""
    said(OTHER).write(tmp_path)
    row(tmp_path, cliSessionId=UUID, priorCliSessionIds=[OTHER])

    assert (OTHER, "live") == (only(tmp_path).id, only(tmp_path).state)
    assert OTHER == query.resolve(indexed(tmp_path), UUID)


def test_two_rows_that_point_at_each_other(tmp_path: Path) -> None:
    """Two accounts that went on in turn are one session, under the id of the row that was used last."""
    said().write(tmp_path)
    said(OTHER, "Other").write(tmp_path)
    row(tmp_path, cliSessionId=UUID, priorCliSessionIds=[OTHER])
    row(tmp_path, cliSessionId=OTHER, priorCliSessionIds=[UUID], owner=f"{OFFICE}/org", lastActivityAt=LATER)

    assert (OTHER, 4, 2) == (only(tmp_path).id, only(tmp_path).messages, len(only(tmp_path).rows))


def test_an_earlier_transcript_that_two_rows_claim(tmp_path: Path) -> None:
    """The row that was used last has it; the other session stays its own."""
    for name in (UUID, OTHER, THIRD):
        said(name, name).write(tmp_path)
    row(tmp_path, cliSessionId=UUID, priorCliSessionIds=[THIRD])
    row(tmp_path, APP[::-1], cliSessionId=OTHER, priorCliSessionIds=[THIRD], lastActivityAt=LATER)

    assert {UUID: 2, OTHER: 4} == {name: session.messages for name, session in listed(tmp_path).items()}


def test_what_another_row_means_now_stays_its_own(tmp_path: Path) -> None:
    """An earlier id that is the present one of another entry of the sidebar is not swallowed."""
    said().write(tmp_path)
    said(OTHER, "Other").write(tmp_path)
    row(tmp_path, cliSessionId=UUID)
    row(tmp_path, APP[::-1], cliSessionId=OTHER, priorCliSessionIds=[UUID], lastActivityAt=LATER)

    assert {UUID: 1, OTHER: 1} == {name: len(session.rows) for name, session in listed(tmp_path).items()}


def test_an_imported_session_keeps_its_id(tmp_path: Path) -> None:
    """A row called after a transcript means it, even where it says nothing else."""
    said().write(tmp_path)
    row(tmp_path, UUID)

    assert (UUID, ["code", "desktop"]) == (only(tmp_path).id, only(tmp_path).stores)


def test_a_staged_transcript(tmp_path: Path) -> None:
    """A transcript on its way lies beside the rows."""
    row(tmp_path, cliSessionId=UUID)
    desktop_file(tmp_path, f"{CODE_ROWS}/{ACCOUNT}/{ORGANIZATION}/imported-staging/{UUID}.jsonl", said().text())

    assert (2, ["desktop"], "live") == (only(tmp_path).messages, only(tmp_path).stores, only(tmp_path).state)


def test_a_worktree_whose_row_names_the_repository(tmp_path: Path) -> None:
    """A transcript below the worktree's key is placed there, though row and records name the repository."""
    said(cwd="/r").write(tmp_path, key="-r--claude-worktrees-w")
    row(tmp_path, cliSessionId=UUID, cwd="/r", originCwd="/r", worktreePath="/r/.claude/worktrees/w")
    session = only(tmp_path)

    assert ("/r/.claude/worktrees/w", "/r", "row") == (session.cwd, session.project, session.project_source)


# States


@pytest.mark.parametrize(
    "fields, state",
    [
        ({}, "ghost"),
        ({"isArchived": True}, "ghost"),
        ({"sshConfig": {"host": "box"}}, "remote"),
        ({"wslConfig": {"distro": "Ubuntu"}}, "remote"),
        ({"cloudSessionId": "session_01"}, "remote"),
    ],
)
def test_rows_without_a_transcript(tmp_path: Path, fields: dict[str, Any], state: str) -> None:
    """What is not on this disk is listed with what its row knows."""
    row(tmp_path, cliSessionId=UUID, **fields)
    session = only(tmp_path)

    assert (UUID, state, "Fix", "/r", "claude-x[1m]") == (
        session.id,
        session.state,
        session.title,
        session.cwd,
        session.model,
    )
    assert ("2026-05-28T20:28:20", 0, []) == (
        f"{session.updated:%Y-%m-%dT%H:%M:%S}",
        session.messages,
        session.transcripts,
    )


def test_a_row_that_never_had_a_transcript(tmp_path: Path) -> None:
    """A session that failed to start is listed under Desktop's own id."""
    manifest(tmp_path, error="RPC error -1")

    assert (APP, "ghost", "RPC error -1") == (only(tmp_path).id, only(tmp_path).state, only(tmp_path).rows[0]["error"])


@pytest.mark.parametrize("data", [b"", said().text()], ids=["empty", "filled"])
def test_an_ssh_mirror(tmp_path: Path, data: bytes) -> None:
    """Desktop's mirror of an SSH session is remote, whether anything stands in it or not."""
    write_transcript(home(tmp_path), f"ssh-{UUID}", UUID, data)
    row(tmp_path, cliSessionId=UUID, sshConfig={"host": "box"})

    assert ("remote", bool(data)) == (only(tmp_path).state, only(tmp_path).messages > 0)


def test_a_cloud_session_that_was_fetched(tmp_path: Path) -> None:
    """A transcript that is here is here."""
    said().write(tmp_path)
    row(tmp_path, cliSessionId=UUID, cloudSessionId="session_01")

    assert "live" == only(tmp_path).state
    assert UUID == query.resolve(indexed(tmp_path), "session_01")


def test_archived_where_all_rows_are(tmp_path: Path) -> None:
    """A session that one account still shows is not archived."""
    said().write(tmp_path)
    row(tmp_path, cliSessionId=UUID, isArchived=True)

    assert "archived" == only(tmp_path).state
    row(tmp_path, cliSessionId=UUID, owner=f"{OFFICE}/org")
    assert "live" == only(tmp_path).state


@pytest.mark.parametrize("mark", ["tombstone", "tombstone of the app", "released"])
def test_deleted_in_desktop_but_still_there(tmp_path: Path, mark: str) -> None:
    """A tombstone or a release mark without a row: the transcript is still here until the next clean-up."""
    path = said().write(tmp_path)
    if mark == "released":
        path.with_name(f"{UUID}.desktop-released.json").write_text('{"v":1,"reason":"delete"}')
    else:
        name = f"deleted_{'local_' if mark.endswith('app') else ''}{UUID}"
        desktop_file(tmp_path, f"{CODE_ROWS}/{ACCOUNT}/{ORGANIZATION}/{name}", b"1780000000000")
    session = only(tmp_path)

    assert ("deleted", 2) == (session.state, session.messages)
    assert session.expires is not None
    row(tmp_path, cliSessionId=UUID)
    assert "live" == only(tmp_path).state


def test_a_tombstone_without_anything(tmp_path: Path) -> None:
    """What was deleted and is gone is no session."""
    desktop_file(tmp_path, f"{CODE_ROWS}/{ACCOUNT}/{ORGANIZATION}/deleted_{UUID}", b"1780000000000")

    assert {} == listed(tmp_path)


# Damage and copies


def test_a_damaged_row_is_listed(tmp_path: Path) -> None:
    """A row of NUL bytes is a session that could not be read, and damage of its store."""
    row(tmp_path).write_bytes(b"\0" * 999)
    database = indexed(tmp_path)

    assert (APP, "damaged", 1) == (only(tmp_path).id, only(tmp_path).state, only(tmp_path).damage)
    assert ["nothing but 999 NUL bytes"] == [item.reason for item in query.stores(database)[0].damage]


def test_a_damaged_row_is_joined_by_what_is_left_of_it(tmp_path: Path) -> None:
    """A row that is cut behind its id still leads to its transcript."""
    said().write(tmp_path)
    path = row(tmp_path)
    path.write_text(f'{{"sessionId":"local_{APP}","cliSessionId":"{UUID}","cwd":"/r","tit')

    assert (UUID, "live", 1) == (only(tmp_path).id, only(tmp_path).state, only(tmp_path).damage)


def test_a_half_written_row_stands_in(tmp_path: Path) -> None:
    """Where a row is missing or damaged, its .tmp is the row; beside a sound one it is a copy."""
    path = row(tmp_path, cliSessionId=UUID)
    temporary = path.with_name(f"{path.name}.tmp")
    temporary.write_bytes(path.read_bytes().replace(b'"Fix"', b'"Half"'))

    assert ("Fix", [str(temporary)]) == (only(tmp_path).title, only(tmp_path).rows[0]["copies"])
    path.write_bytes(b"")
    assert ("Half", True) == (only(tmp_path).title, only(tmp_path).rows[0]["temporary"])
    path.unlink()
    assert "Half" == only(tmp_path).title


def test_one_row_in_two_data_directories(tmp_path: Path) -> None:
    """The Store's directory and the usual one hold the same row: the one used last counts, the other is its copy."""
    old = row(tmp_path, cliSessionId=UUID, at=f"{DESKTOPS[3]}/{CODE_ROWS}", title="Old")
    new = row(tmp_path, cliSessionId=UUID, at=f"{DESKTOPS[4]}/{CODE_ROWS}", lastActivityAt=LATER)
    (found,) = only(tmp_path).rows

    assert (str(new), [str(old)], "Fix") == (found["path"], found["copies"], only(tmp_path).title)


def test_shortened_owners_are_the_same_owners(tmp_path: Path) -> None:
    """An account that a path shortens to eight digits is the one that another path spells out."""
    row(tmp_path, cliSessionId=UUID)
    row(tmp_path, OTHER, cliSessionId=OTHER, owner=f"{ACCOUNT[:8]}/{ORGANIZATION[:8]}")

    assert {(ACCOUNT, ORGANIZATION)} == {
        (r["account"], r["organization"]) for s in listed(tmp_path).values() for r in s.rows
    }


# Cowork


def test_a_cowork_session(tmp_path: Path) -> None:
    """Manifest, transcript in the private directory and agents are one session, of the folder that it was given."""
    path = manifest(tmp_path, cliSessionId=UUID)
    draft = Draft(UUID, "/sessions/calm-river").prompt("Go").answer("Gone.")
    draft.join(draft.agent("Job", "Do"), "Done")
    draft.write(path.with_suffix(""))
    session = only(tmp_path)

    assert (UUID, ["cowork"], "live", 1) == (session.id, session.stores, session.state, session.agents)
    assert ("/sessions/calm-river", "/home/ann/tides", "Tides") == (session.cwd, session.project, session.title)
    assert (None, ACCOUNT) == (session.expires, session.account)


@pytest.mark.parametrize("name", [f"local_{APP}", APP[:8]], ids=["long", "short"])
@pytest.mark.parametrize("given", [UUID, None], ids=["named", "unnamed"])
def test_the_directory_of_a_cowork_session(tmp_path: Path, name: str, given: str | None) -> None:
    """A transcript beside the manifest belongs to it, under a long and a short name, whether it is named or not."""
    path = manifest(tmp_path, cliSessionId=given)
    said(cwd="/sessions/x").write(path.parent / name, key="session")

    assert (UUID, f"local_{APP}") == (only(tmp_path).id, only(tmp_path).rows[0]["id"])


def test_an_audit_stands_in_for_the_transcript(tmp_path: Path) -> None:
    """Where the transcript is gone, the audit is read; where it is there, the audit is not."""
    path = manifest(tmp_path, cliSessionId=UUID)
    inside(path, "audit.jsonl", audit("In the audit"))
    session = only(tmp_path)

    assert (UUID, 2, 1, 3) == (session.id, session.messages, session.prompts, session.usage.output)
    said(text="In the transcript").write(path.with_suffix(""))
    assert (2, 1) == (only(tmp_path).messages, only(tmp_path).usage.messages)
    assert [f"{UUID}.jsonl"] == [Path(path).name for path in only(tmp_path).transcripts]


def test_an_audit_stands_in_beside_outputs(tmp_path: Path) -> None:
    """Saved outputs of a transcript that is gone do not keep the audit from being read."""
    path = manifest(tmp_path, cliSessionId=UUID)
    inside(path, f".claude/projects/session/{UUID}/tool-results/x.txt", b"x")
    inside(path, "audit.jsonl", audit("In the audit"))

    assert (UUID, 2) == (only(tmp_path).id, only(tmp_path).messages)


def test_an_audit_without_a_manifest(tmp_path: Path) -> None:
    """An audit that nothing else is left of is a session under the name of its directory."""
    path = manifest(tmp_path)
    inside(path, "audit.jsonl", audit("Left alone"))
    path.unlink()

    assert (APP, 2, ["cowork"]) == (only(tmp_path).id, only(tmp_path).messages, only(tmp_path).stores)


def test_a_private_directory_that_a_variable_names(tmp_path: Path, database: sqlite3.Connection) -> None:
    """A transcript that two stores find is one transcript."""
    path = manifest(tmp_path, cliSessionId=UUID)
    said(cwd="/sessions/x").write(path.with_suffix(""))
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(path.with_suffix("") / ".claude")}
    update(database, find_stores(None, env))

    assert 1 == len(query.session(database, UUID).transcripts)


def test_an_old_row_of_the_code_tab_among_manifests(tmp_path: Path) -> None:
    """A row is of the Code tab by its fields, wherever it lies, and so is its session's store."""
    said().write(tmp_path)
    row(tmp_path, cliSessionId=UUID, at=f"{DESKTOPS[0]}/{COWORK_ROWS}")

    assert ["code", "desktop"] == only(tmp_path).stores


def cloud_list(root: Path, *entries: Any) -> Path:
    """Write the list of sessions that are in the cloud only."""
    name = f"{COWORK_ROWS}/{ACCOUNT}/{ORGANIZATION}/remote-session-spaces.json"
    return desktop_file(root, name, {"entries": list(entries)})


def test_sessions_in_the_cloud_only(tmp_path: Path, database: sqlite3.Connection) -> None:
    """What Cowork keeps in the cloud is listed as held there, with its folders; what is odd in the list is left."""
    path = cloud_list(tmp_path, {"sessionId": "session_01", "folders": ["/home/ann/x"]}, {"sessionId": 7}, None)
    updated(database, tmp_path)
    (session,) = query.sessions(database, SessionFilter(), None)

    assert ("session_01", "remote", "/home/ann/x", ACCOUNT) == (
        session.id,
        session.state,
        session.project,
        session.account,
    )
    assert "in Anthropic's cloud, as session_01" == session.rows[0]["held"]
    assert 1 == query.stores(database)[-1].sessions
    path.write_text("{}")
    updated(database, tmp_path)
    assert 0 == query.count(database, SessionFilter())


def test_a_cloud_session_that_has_a_row_is_one_session(tmp_path: Path) -> None:
    """The list and a row may spell the same id in two ways."""
    cloud_list(tmp_path, {"sessionId": "cse_01"})
    row(tmp_path, cliSessionId=UUID, cloudSessionId="session_01")

    assert (UUID, ["cloud", "code"]) == (only(tmp_path).id, sorted(item["product"] for item in only(tmp_path).rows))


def test_a_damaged_list_of_cloud_sessions(tmp_path: Path) -> None:
    """A list that cannot be read is damage of its store."""
    cloud_list(tmp_path).write_bytes(b"\0" * 9)

    assert ["nothing but 9 NUL bytes"] == [item.reason for item in query.stores(indexed(tmp_path))[-1].damage]


def test_a_manifest_of_the_always_on_agent(tmp_path: Path) -> None:
    """Sessions below `agent/` and those called local_ditto_… are sessions too."""
    fields = {"sessionId": "local_ditto_x_g2", "createdAt": 1, "lastActivityAt": 1, "processName": "p"}
    desktop_file(tmp_path, f"{COWORK_ROWS}/{ACCOUNT}/{ORGANIZATION}/agent/local_ditto_x_g2.json", fields)

    assert ("ditto_x_g2", ACCOUNT) == (only(tmp_path).id, only(tmp_path).account)
    assert "ditto_x_g2" == query.resolve(indexed(tmp_path), "local_ditto_x")


def audit(text: str) -> bytes:
    """Return an audit of one prompt, sent twice, and one answer."""
    time = {"_audit_timestamp": "2026-05-01T10:00:00.000Z", "session_id": "unreliable"}
    asked = {"type": "user", "uuid": "u" * 20, "message": {"role": "user", "content": text}, **time}
    parts = [{"type": "text", "text": "Done."}]
    usage = {"input_tokens": 1, "output_tokens": 3}
    message = {"id": "msg_" + "a" * 20, "role": "assistant", "model": "claude-x", "content": parts, "usage": usage}
    answer = {"type": "assistant", "uuid": "a" * 20, "message": message, "parent_tool_use_id": None, **time}
    result = {"type": "result", "total_cost_usd": 0.5, **time}
    records: list[dict[str, Any]] = [asked, asked, answer, result]
    return b"".join(map(line, records))


# In step


def test_a_changed_row_reads_no_transcript(tmp_path: Path, database: sqlite3.Connection) -> None:
    """A new title in a row is in the list at once, and no transcript is opened for it."""
    said().write(tmp_path)
    path = row(tmp_path, cliSessionId=UUID)
    updated(database, tmp_path)
    path.write_text(path.read_text().replace('"Fix"', '"Mended"'))
    report = updated(database, tmp_path)

    assert (0, "Mended") == (report.read, query.session(database, UUID).title)


def test_a_row_that_goes_takes_its_word_along(tmp_path: Path, database: sqlite3.Connection) -> None:
    """Without its row a session is what its transcript says, and a ghost is nothing."""
    said().write(tmp_path)
    for path in (row(tmp_path, cliSessionId=UUID), row(tmp_path, OTHER, cliSessionId=OTHER)):
        updated(database, tmp_path)
        path.unlink()
    updated(database, tmp_path)

    assert ["Hello"] == [session.title for session in query.sessions(database, SessionFilter(), None)]
    assert [] == query.session(database, UUID).rows


def test_a_row_that_forgets_its_transcript(tmp_path: Path, database: sqlite3.Connection) -> None:
    """H51: Desktop removes cliSessionId now and then; what the row said before still joins it."""
    said().write(tmp_path)
    path = row(tmp_path, cliSessionId=UUID)
    updated(database, tmp_path)
    path.write_text(path.read_text().replace(f'"cliSessionId": "{UUID}"', '"transcriptUnavailable": true'))
    updated(database, tmp_path)

    assert [f"local_{APP}"] == [item["id"] for item in query.session(database, UUID).rows]


def everything(database: sqlite3.Connection) -> list[Any]:
    """Return all that the index says of sessions, rows and usage."""
    return [
        database.execute("SELECT * FROM session ORDER BY id").fetchall(),
        database.execute("SELECT path, session, body FROM desktop_row ORDER BY path").fetchall(),
        sorted(database.execute("SELECT * FROM usage_sum").fetchall(), key=repr),
        database.execute(
            "SELECT unit.session, unit.agent, file.path FROM unit LEFT JOIN file ON file.unit = unit.id"
            " ORDER BY unit.key, file.number"
        ).fetchall(),
    ]


IDS = [UUID, OTHER, THIRD]
POINTERS = st.lists(
    st.tuples(st.integers(0, 2), st.lists(st.integers(0, 2), max_size=2), st.integers(1, 9)), max_size=4
)


@pytest.mark.slow
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@for_all(POINTERS, st.randoms(use_true_random=False), st.sampled_from(["2.0.60", "2.1.325"]))
def test_the_order_of_rows_and_transcripts_does_not_matter(
    pointers: list[tuple[int, list[int], int]], chance: random.Random, version: str
) -> None:
    """An index that met rows and transcripts one by one, and lost them again, equals one made at once."""
    with tempfile.TemporaryDirectory() as directory:
        root = home(Path(directory))
        for name in IDS:
            draft = Draft(name, "/r", version).prompt(f"Say {name}").answer("Said.")
            draft.join(draft.agent("Job", f"Do {name}"), "Done").write(root)
        for number, (live, prior, time) in enumerate(pointers):
            fields: dict[str, Any] = {"cliSessionId": IDS[live], "priorCliSessionIds": [IDS[one] for one in prior]}
            row(root, f"{number:08d}", **fields, lastActivityAt=LATER + time)
        files = [path for path in sorted(root.rglob("*")) if path.is_file()]
        kept = {path: path.read_bytes() for path in files}
        for path in files:
            path.unlink()
        chance.shuffle(files)
        with closing(open_in_memory()) as database:
            for path in files:
                path.write_bytes(kept[path])
                updated(database, root)

                assert everything(indexed(root)) == everything(database)

            for path in chance.sample(files, len(files)):
                path.unlink()
                updated(database, root)

                assert everything(indexed(root)) == everything(database)


def test_stores_tell_their_sessions(tmp_path: Path) -> None:
    """A store's sessions are those of its rows, manifests and transcripts, each once."""
    said().write(tmp_path)
    row(tmp_path, cliSessionId=UUID)
    path = manifest(tmp_path, OTHER, cliSessionId=OTHER)
    said(OTHER, cwd="/sessions/x").write(path.with_suffix(""))
    write_side(tmp_path, "settings.json", b"{}")
    found = {store.kind: store.sessions for store in query.stores(indexed(tmp_path))}

    assert {"code": 1, "side": 0, "desktop": 1, "cowork": 1} == found


def test_rows_are_plain_json(tmp_path: Path) -> None:
    """Paths that are no text are kept as they are in the index, and rows can be written as JSON."""
    path = row(tmp_path, cliSessionId=UUID)
    odd = path.with_name(os.fsdecode(b"local_\xff.json"))
    path.rename(odd)

    assert os.fsencode(odd) == os.fsencode(json.loads(json.dumps(only(tmp_path).rows))[0]["path"])
