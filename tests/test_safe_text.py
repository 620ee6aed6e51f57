"""Text made safe to show."""

import pytest

from backscroll.safe_text import one_line, printable


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "two\nlines\tand a tab",
        "漢字 naïve Ünïcödé",
        "👩\u200d💻 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3",
        "می\u200cخواهم",
        "[/foo] %s {x}",
    ],
)
def test_what_people_write_stays(text: str) -> None:
    """Text of any script, emoji and mark-up-like text pass unchanged."""
    assert text == printable(text)


@pytest.mark.parametrize(
    "text, shown",
    [
        ("\x1b]0;PWNED\x07", r"\x1b]0;PWNED\x07"),
        ("\x9b2J\x85\x7f", r"\x9b2J\x85\x7f"),
        ("\x00", r"\x00"),
        ("ok\rEVIL", r"ok\rEVIL"),
        ("one\r\ntwo", "one\ntwo"),
        ("one\r\r\ntwo", "one\ntwo"),
        ("\r" * 5 + "\n", "\\r\n"),
        ("\u202eevil\u202c", r"\u202eevil\u202c"),
        ("\u2066\u200e\u061c", r"\u2066\u200e\u061c"),
        ("pay\u200bpal\ufeff", r"pay\u200bpal\ufeff"),
        ("\u2028", r"\u2028"),
        ("\U000e0041", r"\U000e0041"),
        ("\udcff\udc80", r"\xff\x80"),
        ("\ud83d", r"\ud83d"),
    ],
)
def test_what_commands_or_hides_is_shown(text: str, shown: str) -> None:
    """Controls, direction marks, invisible characters and broken surrogates become visible escapes."""
    assert shown == printable(text)


@pytest.mark.parametrize("text", ["a\u200db", "\u200dx", "x\u200d", "é\u200c\u200cé", "x\ufe0f", "é\ufe0f\ufe0f"])
def test_joiners_and_selectors_out_of_place_are_shown(text: str) -> None:
    """A joiner or selector that joins or selects nothing is an escape: it hides or fakes."""
    assert "\\u" in printable(text)


def test_every_character_of_the_control_planes_is_harmless_afterwards() -> None:
    """Nothing below U+00A0 but printable ASCII, line feed and tab comes out."""
    shown = printable("".join(map(chr, range(0xA0))))

    assert set(shown) <= set(map(chr, range(32, 127))) | {"\n", "\t"}


def test_scrubbing_twice_is_scrubbing_once() -> None:
    """What was made printable is printable."""
    once = printable("\x1b[2J\u202e\r\n\udcff")

    assert once == printable(once)


def test_one_line_folds_white_space() -> None:
    """A title of several lines is one line."""
    assert r"a b c\x1b d" == one_line("  a\n\tb  c\x1b\r\n d ")


def test_the_result_can_always_be_encoded() -> None:
    """Whatever comes in, UTF-8 can carry what goes out."""
    text = "".join(map(chr, range(0x3000))) + "".join(map(chr, range(0xD800, 0xE000)))

    assert printable(text).encode()
