"""Snippets: the piece of a text around what was found in it, with the matches marked.

Texts may be megabytes long, and twenty of them are looked through for one answer.  So a quick look finds words as
they are spelled, and identifiers by their humps; only where it finds nothing, a thorough one folds the text window by
window, as the index does.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise

import tantivy

from backscroll.lazy import pattern
from backscroll.text.hits import Marks
from backscroll.text.language import Query, Term
from backscroll.text.words import LONGEST_WORD, analyser, humps, words_of
from backscroll.value import NamedTuple

WIDTH = 160
WINDOW = 1 << 11
OVERLAP = 256
MOST_WINDOWS = 800
MOST_MATCHES = 8
_ASCII = "".join(filter(str.isalnum, map(chr, range(128))))
_LETTER = r"[^\W_]"
_BLANK = r"[\W_]"


class Wanted(NamedTuple):
    """What to mark: words in order, of which the last may go on."""

    words: tuple[str, ...]
    is_prefix: bool
    spelled: re.Pattern[str]
    """The words with anything but letters between them, in any case; they may begin inside another word."""
    is_bound: bool
    """It begins where a word begins; characters of unspaced scripts need not."""
    joined: re.Pattern[str] | None
    """The words as humps of one identifier; None where they can be none."""


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


def finders_of(query: Query) -> tuple[Finder, Finder]:
    """Return what finds the words of a query: quickly, and thoroughly where that finds nothing."""
    terms = [term for clause in query.clauses if not clause.is_negated for term in clause.terms]
    wanted = [item for term in terms for item in _wanted(term)]
    return lambda text: _find_quickly(text, wanted), lambda text: _find_thoroughly(text, wanted)


def _wanted(term: Term) -> Iterator[Wanted]:
    words = tuple(words_of(term.text))
    if words:
        yield _sought(words, is_prefix=term.is_prefix)
        apart = tuple(words_of(humps(term.text.encode()))) if term.text.isascii() and len(words) == 1 else words
        if apart != words:
            yield _sought(apart, is_prefix=term.is_prefix)


def _sought(words: tuple[str, ...], *, is_prefix: bool) -> Wanted:
    spelled = _in_any_case(words[0])
    for before, word in pairwise(words):
        spelled += f"{_BLANK}{'*' if _is_unspaced(before) or _is_unspaced(word) else '+'}{_in_any_case(word)}"
    if not _is_unspaced(words[-1]):
        spelled += f"{_LETTER}*" if is_prefix else f"(?!{_LETTER})"
    joined = None
    if all(word.isascii() for word in words):
        joined = pattern("".join(map(_in_any_case, words)) + ("" if is_prefix else "(?![a-z])"))
    return Wanted(words, is_prefix, pattern(spelled), not _is_unspaced(words[0]), joined)


def _in_any_case(word: str) -> str:
    """Return a pattern for a word; a set of letters to begin with is found faster than with a flag."""
    return "".join(f"[{letter}{letter.upper()}]" if len(letter.upper()) == 1 else letter for letter in word)


def _is_unspaced(word: str) -> bool:
    """Say whether a word is a character of a script that puts no blanks between words."""
    return not word.isascii() and len(words_of(word + word)) > 1


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


def _find_quickly(text: str, wanted: Sequence[Wanted]) -> list[Match]:
    """Find words as they are spelled, and as humps of identifiers."""
    found = [_spelled(text, item) or _joined(text, item) for item in wanted]
    if not text.isascii() and any(found) and not all(found):  # the missing ones may stand beside them, with accents
        start = max(min(matches[0].start for matches in found if matches) - WINDOW // 2, 0)
        found += [_in_window(text, start, item) for item, matches in zip(wanted, found, strict=True) if not matches]
    return sorted({match for matches in found for match in matches})


def _find_thoroughly(text: str, wanted: Sequence[Wanted]) -> list[Match]:
    """Find words window by window; in plain ASCII the quick look would have found them."""
    if text.isascii():
        return []
    return sorted({match for item in wanted for match in _in_first_window(text, item)})


def _spelled(text: str, wanted: Wanted) -> list[Match]:
    """Return the first matches of words as they are spelled."""
    found = wanted.spelled.finditer(text)
    whole = (match for match in found if not wanted.is_bound or _begins_word(text, match.start()))
    return [Match(*match.span()) for match in islice(whole, MOST_MATCHES)]


def _joined(text: str, wanted: Wanted) -> list[Match]:
    """Return the first matches of words that are humps of an identifier in camel case."""
    found: list[Match] = []
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
    """Return the identifier around a place; a longer one than the index holds is cut short."""
    before = text[max(start - LONGEST_WORD, 0) : start]
    after = text[end : end + LONGEST_WORD]
    return _Word("", start - len(before) + len(before.rstrip(_ASCII)), end + len(after) - len(after.lstrip(_ASCII)))


def _in_first_window(text: str, wanted: Wanted) -> list[Match]:
    """Return the matches of the first window that holds any."""
    for start in range(0, min(len(text), WINDOW * MOST_WINDOWS), WINDOW - OVERLAP):
        found = _in_window(text, start, wanted)
        if found:
            return found
    return []


def _in_window(text: str, start: int, wanted: Wanted) -> list[Match]:
    window = text[start : start + WINDOW]
    if wanted.spelled.search(" ".join(words_of(window))):
        return [Match(start + match.start, start + match.end) for match in _runs(list(_words(window)), wanted)]
    return []


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
    """Return the humps of an identifier in camel case; what is too long for a word has none."""
    piece = window[word.start : word.end]
    found, place = [], word.start
    for hump in humps(piece.encode()).split(" ") if len(piece) <= LONGEST_WORD else ():
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
