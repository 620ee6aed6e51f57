"""`transfer pack` and `transfer unpack`: everything arrives, under the paths of the other machine, once."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command import said
from make import CODE_ROWS, Draft, desktop_file, fingerprint, home, write_side
from two_accounts import (
    BENS,
    SYSTEMS,
    add_session,
    aged,
    app_id,
    reasons,
    rows_of,
    statuses,
    transcript_id,
    transfer,
    two_accounts,
)

from backscroll.stores.project_key import encode

SECRET = "sk-ant-api03-" + "Ab3dE5gH7jK9" * 7 + "-AbCdEfAA"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home of macOS with a session that has everything, and a second one."""
    directory = two_accounts(tmp_path / "mac", "macos", sessions=2)
    key, name = encode("/work/shop"), transcript_id(1)
    write_side(directory, f"projects/{key}/{name}/tool-results/big.txt", b"big")
    write_side(directory, f"projects/{key}/{name}/scripts/run.sh", b"echo")
    write_side(directory, f"projects/{key}/memory/MEMORY.md", b"remember")
    write_side(directory, f"file-history/{name}/{'a' * 16}@v1", b"old file")
    write_side(directory, f"todos/{name}-agent-{name}.json", b"[]")
    return aged(directory)


def packed(root: Path, output: Path, *options: str | Path) -> dict[str, Any]:
    """Pack, and return the answer."""
    code, answer = transfer(root, "pack", *options, "-o", output)
    assert 0 == code, answer
    return answer


@pytest.fixture
def bundle(root: Path, tmp_path: Path) -> Path:
    """Return a bundle of the project."""
    packed(root, tmp_path / "shop.tar.zst", "--project", "/work/shop")
    return tmp_path / "shop.tar.zst"


def test_one_session_is_not_a_plural(root: Path, tmp_path: Path) -> None:
    """The answer in text counts one session as `1 session`."""
    code, out, _ = said("--root", root, "transfer", "pack", transcript_id(2), "-o", tmp_path / "one.tar.zst")

    assert 0 == code
    assert ": 1 session in " in out


@pytest.mark.parametrize("system", SYSTEMS)
def test_everything_arrives(root: Path, bundle: Path, system: str, tmp_path: Path) -> None:
    """Each system: transcripts, tool results, file versions, todos, memory and rows, byte for byte; undo, twice."""
    work = tmp_path / "here"
    work.mkdir()
    other = home(tmp_path / "other")
    desktop_file(other, f"{CODE_ROWS}/{BENS}/scheduled-tasks.json", {}, SYSTEMS[system])
    aged(other)
    before = fingerprint(other)
    options = (bundle, "--map", f"/work/shop={work}")

    code, plan = transfer(other, "unpack", *options)
    assert (0, False) == (code, plan["applied"])
    assert before == fingerprint(other)

    code, done = transfer(other, "unpack", *options, "--apply")
    assert (0, True) == (code, done["applied"]), reasons(done)
    name, place = transcript_id(1), other / ".claude/projects" / encode(str(work))
    source = root / ".claude/projects" / encode("/work/shop")
    for path in (f"{name}.jsonl", f"{transcript_id(2)}.jsonl", f"{name}/tool-results/big.txt", "memory/MEMORY.md"):
        assert (source / path).read_bytes() == (place / path).read_bytes()
    assert b"old file" == (other / f".claude/file-history/{name}/{'a' * 16}@v1").read_bytes()
    assert b"[]" == (other / f".claude/todos/{name}-agent-{name}.json").read_bytes()
    assert not list(other.rglob("run.sh"))
    row = json.loads((rows_of(other, system) / f"local_{app_id(1)}.json").read_bytes())
    assert (str(work), name) == (row["cwd"], row["cliSessionId"])
    assert {name, transcript_id(2)} == {one["session"] for one in done["sessions"]}
    assert f"cd {work} && CLAUDE_CONFIG_DIR={other}/.claude claude --resume {name}" in {
        one["command"] for one in done["sessions"]
    }
    assert done["manifest"]["system"] == "linux"

    again = transfer(other, "unpack", *options, "--apply")[1]
    assert {"same"} == {status for _, status in statuses(again)}
    said("--root", other, "transfer", "undo")
    assert before == fingerprint(other)


def test_the_first_member_is_the_manifest(bundle: Path) -> None:
    """Any tar and zstd can read a bundle; the manifest comes first, and names every file behind it."""
    try:
        plain = subprocess.run(["zstd", "-dc", bundle], check=True, capture_output=True).stdout
    except FileNotFoundError:
        pytest.skip("needs zstd, which is not installed")
    listed = subprocess.run(["tar", "-tf", "-"], input=plain, check=True, capture_output=True).stdout.decode()
    names = listed.split("\n")[:-1]
    text = subprocess.run(["tar", "-xOf", "-", names[0]], input=plain, check=True, capture_output=True).stdout

    manifest = json.loads(text)
    assert "manifest.json" == names[0]
    assert names[1:] == [one["path"] for one in manifest["files"]]
    assert {"path", "size", "sha256"} == set(manifest["files"][0])
    assert (1, "linux") == (manifest["version"], manifest["system"])


@pytest.mark.parametrize(
    "cwd, old, new",
    [
        ("C:\\Users\\ann\\shop", "C:\\Users\\ann", "/home/ann"),
        ("/Users/ann/shop", "/Users/ann", "C:\\Users\\ann"),
        ("/Users/ann/shop", "/Users/ann", "/home/ann"),
    ],
)
def test_paths_of_other_systems(cwd: str, old: str, new: str, tmp_path: Path) -> None:
    """Windows, macOS and Linux: the key and the row get the path of the target, the records keep theirs."""
    root = tmp_path / "from"
    add_session(root, "linux", 1, cwd=cwd)
    packed(aged(root), tmp_path / "b.tar.zst", transcript_id(1))
    other = two_accounts(tmp_path / "to", "linux", sessions=0)

    code, done = transfer(other, "unpack", tmp_path / "b.tar.zst", "--map", f"{old}={new}", "--apply")

    there = f"{new}\\shop" if ":" in new else f"{new}/shop"
    assert (0, True) == (code, done["applied"]), reasons(done)
    copied = other / ".claude/projects" / encode(there) / f"{transcript_id(1)}.jsonl"
    assert next((root / ".claude/projects").rglob("*.jsonl")).read_bytes() == copied.read_bytes()
    assert there == json.loads((rows_of(other, "linux") / f"local_{app_id(1)}.json").read_bytes())["cwd"]


def test_a_directory_that_is_not_here(root: Path, bundle: Path, tmp_path: Path) -> None:
    """A session whose directory this machine lacks is named, and its command has no `cd` that fails."""
    code, done = transfer(two_accounts(tmp_path / "to", "linux", sessions=0), "unpack", bundle)

    assert 0 == code
    assert any("use --map" in str(step["why"]) for step in done["plan"])
    assert not any("cd " in one["command"] for one in done["sessions"])


def test_redacted(tmp_path: Path) -> None:
    """--redact packs no secret and no home, in transcripts, tool results, rows and the manifest."""
    root = tmp_path / "from"
    cwd = "/home/annabel/shop"
    Draft(transcript_id(1), cwd).prompt(f"My key is {SECRET}").answer(f"In {cwd}: {SECRET}").write(root)
    write_side(root, f"projects/{encode(cwd)}/{transcript_id(1)}/tool-results/t.txt", SECRET.encode())
    aged(root)

    packed(root, tmp_path / "b.tar.zst", transcript_id(1), "--redact")
    other = home(tmp_path / "to")
    code, done = transfer(other, "unpack", tmp_path / "b.tar.zst", "--apply")

    assert (0, True, True) == (code, done["applied"], done["manifest"]["redacted"]), reasons(done)
    everything = b"".join(path.read_bytes() for path in other.rglob("*") if path.is_file())
    assert b"key is" in everything
    assert SECRET.encode() not in everything
    assert b"annabel" not in everything
    assert "annabel" not in json.dumps(done)


@pytest.mark.slow
def test_sealed_with_a_passphrase(root: Path, tmp_path: Path) -> None:
    """A sealed bundle opens with its passphrase alone."""
    pytest.importorskip("pyrage", reason="needs the extra `encryption`")
    for name in ("right", "wrong"):
        (tmp_path / name).write_text(f"{name}\n")
    other, sealed = home(tmp_path / "to"), tmp_path / "b.age"
    packed(root, sealed, transcript_id(1), "--passphrase-file", tmp_path / "right")

    assert b"age-encryption.org" == sealed.read_bytes()[:18]
    assert 4 == transfer(other, "unpack", sealed)[0]
    assert 4 == transfer(other, "unpack", sealed, "--passphrase-file", tmp_path / "wrong")[0]
    assert 1 == transfer(other, "unpack", sealed, "--passphrase-file", tmp_path / "none")[0]
    assert 0 == transfer(other, "unpack", sealed, "--passphrase-file", tmp_path / "right", "--apply")[0]
    assert (other / ".claude/projects" / encode("/work/shop") / f"{transcript_id(1)}.jsonl").exists()


def test_nothing_is_overwritten(root: Path, bundle: Path, tmp_path: Path) -> None:
    """Another version of a session, here or under another key, is refused; other side files stay."""
    other = home(tmp_path / "to")
    write_side(other, f"todos/{transcript_id(1)}-agent-{transcript_id(1)}.json", b"[1]")
    for key in (encode("/work/shop"), "-elsewhere"):
        path = write_side(other, f"projects/{key}/{transcript_id(1)}.jsonl", b'{"type":"user"}\n')
        aged(other)
        before = fingerprint(other)
        code, answer = transfer(other, "unpack", bundle, "--apply")
        assert 4 == code
        assert "another version of this session is here already" in reasons(answer)
        assert before == fingerprint(other)
        path.unlink()

    assert 0 == transfer(other, "unpack", bundle, "--apply")[0]
    assert b"[1]" == (other / f".claude/todos/{transcript_id(1)}-agent-{transcript_id(1)}.json").read_bytes()


def test_a_session_that_is_here_under_another_key(bundle: Path, root: Path, tmp_path: Path) -> None:
    """The same transcript under another key stays there, and its side files come to it."""
    other = home(tmp_path / "to")
    data = (root / ".claude/projects" / encode("/work/shop") / f"{transcript_id(1)}.jsonl").read_bytes()
    write_side(other, f"projects/-elsewhere/{transcript_id(1)}.jsonl", data)
    aged(other)

    assert 0 == transfer(other, "unpack", bundle, "--apply")[0]

    assert 1 == len(list(other.rglob(f"{transcript_id(1)}.jsonl")))
    assert (other / f".claude/projects/-elsewhere/{transcript_id(1)}/tool-results/big.txt").is_file()


def test_bad_input(root: Path, bundle: Path, tmp_path: Path) -> None:
    """An existing file is 4, no choice 2, an unknown id 1, a relative map 2, a missing bundle 1."""
    before = bundle.read_bytes()

    assert 4 == transfer(root, "pack", transcript_id(1), "-o", bundle)[0]
    assert before == bundle.read_bytes()
    assert 4 == transfer(root, "pack", transcript_id(1), "-o", root / ".claude/projects/b.tar.zst")[0]
    assert 2 == transfer(root, "pack", "-o", tmp_path / "x")[0]
    assert 1 == transfer(root, "pack", "nobody", "-o", tmp_path / "x")[0]
    assert 1 == transfer(root, "pack", "--project", "/no/such", "-o", tmp_path / "x")[0]
    assert 2 == transfer(root, "unpack", bundle, "--map", "shop=/x")[0]
    assert 2 == transfer(root, "unpack", bundle, "--map", "/x")[0]
    assert 1 == transfer(root, "unpack", tmp_path / "none")[0]
    assert not (tmp_path / "x").exists()


def test_a_bundle_is_for_its_owner_alone(bundle: Path) -> None:
    """The file has mode 0600."""
    assert 0o600 == bundle.stat().st_mode & 0o777
