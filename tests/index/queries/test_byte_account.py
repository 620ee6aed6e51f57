"""The byte account: every byte of every store is in a record, in damage, in a blank or in a file that is named."""

import gzip
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import answer, run
from leveldb_make import Files, local_storage
from make import (
    UUID,
    Draft,
    as_nobody,
    cowork,
    desktop_file,
    home,
    line,
    row,
    user,
    write_demo_home,
    write_desktop,
    write_side,
    write_transcript,
)

import backscroll

Store = dict[str, Any]


def account(root: Path, kind: str = "code") -> Store:
    """Return the account of the one store of a kind."""
    (store,) = (store for store in answer(root, "stores")["stores"] if store["kind"] == kind)
    return store  # type: ignore[no-any-return]


def missing(root: Path) -> dict[str, int]:
    """Return store to the bytes of it that nobody accounts for."""
    left = {}
    for store in answer(root, "stores")["stores"]:
        parts = [store[name] for name in ("record_bytes", "damage_bytes", "blank_bytes")]
        assert all(part >= 0 for part in parts)
        left[f"{store['kind']} {store['path']}"] = (
            store["bytes"] - sum(parts) - sum(item["bytes"] for item in store["unread"])
        )
    return {name: number for name, number in left.items() if number}


def test_each_kind_of_byte_is_counted(tmp_path: Path) -> None:
    """Records, damage and blanks are each counted, and add up to the file."""
    good, torn = line(user("u1")), b'{"type": "user", torn'
    write_transcript(home(tmp_path), "-p", UUID, [b"\xef\xbb\xbf", good, b" \t\r\n\n", torn, b"\n"])
    store = account(tmp_path)

    assert (len(good) - 1, len(torn), 3 + 1 + 5 + 1) == (
        store["record_bytes"],
        store["damage_bytes"],
        store["blank_bytes"],
    )
    assert ({}, []) == (missing(tmp_path), store["unread"])


def test_a_transcript_that_grows(tmp_path: Path) -> None:
    """The account of a transcript that grew is that of the whole file."""
    path = write_transcript(home(tmp_path), "-p", UUID, [line(user("u1"))])
    answer(tmp_path, "list")
    path.write_bytes(path.read_bytes() + b"\n \n" + line(user("u2", "u1")) + b"null\n")

    assert ({}, path.stat().st_size) == (missing(tmp_path), account(tmp_path)["bytes"])


def test_the_demo_home_adds_up(tmp_path: Path) -> None:
    """Every byte of the demo home is accounted for, in every store."""
    assert {} == missing(write_desktop(write_demo_home(tmp_path)))


def test_one_session_in_two_stores(tmp_path: Path) -> None:
    """Files of one session in two stores are each counted in their own."""
    text = Draft(UUID, "/p").prompt("Hello").answer("Hi.").text()
    write_transcript(home(tmp_path), "-p", UUID, text)
    staged = row(tmp_path).parent / "imported-staging" / f"{UUID}.jsonl"
    staged.parent.mkdir()
    staged.write_bytes(text + b"\n\n")

    assert ({}, text.count(b"\n")) == (missing(tmp_path), account(tmp_path)["blank_bytes"])
    assert text.count(b"\n") + 2 == account(tmp_path, "desktop")["blank_bytes"]


def test_packed_transcripts_count_as_they_lie(tmp_path: Path) -> None:
    """A packed transcript counts with its bytes on the disk, and what cannot be unpacked is damage."""
    text = Draft(UUID, "/p").prompt("Hello").answer("Hi.").text()
    packed = gzip.compress(text)
    write_transcript(home(tmp_path), "-p", UUID, packed[:-4])
    write_transcript(tmp_path, "-p", UUID.replace("1", "2"), b"\xff\xfe" + text.decode().encode("utf-16-le"))

    assert {} == missing(tmp_path)


def test_damaged_lines_of_a_history(tmp_path: Path) -> None:
    """A file of lines that is no transcript has an account of its own."""
    write_side(home(tmp_path), "history.jsonl", line({"display": "x"}) + b"{torn\n")
    store = account(tmp_path, "side")

    assert ({}, 5, 2) == (missing(tmp_path), store["damage_bytes"], store["blank_bytes"])


def test_files_that_are_not_read_are_named(tmp_path: Path) -> None:
    """A file that is counted and not read is named, with the reason; so is one that is too large."""
    root = home(tmp_path)
    write_side(root, ".credentials.json", b"{}")
    write_side(root, f"image-cache/{UUID}/1.png", b"png")
    write_side(root, "something.bin", b"x")
    plan = write_side(root, "plans/huge.md", b"x")
    os.truncate(plan, 65 << 20)
    reasons = {Path(item["path"]).name: item["reason"] for item in account(tmp_path, "side")["unread"]}
    text = run("--root", tmp_path, "stores").stdout.decode()

    assert {
        ".credentials.json": "may hold a secret and is never opened",
        "1.png": "a picture; the transcript names it",
        "something.bin": "unknown kind of file",
        "huge.md": "larger than 64 MiB",
    } == reasons
    assert all(reason in text for reason in reasons.values())
    assert {} == missing(tmp_path)


@pytest.fixture
def open_home() -> Iterator[Path]:
    """Return a directory that every user may enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix="backscroll-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_transcript_that_may_not_be_read(open_home: Path) -> None:
    """A transcript without permission is named with that reason, and the account still adds up."""
    path = write_transcript(home(open_home), "-p", UUID, [line(user("u1"))])
    path.chmod(0)

    def asked() -> list[tuple[str, int | None]]:
        (store,) = (store for store in backscroll.list_stores(open_home) if store.kind == "code")
        return [(item.reason, item.bytes) for item in store.unread]

    assert [("permission denied", path.stat().st_size)] == as_nobody(asked)


def test_known_places_that_are_not_read(tmp_path: Path) -> None:
    """Places in Desktop's data that are not read are named as such, known or not."""
    write_desktop(home(tmp_path))
    known = ("Claude Extensions/x/y", "claude-code-vm/1.0/claude", "Local State", "Crashpad/a", "window-state.json")
    for name in (*known, "Brand New"):
        desktop_file(tmp_path, name, b"x", ".config/Claude")
    places = {Path(item["path"]).name: item["reason"] for item in account(tmp_path, "desktop")["left_alone"]}

    assert {"Claude Extensions", "claude-code-vm", "Local State", "Crashpad", "window-state.json"} < places.keys()
    assert ("not known to hold sessions", "reports of crashes") == (places["Brand New"], places["Crashpad"])
    assert "Local Storage" not in places
    assert b"Not read beside desktop" in run("--root", tmp_path, "stores").stdout


def test_directories_of_claude_code_that_are_not_read(tmp_path: Path) -> None:
    """Programs in a configuration directory are named, and not counted."""
    write_side(home(tmp_path), "plugins/market/run.py", b"x")
    write_side(tmp_path, "settings.json", b"{}")
    side = account(tmp_path, "side")

    assert [("plugins", "programs of plugins, no sessions", None)] == [
        (Path(item["path"]).name, item["reason"], item["bytes"]) for item in side["left_alone"]
    ]
    assert (1, 2) == (side["files"], side["bytes"])
    assert b"Not read beside side" in run("--root", tmp_path, "stores").stdout


def test_directories_of_cowork_that_are_not_read(tmp_path: Path) -> None:
    """Files that a session made or was given, and programs, are named at their places, and not counted."""
    private = cowork(home(tmp_path))
    (private / "plugins" / "market").mkdir(parents=True)
    (private.parent / "outputs").mkdir()
    (private.parent / "outputs" / "report.html").write_bytes(b"x")
    deep = private.parent.joinpath(*"abcdefg")
    deep.mkdir(parents=True)
    store = account(tmp_path, "cowork")

    assert {
        (private / "plugins", "programs of plugins, no sessions"),
        (private.parent / "outputs", "files that the session made; `cowork ID` lists them"),
        (private.parent / "a" / "b" / "c" / "d", "deeper than any known file of a session"),
    } == {(Path(item["path"]), item["reason"]) for item in store["left_alone"]}
    assert [] == store["unread"]


def test_known_places_beside_browser_storage_alone(tmp_path: Path) -> None:
    """Where a Desktop left nothing but browser storage, its store names the places that are not read."""
    Files(local_storage({"a": "b"})).write(home(tmp_path) / ".config/Claude")
    desktop_file(tmp_path, "Crashpad/a", b"x", ".config/Claude")
    (place,) = account(tmp_path, "browser")["left_alone"]

    assert ("Crashpad", "reports of crashes") == (Path(place["path"]).name, place["reason"])


def test_files_with_one_reason_are_one_line(tmp_path: Path) -> None:
    """The first is named, the others are counted."""
    for name in ("a.bin", "b.bin", "c.bin"):
        write_side(home(tmp_path), name, b"x")

    assert b"/a.bin and 2 more (3 B): unknown kind of file\n" in run("--root", tmp_path, "stores").stdout


@pytest.mark.corpus
def test_the_corpus_adds_up(corpus: Path) -> None:
    """Every byte of the public transcripts, and of those of the real CLI, is accounted for."""
    assert [{}] * 2 == [missing(corpus / "home"), missing(corpus / "cli" / "cli-2.1.325-headless")]


def test_index_counts_the_pass_for_the_search(tmp_path: Path) -> None:
    """`index` right after a first `list` reads the transcripts for the search, and says so."""
    path = Draft(UUID, "/p").prompt("Hello").answer("Hi.").write(home(tmp_path))
    answer(tmp_path, "list")
    first, second = answer(tmp_path, "index"), answer(tmp_path, "index")

    assert (1, 0, path.stat().st_size) == (first["read"], first["skipped"], first["bytes"])
    assert (0, 1, 0) == (second["read"], second["skipped"], second["bytes"])
