"""The errors of backscroll: what our own acts raise when they fail.

    BackscrollError
    ├── NotFoundError      nothing matches what was asked for
    ├── UnreadableError    a file that was asked for by name cannot be read at all
    ├── QueryError         the request itself makes no sense
    ├── RefusedError       doing it would be unsafe, overwrite something or was not confirmed
    ├── BusyError          somebody else holds what we need
    ├── ConflictError      two things claim the same place or name
    └── CorruptError       our own index, archive or journal fails verification

Bad data in a store is never an exception: it is a `Damage` value in the stream.
Each face turns an error into its own language by the one table below.
"""

from backscroll.value import NamedTuple


class BackscrollError(Exception):
    """Say what failed, where, and what to do about it."""

    def __init__(self, what: str, where: str | None = None, remedy: str | None = None) -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(what)

    def __str__(self) -> str:
        text = self.what if self.where is None else f"{self.what}: {self.where}"
        return text if self.remedy is None else f"{text}\n{self.remedy}"


class NotFoundError(BackscrollError):
    """Nothing matches what was asked for."""


class UnreadableError(BackscrollError):
    """A file that was asked for by name cannot be read at all."""


class QueryError(BackscrollError):
    """The request itself makes no sense."""


class RefusedError(BackscrollError):
    """Doing it would be unsafe, would overwrite something or was not confirmed."""


class BusyError(BackscrollError):
    """Somebody else holds what we need."""


class ConflictError(BackscrollError):
    """Two things claim the same place or name."""


class CorruptError(BackscrollError):
    """Our own index, archive or journal fails verification."""


class IndexWarning(UserWarning):
    """The index cannot be kept; every command works, but reads everything anew."""


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
