"""`backscroll files` and `backscroll recover`, as somebody types them."""

import json
import shlex
from pathlib import Path

import pytest
from make import UUID, Draft, Tool, bash, edit, home, write

import backscroll
from backscroll.cli.main import run
from backscroll.views.reports import versions
from backscroll.views.terminal.paper import Paper, plain

FILE = "/home/ann/app/notes.txt"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home in which a file was written with CRLF, changed, and nearly changed again."""
    refused = Tool("Write", {"file_path": FILE, "content": "never"}, "User rejected tool use", "Error: no", error=True)
    draft = Draft(UUID, "/home/ann/app").prompt("x").answer(calls=[write(FILE, "one\r\n")])
    draft.answer(calls=[edit(FILE, "one\n", "one", "two")]).answer(calls=[refused]).write(home(tmp_path))
    return tmp_path


def output(capsysbinary: pytest.CaptureFixture[bytes], root: Path, *arguments: str) -> bytes:
    """Run a command that must succeed, and return what it printed."""
    code = run(["--root", str(root), *arguments])

    assert 0 == code
    return capsysbinary.readouterr().out


def test_files_are_listed(root: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """The list names each file with its versions, and nothing else where nothing matches."""
    assert FILE in output(capsysbinary, root, "files").decode()
    assert b"No files found." in output(capsysbinary, root, "files", "--match", "*.py")
    assert [FILE] == [json.loads(line)["path"] for line in output(capsysbinary, root, "files", "--jsonl").splitlines()]


def test_a_timeline(root: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """All versions with how they are known, and the candidate apart."""
    text = output(capsysbinary, root, "recover", "notes.txt").decode()

    assert "write, created" in text
    assert "exact text" in text
    assert "Never reached the disk" in text
    assert "write, refused" in text


def test_exact_bytes_are_printed(root: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Into a pipe go the file's own bytes, line ends included."""
    assert b"one\r\n" == output(capsysbinary, root, "recover", "notes.txt", "--version", "1", "--print")
    assert b"two\r\n" == output(capsysbinary, root, "recover", "notes.txt", "--print")
    assert b"never" == output(capsysbinary, root, "recover", "notes.txt", "--candidate", "1", "--print")


def test_one_version_is_described(root: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Choosing a version without printing it shows what is known of it."""
    text = output(capsysbinary, root, "recover", "notes.txt", "--version", "2").decode()

    assert "edit" in text
    assert "write, created" not in text


def test_a_difference_is_a_patch(root: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """The unified diff has the bytes as they are."""
    assert b"-one\r\n+two\r\n" in output(capsysbinary, root, "recover", "notes.txt", "--diff", "1", "2")


def test_files_are_written_with_a_report(
    root: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The report says what was written where."""
    target = tmp_path / "back"
    text = output(capsysbinary, root, "recover", "--all", "--project", "app", "--write", str(target)).decode()

    assert b"two\r\n" == (target / "notes.txt").read_bytes()
    assert "1 file written, 0 not." in text


def test_a_search_exits_with_1_where_nothing_is_found(root: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """As grep does."""
    assert b"version 1  one" in output(capsysbinary, root, "recover", "--grep", "one")
    assert 1 == run(["--root", str(root), "recover", "--grep", "nowhere"])


def test_a_patch_of_a_session(root: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """All that a session did, for git."""
    text = output(capsysbinary, root, "files", "--patch", "latest")

    assert b"diff --git a/notes.txt b/notes.txt\nnew file mode 100644\n--- /dev/null\n" in text
    assert text.endswith(b"+two\r\n")


@pytest.mark.parametrize(
    "arguments, code",
    [
        (["recover"], 2),
        (["recover", "notes.txt", "--grep", "x"], 2),
        (["recover", "notes.txt", "--version", "1", "--at", "today"], 2),
        (["recover", "notes.txt", "--print", "--diff", "1", "2"], 2),
        (["recover", "notes.txt", "--version", "1", "--diff", "1", "2"], 2),
        (["recover", "notes.txt", "--apply"], 2),
        (["recover", "--all"], 2),
        (["recover", "notes.txt", "--all", "--write", "x"], 2),
        (["recover", "nothing.txt"], 1),
        (["recover", "notes.txt", "--version", "9"], 1),
        (["recover", "notes.txt", "--in-place"], 4),
        (["recover", "notes.txt", "--write", "."], 4),
        (["files", "--patch", "nobody"], 1),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: list[str], code: int, root: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Wrong use is 2, nothing found 1, refused 4, each with a sentence."""
    assert code == run(["--root", str(root), *arguments])
    assert capsysbinary.readouterr().err.startswith(b"backscroll: ")


def test_a_version_goes_into_a_new_file(root: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """`-o FILE` writes the chosen version, or the last, into a new file, and never over another."""
    target = tmp_path / "old.txt"
    text = output(capsysbinary, root, "recover", "notes.txt", "--version", "1", "-o", str(target)).decode()

    assert f"Wrote version 1 (5 B) to {target}\n" == text
    assert b"one\r\n" == target.read_bytes()
    assert 4 == run(["--root", str(root), "recover", "notes.txt", "-o", str(target)])
    assert b"one\r\n" == target.read_bytes()


def test_versions_end_with_the_next_commands(root: Path) -> None:
    """On a terminal the versions of a file are followed by commands that can be pasted."""
    found = backscroll.recover("notes.txt", root)
    lines = [plain(line) for line in versions.timeline(found, Paper(width=80, command=f"backscroll --root {root}"))]
    commands = [shlex.split(line.strip()) for line in lines if line.startswith("    backscroll")]

    assert 4 == len(commands)
    for command in commands:
        assert 0 == run([word.replace("FILE", str(root / "new.txt")) for word in command[1:]])


def test_deleted_files(root: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """`files --deleted` lists only the files whose last version is a deletion."""
    path = "/home/ann/app/gone.txt"
    draft = Draft("2" + UUID[1:], "/home/ann/app").prompt("x").answer(calls=[write(path, "one\n")])
    draft.answer(calls=[bash(f"rm {path}", "")]).write(root)
    found = json.loads(output(capsysbinary, root, "files", "--deleted", "--json"))

    assert (1, [path]) == (found["total"], [file["path"] for file in found["files"]])
