"""Commands, options, exit codes and messages, on a made-up home directory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from backscroll.cli.main import COMMANDS, SECTIONS, cli, run
from backscroll.cli.settings import Settings
from backscroll.demo import write_demo_home

READING = ["overview", "stores", "list", "index"]


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """Return a made-up home directory."""
    return write_demo_home(tmp_path / "demo")


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Return a home directory with one session that cannot be read whole."""
    project = tmp_path / "home" / ".claude" / "projects" / "-p"
    project.mkdir(parents=True)
    record: dict[str, object] = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "s1",
        "cwd": "/p",
        "timestamp": "2026-05-01T10:00:00.000Z",
    }
    record |= {"message": {"role": "user", "content": "\x1b]0;PWNED\x07 hello"}}
    (project / "11111111-0000-4000-8000-000000000001.jsonl").write_text(f"{json.dumps(record)}\n{{torn\n{{}}x\n")
    return tmp_path / "home"


def answer(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str | Path) -> tuple[int, str, str]:
    """Run a command; return its exit code and what it said on both streams."""
    code = run([str(argument) for argument in arguments])
    out, err = capfdbinary.readouterr()
    return code, out.decode(), err.decode()


Capture = pytest.CaptureFixture[bytes]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capfdbinary: Capture) -> None:
    """Help says in a sentence what a command does, the one that the list of commands says, and gives examples."""
    code, out, _ = answer(capfdbinary, name, "--help")

    assert 0 == code
    assert COMMANDS[name][1] in " ".join(out.split())
    assert "Examples:" in out
    assert f"backscroll {name}" in out or name == "overview"


def test_help_lists_every_command(capfdbinary: Capture) -> None:
    """The first help names every command and loads none of them."""
    code, out, _ = answer(capfdbinary, "--help")

    assert 0 == code
    assert all(f"\n  {name} " in out for name in COMMANDS)


def test_every_command_is_in_one_section() -> None:
    """The first help shows each command once."""
    assert sorted(COMMANDS) == sorted(name for names in SECTIONS.values() for name in names)


def test_the_version(capfdbinary: Capture) -> None:
    """--version is answered beside other options too."""
    assert answer(capfdbinary, "--no-color", "--version")[1].startswith("backscroll ")


@pytest.mark.parametrize("name", READING)
def test_json_is_accepted_before_and_after_the_command(name: str, demo: Path, capfdbinary: Capture) -> None:
    """`--json` and `--root` may stand on either side of the command, and mean the same."""
    before = answer(capfdbinary, "--root", demo, "--json", name)
    after = answer(capfdbinary, name, "--root", demo, "--json")

    assert (0, 0) == (before[0], after[0])
    assert set(json.loads(before[1])) == set(json.loads(after[1]))


def test_without_a_command_there_is_an_overview(demo: Path, capfdbinary: Capture) -> None:
    """`backscroll` alone is the overview, as text and as JSON."""
    assert "Latest" in answer(capfdbinary, "--root", demo)[1]
    assert ["stores", "sessions", "latest", "expiring"] == list(
        json.loads(answer(capfdbinary, "--root", demo, "--json")[1])
    )


def test_list_is_limited_and_filtered(demo: Path, capfdbinary: Capture) -> None:
    """--limit, --all, --project, --since, --agents and --jsonl reach the verb."""
    everything = json.loads(answer(capfdbinary, "--root", demo, "list", "--all", "--json")[1])
    three = json.loads(answer(capfdbinary, "--root", demo, "list", "--limit", "3", "--json")[1])
    ledger = json.loads(answer(capfdbinary, "--root", demo, "list", "--project", "ledger", "--json")[1])
    agents = json.loads(answer(capfdbinary, "--root", demo, "list", "--agents", "--json")[1])
    lines = answer(capfdbinary, "--root", demo, "list", "--jsonl", "--limit", "2")[1].splitlines()

    assert len(everything["sessions"]) == everything["total"] == three["total"]
    assert 3 == len(three["sessions"])
    assert 0 < ledger["total"] < everything["total"]
    assert any(agents["agents"].values())
    assert [one["id"] for one in everything["sessions"][:2]] == [json.loads(line)["id"] for line in lines]


def test_show_in_every_form(demo: Path, capfdbinary: Capture) -> None:
    """A session is shown as text, Markdown, HTML, JSON, JSON lines and as it is stored."""
    text = answer(capfdbinary, "--root", demo, "show", "latest")[1]
    markdown = answer(capfdbinary, "--root", demo, "show", "latest", "--format", "md")[1]
    html = answer(capfdbinary, "--root", demo, "show", "latest", "--format", "html")[1]
    document = json.loads(answer(capfdbinary, "--root", demo, "show", "latest", "--format", "json")[1])
    lines = answer(capfdbinary, "--root", demo, "show", "latest", "--jsonl")[1].splitlines()
    raw = answer(capfdbinary, "--root", demo, "show", "latest", "--raw")[1]

    assert "Claude" in text
    assert markdown.startswith("# ")
    assert html.startswith("<!doctype html>")
    assert ["session", "branches", "messages", "damage", "notes"] == list(document)
    assert [one["id"] for one in document["messages"]] == [json.loads(line)["id"] for line in lines]
    assert raw == Path(document["session"]["transcripts"][0]).read_text()


def test_tree_and_calls(demo: Path, capfdbinary: Capture) -> None:
    """The shape of a session and its calls are answered as text and as JSON."""
    tree = json.loads(answer(capfdbinary, "--root", demo, "tree", "latest", "--json")[1])
    calls = json.loads(answer(capfdbinary, "--root", demo, "calls", "--json")[1])
    bash = json.loads(answer(capfdbinary, "--root", demo, "calls", "--tool", "Bash", "--json")[1])
    lines = answer(capfdbinary, "--root", demo, "calls", "--jsonl", "--errors")[1].splitlines()

    assert {"session", "nodes"} == set(tree)
    assert len(calls["calls"]) == calls["total"] > bash["total"] > 0
    assert {"Bash"} == {call["name"] for call in bash["calls"]}
    assert all(json.loads(line)["result"]["error"] for line in lines)
    assert "branch main" in answer(capfdbinary, "--root", demo, "tree", "latest")[1]
    assert "Bash" in answer(capfdbinary, "--root", demo, "calls", "--full")[1]
    assert "No calls found.\n" == answer(capfdbinary, "--root", demo, "calls", "--tool", "Nothing")[1]


@pytest.mark.parametrize("name", ["show", "tree", "calls"])
def test_an_unknown_id_exits_with_1(name: str, demo: Path, capfdbinary: Capture) -> None:
    """Nothing found is exit 1, with a sentence that says what to do, and nothing on standard output."""
    code, out, err = answer(capfdbinary, "--root", demo, name, "ffffffff")

    assert (1, "") == (code, out)
    assert err.startswith("backscroll: ")
    assert f"backscroll --root {demo} list" in err


def test_an_ambiguous_id_exits_with_2(tmp_path: Path, capfdbinary: Capture) -> None:
    """A beginning that two sessions share is wrong use, and both are named."""
    project = tmp_path / ".claude" / "projects" / "-p"
    project.mkdir(parents=True)
    for number in (1, 2):
        (project / f"11111111-0000-4000-8000-00000000000{number}.jsonl").write_text(
            '{"type":"summary","summary":"x"}\n'
        )
    code, _, err = answer(capfdbinary, "--root", tmp_path, "show", "1111")

    assert 2 == code
    assert "11111111-0000-4000-8000-000000000001" in err
    assert "11111111-0000-4000-8000-000000000002" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["lst"],
        ["list", "--limit", "x"],
        ["list", "--since", "whenever"],
        ["show"],
        ["list", "--nonsense"],
        ["--nonsense"],
    ],
)
def test_wrong_use_exits_with_2(arguments: list[str], demo: Path, capfdbinary: Capture) -> None:
    """A request that makes no sense is exit 2 and a sentence, never a traceback."""
    code, out, err = answer(capfdbinary, "--root", demo, *arguments)

    assert (2, "") == (code, out)
    assert err.startswith("backscroll: ")
    assert "Traceback" not in err


def test_a_near_miss_is_guessed(capfdbinary: Capture) -> None:
    """A mistyped command is told the one that was meant."""
    assert "Did you mean 'list'?" in answer(capfdbinary, "lst")[2]


def test_a_root_that_is_not_there_exits_with_1(tmp_path: Path, capfdbinary: Capture) -> None:
    """A --root without a directory is nothing found."""
    assert 1 == answer(capfdbinary, "--root", tmp_path / "none", "list")[0]


def test_damage_is_said_and_strict_exits_with_3(damaged: Path, capfdbinary: Capture) -> None:
    """Damage is in the answer and exit is 0; with --strict it is 3; a remark goes to standard error only."""
    code, out, err = answer(capfdbinary, "--root", damaged, "show", "latest")
    strict, _, _ = answer(capfdbinary, "--root", damaged, "show", "latest", "--strict")
    document = json.loads(answer(capfdbinary, "--root", damaged, "show", "latest", "--json")[1])

    assert (0, 3) == (code, strict)
    assert "damaged place" in err
    assert "damaged place" in out
    assert document["damage"]


@pytest.mark.parametrize(
    "command", [["list"], ["show", "latest"], ["show", "latest", "--json"], ["tree", "latest"], []]
)
def test_hostile_text_does_not_reach_the_streams(command: list[str], damaged: Path, capfdbinary: Capture) -> None:
    """No escape of a transcript is in what we print."""
    _, out, err = answer(capfdbinary, "--root", damaged, *command)

    assert "\x1b" not in out + err
    assert "\x07" not in out + err


def test_hostile_arguments_are_scrubbed(demo: Path, capfdbinary: Capture) -> None:
    """A message that repeats an argument cannot command the terminal."""
    for arguments in (["show", "\x1b]0;x\x07"], ["\x1b[2J"], ["list", "--since", "\x1b[2J"]):
        assert "\x1b" not in answer(capfdbinary, "--root", demo, *arguments)[2]


def test_demo_writes_a_home_and_refuses_another(tmp_path: Path, capfdbinary: Capture) -> None:
    """The demo is written into a new directory; one that holds something else is refused with 4."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("x")

    assert "backscroll --root" in answer(capfdbinary, "demo", tmp_path / "new")[1]
    assert 4 == answer(capfdbinary, "demo", tmp_path / "mine")[0]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, capfdbinary: Capture) -> None:
    """Each shell gets a script that asks backscroll."""
    code, out, _ = answer(capfdbinary, "completion", shell)

    assert 0 == code
    assert "_BACKSCROLL_COMPLETE" in out


def test_completion_without_a_shell(monkeypatch: pytest.MonkeyPatch, capfdbinary: Capture) -> None:
    """Without a name it is $SHELL's; an unknown shell is wrong use."""
    monkeypatch.setenv("SHELL", "/bin/zsh")
    assert "#compdef" in answer(capfdbinary, "completion")[1]
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert 2 == answer(capfdbinary, "completion")[0]


def test_session_ids_are_completed(demo: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Capture) -> None:
    """The shell is offered the ids that the index knows, and `latest`."""
    found = json.loads(answer(capfdbinary, "--root", demo, "list", "--json")[1])["sessions"]
    monkeypatch.setenv("_BACKSCROLL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", f"backscroll --root {demo} show ")
    monkeypatch.setenv("COMP_CWORD", "4")
    _, out, _ = answer(capfdbinary)

    assert all(one["id"] in out for one in found)
    assert "latest" in out


def test_an_internal_error_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capfdbinary: Capture) -> None:
    """A fault of ours exits with 70 and asks for a report; BACKSCROLL_DEBUG shows where it was."""
    monkeypatch.setattr(cli, "make_context", lambda *_, **__: 1 / 0)
    code, _, err = answer(capfdbinary, "list")
    monkeypatch.setenv("BACKSCROLL_DEBUG", "1")
    debug = answer(capfdbinary, "list")[2]

    assert 70 == code
    assert err.startswith("backscroll: internal error: ZeroDivisionError")
    assert "Traceback" not in err
    assert "Traceback" in debug


def test_an_interrupt_exits_with_130(monkeypatch: pytest.MonkeyPatch, capfdbinary: Capture) -> None:
    """Ctrl-C is exit 130 and one word."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "make_context", interrupt)

    assert (130, "", "backscroll: interrupted\n") == answer(capfdbinary, "list")


@pytest.fixture
def command(demo: Path) -> list[str]:
    """Return the words that start backscroll in a process of its own, with an index that is warm."""
    assert 0 == run(["--root", str(demo), "index"])
    return [sys.executable, "-m", "backscroll", "--root", str(demo)]


def test_a_closed_pipe_is_a_clean_end(command: list[str]) -> None:
    """`| head -1` ends with exit 0 and no complaint."""
    for arguments in (["show", "latest", "--full"], ["list", "--json"], ["calls"], ["show", "latest", "--raw"]):
        with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            complaint = process.stderr.read()
            process.wait()

        assert (b"", 0) == (complaint, process.returncode)


def test_output_that_the_encoding_cannot_carry_is_escaped(command: list[str]) -> None:
    """An ASCII terminal gets escapes instead of an error; JSON is UTF-8 wherever it goes."""
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    text = subprocess.run([*command, "list", "--agents"], env=environment, capture_output=True, check=True).stdout
    document = subprocess.run([*command, "list", "--json"], env=environment, capture_output=True, check=True).stdout

    assert b"\\u2514" in text
    assert json.loads(document.decode())["total"]


def test_settings_before_and_after_meet() -> None:
    """What was not said after the command does not undo what was said before it."""
    settings = Settings()
    with cli.make_context("backscroll", ["--json", "--no-update", "list"], obj=settings):
        assert (True, False, True) == (settings.json, settings.update, settings.color)
