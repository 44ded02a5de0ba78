"""gait.trace: captures a block of code, or the calls of a function."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, TypeVar

from gait import _listeners, _messages, _options
from gait._arguments import check_path, check_steps, check_text
from gait._blocks import Mark
from gait._capture import Capture, Hosts, check_hosts, recorder
from gait._countdown import Countdown
from gait._messages import OptionError
from gait._schedule import check_seconds
from gait._session import caller

F = TypeVar("F", bound=Callable[..., Any])


FIRST_LAUNCH_SECONDS = 10.0  # that a capture whose time is over waits for something to hold
# In which nothing is launched, before such a capture ends by itself: behind a launch, nothing else is on its way.
QUIET_SECONDS = 0.02


class _Call:
    """Of a decorated function."""

    result: Any = None  # what it gave: the capture waits for it


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
    max_seconds  ends by itself after so long, behind the launch or with the step in which that is; the block goes on.
               Time in which JAX compiles does not count. Where nothing was launched by then it waits for a launch, 10
               seconds at most
    block_name what the block is called as a step, where no others are marked in it; `name` unless told otherwise.
               "": it is none

    `as` gives the Capture. When nothing can be captured (somebody else's session runs, the disk is full) it says
    so, and the program goes on. As a decorator it captures each call, of a generator until it is exhausted, of a
    coroutine until it was awaited.
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
        block_name: str | None = None,
    ):
        check_steps("steps", steps)
        if callable(dir):
            raise OptionError('gait.trace needs a directory, as a decorator too: @gait.trace("runs").')
        check_path("dir", dir, 'gait.trace("runs")')
        for given, value in (("name", name), ("block_name", block_name)):
            if value is not None:
                check_text(given, value)
        check_seconds("max_seconds", max_seconds)
        _options.check(options)
        check_hosts(hosts)
        self._directory = dir
        self._name = name
        self._steps = steps
        self._block = block
        self._max_seconds = max_seconds
        self._timer: Countdown | None = None
        self._late = False
        self._patience = 0.0  # until when one that is late waits for its first launch
        self._seen: tuple[int | None, float] = (
            None,
            0.0,
        )  # launches of one that is late, and since when so many
        self._ending = threading.Lock()  # the block and the timer may both want to
        self._begin = {
            "perfetto": perfetto,
            "memory": memory,
            "options": options,
            "hosts": hosts,
            "block": block,
        }
        self._block_name = block_name if block_name is not None else name or "trace"
        self._open: list[tuple[Capture, Mark | None]] = []

    def __enter__(self) -> Capture:
        return self._enter(self._block_name)

    def _enter(self, block_name: str) -> Capture:
        capture = Capture(self._directory, self._name)
        self._late = False
        try:
            occasion = f"trace {os.path.basename(caller())}"
            if not recorder.begin(capture, occasion=occasion, block_name=block_name or None, **self._begin):
                # a step of the capture around it
                self._open.append((capture, Mark(block_name) if block_name else None))
            else:
                self._open.append((capture, None))
                _listeners.add(self)
                if self._max_seconds is not None:
                    self._timer = Countdown(self._max_seconds, lambda: self._on_time(capture))
        except BaseException:  # Ctrl-C: there will be no __exit__
            self._leave(capture, None, failed=True)
            raise
        return capture

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._open:  # else it was left already
            self._leave(self._open[-1][0], None, failed=kind is not None)

    def _leave(self, capture: Capture, result: Any, failed: bool) -> None:
        for entry in self._open:
            if entry[0] is capture:
                self._open.remove(entry)
                if entry[1] is not None:
                    entry[1].end()
                break
        self._end(capture, result, failed)

    def __call__(self, function: F) -> F:
        if isinstance(function, (staticmethod, classmethod)):
            return type(function)(self(function.__func__))  # type: ignore[return-value]
        if not callable(function):
            raise OptionError(f"gait.trace decorates functions, not {function!r:.60}.")
        name = getattr(function, "__name__", None) or type(function).__name__
        # A generator's call has run when it is exhausted or closed, a coroutine's when it was awaited.
        if inspect.isasyncgenfunction(function):

            async def wrapper(*args: Any, **kwargs: Any) -> Any:
                inner = function(*args, **kwargs)
                with self._one_call(name):
                    sent = None
                    try:
                        while True:
                            try:
                                item = await inner.asend(sent)
                            except StopAsyncIteration:
                                return
                            sent = yield item
                    finally:
                        await inner.aclose()

        elif inspect.iscoroutinefunction(function):

            async def wrapper(*args: Any, **kwargs: Any) -> Any:
                with self._one_call(name) as call:
                    call.result = await function(*args, **kwargs)
                    return call.result

        elif inspect.isgeneratorfunction(function):

            def wrapper(*args: Any, **kwargs: Any) -> Any:
                with self._one_call(name) as call:
                    call.result = yield from function(*args, **kwargs)
                    return call.result

        else:

            def wrapper(*args: Any, **kwargs: Any) -> Any:
                with self._one_call(name) as call:
                    call.result = function(*args, **kwargs)
                    return call.result

        return functools.wraps(function)(wrapper)  # type: ignore[return-value]

    @contextlib.contextmanager
    def _one_call(self, name: str) -> Iterator[_Call]:
        call = _Call()
        capture = self._enter(name if self._name is None else self._block_name)
        failed = True
        try:
            yield call
            failed = False
        finally:
            self._leave(capture, call.result, failed)

    def _on_time(self, capture: Capture) -> bool:
        """On the countdown's thread, again and again until it says that the capture is over.

        It ends behind the next launch, or where nothing is at work or launched for a while: what was launched is in it
        as a whole. Over work of a GPU only the thread that launches it may end it. One that holds nothing yet waits for
        a launch.
        """
        if recorder.capture is not capture:
            return True
        launches, now = recorder.launches(capture), time.monotonic()
        if not self._late or launches != self._seen[0]:
            self._seen = launches, now
        empty = launches == 0
        if not self._late:
            self._late = True
            self._patience = now + FIRST_LAUNCH_SECONDS
            capture.ended_by(f"max_seconds={self._max_seconds:g}", "a launch" if empty else "")
            recorder.after_next_launch(capture, lambda: self._end(capture, None, failed=False))
        if now < (self._patience if empty else self._seen[1] + QUIET_SECONDS):
            return False
        if recorder.may_end_now(capture):
            self._end(capture, None, failed=False)
            return True
        return False

    def _end(self, capture: Capture, result: Any, failed: bool) -> None:
        with self._ending:
            if recorder.capture is not capture:
                return
            if self._steps is not None and not capture.steps and not failed:
                warning = (
                    f"steps={self._steps} counts steps of gait.step, and there was none: it ended nothing."
                )
                _messages.say(warning)
                capture._warnings.append(warning)
            try:
                recorder.end(result, block=self._block, failed=failed)
            finally:
                _listeners.remove(self)
                if self._timer is not None:
                    self._timer.cancel()

    def on_step_begin(self, number: int) -> None:
        """Called by gait.step."""

    def on_step_end(self, number: int, error: type[BaseException] | None) -> None:
        """Called by gait.step."""
        capture = recorder.capture
        if capture is None or all(capture is not opened for opened, _ in self._open):
            return
        capture.steps.append(number)
        if self._late or (self._steps is not None and len(capture.steps) >= self._steps):
            self._end(capture, None, failed=error is not None)
