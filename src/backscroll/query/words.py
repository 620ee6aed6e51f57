"""Words: the search terms of a text.

A word is a run of letters and digits, without case, accents or width (`Café` is `cafe`).  So a search finds
`snake_case`, `kebab-case` and paths by their parts.  Scripts without blanks between words are cut into characters,
so that any substring is a phrase.  An identifier in camel case is one word, and a search finds its parts too.

`folded` and `humps_in` prepare a text for tantivy's analyser, which does the rest in native code.  A query passes
through the same functions.
"""

import re
import unicodedata
from functools import cache, lru_cache

import tantivy

LONGEST_WORD = 255
"""The longest word in bytes; nobody searches for longer ones."""
LONGEST_LINE = 2000
"""Search only lines longer than this for encoded data, because the search takes time."""

MOST_REPLACED = 24
"""Replace up to this many different characters beyond ASCII one by one, which is fastest."""
_ASCII = bytes(range(128))


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(
        "["
        "\u0e00-\u0eff"  # Thai, Lao
        "\u0f00-\u0fff"  # Tibetan
        "\u1000-\u109f"  # Burmese
        "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"  # Korean: has blanks, but particles are attached to words
        "\u1780-\u17ff"  # Khmer
        "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b"  # radicals and marks
        "\u3040-\u30ff\u31f0-\u31ff"  # Japanese syllables
        "\u3100-\u312f\u31a0-\u31bf"  # Bopomofo
        "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
        "]"
    )


APART = " \ua66e "
"""A letter that nobody types; it separates two identifiers, so that no phrase spans both."""


@cache
def _accents() -> re.Pattern[str]:
    return re.compile("[\u0300-\u036f]+")


@cache
def _encoded() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9+/=_-]{512,}")


_SHAPES = (
    bytes(
        ord("a") if chr(byte).islower() or chr(byte).isdigit() else ord("A") if chr(byte).isupper() else ord(" ")
        for byte in range(128)
    )
    + b" " * 128
)
_CAMEL_SIGNS = (b"aA", b"AAa")


@cache
def _hump() -> re.Pattern[str]:
    return re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]")


_LONG_S = str.maketrans("ς", "σ")


def folded(text: str) -> str:
    """Return a text for the analyser: no accents, no encoded data, blanks around characters of unspaced scripts."""
    if _has_long_line(text):
        text = _encoded().sub(" ", text)
    if text.isascii():
        return text
    try:
        used = set(text.encode().translate(None, _ASCII).decode())
    except UnicodeEncodeError:
        return _folded_whole(text)
    if len(used) > MOST_REPLACED or not all(map(_stands_alone, used)):
        return _folded_whole(text)
    for character in used:
        text = text.replace(character, _folded_one(character))
    return text


def _has_long_line(text: str) -> bool:
    start = 0
    while len(text) - start > LONGEST_LINE:
        end = text.rfind("\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            return True
        start = end + 1
    return False


def _folded_whole(text: str) -> str:
    if not unicodedata.is_normalized("NFKD", text) or _accents().search(text):
        text = unicodedata.normalize("NFC", _accents().sub("", unicodedata.normalize("NFKD", encodable(text))))
    return _unspaced().sub(r" \g<0> ", encodable(text.translate(_LONG_S) if "ς" in text else text))


_folded_one = lru_cache(1 << 14)(_folded_whole)


@lru_cache(1 << 14)
def _stands_alone(character: str) -> bool:
    """Return True if folding a character does not depend on the one before it: no mark, no part of a syllable."""
    first = unicodedata.normalize("NFKD", character)[0]
    return not unicodedata.category(first).startswith("M") and not "\u1160" <= first <= "\u11ff"


def encodable(text: str) -> str:
    """Return the text without lone surrogates, because no index can hold them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def humps_in(text: str) -> str:
    """Return the parts of all identifiers in camel case in a text, as one text."""
    raw = text.encode()
    shape = raw.translate(_SHAPES)
    found: set[bytes] = set()
    for sign in _CAMEL_SIGNS:
        position = shape.find(sign)
        while position >= 0:
            end = shape.find(b" ", position)
            end = len(raw) if end < 0 else end
            found.add(raw[shape.rfind(b" ", 0, position) + 1 : end])
            position = shape.find(sign, end)
    return APART.join(map(humps, found))


@lru_cache(1 << 16)
def humps(word: bytes) -> str:
    """Split an identifier in camel case into its parts.

    >>> humps(b"parseHTTPHeader2")
    'parse HTTP Header2'
    """
    return " ".join(_hump().findall(word.decode("ascii", "replace")))


def analyser() -> tantivy.TextAnalyzer:
    """Return the analyser that splits folded text into words."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(LONGEST_WORD))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .build()
    )


def words_of(text: str) -> list[str]:
    """Return the words of a text, or of a query, in order."""
    found: list[str] = _ANALYSER.analyze(folded(text))
    return found


_ANALYSER = analyser()
