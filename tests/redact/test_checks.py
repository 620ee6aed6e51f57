"""Checks: what makes a finding sure."""

from random import Random

import pytest
from redact.generate import web_token, with_checksum

from backscroll.redact.checks import (
    count_character_classes,
    entropy,
    expand_alphabet,
    has_crc32_tail,
    has_json_head,
    has_luhn_digit,
    make_check,
)

RANDOM = Random(7)  # noqa: S311 - fake secrets are meant to repeat


def test_entropy_counts_bits() -> None:
    """A single repeated byte has no entropy, sixteen different ones have four bits each."""
    assert 0 == entropy(b"aaaa")
    assert 4 == entropy(b"0123456789abcdef")


def test_checksum_of_github_tokens() -> None:
    """A token of GitHub's own making passes; one changed letter fails."""
    token = with_checksum("ghp_", RANDOM).encode()
    changed = token[:-1] + (b"a" if token[-1:] != b"a" else b"b")

    assert has_crc32_tail(token)
    assert not has_crc32_tail(changed)


def test_luhn_digit() -> None:
    """The Luhn checksum accepts a well-known test number and no other."""
    assert has_luhn_digit(b"4242 4242 4242 4242")
    assert not has_luhn_digit(b"4242 4242 4242 4243")
    assert not has_luhn_digit(b"none")


def test_json_head_of_web_tokens() -> None:
    """The head of a JWT is an object; noise, and base64 of a wrong length, is none."""
    assert has_json_head(web_token(RANDOM).encode())
    assert not has_json_head(b"eyJFak3.x")
    assert not has_json_head(b"eyJFa.x")


@pytest.mark.parametrize(
    "table, good, bad",
    [
        ({"kind": "length", "least": 3, "most": 4}, b"abc", b"abcde"),
        ({"kind": "entropy", "least": 1.5}, b"abcd", b"aaaa"),
        ({"kind": "alphabet", "chars": "a-f0-9"}, b"fa4e", b"fake"),
        ({"kind": "mixed", "least": 2}, b"abc1", b"abcd"),
        ({"kind": "checksum", "name": "luhn"}, b"4242424242424242", b"4242424242424241"),
    ],
)
def test_check_passes_and_fails(table: dict[str, object], good: bytes, bad: bytes) -> None:
    """Each kind of check passes for a good value and fails for a bad one."""
    check = make_check(table)

    assert check.passes(good, b"")
    assert not check.passes(bad, b"")


def test_context_check_looks_around() -> None:
    """A context word may stand before or behind the value, in any case."""
    check = make_check({"kind": "context", "words": ["inet"]})

    assert check.passes(b"x", b"INET x")
    assert not check.passes(b"x", b"other x")


def test_alphabet_is_written_with_ranges() -> None:
    """A dash between two characters is a range, a dash at the end is a dash."""
    assert b"abcx-" == expand_alphabet("a-cx-")


def test_character_classes() -> None:
    """Small letters, capitals, digits and others are four classes."""
    assert [1, 2, 4] == [count_character_classes(value) for value in (b"abc", b"aB", b"aB1-")]
