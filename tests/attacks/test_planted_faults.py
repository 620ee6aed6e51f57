"""A fault planted in each layer: the unit that it strikes is damaged, and every other session answers as ever."""

import json
import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, bash, home, write

from backscroll.cli.main import run
from backscroll.errors import DAMAGE_MET, DONE
from backscroll.sessions.transcript.source import TranscriptSource as Source

BAD = "22222222-2222-4222-8222-222222222222"
THIRD = "33333333-3333-4333-8333-333333333333"
CURSE = "dodo"
"""The word that brings the fault about."""

READING = (
    "formats.json.lines:Scan._read",
    "sessions.transcript.source:TranscriptSource._settle",
    "sessions.transcript.rows:row_of",
    "sessions.transcript.rows:_text_and_blocks",
    "sessions.transcript.outcomes:target_of",
    "sessions.transcript.facts:Facts.note",
    "sessions.transcript.tree:TreeBuilder.add",
    "sessions.transcript.tree:TreeBuilder.tree",
    "sessions.transcript.conversation:ConversationReader.conversation",
    "sessions.transcript.keys:Keys.message",
    "sessions.file_changes.changes:FileChanges.hear",
    "sessions.file_changes.changes:FileChanges.changes",
    "index.update.extract:counts_of",
    "index.update.extract:Extract.columns",
    "index.update.extract:first_prompt",
    "index.update.tail:packed",
)
"""Functions that every update calls for each unit."""
WORDS = (
    "sessions.searchable.messages:Passages.hear",
    "sessions.searchable.messages:Passages.finish",
    "index.words.documents:fields_of",
    "index.words.documents:document_of",
    "index.words.unit_words:UnitWords.hear",
)
"""Functions that only a search needs."""
DERIVED = (
    "sessions.joining.titles:title_of",
    "index.update.derived.sessions:_agents",
    "sessions.joining.projects:true_cwd",
    "index.update.derived.sessions:_state",
    "index.update.derived.sessions:_title",
)
"""Functions that make the row of a session."""
SHOWING = (
    ("sessions.reading.join:_spoken_parts", ("show", BAD)),
    ("sessions.reading.join:_parts", ("show", BAD)),
    ("sessions.reading.calls:CallReader._result", ("calls", BAD)),
    ("sessions.reading.results:text_of_answer", ("calls",)),
    ("index.search.hit_text:_loaded", ("search", "feed", "--all-hits")),
    ("sessions.searchable.texts:texts_of", ("search", "hay", "--all-hits")),
)
"""Functions that read the texts of one message, call or hit for an answer, and such an answer."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with three sessions, of which the second brings the fault about."""
    for session, animal in ((UUID, "okapi"), (BAD, CURSE), (THIRD, "gnu")):
        draft = Draft(session, f"/srv/{animal}").prompt(f"feed the {animal}")
        draft.answer("Fed.", calls=[bash(f"ls {animal}", "hay"), write(f"/srv/{animal}/a", animal)]).prompt("more")
        draft.write(home(tmp_path))
    return tmp_path


class Plant:
    """A function that raises while the cursed session is read or made, and nowhere else."""

    def __init__(self, place: str, patch: pytest.MonkeyPatch) -> None:
        self.strikes = 0
        self._path = ""
        self._watch_files(patch)
        module, _, name = place.partition(":")
        owner: Any = import_module(f"backscroll.{module}")
        *outer, name = name.split(".")
        for part in outer:
            owner = getattr(owner, part)
        real = getattr(owner, name)
        holders = [found for found in list(sys.modules.values()) if vars(found).get(name) is real] if not outer else []
        for holder in (owner, *holders):
            patch.setattr(holder, name, self._struck(real))

    def _watch_files(self, patch: pytest.MonkeyPatch) -> None:
        """Know at any time which transcript is read."""
        real = Source.__init__

        def opened(source: Source, path: str, *arguments: Any) -> None:
            self._path = path
            real(source, path, *arguments)

        patch.setattr(Source, "__init__", opened)

    def _struck(self, real: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(real)
        def struck(*arguments: Any, **options: Any) -> Any:
            if BAD in self._path or any(curse in repr((arguments, options)) for curse in (BAD, CURSE)):
                self.strikes += 1
                raise ZeroDivisionError("planted")
            return real(*arguments, **options)

        return struck


def answers(root: Path, capture: pytest.CaptureFixture[bytes]) -> dict[str, Any]:
    """Return what commands say of the sessions without a curse, and of the one with it."""
    found: dict[str, Any] = {}
    for command in (
        ("list", "--all"),
        ("search", "feed"),
        ("search", "hay"),
        ("usage", "--by", "session"),
        ("show", UUID),
        ("calls", THIRD),
        ("files", "--session", UUID),
        ("list", "--all"),
    ):
        code = run(["--root", str(root), *command, "--json"])
        out, said = capture.readouterr()
        assert (DONE, False) == (code, b"disk" in said), (command, said)
        found[" ".join(command)] = json.loads(out)
    return found


def of_others(answer: dict[str, Any]) -> Any:
    """Return what an answer says of the sessions without a curse."""
    if "sessions" in answer:
        return sorted((item for item in answer["sessions"] if item["id"] != BAD), key=str)
    if "hits" in answer:
        return sorted(str(hit | {"score": None}) for hit in answer["hits"] if hit["session"] != BAD)
    if "rows" in answer:
        return sorted((row for row in answer["rows"] if BAD not in str(row)), key=str)
    return answer


@pytest.mark.parametrize("is_growing", [False, True], ids=["new", "grown"])
@pytest.mark.parametrize("place", [*READING, *WORDS, *DERIVED])
def test_a_fault_stays_its_own(
    root: Path, place: str, capfdbinary: pytest.CaptureFixture[bytes], *, is_growing: bool
) -> None:
    """Whichever layer fails, the damage names file and exception, and the others answer as without it."""
    if is_growing:
        run(["--root", str(root), "index"])
        for path in root.rglob("*.jsonl"):
            path.write_bytes(path.read_bytes() + b'{"type":"custom-title","customTitle":"Grown"}\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BACKSCROLL_HOME", str(root / "whole"))
        capfdbinary.readouterr()
        right = {name: of_others(answer) for name, answer in answers(root, capfdbinary).items()}
    with pytest.MonkeyPatch.context() as patch:
        plant = Plant(place, patch)
        found = answers(root, capfdbinary)
        strict = run(["--root", str(root), "show", BAD, "--strict", "--json"])
        out, said = capfdbinary.readouterr()
        damage = json.loads(out or "{}").get("damage", [])

    assert right == {name: of_others(answer) for name, answer in found.items()}
    if is_growing and not plant.strikes:
        return  # nothing of it is called for a file that only grew
    assert 0 < plant.strikes
    assert DAMAGE_MET == strict, said
    items = [item for item in damage if "ZeroDivisionError: planted" in item["reason"]]
    assert [True] == list({BAD in item["place"]["path"] for item in items})


@pytest.mark.parametrize("place, command", SHOWING)
def test_a_fault_costs_one_item_of_an_answer(
    root: Path, place: str, command: tuple[str, ...], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A fault while one message, call or hit is read costs that one: it names the exception, the rest is there."""
    assert DONE == run(["--root", str(root), "index"])
    asked = ["--root", str(root), *command, "--json"]
    assert DONE == run(asked)
    capfdbinary.readouterr()
    assert DONE == run(asked)
    whole = json.loads(capfdbinary.readouterr().out)
    with pytest.MonkeyPatch.context() as patch:
        plant = Plant(place, patch)
        assert DONE == run(asked)
        found = json.loads(capfdbinary.readouterr().out)

    (kind,) = whole.keys() & {"messages", "calls", "hits"}
    names = [[item.get("id", item.get("message")) for item in answer[kind]] for answer in (whole, found)]
    struck = [item for item in found[kind] if "ZeroDivisionError: planted" in str(item)]
    assert 0 < plant.strikes
    assert names[0] == names[1]
    assert {BAD} == {item["session"] for item in struck}
    assert [item for item in whole[kind] if item["session"] != BAD] == [
        item for item in found[kind] if item["session"] != BAD
    ]
