"""Entries of a block as events of a capture. Each entry without other steps inside is a step with the block's name.

A function that calls itself is one entry: the outermost call.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from contextvars import ContextVar
from typing import Any

from gait import _jax
from gait._layout import as_utf8

STAT = "gait_block"  # the engine knows blocks by it
_entries: defaultdict[str, itertools.count[int]] = defaultdict(itertools.count)
_latest: ContextVar[dict[str, Mark]] = ContextVar("latest")  # by name, of this thread or task


class Mark:
    """From when it is made until end(): in whatever capture runs meanwhile. `number`: which entry, where the block
    counts its own."""

    def __init__(self, name: str, number: int | None = None):
        self._event: Any = None
        if not _jax.imported() or not _jax.is_recording():
            return
        latest = _latest.get({})
        if name in latest and latest[name].is_open:
            self._event = _jax.trace_me()(as_utf8(name))
        else:
            _latest.set({**latest, name: self})
            entry = next(_entries[name]) if number is None else number
            self._event = _jax.trace_me()(as_utf8(name), **{STAT: entry})
        self._event.__enter__()

    @property
    def is_open(self) -> bool:
        return self._event is not None

    def end(self) -> None:
        """On the thread that began it, if it can be. May be repeated."""
        event, self._event = self._event, None
        if event is not None:
            event.__exit__(None, None, None)
