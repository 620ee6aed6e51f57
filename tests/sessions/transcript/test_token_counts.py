"""Token counts that are not believed are named, each with its reason."""

from typing import Any

import pytest

from backscroll.sessions.transcript.token_counts import DOUBT, LARGEST_COUNT, doubt


@pytest.mark.parametrize(
    "count, reason",
    [
        ("12", "is text"),
        ("9" * 5000, f"is over {LARGEST_COUNT:,}"),
        ("x" * 5000, "is text"),
        (-1, "is negative"),
        (LARGEST_COUNT + 1, f"is over {LARGEST_COUNT:,}"),
        (1.5, "is a fraction"),
        (True, "is true or false"),
    ],
)
def test_a_count_that_is_not_believed(count: Any, reason: str) -> None:
    """Texts, fractions, negative and absurd counts are named with the field that holds them."""
    record = {"type": "assistant", "message": {"usage": {"input_tokens": 3, "output_tokens": count}}}

    assert f"{DOUBT}output_tokens {reason}" == doubt(record)


@pytest.mark.parametrize("count", [0, LARGEST_COUNT, None])
def test_a_count_that_is_believed(count: int | None) -> None:
    """Whole numbers up to the limit, and missing ones, are not named."""
    assert doubt({"type": "assistant", "message": {"usage": {"output_tokens": count}}}) is None
