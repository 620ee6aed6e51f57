"""The exceptions that backscroll raises.

    BackscrollError
    ├── NotFoundError      nothing matches the request
    ├── UnreadableError    the user named a file that cannot be read
    ├── QueryError         the request is not valid
    ├── RefusedError       the action is unsafe, overwrites something or was not confirmed
    ├── BusyError          another process holds a lock that we need
    ├── ConflictError      two things claim the same place or name
    └── CorruptError       our own index, archive or journal fails verification

Bad data in a store never raises: it becomes a `Damage` value in the stream.
The table below maps each error to an exit code and an HTTP status.
"""

from typing import NamedTuple


class BackscrollError(Exception):
    """Hold the cause of an error, its place and the remedy."""

    def __init__(self, what: str, where: str | None = None, remedy: str | None = None) -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(what)

    def __str__(self) -> str:
        text = self.what if self.where is None else f"{self.what}: {self.where}"
        return text if self.remedy is None else f"{text}\n{self.remedy}"


class NotFoundError(BackscrollError):
    """Nothing matches the request."""


class UnreadableError(BackscrollError):
    """The user named a file that cannot be read."""


class QueryError(BackscrollError):
    """The request is not valid."""


class RefusedError(BackscrollError):
    """The action is unsafe, overwrites something or was not confirmed."""


class BusyError(BackscrollError):
    """Another process holds a lock that we need."""


class ConflictError(BackscrollError):
    """Two things claim the same place or name."""


class CorruptError(BackscrollError):
    """Our own index, archive or journal fails verification."""


class IndexWarning(UserWarning):
    """The index cannot be written; every command works, but reads all files again."""


class Answer(NamedTuple):
    """How a face reports one kind of error."""

    exit_code: int
    http_status: int
    mcp_code: str


DONE, NOT_FOUND, WRONG_USE, DAMAGE_MET, REFUSED, OURS_DAMAGED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

ANSWERS: dict[type[BackscrollError], Answer] = {
    NotFoundError: Answer(NOT_FOUND, 404, "not_found"),
    UnreadableError: Answer(NOT_FOUND, 422, "unreadable"),
    QueryError: Answer(WRONG_USE, 400, "wrong_use"),
    RefusedError: Answer(REFUSED, 403, "refused"),
    BusyError: Answer(REFUSED, 423, "busy"),
    ConflictError: Answer(REFUSED, 409, "conflict"),
    CorruptError: Answer(OURS_DAMAGED, 500, "corrupt"),
}


def answer_for(error: BackscrollError) -> Answer:
    """Return how every face reports `error`."""
    return ANSWERS[type(error)]
