"""The scopes of a backward pass that runs without jit, as events of a capture.

JAX runs such a pass operation by operation, when the scopes of the model are closed again. JAX knows in which scopes
each operation was made, and tells that only to what it compiles. So while gait records, each operation of a backward
pass runs in annotations: "backward", and the scopes of the operation that it belongs to. Scopes are those that JAX
knows: of gait.scope and jax.named_scope.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import TracebackType
from typing import Any

from gait import _jax
from gait._replacing import Replacing

PASS = "backward"


class BackwardHook(Replacing):
    """In the place of what JAX puts around each operation of a backward pass."""

    def add(self) -> None:
        # A JAX that has it somewhere else is recorded without.
        with contextlib.suppress(ImportError, AttributeError, TypeError):
            from jax._src import core
            from jax._src.interpreters import ad

            self.replace(ad, "_name_stack_ctx", lambda own: self._scoped(own, core.trace_ctx.is_top_level))

    def _scoped(self, around: Callable[[Any], Any], runs: Callable[[], bool]) -> Callable[[Any], Any]:
        annotation = _jax.trace_me()

        def name_stack_ctx(source: Any) -> Any:
            if self.removed or not runs():  # what is traced runs later
                return around(source)
            scopes = [entry.name for entry in source.name_stack.stack if type(entry).__name__ == "Scope"]
            if not scopes:
                return around(source)
            return _Scoped(around(source), annotation, (PASS, *scopes))

        return name_stack_ctx


class _Scoped:
    """What JAX puts around, with annotations inside."""

    __slots__ = ("_annotation", "_around", "_names", "_open")

    def __init__(self, around: Any, annotation: Any, names: tuple[str, ...]):
        self._around, self._annotation, self._names = around, annotation, names

    def __enter__(self) -> None:
        self._around.__enter__()
        self._open = [self._annotation(name).__enter__() for name in self._names]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> Any:
        while self._open:
            self._open.pop().__exit__(kind, error, traceback)
        return self._around.__exit__(kind, error, traceback)
