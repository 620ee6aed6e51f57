"""Run a function in another thread; useful if that function releases Python's lock."""

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Meanwhile(Generic[Result]):
    """A function that runs in another thread."""

    def __init__(self, do: Callable[[], Result]) -> None:
        self._do = do
        self._results: list[Result] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._results.append(self._do())
        except BaseException as error:  # noqa: BLE001 - `result` raises it again
            self._error = error

    def result(self) -> Result:
        """Wait for the function; return its result or raise its exception."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._results[0]
