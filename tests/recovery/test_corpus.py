"""Versions of the files in real transcripts, checked against what the records themselves prove."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import backscroll
from backscroll.index.queries.file_changes import FileFilter, touched
from backscroll.recovery.content import newline_of
from backscroll.verbs.files import FileVerbs

pytestmark = [pytest.mark.corpus, pytest.mark.slow]


def homes(corpus: Path) -> list[Path]:
    """Return the public home, and every configuration directory that the real program wrote."""
    return [corpus / "home", *sorted(path.parent for path in (corpus / "cli").glob("*/projects"))]


def bases(transcripts: Path) -> dict[str, str]:
    """Return call to originalFile for every edit that succeeded, read from the lines in the plainest way."""
    found = {}
    for path in transcripts.rglob("*.jsonl"):
        for record in records(path):
            data, message = record.get("toolUseResult"), record.get("message")
            blocks = message.get("content") if isinstance(message, dict) else None
            if isinstance(data, dict) and isinstance(data.get("oldString"), str) and isinstance(blocks, list):
                base = data.get("originalFile")
                if isinstance(base, str) and base and not data.get("staged"):
                    found[blocks[0]["tool_use_id"]] = base
    return found


def records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines that are whole records."""
    for line in path.read_bytes().split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def plain(text: str | None) -> str | None:
    """Return a text without what transcripts do not show."""
    return None if text is None else text.removeprefix("\ufeff").replace("\r\n", "\n")


def test_every_edit_is_made_to_the_text_it_records(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before each edit stands exactly its originalFile: replayed, or shown as a change from outside."""
    checked, wrong = 0, []
    compared: Counter[str] = Counter()
    for root in homes(corpus):
        expected = bases(root)
        with FileVerbs(root) as library, library._histories() as (database, histories):
            for item in touched(database, FileFilter()):
                replay, before = histories.replay(item.path), None
                for version, content in replay.states():
                    if version.how == "edit" and version.call in expected:
                        checked += 1
                        if before != plain(expected[version.call]):
                            wrong.append((item.path, version.n))
                    before = plain(content.text)
                compared += replay.bases
    known = compared["matched"] + compared["outside"]
    with capsys.disabled():
        share = f"{compared['matched']} of {known} ({compared['matched'] / known:.1%})"
        print(f"\nedits whose originalFile is what the replay held: {share}")  # noqa: T201 - the figure is asked for

    assert checked > 250
    assert [] == wrong
    assert {"matched": 272, "outside": 9, "first": 31} == dict(compared)


def test_every_backup_is_a_version(corpus: Path) -> None:
    """The bytes of each backup are those of a version of its file."""
    missing: list[str] = []
    for root in homes(corpus):
        backups = [path for path in root.rglob("file-history/*/*") if path.is_file()]
        if not backups:
            continue
        held: dict[str, set[str | None]] = defaultdict(set)
        for file in backscroll.list_files(root, limit=None).files:
            stem = file.path.removeprefix("file-history:")
            if stem == file.path:
                stem = hashlib.sha256(file.path.encode()).hexdigest()[:16]
            held[stem] |= {version.sha256 for version in backscroll.recover(file.path, root, update=False).versions}
        missing += [
            str(path)
            for path in backups
            if hashlib.sha256(path.read_bytes()).hexdigest() not in held[path.name.partition("@")[0]]
        ]

    assert [] == missing


def test_the_list_agrees_with_the_replay(corpus: Path) -> None:
    """On every home the number of versions in the list is that of the history."""
    different = []
    for root in homes(corpus):
        files = backscroll.list_files(root, limit=None).files
        with FileVerbs(root, update=False) as library, library._histories() as (_, histories):
            for file in files:
                history = histories.history(file.path)
                if (len(history.versions), len(history.candidates)) != (file.versions, file.candidates):
                    different.append(file.path)

    assert [] == different


def test_what_is_exact_can_be_read_back(corpus: Path) -> None:
    """A version that is said to be exact has bytes, and they are those of its digest and its line ends."""
    with FileVerbs(corpus / "home") as library, library._histories() as (database, histories):
        for item in touched(database, FileFilter()):
            for version, content in histories.states(item.path):
                data = content.to_bytes()
                if version.exact and not version.deleted:
                    assert data is not None
                    assert version.sha256 == hashlib.sha256(data).hexdigest()
                    if version.newline == "crlf":
                        assert "crlf" == newline_of(data.decode(version.encoding or "utf-8"))
