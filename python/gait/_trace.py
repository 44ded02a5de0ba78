"""gait.trace: captures a block of code, or the calls of a function."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from gait import _listeners
from gait._capture import Capture, Hosts, recorder
from gait._messages import OptionError

F = TypeVar("F", bound=Callable[..., Any])


class trace:  # noqa: N801  # used as a function: with gait.trace(...)
    """Captures what runs inside it, without keeping the program longer than JAX needs to hand out its data.

        with gait.trace("runs") as capture:
            for batch in batches:
                state = train_step(state, batch)
        print(capture.wait())

    dir        the log directory, in TensorBoard's layout; "~" is expanded
    name       a folder below it
    steps      ends by itself after so many steps of gait.step; the block goes on
    perfetto   also makes <host>.trace.json.gz for Perfetto, in the background
    memory     also writes a device memory profile
    options    of JAX's profiler: a dict or a jax.profiler.ProfileOptions; unknown ones are refused
    block      waits for all arrays before it stops, as a device must not be at work then
    hosts      only these processes of a jax.distributed job: 0, or several
    max_seconds  ends by itself after so long; the block goes on

    `as` gives the Capture. When nothing can be captured (somebody else's session runs, the disk is full) it says
    so, and the program goes on. As a decorator it captures each call.
    """

    def __init__(
        self,
        dir: str | os.PathLike[str],
        name: str | None = None,
        *,
        steps: int | None = None,
        perfetto: bool = False,
        memory: bool = False,
        options: Any = None,
        block: bool = True,
        hosts: Hosts = None,
        max_seconds: float | None = None,
    ):
        if steps is not None and (not isinstance(steps, int) or steps < 1):
            raise OptionError(f"steps= takes a number of steps of at least 1, not {steps!r}.")
        if max_seconds is not None and not max_seconds > 0:
            raise OptionError(f"max_seconds= takes a time above zero, not {max_seconds!r}.")
        self._directory = dir
        self._name = name
        self._steps = steps
        self._block = block
        self._max_seconds = max_seconds
        self._timer: threading.Timer | None = None
        self._ending = threading.Lock()  # the block and the timer may both want to
        self._begin = {
            "perfetto": perfetto,
            "memory": memory,
            "options": options,
            "hosts": hosts,
            "block": block,
        }
        self._open: list[Capture] = []

    def __enter__(self) -> Capture:
        capture = Capture(self._directory, self._name)
        self._open.append(capture)
        if recorder.begin(capture, **self._begin):
            _listeners.add(self)
            if self._max_seconds is not None:
                self._timer = threading.Timer(self._max_seconds, self._end, (capture, None, False))
                self._timer.daemon = True
                self._timer.start()
        return capture

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end(self._open.pop(), None, failed=kind is not None)

    def __call__(self, function: F) -> F:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            capture = self.__enter__()
            result, failed = None, True
            try:
                result = function(*args, **kwargs)
                failed = False
                return result
            finally:
                self._open.remove(capture)
                self._end(capture, result, failed)

        return wrapper  # type: ignore[return-value]

    def _end(self, capture: Capture, result: Any, failed: bool) -> None:
        with self._ending:
            if recorder.capture is not capture:
                return
            _listeners.remove(self)
            if self._timer is not None:
                self._timer.cancel()
            recorder.end(result, block=self._block, failed=failed)

    def on_step_begin(self, number: int) -> None:
        """Called by gait.step."""

    def on_step_end(self, number: int, error: type[BaseException] | None) -> None:
        """Called by gait.step."""
        capture = recorder.capture
        if capture is None or capture not in self._open:
            return
        capture.steps.append(number)
        if self._steps is not None and len(capture.steps) >= self._steps:
            self._end(capture, None, failed=error is not None)
