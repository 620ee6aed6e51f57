"""What files below `projects` are called, and that none is left out."""

from pathlib import Path

import pytest
from make import UUID, Draft, bash, found, home, write_side, write_transcript

from backscroll.stores.base import Label
from backscroll.stores.code import label


@pytest.mark.parametrize(
    "path, expected",
    [
        (f"-p/{UUID}.jsonl", Label("transcript", UUID, None, "-p")),
        ("-p/notes.jsonl", Label("transcript", "notes", None, "-p")),
        ("-p/notes 2.jsonl", Label("transcript", "notes 2", None, "-p")),
        ("-p/..jsonl", Label("transcript", ".", None, "-p")),
        ("stray.jsonl", Label("transcript", "stray", None, None)),
        ("-p/agent-a1b2c3d.jsonl", Label("agent", None, "a1b2c3d", "-p")),
        ("-p/agent-a1b2c3d.jsonl.bak", Label("superseded", None, "a1b2c3d", "-p")),
        ("-p/s/subagents/agent-acompact-0123.jsonl", Label("agent", "s", "acompact-0123", "-p")),
        ("-p/s/subagents/agent-a1.jsonl~", Label("superseded", "s", "a1", "-p")),
        ("-p/s/subagents/agent-a1.meta.json", Label("agent-meta", "s", "a1", "-p")),
        ("-p/s/subagents/workflows/run1/agent-a1.jsonl", Label("agent", "s", "a1", "-p")),
        ("-p/s/subagents/workflows/run1/journal.jsonl", Label("workflow-journal", "s", None, "-p")),
        ("-p/s/tool-results/toolu_1.txt", Label("tool-result", "s", None, "-p")),
        ("-p/s/custom-title.json", Label("title", "s", None, "-p")),
        ("-p/s/archived.json", Label("archived", "s", None, "-p")),
        ("-p/s/resume-head.jsonl", Label("copy", "s", None, "-p")),
        (f"-p/{UUID}.desktop-released.json", Label("released", UUID, None, "-p")),
        ("-p/sessions-index.json", Label("project-index", None, None, "-p")),
        ("-p/memory/MEMORY.md", Label("memory", None, None, "-p")),
        (f"-p/{UUID}/world.jsonl", Label("other", UUID, None, "-p")),
        ("-p/cloud-snapshots/x.bin", Label("other", None, None, "-p")),
        ("-p/bridge-pointer.json", Label("other", None, None, "-p")),
    ],
)
def test_files_are_named_by_their_place(path: str, expected: Label) -> None:
    """Each known place below `projects` has its kind, session and agent; the rest is `other`."""
    assert label(tuple(path.split("/"))) == expected


@pytest.mark.parametrize(
    "name",
    [
        f"{UUID}.jsonl.superseded-1780000000000",
        f"{UUID}.jsonl.compact.tmp.0a1b2c3d",
        f"{UUID}.jsonl.bak",
        f"{UUID}.jsonl.bak2",
        f"{UUID}.jsonl.backup-2026-05-01",
        f"{UUID}.jsonl.orig",
        f"{UUID}.jsonl.tmp",
        f"{UUID}.jsonl.gz",
        f"{UUID}.jsonl~",
        f"{UUID}.jsonl.~3~",
        f"{UUID}.sync-conflict-20260501-101010-ABCDEFG.jsonl",
        f"{UUID} (Ann's conflicted copy 2026-05-01).jsonl",
        f"{UUID} 2.jsonl",
        f"{UUID} (1).jsonl",
        f"{UUID} copy.jsonl",
        f"{UUID} - Copy (2).jsonl",
    ],
)
def test_copies_are_versions_of_their_session(name: str) -> None:
    """H38: what Claude Code, editors and sync tools set aside is a version, not a session of its own."""
    assert label(("-p", name)) == Label("superseded", UUID, None, "-p")


def test_a_conflict_of_any_stem_is_a_version() -> None:
    """The marks of sync tools are plain enough to be trusted after any name."""
    assert label(("-p", "notes.sync-conflict-20260501-101010-ABCDEFG.jsonl")).session == "notes"


@pytest.mark.parametrize("name", [f"{UUID}.jsonl.lock", f"{UUID}.json", ".jsonl.bak", "x.jsonl.d"])
def test_what_only_resembles_a_version_is_other(name: str) -> None:
    """A suffix that no tool gives to a version makes no version."""
    assert label(("-p", name)).kind == "other"


def test_names_cannot_slow_the_walk_down() -> None:
    """Long names made of repeated pieces are named at once."""
    for piece in (" (", "conflict", ".bak", " copy", "-a", ".jsonl"):
        label(("-p", (piece * 250)[:244] + ".jsonl"))
        label(("-p", "x.jsonl.bak" + (piece * 250)[:230] + "!"))


def test_a_draft_is_found_whole(tmp_path: Path) -> None:
    """A session with an agent and a saved output is found as the builder wrote it."""
    draft = Draft(UUID).prompt("Look").answer("Building.", calls=[bash("make", "cc", saved="cc\n" * 9000)])
    agent = draft.agent("Search", "Find it")
    draft.join(agent, "Here.").write(home(tmp_path))

    kinds = sorted((file.kind, file.session, file.agent) for file in found(tmp_path))
    assert kinds == [
        ("agent", UUID, agent.agent_id),
        ("agent-meta", UUID, agent.agent_id),
        ("tool-result", UUID, None),
        ("transcript", UUID, None),
    ]


def test_what_stat_says_is_kept(tmp_path: Path) -> None:
    """A found file carries size, times, inode and device as the system tells them."""
    path = write_transcript(home(tmp_path), "-p", UUID, b"{}\n")
    status = path.stat()

    (file,) = found(tmp_path)
    assert (file.path, file.size, file.config) == (str(path), 3, str(tmp_path / ".claude"))
    assert (file.mtime_ns, file.ctime_ns) == (status.st_mtime_ns, status.st_ctime_ns)
    assert (file.inode, file.device) == (status.st_ino, status.st_dev)


def test_twins_are_both_listed(tmp_path: Path) -> None:
    """H34: names that differ in case or in Unicode form only are two files."""
    names = {"A", "a", "caf\u00e9", "cafe\u0301"}
    for name in names:
        write_transcript(home(tmp_path), "-p", name)

    assert {file.session for file in found(tmp_path)} == names


@pytest.mark.parametrize("name", [".credentials.json", "server.key", ".audit-key", "policy-limits.json"])
def test_secrets_are_only_counted(tmp_path: Path, name: str) -> None:
    """A secret is named as one wherever it lies, so that nobody opens it."""
    write_side(home(tmp_path), f"projects/-p/{name}", b"secret")
    write_side(tmp_path, name, b"secret")

    assert [file.kind for file in found(tmp_path)] == ["secret", "secret"]


def test_a_link_to_a_secret_is_a_secret(tmp_path: Path) -> None:
    """A secret does not become a transcript by a link."""
    secret = write_side(home(tmp_path), ".credentials.json", b"secret")
    write_transcript(tmp_path, "-p", UUID)
    (tmp_path / ".claude" / "projects" / "-p" / "link.jsonl").symlink_to(secret)

    assert [file.kind for file in found(tmp_path) if file.session != UUID] == ["secret", "secret"]
