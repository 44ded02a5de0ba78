"""The pairs: for each rule a program that has the trouble and one that has not.

A pair of steps is a function of `slow`: it prepares the program and returns its step, a function of the step's number
that returns something to wait for. A pair of captures is a function of `slow` and a folder: it writes a capture there,
and may return numbers worth showing beside what the doctor says.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

Step = Callable[[int], object]
Numbers = dict[str, float]


@dataclass
class Pair:
    steps: Callable[[bool], Step] | None = None
    capture: Callable[[bool, Path], Numbers | None] | None = None
    gpu: bool = False  # needs one
    flags: str = ""  # XLA_FLAGS of the slow side
    always: str = ""  # of both sides
    env: dict[str, str] = field(default_factory=dict)  # of both sides
    # The trouble is in the first steps: those of the slow side are captured from the first one on, and the numbers
    # are those of the captured steps.
    cold: bool = False
    # The capture tells of a part only: the cost is no more than the gain.
    part: bool = False
    # The numbers are those of the captured steps: where devices share a few cores, steps differ more from one moment to
    # the next than the profiler makes them.
    captured: bool = False


PAIRS: dict[str, Pair] = {}


def pair(rule: str, **about):
    def register(make: Callable[[bool], Step]):
        PAIRS[rule] = Pair(steps=make, **about)
        return make

    return register


def capture_pair(rule: str, **about):
    def register(make: Callable[[bool, Path], Numbers | None]):
        PAIRS[rule] = Pair(capture=make, **about)
        return make

    return register
