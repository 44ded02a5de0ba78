"""A bound on the time of a capture. Its clock stands still while JAX compiles."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable

from gait import _compiling

LOOK = 0.002  # seconds between two looks, once the time is over


class Countdown:
    """Calls `over` when `seconds` have passed, and again until it says True, on a thread of its own."""

    def __init__(self, seconds: float, over: Callable[[], bool]):
        self._end = _compiling.clock() + seconds
        self._over = over
        self._cancelled = threading.Event()
        _thread.start_new_thread(self._run, ())  # unlike threading's it is not traced: it looks often

    def cancel(self) -> None:
        self._cancelled.set()

    def _run(self) -> None:
        while (left := self._end - _compiling.clock()) > 0 or _compiling.is_compiling():
            if self._cancelled.wait(max(left, LOOK)):
                return
        while not self._over():
            if self._cancelled.wait(LOOK):
                return
