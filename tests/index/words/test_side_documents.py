"""What lies beside the transcripts is found: what nothing else holds, once, and in step with what changes."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from make import (
    ACCOUNT,
    APP,
    COWORK_ROWS,
    ORGANIZATION,
    UUID,
    Draft,
    desktop_file,
    home,
    inside,
    line,
    manifest,
    row,
    write_side,
    write_transcript,
)
from searched import Searched

GONE = "77777777-7777-4777-8777-777777777777"
TIME = 1_778_000_000_000


def typed(display: str, session: str | None = GONE, time: int = TIME, **fields: Any) -> bytes:
    """Return a line of history.jsonl."""
    given = {"display": display, "pastedContents": {}, "timestamp": time, "project": "/srv/shop", **fields}
    return line(given if session is None else {**given, "sessionId": session})


def found(searched: Searched, query: str) -> list[tuple[str, str]]:
    """Return role and kind of everything that is found."""
    return [(hit.role, hit.kind) for hit in searched(query).hits]


def messages(searched: Searched, query: str) -> list[bool]:
    """Say of everything that is found whether it is a message."""
    return [hit.message is not None for hit in searched(query).hits]


def test_a_prompt_that_no_message_holds(tmp_path: Path) -> None:
    """It is found in the history until a message holds it, and again when that is gone."""
    root = home(tmp_path)
    draft = Draft(UUID).prompt("begin").answer("yes")
    path = draft.write(root)
    write_side(root, "history.jsonl", [typed("begin", UUID), typed("feed  the OKAPI!", UUID), typed("/exit", UUID)])
    with Searched(root) as searched:
        assert [True] == messages(searched, "begin")
        assert [False] == messages(searched, "okapi")
        assert 0 == searched("exit").total
        draft.prompt("Feed the okapi").write(root)
        searched.refresh()
        assert [True] == messages(searched, "okapi")
        path.unlink()
        searched.refresh()

        assert [False] == messages(searched, "okapi")
        assert [False] == messages(searched, "begin")


@pytest.mark.parametrize(
    "fields, is_held",
    [
        ({"project": "/srv/shop", "time": TIME}, True),
        ({"project": "/srv/other", "time": TIME}, False),
        ({"project": "/srv/other", "time": "sent"}, True),
        ({"project": None, "time": TIME}, False),
    ],
)
def test_a_prompt_without_a_session(tmp_path: Path, fields: dict[str, Any], *, is_held: bool) -> None:
    """It is the message that says the same in the same project, or at the same time."""
    root = home(tmp_path)
    draft = Draft(UUID, "/srv/shop").prompt("feed the okapi")
    draft.write(root)
    sent = round(draft.typed[0][0].timestamp() * 1000)
    time = sent if fields["time"] == "sent" else fields["time"]
    write_side(root, "history.jsonl", typed("feed the okapi", None, time, project=fields["project"]))
    with Searched(root) as searched:
        assert 2 - is_held == searched("okapi").total


def test_where_a_lost_prompt_belongs(tmp_path: Path) -> None:
    """A prompt whose session is gone is found by its project and by the session's id."""
    root = home(tmp_path)
    Draft(UUID, "/srv/other").prompt("see the okapi").write(root)
    write_side(root, "history.jsonl", typed("feed the okapi"))
    with Searched(root) as searched:
        for query in (
            "okapi project:SHOP",
            f"okapi session:{GONE[:8]}",
            "okapi -project:other",
            f"okapi -session:{UUID}",
        ):
            assert [GONE] == [hit.session for hit in searched(query).hits], query
        for query in ("okapi project:other", "okapi -project:shop", f"okapi -session:{GONE}"):
            assert [UUID] == [hit.session for hit in searched(query).hits], query


def test_pastes(tmp_path: Path) -> None:
    """What was pasted is found with its prompt, wherever it lies, and alone where no prompt names it."""
    root = home(tmp_path)
    placeholder = "look at [Pasted text #1 +2 lines] and [Pasted text #2 +9 lines]"
    pasted = {
        "1": {"id": 1, "type": "text", "content": "the gnu"},
        "2": {"id": 2, "type": "text", "contentHash": "0123abcd"},
    }
    write_side(root, "paste-cache/0123abcd.txt", b"a kudu\nand an eland")
    write_side(root, "paste-cache/ffff0000.txt", b"some impala")
    history = write_side(root, "history.jsonl", typed(placeholder, pastedContents=pasted))
    with Searched(root) as searched:
        for word in ("gnu", "kudu", "look"):
            (hit,) = searched(word).hits
            assert (GONE, "user", "text", str(history)) == (
                hit.session,
                hit.role,
                hit.kind,
                hit.place and hit.place.path,
            )
            assert word in hit.snippet
        assert [("user", "text")] == found(searched, "impala")
        assert 1 == searched("eland kudu gnu look").total

        Draft(GONE).prompt("look at the gnu and a kudu\nand an eland").write(root)
        searched.refresh()
        assert [True] == messages(searched, "kudu")
        assert 1 == searched("gnu").total


FILES: dict[str, tuple[str, bytes, str]] = {
    "aardvark": ("projects/-p/memory/MEMORY.md", b"prefers the aardvark", "memory"),
    "badger": ("agent-memory/reviewer/MEMORY.md", b"prefers the badger", "memory"),
    "camel": (f"projects/-p/{UUID}/workflows/w.js", b"agent('feed the camel')", "other"),
    "dingo": (f"projects/-p/{UUID}/scripts/s.js", b"feed(dingo)", "other"),
    "eland": (f"projects/-p/{UUID}/subagents/workflows/run1/journal.jsonl", b'{"type":"s","label":"eland"}\n', "other"),
    "ferret": (f"projects/-p/{UUID}/remote-agents/remote-agent-1.meta.json", b'{"description":"ferret"}', "other"),
    "gibbon": (f"projects/-p/{UUID}/tool-results/b1.txt", b"gibbon", "result"),
    "hyena": (f"tasks/{UUID}/1.json", b'{"subject":"hyena","status":"pending"}', "todo"),
    "ibex": ("scheduled-tasks/daily/SKILL.md", b"feed the ibex", "schedule"),
    "jackal": (
        "projects/-p/sessions-index.json",
        json.dumps({"entries": [{"sessionId": GONE, "firstPrompt": "feed the jackal"}]}).encode(),
        "text",
    ),
}


def test_files(tmp_path: Path) -> None:
    """Each kind of file that people would search is, and gone when it is gone."""
    root = home(tmp_path)
    Draft(UUID).prompt("begin").write(root, key="-p")
    paths = {word: write_side(root, name, data) for word, (name, data, _) in FILES.items()}
    with Searched(root) as searched:
        for word, (_, _, kind) in FILES.items():
            (hit,) = searched(word).hits
            assert (kind, str(paths[word])) == (hit.kind, hit.place and hit.place.path)
            assert word in hit.snippet
            assert 1 == searched(f"{word} kind:{'prompt' if kind == 'text' else kind}").total
        for path in paths.values():
            path.unlink()
        searched.refresh()
        assert [0] * len(FILES) == [searched(word).total for word in FILES]


@pytest.mark.parametrize("limit", [3, 20])
def test_what_belongs_to_no_session(tmp_path: Path, limit: int) -> None:
    """Each of them is shown, beside the best hit of each session."""
    root = home(tmp_path)
    Draft(UUID).prompt("see the okapi").answer("the okapi is there").write(root)
    for number in range(4):
        write_side(root, f"plans/{number}.md", f"feed okapi number {number}".encode())
    write_side(root, "history.jsonl", [typed("an okapi", None), typed("one more okapi", None)])
    with Searched(root) as searched:
        hits = searched("okapi", all_hits=False, limit=limit).hits
        others = [hit.others for hit in hits if hit.session is not None]
        assert min(limit, 7) == len(hits)
        assert {0} == {hit.others for hit in hits if hit.session is None}
        assert [1] * len(others) == others
        assert len(hits) == len({(hit.place, hit.snippet) for hit in hits})


DAY = 86_400


def test_when_files_were_written(tmp_path: Path) -> None:
    """What tells no time of its own is found by the time of its file, and by another one as soon as that has it."""
    root = home(tmp_path)
    Draft(UUID).prompt("begin").write(root, key="-p")
    paths = {word: write_side(root, name, data) for word, (name, data, _) in FILES.items() if word != "jackal"}
    paths["lemur"] = write_side(root, "plans/calm.md", b"feed the lemur")
    paths["margay"] = write_side(root, "todos/x.json", b'[{"content": "feed the margay"}]')
    paths["nandu"] = write_side(root, "paste-cache/ab12.txt", b"feed the nandu")
    for number, path in enumerate(paths.values()):
        os.utime(path, (TIME / 1000 + number * DAY,) * 2)
    with Searched(root) as searched:
        for number, word in enumerate(paths):
            moment = datetime.fromtimestamp(TIME / 1000 + number * DAY, UTC)
            assert [moment] == [hit.time for hit in searched(word).hits], word
            assert 1 == searched(f"{word} since:{moment:%Y-%m-%d} until:{moment + timedelta(days=1):%Y-%m-%d}").total
            assert 0 == searched(f"{word} until:{moment - timedelta(days=1):%Y-%m-%d}").total
        os.utime(paths["lemur"], (TIME / 1000 - DAY,) * 2)
        searched.refresh()
        assert [TIME / 1000 - DAY] == [hit.time and hit.time.timestamp() for hit in searched("lemur").hits]


@pytest.mark.parametrize("seconds", [0, -DAY * 400])
def test_a_time_that_is_none(tmp_path: Path, seconds: int) -> None:
    """A file from before there were any such clocks has no time."""
    root = home(tmp_path)
    os.utime(write_side(root, "plans/calm.md", b"feed the okapi"), (seconds, seconds))
    with Searched(root) as searched:
        assert [None] == [hit.time for hit in searched("okapi").hits]
        assert 0 == searched("okapi since:1960-01-01").total


def test_times_that_are_told(tmp_path: Path) -> None:
    """The time that a list of sessions, a journal or a row tells counts more than that of its file."""
    root = home(tmp_path)
    Draft(UUID).prompt("begin").write(root, key="-p")
    entries = [
        {"sessionId": GONE, "firstPrompt": "okapi", "created": "2026-05-01T10:00:00Z", "fileMtime": TIME},
        {"sessionId": "old", "firstPrompt": "panda", "created": "?", "fileMtime": TIME},
        {"sessionId": "older", "firstPrompt": "quoll"},
    ]
    journal = [line({"label": "rhea", "timestamp": "2026-05-02T10:00:00Z"}), line({"label": "serval"})]
    write_side(root, "projects/-p/sessions-index.json", json.dumps({"entries": entries}).encode())
    path = write_side(root, f"projects/-p/{UUID}/subagents/workflows/run1/journal.jsonl", journal)
    os.utime(path, (TIME / 1000 + DAY,) * 2)
    expected = {
        "okapi": "2026-05-01T10:00:00+00:00",
        "panda": "2026-05-05T16:53:20+00:00",
        "quoll": "None",
        "rhea": "2026-05-02T10:00:00+00:00",
        "serval": "2026-05-06T16:53:20+00:00",
    }
    with Searched(root) as searched:
        assert expected == {word: str(searched(word).hits[0].time).replace(" ", "T") for word in expected}


def test_no_text(tmp_path: Path) -> None:
    """A file that holds something else than text has no words."""
    root = home(tmp_path)
    write_side(root, f"projects/-p/{UUID}/tool-results/image.png", b"\x89PNG okapi \0\0")
    with Searched(root) as searched:
        assert 0 == searched("okapi").total


def test_an_old_list_of_sessions(tmp_path: Path) -> None:
    """It says something of sessions that are gone, and repeats neither what is there nor what a history has."""
    root = home(tmp_path)
    Draft(UUID).prompt("begin").write(root, key="-p")
    entries = [
        {"sessionId": UUID, "firstPrompt": "begin", "summary": "Beginning"},
        {"sessionId": GONE, "firstPrompt": "feed the okapi", "summary": "Okapi care"},
    ]
    write_side(root, "projects/-p/sessions-index.json", json.dumps({"entries": entries}).encode())
    history = write_side(root, "history.jsonl", typed("feed the okapi"))
    with Searched(root) as searched:
        assert [("user", "summary")] == found(searched, "care")
        assert [GONE] == [hit.session for hit in searched("care").hits]
        assert [str(history)] == [hit.place and hit.place.path for hit in searched("feed").hits]
        assert (1, 0) == (searched("begin").total, searched("beginning").total)


ROW: dict[str, Any] = {
    "mcqAnswers": {
        "toolu_1": {"question": "How long may the aardvark be?", "answer": "One badger"},
        "Which camel shall it be?": "the dingo",
    },
    "fsDetectedFiles": [{"hostPath": "/home/ann/eland.csv", "fileName": "ferret.csv"}],
    "userSelectedFolders": ["/home/ann/gibbon"],
    "error": "the hyena ran away",
    "previousTitles": ["Ibex care"],
    "postTurnSummary": {"status_detail": "fed the jackal"},
    "prs": [{"url": "https://x.test/kudu/pull/1"}],
}


def test_what_desktop_wrote_down(tmp_path: Path) -> None:
    """Questions and answers, files, folders, errors and earlier titles lead to the session."""
    root = home(tmp_path)
    path = manifest(root, cliSessionId=UUID, **ROW)
    with Searched(root) as searched:
        for word in [
            "aardvark",
            "badger",
            "camel",
            "dingo",
            "eland",
            "ferret",
            "gibbon",
            "hyena",
            "ibex",
            "jackal",
            "kudu",
        ]:
            (hit,) = searched(word).hits
            assert (UUID, "Tides", "system", "row") == (hit.session, hit.title, hit.role, hit.kind)
            assert str(path) == (hit.place and hit.place.path)
            assert word in hit.snippet.lower()
        assert 1 == searched("hyena kind:row store:cowork since:2026-05-01 until:2027-01-01").total


def test_the_first_message_of_a_manifest(tmp_path: Path) -> None:
    """It is found as a prompt where the session got no further, and else where it was said."""
    root = home(tmp_path)
    path = manifest(root, cliSessionId=UUID, initialMessage="feed the okapi")
    with Searched(root) as searched:
        assert [("user", "text")] == found(searched, "okapi")
        said = Draft(UUID, "/sessions/calm-river").prompt("Feed the okapi.").answer("done").text()
        inside(path, f".claude/projects/session/{UUID}.jsonl", said)
        searched.refresh()

        assert [True] == messages(searched, "okapi")


def test_secrets_and_machinery_stay_out(tmp_path: Path) -> None:
    """What a row holds for the program, or could open doors with, is not searched."""
    root = home(tmp_path)
    manifest(
        root,
        systemPrompt="okapi",
        promptAppendSnapshot={"append": "okapi"},
        remoteMcpServersConfig=[{"url": "https://okapi.test/?key=okapi"}],
        mcqAnswers={"q": {"apiKey": "okapi"}},
        emailAddress="okapi@x.test",
    )
    place = f"{COWORK_ROWS}/{ACCOUNT}/{ORGANIZATION}/scheduled-tasks.json"
    desktop_file(root, place, {"tasks": [{"prompt": "weed the garden", "env": {"TOKEN": "okapi"}}]})
    with Searched(root) as searched:
        assert 0 == searched("okapi").total
        assert 0 == searched("not read").total
        assert [("system", "schedule")] == found(searched, "weed garden")


def test_a_title_changes_without_a_trace(tmp_path: Path) -> None:
    """Only a row or a title file changed, to the same size: the new title is found at once, the old one no more."""
    root = home(tmp_path)
    path = Draft(UUID).prompt("begin").write(root, key="-p")
    title = path.with_suffix("") / "custom-title.json"
    title.parent.mkdir(exist_ok=True)
    title.write_text('{"customTitle":"wombat"}')
    row(root, cliSessionId="44444444-4444-4444-8444-444444444444", title="impala")
    with Searched(root) as searched:
        for first, then, rename in (
            ("wombat", "numbat", lambda: title.write_text('{"customTitle":"numbat"}')),
            (
                "impala",
                "jackal",
                lambda: row(root, cliSessionId="44444444-4444-4444-8444-444444444444", title="jackal"),
            ),
        ):
            assert [("system", "title")] == found(searched, first)
            rename()
            searched.refresh()
            assert [("system", "title")] == found(searched, then)
            assert 0 == searched(first).total


def test_names(tmp_path: Path) -> None:
    """Tags are found, and what agents were for that no call tells of."""
    root = home(tmp_path)
    draft = Draft(UUID).prompt("begin").record(type="tag", tag="wombat")
    path = draft.write(root, key="-p")
    agent = path.with_suffix("") / "subagents" / "agent-a0123456789abcdef.jsonl"
    agent.parent.mkdir(parents=True, exist_ok=True)
    said = {"type": "user", "uuid": "u1", "parentUuid": None, "isSidechain": True, "agentId": "a0123456789abcdef"}
    agent.write_bytes(line({**said, "sessionId": UUID, "message": {"role": "user", "content": "go"}}))
    agent.with_suffix(".meta.json").write_text('{"agentType":"general-purpose","description":"feed the okapi"}')
    with Searched(root) as searched:
        assert [("system", "tag")] == found(searched, "wombat")
        assert [("system", "other")] == found(searched, "okapi is:agent")
        assert ["a0123456789abcdef"] == [hit.agent for hit in searched("okapi").hits]
        draft.record(type="tag", tag="").write(root, key="-p")
        searched.refresh()
        assert 0 == searched("wombat").total


def test_an_audit_for_a_transcript(tmp_path: Path) -> None:
    """Where the transcript is gone its audit is searched, and never both."""
    root = home(tmp_path)
    path = manifest(root, cliSessionId=UUID)
    uuid = "5e6f7081-0007-42b3-84c5-d6e7f8091a2b"
    asked = {"type": "user", "uuid": uuid, "message": {"role": "user", "content": "feed the okapi"}}
    inside(path, "audit.jsonl", line({**asked, "_audit_timestamp": "2026-05-01T10:00:00.000Z"}) * 2)
    with Searched(root) as searched:
        (hit,) = searched("okapi").hits
        assert (UUID, uuid, "user") == (hit.session, hit.message, hit.role)
        transcript = inside(path, f".claude/projects/session/{UUID}.jsonl", line({**asked, "parentUuid": None}))
        searched.refresh()
        (hit,) = searched("okapi").hits
        assert str(transcript) == (hit.place and hit.place.path)
        transcript.unlink()
        searched.refresh()
        (hit,) = searched("okapi").hits
        assert "audit.jsonl" == Path(hit.place.path if hit.place else "").name


def test_copies_of_files(tmp_path: Path) -> None:
    """A plan that two configuration directories hold is found once; when one is gone, the other is."""
    root = home(tmp_path)
    plan = write_side(root, "plans/calm.md", b"feed the okapi")
    other = cowork_plan(root, b"feed the okapi")
    with Searched(root) as searched:
        assert 1 == searched("okapi").total
        for path in (plan, other):
            (hit,) = searched("okapi").hits
            (plan if hit.place and hit.place.path == str(plan) else other).unlink()
            searched.refresh()
            assert (path == plan) == searched("okapi").total


def cowork_plan(root: Path, data: bytes) -> Path:
    """Write a plan into the private directory of a Cowork session."""
    return inside(manifest(root, app=APP), ".claude/plans/calm.md", data)


def test_what_vanished(tmp_path: Path) -> None:
    """The words of a deleted transcript leave the index, with those of everything beside it."""
    root = home(tmp_path)
    draft = Draft(UUID).prompt("okapi").answer("okapi").title("okapi").summary("okapi")
    path = draft.write(root, key="-p")
    output = write_side(root, f"projects/-p/{UUID}/tool-results/b1.txt", b"okapi")
    with Searched(root) as searched:
        assert 5 == searched("okapi").total
        copy = write_transcript(root, "-q", GONE, path.read_bytes())
        searched.refresh()
        path.unlink()
        output.unlink()
        searched.refresh()
        assert {GONE} == {hit.session for hit in searched("okapi").hits}
        copy.unlink()
        searched.refresh()
        assert (0, 0) == (searched("okapi").total, searched.documents())
