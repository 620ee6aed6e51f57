"""Normalise file paths in transcripts: absolute, normal, in the style of their system.

A path is only data here; this module opens nothing.  It applies the rules of the system that wrote the transcript;
the path itself shows which.
"""

import ntpath
import posixpath
import re
import unicodedata
from functools import cache


@cache
def _drive() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z]:(?=[\\/]|$)|\\\\[^\\]")


@cache
def _home() -> re.Pattern[str]:
    return re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root|[A-Za-z]:\\Users\\[^\\]+)(?=[\\/]|$)")


@cache
def _store() -> re.Pattern[str]:
    return re.compile(r"[\\/]\.claude[\\/]projects[\\/]")


def is_windows(path: str) -> bool:
    r"""Return True if a path starts as Windows paths do: `C:\`, `C:/`, `\\server`."""
    return not path.startswith("/") and _drive().match(path) is not None


def absolute(path: str, cwd: str | None, transcript: str = "") -> str:
    """Return a path as absolute and normal, as far as the record's directory and the transcript's place allow."""
    if path == "~" or path.startswith(("~/", "~\\")):
        home = home_of(cwd, transcript)
        path = path if home is None else home + path[1:]
    if is_windows(path) or (cwd is not None and is_windows(cwd) and not path.startswith("/")):
        return ntpath.normpath(ntpath.join(cwd or "", path))
    if not path.startswith(("/", "~")) and cwd is not None:
        path = posixpath.join(cwd, path)
    return posixpath.normpath("/" + path.lstrip("/") if path.startswith("/") else path)


def home_of(cwd: str | None, transcript: str = "") -> str | None:
    """Return the home directory that holds a working directory, else the one that holds the transcript."""
    found = _home().match(cwd or "")
    if found:
        return found.group()
    store = _store().search(transcript)
    return transcript[: store.start()] if store else None


def folded(path: str) -> str:
    """Return a key that is equal for equal paths: Windows ignores case and the kind of slash."""
    if not path.isascii():
        path = unicodedata.normalize("NFC", path)
    return path.replace("/", "\\").lower() if is_windows(path) else path


def parts(path: str) -> list[str]:
    """Return the parts of a path, without drive and root."""
    if is_windows(path):
        drive, rest = ntpath.splitdrive(path)
        names = [*drive.replace("\\", "/").rstrip(":").split("/"), *rest.replace("\\", "/").split("/")]
    else:
        names = path.split("/")
    return [name for name in names if name]


def below(path: str, directory: str) -> str | None:
    """Return a path relative to a directory that holds it, with slashes; None if it is outside."""
    inner, outer = folded(path), folded(directory).rstrip("/\\")
    separator = "\\" if is_windows(path) else "/"
    if not outer or not inner.startswith(outer + separator):
        return None
    return path[len(inner[: len(outer)]) + 1 :].replace("\\", "/") if separator == "\\" else path[len(outer) + 1 :]
