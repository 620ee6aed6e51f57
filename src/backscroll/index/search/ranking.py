"""The order of matching documents, and the choice of the best ones."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import tantivy

from backscroll.query.question import Ask


class RankedDocument(NamedTuple):
    """A matching document, before it is read."""

    score: float | None
    address: tantivy.DocAddress
    session: int
    file: int
    time: int
    key: int


class BestDocuments:
    """The best documents so far: at most some of each session, and no document twice."""

    def __init__(self, limit: int, per_session: int) -> None:
        self._limit, self._most = limit, per_session
        self._all: list[RankedDocument] = []
        self._seen: set[tuple[int, int]] = set()
        self._of_sessions: Counter[int] = Counter()

    def add(self, found: Iterable[RankedDocument]) -> None:
        """Add documents, best first."""
        for document in found:
            place = (document.address.segment_ord, document.address.doc)
            if self._of_sessions[document.session] < self._most and place not in self._seen:
                self._seen.add(place)
                self._of_sessions[document.session] += 1
                self._all.append(document)

    @property
    def is_complete(self) -> bool:
        """True if nothing more is needed."""
        return len(self._all) >= self._limit

    @property
    def sessions(self) -> list[int]:
        """The sessions of which there are enough."""
        return [session for session, number in self._of_sessions.items() if number >= self._most]

    def chosen(self) -> list[RankedDocument]:
        """Return as many documents as the search asks for."""
        return self._all[: self._limit]


Ranked = tuple[list[RankedDocument], int]
"""Documents in order, best first, and the number of all matches."""


def ranked(  # noqa: PLR0913 - the index, the question, and its order
    searcher: tantivy.Searcher,
    asked: Ask,
    size: int,
    *,
    is_scored: bool,
    weight: float | None = None,
    least: int = 1,
) -> Ranked:
    """Return about `size` of the best documents, at least `least`, if there are as many.

    The order is by score, newer first on near ties; or by time, and then the weight is the score of all.
    tantivy chooses among equal documents by their places, which follow from the history of the index.
    So the documents equal to the last one found are left out, unless nothing is left.
    """
    while True:
        found, total = _first(searcher, asked, size, weight, is_scored=is_scored)
        if len(found) >= total:
            return found, total
        levels = [_level(document, is_scored=is_scored) for document in found]
        whole = levels.index(levels[-1])
        if whole >= least:
            return found[:whole], total
        size *= 8


def _first(searcher: tantivy.Searcher, asked: Ask, size: int, weight: float | None, *, is_scored: bool) -> Ranked:
    """Return the first documents in order.

    One query finds and counts: counting alone would cost as much again.
    """
    found = searcher.search(asked, size, count=True, order_by_field=None if is_scored else "time")
    addresses = [address for _, address in found.hits]
    sessions, files, times, keys = (
        searcher.fast_field_values(name, addresses) for name in ("session", "file", "time", "key")
    )
    documents = [
        RankedDocument(score if is_scored else weight, address, *(int(number or 0) for number in numbers))
        for (score, address), *numbers in zip(found.hits, sessions, files, times, keys, strict=True)
    ]
    documents.sort(key=lambda item: (-_level(item, is_scored=is_scored), -item.time, item.key))
    return documents, found.count  # type: ignore[attr-defined]


def _level(document: RankedDocument, *, is_scored: bool) -> float:
    """Return the score as far as it decides the order, or the time."""
    return round(document.score or 0.0, 1) if is_scored else document.time
