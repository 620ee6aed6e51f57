"""Bytes of files as text."""

import pytest

from backscroll.sessions.file_changes.contents import Decoded, decode_file, is_doubtful


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"plain\n", Decoded("plain\n", "utf-8")),
        (b"\xef\xbb\xbfmark", Decoded("\ufeffmark", "utf-8")),
        ("\ufeffwide".encode("utf-16-le"), Decoded("\ufeffwide", "utf-16-le")),
        ("\ufeffwide".encode("utf-16-be"), Decoded("\ufeffwide", "utf-16-be")),
        (b"caf\xe9", None),
        (b"\x89PNG\r\n\x1a\n\x00", None),
        ("\ufffd\ufffd plain".encode(), Decoded("\ufffd\ufffd plain", "utf-8")),
    ],
)
def test_text_is_recognised(data: bytes, expected: Decoded | None) -> None:
    """UTF-8, and UTF-16 behind its mark, are text; anything else is bytes."""
    assert expected == decode_file(data)


def test_a_backup_that_was_copied_as_utf8_is_mended() -> None:
    """Claude Code 2.0.77 copied UTF-16 files as if they were UTF-8; plain ASCII survives that."""
    damaged = "\ufeffwide\n".encode("utf-16-le").decode(errors="replace").encode()

    assert is_doubtful(damaged)
    assert Decoded("\ufeffwide\n", "utf-16-le", is_mended=True) == decode_file(damaged)
    assert decode_file("\ufeffé\n".encode("utf-16-le").decode(errors="replace").encode()) is None
