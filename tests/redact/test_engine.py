"""The engine: one pass finds the same as every rule on its own, in linear time."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from backscroll.redact import Rule, load_rules, shipped_rules
from backscroll.redact.engine import RuleEngine
from backscroll.redact.patterns import BytesMatch, BytesPattern
from backscroll.redact.rules import Sighting, match_rule

ENGINE = RuleEngine(shipped_rules())
KEY = b"AKIA" + b"FAKE" * 4


def names(data: bytes, engine: RuleEngine = ENGINE) -> list[tuple[str, bytes]]:
    """Return rule and value of each sighting."""
    return [(one.rule.name, one.value) for one in engine.find(data)]


def rule_for(literal: str, name: str) -> Rule:
    """Return a rule that finds a literal and a digit, inside words too."""
    table = f"""
    [[rule]]
    name = "{name}"
    family = "fake"
    literals = ["{literal}"]
    pattern = '{literal}[0-9]'
    inside_words = true
    matches = ["{literal}1", "{literal}2"]
    ignores = ["{literal}", "x"]
    """
    return load_rules(table, name)[0]


def test_sighting_says_where() -> None:
    """A sighting has the offsets and the value of the part to replace."""
    (one,) = ENGINE.find(b"id = " + KEY + b";")

    assert (5, 25, "aws-key", KEY) == (one.start, one.end, one.rule.name, one.value)


def test_token_inside_a_word_is_none() -> None:
    """A token that continues a word, or goes on as one, is not found."""
    assert [] == names(b"x" + KEY)
    assert [] == names(KEY + b"x")


def test_group_is_replaced_alone() -> None:
    """A rule with a group leaves the text around it."""
    assert [("url-password", b"fake-pw")] == names(b"postgres://app:fake-pw@db/app")


def test_first_rule_names_an_overlap() -> None:
    """Where two rules overlap, there is one sighting of both, named by the rule that stands first."""
    assert [("aws-key", KEY)] == names(b"ACCESS_KEY=" + KEY)


def test_literal_that_begins_inside_another_is_met() -> None:
    """Literals may overlap: none hides another."""
    engine = RuleEngine([rule_for("abcd", "one"), rule_for("cdef", "two"), rule_for("bc", "three")])

    assert ["one", "two", "three"] == [
        name for text in (b"abcd1", b"abcdef2", b"abc3") for name, _ in names(text, engine)
    ]


def test_literal_in_another_case_inside_another_is_met() -> None:
    """A literal that ignores case is met inside one that does not, and in its own capitals."""
    token = b"Fak3Fak3Fak3Fak3Fak3access_token$x1"

    assert [("npm-auth", token)] == names(b"//registry/:_authToken=" + token)


def test_failed_check_makes_a_finding_unsure() -> None:
    """A failed check lowers `sure`; the finding stays."""
    (one,) = ENGINE.find(b"ghp_" + b"FaKe" * 9)

    assert ("github-token", False) == (one.rule.name, one.sure)


def test_repr_of_a_sighting_hides_the_value() -> None:
    """No repr shows a secret."""
    assert KEY.decode() not in repr(ENGINE.find(KEY))


SINGLE = [RuleEngine([rule]) for rule in shipped_rules()]


def naive(data: bytes) -> list[Sighting]:
    """Find with every rule on its own; the slow way that the engine must agree with."""
    return ENGINE.merge(one for engine in SINGLE for one in engine.find(data))


PIECES = [
    *(example for rule in shipped_rules() for example in rule.matches[:1]),
    *("sk-", "token", "secret=", "://", "@", "AKIA", "=", '"', "\\", " ", "\n", "x", "9"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_one_pass_finds_what_single_rules_find(pieces: list[str]) -> None:
    """The pass over all literals loses nothing that a rule on its own finds."""
    data = "".join(pieces).encode()

    assert [(one.start, one.end) for one in naive(data)] == [(one.start, one.end) for one in ENGINE.find(data)]


@given(st.binary(max_size=300))
def test_any_bytes_are_read(data: bytes) -> None:
    """No input makes the engine fail; sightings are sorted and do not overlap."""
    found = ENGINE.find(data)

    assert all(one.end <= other.start for one, other in pairwise(found))


class CountingPattern:
    """A pattern that counts the bytes it is shown."""

    def __init__(self, pattern: BytesPattern) -> None:
        self.pattern = pattern
        self.shown = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self.pattern, name)

    def match(self, text: bytes, pos: int = 0, endpos: int = 0) -> BytesMatch | None:
        """Match as the pattern does."""
        self.shown += min(endpos, len(text)) - pos
        return self.pattern.match(text, pos, endpos)


ADVERSARIAL = {
    **{text.encode(): rule.longest for rule in shipped_rules() for text in (*rule.literals[:1], rule.matches[0])},
    **dict.fromkeys((b"eyJ.", b"1.", b"a@a.a", b"://a:", b"password='", b"a", b"Q~", b"A" * 99 + b"-us1"), 512),
    b"-----BEGIN PRIVATE KEY-----": 8192,
}
"""Repetitions that try to make the engine look again and again, with the window of the rule they aim at."""


COUNTING = [CountingPattern(rule.pattern) for rule in shipped_rules()]
COUNTED = RuleEngine(
    [replace(rule, pattern=pattern) for rule, pattern in zip(shipped_rules(), COUNTING, strict=True)]  # type: ignore[arg-type]
)


def work(data: bytes) -> int:
    """Return how many bytes the engine shows to its rules."""
    before = sum(pattern.shown for pattern in COUNTING)
    COUNTED.find(data)
    return sum(pattern.shown for pattern in COUNTING) - before


def test_work_grows_no_faster_than_the_input() -> None:
    """Twice the input is at most about twice the work, for repetitions of every literal and every example."""
    works = {
        unit: [work(unit * (times * longest // len(unit))) for times in (8, 16)]
        for unit, longest in ADVERSARIAL.items()
    }

    assert {} == {unit: (small, large) for unit, (small, large) in works.items() if large > 2.2 * small + 1000}


@given(st.integers(600, 5000))
def test_match_longer_than_the_window_is_whole(length: int) -> None:
    """A token is found to its end, however long it is."""
    token = b"sk-ant-api03-" + b"Fak3" * length

    assert [("anthropic-api-key", token)] == names(b"see " + token + b" there")


def test_engine_without_rules_finds_nothing() -> None:
    """An empty table is no error."""
    assert [] == RuleEngine([]).find(KEY)


def test_merge_joins_partial_overlaps() -> None:
    """Two sightings that overlap in part become one with the whole value."""
    rule = shipped_rules()[0]
    merged = ENGINE.merge([Sighting(0, 4, rule, False, b"abcd"), Sighting(2, 6, rule, True, b"cdef")])  # noqa: FBT003

    assert [(0, 6, True, b"abcdef")] == [(one.start, one.end, one.sure, one.value) for one in merged]


class CountedBytes(bytes):
    """Bytes that count how many of them are copied when they are joined."""

    copied = 0

    def __add__(self, other: Any) -> "CountedBytes":
        """Join as bytes do."""
        CountedBytes.copied += len(self) + len(other)
        return CountedBytes(bytes.__add__(self, other))


def test_a_long_chain_of_overlaps_is_copied_once() -> None:
    """A value that grows with every overlap is not copied again each time: hostile input stays cheap."""
    rule, text = shipped_rules()[0], b"abcdefgh" * 500
    places = range(0, len(text) - 8, 4)
    chain = [Sighting(place, place + 8, rule, True, CountedBytes(text[place : place + 8])) for place in places]  # noqa: FBT003
    merged = ENGINE.merge(chain)

    assert [(0, places[-1] + 8, text[: places[-1] + 8])] == [(one.start, one.end, one.value) for one in merged]
    assert CountedBytes.copied <= 2 * len(text)


def test_place_without_a_match_gives_none() -> None:
    """A rule at a place where it does not match finds nothing."""
    assert match_rule(rule_for("abcd", "one"), b"abcdx", 0) is None
