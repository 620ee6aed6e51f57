"""`resume`, and the command that resumes a session wherever a session is shown."""

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest
from command import answer, run, said
from make import UUID, Draft, cowork, home, row, write_transcript

OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a directory with a blank in its name, in which a session was held."""
    path = tmp_path / "my shop"
    path.mkdir()
    return path


@pytest.fixture
def root(tmp_path: Path, project: Path) -> Path:
    """Return a home with that session, and one whose directory is gone."""
    root = home(tmp_path / "home")
    Draft(UUID, str(project)).prompt("words").answer("Yes.").write(root)
    Draft(OTHER, "/srv/gone").prompt("other").answer("Yes.").write(root)
    return root


def session(root: Path, name: str) -> Any:
    """Return a session as `list --json` has it."""
    return next(one for one in answer(root, "list", "--all")["sessions"] if one["id"] == name)


def test_the_command_of_another_root(root: Path, project: Path) -> None:
    """With --root the command changes to the directory and names the configuration directory."""
    found = session(root, UUID)

    assert f"cd '{project}' && CLAUDE_CONFIG_DIR={root}/.claude claude --resume {UUID}" == found["resume"]
    assert found["resume_note"] is None


def test_the_command_of_the_own_home(root: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --root no configuration directory is named."""
    monkeypatch.setenv("HOME", str(root))
    code, out, _ = said("resume", UUID, "--print")

    assert (0, f"cd '{project}' && claude --resume {UUID}\n") == (code, out)


def test_a_directory_that_is_gone(root: Path) -> None:
    """Where the directory is gone the command has no `cd`, and a note says so."""
    found = session(root, OTHER)

    assert f"CLAUDE_CONFIG_DIR={root}/.claude claude --resume {OTHER}" == found["resume"]
    assert "/srv/gone is gone" in found["resume_note"]


def test_the_note_can_be_pasted(root: Path) -> None:
    """The command in the note of `show` names the root that was given."""
    shown = said("--root", root, "show", OTHER)[1]
    note = f"`backscroll --root {root} transfer resume {OTHER} --cwd DIR`"

    assert note in shown
    assert note in session(root, OTHER)["resume_note"]
    assert note in answer(root, "show", OTHER)["session"]["resume_note"]
    assert note in answer(root, "resume", OTHER)["resume_note"]


def test_no_command_and_why(root: Path) -> None:
    """Ghosts, remote sessions, orphans, Cowork's own and an id in two places have a reason and a command that helps."""
    row(root, "aaaa1111-0000-4000-8000-000000000001", cliSessionId="33333333-3333-4333-8333-333333333333")
    row(root, "aaaa1111-0000-4000-8000-000000000008", cliSessionId="88888888-8888-4888-8888-888888888888", sshConfig={})
    Draft("44444444-4444-4444-8444-444444444444", "/x").prompt("far").write(root, key="ssh-0123abcd-x")
    write_transcript(root, "-p/55555555-5555-4555-8555-555555555555/subagents", "agent-a1", b'{"type":"user"}\n')
    cowork(root, session="local_66666666-6666-4666-8666-666666666666")
    twice = "77777777-7777-4777-8777-777777777777"
    for key in ("-one", "-two"):
        Draft(twice, "/one").prompt("twice").answer("Yes.").write(root, key=key)
    found = {one["id"][:4]: one for one in answer(root, "list", "--all")["sessions"]}
    notes = {name: one["resume_note"] for name, one in found.items() if one["resume"] is None}

    assert "archive restore" in notes["3333"]
    assert "another machine" in notes["4444"]
    assert "transfer resume" in notes["4444"]  # its transcript is here
    assert "transfer resume" not in notes["8888"]  # nothing of it is here
    assert "another machine" in notes["8888"]
    assert "only its agents are left" in notes["5555"]
    assert "transfer resume" in notes["7777"]


def test_only_cowork_has_it(tmp_path: Path) -> None:
    """A session that only Cowork has is not resumed by Claude Code."""
    cowork(home(tmp_path))
    (found,) = answer(tmp_path, "list")["sessions"]

    assert found["resume"] is None
    assert "only Cowork has it" in found["resume_note"]


def test_refused_with_the_reason(tmp_path: Path) -> None:
    """`resume` of a ghost is refused with exit code 4 and the reason."""
    row(home(tmp_path), cliSessionId=UUID)
    code, out, err = said("--root", tmp_path, "resume", UUID, "--print")

    assert (4, "") == (code, out)
    hint = (
        "the transcript is gone, and the archive has no copy; import a backup with archive import, then run"
        f" `backscroll --root {tmp_path} archive restore {UUID}`"
    )
    assert f"backscroll: this session cannot be resumed: {UUID}\n  {hint}\n" == err


def test_it_is_shown_where_one_looks(root: Path) -> None:
    """The head of `show`, hits of a search and their JSON have the command."""
    command = session(root, UUID)["resume"]
    (hit,) = answer(root, "search", "words")["hits"]

    assert f"  resume    {command}\n" in said("--root", root, "show", UUID)[1]
    assert command == hit["resume"]
    assert command == answer(root, "resume", UUID)["resume"]


def test_claude_is_started(root: Path, project: Path, tmp_path: Path) -> None:
    """`resume` becomes `claude --resume` in the directory of the session, with the configuration that it belongs to."""
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$PWD|$CLAUDE_CONFIG_DIR|$*"\nexit 7\n')
    program.chmod(0o755)
    done = run("--root", root, "resume", UUID, PATH=f"{program.parent}:{os.environ['PATH']}")

    assert 7 == done.returncode
    assert f"{project}|{root}/.claude|--resume {UUID}\n" == done.stdout.decode()


def test_without_claude(root: Path) -> None:
    """Where there is no `claude` the command is told, to run where there is one."""
    done = run("--root", root, "resume", UUID, PATH="/nowhere")

    assert 1 == done.returncode
    assert b"claude` is not on your PATH" in done.stderr
    assert shlex.quote(UUID).encode() in done.stderr


def test_json_lines_have_it(root: Path) -> None:
    """`list --jsonl` has the keys too."""
    lines = said("--root", root, "list", "--jsonl")[1].splitlines()

    assert all({"resume", "resume_note"} <= json.loads(line).keys() for line in lines)


def test_the_command_and_its_note(tmp_path: Path) -> None:
    """`--print` writes only the command to standard output; the note that the directory is gone goes beside it."""
    Draft(UUID, "/no/such/place").prompt("Hello").answer("Hi.").write(home(tmp_path))
    code, out, err = said("--root", tmp_path, "resume", UUID, "--print")

    assert (0, f"CLAUDE_CONFIG_DIR={tmp_path}/.claude claude --resume {UUID}\n") == (code, out)
    assert (
        f"backscroll: the directory /no/such/place is gone; make it again, or run `backscroll --root {tmp_path}" in err
    )


def test_the_hint_for_cowork_names_the_directory(tmp_path: Path) -> None:
    """Cowork's own directory is not on this machine, so the command that helps has `--cwd DIR`."""
    cowork(home(tmp_path))
    (found,) = answer(tmp_path, "list")["sessions"]

    assert found["resume_note"].endswith(f"transfer resume {found['id']} --cwd DIR`")


def test_json_of_a_session_that_cannot_be_resumed(tmp_path: Path) -> None:
    """The reason is in the document, and the exit code is that of a refusal."""
    row(home(tmp_path), "aaaa1111-0000-4000-8000-000000000001", cliSessionId=OTHER)

    code, out, _ = said("--root", tmp_path, "resume", OTHER, "--json")

    assert 4 == code
    assert json.loads(out)["resume"] is None
    assert "archive restore" in json.loads(out)["resume_note"]


def test_a_session_of_cowork_that_was_made_resumable(tmp_path: Path) -> None:
    """After `transfer resume` a session is in both stores, and the command goes on with the copy of Claude Code."""
    root, work = home(tmp_path / "user"), tmp_path / "work"
    work.mkdir()
    config = cowork(root)
    path = config / "projects/session" / f"{UUID}.jsonl"
    path.write_bytes(Draft(UUID, "/sessions/calm-river").prompt("Hello").answer("Hi.").text())
    os.utime(path, (1_700_000_000, 1_700_000_000))

    assert "transfer resume" in said("--root", root, "resume", UUID, "--print")[2]
    assert 0 == said("--root", root, "transfer", "resume", UUID, "--cwd", work, "--apply")[0]

    code, out, _ = said("--root", root, "resume", UUID, "--print")
    assert (0, f"CLAUDE_CONFIG_DIR={root}/.claude claude --resume {UUID}\n") == (code, out)
    found = json.loads(said("--root", root, "--json", "list", "--store", "code")[1])["sessions"]
    assert [(UUID, ["code", "cowork"])] == [(one["id"], one["stores"]) for one in found]


def test_one_id_in_two_roots(tmp_path: Path) -> None:
    """The same id under two keys is ambiguous for Claude Code only in one configuration."""
    for name, key in (("live", "/one"), ("backup", "/two")):
        Draft(UUID, key).prompt("Hello").answer("Hi.").write(home(tmp_path / name))

    code, out, _ = said("--root", tmp_path / "live", "--root", tmp_path / "backup", "resume", UUID, "--print")

    assert 0 == code
    assert f"claude --resume {UUID}" in out
