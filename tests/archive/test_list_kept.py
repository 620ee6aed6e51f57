"""`archive list`: the sessions, files and versions that the archive has."""

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path

from command import answer, said
from make import UUID, Draft, home, inside, manifest, row, write_desktop

from backscroll.library import Library

OTHER = "11111111-2222-4333-8444-555555555555"


def test_sessions_files_and_versions(tmp_path: Path) -> None:
    """Kept and live sessions are listed, newer ones that were never copied are not; versions are told apart."""
    root = home(tmp_path / "user")
    path = Draft(UUID, "/home/ann/app").prompt("feed the okapi").answer("On it.").write(root)
    assert 0 == answer(root, "archive", "list")["total"]
    assert 0 == said("--root", root, "archive", "sync")[0]
    first = path.read_bytes()
    path.write_bytes(first.replace(b"okapi", b"zebra"))
    second = path.read_bytes()
    said("--root", root, "archive", "sync")
    Draft(OTHER, "/home/ann/app").prompt("new").answer("Yes.").write(root)

    found = answer(root, "archive", "list")
    assert (1, [UUID]) == (found["total"], [one["id"] for one in found["sessions"]])
    assert 0 == answer(root, "archive", "list", "--state", "kept")["total"]
    (file,) = answer(root, "archive", "list", "--files")["files"]
    assert (str(path), len(second), 2) == (file["path"], file["bytes"], file["versions"])
    versions = answer(root, "archive", "list", "--versions", UUID)["versions"]
    told = [(1, sha256(first).hexdigest()), (2, sha256(second).hexdigest())]
    assert told == [(one["version"], one["sha256"]) for one in versions]
    lines = said("--root", root, "archive", "list", "--versions", UUID)[1].splitlines()
    assert lines[0].split() == ["version", "size", "copied", "kind", "path"]
    assert all(re.search(r" \d{4}-\d\d-\d\d \d\d:\d\d  transcript ", line) for line in lines[1:])
    assert 1 == said("--root", root, "archive", "list", "--versions", "nobody")[0]

    path.unlink()
    assert [UUID] == [one["id"] for one in answer(root, "archive", "list", "--state", "kept")["sessions"]]
    assert str(path) in said("--root", root, "archive", "list", "--files")[1]


def test_facts_of_settings_and_browser_storage(tmp_path: Path) -> None:
    """Each allowed field, and each fact of browser storage, is shown from the sync that found it; no secret is."""
    root = write_desktop(home(tmp_path / "user"), "sk-hidden")
    settings = root / ".claude/settings.json"
    assert [] == answer(root, "archive", "list", "--facts")["facts"]
    for days in (99, 30):
        settings.write_text(json.dumps({"cleanupPeriodDays": days, "model": "opus", "env": {"KEY": "sk-hidden"}}))
        assert 0 == said("--root", root, "archive", "sync")[0]
    settings.write_text(json.dumps({"model": "opus"}))
    assert 0 == said("--root", root, "archive", "sync")[0]
    found = answer(root, "archive", "list", "--facts")["facts"]

    told = [(one["name"], one["value"]) for one in found if one["path"] == str(settings)]
    assert [
        ("cleanupPeriodDays", 99),
        ("model", "opus"),
        ("cleanupPeriodDays", 30),
        ("cleanupPeriodDays", None),
    ] == told
    pinned = [one["value"] for one in found if one["name"] == "pinned"]
    assert [[f"local_{UUID}"]] == pinned
    times = [one["time"] for one in found if one["path"] == str(settings)]
    assert times == sorted(times)
    text = said("--root", root, "archive", "list", "--facts")[1]
    assert [["cleanupPeriodDays", "99"]] == [line.split()[2:] for line in text.splitlines() if line.endswith(" 99")]
    assert "sk-hidden" not in text


def test_damaged_facts(tmp_path: Path) -> None:
    """Facts whose bytes are damaged are our own damage: exit 5, and the way out."""
    root = home(tmp_path / "user")
    (root / ".claude/settings.json").write_text('{"model": "opus"}')
    said("--root", root, "archive", "sync")
    with Library(root) as library:
        (pack,) = library.archive_part().rglob("pack-*.zst")
    data = bytearray(pack.read_bytes())
    data[-3] ^= 4
    pack.write_bytes(data)
    code, _, err = said("--root", root, "archive", "list", "--facts")

    assert (5, True) == (code, "archive repair" in err)


def test_copies_of_files_that_only_the_archive_has(tmp_path: Path) -> None:
    """After Claude's files are gone, `files` and `recover` still have every copy that Claude Code made."""
    root, small, large = home(tmp_path / "user"), "/home/ann/app/small.txt", "/home/ann/app/large.txt"
    draft = Draft(UUID, "/home/ann/app").prompt("feed the okapi")
    draft.backup(small, b"one\n").backup(large, b"two\n" * 40_000).answer("On it.").write(root)
    nameless = root / f".claude/file-history/{OTHER}/{'0' * 16}@v1"
    nameless.parent.mkdir(parents=True)
    nameless.write_bytes(b"three\n")
    assert 0 == said("--root", root, "archive", "sync")[0]
    before = {path: versions(root, path) for path in (small, large, f"file-history:{'0' * 16}")}
    listed = answer(root, "files")

    shutil.rmtree(root / ".claude")

    assert before == {path: versions(root, path) for path in before}
    assert [1, 1, 1] == [len(found) for found in before.values()]
    assert listed == answer(root, "files")
    assert "one\n" == said("--root", root, "recover", small, "--print")[1]


def test_kept_sessions_keep_what_desktop_said_of_them(tmp_path: Path) -> None:
    """Title, project and account come from the archived row, of Cowork also by its place; no list names the row."""
    root = home(tmp_path / "user")
    Draft(UUID, "/home/ann/app").prompt("feed the okapi").answer("On it.").write(root)
    row(root, cliSessionId=UUID, title="The okapi", titleSource="user", cwd="/home/ann/app", originCwd="/home/ann/app")
    path = manifest(
        root, "88888888-9999-4999-8999-999999999999", title="Tides", userSelectedFolders=["/home/ann/tides"]
    )
    text = Draft(OTHER, "/sessions/calm-river").prompt("count the waves").answer("Nine.").text()
    inside(path, f".claude/projects/-s/{OTHER}.jsonl", text)
    assert 0 == said("--root", root, "archive", "sync")[0]
    facts = ("id", "title", "title_source", "project", "account")
    before = [[one[name] for name in facts] for one in answer(root, "list", "--all")["sessions"]]

    for place in [root / ".claude", *root.glob("Library"), *root.glob(".config")]:
        shutil.rmtree(place, ignore_errors=True)
    sessions = answer(root, "list", "--all")["sessions"]

    assert before == [[one[name] for name in facts] for one in sessions]
    assert {"The okapi", "Tides"} == {one["title"] for one in sessions}
    assert [("kept", [], ["archive"])] * 2 == [(one["state"], one["rows"], one["stores"]) for one in sessions]


def versions(root: Path, path: str) -> list[tuple[str, str, bool]]:
    """Return how and with which contents the versions of a file are known."""
    found = answer(root, "recover", path)["versions"]
    return [(version["how"], version["sha256"], version["exact"]) for version in found]
