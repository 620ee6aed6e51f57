"""Search as tests do: a home brought up to date and asked, in memory or in a directory that stays.

with Searched(home) as searched:
    searched("deadlock pool").hits
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import tantivy

from backscroll.index.db import open_in_memory, open_index
from backscroll.index.search import search
from backscroll.index.update.update import update
from backscroll.index.words.store import FullText, open_fulltext
from backscroll.index.words.update import Words
from backscroll.query.hits import Found as Answer
from backscroll.query.language import Query, Wish, parse_query
from backscroll.stores.find import find_stores

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


class Searched:
    """A home with its index and its words."""

    def __init__(self, root: Path, ours: Path | None = None) -> None:
        self.root = root
        self.database = open_index(ours / "i.db") if ours else open_in_memory()
        self.text: FullText = open_fulltext(ours / "i.words" if ours else None)
        self.refresh()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give everything back."""
        self.database.close()

    def refresh(self) -> None:
        """Bring the index and its words up to date."""
        update(self.database, find_stores(self.root, {}), words=Words(self.database, self.text))

    def __call__(self, text: str, fields: Mapping[str, str] | None = None, **options: Any) -> Answer:
        """Search."""
        query = Query(text) if options.get("mode") else parse_query(text, NOW)
        for name, value in (fields or {}).items():
            query.wishes.setdefault(name, []).append(Wish(value))
        return search.search(self.database, self.text, query, search.Options(**{"all_hits": True} | options))

    def texts(self, text: str, **options: Any) -> list[str]:
        """Return the snippets of a search."""
        return [hit.snippet for hit in self(text, **options).hits]

    def times(self) -> list[tuple[float, float | None]]:
        """Return key and time of everything that is held."""
        searcher = self.text.searcher()
        found = searcher.search(tantivy.Query.all_query(), max(searcher.num_docs, 1), count=False).hits
        addresses = [address for _, address in found]
        keys, times = (searcher.fast_field_values(name, addresses) for name in ("key", "time"))
        return sorted(((key or 0, time) for key, time in zip(keys, times, strict=True)), key=str)

    def documents(self) -> int:
        """Return how many messages are held."""
        return int(self.text.searcher().num_docs)
