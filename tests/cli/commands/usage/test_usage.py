"""`usage` and `tools` as commands: options, files, exit codes, the user's own prices."""

import json
import os
from pathlib import Path

import pytest
from make import UUID, Draft, bash, fingerprint, home, write
from screens import at_terminal

from backscroll.cli.main import run

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with one session, in May 2026."""
    Draft(UUID, "/home/ann/shop").prompt("A").answer("B", calls=[bash("ls", "a")]).write(home(tmp_path / "home"))
    return tmp_path / "home"


def asked(root: Path, capsys: Captured, *arguments: str) -> tuple[int, str, str]:
    """Run a command and return its exit code and what it said."""
    code = run(["--root", str(root), *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_usage_in_a_pipe(root: Path, capsys: Captured) -> None:
    """Without options usage is by day, as plain columns."""
    code, out, err = asked(root, capsys, "usage", "--timezone", "UTC")

    assert (0, "") == (code, err)
    assert ["2026-05-01", "1"] == out.splitlines()[1].split()[:2]


@pytest.mark.parametrize(
    "arguments, rows",
    [
        (("--by", "model, day"), 1),
        (("--since", "2026-05-01", "--until", "2026-05-02"), 1),
        (("--since", "2026-05-02"), 0),
        (("--project", "shop", "--model", "opus", "--store", "code"), 1),
        (("--session", "1111"), 1),
        (("--session", "latest", "--by", "agent"), 1),
    ],
)
def test_options(root: Path, capsys: Captured, arguments: tuple[str, ...], rows: int) -> None:
    """Each option narrows or groups what is counted."""
    code, out, _ = asked(root, capsys, "usage", "--json", "--timezone", "UTC", *arguments)

    assert (0, rows) == (code, len(json.loads(out)["rows"]))


@pytest.mark.parametrize(
    "arguments",
    [
        ("--by", "year"),
        ("--timezone", "Nowhere/Never"),
        ("--since", "soon"),
        ("--timeline",),
        ("--audit", "--since", "2w"),
        ("--audit", "--csv"),
        ("--session", "latest", "--timeline", "--model", "opus"),
    ],
)
def test_wrong_use(root: Path, capsys: Captured, arguments: tuple[str, ...]) -> None:
    """What makes no sense, or would be ignored, is refused with 2 and a sentence."""
    code, out, err = asked(root, capsys, "usage", *arguments)

    assert (2, "") == (code, out)
    assert err.startswith("backscroll: ")


def test_an_unknown_session(root: Path, capsys: Captured) -> None:
    """A session that there is not is not found."""
    assert 1 == asked(root, capsys, "usage", "--session", "zzz")[0]
    assert 1 == asked(root, capsys, "tools", "--session", "zzz")[0]


@pytest.mark.parametrize("command", ["usage", "tools", "usage --session latest --timeline"])
def test_csv(root: Path, capsys: Captured, command: str) -> None:
    """--csv prints a head and rows."""
    code, out, _ = asked(root, capsys, *command.split(), "--csv")

    assert 0 == code
    assert 2 == len(out.splitlines())


@pytest.mark.parametrize("command", ["usage", "usage --by project", "usage --session latest --timeline"])
def test_svg_is_written_once(root: Path, capsys: Captured, tmp_path: Path, command: str) -> None:
    """--svg writes a new file that stands alone, says nothing, and never overwrites one."""
    path = tmp_path / "chart.svg"
    code, out, err = asked(root, capsys, *command.split(), "--svg", str(path))
    drawn = path.read_text(encoding="utf-8")
    again = asked(root, capsys, *command.split(), "--svg", str(path))

    assert (0, "", "") == (code, out, err)
    assert drawn.startswith("<svg ")
    assert 4 == again[0]
    assert drawn == path.read_text(encoding="utf-8")


def test_svg_where_nothing_can_be_written(root: Path, capsys: Captured, tmp_path: Path) -> None:
    """A directory that is not there is a refusal, not a traceback."""
    code, _, err = asked(root, capsys, "usage", "--svg", str(tmp_path / "none" / "chart.svg"))

    assert 4 == code
    assert "cannot write here" in err


def test_the_store_is_left_alone(root: Path, capsys: Captured) -> None:
    """No form of usage or tools touches what it reads."""
    before = fingerprint(root)
    for command in ("usage", "usage --audit", "usage --session latest --timeline", "tools", "usage --by block --json"):
        assert 0 == asked(root, capsys, *command.split())[0]

    assert before == fingerprint(root)


def cost(root: Path, capsys: Captured, *command: str) -> float | None:
    """Return the cost that a command says."""
    code, out, err = asked(root, capsys, *command, "--json")
    assert (0, "") == (code, err)
    document = json.loads(out)
    session = document["sessions"][0] if "sessions" in document else document.get("session")
    found: float | None = session["usage"]["cost"] if session else document["total"]["cost"]
    return found


def write_prices(text: str) -> None:
    """Write the user's own prices."""
    directory = Path(os.environ["BACKSCROLL_HOME"])
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "prices.toml").write_text(text, encoding="utf-8")


def test_own_prices_are_those_of_every_command(root: Path, capsys: Captured) -> None:
    """prices.toml in BACKSCROLL_HOME wins in usage, list, show and tree alike."""
    commands = (("usage",), ("list",), ("show", "latest"), ("tree", "latest"))
    ours = {cost(root, capsys, *command) for command in commands}
    write_prices('[models."claude-opus-5-5"]\ninput = 0\noutput = 1000000\ncache_write = 0\ncache_read = 0\n')
    theirs = {cost(root, capsys, *command) for command in commands}

    assert 1 == len(ours) == len(theirs)
    assert ours != theirs
    assert cost(root, capsys, "usage") == json.loads(asked(root, capsys, "usage", "--json")[1])["total"]["output"]


@pytest.mark.parametrize("text", ["models = 3", "[models.a]\ninput = 'x'", "no toml", "[modles]\n"])
def test_broken_prices_are_refused(root: Path, capsys: Captured, text: str) -> None:
    """A file of prices that cannot be understood is wrong use, and said to be."""
    write_prices(text)
    code, _, err = asked(root, capsys, "usage")

    assert 2 == code
    assert "docs/usage.md" in err


def test_tools(root: Path, capsys: Captured) -> None:
    """`tools` counts calls, with the filters of usage."""
    code, out, _ = asked(root, capsys, "tools", "--json", "--project", "shop", "--since", "2026-05-01")

    assert (0, [("Bash", 1)]) == (code, [(use["name"], use["calls"]) for use in json.loads(out)["tools"]])
    assert "No calls found.\n" == asked(root, capsys, "tools", "--until", "2026-04")[1].partition("\n")[2]


def test_audit(root: Path, capsys: Captured) -> None:
    """--audit explains the total of everything, or of one session."""
    everything = json.loads(asked(root, capsys, "usage", "--audit", "--json")[1])
    one = json.loads(asked(root, capsys, "usage", "--audit", "--session", "latest", "--json")[1])

    assert (1, []) == (everything["counted"], everything["messages"])
    assert (1, 1) == (one["counted"], len(one["messages"]))
    assert "From records to messages" in asked(root, capsys, "usage", "--audit")[1]


def test_a_limit_that_cuts_says_so(tmp_path: Path) -> None:
    """The total and the number of tools stay those of all; a line says how many rows are shown."""
    draft = Draft(UUID, "/srv/shop").prompt("A").answer("B", calls=[bash("ls", "a")])
    draft.answer("C", calls=[write("/srv/shop/a.py", "a")]).write(home(tmp_path))
    Draft(UUID[::-1], "/srv/roof").prompt("A").answer("B").write(tmp_path)
    by_project = at_terminal("--root", tmp_path, "usage", "--by", "project", "--limit", "1")
    tools = at_terminal("--root", tmp_path, "tools", "--limit", "1")

    assert "1 of 2 rows; the total counts all of them" in by_project
    assert "2 calls  of 2 tools" in tools
    assert "1 of 2 tools" in tools
    assert " rows;" not in at_terminal("--root", tmp_path, "usage", "--by", "project", "--limit", "2")
