"""What is said beside the messages: found where nothing else says it, once."""

from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, home, line, write_transcript
from searched import Searched

FORK = "22222222-2222-4222-8222-222222222222"
TIME = "2026-05-01T10:00:00.000Z"


def queued(text: Any, time: str = TIME, **fields: Any) -> dict[str, Any]:
    """Return the record of a prompt that was typed while Claude worked."""
    return {"type": "queue-operation", "operation": "enqueue", "timestamp": time, "content": text, **fields}


def told(searched: Searched, query: str) -> list[tuple[str, str, str | None]]:
    """Return role, kind and message of everything that is found."""
    return [(hit.role, hit.kind, hit.message) for hit in searched(query).hits]


def test_a_queued_prompt_that_got_lost(tmp_path: Path) -> None:
    """It is found where it was written down, as the prompt that it is."""
    root = home(tmp_path)
    path = Draft(UUID).prompt("go").record(**queued("mend the zebra crossing")).answer("done").write(root)
    with Searched(root) as searched:
        (hit,) = searched("zebra").hits

        assert (UUID, None, "user", "text") == (hit.session, hit.message, hit.role, hit.kind)
        assert hit.place is not None
        assert (str(path), b"zebra" in path.read_bytes().split(b"\n")[(hit.place.line or 0) - 1]) == (
            hit.place.path,
            True,
        )
        assert "mend the zebra crossing" == hit.snippet
        assert [("user", "text", None)] == told(searched, "zebra kind:prompt role:user")


@pytest.mark.parametrize("how", ["prompt", "queued", "command", "shell"])
def test_a_queued_prompt_that_arrived(tmp_path: Path, how: str) -> None:
    """It is found once, in the message that it became, however it is stored there."""
    root = home(tmp_path)
    typed = {"prompt": "mend it", "queued": "mend it", "command": "/mend it", "shell": "!mend it"}[how]
    draft = Draft(UUID).prompt("go").record(**queued(typed))
    {
        "prompt": lambda: draft.prompt("mend it"),
        "queued": lambda: draft.queued("mend it"),
        "command": lambda: draft.command("mend", "it"),
        "shell": lambda: draft.shell("mend it", "ok"),
    }[how]()
    draft.write(root)
    with Searched(root) as searched:
        found = told(searched, "mend")

        assert 1 == len(found)
        assert found[0][2] is not None


def test_a_queued_prompt_arrives_later(tmp_path: Path) -> None:
    """What was found beside the messages is found in one as soon as it is there."""
    root = home(tmp_path)
    draft = Draft(UUID).prompt("go").record(**queued("mend it"))
    draft.write(root)
    with Searched(root) as searched:
        assert [None] == [hit.message for hit in searched("mend").hits]
        draft.answer("yes").prompt("mend it").write(root)
        searched.refresh()

        (hit,) = searched("mend").hits
        assert hit.message is not None


def test_a_notice_is_found_once(tmp_path: Path) -> None:
    """The end of a task is queued, too; it is the program that says so."""
    root = home(tmp_path)
    notice = "<task-notification>\n<task-id>a1</task-id>\n<result>quokka</result>\n</task-notification>"
    draft = Draft(UUID).prompt("go").record(**queued(notice))
    draft.write(root)
    with Searched(root) as searched:
        assert [("system", "other", None)] == told(searched, "quokka")
        draft.row("user", message={"role": "user", "content": notice}, origin={"kind": "task-notification"})
        draft.write(root)
        searched.refresh()

        ((role, _, message),) = told(searched, "quokka")
        assert ("system", True) == (role, message is not None)


def test_copies_are_one(tmp_path: Path) -> None:
    """A copy of a transcript holds the same prompts."""
    root = home(tmp_path)
    lines = Draft(UUID).prompt("go").record(**queued("mend it")).lines()
    for name in (UUID, FORK):
        write_transcript(root, "-p", name, lines)
    with Searched(root) as searched:
        assert 1 == len(searched("mend").hits)


@pytest.mark.parametrize(
    "record, query, kind",
    [
        ({"type": "summary", "summary": "okapi in brief", "leafUuid": "elsewhere"}, "okapi", "summary"),
        ({"type": "task-summary", "summary": "okapi at work", "timestamp": TIME}, "okapi", "summary"),
        (
            {"type": "pr-link", "prNumber": 7, "prUrl": "https://x.test/okapi/zoo/pull/7", "timestamp": TIME},
            "okapi",
            "other",
        ),
        (
            {"type": "frame-link", "title": "Okapi report", "frameUrl": "https://x.test/f", "path": "/o.html"},
            "okapi",
            "other",
        ),
        ({"type": "checkpoint", "commit": "abc", "label": "before okapi"}, "okapi", "other"),
        ({"type": "last-prompt", "lastPrompt": "feed the okapi", "leafUuid": "gone"}, "okapi", "text"),
        ({"type": "of-tomorrow", "note": {"said": ["okapi"]}}, "okapi", "other"),
    ],
    ids=lambda value: value.get("type") if isinstance(value, dict) else "",
)
def test_records_beside_the_tree(tmp_path: Path, record: dict[str, Any], query: str, kind: str) -> None:
    """What people would look for in them is found, once, though they are repeated."""
    root = home(tmp_path)
    path = Draft(UUID).prompt("go").record(**record).answer("done").write(root)
    with Searched(root) as searched:
        assert [kind] == [hit.kind for hit in searched(query).hits]
        if record["type"] in ("last-prompt", "summary"):
            path.write_bytes(path.read_bytes() + line(record))
            searched.refresh()
            assert 1 == len(searched(query).hits)


@pytest.mark.parametrize(
    "record",
    [
        {"type": "api-request-blob", "message": {"role": "user", "content": "okapi"}},
        {"type": "api-request-resumed", "requestHookChanged": {"record": "okapi"}},
        {"type": "api-request-shape", "shape": {"system": ["okapi"]}},
        {"type": "tools-used", "tools": ["okapi"]},
        {"type": "queue-operation", "operation": "dequeue", "timestamp": TIME},
        {"type": "last-prompt", "lastPrompt": "go"},
    ],
    ids=lambda record: record["type"],
)
def test_machinery_is_no_text(tmp_path: Path, record: dict[str, Any]) -> None:
    """What the program writes for itself, and what a message holds anyway, is not found."""
    root = home(tmp_path)
    Draft(UUID).prompt("go").record(**record).attachment("prompt_snapshot", systemPrompt=["okapi"]).write(root)
    with Searched(root) as searched:
        assert 0 == searched("okapi").total
        assert 1 == searched("go").total


def test_titles(tmp_path: Path) -> None:
    """The present title is the session's; an earlier one is still found, but not as its title."""
    root = home(tmp_path)
    draft = Draft(UUID).prompt("go").answer("done").title("wombat works").title("wombat works")
    draft.write(root)
    with Searched(root) as searched:
        assert ["title"] == [hit.kind for hit in searched("wombat").hits]
        draft.title("numbat works", by="custom").write(root)
        searched.refresh()

        assert [["title"], ["other"]] == [[hit.kind for hit in searched(word).hits] for word in ("numbat", "wombat")]
        assert 0 == searched("wombat kind:title").total
        draft.title("wombat works", by="custom").write(root)
        searched.refresh()

        assert [["other"], ["title"]] == [[hit.kind for hit in searched(word).hits] for word in ("numbat", "wombat")]


def test_a_plan_on_a_prompt(tmp_path: Path) -> None:
    """What the program carries along with a prompt is found with it."""
    root = home(tmp_path)
    Draft(UUID).prompt("go", planContent="first the aardvark").write(root)
    with Searched(root) as searched:
        (hit,) = searched("aardvark").hits

        assert ("other", True) == (hit.kind, hit.message is not None)


@pytest.mark.parametrize(
    "kind, field", [("agent-name", "agentName"), ("ai-title", "aiTitle"), ("custom-title", "customTitle")]
)
def test_earlier_names_are_found(kind: str, field: str, tmp_path: Path) -> None:
    """A name that a later one replaced is found too."""
    draft = Draft(UUID).prompt("go").record(**{"type": kind, field: "okapi"}).record(**{"type": kind, field: "zebra"})
    draft.answer("done").write(home(tmp_path))
    with Searched(tmp_path) as searched:
        assert 1 == searched("okapi").total
