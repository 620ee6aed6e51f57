"""Snippets: the piece of a text around its matches, with the matches marked.

Texts may be megabytes long, and one answer needs twenty of them.  So a quick search finds words as they are
spelled, and identifiers by their parts in camel case.  If it finds nothing, a thorough search folds the text
window by window, as the index does.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

import tantivy

from backscroll.query.hits import Marks
from backscroll.query.language import Query, Term
from backscroll.query.words import LONGEST_WORD, analyser, humps, words_of

WIDTH = 160
WINDOW = 1 << 11
OVERLAP = 256
MOST_WINDOWS = 800
MOST_MATCHES = 8
_ASCII = "".join(filter(str.isalnum, map(chr, range(128))))
_LETTER = r"[^\W_]"
_BLANK = r"[\W_]"


class WantedWords(NamedTuple):
    """Words to mark, in order; the last may continue."""

    words: tuple[str, ...]
    is_prefix: bool
    spelled: re.Pattern[str]
    """The words with anything but letters between them, in any case; they may start inside another word."""
    is_bound: bool
    """The match must start at the start of a word; characters of unspaced scripts need not."""
    joined: re.Pattern[str] | None
    """The words as parts of one identifier in camel case; None if they cannot be that."""


class TextMatch(NamedTuple):
    """The start and end of a match in a text."""

    start: int
    end: int


class _Word(NamedTuple):
    """A word of a text and its position."""

    text: str
    start: int
    end: int


Finder = Callable[[str], list[TextMatch]]
"""A function that finds all matches in a text."""


def finders_of(query: Query) -> tuple[Finder, Finder]:
    """Return two functions that find the words of a query: a quick one, and a thorough one to try after it."""
    terms = [term for clause in query.clauses if not clause.is_negated for term in clause.terms]
    wanted = [item for term in terms for item in _wanted(term)]
    return lambda text: _find_quickly(text, wanted), lambda text: _find_thoroughly(text, wanted)


def _wanted(term: Term) -> Iterator[WantedWords]:
    words = tuple(words_of(term.text))
    if words:
        yield _sought(words, is_prefix=term.is_prefix)
        apart = tuple(words_of(humps(term.text.encode()))) if term.text.isascii() and len(words) == 1 else words
        if apart != words:
            yield _sought(apart, is_prefix=term.is_prefix)


def _sought(words: tuple[str, ...], *, is_prefix: bool) -> WantedWords:
    spelled = _in_any_case(words[0])
    for before, word in pairwise(words):
        spelled += f"{_BLANK}{'*' if _is_unspaced(before) or _is_unspaced(word) else '+'}{_in_any_case(word)}"
    if not _is_unspaced(words[-1]):
        spelled += f"{_LETTER}*" if is_prefix else f"(?!{_LETTER})"
    joined = None
    if all(word.isascii() for word in words):
        joined = re.compile("".join(map(_in_any_case, words)) + ("" if is_prefix else "(?![a-z])"))
    return WantedWords(words, is_prefix, re.compile(spelled), not _is_unspaced(words[0]), joined)


def _in_any_case(word: str) -> str:
    """Return a pattern for a word; it starts with a set of letters, which is faster than a flag."""
    return "".join(f"[{letter}{letter.upper()}]" if len(letter.upper()) == 1 else letter for letter in word)


def _is_unspaced(word: str) -> bool:
    """Return True if a word is a character of a script that puts no blanks between words."""
    return not word.isascii() and len(words_of(word + word)) > 1


def exact_finder(wanted: str) -> Finder:
    """Return a function that finds an exact text."""

    def find(text: str) -> list[TextMatch]:
        found: list[TextMatch] = []
        position = text.find(wanted)
        while position >= 0 and len(found) < 100:
            found.append(TextMatch(position, position + len(wanted)))
            position = text.find(wanted, position + max(len(wanted), 1))
        return found

    return find


def regex_finder(pattern: str) -> Finder:
    """Return a function that finds a regular expression in linear time; raise ValueError for a bad expression.

    It uses the regex engine of tantivy, which never backtracks.
    """
    engine = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(pattern)).build()

    def find(text: str) -> list[TextMatch]:
        clean = text.encode("utf-8", "replace").decode()
        return [TextMatch(token.char_offset_from, token.char_offset_to) for token in engine.pre_tokenize(clean).tokens]

    return find


def _find_quickly(text: str, wanted: Sequence[WantedWords]) -> list[TextMatch]:
    """Find words in their spelling, and as parts of identifiers."""
    found = [_spelled(text, item) or _joined(text, item) for item in wanted]
    if not text.isascii() and any(found) and not all(found):  # the missing words may be there with accents
        start = max(min(matches[0].start for matches in found if matches) - WINDOW // 2, 0)
        found += [_in_window(text, start, item) for item, matches in zip(wanted, found, strict=True) if not matches]
    return sorted({match for matches in found for match in matches})


def _find_thoroughly(text: str, wanted: Sequence[WantedWords]) -> list[TextMatch]:
    """Find words window by window; skip plain ASCII, where the quick search finds everything."""
    if text.isascii():
        return []
    return sorted({match for item in wanted for match in _in_first_window(text, item)})


def _spelled(text: str, wanted: WantedWords) -> list[TextMatch]:
    """Return the first matches of words in their spelling."""
    found = wanted.spelled.finditer(text)
    whole = (match for match in found if not wanted.is_bound or _begins_word(text, match.start()))
    return [TextMatch(*match.span()) for match in islice(whole, MOST_MATCHES)]


def _joined(text: str, wanted: WantedWords) -> list[TextMatch]:
    """Return the first matches of words that are parts of an identifier in camel case."""
    found: list[TextMatch] = []
    position = 0
    while wanted.joined and len(found) < MOST_MATCHES and (match := wanted.joined.search(text, position)):
        start, position = match.span()
        if text[start].isupper() or _begins_word(text, start):
            identifier = _around(text, start, position)
            found += _runs(_humps(text, identifier), wanted)
            position = identifier.end
    return found


def _begins_word(text: str, position: int) -> bool:
    return position == 0 or not text[position - 1].isalnum()


def _around(text: str, start: int, end: int) -> _Word:
    """Return the identifier around a position, cut to the longest that the index holds."""
    before = text[max(start - LONGEST_WORD, 0) : start]
    after = text[end : end + LONGEST_WORD]
    return _Word("", start - len(before) + len(before.rstrip(_ASCII)), end + len(after) - len(after.lstrip(_ASCII)))


def _in_first_window(text: str, wanted: WantedWords) -> list[TextMatch]:
    """Return the matches of the first window that has any."""
    for start in range(0, min(len(text), WINDOW * MOST_WINDOWS), WINDOW - OVERLAP):
        found = _in_window(text, start, wanted)
        if found:
            return found
    return []


def _in_window(text: str, start: int, wanted: WantedWords) -> list[TextMatch]:
    window = text[start : start + WINDOW]
    if wanted.spelled.search(" ".join(words_of(window))):
        return [TextMatch(start + match.start, start + match.end) for match in _runs(list(_words(window)), wanted)]
    return []


def _runs(words: Sequence[_Word], wanted: WantedWords) -> list[TextMatch]:
    """Return the matches of words in order."""
    length = len(wanted.words)
    found = []
    for first in range(len(words) - length + 1):
        run = words[first : first + length]
        whole = all(word.text == asked for word, asked in zip(run[:-1], wanted.words, strict=False))
        last = wanted.words[-1]
        if whole and (run[-1].text.startswith(last) if wanted.is_prefix else run[-1].text == last):
            found.append(TextMatch(run[0].start, run[-1].end))
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
    """Return the parts of an identifier in camel case; none if it is too long for the index."""
    piece = window[word.start : word.end]
    found, place = [], word.start
    for hump in humps(piece.encode()).split(" ") if len(piece) <= LONGEST_WORD else ():
        found.append(_Word(hump.lower(), place, place + len(hump)))
        place += len(hump)
    return found


def cut_out(text: str, matches: Sequence[TextMatch], width: int = WIDTH) -> tuple[str, Marks]:
    """Return the piece of a text with most matches, on one line, and the positions of the matches in it."""
    if not matches:
        return " ".join(text[: 2 * width].split())[:width], []
    first = max(range(len(matches)), key=lambda number: (_number_within(matches, number, width), -number))
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


def _number_within(matches: Sequence[TextMatch], number: int, width: int) -> int:
    limit = matches[number].start + width * 3 // 4
    return sum(1 for match in matches[number : number + 20] if match.end <= limit)


def _flat(text: str, before: str) -> str:
    """Return a text on one line, without double blanks at its joints."""
    flat = " ".join(text.split())
    lead = " " if text[:1].isspace() and before and not before.endswith(" ") else ""
    trail = " " if text[-1:].isspace() and flat else ""
    return f"{lead}{flat}{trail}"


_ANALYSER = analyser()
