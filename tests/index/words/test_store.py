"""The full-text index itself: what tantivy is trusted with, and what it is helped with."""

import json
import random
from pathlib import Path

import pytest
import tantivy

from backscroll.index.words.store import MERGED_PARTS, open_fulltext


def parts_in(directory: Path) -> list[int]:
    """Return how many documents each part of an index has."""
    (meta,) = directory.glob("words-*/meta.json")
    return [segment["max_doc"] for segment in json.loads(meta.read_bytes())["segments"]]


def document(key: int, text: str) -> tantivy.Document:
    """Return one that can be deleted by its key."""
    made = tantivy.Document()
    made.add_integer("key", key)
    made.add_text("answer", text)
    return made


@pytest.mark.slow
def test_parts_are_merged_although_something_is_deleted_meanwhile(tmp_path: Path) -> None:
    """Each update adds a part and deletes something: their number stays small, and nothing is lost."""
    chance = random.Random(5)  # noqa: S311 - the same every time
    words = [f"{chance.randrange(1 << 40):x}" for _ in range(40_000)]
    directory = tmp_path / "i.words"
    text = open_fulltext(directory)
    with text.writer() as writer:
        for part in range(MERGED_PARTS - 2):  # each takes a while to merge
            for key in range(400):
                writer.add_document(document(part * 1000 + key, " ".join(chance.choices(words, k=300))))
            writer.commit()
    most = 0
    for number in range(2 * MERGED_PARTS):
        with text.writer() as writer:
            writer.add_document(document(100_000 + number, "new"))
            writer.commit()
            writer.delete_documents_by_term("key", 99_999 + number)
            writer.add_document(document(200_000 + number, "last"))
            writer.commit()
        most = max(most, len(parts_in(directory)))
    found = text.searcher().search(tantivy.Query.all_query(), 1, count=True)

    assert most <= MERGED_PARTS + 1
    assert (MERGED_PARTS - 2) * 400 + 2 * MERGED_PARTS + 1 == found.count  # type: ignore[attr-defined]
