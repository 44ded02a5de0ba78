"""Ends of a process: whichever way it goes, a running capture is written and nothing is left behind."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator

from gait import _native, _session

_registered = False
_finish: Callable[[], None]
_forget: Callable[[], None]
_term_before: object = None


def watch(finish: Callable[[], None], forget: Callable[[], None]) -> None:
    """From the first capture on. `finish` ends the running one, `forget` lets go of it in a forked child.

    Registered late on purpose: what is registered last runs first, and JAX's own cleaning up must come after.
    """
    global _registered, _finish, _forget
    _finish, _forget = finish, forget
    if not _registered:
        _registered = True
        atexit.register(_at_exit)
        os.register_at_fork(after_in_child=_after_fork)


def guard_term() -> None:
    """While something is unwritten, SIGTERM is not the end before it is written. The program's own handler stays."""
    global _term_before
    if threading.current_thread() is not threading.main_thread() or _term_before is not None:
        return
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        _term_before = signal.signal(signal.SIGTERM, _on_term)


def relax_term() -> None:
    """The default again, once nothing is left to write."""
    global _term_before
    if threading.current_thread() is not threading.main_thread() or _term_before is None:
        return
    if signal.getsignal(signal.SIGTERM) is _on_term:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _term_before = None


@contextlib.contextmanager
def _progress_line() -> Iterator[Callable[[], None]]:
    """A line about the waiting, for people at a terminal who wait longer than a second."""
    begin = time.monotonic()
    shown = False

    def report() -> None:
        nonlocal shown
        if sys.stderr is not None and sys.stderr.isatty() and time.monotonic() - begin > 1:
            left = _native.pending()
            print(f"\rgait: writing captures, {left} left ...", end="", file=sys.stderr, flush=True)
            shown = True

    try:
        yield report
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def wait_for_writer() -> None:
    with _progress_line() as report:
        while not _native.wait_for_writer(0.2):
            report()


def _at_exit() -> None:
    _finish()
    wait_for_writer()


def _on_term(number: int, _frame: object) -> None:
    _finish()
    wait_for_writer()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _after_fork() -> None:
    global _term_before
    _session.Session.forget_after_fork()
    _forget()
    if _term_before is not None:
        with contextlib.suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _term_before = None
