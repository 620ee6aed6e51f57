"""Texts, JSON, storage keys and moments of what pages store."""

from datetime import UTC, datetime
from typing import Any

import pytest

from backscroll.formats.chromium.records import ODD_TEXT, UNKNOWN_TEXT, json_of, moment, split_storage_key, text_of
from backscroll.formats.json.lenient import LONE_SURROGATE, NOT_A_NUMBER


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"", ("", None)),
        (b"\x01", ("", None)),
        (b"\x01caf\xe9", ("café", None)),
        (b"\x00\xe5\x65", ("日", None)),
        (b"\x00\x00\xd8", ("\ud800", None)),
        (b"\x00a\0b", ("a", ODD_TEXT)),
        (b"\x02abc", (None, UNKNOWN_TEXT)),
    ],
)
def test_text(data: bytes, expected: tuple[str | None, str | None]) -> None:
    """The first byte tells UTF-16 from Latin-1; nothing at all is the empty text."""
    assert expected == text_of(data)


@pytest.mark.parametrize(
    "text, expected",
    [
        (None, (None, False, None)),
        ("", (None, False, None)),
        ("google", (None, False, None)),
        ("{torn", (None, False, None)),
        ("null", (None, True, None)),
        (' {"a": [1]}', ({"a": [1]}, True, None)),
        ("[NaN]", ([None], True, NOT_A_NUMBER)),
        ('"\ud800"', ("\ufffd", True, None)),
        (r'"\ud800"', ("\ufffd", True, LONE_SURROGATE)),
    ],
)
def test_json(text: str | None, expected: tuple[Any, bool, str | None]) -> None:
    """A text is JSON if it can be read as such; what comes out is clean."""
    assert expected == json_of(text)


@pytest.mark.parametrize(
    "key, expected",
    [
        ("https://claude.ai", ("https://claude.ai", None)),
        ("https://claude.ai/", ("https://claude.ai", None)),
        ("https://a.example/^0https://claude.ai", ("https://a.example", "https://claude.ai")),
        ("https://a.example/^31", ("https://a.example", "^31")),
        ("https://a.example/^0https://b.example^31", ("https://a.example", "^0https://b.example^31")),
        ("chrome://settings", ("chrome://settings", None)),
    ],
)
def test_storage_keys(key: str, expected: tuple[str, str | None]) -> None:
    """An origin is the same with and without a slash, and a partition that is no plain site is kept as it is."""
    assert expected == split_storage_key(key)


def test_moments() -> None:
    """Times are microseconds since 1601; those that no calendar has are unknown."""
    assert moment(13439249011796995) == datetime(2026, 11, 15, 20, 43, 31, 796995, UTC)
    assert moment(1 << 63) is None
