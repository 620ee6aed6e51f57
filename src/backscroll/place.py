"""Place: the exact position of a value in a file, so that anybody can check it by hand."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A file, and inside it a line (from 1), a byte offset and a length; None if unknown."""

    path: str
    line: int | None = None
    offset: int | None = None
    length: int | None = None

    def __str__(self) -> str:
        text = self.path if self.line is None else f"{self.path}:{self.line}"
        return text if self.offset is None else f"{text} (byte {self.offset})"
