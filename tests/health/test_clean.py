"""Clean homes: nothing that is sound is called an error or a warning."""

from pathlib import Path

import pytest
from lost_stories import OTHER, days_ago, draft, milliseconds, name, told
from make import ACCOUNT, UUID, Draft, bash, desktop_file, home, inside, line, manifest, row, write, write_side

VERSIONS = ["1.0.0", "1.0.44", "1.0.128", "2.0.60", "2.1.70", "2.1.112", "2.1.325"]


def alarms(root: Path) -> list[tuple[str, str, str]]:
    """Return the errors and warnings about a home."""
    found = told(root, "doctor")["findings"]
    return [(item["severity"], item["kind"], item["text"]) for item in found if item["severity"] != "note"]


def rich(session: str, version: str, days: float = 3) -> Draft:
    """Return a session with everything that a sound session may have."""
    begun = Draft(session, "/srv/shop", version, days_ago(days)).prompt("Hello").answer("Hi.", calls=[bash("ls", "a")])
    begun.prompt("Write it").answer("Done.", calls=[write("/srv/shop/a.py", "x = 1\n")])
    begun.command("model", "opus").queued("And then?").interrupt().meta("Caveat: a command follows.")
    begun.join(begun.agent("Look", "Look around"), "Seen.")
    begun.compact("We wrote a file.").prompt("Next").answer("Next done.")
    begun.rewind(1).prompt("Another way").answer("Yes.", calls=[bash("pwd", "/srv/shop")])
    return begun.title("A till")


@pytest.mark.parametrize("version", VERSIONS)
def test_claude_code(tmp_path: Path, version: str) -> None:
    """Sessions of any version with agents, compactions, branches and forks raise no alarm."""
    first = rich(UUID, version)
    first.write(home(tmp_path))
    first.fork(OTHER, style="resume" if version < "1.0.45" else "branch").prompt("Fork").answer("Yes.").write(tmp_path)
    write_side(tmp_path, "settings.json", b'{"cleanupPeriodDays": 60}')
    write_side(tmp_path, "history.jsonl", [line({"display": "Hello", "sessionId": UUID}), line({"display": "/exit"})])
    write_side(tmp_path, f"todos/{UUID}-agent-{UUID}.json", b"[]")

    assert [] == alarms(tmp_path)


def test_desktop(tmp_path: Path) -> None:
    """Rows of the account that is signed in, each with its transcript, raise no alarm."""
    for number in range(3):
        begun = draft(name(number))
        begun.write(home(tmp_path))
        times = {"createdAt": milliseconds(begun.now), "lastActivityAt": milliseconds(begun.now)}
        fields = {"cliSessionId": begun.session, "cwd": "/srv/shop", "originCwd": "/srv/shop", **times}
        row(tmp_path, f"{number}9999999-9999-4999-8999-999999999999", **fields)  # type: ignore[arg-type]
    desktop_file(tmp_path, "config.json", {"lastKnownAccountUuid": ACCOUNT})

    assert [] == alarms(tmp_path)


def test_cowork(tmp_path: Path) -> None:
    """A manifest with its transcript in the session's own directory raises no alarm."""
    path = manifest(home(tmp_path), cliSessionId=UUID)
    text = draft(cwd="/sessions/calm-river").text()
    inside(path, f".claude/projects/-sessions-calm-river/{UUID}.jsonl", text)
    desktop_file(tmp_path, "config.json", {"lastKnownAccountUuid": ACCOUNT})

    assert [] == alarms(tmp_path)


def test_an_empty_home(tmp_path: Path) -> None:
    """A home without any session raises no alarm, and finds nothing."""
    document = told(home(tmp_path), "doctor")

    assert [] == document["findings"]


@pytest.mark.slow
def test_a_thousand_sessions(tmp_path: Path) -> None:
    """A thousand clean sessions raise no alarm."""
    for number in range(1000):
        rich(name(number), VERSIONS[number % len(VERSIONS)], 1 + number % 20).write(home(tmp_path))

    assert [] == alarms(tmp_path)
