"""Captures that another thread asks for. Where the program marks its steps, a capture begins and ends between two
steps, on the program's own thread with idle devices; otherwise it lasts as long as asked for."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

from gait import _jax, _listeners, _periods
from gait._capture import Capture, recorder
from gait._messages import GaitError

START_SECONDS = 60.0  # that a request waits for a step to begin
END_SECONDS = 2.0  # that a capture which is over waits for a step to end it


class RefusedError(GaitError):
    """A request that cannot be done now; the message says why."""


class _Request:
    def __init__(
        self,
        capture: Capture,
        steps: int | None,
        seconds: float | None,
        options: Any,
        has_gone: Callable[[], bool],
    ):
        self.capture = capture
        self.has_gone = has_gone
        self.steps = steps
        self.seconds = seconds
        self.options = options
        self.until = float("inf")
        self.begun = threading.Event()
        self.ended = threading.Event()
        self.stopped = threading.Event()  # by whoever asked
        self.error: Exception | None = None

    def begin(self, block: bool) -> bool:
        try:
            started = recorder.begin(
                self.capture, options=self.options, trigger="remote", block=block, quiet=True
            )
        except Exception as error:
            self.error, started = error, False
        if self.seconds is not None:
            self.until = time.monotonic() + self.seconds
        self.begun.set()
        return started

    def is_over(self) -> bool:
        enough = self.steps is not None and len(self.capture.steps) >= self.steps
        return enough or time.monotonic() >= self.until or self.stopped.is_set()

    def look(self) -> None:
        """Whoever asked and went away has stopped it."""
        if self.has_gone():
            self.stopped.set()

    def end(self, block: bool = True) -> None:
        if recorder.capture is self.capture:
            recorder.end(block=block)
        self.ended.set()


class OnRequest:
    """One capture at a time, asked for from any thread but the program's."""

    def __init__(self, directory: str | os.PathLike[str]):
        self.directory = directory
        self._asked = threading.Lock()  # held while a request is being done
        self._request: _Request | None = None
        self._running: _Request | None = None  # the program's thread is in its steps
        _listeners.add(self)

    def close(self) -> None:
        _listeners.remove(self)
        self.stop()

    @property
    def busy(self) -> bool:
        return self._asked.locked()

    def stop(self) -> bool:
        """Ends the running capture early; False when there is none."""
        request = self._request
        if request is None:
            return False
        request.stopped.set()
        return True

    def capture(
        self,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        options: Any = None,
        has_gone: Callable[[], bool] = lambda: False,
    ) -> Capture:
        """Waits until it is written, or ends it when whoever asked has gone. RefusedError when it cannot be done;
        OptionError for unknown options."""
        if (steps is None) == (seconds is None):
            raise RefusedError("either a number of steps or a time is needed")
        if not self._asked.acquire(blocking=False):
            raise RefusedError("a capture that was asked for is being made")
        try:
            request = _Request(Capture(self.directory), steps, seconds, options, has_gone)
            self._request = request
            if _periods.count() > 0:
                self._between_steps(request)
            elif seconds is not None:
                self._at_once(request)
            else:
                raise RefusedError(
                    "the program marks no steps: mark them with gait.step(n), or ask for a time"
                )
            if request.error is not None:
                raise request.error
            if not request.capture.ok:
                raise RefusedError(request.capture.error or "nothing was captured")
            return request.capture
        finally:
            self._request = None
            self._asked.release()

    def _between_steps(self, request: _Request) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not request.begun.wait(0.1):
            request.look()
            if request.stopped.is_set() or time.monotonic() > deadline:
                self._request = None  # the next step may still take it; then it ends with that step
                if not request.begun.wait(0.1):
                    raise RefusedError("no step began meanwhile")
        if request.error is None and request.capture.state == "recording":
            self._wait_for_the_end(request)

    def _wait_for_the_end(self, request: _Request) -> None:
        """The program's thread ends it with a step. Where none ends any more, this one does so, if it may."""
        while not request.is_over():
            if request.ended.wait(0.1):
                return
            request.look()
        if request.ended.wait(END_SECONDS):
            return
        if not recorder.ends_beside:
            raise RefusedError("it records until a step of the program ends, and none does")
        self._running = None
        request.end(block=False)

    def _at_once(self, request: _Request) -> None:
        if not _jax.stops_beside():
            raise RefusedError(
                "on a GPU a capture may end between two steps only, and the program marks none: mark them with "
                "gait.step(n)"
            )
        # Not waiting for arrays first: that is the program's to do.
        if not request.begin(block=False):
            return
        try:
            while not request.is_over():
                request.stopped.wait(min(0.1, max(0.0, request.until - time.monotonic())))
                request.look()
        finally:
            request.end()

    # -- on the program's thread -----------------------------------------------------------------------------------

    def on_step_begin(self, _number: int) -> None:
        request = self._request
        if request is None or request.begun.is_set() or self._running is not None:
            return
        if request.begin(block=True):
            self._running = request

    def on_step_end(self, number: int, _error: type[BaseException] | None) -> None:
        request = self._running
        if request is None:
            return
        request.capture.steps.append(number)
        if request.is_over():
            self._running = None
            request.end()
