"""The work that a program launches during a capture. A capture is whole when all of this work is over.

A result tells when its work is over. But a program may drop its results, and then no array is left to wait for. So
gait keeps one array of each launch until the array is computed, or until another launch takes it; then gait keeps
that one's.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from gait import _facts, _jax, _jax_launches, _scope
from gait._ending import wait_until

Launch = tuple[int, Any, Any]  # its thread, what was launched, an array of its result
NEAR_THE_ENDS = 4  # results looked at on each side of many: a loss is among the first or the last


class InFlight:
    """Launches from add() until forget(). `known`: this JAX lets them be seen."""

    def __init__(self) -> None:
        self.known = False
        self._undo: list[Callable[[], None]] = []
        self._kept: _Kept | None = None
        self._awaited: list[Launch] | None = None  # at the end of the capture: what comes later is none of it

    def add(self) -> None:
        # GPUs and TPUs run one launch after the other. CPUs do so with those of one thread only, and not always.
        self._kept = _LastOnes() if _facts.default_platform() != "cpu" else _AllOfCpu()
        try:
            self._undo.append(_jax_launches.watch_slow(None, self._kept.hook))
            self._undo.append(_jax_launches.watch_fast(self._kept.hook))
            self.known = True
        except (ImportError, AttributeError, TypeError):
            self.forget()

    def remove(self) -> None:
        """May be repeated. What is in flight is still known."""
        while self._undo:
            self._undo.pop()()

    def forget(self) -> None:
        self.remove()
        kept, self._kept, self._awaited = self._kept, None, None
        if kept is not None:
            kept.clear()

    @property
    def launches(self) -> int:
        return 0 if self._kept is None else self._kept.launches

    def after_next_launch(self, action: Callable[[], None]) -> None:
        """Calls `action` once, behind the next launch, on its thread."""
        if self._kept is not None:
            self._kept.after_next(action)

    @property
    def on_one_thread(self) -> bool:
        """All that is kept came from the calling thread."""
        return {thread for thread, _, _ in self._all()} <= {threading.get_ident()}

    def _all(self) -> list[Launch]:
        return [] if self._kept is None else self._kept.all()

    @property
    def idle(self) -> bool:
        """Nothing that was seen is at work."""
        return all(_is_over(array) for _, _, array in self._all())

    def wait(self, seconds: float | None = None) -> bool:
        """Until all that was launched so far is over; False when that takes longer."""
        self._awaited = self._all()
        left = [array for _, _, array in self._awaited]

        def over() -> bool:
            while left and _is_over(left[-1]):
                left.pop()
            return not left

        return wait_until(over, seconds)

    def block(self) -> None:
        """The same without a limit, and without a delay at its end."""
        _jax.wait_for([array for _, _, array in self._all()])

    def unfinished(self) -> dict[str, int]:
        """Launches that are not over, by the name of their program."""
        known = self._all() if self._awaited is None else self._awaited
        return dict(Counter(_name(launched) for _, launched, array in known if not _is_over(array)))


class _Kept(Protocol):
    """What is kept of launches; `hook` is called behind each."""

    hook: Callable[..., None]

    @property
    def launches(self) -> int: ...
    def all(self) -> list[Launch]: ...
    def after_next(self, action: Callable[[], None]) -> None: ...
    def clear(self) -> None: ...


class _AllOfCpu:
    """Every launch until it is over, in native code: frames of ours would stand among the program's Python calls."""

    def __init__(self) -> None:
        from jax._src.tree_util import default_registry

        self.hook = _scope.on_launch
        _scope.keep_launches(default_registry.flatten)

    @property
    def launches(self) -> int:
        return _scope.kept_launches()[0]

    def all(self) -> list[Launch]:
        return _scope.kept_launches()[1]

    def after_next(self, action: Callable[[], None]) -> None:
        _scope.after_next_launch(action)

    def clear(self) -> None:
        _scope.keep_launches(None)


class _LastOnes:
    """The last launch of each thread on each set of devices, which run them in order: of memory that is scarce little
    may be held, so it is the smallest array of the result."""

    def __init__(self) -> None:
        self.launches = 0
        self._last: dict[tuple[int, Any], Launch] = {}
        self._then: Callable[[], None] | None = None

    def hook(self, launched: Any, *rest: Any) -> None:
        self.launches += 1
        with contextlib.suppress(Exception):  # training never hears of what goes wrong here
            array = _unfinished(rest[-1])
            if array is not None:
                thread = threading.get_ident()
                self._last[thread, frozenset(array.devices())] = thread, launched, array
            if self._then is not None:
                then, self._then = self._then, None
                then()

    def all(self) -> list[Launch]:
        return list(self._last.values())

    def after_next(self, action: Callable[[], None]) -> None:
        self._then = action

    def clear(self) -> None:
        self._last.clear()


def _is_over(array: Any) -> bool:
    try:
        return bool(array.is_deleted() or array.is_ready())
    except RuntimeError:  # deleted or donated between the two
        return True


def _unfinished(result: Any) -> Any:
    """One array of a result that is not computed yet, a small one; None: all are.

    What a launch only hands on is computed as a rule, though not by it: such an array says nothing.
    """
    if hasattr(result, "is_ready"):  # one array, as of all that is not jitted
        return None if _is_over(result) else result
    from jax.tree_util import tree_leaves

    arrays = [getattr(leaf, "_base_array", leaf) for leaf in tree_leaves(result)]
    found = _smallest(arrays[:NEAR_THE_ENDS] + arrays[NEAR_THE_ENDS:][-NEAR_THE_ENDS:])
    return _smallest(arrays) if found is None else found


def _smallest(arrays: Iterable[Any]) -> Any:
    waiting = [array for array in arrays if hasattr(array, "is_ready") and not _is_over(array)]
    return min(waiting, key=lambda array: array.size, default=None)


def _name(launched: Any) -> str:
    """As captures have it: jit_train_step, jit__lambda. A program calls itself jit(train_step), a jitted function
    train_step."""
    name = getattr(launched, "name", None)
    kind, _, inner = (
        str(name).partition("(") if name else ("jit", "", f"{getattr(launched, '__name__', 'unknown')})")
    )
    return re.sub(r"[^\w.-]", "_", f"{kind}_{inner.removesuffix(')')}" if inner else kind).rstrip("_")
