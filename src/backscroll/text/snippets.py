"""Snippets: the piece of a text around what was found in it, with the matches marked.

Texts may be megabytes long: windows of them are looked at until one holds the best part of what is looked for.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import tantivy

from backscroll.text.hits import Marks
from backscroll.text.language import Query, Term
from backscroll.text.words import analyser, humps, words_of

WIDTH = 160
WINDOW = 1 << 14
OVERLAP = 256
MOST_WINDOWS = 100
MOST_MATCHES = 8
MOST_TRIES = 30
MOST_PLACES = 500


class Wanted(NamedTuple):
    """What to mark: words in order, of which the last may go on."""

    words: tuple[str, ...]
    is_prefix: bool


class Match(NamedTuple):
    """Where something was found in a text: beginning and end."""

    start: int
    end: int


class _Word(NamedTuple):
    """A word of a text and where it stands."""

    text: str
    start: int
    end: int


Finder = Callable[[str], list[Match]]
"""Finds all that matches in a text."""


def finder_of(query: Query) -> Finder:
    """Return what finds the words of a query."""
    terms = [term for clause in query.clauses if not clause.is_negated for term in clause.terms]
    wanted = [item for term in terms for item in _wanted(term)]
    return lambda text: _find(text, wanted)


def _wanted(term: Term) -> Iterator[Wanted]:
    words = tuple(words_of(term.text))
    if words:
        yield Wanted(words, term.is_prefix)
        apart = tuple(words_of(humps(term.text.encode()))) if term.text.isascii() and len(words) == 1 else words
        if apart != words:
            yield Wanted(apart, term.is_prefix)


def exact_finder(wanted: str) -> Finder:
    """Return what finds a text letter by letter."""

    def find(text: str) -> list[Match]:
        found: list[Match] = []
        position = text.find(wanted)
        while position >= 0 and len(found) < 100:
            found.append(Match(position, position + len(wanted)))
            position = text.find(wanted, position + max(len(wanted), 1))
        return found

    return find


def regex_finder(pattern: str) -> Finder:
    """Return what finds a regular expression, in time that grows with the text alone; ValueError for a bad one.

    The engine is that of the full-text index, in which no expression can take for ever.
    """
    engine = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(pattern)).build()

    def find(text: str) -> list[Match]:
        clean = text.encode("utf-8", "replace").decode()
        return [Match(token.char_offset_from, token.char_offset_to) for token in engine.pre_tokenize(clean).tokens]

    return find


def _find(text: str, wanted: Sequence[Wanted]) -> list[Match]:
    """Find words in a text: near where their letters stand, else window by window."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = text
    return sorted({match for item in wanted for match in _near(text, lower, item) or _anywhere(text, item)})


def _anywhere(text: str, wanted: Wanted) -> list[Match]:
    """Return the matches of the first window that holds any; in plain ASCII the letters would have been found."""
    if not text.isascii():
        for start in range(0, min(len(text), WINDOW * MOST_WINDOWS), WINDOW - OVERLAP):
            found = _in_window(text, start, start + WINDOW, wanted)
            if found:
                return found
    return []


def _near(text: str, lower: str, wanted: Wanted) -> list[Match]:
    """Return the first matches around the places where the first of some words stands."""
    whole, others = [], []
    for position in islice(_places(lower, wanted.words[0]), MOST_PLACES):
        end = position + len(wanted.words[0])
        is_begun = position == 0 or not lower[position - 1].isalnum()
        is_ended = end == len(lower) or not lower[end].isalnum()
        if is_begun and (is_ended or wanted.is_prefix):
            whole.append(position)
        else:
            others.append(position)
    if len(wanted.words) == 1 and whole:
        return [Match(*_widened(text, position, position + len(wanted.words[0]))) for position in whole[:MOST_MATCHES]]
    return _around(text, whole[:MOST_MATCHES], wanted) or _around(text, others[:MOST_TRIES], wanted)


def _places(text: str, word: str) -> Iterator[int]:
    position = text.find(word)
    while position >= 0:
        yield position
        position = text.find(word, position + 1)


def _around(text: str, positions: Iterable[int], wanted: Wanted) -> list[Match]:
    """Return the matches that stand at some places, word by word."""
    found: list[Match] = []
    for position in positions:
        if len(found) >= MOST_MATCHES or (found and position < found[-1].end):
            continue
        start, end = _widened(text, position, position + OVERLAP)
        found += [match for match in _in_window(text, start, end, wanted) if match.end > position][:1]
    return found


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a stretch of text that cuts no word in two."""
    start, end = max(start, 0), min(end, len(text))
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return start, end


def _in_window(text: str, start: int, end: int, wanted: Wanted) -> list[Match]:
    window = text[start:end]
    words = list(_words(window))
    found = _runs(words, wanted)
    if not found:
        found = [match for word in words for match in _runs(_humps(window, word), wanted)]
    return [Match(start + match.start, start + match.end) for match in found]


def _runs(words: Sequence[_Word], wanted: Wanted) -> list[Match]:
    """Return where some words stand in order."""
    length = len(wanted.words)
    found = []
    for first in range(len(words) - length + 1):
        run = words[first : first + length]
        whole = all(word.text == asked for word, asked in zip(run[:-1], wanted.words, strict=False))
        last = wanted.words[-1]
        if whole and (run[-1].text.startswith(last) if wanted.is_prefix else run[-1].text == last):
            found.append(Match(run[0].start, run[-1].end))
    return found


def _words(window: str) -> Iterator[_Word]:
    clean = window.encode("utf-8", "replace").decode()
    for token in _ANALYSER.pre_tokenize(clean).tokens:
        start, end = token.char_offset_from, token.char_offset_to
        if token.text.isascii():
            yield _Word(token.text, start, end)
            continue
        parts = words_of(clean[start:end])
        is_apart = len(parts) == end - start
        for number, part in enumerate(parts):
            yield _Word(part, start + number, start + number + 1) if is_apart else _Word(part, start, end)


def _humps(window: str, word: _Word) -> list[_Word]:
    """Return the humps of an identifier in camel case."""
    piece = window[word.start : word.end]
    found, place = [], word.start
    for hump in humps(piece.encode()).split(" ") if piece.isascii() else ():
        found.append(_Word(hump.lower(), place, place + len(hump)))
        place += len(hump)
    return found


def cut_out(text: str, matches: Sequence[Match], width: int = WIDTH) -> tuple[str, Marks]:
    """Return the piece of a text where most matches stand together, on one line, and where they stand in it."""
    if not matches:
        return " ".join(text[: 2 * width].split())[:width], []
    first = max(range(len(matches)), key=lambda number: (_seen_from(matches, number, width), -number))
    start = max(min(matches[first].start - width // 4, len(text) - width), 0)
    end = min(max(start + width, matches[first].end), len(text))
    pieces, marks = "", []
    position = start
    for match in (item for item in matches if start <= item.start and item.end <= end):
        if match.start < position:
            continue
        pieces += _flat(text[position : match.start], pieces)
        begun = len(pieces)
        pieces += _flat(text[match.start : match.end], pieces)
        marks.append((begun, len(pieces)))
        position = match.end
    pieces += _flat(text[position:end], pieces)
    return pieces.rstrip(), marks


def _seen_from(matches: Sequence[Match], number: int, width: int) -> int:
    limit = matches[number].start + width * 3 // 4
    return sum(1 for match in matches[number : number + 20] if match.end <= limit)


def _flat(text: str, before: str) -> str:
    """Return a text on one line; blanks do not pile up where two pieces meet."""
    flat = " ".join(text.split())
    lead = " " if text[:1].isspace() and before and not before.endswith(" ") else ""
    trail = " " if text[-1:].isspace() and flat else ""
    return f"{lead}{flat}{trail}"


_ANALYSER = analyser()
