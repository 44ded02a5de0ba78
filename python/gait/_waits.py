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
from gait._replacing import Replacing

NAME = "block_until_ready"  # the engine knows waits by these words


class WaitHook(Replacing):
    """In the place of JAX's two functions that wait: that of an array, and that of many. Removed before gait itself
    waits, at the end."""

    def add(self) -> None:
        # A JAX that has these somewhere else is recorded without.
        with contextlib.suppress(ImportError, AttributeError, TypeError):
            from jax._src.array import ArrayImpl
            from jax._src.lib import xla_client

            self.replace(ArrayImpl, "block_until_ready", self._recorded)
            self.replace(xla_client, "batched_block_until_ready", self._recorded)

    def _recorded(self, wait: Callable[..., Any]) -> Callable[..., Any]:
        annotation = _jax.trace_me()

        def block_until_ready(*arguments: Any) -> Any:
            if self.removed:
                return wait(*arguments)
            with annotation(NAME):
                return wait(*arguments)

        return block_until_ready
