"""File paths as transcripts write them, made comparable: absolute, normal, in the style of the system they are of.

A path is data here: nothing is opened, and the rules are those of the system that the transcript was written on,
which the path itself shows.
"""

import ntpath
import posixpath
import unicodedata

from backscroll.lazy import pattern

_DRIVE = pattern(r"[A-Za-z]:(?=[\\/]|$)|\\\\[^\\]")
_HOME = pattern(r"(?:/home/[^/]+|/Users/[^/]+|/root|[A-Za-z]:\\Users\\[^\\]+)(?=[\\/]|$)")
_STORE = pattern(r"[\\/]\.claude[\\/]projects[\\/]")


def is_windows(path: str) -> bool:
    r"""Say whether a path begins as Windows paths do: `C:\`, `C:/`, `\\server`."""
    return not path.startswith("/") and _DRIVE.match(path) is not None


def absolute(path: str, cwd: str | None, transcript: str = "") -> str:
    """Return a path as an absolute, normal one, as far as the record's directory and its file's own place tell."""
    if path == "~" or path.startswith(("~/", "~\\")):
        home = home_of(cwd, transcript)
        path = path if home is None else home + path[1:]
    if is_windows(path) or (cwd is not None and is_windows(cwd) and not path.startswith("/")):
        return ntpath.normpath(ntpath.join(cwd or "", path))
    if not path.startswith(("/", "~")) and cwd is not None:
        path = posixpath.join(cwd, path)
    return posixpath.normpath("/" + path.lstrip("/") if path.startswith("/") else path)


def home_of(cwd: str | None, transcript: str = "") -> str | None:
    """Return the home directory that a working directory lies in, or else the one that the transcript lies in."""
    found = _HOME.match(cwd or "")
    if found:
        return found.group()
    store = _STORE.search(transcript)
    return transcript[: store.start()] if store else None


def folded(path: str) -> str:
    """Return the form under which equal paths are equal: Windows tells neither case nor slashes apart."""
    if not path.isascii():
        path = unicodedata.normalize("NFC", path)
    return path.replace("/", "\\").lower() if is_windows(path) else path


def parts(path: str) -> list[str]:
    """Return the names that a path is made of, without drive and root."""
    if is_windows(path):
        drive, rest = ntpath.splitdrive(path)
        names = [*drive.replace("\\", "/").rstrip(":").split("/"), *rest.replace("\\", "/").split("/")]
    else:
        names = path.split("/")
    return [name for name in names if name]


def below(path: str, directory: str) -> str | None:
    """Return a path relative to a directory that it lies in, with slashes; None where it lies elsewhere."""
    inner, outer = folded(path), folded(directory).rstrip("/\\")
    separator = "\\" if is_windows(path) else "/"
    if not outer or not inner.startswith(outer + separator):
        return None
    return path[len(inner[: len(outer)]) + 1 :].replace("\\", "/") if separator == "\\" else path[len(outer) + 1 :]
