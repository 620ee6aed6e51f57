"""Patterns of RE2 over bytes, with types.

RE2 matches in linear time and has neither backtracking nor look-around.
This module is the only one that imports `re2`.
"""

from collections.abc import Iterator
from typing import Protocol, cast

import re2  # type: ignore[import-untyped]


class BytesMatch(Protocol):
    """One match of a pattern in bytes."""

    def span(self, group: int = 0) -> tuple[int, int]:
        """Return start and end of a group; (-1, -1) for a group that did not match."""
        ...


class BytesPattern(Protocol):
    """A compiled pattern over bytes."""

    @property
    def groups(self) -> int:
        """Return the number of groups."""
        ...

    def match(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> BytesMatch | None:
        """Match at `pos`."""
        ...

    def search(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> BytesMatch | None:
        """Find the first match at or behind `pos`."""
        ...

    def fullmatch(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> BytesMatch | None:
        """Match all bytes between `pos` and `endpos`."""
        ...

    def finditer(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Iterator[BytesMatch]:
        """Find all matches that do not overlap."""
        ...


PatternError: type[Exception] = re2.error


def compile_pattern(pattern: str, *, captures: bool = True, ignore_case: bool = False) -> BytesPattern:
    """Compile a pattern for UTF-8 bytes; raise `PatternError` if RE2 refuses it."""
    options = re2.Options()
    options.never_capture = not captures
    options.case_sensitive = not ignore_case
    options.log_errors = False
    return cast("BytesPattern", re2.compile(pattern.encode(), options))
