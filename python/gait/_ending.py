"""The end of a capture: stops its session and brings the bytes to the writer, also if the asking thread is interrupted.

JAX's `session.stop()` switches the recorders off within a millisecond. It then turns the records into bytes, which
takes nearly all of its time and needs nothing of the program. So `stop()` runs on a thread of its own, which no
exception and no handler of a signal interrupts, and the program waits no longer than it must.
"""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable

SHORTEST, LONGEST = 0.0002, 0.002  # seconds between two looks


def wait_until(condition: Callable[[], bool], seconds: float | None = None) -> bool:
    """Looks again and again; False when `seconds` are over.

    Not an Event: a handler of a signal that waits for one may have interrupted its own thread inside that Event's
    lock, and would wait for ever.
    """
    deadline = float("inf") if seconds is None else time.monotonic() + seconds
    pause = SHORTEST
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 1.5, LONGEST)
    return True


def insist(action: Callable[[], object]) -> None:
    """Does `action`, and again when Ctrl-C or the like comes between: that is raised afterwards.

    The second time is meant, and goes through. `action` may be repeated.
    """
    kept: BaseException | None = None
    while True:
        try:
            action()
            break
        except BaseException as error:
            if kept is not None:
                raise
            kept = error
    if kept is not None:
        raise kept


class Ending:
    """What is left to do for one capture, on a thread of its own. Done once, however often it is asked for."""

    def __init__(self) -> None:
        self.begun = False  # nothing is recorded any more as far as the program can tell
        self.stopped = False  # the session is over, for better or worse
        self.thread: int | None = None  # that does it
        self._claim = threading.Lock()  # never let go of

    def start(self, work: Callable[[], None]) -> None:
        """`work` says itself what has `begun` and `stopped`."""
        try:
            _thread.start_new_thread(self._run, (work,))
        except RuntimeError:  # the interpreter is about to end, or there are too many threads
            self._run(work)

    def _run(self, work: Callable[[], None]) -> None:
        if not self._claim.acquire(blocking=False):
            return
        self.thread = threading.get_ident()
        try:
            work()
        finally:
            self.begun = self.stopped = True
