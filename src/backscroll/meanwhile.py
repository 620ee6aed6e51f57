"""Meanwhile: have another thread do something while this one goes on; of use where that leaves Python's lock alone."""

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Meanwhile(Generic[Result]):
    """Something that is being done."""

    def __init__(self, do: Callable[[], Result]) -> None:
        self._do = do
        self._results: list[Result] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._results.append(self._do())
        except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
            self._error = error

    def result(self) -> Result:
        """Wait for what comes of it; what goes wrong with it goes wrong here."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._results[0]
