"""Recovery: one version by number, moment or message; differences, searches, a session's patch."""

import shutil
import subprocess
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from make import UUID, Draft, Tool, edit, home, read, write

import backscroll
from backscroll.errors import NotFoundError, QueryError

APP = "/home/ann/app"
FILE = f"{APP}/src/notes.txt"
OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home in which one session wrote a file and changed it twice."""
    draft = Draft(UUID, APP).prompt("Please.").answer(calls=[write(FILE, "one\n")])
    draft.prompt("More.").answer(calls=[edit(FILE, "one\n", "one", "two")])
    draft.prompt("Again.").answer("Done.", calls=[edit(FILE, "two\n", "two", "three")])
    draft.write(home(tmp_path))
    return tmp_path


def test_the_last_version_is_the_default(root: Path) -> None:
    """Without a choice, what the file held in the end is given."""
    assert b"three\n" == backscroll.recover_content(FILE, root).data


def test_a_moment_chooses(root: Path) -> None:
    """The state at a moment is that of the last change before it."""
    first, second, _ = backscroll.recover(FILE, root).versions
    assert first.time is not None
    assert second.time is not None

    assert b"one\n" == backscroll.recover_content(FILE, root, at=second.time - timedelta(seconds=1)).data
    assert b"two\n" == backscroll.recover_content(FILE, root, at=second.time).data
    with pytest.raises(NotFoundError):
        backscroll.recover_content(FILE, root, at=first.time - timedelta(days=1))


def test_a_message_chooses(root: Path) -> None:
    """The state after a message includes the calls it made; a message that made none has the state of its time."""
    second = backscroll.recover(FILE, root).versions[1]
    prompt = next(message for message in backscroll.show(UUID, root).messages if message.role == "user")

    assert b"two\n" == backscroll.recover_content(FILE, root, message=str(second.message)).data
    with pytest.raises(NotFoundError):
        backscroll.recover_content(FILE, root, message=prompt.id)
    with pytest.raises(NotFoundError):
        backscroll.recover_content(FILE, root, message="nobody")


@pytest.mark.parametrize(
    "choice, remedy", [({"version": 9}, "The last version is 3."), ({"candidate": 1}, "It has no candidates.")]
)
def test_what_is_not_there_is_said(choice: dict[str, int], remedy: str, root: Path) -> None:
    """A number that no version has is not found; the error names the last one."""
    with pytest.raises(NotFoundError) as caught:
        backscroll.recover_content(FILE, root, **choice)  # type: ignore[arg-type]

    assert remedy == caught.value.remedy


@pytest.mark.parametrize("asked", [FILE, "notes.txt", "src/notes.txt", "./src/notes.txt"])
def test_a_path_may_be_given_by_its_end(asked: str, root: Path) -> None:
    """As much of the end of a path as is unique names the file."""
    assert FILE == backscroll.recover(asked, root).path


def test_an_ambiguous_end_is_refused(root: Path) -> None:
    """Where two files end alike, both are named."""
    Draft(OTHER, "/else").prompt("x").answer(calls=[write("/else/notes.txt", "x")]).write(home(root))

    with pytest.raises(QueryError, match="2 files") as error:
        backscroll.recover("notes.txt", root)
    assert FILE in str(error.value)
    with pytest.raises(NotFoundError):
        backscroll.recover("otes.txt", root)


def test_a_difference(root: Path) -> None:
    """Two versions are compared line by line, in either direction."""
    assert [b"@@ -1 +1 @@\n", b"-one\n", b"+three\n"] == backscroll.recover_diff(FILE, 1, 3, root)[2:]
    assert b"+one\n" == backscroll.recover_diff(FILE, 3, 1, root)[-1]
    with pytest.raises(NotFoundError):
        backscroll.recover_diff(FILE, 1, 9, root)


def test_a_text_is_found_in_all_versions(root: Path) -> None:
    """A line that is long gone is found, with the versions that had it."""
    found = list(backscroll.recover_search("two", root))

    assert [(FILE, 1, "two", 2, 2)] == [
        (match.path, match.line, match.text, match.first.n, match.last.n) for match in found
    ]
    assert [] == list(backscroll.recover_search("two", root, match="*.py"))
    assert [] == list(backscroll.recover_search("four", root))
    with pytest.raises(QueryError):
        list(backscroll.recover_search("", root))


def test_each_call_counts_once_over_forks(root: Path) -> None:
    """A fork and a branch that hold the same calls add no versions; what they do on their own does."""
    draft = Draft(UUID, APP).prompt("Please.").answer(calls=[write(FILE, "one\n")])
    fork = draft.fork(OTHER).prompt("Else.").answer(calls=[edit(FILE, "one\n", "one", "fork")])
    draft.write(home(root))
    fork.write(home(root))
    found = backscroll.recover(FILE, root)

    assert ["write", "edit"] == [version.how for version in found.versions]
    assert [UUID, OTHER] == [version.session for version in found.versions]


def test_agents_count_too(tmp_path: Path) -> None:
    """What an agent changed is a version, and says which agent."""
    draft = Draft(UUID, APP).prompt("Please.")
    agent = draft.agent("Write it", "Write the file.").answer(calls=[write(FILE, "one\n")])
    draft.join(agent, "done").write(home(tmp_path))

    assert backscroll.recover(FILE, tmp_path).versions[0].agent is not None


def test_backups_that_nobody_names(root: Path) -> None:
    """A backup that no record names belongs to the file by the digest in its name; or has no path at all."""
    for path in (FILE, "/nobody/knows"):
        name = f"{sha256(path.encode()).hexdigest()[:16]}@v7"
        backup = root / ".claude/file-history" / OTHER / name
        backup.parent.mkdir(parents=True, exist_ok=True)
        backup.write_bytes(b"from the backup\n")
    files = backscroll.list_files(root).files
    lost = next(file.path for file in files if file.path.startswith("file-history:"))

    assert "backup" == backscroll.recover(FILE, root).versions[-1].how
    assert 4 == next(file.versions for file in files if file.path == FILE)
    assert b"from the backup\n" == backscroll.recover_content(lost, root).data


def test_a_backup_that_is_gone_is_told(tmp_path: Path) -> None:
    """A backup that a record names but that was cleaned up is in `lost`."""
    Draft(UUID, APP).prompt("x").backup(FILE, b"one\n").answer(calls=[read(FILE, "one\n")]).write(home(tmp_path))
    shutil.rmtree(tmp_path / ".claude/file-history")
    found = backscroll.recover(FILE, tmp_path)

    assert (1, 1) == (len(found.versions), len(found.lost))


def test_worktrees_are_related(tmp_path: Path) -> None:
    """The same file in a worktree has a history of its own, and each names the other."""
    twin = f"{APP}/.claude/worktrees/dark/src/notes.txt"
    Draft(UUID, APP).prompt("x").answer(calls=[write(FILE, "one\n")]).write(home(tmp_path))
    Draft(OTHER, f"{APP}/.claude/worktrees/dark").prompt("x").answer(calls=[write(twin, "two\n")]).write(home(tmp_path))

    assert [twin] == backscroll.recover(FILE, tmp_path).related
    assert [FILE] == backscroll.recover(twin, tmp_path).related


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git, which is not installed")
def test_a_sessions_patch_is_what_git_applies(root: Path, tmp_path: Path) -> None:
    """One patch of all that a session did leads from the files before it to those after it."""
    draft = Draft(OTHER, APP).prompt("x").answer(calls=[edit(FILE, "three\n", "three", "3")])
    draft.answer(calls=[write(f"{APP}/new.txt", "new"), write("/elsewhere.txt", "x")])
    draft.answer(calls=[write(f"{APP}/unknown.txt", "x", "")])
    draft.write(home(root))
    lines = backscroll.session_patch(OTHER, root)
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    (work / "src/notes.txt").write_bytes(b"three\n")
    subprocess.run(["git", "apply", "-"], input=b"".join(lines), cwd=work, check=True)

    assert (b"3\n", b"new") == ((work / "src/notes.txt").read_bytes(), (work / "new.txt").read_bytes())
    assert b"Not in this patch: /elsewhere.txt: outside the project\n" in lines
    assert f"Not in this patch: {APP}/unknown.txt: its content before the session is unknown\n".encode() in lines


def test_a_session_without_changes_has_no_patch(tmp_path: Path) -> None:
    """Where nothing was changed, there is no empty patch to apply."""
    Draft(UUID, APP).prompt("x").answer(calls=[read(FILE, "one\n")]).write(home(tmp_path))

    with pytest.raises(NotFoundError):
        backscroll.session_patch(UUID, tmp_path)


def test_what_was_deleted_then_is_not_given(tmp_path: Path) -> None:
    """A moment at which there was no file says so, and names the version before."""
    gone = Tool("Read", {"file_path": FILE}, "File does not exist.", "Error: File does not exist.", error=True)
    Draft(UUID, APP).prompt("x").answer(calls=[write(FILE, "one\n")]).answer(calls=[gone]).write(home(tmp_path))

    assert b"one\n" == backscroll.recover_content(FILE, tmp_path).data
    with pytest.raises(NotFoundError, match="deleted"):
        backscroll.recover_content(FILE, tmp_path, version=2)
