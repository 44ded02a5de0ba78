"""The steps of a program that marks none: launches of the function that its loop repeats.

Only the running program shows which function that is: the largest of the functions that repeat. A function repeats when
it is launched more than once, and often enough among the others. An initialisation is launched once or in a row and
rests from then on; an evaluation is launched too rarely. Every function has its own count, so a step has the number of
its launch even if the function is found late. Pure: this module knows counts and sizes, not JAX.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

OFTEN = 8  # one launch in so many belongs to a function that repeats


class Function:
    """A function that the program jits, under the name that JAX gives its launches."""

    def __init__(self, name: str, measure: Callable[[], int]):
        self.name = name
        self.launches = 0
        self.first = self.last = 0  # its launches, in the order of all
        self._measure = measure

    @functools.cached_property
    def size(self) -> int:
        """Of its program. Asked for when two functions repeat, as it takes milliseconds."""
        return self._measure()


class Loop:
    """Counts launches and follows the function that repeats: `step`."""

    def __init__(self) -> None:
        self.step: Function | None = None
        self.functions: list[Function] = []  # all that were launched
        self._launches = 0

    def launch(self, function: Function, hold: bool = False) -> bool:
        """Counts a launch and says whether it begins a step; its number is then `function.launches - 1`.

        `hold` stays with the function of now, for the sake of a capture, unless that one has come to rest.
        """
        self._launches += 1
        if function.launches == 0:
            function.first = self._launches
            self.functions.append(function)
        function.launches += 1
        function.last = self._launches
        if function is not self.step and self._repeats(function) and self._replaces(function, hold):
            self.step = function
        return function is self.step

    def _repeats(self, function: Function) -> bool:
        return function.launches > 1 and function.launches * OFTEN > self._launches - function.first

    def _replaces(self, function: Function, hold: bool) -> bool:
        step = self.step
        if step is None or self._launches - step.last > step.launches:  # it has rested for longer than it ran
            return True
        return not hold and function.size > step.size
