"""Encrypt bundles with a passphrase in the age format, by `pyrage`, an optional dependency."""

from importlib import import_module
from pathlib import Path
from typing import Any

from backscroll.errors import NotFoundError, QueryError, RefusedError, UnreadableError
from backscroll.files import read_small, reason_at_named

MAGIC = b"age-encryption.org/v1"
_LONGEST = 4096


def read_passphrase(path: Path) -> str:
    """Return the first line of a file."""
    try:
        text = read_small(path, _LONGEST).split(b"\n")[0].rstrip(b"\r").decode()
    except OSError as error:
        raise UnreadableError(f"the passphrase cannot be read: {reason_at_named(error)}", str(path)) from error
    except UnicodeDecodeError as error:
        raise QueryError("the passphrase is not UTF-8", str(path)) from error
    if not text:
        raise QueryError("the passphrase is empty", str(path))
    return text


def encrypt(data: bytes, passphrase: str) -> bytes:
    """Return the bytes, encrypted with the passphrase."""
    sealed: bytes = _pyrage().passphrase.encrypt(data, passphrase)
    return sealed


def decrypt(data: bytes, passphrase: str, where: str) -> bytes:
    """Return the decrypted bytes; refuse a wrong passphrase."""
    pyrage = _pyrage()
    try:
        plain: bytes = pyrage.passphrase.decrypt(data, passphrase)
    except pyrage.DecryptError as error:
        raise RefusedError("the passphrase does not open this bundle", where) from error
    return plain


def _pyrage() -> Any:
    try:
        return import_module("pyrage")
    except ImportError as error:
        remedy = "Install it: pip install 'backscroll[encryption]'."
        raise NotFoundError("encryption needs the package `pyrage`", remedy=remedy) from error
