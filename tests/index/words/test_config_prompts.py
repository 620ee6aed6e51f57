"""Prompts that global configs remember are found where nothing else holds them, and cost nothing while they stay."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, home, line, write_side
from searched import Searched

from backscroll.index.words import documents
from backscroll.index.words.documents import Entry
from backscroll.index.words.store import FullText
from backscroll.sessions.searchable import side_files as beside
from backscroll.stores import side

SHOP = "/srv/shop"


def typed(display: str, **pasted: str) -> dict[str, Any]:
    """Return a prompt as Claude Code 1.0 remembered it."""
    pastes = {number: {"id": 1, "type": "text", "content": text} for number, text in pasted.items()}
    return {"display": display, "pastedContents": pastes}


def config(root: Path, *history: Any, name: str = ".claude.json", project: str = SHOP, **fields: Any) -> Path:
    """Write a global config."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"allowedTools": ["Bash"], "history": list(history), "mcpServers": {}}
    path.write_text(json.dumps({"numStartups": 1, "projects": {project: about}, **fields}))
    return path


def places(searched: Searched, query: str) -> list[str | None]:
    """Return the files in which something is found."""
    return [hit.place.path if hit.place else None for hit in searched(query).hits]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Take down each time that the index of words is opened for writing."""
    taken: list[bool] = []
    real = FullText.writer

    def writer(text: FullText, **options: bool) -> Any:
        taken.append(True)
        return real(text, **options)

    monkeypatch.setattr(FullText, "writer", writer)
    return taken


def test_prompts(tmp_path: Path) -> None:
    """A prompt is found with its project and its pastes; of session, time and line nothing is known."""
    root = home(tmp_path)
    path = config(
        root, typed("feed the okapi"), "an old gnu", typed("see [Pasted text #1 +2 lines]", **{"1": "a kudu"})
    )
    with Searched(root) as searched:
        for word in ("okapi", "gnu", "kudu", "see"):
            (hit,) = searched(f"{word} kind:prompt role:user").hits
            assert (None, None, SHOP, "user", "text", None) == (
                hit.session,
                hit.message,
                hit.project,
                hit.role,
                hit.kind,
                hit.time,
            )
            assert (str(path), None) == (hit.place and hit.place.path, hit.place and hit.place.line)
            assert word in hit.snippet
        assert 1 == searched("see kudu").total
        assert 1 == searched("okapi project:SHOP").total
        for query in ("okapi -project:shop", "okapi project:other", "okapi since:1970-01-01"):
            assert 0 == searched(query).total
        assert ["feed the okapi"] == searched.texts("feed the", mode="exact")


@pytest.mark.parametrize(
    "name",
    [
        ".claude/.claude.json",
        ".claude/.config.json",
        ".claude/config.json",
        ".claude.json.backup",
        ".claude.json.backup.1780000000000",
        ".claude/backups/.claude.json.backup.1780000000000",
    ],
)
def test_each_copy(tmp_path: Path, name: str) -> None:
    """Whatever file remembers a prompt, it is found in the first of them, and in another when that forgets it."""
    root = home(tmp_path)
    copy = config(root, typed("feed the okapi"), typed("and the gnu"), name=name)
    with Searched(root) as searched:
        assert [str(copy)] == places(searched, "okapi")
        path = config(root, typed("feed the okapi"))
        searched.refresh()
        assert [str(max(path, copy, key=lambda item: "backup" not in item.name))] == places(searched, "okapi")
        assert (1, 1) == (searched("okapi").total, searched("gnu").total)
        path.unlink()
        searched.refresh()
        assert [str(copy)] * 2 == places(searched, "gnu OR okapi")
        copy.unlink()
        searched.refresh()
        assert 0 == searched.documents()


def test_what_a_message_holds(tmp_path: Path) -> None:
    """A prompt is not found beside the message of its project that says the same, and again when that is gone."""
    root = home(tmp_path)
    path = config(root, typed("feed the OKAPI!"), typed("see [Pasted text #1 +2 lines]", **{"1": "a kudu"}))
    with Searched(root) as searched:
        elsewhere = Draft(UUID, "/srv/other").prompt("feed the okapi").write(root)
        searched.refresh()
        assert 2 == searched("okapi").total
        elsewhere.unlink()
        sent = Draft(UUID, SHOP).prompt("Feed the okapi").prompt("see a kudu").write(root)
        searched.refresh()
        assert [True, True] == [hit.message is not None for hit in searched("okapi OR kudu").hits]
        sent.unlink()
        searched.refresh()
        assert [str(path)] * 2 == places(searched, "okapi OR kudu")


def test_on_windows(tmp_path: Path) -> None:
    """A config may write the path of a project with slashes where messages have it with backslashes."""
    root = home(tmp_path)
    config(root, "feed the okapi", project="C:/srv/shop")
    Draft(UUID, r"C:\srv\shop").prompt("feed the okapi").write(root)
    with Searched(root) as searched:
        assert [True] == [hit.message is not None for hit in searched("okapi").hits]


def test_what_a_history_holds(tmp_path: Path) -> None:
    """A prompt that history.jsonl has of the same project is found there alone."""
    root = home(tmp_path)
    path = config(root, typed("feed the okapi"), typed("and the gnu"))
    with Searched(root) as searched:
        taken = {"timestamp": 1_778_000_000_000, "project": SHOP, "sessionId": UUID}
        other = {"timestamp": 1_778_000_000_000, "project": "/srv/other"}
        history = write_side(
            root, "history.jsonl", [line({**typed("feed the okapi"), **taken}), line({**typed("and the gnu"), **other})]
        )
        searched.refresh()
        assert [str(history)] == places(searched, "okapi")
        assert {str(history), str(path)} == set(places(searched, "gnu"))
        history.unlink()
        searched.refresh()
        assert [str(path)] == places(searched, "okapi")


def test_nothing_else_is_taken(tmp_path: Path) -> None:
    """Of all that a config holds beside prompts and their pastes nothing can be found, and images cannot."""
    root = home(tmp_path)
    image = {"id": 1, "type": "image", "content": "okapi", "mediaType": "okapi", "filename": "okapi"}
    typed_once = {"display": "feed it", "pastedContents": {"1": image, "okapi": 7}, "secret": "okapi", "env": "okapi"}
    secrets = {"env": {"TOKEN": "okapi"}, "history": ["okapi"]}
    path = config(
        root, typed_once, primaryApiKey="okapi", oauthAccount={"emailAddress": "okapi"}, mcpServers={"okapi": secrets}
    )
    with Searched(root) as searched:
        assert 0 == searched("okapi").total
        assert [str(path)] == places(searched, "feed")
        assert 1 == searched.documents()


def test_another_start(tmp_path: Path, written: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else Claude Code writes into its config, and however often it backs it up, no word is written."""
    root = home(tmp_path)
    Draft(UUID).prompt("begin").write(root)
    config(root, typed("feed the okapi"))
    with Searched(root) as searched:
        del written[:]
        config(root, typed("feed the okapi"), numStartups=2)
        config(root, typed("feed the okapi"), name=".claude/backups/.claude.json.backup.1")
        searched.refresh()
        (root / ".claude/backups/.claude.json.backup.1").unlink()
        searched.refresh()
        assert [] == written
        assert 1 == searched("okapi").total

        monkeypatch.setattr(beside, "config_prompts", pytest.fail)
        write_side(root, "plans/calm.md", b"feed the gnu")
        searched.refresh()
        assert [True] == written


class Noting:
    """Stands for the module json, and takes down what it decodes."""

    def __init__(self) -> None:
        self.decoded: list[str] = []

    def loads(self, text: str) -> Any:
        """Decode a text."""
        self.decoded.append(text)
        return json.loads(text)


def test_a_config_without_prompts(tmp_path: Path, written: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no prompt is remembered, a config is not even decoded for its words."""
    root = home(tmp_path)
    config(root)
    noting = Noting()
    with Searched(root) as searched:
        del written[:]
        monkeypatch.setattr(side, "json", noting)
        config(root, numStartups=2)
        searched.refresh()
        assert [] == written
        assert 1 == len(noting.decoded)  # by the catalogue, for its projects


def test_only_what_changed_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prompt that is added, forgotten, sent or lost changes nothing of the others."""
    root = home(tmp_path)
    config(root, *(typed(f"okapi{number}") for number in range(50)))
    with Searched(root) as searched:
        made: list[str] = []
        real = documents.document_of

        def noted(entry: Entry, *rest: Any) -> Any:
            made.extend(entry.fields["prompt"])
            return real(entry, *rest)

        monkeypatch.setattr(documents, "document_of", noted)
        config(root, *(typed(f"okapi{number}") for number in range(1, 51)))
        searched.refresh()
        assert (["okapi50"], 0, 50) == (made, searched("okapi0").total, searched.documents())
        path = Draft(UUID, SHOP).prompt("okapi7").write(root)
        searched.refresh()
        assert ["okapi50", "okapi7"] == made
        path.unlink()
        searched.refresh()
        assert ["okapi50", "okapi7", "okapi7"] == made
        assert 50 == searched.documents()


DEEP = "[" * 100_000
HOSTILE: dict[str, bytes] = {
    "empty": b"",
    "no JSON": b'{"projects": {"/p": {"history": ["okapi"',
    "no object": b'["history", [1]]',
    "NUL": b'\0{"history": [1]}',
    "deep": b'{"projects": {"/p": {"history": [' + DEEP.encode(),
    "deep inside": f'{{"projects": {{"/p": {{"history": [{"[" * 500}{"]" * 500}]}}}}}}'.encode(),
    "projects": b'{"projects": [{"history": ["okapi"]}]}',
    "project": b'{"projects": {"/p": ["history"], "/q": null, "/r": "history"}, "history": ["okapi"]}',
    "history": b'{"projects": {"/p": {"history": {"a": "okapi"}}, "/q": {"history": ["", " "]}}}',
    "items": b'{"projects": {"/p": {"history": [null, 7, ["okapi"], {"text": "okapi"}, {"display": {"a": "okapi"}}]}}}',
}


@pytest.mark.parametrize("content", HOSTILE)
def test_hostile(tmp_path: Path, content: str) -> None:
    """Whatever a config holds, nothing but prompts is found, and everything else is."""
    root = home(tmp_path)
    (root / ".claude.json").write_bytes(HOSTILE[content])
    config(root, "feed the gnu", name=".claude.json.backup")
    with Searched(root) as searched:
        assert (0, 1) == (searched("okapi").total, searched("gnu").total)


def test_odd_prompts(tmp_path: Path) -> None:
    """Lone surrogates, escape codes and bytes that are no UTF-8 cost neither the prompt nor its neighbours."""
    root = home(tmp_path)
    path = root / ".claude.json"
    path.write_bytes(
        rb'{"projects":{"/p\ud800":{"history":["okapi \ud83d tail","\u001b[31m gnu\u0000",'
        rb'{"display":"kudu","pastedContents":[1]},{"display":"eland","pastedContents":{"1":null,"2":{"content":7}}}]}},'
        b'"/q":"\xff\xfe"}'
    )
    with Searched(root) as searched:
        for word in ("okapi", "tail", "gnu", "kudu", "eland"):
            assert [str(path)] == places(searched, word), word


def test_a_config_that_is_too_large(tmp_path: Path) -> None:
    """A file far beyond any config is not read; that costs nothing else."""
    root = home(tmp_path)
    path = config(root, "feed the okapi")
    os.truncate(path, 65 << 20)
    config(root, "feed the gnu", name=".claude.json.backup")
    with Searched(root) as searched:
        assert (0, 1) == (searched("okapi").total, searched("gnu").total)
