"""The work that a program launches while it is captured: a capture is whole when all of it is over.

Results tell when: but a program may drop them, and then nothing that exists is left to wait for. So one array of each
launch is kept until it is computed, or until it was handed to another launch, which is kept then. The smallest one: on
a device whose memory is nearly full the others must not stay.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable
from typing import Any

from gait import _facts, _jax_launches
from gait._ending import wait_until

NEAR_THE_ENDS = 4  # results looked at on each side of many: a loss is among the first or the last


class InFlight:
    """Launches from add() until remove(). `known`: this JAX lets them be seen."""

    def __init__(self) -> None:
        self.known = False
        self.launches = 0
        self.on_launch: Callable[[], None] | None = None  # called once, behind the next launch, on its thread
        # By thread, and by devices where those run launches in order: what was launched, an array of its result.
        self._queues: dict[tuple[int, Any], deque[tuple[Any, Any]]] = {}
        self._undo: list[Callable[[], None]] = []
        # GPUs and TPUs run one launch after the other. CPUs do so with those of one thread only, and not always.
        self._in_order = False

    def add(self) -> None:
        self._in_order = _facts.default_platform() != "cpu"
        try:
            self._undo.append(_jax_launches.watch_slow(None, self._after_slow))
            self._undo.append(_jax_launches.watch_fast(self._after_fast))
            self.known = True
        except (ImportError, AttributeError, TypeError):
            self.remove()

    def remove(self) -> None:
        """May be repeated. What is in flight is still known."""
        while self._undo:
            self._undo.pop()()

    def forget(self) -> None:
        self.remove()
        self._queues.clear()

    @property
    def on_one_thread(self) -> bool:
        """All launches so far came from the calling thread."""
        return {thread for thread, _ in self._queues} <= {threading.get_ident()}

    def _after_fast(self, jitted: Any, args: Any, kwargs: Any, result: Any) -> None:
        self._keep(jitted, result)

    def _after_slow(self, program: Any, result: Any) -> None:
        self._keep(program, result)

    def _keep(self, launched: Any, result: Any) -> None:
        self.launches += 1
        array = _unfinished(result)
        devices = frozenset(array.devices()) if self._in_order and array is not None else None
        queue = self._queues.setdefault((threading.get_ident(), devices), deque())
        while queue and (devices is not None or _is_over(queue[0][1])):
            queue.popleft()
        if array is not None:
            queue.append((launched, array))
        if self.on_launch is not None:
            then, self.on_launch = self.on_launch, None
            then()

    def _all(self) -> list[tuple[Any, Any]]:
        return [kept for queue in tuple(self._queues.values()) for kept in tuple(queue)]

    @property
    def idle(self) -> bool:
        """Nothing that was seen is at work."""
        return all(_is_over(array) for _, array in self._all())

    def wait(self, seconds: float | None = None) -> bool:
        """Until all that was launched so far is over; False when that takes longer."""
        left = [array for _, array in self._all()]

        def over() -> bool:
            while left and _is_over(left[-1]):
                left.pop()
            return not left

        return wait_until(over, seconds)

    def unfinished(self) -> dict[str, int]:
        """Launches that are not over, by the name of their program."""
        return dict(Counter(_name(launched) for launched, array in self._all() if not _is_over(array)))


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
    """As captures have it: jit_train_step."""
    name = getattr(launched, "name", None)  # of a program
    return str(name) if name else f"jit_{getattr(launched, '__name__', 'unknown')}"
