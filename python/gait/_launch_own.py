"""Profiles that a program under `gait run` makes itself: they must work as without gait."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gait import _jax


def watch(give_way: Callable[[], None], own: Callable[[str], None]) -> None:
    """`give_way()` before each session that is started: by start_trace, by trace, or by whoever has one of its own.

    Also before those of gait. `own(log_dir)` for those of JAX that write a file.
    """
    import jax
    from jax._src import profiler

    def first(start: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(start)
        def started(*args: Any, **kwargs: Any) -> Any:
            give_way()
            made = start(*args, **kwargs)
            if log_dir := _jax.ProfileState().log_dir():
                own(log_dir)
            return made

        return started

    session = getattr(profiler, "ProfileSession", None)
    if session is not None:  # what start_trace and trace make from JAX 0.12 on
        session.start = first(session.start)
    else:
        profiler.start_trace = jax.profiler.start_trace = first(profiler.start_trace)

    native = _jax.native_profiler()
    raw = native.ProfilerSession

    class ProfilerSession(raw):  # type: ignore[misc, valid-type]
        def __init__(self, *args: Any, **kwargs: Any):
            give_way()
            super().__init__(*args, **kwargs)

    ProfilerSession.__qualname__ = raw.__qualname__
    ProfilerSession.__doc__ = raw.__doc__
    native.ProfilerSession = ProfilerSession
