"""Hostile values and damage through every route of the web page, and through the commands that write copies."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from chance import chance, rounds
from hostile_values import VALUES, broken, fields, with_value
from make import UUID, Draft, bash, edit, home, line, todo, write, write_transcript

import backscroll
from backscroll.cli.main import run
from backscroll.errors import BackscrollError
from backscroll.web.commands import ROUTES, WebSource
from backscroll.web.options import parse

BAD = "22222222-2222-4222-8222-222222222222"
SEEDS = range(18, 18 + rounds(1))
SESSIONS = 12
PAGES: tuple[dict[str, Any], ...] = (
    {"html": 1},
    {"html": 1, "offset": 2, "limit": 1, "all_branches": 1},
    {"offset": 999},
    {"format": "md"},
    {"format": "html"},
)
ALONE: dict[str, dict[str, Any]] = {
    "list": {"all": 1, "agents": 1},
    "usage": {"by": "project,model"},
    "tools": {"csv": 1},
    "search": {"query": "okapi", "all_hits": 1, "counts": "day"},
    "files": {"all": 1, "deleted": 1},
    "recover": {"grep": "x"},
}


def whole() -> list[bytes]:
    """Return the lines of a session with an agent, a fork, files and a list of todos."""
    draft = Draft(BAD, "/srv/okapi").prompt("feed the okapi")
    draft.answer("Fed.", calls=[bash("ls", "hay"), write("/srv/okapi/a", "x\n"), todo("feed", done=False)])
    draft.answer("More.", calls=[edit("/srv/okapi/a", "x\n", "x", "y")]).title("Okapi")
    draft.join(draft.agent("Job", "feed the gnu").answer("Fed too."), "Done")
    draft.rewind(to=1).prompt("thanks").answer("Welcome.")
    return list(draft.lines())


def hostile(lines: list[bytes], numbers: Random) -> bytes:
    """Return a transcript with a hostile value in one field, or in one of each record, or with damaged bytes."""
    how = numbers.choice(["one", "each", "bytes"])
    if how == "bytes":
        return broken(b"".join(lines), numbers)
    records = [json.loads(text) for text in lines]
    struck = range(len(records)) if how == "each" else [numbers.randrange(len(records))]
    for number in struck:
        record = records[number]
        records[number] = with_value(record, numbers.choice(list(fields(record))), numbers.choice(VALUES))
    return b"".join(map(line, records))


@pytest.fixture(params=SEEDS)
def struck(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, list[str]]:
    """Return a home with one good session and many hostile ones, and the ids of these."""
    numbers, lines = chance(request.param), whole()
    root = home(tmp_path / "root")
    Draft(UUID, "/srv/okapi").prompt("feed the okapi").answer("Fed.").write(root)
    names = [f"{number:08}-1111-4222-8222-222222222222" for number in range(SESSIONS)]
    for name in names:
        write_transcript(root, "-srv-okapi", name, hostile(lines, numbers))
    return root, names


def asked(source: WebSource, route: str, name: str | None = None, **options: Any) -> bytes:
    """Return the answer of a route; an error of ours is an answer too."""
    allowed = ROUTES[route].options
    try:
        request = parse(name, [(option, str(value)) for option, value in options.items()], allowed)
        pieces = ROUTES[route].answer(source, request).pieces
        found = b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces)
    except BackscrollError:
        return b""
    if "csv" not in options and "format" not in options and "print" not in options:
        json.loads(found)
    return found


@pytest.mark.slow
def test_every_route(struck: tuple[Path, list[str]]) -> None:
    """Every route answers for every session and file, with JSON where it says so."""
    root, names = struck
    with backscroll.open(root) as library:
        source = WebSource(library, None)
        for route in ROUTES:
            if not ROUTES[route].needs_name:
                asked(source, route, **ALONE.get(route, {}))
        for file in json.loads(asked(source, "files", all=1))["files"]:
            for options in ({}, {"diff": "1,2"}, {"version": 1, "print": 1}):
                asked(source, "recover", path=file["path"], **options)
            asked(source, "blame", path=file["path"])
        for name in names:
            for route in ("outline", "tree", "calls", "doctor", "cowork"):
                asked(source, route, name)
            asked(source, "usage", session=name, timeline=1)
            for page in PAGES:
                asked(source, "show", name, **page)
            for message in json.loads(asked(source, "show", name, offset=0, all_branches=1) or '{"messages": []}')[
                "messages"
            ]:
                asked(source, "show", name, at=message["id"], html=1)


@pytest.mark.slow
def test_every_copy(struck: tuple[Path, list[str]], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Commands that write copies write one, or say why not; the archive gives back each byte."""
    root, names = struck
    before = {path: path.read_bytes() for path in root.rglob("*.jsonl")}
    for name in names[:3]:
        for command in (
            ["share", name, "-o", str(tmp_path / f"{name}.html")],
            ["share", name, "-o", str(tmp_path / f"{name}.md")],
            ["redact", name, "--clean", "-o", str(tmp_path / f"{name}.jsonl")],
            ["transfer", "pack", name, "-o", str(tmp_path / f"{name}.bundle")],
            ["files", "--patch", name],
            ["outline", name],
        ):
            assert run(["--root", str(root), *command]) in {0, 1, 3, 4}, capfdbinary.readouterr().err
    for command in (
        ["export", "--dir", str(tmp_path / "site")],
        ["recover", "--all", "--write", str(tmp_path / "back")],
    ):
        assert run(["--root", str(root), *command]) in {0, 4}, capfdbinary.readouterr().err
    for command in (["archive", "sync"], ["archive", "verify", "--read-data"]):
        assert 0 == run(["--root", str(root), *command]), capfdbinary.readouterr().err
    for path in before:
        path.unlink()
    for path, data in before.items():
        assert 0 == run(["--root", str(root), "archive", "restore", path.stem, "--apply"]), path
        assert data == path.read_bytes()
