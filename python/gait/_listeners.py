"""The listeners for steps: steps of gait.step, and steps that other code marks."""

from __future__ import annotations

from typing import Protocol

from gait import _scope


class StepListener(Protocol):
    def on_step_begin(self, number: int) -> None: ...
    def on_step_end(self, number: int, error: type[BaseException] | None) -> None: ...


_listeners: list[StepListener] = []


def add(listener: StepListener) -> None:
    _listeners.append(listener)
    _scope.listen(on_begin, on_end)


def remove(listener: StepListener) -> None:
    if listener in _listeners:
        _listeners.remove(listener)
    if not _listeners:
        _scope.listen(None, None)  # gait.step asks nobody then


def on_begin(number: int, but: StepListener | None = None) -> None:
    """`but`: who knows already."""
    for listener in tuple(_listeners):
        if listener is not but:
            listener.on_step_begin(number)


def on_end(number: int, error: type[BaseException] | None, but: StepListener | None = None) -> None:
    for listener in tuple(_listeners):
        if listener is not but:
            listener.on_step_end(number, error)
