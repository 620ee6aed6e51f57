"""`list` as a command: words, this project, orders, CSV."""

import csv
import io
import json
from pathlib import Path

import pytest
from command import answer, said
from make import Draft, bash, home

NAMES = {number: f"{number * 8}-1111-4111-8111-111111111111" for number in "12345"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with sessions of a repository, one of its worktrees, a folder in it, and two other projects."""
    root = home(tmp_path / "home")
    shop = tmp_path / "code" / "shop"
    places = {
        "1": (shop, "Parse amounts", 1),
        "2": (shop / ".claude/worktrees/fast", "Make it fast", 2),
        "3": (shop / "web", "Parse pages", 3),
        "4": (tmp_path / "code" / "shopping", "Lists", 4),
        "5": (tmp_path / "docs", "Handbook", 5),
    }
    for number, (place, title, turns) in places.items():
        place.mkdir(parents=True, exist_ok=True)
        draft = Draft(NAMES[number], str(place), branch=f"topic-{number}")
        for _ in range(turns):
            draft.prompt("Go").answer("Yes.", calls=[bash("ls", "a")])
        draft.record(type="custom-title", customTitle=title, sessionId=NAMES[number]).write(root)
    return root


def listed(root: Path, *arguments: str) -> str:
    """Return the first digits of the ids that `list` shows, in its order."""
    return "".join(one["id"][0] for one in answer(root, "list", *arguments)["sessions"])


@pytest.mark.parametrize(
    "arguments, numbers",
    [
        (("parse",), "13"),
        (("PARSE", "amo"), "1"),
        (("parse", "handbook"), ""),
        (("--branch", "topic-2"), "2"),
        (("--model", "opus"), "12345"),
        (("--model", "haiku"), ""),
    ],
)
def test_filters(root: Path, arguments: tuple[str, ...], numbers: str) -> None:
    """Words are looked for in titles, branches and models by parts of their names."""
    assert numbers == "".join(sorted(listed(root, *arguments)))


@pytest.mark.parametrize(
    "where, arguments, numbers",
    [
        ("code/shop", ("--here",), "123"),
        ("code/shop", ("--project", "."), "123"),
        ("code/shop/web", ("--here",), "3"),
        ("code/shop/.claude/worktrees/fast", ("--here",), "123"),
        ("code", ("--project", "./shop"), "123"),
        ("code", ("--project", "shop"), "1234"),
        ("docs", ("--project", ".."), "12345"),
        ("code/shopping", ("--here",), "4"),
    ],
)
def test_this_project(
    root: Path, monkeypatch: pytest.MonkeyPatch, where: str, arguments: tuple[str, ...], numbers: str
) -> None:
    """`--here` and a path mean that project with its worktrees and folders; a text means any path that holds it."""
    monkeypatch.chdir(root.parent / where)

    assert numbers == "".join(sorted(listed(root, *arguments)))


@pytest.mark.parametrize("where", ["code/shop", "docs"])
def test_worktrees_of_git_are_this_project(root: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """A worktree that git made elsewhere belongs to its repository, and the repository to it."""
    shop, docs = root.parent / "code/shop", root.parent / "docs"
    kept = shop / ".git/worktrees/docs"
    kept.mkdir(parents=True)
    (kept / "gitdir").write_text(f"{docs}/.git\n")
    (docs / ".git").write_text(f"gitdir: {kept}\n")
    monkeypatch.chdir(root.parent / where)

    assert "1235" == "".join(sorted(listed(root, "--here")))
    assert "4" == listed(root, "--project", str(root.parent / "code/shopping"))


@pytest.mark.parametrize("content", ["", "gitdir:", "gitdir: /", "gitdir: ../..", "gitdir: \x00"])
def test_a_file_of_git_that_names_nothing(root: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    """A broken file of git changes nothing."""
    (root.parent / "docs/.git").write_text(content)
    monkeypatch.chdir(root.parent / "docs")

    assert "5" == listed(root, "--here")


def test_a_folder_without_sessions_of_its_own(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a folder of a project `--here` means that project."""
    place = root.parent / "code/shop/src/deep"
    place.mkdir(parents=True)
    monkeypatch.chdir(place)

    assert "123" == "".join(sorted(listed(root, "--here")))


@pytest.mark.parametrize("command", [("search", "Go"), ("usage",), ("tools",), ("files",)], ids=" ".join)
def test_here_everywhere(root: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]) -> None:
    """Every command with --project takes --here and narrows to this project."""
    monkeypatch.chdir(root.parent / "docs")
    everything = said("--root", root, *command, "--json")[1]
    here = said("--root", root, *command, "--json", "--here")[1]

    assert here == said("--root", root, *command, "--json", "--project", str(root.parent / "docs"))[1]
    assert command == ("files",) or here != everything


def test_home_as_a_project(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` means everything below the home directory."""
    monkeypatch.setenv("HOME", str(root.parent / "code"))

    assert "1234" == "".join(sorted(listed(root, "--project", "~")))


def test_orders(root: Path) -> None:
    """`--sort` puts the greatest first, and texts from A to Z; the limit counts in that order."""
    assert "54321" == listed(root, "--sort", "messages")
    assert "54" == listed(root, "--sort", "cost", "--limit", "2")
    assert "54213" == listed(root, "--sort", "title")
    assert 2 == said("--root", root, "list", "--sort", "colour")[0]


def test_csv(root: Path) -> None:
    """`--csv` has one row for each session, with its cost and the command that resumes it."""
    code, out, _ = said("--root", root, "list", "--csv", "--sort", "messages")
    rows = list(csv.DictReader(io.StringIO(out)))

    assert 0 == code
    assert [NAMES[number] for number in "54321"] == [row["id"] for row in rows]
    assert ("Handbook", "10", "live") == (rows[0]["title"], rows[0]["messages"], rows[0]["state"])
    assert float(rows[0]["cost"]) > 0
    assert rows[0]["resume"].endswith(f"claude --resume {NAMES['5']}")


def test_limits(root: Path) -> None:
    """`calls`, `tools` and `usage` take --limit; totals stay those of everything."""
    calls = json.loads(said("--root", root, "--json", "calls", "--limit", "4")[1])
    usage = json.loads(said("--root", root, "--json", "usage", "--by", "session", "--limit", "2")[1])
    tools = json.loads(said("--root", root, "--json", "tools", "--limit", "1")[1])

    assert (4, 15) == (len(calls["calls"]), calls["total"])
    assert (2, 15) == (len(usage["rows"]), usage["total"]["messages"])
    assert 1 == len(tools["tools"])


def test_a_chart_on_standard_output(root: Path) -> None:
    """`--svg -` writes the chart to standard output."""
    code, out, _ = said("--root", root, "usage", "--svg", "-")

    assert 0 == code
    assert out.startswith("<svg ")


def test_fields_of_a_page(root: Path) -> None:
    """`--fields` leaves only these keys, `--offset` the sessions after the first ones; an unknown key is wrong use."""
    every = [one["id"] for one in answer(root, "list")["sessions"]]
    page = answer(root, "list", "--offset", "1", "--limit", "2", "--fields", "id, updated")

    assert 5 == page["total"]
    assert [{"id", "updated"}] * 2 == [set(one) for one in page["sessions"]]
    assert every[1:3] == [one["id"] for one in page["sessions"]]
    assert 2 == said("--root", root, "--json", "list", "--fields", "id,nothing")[0]


def test_fields_inside_of_fields(root: Path) -> None:
    """`--fields usage.cost` leaves a part of the usage; or all of it; an unknown part is wrong use."""
    every = answer(root, "list")["sessions"]
    some = answer(root, "list", "--fields", "usage.cost,rows.worktree,marks.pinned,usage.messages")["sessions"]
    whole = answer(root, "list", "--fields", "usage.cost,usage")["sessions"]

    assert [{key: one["usage"][key] for key in ("cost", "messages")} for one in every] == [one["usage"] for one in some]
    assert [[{"worktree": row["worktree"]} for row in one["rows"]] for one in every] == [one["rows"] for one in some]
    assert {None} == {one["marks"] for one in every} == {one["marks"] for one in some}
    assert [{"usage": one["usage"]} for one in every] == whole
    assert 2 == said("--root", root, "--json", "list", "--fields", "usage.nothing")[0]
