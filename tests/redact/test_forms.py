"""Forms: a secret is found in every spelling, and exactly its place is replaced."""

import base64
import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backscroll.redact import Detector, Redactor, shipped_rules
from backscroll.redact.forms import LARGEST_VIEW, SEPARATOR, DecodedView, end_words_at_escapes, is_base64_of_text, views

DETECTOR = Detector(shipped_rules())
KEY = "AKIA" + "FAKE" * 4


def found(text: str) -> list[str]:
    """Return the source text of each sighting."""
    data = text.encode()
    return [data[one.start : one.end].decode() for one in DETECTOR.find(data)]


def view_of(form: str, data: bytes) -> DecodedView:
    """Return the only view of a form."""
    (view,) = [view for view in views(data) if view.form == form]
    return view


@pytest.mark.parametrize("depth", range(4))
def test_token_behind_an_escaped_line_end(depth: int) -> None:
    """JSON in JSON, at any depth, does not hide a token behind the letter of an escape."""
    text = f"first\n{KEY}\tlast"
    for _ in range(depth):
        text = json.dumps({"text": text})

    assert [KEY] == found(text)


def test_escapes_keep_their_places() -> None:
    """Escaped line ends become line ends without moving a byte."""
    data = rb"a\nb\rc\td\\n"

    assert len(data) == len(end_words_at_escapes(data))
    assert b"a\\\nb\\\rc\\\td\\\\\n" == end_words_at_escapes(data)


@pytest.mark.parametrize(
    "form, written",
    [
        ("json", KEY.replace("F", r"\u0046", 1)),
        ("url", KEY.replace("F", "%46", 1)),
        ("html", KEY.replace("F", "&#70;", 1)),
        ("terminal", KEY.replace("F", "\x1b[1mF\x1b[0m", 1)),
        ("terminal", KEY.replace("F", "\u200bF", 1)),
        ("wrapped", KEY[:3] + "\n  " + KEY[3:]),
        ("wrapped", KEY[:17] + "\n+" + KEY[17:]),
    ],
)
def test_written_form_is_replaced_exactly(form: str, written: str) -> None:
    """A finding in a decoded form covers the written form, no more and no less."""
    text = f"say {written} there"

    assert form in {view.form for view in views(text.encode())}
    assert [written] == found(text)


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode, lambda data: data.hex().encode()])
def test_encoded_run_is_replaced_whole(encode: object) -> None:
    """A secret in base64 or hexadecimal digits takes its whole run with it."""
    assert callable(encode)
    run = encode(f"the key is {KEY} and more".encode()).decode()

    assert [run] == found(f"see {run} there")


def test_base64_over_lines_is_joined() -> None:
    """Base64 that was broken into lines of 76 characters is read as one run."""
    encoded = base64.encodebytes(f"{'text ' * 20}{KEY}{' text' * 20}".encode()).decode()
    redacted = Redactor().redact_text(f"mail:\n\n{encoded}\nend")

    assert "aws-key" in redacted
    assert base64.b64encode(KEY.encode()).decode()[:20] not in redacted.replace("\n", "")


@pytest.mark.parametrize("outer", [json.dumps, lambda text: quote(text, safe=""), html.escape])
def test_two_levels_are_decoded(outer: object) -> None:
    """Base64 within another form is decoded too."""
    assert callable(outer)
    inner = base64.b64encode(f'{{"key": "{KEY}"}}'.encode()).decode()

    assert 1 == len(found(f"x {outer('?a=' + inner + '&b=<1>')} y"))


def test_whole_token_does_not_swallow_the_next_line() -> None:
    """A token that ends with its line stays apart from a word on the next."""
    token = "sk-ant-api03-" + "Fak3" * 10

    assert [token] == found(f"{token}\nexport PATH")


def test_long_token_goes_on_in_the_next_line() -> None:
    """A token that fills its line and goes on is found to its end."""
    token = "sk-ant-api03-" + "Fak3" * 10 + "\n" + "Fak3" * 10

    assert [token] == found(f"see {token} there")


@given(st.text(max_size=60), st.text(max_size=60))
def test_view_leads_back_to_the_source(before: str, behind: str) -> None:
    """For any text around it, a token in an escaped JSON string is found at its own place."""
    text = json.dumps(f"{before} {KEY} {behind}").replace("AKIA", r"\u0041KIA")
    data = text.encode()
    spans = [data[one.start : one.end] for one in DETECTOR.find(data)]

    assert any(KEY[1:].encode() in span and span.startswith(b"\\u0041") for span in spans)


@given(st.binary(max_size=400))
def test_spans_of_views_lie_in_the_source(data: bytes) -> None:
    """Every byte of every view comes from somewhere in the source."""
    for view in views(data):
        for place in range(0, max(1, len(view.data) - 3), 7):
            start, end = view.source_span(place, min(place + 3, len(view.data)))

            assert 0 <= start <= end <= len(data)


def test_marks_of_a_view() -> None:
    """Plain bytes lead to themselves, decoded ones to the whole escape."""
    view = view_of("url", b"a%41b")

    assert b"aAb\n\x00\n" == view.data
    assert [(0, 1), (1, 4), (4, 5), (0, 5)] == [view.source_span(*span) for span in ((0, 1), (1, 2), (2, 3), (0, 3))]


def test_long_lines_are_read_in_slices() -> None:
    """A line of several megabytes is decoded in views of at most one."""
    line = b"x" * (3 * LARGEST_VIEW) + rb"\u0041" + KEY[1:].encode() + b" " + b"x" * LARGEST_VIEW
    sizes = [len(view.data) for view in views(line) if view.form == "json"]

    assert len(sizes) > 3
    assert max(sizes) <= LARGEST_VIEW + 3
    assert ["aws-key"] == [one.rule.name for one in DETECTOR.find(line.replace(b"x\\u", b" \\u"))]


def test_many_regions_share_views() -> None:
    """Many short lines become few views, so that a text of many escapes costs no more than its size."""
    data = b"\x1b[1mx\x1b[0m\n" * 1000

    assert 1 == len([view for view in views(data) if view.form == "terminal"])


def test_image_is_not_text() -> None:
    """Base64 of an image is no text; base64 of a note is, and so is a sentence."""
    image = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(100))).decode()

    assert not is_base64_of_text(image)
    assert is_base64_of_text(base64.b64encode(b"a note about a key, in plain text").decode())
    assert is_base64_of_text("not base64 at all")


@pytest.mark.parametrize("byte", [b"\0", b"\x01", b"\x7f"])
def test_a_run_of_control_characters_is_one_mark(byte: bytes) -> None:
    """NUL blocks that a crash left cost no memory for each byte, and no token hides in them."""
    (view,) = [view for view in views(b"gh" + byte * 100_000 + b"p_x") if view.form == "terminal"]

    assert b"ghp_x" == view.data.removesuffix(SEPARATOR)
    assert (1, 100_003) == view.source_span(1, 3)
    assert view.marks is not None
    assert len(view.marks[0]) < 10
