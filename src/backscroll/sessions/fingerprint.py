"""Fingerprint: a few bytes that stand for a text, to find it again in another file."""

try:
    from _blake2 import blake2b  # what hashlib hands out; hashlib itself loads OpenSSL, 5 ms at every start
except ImportError:  # another Python than CPython
    from hashlib import blake2b


def fingerprint(data: bytes, size: int) -> bytes:
    """Return `size` bytes that differ where `data` differs."""
    return blake2b(data, digest_size=size).digest()


def text_key(text: str) -> bytes:
    """Return a short stable key of a text, to find it again in another file."""
    return fingerprint(text.strip().encode(errors="replace"), 8)


def number_of(data: bytes, *more: str | int) -> int:
    """Return a number of 64 bits that two things share only if all that is given is equal."""
    state = blake2b(data, digest_size=8)
    for item in more:
        state.update(b"\0")
        state.update(str(item).encode(errors="replace"))
    return int.from_bytes(state.digest(), "big", signed=True)
