"""The shared corpus: records keep their ids, stay JSON, and hold no secret afterwards."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from backscroll.redact import Redactor, StructureRedactor, shipped_fields

ID_FIELDS = {
    *("uuid", "parentUuid", "sessionId", "leafUuid", "messageId", "requestId", "tool_use_id", "toolUseID", "agentId"),
    *("parentToolUseID", "sourceToolAssistantUUID", "logicalParentUuid", "promptId", "forkedFrom", "timestamp", "type"),
}
MOST_PER_FILE = 40


def lines(corpus: Path, most: int) -> Iterator[bytes]:
    """Yield lines of every transcript that are JSON objects, spread over the file."""
    for path in sorted(corpus.rglob("*.jsonl")):
        found = [line for line in path.read_bytes().splitlines() if line.startswith(b"{")]
        yield from found[:: max(1, len(found) // most)]


def loaded(line: bytes) -> dict[str, Any] | None:
    """Return the record of a line, or None if the line is torn or glued."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return record if isinstance(record, dict) else None


def ids(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield every id in the fields that may go out, in order."""
    if isinstance(value, dict):
        for inner_name, inner in value.items():
            yield from ids(inner, inner_name)
    elif isinstance(value, list):
        for inner in value:
            yield from ids(inner, name)
    elif isinstance(value, str) and (name in ID_FIELDS or value.startswith(("toolu_", "msg_", "req_"))):
        yield name, value


def allowed(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without the fields that are dropped on purpose."""
    fields = shipped_fields().lists
    kept = {name: value for name, value in record.items() if name in fields["record"].allowed or name == "message"}
    if isinstance(kept.get("message"), dict):
        kept["message"] = {name: value for name, value in kept["message"].items() if name in fields["message"].allowed}
    return kept


def check(corpus: Path, most: int) -> int:
    """Redact lines of the corpus, compare the ids, and return the number of records."""
    structure = StructureRedactor(Redactor())
    count = 0
    for line in lines(corpus, most):
        record = loaded(line)
        if record is None:
            continue
        redacted = orjson.loads(structure.redact_line(line))
        count += 1

        assert list(ids(allowed(record))) == list(ids({**redacted, "attachment": None}))
    return count


@pytest.mark.corpus
def test_ids_of_a_sample_survive(corpus: Path) -> None:
    """Records from every transcript keep all ids in order."""
    assert check(corpus, 4) > 100


@pytest.mark.corpus
@pytest.mark.slow
def test_ids_of_the_corpus_survive(corpus: Path) -> None:
    """Many records of every transcript keep all ids in order."""
    assert check(corpus, MOST_PER_FILE) > 1000


@pytest.mark.corpus
@pytest.mark.slow
def test_redacted_corpus_is_stable_and_clean(corpus: Path) -> None:
    """Redacted lines hold nothing that a scan would find, and a second pass changes nothing."""
    structure = StructureRedactor(Redactor())
    for line in lines(corpus, 6):
        if loaded(line) is not None:
            once = structure.redact_line(line)

            assert [] == structure.redactor.detector.find(once)
            assert once == structure.redact_line(once)
