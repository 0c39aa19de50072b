"""What every test may rely on, whoever started pytest: a time limit, plain signals, no word about the terminal's width.

A test that hangs fails after LIMIT with its stack; one that cannot even be interrupted ends its process a little later.
"""

import contextlib
import faulthandler
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType

import hypothesis
import pytest

LIMIT, LIMIT_REAL = 180, 900  # seconds for the set-up, the call and the tear-down of a test, each
GRACE = 30  # seconds in which an interrupted test may still clean up
AGAIN = 5  # seconds after which one that has caught the interruption is interrupted once more
# What Python itself ignores, and gives back to the children it starts.
PYTHONS_OWN = {signal.SIGPIPE, *({signal.SIGXFSZ} if hasattr(signal, "SIGXFSZ") else ())}
WIDTHS = ("COLUMNS", "LINES")
_stderr = [2]
# CI tells of the change that it is about: it looks at the same examples each time, people's runs at new ones. How long
# an example takes depends on what else runs.
hypothesis.settings.register_profile("people", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "people")


class TooLong(BaseException):
    """Not an Exception: neither the code under test nor hypothesis may take it for one of its own."""


def pytest_configure(config: pytest.Config) -> None:
    """`nohup` ignores SIGHUP, a shell's background job SIGINT and SIGQUIT, and a mask may block anything; children
    would inherit all of it, and their tests with them."""
    _stderr[:] = [os.dup(2)]  # while a test runs descriptor 2 is pytest's
    if hasattr(config, "workerinput"):
        # The daemon refuses answers from a session in which an app or a governed server runs; another worker's tests
        # start both. Workers end with the pipe to the controller, so they miss no signal of the terminal.
        with contextlib.suppress(PermissionError):
            os.setsid()
    forget_width()
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals() - PYTHONS_OWN:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def forget_width() -> None:
    """Also what readline has exported behind Python's back: children would inherit it."""
    for name in WIDTHS:
        os.environ.pop(name, None)
        os.unsetenv(name)


def limit_of(path: os.PathLike[str]) -> int:
    return LIMIT_REAL if os.path.basename(os.path.dirname(path)) == "real" else LIMIT


def _within(item: pytest.Item) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        return (yield)
    limit = limit_of(item.path)

    def end(_number: int, _frame: FrameType | None) -> None:
        faulthandler.dump_traceback(_stderr[0])
        raise TooLong(f"longer than {limit} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, limit, AGAIN)
    faulthandler.dump_traceback_later(limit + GRACE, file=_stderr[0], exit=True)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    forget_width()
    return (yield from _within(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    return (yield from _within(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    return (yield from _within(item))
