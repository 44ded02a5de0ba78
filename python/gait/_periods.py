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
IN_FLIGHT = 32  # launches that JAX lets a program run ahead of its devices
MANY = 20 * IN_FLIGHT  # steps over which running ahead makes a difference of at most 5 %


def count() -> int:
    """Steps begun so far in this process."""
    return _scope.begun_steps(2**62)[0]


def _intervals(times: list[int]) -> list[int]:
    return [b - a for a, b in itertools.pairwise(times)]


def _said(intervals: list[int]) -> dict[str, int]:
    return {
        "steps": len(intervals),
        "period_ns": int(statistics.median(intervals)),
        "mean_ns": int(statistics.mean(intervals)),
    }


def before(since: int, idle_ns: int) -> tuple[dict[str, int] | None, bool]:
    """Of the last steps after the first `since`, with the devices idle at `idle_ns`; and whether the loop keeps pace.

    A loop that does not wait for its results begins steps faster than devices finish them, as far as it is let
    run ahead. The times between steps are the periods of one that is held back, and too little for one that is
    not. The time from a step's beginning until the devices are idle covers all steps since, and what was queued
    before: the smallest average of that bounds the mean period from above, and is exact where the queue was
    empty. It is taken over half of the steps at least, since every n-th may be a slow one. Where it is far above
    the median the loop has run ahead, unless the devices were idle sooner than some of the last steps followed
    each other: then nothing was queued, and some steps are slow.
    """
    _, steps = _scope.begun_steps(max(count() - MANY, since))
    times = [time for _, time in steps]
    if len(times) < FEWEST:
        return None, False
    near = times[-SIDE:]
    least = max(FEWEST, len(times) // 2)
    most = min((idle_ns - time) / (len(times) - i) for i, time in enumerate(times[: len(times) - least + 1]))
    last = idle_ns - near[-1]
    between = _intervals(near)
    if most <= AHEAD * statistics.median([*between, last]) or last <= max(between[len(between) // 2 :]):
        return _said([*between, min(last, int(most))]), True
    return {"steps": len(times), "period_ns": int(most), "mean_ns": int(most)}, False


def needed(keeps_pace: bool) -> int:
    """How many steps after a window say what one takes."""
    return ENOUGH if keeps_pace else MANY


def after(begun: int, keeps_pace: bool, fewer: bool = False) -> dict[str, int] | None:
    """Of the steps after the first `begun`; None when they are too few to say.

    Between any two steps of a loop that runs ahead devices have done as many, give or take what may be in flight:
    over many steps that is little. `fewer`: also of as many as are just enough.
    """
    _, steps = _scope.begun_steps(begun)
    times = [time for _, time in steps]
    if keeps_pace:
        times = times[: SIDE + 1]
    intervals = _intervals(times)
    least = (FEWEST if keeps_pace else MANY // 2) if fewer else needed(keeps_pace)
    if len(intervals) < least:
        return None
    said = _said(intervals)
    return said if keeps_pace else said | {"period_ns": said["mean_ns"]}
