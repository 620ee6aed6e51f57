"""Words: cut, folded, in every script, the same for a text and for a query."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from backscroll.query.words import LONGEST_LINE, _folded_whole, folded, humps, humps_in, words_of


@pytest.mark.parametrize(
    "text, words",
    [
        ("snake_case kebab-case", ["snake", "case", "kebab", "case"]),
        ("/srv/shop/cart.py:12", ["srv", "shop", "cart", "py", "12"]),
        ("parseSessionHeader", ["parsesessionheader"]),
        ("Café RÉSUMÉ Straße", ["cafe", "resume", "strasse"]),
        ("re\u0301sume\u0301", ["resume"]),
        ("ΟΔΟΣ οδός", ["οδοσ", "οδοσ"]),
        ("Ёлка", ["елка"]),
        ("ｆｕｌｌ ﬁle", ["full", "file"]),
        ("修复错误", ["修", "复", "错", "误"]),
        ("がぎ データ", ["が", "ぎ", "デ", "ー", "タ"]),
        ("한국어", ["한", "국", "어"]),
        ("x86修复", ["x86", "修", "复"]),
        ("a\ud800b", ["a", "b"]),
        ("c++ -- ...", ["c"]),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    """A text becomes runs of letters and digits without case, accents or width; unspaced scripts become characters."""
    assert words == words_of(text)


def test_long_words() -> None:
    """Hashes and long identifiers are words; encoded data is none."""
    digest = "0123456789abcdef" * 4
    encoded = "QUJD" * 1000

    assert [digest, "end"] == words_of(f"{digest} {encoded} end")


@pytest.mark.parametrize(
    "word, parts",
    [
        ("parseSessionHeader", "parse Session Header"),
        ("HTTPServer", "HTTP Server"),
        ("getX", "get X"),
        ("utf8Decoder2", "utf8 Decoder2"),
    ],
)
def test_humps(word: str, parts: str) -> None:
    """An identifier in camel case is cut at its humps."""
    assert parts == humps(word.encode())
    assert parts == humps_in(f"see {word}(1)")


def test_no_humps() -> None:
    """What is no camel case has no humps."""
    assert not humps_in("Plain words, UPPER and snake_case: 12 ab3")


@given(some.text(max_size=300))
def test_anything(text: str) -> None:
    """No text is refused, and folding twice is folding once."""
    words = words_of(text)

    assert words == words_of(folded(text))
    humps_in(folded(text))


ODD = "é\u0301ς…→✓ﬁ½´ïßØ㎏豈修複がｶﾞﾟ\u3099한ㄱㅏ\u1100\u1161\u11a8ﾡￂ\u09c7\u09be\u0e33กำ\U0001f680\ufe0f\u00b5Åǅ"
"""Characters that are folded, some of them only together with the one before."""


@given(some.text(some.one_of(some.sampled_from(f"aZ \n{ODD}"), some.characters(codec="utf-8"))))
def test_one_by_one_is_as_at_once(text: str) -> None:
    """A text whose few odd characters are replaced one after the other has the words of one folded as a whole."""
    assert _folded_whole(text).split() == folded(text).split()


@pytest.mark.parametrize("length", [LONGEST_LINE, LONGEST_LINE + 1])
def test_encoded_data_lies_in_long_lines(length: int) -> None:
    """Runs of base64 are left out of lines that are too long to be read."""
    text = "\n".join(["short " * 300, "A" * length, "b" * 600, "c " * 1000])

    assert ("A" * length in folded(text)) == (length == LONGEST_LINE)
