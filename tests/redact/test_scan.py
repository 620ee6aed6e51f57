"""Streams and scans: input of any size, reports without values."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backscroll.redact import Detector, Redactor, redact_chunks, scan_bytes, scan_chunks, shipped_rules
from backscroll.redact.rules import Sighting
from backscroll.redact.stream import BEHIND, WINDOW

DETECTOR = Detector(shipped_rules())
KEY = b"AKIA" + b"FAKE" * 4
PSEUDONYM = "⟨aws-key-1⟩".encode()


def cut(data: bytes, size: int) -> Iterator[bytes]:
    """Yield data in chunks."""
    return (data[start : start + size] for start in range(0, len(data), size))


def redacted(data: bytes, size: int = 1 << 16) -> bytes:
    """Redact data in chunks."""
    return b"".join(redact_chunks(Redactor(), cut(data, size)))


def test_finding_says_where_and_not_what() -> None:
    """A finding has rule, offset, line and a masked sample; the value is nowhere in it."""
    (finding,) = scan_bytes(DETECTOR, b"one\ntwo " + KEY)

    assert ("aws-key", 8, 2) == (finding.rule, finding.offset, finding.line)
    assert "AKIA… (20 characters)" == finding.sample
    assert KEY.decode() not in repr(finding)


def test_nul_bytes_are_passed_over() -> None:
    """The detector does not look at windows of NUL bytes; a secret behind them keeps its offset and line."""
    looked: list[int] = []

    class Counting(Detector):
        def find(self, data: bytes) -> list[Sighting]:
            looked.append(len(data))
            return super().find(data)

    (finding,) = scan_chunks(Counting(shipped_rules()), [b"one\n", *[bytes(WINDOW)] * 20, b"\n" + KEY])

    assert (5 + 20 * WINDOW, 3) == (finding.offset, finding.line)
    assert len(looked) < 5


@pytest.mark.parametrize("text", ["PASSWORD=hunter2x", "mail fake@mail.test", "postgres://a:hunter2x@host/x"])
def test_sample_of_a_password_shows_nothing(text: str) -> None:
    """Passwords and identities have no public prefix: the sample is their length only."""
    (finding,) = scan_bytes(DETECTOR, text.encode())

    assert finding.sample.startswith("… (")


def test_short_token_does_not_show_half_of_itself() -> None:
    """A prefix is shown only if it is less than half of the value."""
    samples = [finding.sample for rule in shipped_rules() for finding in scan_bytes(DETECTOR, rule.matches[0].encode())]

    assert all(len(sample.partition("…")[0]) <= 24 for sample in samples)
    assert len(samples) >= len(shipped_rules())


def test_unsure_finding_says_so() -> None:
    """A token whose checksum is wrong is reported as unsure."""
    (finding,) = scan_bytes(DETECTOR, b"ghp_" + b"FaKe" * 9)

    assert not finding.sure


def test_stream_has_offsets_of_the_whole() -> None:
    """Findings in a stream have the offsets and lines of the whole input."""
    data = b"line of text\n" * 200_000 + KEY + b"\n" + b"line of text\n" * 100_000 + KEY
    findings = list(scan_chunks(DETECTOR, cut(data, 100_000)))

    assert [(data.find(KEY), 200_001), (data.rfind(KEY), 300_002)] == [(one.offset, one.line) for one in findings]


@pytest.mark.parametrize("place", [WINDOW - 10, WINDOW, WINDOW + BEHIND - 10, WINDOW + BEHIND])
@pytest.mark.parametrize("filler", [b"x ", b"\n"])
def test_secret_at_the_end_of_a_window(place: int, filler: bytes) -> None:
    """No window's end hides a secret, in one long line or in many."""
    data = (filler * place)[:place] + b" " + KEY + b" " + filler * WINDOW

    assert data.replace(KEY, PSEUDONYM) == redacted(data)


def test_context_before_a_window_counts() -> None:
    """A password at the start of a window is known by the name that stands before it."""
    data = b"x " * (WINDOW // 2 - 5) + b"PASSWORD=" + b"hunter2x" + b" y" * WINDOW

    assert b"hunter2x" not in redacted(data)


def test_token_longer_than_a_window_vanishes() -> None:
    """A token of several windows is replaced to its end."""
    data = b"see sk-ant-api03-" + b"Fak3" * WINDOW + b" there"
    output = redacted(data)

    assert b"Fak3" not in output
    assert output.startswith(b"see ")
    assert output.endswith(b" there")


def test_token_that_ends_with_its_window() -> None:
    """Text behind a token that fills the window exactly stays."""
    start = b"sk-ant-api03-"
    data = start + b"F" * (WINDOW + BEHIND - len(start)) + b" there" + b" x" * WINDOW

    assert redacted(data).endswith(b" there" + b" x" * WINDOW)


def test_empty_stream() -> None:
    """Nothing in, nothing out."""
    assert b"" == b"".join(redact_chunks(Redactor(), []))
    assert [] == list(scan_chunks(DETECTOR, []))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_read_and_stays(encoding: str) -> None:
    """UTF-16 with its mark is searched, and goes out as UTF-16."""
    text = f"\ufeffsee {KEY.decode()} there ü"
    data = text.encode(encoding)

    assert text.replace(KEY.decode(), PSEUDONYM.decode()) == redacted(data, 7).decode(encoding)
    assert ["aws-key"] == [one.rule for one in scan_chunks(DETECTOR, cut(data, 7))]


@settings(max_examples=30)
@given(st.lists(st.binary(max_size=50) | st.just(KEY) | st.just(b" "), max_size=20), st.integers(1, 40))
def test_chunks_do_not_matter(pieces: list[bytes], size: int) -> None:
    """The size of the chunks changes nothing."""
    data = b"see" + b"".join(pieces)

    assert redacted(data, size) == redacted(data)
    assert scan_bytes(DETECTOR, data) == list(scan_chunks(DETECTOR, cut(data, size)))


def test_redacted_output_scans_clean() -> None:
    """The scan finds nothing in what the redactor wrote."""
    text = "\n".join(example for rule in shipped_rules() for example in rule.matches)

    assert [] == scan_bytes(DETECTOR, redacted(text.encode()))
