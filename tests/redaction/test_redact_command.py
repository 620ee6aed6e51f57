"""`backscroll redact`: reports, checks, clean copies, own rules and the git hook."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from command import PROGRAM, run, said
from make import Draft, bash, fingerprint, home

TOKEN = "ghp_" + "Fak3" * 9
UUID = "5d1a7b92-33c8-4e90-a6f4-2b8c7d9e0a04"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a home with one session that holds a token in a prompt and in a result."""
    directory = home(tmp_path)
    draft = Draft(UUID, cwd="/home/nora/shop").prompt(f"deploy with {TOKEN}")
    draft.answer("Done.", calls=[bash("env", f"TOKEN={TOKEN}")]).write(directory)
    return directory


def piped(data: bytes, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    """Run `redact` on standard input."""
    command = [*PROGRAM, "redact", *arguments]
    return subprocess.run(command, input=data, capture_output=True, check=False, env=os.environ)


def test_a_report_names_rule_and_place_and_never_the_value(root: Path) -> None:
    """The report of a session has a masked sample of each finding, in text and in JSON."""
    for form in ([], ["--json"]):
        code, out, err = said("--root", root, "redact", "latest", *form)
        assert code == 0
        assert "github-token" in out
        assert f"{UUID}.jsonl" in out
        assert "Fak3" not in out + err


def test_the_numbers_of_a_report(root: Path) -> None:
    """The JSON has the contract's keys, and counts every byte that was read."""
    told = json.loads(said("--root", root, "redact", "latest", "--json")[1])
    transcript = next(root.rglob(f"{UUID}.jsonl"))
    assert told["bytes"] == transcript.stat().st_size
    assert told["redactions"] == len(told["findings"])
    assert set(told["findings"][0]) == {"rule", "place", "sample", "sure"}


@pytest.mark.parametrize("text, code", [(TOKEN, 3), ("nothing to see", 0)])
def test_check_exits_with_3_if_something_is_found(tmp_path: Path, text: str, code: int) -> None:
    """`--check` of a file tells by its exit code whether the file holds a secret."""
    (tmp_path / "notes.md").write_text(text)
    assert said("redact", tmp_path / "notes.md", "--check")[0] == code


def test_no_identities_leaves_out_names_and_addresses(tmp_path: Path) -> None:
    """`--no-identities` reports secrets only."""
    (tmp_path / "notes.md").write_text("mail nora@quist.example in /home/nora/shop")
    assert said("redact", tmp_path / "notes.md", "--check")[0] == 3
    assert said("redact", tmp_path / "notes.md", "--check", "--no-identities")[0] == 0


def test_a_clean_transcript_has_the_same_records_and_ids(root: Path, tmp_path: Path) -> None:
    """The clean copy is JSONL with the same types and ids, readable by its owner alone; the original stays."""
    before = fingerprint(root / ".claude")
    target = tmp_path / "clean.jsonl"
    assert said("--root", root, "redact", "latest", "--clean", "-o", target)[0] == 0
    original = [json.loads(line) for line in next(root.rglob(f"{UUID}.jsonl")).read_bytes().splitlines()]
    cleaned = [json.loads(line) for line in target.read_bytes().splitlines()]
    for name in ("type", "uuid", "parentUuid", "sessionId", "timestamp"):
        assert [one.get(name) for one in cleaned] == [one.get(name) for one in original]
    assert TOKEN not in target.read_text()
    assert "nora" not in target.read_text()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert fingerprint(root / ".claude") == before
    assert said("--root", root, "show", target)[0] == 0


def test_nothing_is_overwritten_and_nothing_is_written_beside_transcripts(root: Path, tmp_path: Path) -> None:
    """An existing file and a place in Claude's directories are refused, and no temporary file stays."""
    taken = tmp_path / "taken"
    taken.write_text("mine")
    inside = root / ".claude" / "projects" / "clean.jsonl"
    for target in (taken, inside):
        assert said("--root", root, "redact", "latest", "--clean", "-o", target)[0] == 4
    assert taken.read_text() == "mine"
    assert not inside.exists()
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe" + f"key {TOKEN} end".encode("utf-16-le"),
        b"\x00\x01\xff\x80" + TOKEN.encode() + b"\x00\xfe",
        b'{"type":"user","uuid":"u-1","message":{"content":"' + TOKEN.encode(),
        b"a" * (3 << 20) + b" " + TOKEN.encode() + b" " + b"b" * (3 << 20),
    ],
    ids=["utf-16", "binary", "torn", "one long line"],
)
def test_any_input_is_read_as_a_stream(data: bytes, tmp_path: Path) -> None:
    """UTF-16, binary, torn and endless input is scanned, and its clean copy holds no secret."""
    assert piped(data, "--check", "-").returncode == 3
    target = tmp_path / "clean"
    done = piped(data, "--clean", "-o", str(target), "-")
    assert done.returncode == 0, done.stderr
    written = target.read_bytes()
    assert TOKEN.encode() not in written
    assert TOKEN.encode("utf-16-le") not in written


RULE = """
[[rule]]
name = "acme-key"
family = "own"
literals = ["acme_"]
pattern = 'acme_[0-9a-f]{8}'
matches = ["acme_<fa4e*2>", "key acme_<fa4e*2>."]
ignores = ["acme_short", "acme-<fa4e*2>"]
"""


def test_own_rules_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule in redact.toml finds its tokens, and `--rules` lists it."""
    monkeypatch.setenv("BACKSCROLL_HOME", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "redact.toml").write_text(RULE)
    (tmp_path / "notes.md").write_text("use acme_fa4efa4e")
    assert "acme-key" in said("redact", tmp_path / "notes.md")[1]
    assert json.loads(said("redact", "--rules", "--json")[1])["rules"][0]["name"] == "acme-key"


def test_a_wrong_rule_is_named_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern that RE2 refuses, or an example that fails, exits with 2 and names rule and line."""
    monkeypatch.setenv("BACKSCROLL_HOME", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()
    for wrong in (RULE.replace("{8}", "{8}(?=x)"), RULE.replace("acme_short", "acme_fa4efa4e")):
        (tmp_path / "own" / "redact.toml").write_text(wrong)
        code, _, err = said("redact", "--rules")
        assert code == 2
        assert "acme-key" in err
        assert "line 2" in err


@pytest.mark.parametrize("arguments", [[], ["latest", "--clean"], ["latest", "-o", "x"], ["x", "--clean", "--check"]])
def test_wrong_use(root: Path, arguments: list[str]) -> None:
    """Options that contradict each other, or a missing name, exit with 2."""
    assert said("--root", root, "redact", *arguments)[0] == 2


def test_the_hook_refuses_a_commit_with_a_secret(tmp_path: Path) -> None:
    """With the hook git commits clean lines and the removal of a secret, and refuses an added secret."""
    repository = tmp_path / "repository"
    repository.mkdir()
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "backscroll").write_text(f'#!/bin/sh\nexec {sys.executable} -m backscroll "$@"\n')
    (programs / "backscroll").chmod(0o755)
    env = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}

    def git(*arguments: str) -> int:
        who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        return subprocess.run(
            ["git", *who, *arguments], cwd=repository, env=env, capture_output=True, check=False
        ).returncode

    def commit(text: str, *options: str) -> int:
        (repository / "a.txt").write_text(text)
        git("add", "-A")
        return git("commit", "-m", "x", *options)

    assert git("init", "-q") == 0
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.write_bytes(run("redact", "--git-hook").stdout)
    hook.chmod(0o755)
    assert commit("write to a@b.example\n") == 0
    assert commit(f"key = {TOKEN}\n") != 0
    assert commit(f"key = {TOKEN}\n", "--no-verify") == 0
    assert commit("key = none\n") == 0
