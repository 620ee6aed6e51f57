"""Hostile paths in `files --patch ID | git apply` and in `recover --diff`: git gets only what the session wrote."""

import json
import posixpath
import shutil
import stat
import subprocess
import unicodedata
from collections import defaultdict
from pathlib import Path

import pytest
from chance import chance, rounds
from command import said
from hostile_paths import PATHS
from make import UUID, Draft, home, write

from backscroll.cli.main import run

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git, which is not installed")

APP = "/home/ann/app"
SEED = 18
COUNT = 300
INJECTED = "\ndiff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+evil\n"
PIECES = [
    "\n",
    "\r\n",
    "\t",
    '"',
    "\\",
    "'",
    " ",
    "\x00",
    "\x1b[2J",
    "\x7f",
    "é",
    "\u2028",
    "\ud800",
    "\udcff",
    "\U0001f600",
    "..",
    "/",
    "//",
    "/../",
    "/./",
    "\\..\\",
    "-rf",
    "--",
    ".git",
    ".git/hooks/",
    ".GIT /",
    "git~1/",
    ".gitattributes",
    ".gitmodules",
    "C:",
    "~",
    "a/",
    "b/",
    "/dev/null",
    "%2e%2e/",
    "x" * 300,
    "\\ No newline at end of file",
    "\n\\ No newline at end of file\n",
    INJECTED,
    "\ndiff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+/etc/passwd\n",
    "\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+evil\n",
    "\nrename from a\nrename to b\n",
    "\nold mode 100644\nnew mode 100755\n",
    "\nGIT binary patch\nliteral 0\nHcmV?d00001\n\n",
    "\n@@ -0,0 +1 @@\n+evil\n",
    "\tversion 1\n+++ run.sh\n",
]
TEXTS = [
    "text {}\n",
    "no newline at the end {}",
    "{}\r\n\r\n",
    "\\ No newline at end of file\n{}\n",
    "--- a/run.sh\n+++ b/run.sh\n@@ -0,0 +1 @@\n+evil {}\n",
    "diff --git a/run.sh b/run.sh\nnew file mode 100755\n{}\n",
    "\n\n{}\n-- \n\n",
]


def hostile(seed: int, count: int) -> list[str]:
    """Return so many different paths: those that every system's rules are tried with, and mixtures of pieces."""
    generator = chance(seed)
    paths = dict.fromkeys(path for path in PATHS if len(path) < 400)
    paths = dict.fromkeys(generator.sample(list(paths), min(len(paths), count // 2)))
    while len(paths) < count:
        pieces = [generator.choice(PIECES) for _ in range(generator.randint(1, 4))]
        pieces.insert(generator.randint(0, len(pieces)), f"n{len(paths)}")
        paths[generator.choice(["", "", f"{APP}/", "sub/"]) + "".join(pieces)] = None
    return list(paths)


def in_project(path: str) -> str:
    """Return where the project would hold a path that a transcript names; bytes that are no text are spelled out."""
    spelled = path.encode(errors="surrogatepass").decode(errors="backslashreplace")
    whole = posixpath.normpath(posixpath.join(APP, spelled))
    return unicodedata.normalize("NFC", posixpath.relpath(whole, APP))


def session(root: Path, texts: dict[str, str]) -> Path:
    """Have one session write all these files."""
    draft = Draft(UUID, APP).prompt("Please.")
    for path, text in texts.items():
        draft.answer(calls=[write(path, text)])
    draft.write(home(root))
    return root


def output(capsysbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[int, bytes]:
    """Run a command, and return its exit code and what it printed."""
    code = run(list(arguments))
    return code, capsysbinary.readouterr().out


def applied(work: Path, patch: bytes) -> int:
    """Have git apply a patch in an empty repository, and return its exit code."""
    work.mkdir(parents=True)
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    return subprocess.run(["git", "apply", "-"], input=patch, cwd=work, check=False, capture_output=True).returncode


def left_by_git(work: Path) -> dict[str, bytes]:
    """Return all files that git made, each checked to be a plain file that nobody can run."""
    found = {}
    for path in work.rglob("*"):
        name = path.relative_to(work)
        mode = path.lstat().st_mode
        if name.parts[0] != ".git" and not stat.S_ISDIR(mode):
            assert stat.S_ISREG(mode), name
            assert mode & 0o111 == 0, name
            found[unicodedata.normalize("NFC", str(name))] = path.read_bytes()
    return found


def check(root: Path, work: Path, texts: dict[str, str], capsysbinary: pytest.CaptureFixture[bytes]) -> int:
    """Print the patch of a session that wrote `texts`, apply it, and return how many files it made."""
    code, patch = output(capsysbinary, "--root", str(session(root, texts)), "files", "--patch", UUID)
    if code == 1:  # no path of them can stand in a patch
        return 0
    written = defaultdict(set)
    for path, text in texts.items():
        written[in_project(path)].add(text.encode())

    assert (0, 0) == (code, applied(work, patch))
    found = left_by_git(work)
    assert {} == {name: data for name, data in found.items() if data not in written.get(name, ())}
    head, _, _ = patch.partition(b"\ndiff --git ")
    remarks = [line for line in head.split(b"\n") if line.startswith(b"Not in this patch: ")]
    assert len(head.split(b"\n")) == 1 + len(remarks)
    assert patch.startswith(b"Session ")
    assert {".git"} | {Path(name).parts[0] for name in found} >= {
        unicodedata.normalize("NFC", path.name) for path in work.iterdir()
    }
    return len(found)


def test_git_makes_only_files_that_the_session_wrote(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """300 hostile paths in one session: git applies its patch whole, and no link, program or other file appears."""
    for number in range(rounds(1)):
        generator = chance(SEED + number)
        paths = hostile(SEED + number, COUNT)
        texts = {path: generator.choice(TEXTS).format(place) for place, path in enumerate(paths)}
        place = tmp_path / str(number)
        made = check(place / "root", place / "work", texts, capsysbinary)

        assert made > COUNT // 3
        assert ["root", "work"] == sorted(path.name for path in place.iterdir())


def test_each_hostile_path_alone(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """A path alone in its session makes the file itself or nothing: no remark about it is ever part of the patch."""
    for number, path in enumerate(hostile(SEED, COUNT)[-rounds(30) :]):
        place = tmp_path / str(number)
        made = check(place / "root", place / "work", {path: "text\n"}, capsysbinary)

        assert made in (0, 1)


def test_a_difference_has_two_header_lines(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """`recover --diff` of a hostile path: git refuses it, or makes a file with the content of the later version."""
    paths = hostile(SEED + 100, rounds(30))
    draft = Draft(UUID, APP).prompt("Please.")
    for place, path in enumerate(paths):
        first = "" if place % 2 else "old\n"
        draft.answer(calls=[write(path, first)]).answer(calls=[write(path, f"new {place}\n", first or None)])
    root = str(tmp_path / "root")
    draft.write(home(Path(root)))
    _, listed = output(capsysbinary, "--root", root, "--json", "files", "--all")
    names = [file["path"] for file in json.loads(listed)["files"]]

    assert len(names) > len(paths) // 2
    for number, name in enumerate(names):
        code, diff = output(capsysbinary, "--root", root, "recover", name, "--diff", "1", "2")
        lines = diff.split(b"\n")
        work = tmp_path / "work" / str(number)
        applied(work, diff)

        assert 0 == code, name
        assert (b"--- ", b"+++ ", b"@@ -") == (lines[0][:4], lines[1][:4], lines[2][:4])
        assert (b"version 1", b"version 2") == (lines[0].rpartition(b"\t")[2], lines[1].rpartition(b"\t")[2])
        assert all(data.startswith(b"new ") for data in left_by_git(work).values())


def test_a_project_and_a_session_with_line_breaks(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """The line about the session is one line too, whatever its directory is called."""
    cwd = f"{APP}{INJECTED}"
    root = tmp_path / "root"
    Draft(UUID, cwd).prompt("x").answer(calls=[write(f"{cwd}/a.txt", "a\n")]).write(home(root))
    code, patch = output(capsysbinary, "--root", str(root), "files", "--patch", UUID)

    assert (0, 0) == (code, applied(tmp_path / "work", patch))
    assert {"a.txt": b"a\n"} == left_by_git(tmp_path / "work")


def test_one_name_for_a_file_and_a_directory(tmp_path: Path) -> None:
    """A file that another one needs as its directory is left out of the patch and named."""
    calls = [write(f"{APP}/a", "file\n"), write(f"{APP}/a/b.txt", "inside\n"), write(f"{APP}/c.txt", "beside\n")]
    Draft(UUID, APP).prompt("x").answer(calls=calls).write(home(tmp_path))

    code, patch, _ = said("--root", tmp_path, "files", "--patch", UUID)

    assert 0 == code
    assert 1 == patch.count("another file of this patch needs the same name")
    assert ["+++ b/a", "+++ b/c.txt"] == [line for line in patch.splitlines() if line.startswith("+++ ")]
