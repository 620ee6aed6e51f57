"""Sessions that Claude's own pages cached in the browser storage of Desktop."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import answer, run, shown
from leveldb_make import Files, local_storage
from make import APP, UUID, Draft, assistant, home, row, user, write_transcript

KEY = f"epitaxy.local.transcript.local_{APP}"
SPOKEN = [user("u1", content="What did the tide say?"), assistant("a1", "u1", "It said nothing.")]
REMOTE = {
    "clientState": {
        "queries": [
            {"queryKey": ["sessions"], "state": {"data": {"data": [{"id": "session_01AbC", "title": "Remote tides"}]}}},
            {"queryKey": ["me"], "state": {"data": {"id": "user_1", "name": "Ann"}}},
        ]
    }
}


def cached(root: Path, **values: Any) -> Path:
    """Give a home a Desktop whose pages stored values under keys."""
    stored = {name.replace("__", "."): json.dumps(value) for name, value in values.items()}
    Files(local_storage(stored)).write(home(root) / ".config/Claude")
    return root


def transcript(root: Path, value: Any) -> Path:
    """Give a home a Desktop in which a page cached a transcript."""
    return cached(root, **{KEY: value})


def sessions(root: Path) -> list[dict[str, Any]]:
    """Return all sessions of a home."""
    return list(answer(root, "list", "--all")["sessions"])


def test_a_session_that_only_a_page_has_is_a_ghost(tmp_path: Path) -> None:
    """A session that lives only in browser storage is listed as a ghost of the browser, with its time."""
    (session,) = sessions(transcript(tmp_path, SPOKEN))

    assert (APP, "ghost", ["browser"]) == (session["id"], session["state"], session["stores"])
    assert session["updated"] is not None


@pytest.mark.parametrize(
    "value",
    [
        SPOKEN,
        {"messages": SPOKEN, "title": "Tides"},
        {"state": {"transcript": SPOKEN}, "version": 1},
        [
            {"role": "user", "content": "What did the tide say?"},
            {"role": "assistant", "content": [{"type": "text", "text": "It said nothing."}]},
        ],
    ],
    ids=["records", "messages", "state", "bare messages"],
)
def test_a_cached_transcript_is_readable(tmp_path: Path, value: Any) -> None:
    """`show` reads a cached transcript as far as it goes, whatever shape a page gave it."""
    messages = shown(transcript(tmp_path, value), APP)["messages"]

    assert ["What did the tide say?", "It said nothing."] == [item["parts"][0]["text"] for item in messages]
    assert 0 == run("--root", tmp_path, "tree", APP).returncode
    assert b"only in the browser storage of Desktop" in run("--root", tmp_path, "show", APP).stdout
    assert b"It said nothing." in run("--root", tmp_path, "show", APP).stdout


@pytest.mark.parametrize("value", ["torn", [], {}, 7, [[]], {"messages": [1, None]}])
def test_a_value_without_messages(tmp_path: Path, value: Any) -> None:
    """A value without any message is still listed, and `show` shows no message."""
    assert [APP] == [session["id"] for session in sessions(transcript(tmp_path, value))]
    assert [] == shown(tmp_path, APP)["messages"]


def test_a_transcript_on_the_disk_needs_no_copy(tmp_path: Path) -> None:
    """Where the transcript itself is there, what a page cached of it changes nothing."""
    Draft(UUID, "/p").prompt("Hello").answer("Hi.").write(home(tmp_path))
    before = sessions(tmp_path)
    cached(tmp_path, **{f"epitaxy.local.transcript.{UUID}": SPOKEN})

    assert before == sessions(tmp_path)


def test_a_row_whose_transcript_is_gone_is_readable_again(tmp_path: Path) -> None:
    """A ghost of the Code tab is read from what a page cached of it."""
    row(transcript(tmp_path, SPOKEN), cliSessionId=UUID)
    (session,) = sessions(tmp_path)

    assert ("ghost", ["browser", "desktop"], "Fix") == (session["state"], session["stores"], session["title"])
    assert 2 == len(shown(tmp_path, session["id"])["messages"])


def test_the_list_of_the_server(tmp_path: Path) -> None:
    """Remote sessions that only the server's list names are listed with id and title; nothing else of it is."""
    (session,) = sessions(cached(tmp_path, **{"react-query-cache-ls": REMOTE}))

    assert ("session_01AbC", "Remote tides", "remote") == (session["id"], session["title"], session["state"])
    assert ["browser"] == session["stores"]
    assert b"Remote tides" in run("--root", tmp_path, "show", "session_01AbC").stdout
    assert b"Ann" not in run("--root", tmp_path, "list", "--all", "--json").stdout


def test_stores_count_cached_sessions(tmp_path: Path) -> None:
    """`stores` counts the sessions that pages cached."""
    cached(tmp_path, **{KEY: SPOKEN, "react-query-cache-ls": REMOTE})
    (browser,) = (store for store in answer(tmp_path, "stores")["stores"] if store["kind"] == "browser")

    assert 2 == browser["sessions"]


def test_what_is_cached_changes(tmp_path: Path) -> None:
    """A session appears and vanishes with what pages cached; nothing is read where nothing changed."""
    transcript(tmp_path, SPOKEN)
    assert [APP] == [session["id"] for session in sessions(tmp_path)] == [item["id"] for item in sessions(tmp_path)]
    write_transcript(tmp_path, "-p", APP, b"".join(json.dumps(item).encode() + b"\n" for item in SPOKEN))
    assert ["live"] == [session["state"] for session in sessions(tmp_path)]
    cached(tmp_path, other=1)
    (tmp_path / ".claude/projects/-p" / f"{APP}.jsonl").unlink()

    assert [] == sessions(tmp_path)
