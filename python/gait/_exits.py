"""Ends of a process: every way of ending writes a running capture and leaves no unfinished file."""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing.process
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from gait import _native, _session, _term
from gait._ending import insist

if TYPE_CHECKING:
    from gait._capture import Recorder

FORK_SECONDS = 10.0  # that a fork waits at most

_recorder: Recorder | None = None
_watched: int | None = None  # the process


def watch(recorder: Recorder) -> None:
    """From the first capture on.

    Registered late on purpose: what is registered last runs first, and JAX's own cleaning up must come after.
    """
    global _recorder, _watched
    if _recorder is None:
        atexit.register(_at_exit)
        os.register_at_fork(before=_before_fork, after_in_child=_after_fork)
    if _watched != os.getpid() and multiprocessing.process.parent_process() is not None:
        # A worker of multiprocessing ends with os._exit, and only its own finalizers run before.
        from multiprocessing.util import Finalize

        Finalize(None, _at_exit, exitpriority=100)
    _recorder, _watched = recorder, os.getpid()


@contextlib.contextmanager
def _progress_line() -> Iterator[Callable[[], None]]:
    """A line about the waiting, for people at a terminal who wait longer than a second."""
    begin = time.monotonic()
    shown = False

    def report() -> None:
        nonlocal shown
        if sys.stderr is not None and sys.stderr.isatty() and time.monotonic() - begin > 1:
            print("\rgait: writing captures ...", end="", file=sys.stderr, flush=True)
            shown = True

    try:
        yield report
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def finish() -> None:
    """Ends the running capture and waits until all are written, their manifests with what is known by then."""
    recorder = _recorder
    assert recorder is not None
    recorder.end(failed=True)
    with _progress_line() as report:
        while not recorder.wait(0.2):
            report()
        recorder.flush(force=True)
        while not _native.wait_for_writer(0.2):
            report()


def _at_exit() -> None:
    insist(finish)
    recorder = _recorder
    assert recorder is not None
    _term.before_the_end(lambda: recorder.busy)


def _before_fork() -> None:
    """A session that is being stopped has JAX's profiler: a child made now could never capture anything."""
    if _recorder is not None:
        _recorder.wait_for_stops(FORK_SECONDS)


def _after_fork() -> None:
    _term.forget_after_fork()
    _session.Session.forget_after_fork()
    if _recorder is not None:
        _recorder.forget_after_fork()
