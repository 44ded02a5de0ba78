"""Measures the steps of a program without a profiler, and captures some of them."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import jax

# Until steps take what they take: memory that the host pins for copies is got in the first dozens of steps.
WARM_UP = 5
WARM_UP_SECONDS = 5.0
MOST_WARM_UP = 200
MEASURED = 30
CAPTURED = 8


def run_steps(step: Callable[[int], object], first: int, count: int) -> float:
    """Seconds a step takes."""
    begin = time.perf_counter()
    result = None
    for i in range(first, first + count):
        with jax.profiler.StepTraceAnnotation("train", step_num=i):
            result = step(i)
    jax.block_until_ready(result)
    return (time.perf_counter() - begin) / count


def warm_up(step: Callable[[int], object]) -> int:
    """The number of the first step after it."""
    first = 0
    until = time.perf_counter() + WARM_UP_SECONDS
    while first < WARM_UP or (time.perf_counter() < until and first < MOST_WARM_UP):
        run_steps(step, first, WARM_UP)
        first += WARM_UP
    return first


@contextmanager
def captured(directory: Path, python: bool = False, advanced: dict | None = None) -> Iterator[None]:
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = int(python)
    if advanced:
        options.advanced_configuration = advanced
    jax.profiler.start_trace(str(directory), profiler_options=options)
    yield
    jax.profiler.stop_trace()


def measure(step: Callable[[int], object], directory: Path) -> float:
    """Seconds a step takes without the profiler. A capture of further steps goes to the directory, and the manifest
    beside it says how long steps took without the profiler."""
    first = warm_up(step)
    period = run_steps(step, first, MEASURED)
    with captured(directory):
        run_steps(step, first + MEASURED, CAPTURED)
    (run,) = (directory / "plugins" / "profile").iterdir()
    mean = round(period * 1e9)
    manifest = {"uncaptured": {"before": {"steps": MEASURED, "period_ns": mean, "mean_ns": mean}}}
    (run / "gait.json").write_text(json.dumps(manifest))
    return period


def measure_captured(step: Callable[[int], object], directory: Path, cold: bool) -> float:
    """Seconds a captured step takes; `cold`: from the very first on."""
    first = 0 if cold else warm_up(step)
    with captured(directory):
        return run_steps(step, first, CAPTURED)
