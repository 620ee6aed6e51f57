"""`blame`: each line of a file with the session, message and time that wrote it."""

import json
from pathlib import Path

import pytest
from command import answer, said
from make import UUID, Draft, edit, home, read

OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file that was read, edited by one session, changed outside, and edited by another."""
    file = tmp_path / "shop" / "app.py"
    path = str(file)
    base = "one\ntwo\nthree\n"
    outside, last = "zero\none\n2\nthree\n", "zero\none\n2\nthree\nfour\n"
    draft = Draft(UUID, "/srv/shop").prompt("Go").answer(calls=[read(path, base)])
    draft.answer(calls=[edit(path, base, "two", "2")]).write(home(tmp_path / "home"))
    other = Draft(OTHER, "/srv/shop", started=draft.now).prompt("On").answer(calls=[read(path, outside)])
    other.answer(calls=[edit(path, outside, "three\n", "three\nfour\n")]).write(tmp_path / "home")
    file.parent.mkdir()
    file.write_text(last)
    return file


def blamed(root: Path, *arguments: str | Path) -> list[tuple[str, str, str]]:
    """Return text, the first digit of the session and how of each line."""
    found = answer(root, "blame", *arguments)["lines"]
    return [(line["text"], (line["session"] or "-")[0], line["how"]) for line in found]


def test_each_line_has_its_session(file: Path, tmp_path: Path) -> None:
    """Edits belong to their sessions; lines that were there before, or appeared in between, come from outside."""
    found = {text: who for text, who, _ in blamed(tmp_path / "home", file)}

    assert {"zero": "-", "one": "-", "2": "1", "three": "-", "four": "2"} == found


def test_messages_and_times(file: Path, tmp_path: Path) -> None:
    """A line names the message and the time of the call that wrote it, and is exact where all is known."""
    lines = {line["text"]: line for line in answer(tmp_path / "home", "blame", file)["lines"]}
    messages = answer(tmp_path / "home", "show", OTHER)["messages"]

    assert lines["four"]["message"] in {message["id"] for message in messages}
    assert lines["2"]["time"] < lines["four"]["time"]
    assert lines["one"]["message"] is None
    assert lines["four"]["exact"] is True


def test_an_earlier_version(file: Path, tmp_path: Path) -> None:
    """`--version` shows the lines of that version, `--lines` some of them."""
    root = tmp_path / "home"

    assert ["one", "2", "three"] == [text for text, _, _ in blamed(root, file, "--version", "2")]
    assert ["2"] == [text for text, _, _ in blamed(root, file, "--version", "2", "--lines", "2")]
    assert ["one", "2"] == [text for text, _, _ in blamed(root, file, "--lines", "2-3")]
    assert 2 == said("--root", root, "blame", file, "--lines", "two")[0]
    assert 1 == said("--root", root, "blame", file, "--version", "9")[0]


def test_lines_on_the_disk(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the user's own file, lines that no version has are marked; another root says nothing of this disk."""
    file.write_text("zero\none\n2\nMINE\nthree\nfour\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    lines = json.loads(said("--json", "blame", file)[1])["lines"]

    assert [("MINE", None)] == [(line["text"], line["version"]) for line in lines if line["how"] == "disk"]
    assert "on disk" in said("blame", file)[1]
    assert "MINE" not in said("--root", tmp_path / "home", "blame", file)[1]


def test_as_people_read_it(file: Path, tmp_path: Path) -> None:
    """Each line stands behind its session, or the word outside."""
    out = said("--root", tmp_path / "home", "blame", file)[1].splitlines()

    assert out[0].startswith("outside")
    assert out[0].endswith("1 zero")
    assert out[4].startswith(OTHER)


def test_lines_that_the_file_lacks(file: Path, tmp_path: Path) -> None:
    """A range behind the end of the file is refused with the lines that there are."""
    code, out, err = said("--root", tmp_path / "home", "blame", file, "--lines", "90-99")

    assert (2, "") == (code, out)
    assert "Its lines are 1 to 5." in err
