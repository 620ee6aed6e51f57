"""Slips and half-known names: near words, titles, files by part of their name, and hints that work when pasted."""

import json
import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest
from command import said
from make import UUID, Draft, Tool, home, line, write, write_side
from screens import at_terminal

from backscroll.demo import write_demo_home

OTHER = "11112222-1111-4111-8111-111111111111"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home, in a directory with a blank, of two sessions with titles and one written file."""
    root = home(tmp_path / "old disk")
    first = Draft(UUID, "/srv/shop").prompt("decimal amounts").answer(calls=[write("/srv/shop/amounts.py", "a = 1\n")])
    first.record(type="custom-title", customTitle="Parse amounts", sessionId=UUID).write(root)
    second = Draft(OTHER, "/srv/shop").prompt("tides").answer("Yes.")
    second.record(type="custom-title", customTitle="Parse tides", sessionId=OTHER).write(root)
    return root


def test_near_words_are_suggested(root: Path) -> None:
    """A word that occurs nowhere brings the words of the index that are like it; the exit code stays 1."""
    code, out, _ = said("--root", root, "search", "decmal")
    document = json.loads(said("--root", root, "--json", "search", "decmal amounts")[1])

    assert 1 == code
    assert f"Did you mean  backscroll --root {shlex.quote(str(root))} search decimal" in out
    assert ["decimal amounts"] == document["suggestions"]


def test_nothing_is_suggested_for_what_is_like_nothing(root: Path) -> None:
    """Without a word that is like it, nothing is suggested; nor is anything where all words occur."""
    assert (1, "Nothing found.\n", "") == said("--root", root, "search", "zzzzzz")
    assert (1, "Nothing found.\n", "") == said("--root", root, "search", "decimal tides")


@pytest.mark.parametrize("title", ["Parse amounts", "parse AMOUNTS", "amounts"])
def test_a_session_is_found_by_its_title(root: Path, title: str) -> None:
    """`show` takes a title, in any case, or a part of one that no other title holds."""
    found = json.loads(said("--root", root, "--json", "show", title)[1])

    assert UUID == found["session"]["id"]


@pytest.mark.parametrize("asked", ["Parse", "1111"])
def test_ambiguous_names_list_title_and_date(root: Path, asked: str) -> None:
    """Where several sessions are meant, each is listed with its id, its date and its title."""
    code, _, err = said("--root", root, "show", asked)

    assert 2 == code
    assert f"  {UUID}  2026-05-01  Parse amounts\n" in err
    assert f"  {OTHER}  2026-05-01  Parse tides\n" in err


@pytest.mark.parametrize("asked", ["amounts", "amonts.py", "src/amounts.py"])
def test_files_are_suggested(root: Path, asked: str) -> None:
    """A file that nothing is recorded of brings the files whose names are like it."""
    code, _, err = said("--root", root, "recover", asked)

    assert 1 == code
    assert "Did you mean:\n  /srv/shop/amounts.py\n" in err


def test_hints_work_when_pasted(root: Path) -> None:
    """A command in a remedy carries the root that was given, quoted for a shell."""
    _, _, err = said("--root", root, "show", "nothing")
    hint = err.split("`")[1]

    assert ["backscroll", "--root", str(root), "list", "--all"] == shlex.split(hint)
    assert 0 == said(*shlex.split(hint)[1:])[0]
    assert "`backscroll list --all`" in said("show", "nothing")[2]


def test_damage_names_the_session_and_the_command(root: Path) -> None:
    """The line about damage ends with the command that shows it."""
    path = next(root.glob(f".claude/projects/*/{UUID}.jsonl"))
    path.write_bytes(path.read_bytes() + b"{torn\n")
    _, _, err = said("--root", root, "list")
    hint = err.partition("Read more: ")[2]

    assert err.startswith("backscroll: 1 damaged place\n")
    assert ["backscroll", "--root", str(root), "show", UUID] == shlex.split(hint)
    assert "1 damaged place" in said(*shlex.split(hint)[1:])[1]


def test_stores_lists_every_place(root: Path) -> None:
    """`stores` names the places that it looked at, found or not."""
    looked = json.loads(said("--root", root, "--json", "stores")[1])["looked"]
    by_path = {place["path"]: place["found"] for place in looked}

    assert by_path[f"{root}/.claude"] is True
    assert by_path[f"{root}/.config/Claude*"] is False
    assert {"Claude Code", "Claude Desktop"} == {place["product"] for place in looked}


def test_thinking_is_marked(tmp_path: Path) -> None:
    """Without colours thinking stands below the word `thinking`."""
    draft = Draft(UUID, "/srv/shop").prompt("Why?").answer("So.", thinking="Because of tides.")
    draft.write(home(tmp_path))
    lines = said("--root", tmp_path, "show", UUID)[1].splitlines()
    place = lines.index("  Because of tides.")

    assert "  thinking:" == lines[place - 1]


def test_line_ends_of_windows_are_not_shown(tmp_path: Path) -> None:
    r"""Lines of a result that end in CR CR LF show no `\r`."""
    tool = Tool("Bash", {"command": "dir"}, "one\r\r\ntwo\r\n", {})
    Draft(UUID, "/srv/shop").prompt("List").answer(calls=[tool]).write(home(tmp_path))
    out = said("--root", tmp_path, "show", UUID)[1]

    assert "│ one\n" in out
    assert "\\r" not in out


def test_a_prompt_of_a_lost_session_names_no_command(root: Path) -> None:
    """Only the history knows the session of such a hit: `show` would not find it, so the file is named instead."""
    lost = "99999999-1111-4111-8111-111111111111"
    prompt = {"display": "mend the roof", "timestamp": 1_777_000_000_000, "project": "/srv/shop", "sessionId": lost}
    path = write_side(root, "history.jsonl", line(prompt))
    (hit,) = json.loads(said("--root", root, "--json", "search", "roof")[1])["hits"]
    out = at_terminal("--root", root, "search", "roof")

    assert (lost, False) == (hit["session"], hit["is_listed"])
    assert "show 99999999" not in out
    assert path.name in out


@pytest.mark.parametrize(
    "command, told",
    [
        (("list", "--project", "shpo"), "--project shpo: no session has a project of this name\n  Did you mean: shop?"),
        (("list", "--model", "gpt"), "--model gpt: no session used a model of this name\n  Known: opus-5-5."),
        (("list", "--branch", "x"), "--branch x: no session was on a git branch of this name\n  Known: main."),
        (("calls", "--tool", "Wrte"), "--tool Wrte: no tool of this name was called\n  Did you mean: Write?"),
        (("search", "tides", "--tool", "Wrte"), "--tool Wrte: no tool of this name"),
        (("usage", "--model", "gpt"), "--model gpt: no session used"),
        (("tools", "--project", "shpo"), "--project shpo: no session has"),
        (("files", "--project", "shpo"), "--project shpo: no session has"),
    ],
    ids=str,
)
def test_a_value_that_occurs_nowhere_is_named(root: Path, command: tuple[str, ...], told: str) -> None:
    """An empty answer says which option has a value that no session has; a script gets no such message."""
    assert f"backscroll: {told}" in said("--root", root, *command)[2]
    assert "" == said("--root", root, "--json", *command)[2]


def test_values_that_only_exclude_each_other_are_not_named(root: Path) -> None:
    """If every value occurs, the empty answer needs no message."""
    assert "" == said("--root", root, "list", "--project", "shop", "nobody")[2]


@pytest.mark.parametrize("query, told", [("tool:Wriet a", "Did you mean: Write?"), ("project:nix a", "Known: shop.")])
def test_a_slip_in_a_field_of_a_query(root: Path, query: str, told: str) -> None:
    """A field of a query whose value occurs nowhere is named, as the option is."""
    code, out, err = said("--root", root, "search", query)

    assert (1, "Nothing found.\n") == (code, out)
    assert err.startswith(f"backscroll: {query.removesuffix(' a')}: no ")
    assert told in err


def test_an_empty_query(root: Path) -> None:
    """A search for nothing is a wrong use, but a filter alone is a search."""
    assert 2 == said("--root", root, "search", " ")[0]
    assert 0 == said("--root", root, "search", "", "--tool", "Write")[0]


def test_the_id_of_an_agent_leads_to_its_session(tmp_path: Path) -> None:
    """`list --agents` shows ids of agents; a command that needs a session names the one that has the agent."""
    write_demo_home(tmp_path / "demo", datetime.now(UTC))
    listed = json.loads(said("--root", tmp_path / "demo", "--json", "list", "--agents", "--all")[1])["agents"]
    session, agent = next((name, agents[0]["id"]) for name, agents in listed.items() if agents)

    for command in (["show"], ["resume", "--print"], ["transfer", "resume"]):
        code, _, err = said("--root", tmp_path / "demo", *command, agent[:8])

        assert 1 == code
        assert f"show {session}`" in err


def test_here_and_a_project_exclude_each_other(root: Path) -> None:
    """Of two projects none is ignored silently."""
    assert 2 == said("--root", root, "list", "--here", "--project", "shop")[0]


def test_a_home_without_files(tmp_path: Path) -> None:
    """An empty list of a home that has no store leads to the places where it looked."""
    assert "stores` shows where it looked" in said("--root", tmp_path, "list")[1]


def test_places_for_new_files(root: Path, tmp_path: Path) -> None:
    """A new file needs a directory that is there, and a name that is none."""
    recover = ("--root", root, "recover", "amounts.py", "-o")

    assert "cannot write here: no such directory" in said(*recover, tmp_path / "none" / "a.py")[2]
    assert "this is a directory" in said(*recover, tmp_path)[2]
