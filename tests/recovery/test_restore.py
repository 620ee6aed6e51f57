"""Restore: files back to disk, and everything that is refused."""

from pathlib import Path

import pytest
from make import UUID, Draft, Tool, fingerprint, home, write

import backscroll
from backscroll.errors import NotFoundError, RefusedError

APP = "/home/ann/app"


def session(*files: tuple[str, str], cwd: str = APP, name: str = UUID) -> Draft:
    """Return a session that wrote these files."""
    draft = Draft(name, cwd).prompt("Please.")
    for path, text in files:
        draft.answer(calls=[write(path, text)])
    return draft


def below(directory: Path) -> dict[str, bytes]:
    """Return every file below a directory with its bytes."""
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_a_whole_project_is_written(tmp_path: Path) -> None:
    """Files of the project keep their places in it, others their whole path; the report names all of them."""
    session((f"{APP}/a.txt", "a"), (f"{APP}/src/b.txt", "b"), ("/etc/passwd", "x")).write(home(tmp_path / "home"))
    plan = backscroll.recover_files(tmp_path / "out", None, tmp_path / "home")

    assert {"a.txt": b"a", "src/b.txt": b"b", "etc/passwd": b"x"} == below(tmp_path / "out")
    assert plan.applied
    assert {"written"} == {file.status for file in plan.files}


def test_hostile_paths_stay_inside(tmp_path: Path) -> None:
    """Whatever paths a transcript holds, everything that is written lies in the target."""
    names = ["../../../x", "/../../y", "~/.ssh/authorized_keys", "C:\\Windows\\x", "a/../../../z", "/dev/null", "a\0b"]
    session(*((name, "x") for name in names)).write(home(tmp_path / "home"))
    plan = backscroll.recover_files(tmp_path / "out", None, tmp_path / "home")

    assert [] == [file for file in plan.files if file.status != "written"]
    assert len(names) == sum(file.status == "written" for file in plan.files) == len(below(tmp_path / "out"))
    assert {"home", "out"} == {path.name for path in tmp_path.iterdir()}


def test_one_version_is_written(tmp_path: Path) -> None:
    """A single file goes to its place in its project."""
    session((f"{APP}/a.txt", "one"), (f"{APP}/a.txt", "two")).write(home(tmp_path / "home"))
    backscroll.recover_files(tmp_path / "out", "a.txt", tmp_path / "home", version=1)

    assert {"a.txt": b"one"} == below(tmp_path / "out")


def test_what_is_known_in_part_is_marked(tmp_path: Path) -> None:
    """A file of which lines are missing is not passed off as the file; one of which nothing is known is not written."""
    piece = {"content": "two", "numLines": 1, "startLine": 2, "totalLines": 9}
    part = Tool("Read", {"file_path": f"{APP}/a.txt", "offset": 2}, "", {"type": "text", "file": piece})
    gap = Tool("Edit", {"file_path": f"{APP}/b.txt", "old_string": "x", "new_string": "y"}, "ok")
    Draft(UUID, APP).prompt("x").answer(calls=[part]).answer(calls=[gap]).write(home(tmp_path / "home"))
    plan = backscroll.recover_files(tmp_path / "out", None, tmp_path / "home")

    assert {"a.txt.partial": b"two"} == below(tmp_path / "out")
    assert {"only in part: lines 1–1, 3–9 are missing", "its content is not known"} == {file.why for file in plan.files}


def test_a_repository_is_not_written_unasked(tmp_path: Path) -> None:
    """What git would run needs a flag of its own."""
    session((f"{APP}/.git/hooks/pre-commit", "evil"), (f"{APP}/a", "a")).write(home(tmp_path / "home"))
    backscroll.recover_files(tmp_path / "out", None, tmp_path / "home")
    backscroll.recover_files(tmp_path / "risky", None, tmp_path / "home", risky=True)

    assert {"a": b"a"} == below(tmp_path / "out")
    assert {"a", ".git/hooks/pre-commit"} == below(tmp_path / "risky").keys()
    assert all(path.stat().st_mode & 0o111 == 0 for path in (tmp_path / "risky").rglob("*") if path.is_file())


def test_directories_of_claude_are_refused(tmp_path: Path) -> None:
    """Nothing is ever written where Claude keeps things."""
    session((f"{APP}/a", "a")).write(home(tmp_path))
    before = fingerprint(tmp_path)

    with pytest.raises(RefusedError):
        backscroll.recover_files(tmp_path / ".claude" / "recovered", None, tmp_path)
    assert before == fingerprint(tmp_path)


def test_nothing_to_write_is_said(tmp_path: Path) -> None:
    """A project of which nothing is recorded is not found."""
    with pytest.raises(NotFoundError):
        backscroll.recover_files(tmp_path / "out", None, home(tmp_path / "home"), project="nowhere")


class TestInPlace:
    """Files back where they were: in this user's own home."""

    def test_a_plan_changes_nothing(self, home: Path) -> None:
        """Without `apply` it is said what would be done, and nothing is."""
        path = self.lost(home, "notes.txt")
        plan = backscroll.recover_files(None, path)

        assert [("planned", path)] == [(file.status, file.target) for file in plan.files]
        assert not plan.applied
        assert not Path(path).exists()

    def test_it_is_done_when_asked(self, home: Path) -> None:
        """With `apply` the file is there again; a second time there is nothing to do."""
        path = self.lost(home, "notes.txt")

        assert ["written"] == [file.status for file in backscroll.recover_files(None, path, apply=True).files]
        assert b"text\n" == Path(path).read_bytes()
        assert ["same"] == [file.status for file in backscroll.recover_files(None, path, apply=True).files]

    def test_what_is_there_is_kept(self, home: Path) -> None:
        """A file that is replaced stays beside the new one."""
        path = self.lost(home, "notes.txt")
        Path(path).parent.mkdir(parents=True)
        Path(path).write_bytes(b"newer work\n")
        backscroll.recover_files(None, path, apply=True)
        kept = next(Path(path).parent.glob("notes.txt.before-*"))

        assert (b"text\n", b"newer work\n") == (Path(path).read_bytes(), kept.read_bytes())

    @pytest.mark.parametrize(
        "name", [".git/config", ".ssh/authorized_keys", ".bashrc", ".claude/settings.json", ".vscode/tasks.json"]
    )
    def test_what_runs_programs_needs_a_flag(self, name: str, home: Path) -> None:
        """Files that can run programs or open doors are named in the plan, and left alone."""
        path = self.lost(home, name)

        assert ["skipped"] == [file.status for file in backscroll.recover_files(None, path, apply=True).files]
        assert not Path(path).exists()
        assert ["written"] == [
            file.status for file in backscroll.recover_files(None, path, apply=True, risky=True).files
        ]

    def test_claude_and_the_rest_of_the_disk_are_left_alone(self, home: Path, tmp_path: Path) -> None:
        """Claude's own directory is never written, whatever the flag; other places only with it."""
        inside, outside = self.lost(home, "../.claude/plans/x.md"), str(tmp_path / "x.txt")
        session((outside, "x"), name="22222222-2222-4222-8222-222222222222").write(home)

        for path in (str(home / ".claude/plans/x.md"), outside):
            assert ["skipped"] == [file.status for file in backscroll.recover_files(None, path, apply=True).files]
        assert ["skipped"] == [
            file.status
            for file in backscroll.recover_files(None, str(home / ".claude/plans/x.md"), apply=True, risky=True).files
        ]
        assert not Path(inside).exists()
        assert not Path(outside).exists()

    def test_a_link_on_the_way_is_not_followed(self, home: Path, tmp_path: Path) -> None:
        """A directory that is a link now is not the directory that the file was in."""
        path = self.lost(home, "notes.txt")
        Path(path).parent.symlink_to(tmp_path)

        assert ["failed"] == [file.status for file in backscroll.recover_files(None, path, apply=True).files]
        assert [] == list(tmp_path.iterdir())

    def test_files_of_another_root_are_not_put_in_place(self, tmp_path: Path) -> None:
        """The paths of another machine mean nothing here."""
        session((f"{APP}/a", "a")).write(home(tmp_path))

        with pytest.raises(RefusedError):
            backscroll.recover_files(None, f"{APP}/a", tmp_path, apply=True)

    def lost(self, home: Path, name: str) -> str:
        """Have a session write a file of this home that is not there any more, and return its path."""
        path = str(home / "app" / name)
        session((path, "text\n"), cwd=str(home / "app")).write(home)
        return path

    def test_a_path_that_no_system_has_is_skipped(self, home: Path) -> None:
        """A path with a NUL is skipped with its reason, and the file beside it is written."""
        here = str(home / "app")
        session((f"{here}/odd\0name", "x"), (f"{here}/notes.txt", "text\n"), cwd=here).write(home)
        plan = backscroll.recover_files(None, project=here, apply=True)

        assert [("skipped", "its path is not valid on this system"), ("written", None)] == sorted(
            (file.status, file.why) for file in plan.files
        )
