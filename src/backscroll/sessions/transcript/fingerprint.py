"""Fingerprint: a few bytes that identify a text, to find it again in another file."""

try:
    from _blake2 import blake2b  # the same as in hashlib, which loads OpenSSL: 5 ms at every start
except ImportError:  # not CPython
    from hashlib import blake2b


def fingerprint(data: bytes, size: int) -> bytes:
    """Return a hash of `data` with `size` bytes."""
    return blake2b(data, digest_size=size).digest()


def text_key(text: str) -> bytes:
    """Return a short stable key of a text, to find it again in another file."""
    return fingerprint(text.strip().encode(errors="replace"), 8)


def number_of(data: bytes, *more: str | int) -> int:
    """Return a hash of 64 bits over all parts."""
    state = blake2b(data, digest_size=8)
    for item in more:
        state.update(b"\0")
        state.update(str(item).encode(errors="replace"))
    return int.from_bytes(state.digest(), "big", signed=True)
