"""The times of steps outside of captures, from begin to begin. A profiler slows programs down, and only the steps
around a window show how much."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import statistics

from gait import _compiling, _scope

SIDE = 50  # steps looked at on each side
ENOUGH = 20  # of them after a window before its manifest is written again
FEWEST = 5  # below that nothing is said
AHEAD = 2  # a loop has run ahead when devices took so many times what is between its steps
IN_FLIGHT = 32  # launches that JAX lets a program run ahead of its devices
MANY = 20 * IN_FLIGHT  # steps over which running ahead makes a difference of at most 5 %


Begun = tuple[int, int, str]  # a step: its number, when it began, the name of its kind


def count() -> int:
    """Steps begun so far in this process."""
    return _scope.begun_steps(2**62)[0]


@dataclasses.dataclass(frozen=True)
class Past:
    """The steps that had begun before a capture, and since when the devices were idle then."""

    steps: list[Begun]
    idle_ns: int
    whole: bool  # none of the process was before


def past(since: int, idle_ns: int) -> Past:
    """Of the steps after the first `since`."""
    earliest = max(count() - MANY, since)
    return Past(_scope.begun_steps(earliest)[1], idle_ns, earliest == 0)


def kind(earlier: Past, begun: int, end_ns: int, counted: str | None = None) -> str | None:
    """Which kind of steps a capture is of that began after the first `begun` and ended at `end_ns`.

    `counted` is the kind whose steps decided when it begins and ends, where it has any. Else it is the one that held
    the most of its time, a step until the next of any kind begins: an evaluation may have more steps than a training
    that takes longer.
    """
    steps = _scope.begun_steps(begun)[1]
    if not steps:
        return earlier.steps[-1][2] if earlier.steps else None
    held: collections.Counter[str] = collections.Counter()
    for (_, time, name), end in zip(steps, [*(time for _, time, _ in steps[1:]), end_ns], strict=True):
        held[name] += end - time
    return counted if counted in held else held.most_common(1)[0][0]


def _loops(steps: list[Begun], name: str | None) -> list[list[int]]:
    """When the steps of a kind began, loop by loop: where numbers go back another one begins."""
    loops: list[list[int]] = [[]]
    last = None
    for number, time, of in steps:
        if of != name:
            continue
        if last is not None and number < last:
            loops.append([])
        loops[-1].append(time)
        last = number
    return loops


def _since_compiling(times: list[int], first: bool) -> list[int]:
    """Those behind the last step that compiled. Where nobody can tell, the `first` step of a program is taken to."""
    for i in range(len(times) - 2, -1, -1):
        compiled = _compiling.compiled_between(times[i], times[i + 1])
        if compiled or (compiled is None and first and i == 0):
            return times[i + 1 :]
    return times


def _intervals(times: list[int]) -> list[int]:
    """Without those in which JAX compiled."""
    return [b - a for a, b in itertools.pairwise(times) if not _compiling.compiled_between(a, b)]


def _said(intervals: list[int]) -> dict[str, int]:
    return {
        "steps": len(intervals),
        "period_ns": int(statistics.median(intervals)),
        "mean_ns": int(statistics.mean(intervals)),
    }


def before(earlier: Past, name: str | None) -> tuple[dict[str, int] | None, bool]:
    """Of the last loop of that kind in the past; and whether it keeps pace.

    A loop that does not wait for its results begins steps faster than devices finish them, as far as it is let
    run ahead. The times between steps are the periods of one that is held back, and too little for one that is
    not. The time from a step's beginning until the devices are idle covers all steps since, and what was queued
    before: the smallest average of that bounds the mean period from above, and is exact where the queue was
    empty. It is taken over half of the steps at least, since every n-th may be a slow one. Where it is far above
    the median the loop has run ahead, unless the devices were idle sooner than some of the last steps followed
    each other: then nothing was queued, and some steps are slow.
    """
    loops, idle_ns = _loops(earlier.steps, name), earlier.idle_ns
    times = _since_compiling(loops[-1], first=earlier.whole and len(loops) == 1)
    if len(times) < FEWEST:
        return None, False
    near = times[-SIDE:]
    least = max(FEWEST, len(times) // 2)
    most = min((idle_ns - time) / (len(times) - i) for i, time in enumerate(times[: len(times) - least + 1]))
    last = idle_ns - near[-1]
    between = [b - a for a, b in itertools.pairwise(near)]
    if most <= AHEAD * statistics.median([*between, last]) or last <= max(between[len(between) // 2 :]):
        return _said([*between, min(last, int(most))]), True
    return {"steps": len(times), "period_ns": int(most), "mean_ns": int(most)}, False


def _going_on(begun: int, name: str | None) -> list[Begun]:
    """The steps of that kind after the first `begun`, of the loop that ran then: where numbers go back another one
    begins."""
    total, steps = _scope.begun_steps(max(0, begun - MANY))
    found: list[Begun] = []
    last = None
    for i, step in enumerate(steps, total - len(steps)):
        if step[2] != name:
            continue
        if i >= begun:
            if last is not None and step[0] < last:
                break
            found.append(step)
        last = step[0]
    return found


def until(later: Past, begun: int, name: str | None) -> dict[str, int] | None:
    """What before() says of the steps after the first `begun`, where their loop ran until devices were idle."""
    steps = _going_on(begun, name)
    if not steps or steps[-1:] != later.steps[-1:]:
        return None
    return before(Past(steps, later.idle_ns, whole=False), name)[0]


def needed(keeps_pace: bool) -> int:
    """How many steps after a window say what one takes."""
    return ENOUGH if keeps_pace else MANY


def after(begun: int, name: str | None, keeps_pace: bool, fewer: bool = False) -> dict[str, int] | None:
    """Of the loop that goes on after the first `begun` steps; None when its steps are too few to say.

    Between any two steps of a loop that runs ahead devices have done as many, give or take what may be in flight:
    over many steps that is little. `fewer`: also of as many as are just enough.
    """
    times = [time for _, time, _ in _going_on(begun, name)]
    if keeps_pace:
        times = times[: SIDE + 1]
    intervals = _intervals(times)
    least = (FEWEST if keeps_pace else MANY // 2) if fewer else needed(keeps_pace)
    if len(intervals) < least:
        return None
    said = _said(intervals)
    return said if keeps_pace else said | {"period_ns": said["mean_ns"]}
