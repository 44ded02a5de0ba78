"""Counts how often and how long JAX traces, lowers and compiles, and tells whether it does so now."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

PHASES = "/jax/core/compile/"  # JAX's events of tracing, lowering and compiling begin so

SPANS = 1024  # of the last phases, that are remembered


class _Watch:
    """Hears of every phase of a compilation. Phases nest, and several threads compile at a time: their union counts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listening = False
        self._ours = threading.local()
        self._count = 0
        self._running = 0  # phases that have begun and not ended
        self._since = 0.0  # when the first of them began
        self._seconds = 0.0  # of those that are over
        self.spans: deque[tuple[int, int]] = deque(maxlen=SPANS)
        self.since_ns: int | None = None  # when listening began

    def listen(self) -> None:
        if self._listening:
            return
        with self._lock:
            if self._listening:
                return
            self._listening = True
            self.since_ns = time.monotonic_ns()
        from jax._src import monitoring

        monitoring.register_event_duration_secs_listener(self._on_end)
        # Versions without it are not heard of before a phase is over.
        if hasattr(monitoring, "register_scalar_listener"):
            monitoring.register_scalar_listener(self._on_begin)
        else:
            self._running = -1

    def _is_phase(self, event: str) -> bool:
        """Of the program: what gait compiles is nobody's."""
        return event.startswith(PHASES) and not getattr(self._ours, "compiles", False)

    def _on_begin(self, event: str, *_: Any, **__: Any) -> None:
        if not self._is_phase(event):
            return
        with self._lock:
            if self._running == 0:
                self._since = time.monotonic()
            self._running += 1

    def _on_end(self, event: str, seconds: float = 0.0, *_: Any, **__: Any) -> None:
        if not self._is_phase(event):
            return
        with self._lock:
            self._count += 1
            if self._running < 0:
                self._seconds += seconds
                self._add_span(seconds)
            elif self._running > 0:  # else it began before anybody listened
                self._running -= 1
                if self._running == 0:
                    seconds = time.monotonic() - self._since
                    self._seconds += seconds
                    self._add_span(seconds)

    def _add_span(self, seconds: float) -> None:
        now = time.monotonic_ns()
        self.spans.append((now - int(seconds * 1e9), now))

    @property
    def count(self) -> int:
        return self._count

    @property
    def running(self) -> bool:
        return self._running > 0

    @property
    def seconds(self) -> float:
        with self._lock:
            now = time.monotonic() - self._since if self._running > 0 else 0.0
            return self._seconds + now

    @contextlib.contextmanager
    def uncounted(self) -> Iterator[None]:
        self._ours.compiles = True
        try:
            yield
        finally:
            self._ours.compiles = False


_watch = _Watch()
uncounted = _watch.uncounted  # what gait itself compiles inside, on this thread


def compilations() -> int:
    """How often JAX has compiled since this was first asked."""
    _watch.listen()
    return _watch.count


def compile_seconds() -> float:
    """In which JAX has traced, lowered and compiled since this was first asked, each second once."""
    _watch.listen()
    return _watch.seconds


def is_compiling() -> bool:
    """A thread of the program traces, lowers or compiles now."""
    _watch.listen()
    return _watch.running


def compiled_between(begin_ns: int, end_ns: int) -> bool | None:
    """Whether JAX compiled between two times of time.monotonic_ns(); None: nobody listened then."""
    if any(begin < end_ns and begin_ns < end for begin, end in tuple(_watch.spans)):
        return True
    return False if _watch.since_ns is not None and _watch.since_ns <= begin_ns else None


def clock() -> float:
    """Seconds that stand still while JAX compiles: for bounds on captures."""
    return time.monotonic() - compile_seconds()
