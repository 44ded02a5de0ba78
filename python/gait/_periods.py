"""How long steps took outside of captures, from when each began: a profiler slows programs down, and only the
steps around a window can say how much."""

from __future__ import annotations

import itertools
import statistics

from gait import _scope

SIDE = 50  # steps looked at on each side
ENOUGH = 20  # of them after a window before its manifest is written again
FEWEST = 5  # below that nothing is said
AHEAD = 2  # a loop has run ahead when devices took so many times what is between its steps


def count() -> int:
    """Steps begun so far in this process."""
    return _scope.begun_steps(2**62)[0]


def _intervals(times: list[int]) -> list[int]:
    return [b - a for a, b in itertools.pairwise(times)]


def before(since: int, idle_ns: int) -> tuple[dict[str, int] | None, bool]:
    """Of the last steps after the first `since`, with the devices idle at `idle_ns`; and whether the loop keeps pace.

    A loop that does not wait for its results begins steps faster than devices finish them, as far as it is let
    run ahead. The median of the times between steps is the period of one that is held back, and too little for
    one that is not. The time from a step's beginning until the devices are idle covers all steps since, and what
    was queued before: the smallest average of that bounds the period from above, and is exact where the queue was
    empty. Where the two are far apart the loop has run ahead.
    """
    _, steps = _scope.begun_steps(max(count() - SIDE, since))
    times = [time for _, time in steps]
    if len(times) < FEWEST:
        return None, False
    apart = statistics.median(_intervals([*times, idle_ns]))
    most = min((idle_ns - time) / (len(times) - i) for i, time in enumerate(times[: len(times) - FEWEST + 1]))
    keeps_pace = most <= AHEAD * apart
    return {"steps": len(times), "period_ns": int(apart if keeps_pace else most)}, keeps_pace


def after(begun: int) -> dict[str, int] | None:
    """Of the steps after the first `begun`, of a loop that keeps pace. Devices were idle when they began."""
    _, steps = _scope.begun_steps(begun)
    intervals = _intervals([time for _, time in steps[: SIDE + 1]])
    if len(intervals) < FEWEST:
        return None
    return {"steps": len(intervals), "period_ns": int(statistics.median(intervals))}
