"""`backscroll doctor`: each kind of finding on a home that has it, and clean homes without any."""

import json
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import said
from lost_stories import told
from make import UUID, Draft, bash, desktop_file, fingerprint, home, row, write_side, write_transcript

OTHER = "22222222-2222-4222-8222-222222222222"
DAY = 86_400


def findings(root: Path, kind: str, *options: str) -> list[dict[str, Any]]:
    """Return the findings of one kind."""
    found: list[dict[str, Any]] = told(root, "doctor", "--kind", kind, *options)["findings"]
    assert {kind} >= {item["kind"] for item in found}
    return found


def only(root: Path, kind: str) -> dict[str, Any]:
    """Return the only finding of one kind, whose remedy runs as it is."""
    (found,) = findings(root, kind)
    if found["remedy"] is not None and found["remedy"].startswith("backscroll "):
        code, _, error = said(*shlex.split(found["remedy"])[1:])
        assert 0 == code, error
    return found


def talk(root: Path, name: str = UUID, cwd: str = "/srv/shop") -> Path:
    """Write a session without a fault, and return its transcript."""
    path = Draft(name, cwd).prompt("Hello").answer("Hi.", calls=[bash("ls", "a.txt")]).write(home(root))
    make_old(path, 1)
    return path


def make_old(path: Path, days: float) -> None:
    """Give a transcript an age."""
    then = time.time() - days * DAY
    os.utime(path, (then, then))


def test_a_clean_home(tmp_path: Path) -> None:
    """A home without a fault has no error and no warning, and --strict exits with 0."""
    path = talk(tmp_path)
    write_side(tmp_path, "history.jsonl", json.dumps({"display": "Hello", "sessionId": UUID}).encode() + b"\n")

    code, out, _ = said("--root", tmp_path, "doctor", "--json", "--strict")
    document = json.loads(out)

    assert 0 == code
    assert (0, 0) == (document["summary"]["error"], document["summary"]["warning"])
    assert 1 == document["checked"]["sessions"]
    assert 2 == document["checked"]["files"]
    assert document["checked"]["bytes"] > path.stat().st_size


def test_expiring(tmp_path: Path) -> None:
    """A transcript that the clean-up deletes soon is an error, and the deciding settings file is named."""
    make_old(talk(tmp_path), 8)
    settings = write_side(tmp_path, "settings.json", b'{"cleanupPeriodDays": 10}')

    (found,) = findings(tmp_path, "expiring")

    assert ("error", UUID) == (found["severity"], found["session"])
    assert f"{settings} sets cleanupPeriodDays to 10" in found["text"]


def test_expiring_by_default(tmp_path: Path) -> None:
    """Without a setting the text says that the default decides; a younger transcript is no finding."""
    path = talk(tmp_path)
    make_old(path, 29)
    assert "no settings file" in findings(tmp_path, "expiring")[0]["text"]

    make_old(path, 20)
    assert [] == findings(tmp_path, "expiring")


def test_an_archived_copy_ends_the_danger(tmp_path: Path) -> None:
    """After the remedy has run, an expiring transcript is a note."""
    make_old(talk(tmp_path), 29)

    assert "error" == only(tmp_path, "expiring")["severity"]
    assert "note" == findings(tmp_path, "expiring")[0]["severity"]


def test_ghost(tmp_path: Path) -> None:
    """A row of Desktop without its transcript is an error, and the row is the proof."""
    path = row(home(tmp_path), cliSessionId=UUID)

    found = only(tmp_path, "ghost")

    assert ("error", str(path)) == (found["severity"], found["place"]["path"])


def test_orphan(tmp_path: Path) -> None:
    """Agents without their session are an error."""
    agent = Draft(OTHER).prompt("Look").answer("Done.").text().replace(OTHER.encode(), UUID.encode())
    write_side(home(tmp_path), f"projects/-p/{UUID}/subagents/agent-a1.jsonl", agent)

    assert ("error", UUID) == tuple(only(tmp_path, "orphan")[key] for key in ("severity", "session"))


def test_damaged(tmp_path: Path) -> None:
    """A torn line is a warning with the place of the damage, and --strict exits with 3."""
    path = talk(tmp_path)
    size = path.stat().st_size
    path.write_bytes(path.read_bytes() + b'{"type": "assistant", torn\n')
    make_old(path, 1)

    found = only(tmp_path, "damaged")

    assert "warning" == found["severity"]
    assert (str(path), size) == (found["place"]["path"], found["place"]["offset"])
    assert 3 == said("--root", tmp_path, "doctor", "--strict")[0]


def test_nothing_readable(tmp_path: Path) -> None:
    """A transcript in which nothing can be read is an error."""
    write_transcript(home(tmp_path), "-p", UUID, b"\xff" * 300)

    assert "error" == only(tmp_path, "damaged")["severity"]


def test_unanswered(tmp_path: Path) -> None:
    """A call without a result is a note at the place of the call."""
    path = talk(tmp_path)
    path.write_bytes(
        b"".join(item for item in path.read_bytes().splitlines(keepends=True) if b"tool_result" not in item)
    )

    found = only(tmp_path, "unanswered")

    assert "note" == found["severity"]
    assert b"tool_use" in path.read_bytes()[found["place"]["offset"] :][: found["place"]["length"]]


def test_twice(tmp_path: Path) -> None:
    """One id below two project directories is a warning."""
    make_old(write_transcript(tmp_path, "-other", UUID, talk(tmp_path).read_bytes()), 1)

    assert "warning" == only(tmp_path, "twice")["severity"]


def test_moved(tmp_path: Path, home: Path) -> None:
    """A directory that is gone is a note in this user's own home, and unknown in another."""
    talk(home, cwd=str(tmp_path / "gone"))
    own = json.loads(said("doctor", "--kind", "moved", "--json")[1])["findings"]

    assert [("note", UUID)] == [(item["severity"], item["session"]) for item in own]
    assert 0 == said(*shlex.split(own[0]["remedy"])[1:])[0]
    assert [] == findings(home, "moved")
    (tmp_path / "gone").mkdir()
    assert [] == json.loads(said("doctor", "--kind", "moved", "--json")[1])["findings"]


def test_large(tmp_path: Path) -> None:
    """A session whose files are beyond 256 MiB is a warning."""
    path = talk(tmp_path)
    os.truncate(path, 257 << 20)  # a hole, which costs no disk

    assert ("warning", "Its files hold 257 MiB, which Claude Code may fail to load.") == tuple(
        only(tmp_path, "large")[key] for key in ("severity", "text")
    )


def test_worktree(tmp_path: Path, home: Path) -> None:
    """A worktree whose directory is gone is a note, with the registry as proof."""
    talk(home)
    here, gone = tmp_path / "here", tmp_path / "gone"
    here.mkdir()
    trees = {"a": {"path": str(here)}, "b": {"path": str(gone)}}
    path = desktop_file(home, "git-worktrees.json", {"schemaVersion": 2, "worktrees": trees}, ".config/Claude")

    (found,) = json.loads(said("doctor", "--kind", "worktree", "--json")[1])["findings"]

    assert ("note", str(path)) == (found["severity"], found["place"]["path"])
    assert str(gone) in found["text"]


def test_permissions(tmp_path: Path) -> None:
    """Files that everybody may change are a warning, and the remedy ends it."""
    path = talk(tmp_path)
    (tmp_path / ".claude").chmod(0o755)
    path.chmod(0o666)
    assert [] == findings(tmp_path, "permissions")  # pytest lets nobody else into tmp_path
    tmp_path.chmod(0o755)

    (found,) = findings(tmp_path, "permissions")
    subprocess.run(shlex.split(found["remedy"]), check=True)

    assert ("warning", str(tmp_path / ".claude")) == (found["severity"], found["place"]["path"])
    assert [] == findings(tmp_path, "permissions")


def test_lost_by_history(tmp_path: Path) -> None:
    """A session that only the history knows is lost; a session of bare commands never had a transcript."""
    talk(tmp_path)
    lines = [("Fix it", OTHER), ("And test it", OTHER), ("Hello", UUID), ("/exit", "33333333")]
    text = "".join(json.dumps({"display": text, "sessionId": name}) + "\n" for text, name in lines)
    path = write_side(tmp_path, "history.jsonl", text.encode())

    found = only(tmp_path, "lost")

    assert ("error", OTHER, None) == (found["severity"], found["session"], found["remedy"])
    assert (str(path), 1) == (found["place"]["path"], found["place"]["line"])
    assert "2 prompts survive, the first: “Fix it”." in found["text"]


def test_lost_by_an_old_list(tmp_path: Path) -> None:
    """A session that only a sessions-index.json names is lost."""
    talk(tmp_path)
    entries = [{"sessionId": name, "projectPath": "/srv/shop"} for name in (UUID, OTHER)]
    write_side(tmp_path, "projects/-srv-shop/sessions-index.json", json.dumps({"entries": entries}).encode())

    assert OTHER == only(tmp_path, "lost")["session"]


def test_index(tmp_path: Path) -> None:
    """A damaged index is a warning, and the remedy ends it."""
    talk(tmp_path)
    assert [] == findings(tmp_path, "index")
    (path,) = Path(os.environ["BACKSCROLL_HOME"], "index").glob("*.db")
    path.write_bytes(b"x" * 5000)

    found = only(tmp_path, "index")

    assert ("warning", str(path)) == (found["severity"], found["place"]["path"])
    assert [] == findings(tmp_path, "index")


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Mount a nearly full disk for our own directory, or skip the test where that is not allowed."""
    place, mount = tmp_path / "disk", shutil.which("mount")
    place.mkdir()
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=32m", "none", str(place)]
    if mount is None or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting a small disk is not allowed here")
    monkeypatch.setenv("BACKSCROLL_HOME", str(place / "ours"))
    yield place
    subprocess.run([shutil.which("umount") or "umount", "-l", str(place)], check=False, capture_output=True)


def test_disk(tmp_path: Path, full_disk: Path) -> None:
    """A disk with less than 5 % free is a warning without a place."""
    talk(tmp_path / "user")
    assert [] == findings(tmp_path / "user", "disk")
    (full_disk / "filler").write_bytes(bytes(shutil.disk_usage(full_disk).free - (1 << 20)))

    (found,) = findings(tmp_path / "user", "disk")

    assert ("warning", None) == (found["severity"], found["place"])


def test_one_session(tmp_path: Path) -> None:
    """--session answers for that session alone, and an unknown one is nothing found."""
    torn, sound = talk(tmp_path), talk(tmp_path, OTHER)
    torn.write_bytes(torn.read_bytes() + b"{torn\n")

    document = told(tmp_path, "doctor", "--session", OTHER)

    assert ([], {"sessions": 1, "files": 1, "bytes": sound.stat().st_size}) == (
        document["findings"],
        document["checked"],
    )
    assert 0 == said("--root", tmp_path, "doctor", "--session", OTHER, "--strict")[0]
    assert 3 == said("--root", tmp_path, "doctor", "--session", UUID, "--strict")[0]
    assert 1 == said("--root", tmp_path, "doctor", "--session", "nobody")[0]


def test_an_unknown_kind(tmp_path: Path) -> None:
    """An unknown kind is wrong use, and the known kinds are listed."""
    code, out, error = said("--root", home(tmp_path), "doctor", "--kind", "losst")

    assert (2, "") == (code, out)
    assert "'expiring'" in error


def test_people_read_a_few_of_each_kind(tmp_path: Path) -> None:
    """The report shows five findings of a kind, and the command that shows all; nothing is changed."""
    for number in range(7):
        row(home(tmp_path), f"{number}9999999-9999-4999-8999-999999999999", cliSessionId=f"{number}{UUID[1:]}")
    before = fingerprint(tmp_path)

    code, out, _ = said("--root", tmp_path, "doctor")

    assert (0, 5) == (code, out.count("its transcript is gone"))
    assert f"2 more: backscroll --root {tmp_path} doctor --kind ghost" in out
    assert out.startswith("7 errors in 7 sessions")
    assert before == fingerprint(tmp_path)
