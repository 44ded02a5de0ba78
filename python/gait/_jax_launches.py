"""Launches of jitted functions, seen from Python: the one hook for all modules that need launches.

JAX launches a function that it has launched before on a fast path of native code. After such a launch JAX can look for
NaNs: this check is the place to see the launch. All other launches go through Python, by ExecuteReplicated.
"""

from __future__ import annotations

import abc
import threading
from collections.abc import Callable
from typing import Any

Hook = Callable[..., None]


class _Place:
    """Where JAX looks for NaNs after each launch, when told to: in the process, or otherwise in a thread."""

    def __init__(self, update: Any, get: Any, put: Any, empty: Any):
        self.update = update  # what JAX calls when it is told to, or no longer
        self.get = get
        self.put = put
        # The value that stands for: nothing to do. In a thread, older ones then ask the process.
        self.empty = empty


def _places() -> tuple[_Place, _Place]:
    from jax._src import api

    updates = api._update_debug_special_global, api._update_debug_special_thread_local
    state = getattr(api, "_post_hook_state", None)
    if state is not None:
        return (
            _Place(updates[0], state.get_global, state.set_global, None),
            _Place(updates[1], state.get_local, state.set_local, None),
        )
    from jax._src.lib import jax_jit  # before 0.4.36

    def older(update: Any, state: Any, empty: Any) -> _Place:
        return _Place(
            update, lambda: state().post_hook, lambda hook: setattr(state(), "post_hook", hook), empty
        )

    return older(updates[0], jax_jit.global_state, None), older(updates[1], jax_jit.thread_local_state, ...)


class _Watched(abc.ABC):
    """One thing of JAX that several watch: it is replaced while somebody does, and put back after the last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.watchers: tuple[Any, ...] = ()
        self._put_back: Callable[[], None] | None = None

    def add(self, watcher: Any) -> Callable[[], None]:
        with self._lock:
            self._change((*self.watchers, watcher))
        return lambda: self._remove(watcher)

    def _change(self, watchers: tuple[Any, ...]) -> None:
        """Anew, as one watcher alone is called without a step between."""
        if self._put_back is not None:
            put_back, self._put_back = self._put_back, None
            put_back()
        self.watchers = watchers
        if watchers:
            self._put_back = self.replace()

    def _remove(self, watcher: Any) -> None:
        with self._lock:
            if watcher not in self.watchers:
                return
            self._change(tuple(other for other in self.watchers if other is not watcher))

    @abc.abstractmethod
    def replace(self) -> Callable[[], None]:
        """Puts the watchers where JAX calls them; what it returns puts JAX's own back."""


class _Fast(_Watched):
    def tell(self, *launch: Any) -> None:
        for hook in self.watchers:
            hook(*launch)

    def replace(self) -> Callable[[], None]:
        from jax._src import api, config

        places = _places()
        look_for_nans = api._nan_check_posthook
        tell = self.watchers[0] if len(self.watchers) == 1 else self.tell

        def both(*launch: Any) -> None:
            look_for_nans(*launch)
            tell(*launch)

        def fill(place: _Place) -> None:
            if place.get() is look_for_nans:
                place.put(both)
            elif place.get() is place.empty:
                place.put(tell)

        def updater(place: _Place) -> Callable[[Any], None]:
            def update(value: Any) -> None:
                place.update(value)
                fill(place)

            return update

        def undo() -> None:
            for flag in (config.debug_nans, config.debug_infs):
                flag._add_hooks(*(place.update for place in places))
            for place in places:
                if place.get() in (tell, both):
                    place.put(None if place.get() == tell else look_for_nans)

        for flag in (config.debug_nans, config.debug_infs):
            flag._add_hooks(*map(updater, places))  # which calls the first
        fill(places[1])
        return undo


class _Slow(_Watched):
    def replace(self) -> Callable[[], None]:
        from jax._src.interpreters import pxla

        owner = pxla.ExecuteReplicated
        execute = owner.__call__

        def call(program: Any, *args: Any) -> Any:
            watchers = self.watchers
            for before, _ in watchers:
                if before is not None:
                    before(program)
            result = execute(program, *args)
            for _, after in watchers:
                after(program, result)
            return result

        def undo() -> None:
            if owner.__call__ is call:  # else the program has put something in our place
                owner.__call__ = execute

        owner.__call__ = call
        return undo


_fast, _slow = _Fast(), _Slow()


def watch_fast(hook: Hook) -> Callable[[], None]:
    """`hook(jitted, args, kwargs, result)` after each launch on the fast path, of any thread.

    JAX looks for NaNs there as before, where it did. What comes back undoes it. ImportError and AttributeError where
    this JAX has no such place.
    """
    return _fast.add(hook)


def watch_slow(before: Hook | None, after: Hook) -> Callable[[], None]:
    """`before(program)` and `after(program, result)` around each launch that goes by Python. What comes back undoes it.

    ImportError and AttributeError where this JAX has no such place.
    """
    return _slow.add((before, after))
