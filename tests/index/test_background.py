"""Meanwhile: another thread does it, and this one hears of it."""

import threading

import pytest

from backscroll.index.background import Meanwhile


def test_result() -> None:
    """Both go on at once, and what comes of it is handed over, as often as it is asked for."""
    may_end = threading.Event()
    doing = Meanwhile(lambda: may_end.wait(20) and threading.current_thread())
    may_end.set()

    assert threading.current_thread() != doing.result()
    assert doing.result() is doing.result()


@pytest.mark.parametrize("error", [ValueError("wrong"), KeyboardInterrupt()], ids=["error", "interrupt"])
def test_error(error: BaseException) -> None:
    """What goes wrong goes wrong where the result is asked for."""

    def fail() -> None:
        raise error

    doing = Meanwhile(fail)
    with pytest.raises(type(error)) as caught:
        doing.result()
    assert caught.value is error
