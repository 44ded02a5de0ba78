"""Measures the steps of a program without a profiler, and captures some of them."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import jax

# Until steps take what they take: memory that the host pins for copies is got in the first dozens of steps.
WARM_UP = 5
WARM_UP_SECONDS = 5.0
MOST_WARM_UP = 200
MEASURED = 30
CAPTURED = 8


def _run(step: Callable[[int], object], first: int, count: int) -> tuple[float, object]:
    begin = time.perf_counter()
    result = None
    for i in range(first, first + count):
        with jax.profiler.StepTraceAnnotation("train", step_num=i):
            result = step(i)
    jax.block_until_ready(result)
    return time.perf_counter() - begin, result


def measure(step: Callable[[int], object], directory: Path | None) -> float:
    """Seconds a step takes without the profiler. With a directory, a capture of further steps goes there, and the
    manifest beside it says how long steps took without the profiler."""
    first = 0
    until = time.perf_counter() + WARM_UP_SECONDS
    while first < WARM_UP or (time.perf_counter() < until and first < MOST_WARM_UP):
        _run(step, first, WARM_UP)
        first += WARM_UP
    seconds, _ = _run(step, first, MEASURED)
    period = seconds / MEASURED
    if directory is not None:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        jax.profiler.start_trace(str(directory), profiler_options=options)
        _run(step, first + MEASURED, CAPTURED)
        jax.profiler.stop_trace()
        (run,) = (directory / "plugins" / "profile").iterdir()
        manifest = {"uncaptured": {"before": {"steps": MEASURED, "period_ns": round(period * 1e9)}}}
        (run / "gait.json").write_text(json.dumps(manifest))
    return period
