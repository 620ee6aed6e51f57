"""Hostile values in every field of every record shape, and damaged transcripts: no other session is hurt."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from chance import chance, rounds
from hostile_values import VALUES, fields, with_value
from make import UUID, Draft, bash, edit, home, line, todo, write, write_transcript

import backscroll
from backscroll.cli.main import run

BAD = "22222222-2222-4222-8222-222222222222"
SEED = 18
SEEDS = range(SEED, SEED + rounds(1))
"""Each seed has a home of its own: what is read again and again stays small."""
CASES = 120
"""Sessions of hostile values for a seed; each has one value in some fields of all records."""
DAMAGES = 80
COMMANDS = ("list", "show", "usage", "calls", "files", "search", "tree", "outline", "drift")


def draft(session: str) -> Draft:
    """Return a session with records of every shape that the builder makes."""
    begun = Draft(session, "/srv/okapi").prompt("feed the okapi")
    begun.answer("Fed.", calls=[bash("ls", "hay"), write("/srv/okapi/a", "x\n"), todo("feed", done=False)])
    begun.answer("More.", calls=[edit("/srv/okapi/a", "x\n", "x", "y")]).title("Okapi")
    child = begun.agent("Job", "feed the gnu")
    child.answer("Fed too.")
    return begun.join(child, "Done").prompt("thanks")


def essence(root: Path) -> Any:
    """Return all that is said of the session without hostile values."""
    with backscroll.open(root) as library:
        own = [item for item in library.list_sessions(limit=None).sessions if item.id == UUID]
        shown = library.show(UUID, all_branches=True)
        hits = library.search("okapi", options=backscroll.Options(all_hits=True, limit=1000)).hits
        return (
            [(item.title, item.messages, item.calls, item.usage.output, item.state, item.damage) for item in own],
            [(message.role, [part.text for part in message.parts]) for message in shown.messages],
            sorted(hit.snippet for hit in hits if hit.session == UUID),
        )


def check(root: Path, right: Any, what: object) -> None:
    """Look at everything through the library, as all commands do."""
    assert right == essence(root), what
    with backscroll.open(root, update=False) as library:
        names = [item.id for item in library.list_sessions(limit=None).sessions]
        assert UUID in names
        for name in names:
            list(library.show(name, all_branches=True, internal=True).messages)
            library.tree(name)
            library.outline(name)
            library.calls(name)
        library.usage(by="day")
        library.list_files()
        library.drift()


@pytest.fixture
def right(tmp_path: Path) -> Any:
    """Return what is said of the whole session where it is alone."""
    root = home(tmp_path / "alone")
    draft(UUID).write(root)
    return essence(root)


def hostile_lines(records: list[Any], numbers: Random) -> list[bytes]:
    """Return records in each of which one field has a hostile value; an intact one stands between any two."""
    lines = []
    for record in records:
        path = numbers.choice(list(fields(record)))
        lines.append(line(with_value(record, path, numbers.choice(VALUES))))
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_hostile_values(tmp_path: Path, right: Any, seed: int) -> None:
    """Whichever field has whichever value, the other session is as it was, and nothing is an internal error."""
    numbers = chance(seed)
    records = [json.loads(text) for text in draft(BAD).lines()]
    root = home(tmp_path / "root")
    draft(UUID).write(root)
    for number in range(CASES // 40):
        for copy_number in range(40):
            lines = hostile_lines(records, numbers)
            write_transcript(root, "-srv-okapi", f"{copy_number:08}-{number:04}-4222-8222-222222222222", lines)
        check(root, right, number)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_sample_by_commands(tmp_path: Path, command: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Commands print what they find, or say what is wrong with it."""
    numbers = chance(SEED)
    records = [json.loads(text) for text in draft(BAD).lines()]
    root = home(tmp_path)
    draft(UUID).write(root)
    for number in range(30):
        write_transcript(
            root, "-srv-okapi", f"{number:08}-1111-4222-8222-222222222222", hostile_lines(records, numbers)
        )
    asked = {"search": ["okapi"], "show": ["00000003"], "calls": [], "tree": ["00000004"], "outline": ["00000005"]}
    for form in ([], ["--json"]):
        code = run(["--root", str(root), command, *asked.get(command, []), *form])
        assert code in {0, 1}, capfdbinary.readouterr().err


def damaged(data: bytes, numbers: Random) -> bytes:
    """Damage a transcript in one of the ways that disks and programs do."""
    lines = data.splitlines(keepends=True)
    how = numbers.choice(["flip", "cut", "twice", "swap", "nul", "join"])
    one, other = numbers.randrange(len(lines)), numbers.randrange(len(lines))
    if how == "flip":
        changed = bytearray(data)
        for _ in range(numbers.choice([1, 3, 30])):
            changed[numbers.randrange(len(changed))] ^= 1 << numbers.randrange(8)
        return bytes(changed)
    if how == "cut":
        return data[: numbers.randrange(len(data))]
    if how == "twice":
        lines.insert(other, lines[one])
    elif how == "swap":
        lines[one], lines[other] = lines[other], lines[one]
    elif how == "nul":
        start = numbers.randrange(len(data))
        return data[:start] + bytes(numbers.choice([1, 512, 4096])) + data[start:]
    else:
        lines[one] = lines[one].rstrip(b"\n")
    return b"".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_transcripts(tmp_path: Path, right: Any, seed: int) -> None:
    """A damaged transcript keeps its intact prompts, gains none, and leaves the other session alone."""
    numbers = chance(seed)
    whole = draft(BAD).text()
    texts = {"feed the okapi", "thanks"}
    root = home(tmp_path / "root")
    draft(UUID).write(root)
    for number in range(DAMAGES // 40):
        data = {f"{item:08}-{number:04}-4222-8222-222222222222": damaged(whole, numbers) for item in range(40)}
        for name, text in data.items():
            write_transcript(root, "-srv-okapi", name, text)
        check(root, right, number)
        with backscroll.open(root, update=False) as library:
            for name, text in data.items():
                intact = {record for record in whole.splitlines() if record in text.splitlines()}
                said = [part.text for item in library.show(name, all_branches=True).messages for part in item.parts]
                for prompt in texts:
                    if any(prompt.encode() in record and b'"type":"user"' in record for record in intact):
                        assert prompt in said, (number, name, prompt)
