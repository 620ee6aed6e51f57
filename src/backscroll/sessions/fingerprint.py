"""Fingerprint: a few bytes that stand for a text, to find it again in another file."""

try:
    from _blake2 import blake2b  # what hashlib hands out; hashlib itself loads OpenSSL, 5 ms at every start
except ImportError:  # another Python than CPython
    from hashlib import blake2b


def fingerprint(data: bytes, size: int) -> bytes:
    """Return `size` bytes that differ where `data` differs."""
    return blake2b(data, digest_size=size).digest()
