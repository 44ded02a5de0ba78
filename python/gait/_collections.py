"""Python's garbage collections as events of a capture.

Most collections come by themselves, inside any code that allocates. No tracer of calls sees them, and a capture could
not show why the device idles. So while gait records, each collection is an annotation on the thread that collects.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Mapping
from typing import Any

NAME = "garbage collection"  # the doctor knows it by these words


class CollectionHook:
    """Among gc.callbacks from add() until remove(). Nothing that goes wrong in it reaches the program.

    JAX has a callback there too, in Python and before this one: Ctrl-C in the middle of a collection is raised in that,
    with and without gait.
    """

    def __init__(self) -> None:
        from jax.profiler import TraceAnnotation

        # The native one: this runs once per 700 new objects.
        self._annotation: Any = TraceAnnotation.__mro__[1]
        # At most one: Python collects once at a time. A list, whose pop() is atomic.
        self._open: list[Any] = []
        self._removed = False
        self.complete = False  # every collection since add() is an event
        # The list itself: a program may put another one into the module, which the collector does not read.
        self._callbacks = gc.callbacks

    def add(self) -> None:
        self._callbacks.append(self)
        self.complete = True

    def __call__(self, phase: str, info: Mapping[str, int]) -> None:
        try:
            if phase == "start" and not self._removed:
                annotation = self._annotation(NAME, generation=info["generation"])
                annotation.__enter__()
                self._open.append(annotation)
            if self._open and (phase == "stop" or self._removed):  # removed by a signal's handler, just now
                self._open.pop().__exit__(None, None, None)
        except Exception:  # a capture that lacks collections is better than a line about each of them
            self._removed, self.complete = True, False

    def remove(self) -> None:
        """Before the session ends: a collection that is still going on ends there. May be repeated.

        Nothing is changed where the program has emptied the list. If it puts back what was there before, this does
        nothing any more.
        """
        self._removed = True
        with contextlib.suppress(ValueError):
            while True:
                self._callbacks.remove(self)
        with contextlib.suppress(Exception):
            while self._open:
                self._open.pop().__exit__(None, None, None)
