"""The list of the files of the full-text index: the catalogue keeps it, and every search compares the files with it.

tantivy writes each file of a part once, with a checksum in its last bytes, and never verifies it.  So the list has
size, time and checksum of each file.  A file with the listed size and time is unchanged.  Of any other file the
checksum is compared.  So a copy of the index with new file times passes, and an exchanged file does not.
"""

import json
import os
import zlib
from pathlib import Path
from typing import Any

META = "meta.json"
"""The file in which tantivy names the parts of the last commit."""
KINDS = ("fast", "fieldnorm", "idx", "pos", "store", "term")
"""The files that each part has; one with deleted documents has another."""

FileList = dict[str, list[int]]
"""Name to size, time of the last change and checksum."""


def stamp_in(directory: Path) -> int | None:
    """Return the number of the last commit; None if it cannot be read."""
    try:
        return int(_meta(directory)["opstamp"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def small_parts(directory: Path, most: int) -> int:
    """Count the parts that hold fewer documents than `most`."""
    return sum(part["max_doc"] < most for part in _meta(directory)["segments"])


def document_counts(directory: Path) -> tuple[int, int]:
    """Return the number of deleted documents that the parts still hold, and of all others; 0 if unreadable."""
    try:
        parts = _meta(directory)["segments"]
        deleted = sum(part["deletes"]["num_deleted_docs"] for part in parts if part["deletes"] is not None)
        return deleted, sum(part["max_doc"] for part in parts) - deleted
    except (OSError, ValueError, KeyError, TypeError):
        return 0, 0


def listed(directory: Path) -> FileList | None:
    """Return the current list of the files of the last commit; None if one cannot be read."""
    try:
        return {name: _state(directory / name) for name in _names(directory)}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_as_listed(directory: Path, files: FileList) -> bool:
    """Return True if the last commit has exactly the listed files, and each is as it was written."""
    try:
        return files.keys() == set(_names(directory)) and all(
            _is_as_written(directory / name, *state) for name, state in files.items()
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def is_sound(directory: Path) -> bool:
    """Return True if every file of the last commit is there and fits its own checksum."""
    files = listed(directory)
    return files is not None and all(_sum(directory / name) == found[2] for name, found in files.items())


def _names(directory: Path) -> list[str]:
    """Return the files of the last commit."""
    names = [META]
    for part in _meta(directory)["segments"]:
        stem = part["segment_id"].replace("-", "")
        names += [f"{stem}.{kind}" for kind in KINDS]
        if part["deletes"] is not None:
            names.append(f"{stem}.{part['deletes']['opstamp']}.del")
    return names


def _meta(directory: Path) -> dict[str, Any]:
    meta: dict[str, Any] = json.loads((directory / META).read_bytes())
    return meta


def _is_as_written(path: Path, size: int, changed: int, checksum: int) -> bool:
    found = path.stat()
    if found.st_size != size:
        return False
    is_untouched = found.st_mtime_ns == changed and path.name != META
    return is_untouched or _sum(path) == _stated_sum(path) == checksum


def _state(path: Path) -> list[int]:
    found = path.stat()
    return [found.st_size, found.st_mtime_ns, _stated_sum(path)]


def _stated_sum(path: Path) -> int:
    """Return the checksum in the footer of a file of tantivy; for the list of parts, the real checksum."""
    if path.name == META:
        return _sum(path)
    with path.open("rb") as file:
        file.seek(-8, os.SEEK_END)
        length = int.from_bytes(file.read(4), "little")
        file.seek(-8 - length, os.SEEK_END)
        return int(json.loads(file.read(length))["crc"])


def _sum(path: Path) -> int:
    """Return the real checksum of a file, without its footer."""
    data = memoryview(path.read_bytes())
    if path.name == META:
        return zlib.crc32(data)
    return zlib.crc32(data[: -8 - int.from_bytes(data[-8:-4], "little")])
