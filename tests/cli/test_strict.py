"""--strict: every command that reads exits with 3 if its answer met damage, by one rule."""

import json
from pathlib import Path

import pytest
from make import UUID, Draft, desktop_file, home, line, user, write, write_desktop, write_side, write_transcript

from backscroll.cli.main import COMMANDS, run

Capture = pytest.CaptureFixture[bytes]

OTHER = "22222222-2222-4222-8222-222222222222"
READING = [
    ["overview"],
    ["stores"],
    ["list"],
    ["list", "--limit", "0"],
    ["show", UUID],
    ["show", UUID, "--offset", "0"],
    ["show", UUID, "--offset", "0", "--json"],
    ["show", UUID, "--raw"],
    ["show", UUID, "--logs"],
    ["outline", UUID],
    ["tree", UUID],
    ["search", "Hello"],
    ["search", "nothing-says-this"],
    ["calls"],
    ["calls", UUID, "--jsonl"],
    ["files"],
    ["files", "--patch", UUID],
    ["recover", "/p/a.py"],
    ["recover", "/p/a.py", "--print"],
    ["recover", "--grep", "nothing-says-this"],
    ["blame", "/p/a.py"],
    ["resume", UUID, "--print"],
    ["usage"],
    ["usage", "--audit"],
    ["usage", "--session", UUID, "--timeline"],
    ["tools"],
    ["worktrees"],
    ["flags"],
    ["storage"],
    ["storage", "--marks"],
    ["accounts"],
    ["cowork"],
    ["doctor", "--kind", "damaged"],
    ["drift"],
    ["drift", "--schema"],
    ["redact", UUID],
    ["index"],
]
NOT_READING = {"archive", "demo", "completion", "export", "help", "share", "statusline", "transfer", "watch", "web"}
"""Most of them write; `web` and `watch` end with Ctrl-C only; `statusline` never waits for an update."""


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home with damage in a transcript, in browser storage and in small files, and with a sound session."""
    root = write_desktop(home(tmp_path_factory.mktemp("damaged")))
    path = Draft(UUID, "/p").prompt("Hello").answer("Hi.", calls=[write("/p/a.py", "print()\n")]).write(root)
    path.write_bytes(path.read_bytes() + b'{"type": "assistant", torn\n')
    write_transcript(root, "-p", OTHER, [line(user("u1"))])
    write_side(root, ".claude.json", b"{torn")
    (root / ".config/Claude/git-worktrees.json").write_bytes(b"{torn")
    log = next((root / ".config/Claude/Local Storage/leveldb").glob("*.log"))
    log.write_bytes(log.read_bytes()[:-3])
    return root


def test_every_command_is_tried() -> None:
    """No command that reads is missing from this test."""
    assert COMMANDS.keys() - NOT_READING == {command[0] for command in READING}


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_strict_exits_with_3(command: list[str], damaged: Path, capfdbinary: Capture) -> None:
    """A command whose answer met damage exits with 3, but only with --strict."""
    plain = run(["--root", str(damaged), *command])
    capfdbinary.readouterr()
    strict = run(["--root", str(damaged), *command, "--strict"])
    error = capfdbinary.readouterr().err

    assert 3 == strict
    assert plain == (1 if "nothing-says-this" in command else 0)
    assert b"damaged place" in error or {"--json", "--jsonl"} & set(command)


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_strict_without_damage(command: list[str], tmp_path: Path) -> None:
    """Where nothing is damaged, --strict changes nothing."""
    root = write_desktop(home(tmp_path))
    desktop_file(root, "git-worktrees.json", {"schemaVersion": 2, "worktrees": {}}, ".config/Claude")
    Draft(UUID, "/p").prompt("Hello").answer("Hi.", calls=[write("/p/a.py", "print()\n")]).write(root)

    assert run(["--root", str(root), *command, "--strict"]) == (1 if "nothing-says-this" in command else 0)


@pytest.mark.parametrize("command", [["show"], ["tree"], ["outline"], ["calls"], ["usage", "--session"]])
def test_damage_of_another_session(command: list[str], damaged: Path) -> None:
    """A command about one session answers for that session alone."""
    assert 0 == run(["--root", str(damaged), *command, OTHER, "--strict"])


def test_one_transcript_by_its_path(damaged: Path) -> None:
    """A transcript that is named by its path answers for itself."""
    torn, sound = (next(damaged.rglob(f"{name}.jsonl")) for name in (UUID, OTHER))

    assert (3, 0) == (run(["show", str(torn), "--strict"]), run(["show", str(sound), "--strict"]))


def test_an_error_keeps_its_code(damaged: Path) -> None:
    """An unknown id is nothing found, whatever is damaged."""
    assert 1 == run(["--root", str(damaged), "show", "no-such-id", "--strict"])


def test_each_place_counts_once(damaged: Path, capfdbinary: Capture) -> None:
    """A place that two sources name is one place."""
    run(["--root", str(damaged), "storage"])
    storage = capfdbinary.readouterr().err
    run(["--root", str(damaged), "storage", "--json"])
    listed = json.loads(capfdbinary.readouterr().out)["damage"]

    assert f"{len(listed)} damaged place".encode() in storage


def test_damage_far_from_the_answer_is_told_with_strict_only(damaged: Path, capfdbinary: Capture) -> None:
    """A sum over all sessions does not repeat that some place is damaged; a view of the damaged session does."""
    run(["--root", str(damaged), "usage"])
    summed = capfdbinary.readouterr().err
    run(["--root", str(damaged), "show", UUID])

    assert (b"", True) == (summed, b"1 damaged place" in capfdbinary.readouterr().err)


DETOUR = [["usage"], ["tools"], ["calls"], ["files"], ["search", "Hello"], ["index"]]


@pytest.mark.parametrize("command", DETOUR, ids=" ".join)
def test_damage_names_the_session_and_the_command_that_shows_it(
    command: list[str], damaged: Path, capfdbinary: Capture
) -> None:
    """Damage in a transcript leads to its session, and damage beside transcripts to `stores`."""
    run(["--root", str(damaged), *command, "--strict"])
    error = capfdbinary.readouterr().err.decode()

    assert f"  Read more: backscroll --root {damaged} show {UUID}\n" in error
    assert error.endswith(f"  Read more: backscroll --root {damaged} stores\n")


def test_stores_names_the_damaged_session(damaged: Path, capfdbinary: Capture) -> None:
    """`stores` lists the damage beside transcripts itself, and names the session with damage."""
    run(["--root", str(damaged), "stores"])
    told = capfdbinary.readouterr()

    assert b"Damage in " in told.out
    assert told.err.decode().endswith(f"  Read more: backscroll --root {damaged} show {UUID}\n")


def test_many_damaged_sessions_are_listed_by_doctor(tmp_path: Path, capfdbinary: Capture) -> None:
    """A hint does not name more than a few sessions."""
    for number in range(5):
        name = f"{number:08}-1111-4111-8111-111111111111"
        Draft(name).prompt("Hello").raw(b'{"type": "user", torn\n').write(home(tmp_path))
    run(["--root", str(tmp_path), "usage", "--strict"])
    hint = capfdbinary.readouterr().err.decode().splitlines()[-1]
    run(["--root", str(tmp_path), *hint.split()[-3:]])

    assert f"  Read more: backscroll --root {tmp_path} doctor --kind damaged" == hint
    assert b"warning damaged (5)\n" in capfdbinary.readouterr().out
