"""The program's own waits for results as events of a capture.

JAX records calls that read an array (float(x), np.asarray(x)), but not block_until_ready on every platform. A GPU's
capture shows a thread that stands still, and nobody can tell waiting from working. So while gait records, each
block_until_ready is an annotation on the thread that waits. The tracer of Python calls sees such calls itself; with it,
gait adds nothing, since the tracer would see this file instead.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from gait import _jax

NAME = "block_until_ready"  # the engine knows waits by these words


class WaitHook:
    """In the place of JAX's two functions that wait from add() until remove(): that of an array, and that of many."""

    def __init__(self) -> None:
        self._replaced: list[tuple[Any, str, Any, Any]] = []  # where, name, JAX's own, ours
        self._removed = False

    def add(self) -> None:
        # A JAX that has these somewhere else is recorded without.
        with contextlib.suppress(ImportError, AttributeError, TypeError):
            from jax._src.array import ArrayImpl
            from jax._src.lib import xla_client

            self._replace(ArrayImpl, "block_until_ready")
            self._replace(xla_client, "batched_block_until_ready")

    def _replace(self, owner: Any, name: str) -> None:
        own = getattr(owner, name)
        ours = self._recorded(own)
        self._replaced.append((owner, name, own, ours))  # first: Ctrl-C may come between the two
        setattr(owner, name, ours)

    def _recorded(self, wait: Callable[..., Any]) -> Callable[..., Any]:
        annotation = _jax.trace_me()

        def block_until_ready(*arguments: Any) -> Any:
            if self._removed:  # someone kept it
                return wait(*arguments)
            with annotation(NAME):
                return wait(*arguments)

        return block_until_ready

    def remove(self) -> None:
        """Before gait waits itself, at the end. What the program has put in our place stays. May be repeated."""
        self._removed = True
        for owner, name, own, ours in self._replaced:
            if getattr(owner, name) is ours:
                setattr(owner, name, own)
