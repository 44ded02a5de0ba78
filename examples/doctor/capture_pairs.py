"""Pairs of captures: what the doctor says about a capture that went wrong, and about one that did not."""

from pathlib import Path

import harness
from programs import gpu, model
from registry import Numbers, capture_pair


@capture_pair("no_steps")
def no_steps(slow: bool, directory: Path) -> None:
    step, x, weights = model()
    step(x, weights).block_until_ready()
    with harness.captured(directory):
        if slow:
            for _ in range(harness.CAPTURED):
                y = step(x, weights)
            y.block_until_ready()
        else:
            harness.run_steps(lambda i: step(x, weights), 0, harness.CAPTURED)


@capture_pair("python_tracer")
def python_tracer(slow: bool, directory: Path) -> Numbers:
    """The host prepares every step in Python, by many calls of a small function."""
    program, x, weights = model(size=64, layers=2)
    table = {str(i): i for i in range(1000)}

    def number_of(word: str) -> int:
        return table[word]

    def step(i: int):
        total = sum(number_of(word) for word in table for _ in range(10))
        return program(x * (total + i), weights)

    first = harness.warm_up(step)
    plain = harness.run_steps(step, first, harness.MEASURED)
    with harness.captured(directory, python=slow):
        inside = harness.run_steps(step, first + harness.MEASURED, harness.CAPTURED)
    return {"ms a step without the profiler": 1e3 * plain, "captured": 1e3 * inside}


@capture_pair("no_device")
def no_device(slow: bool, directory: Path) -> None:
    """Slow: with an option that does not exist, for which the GPU is not recorded; on a CPU the capture ends before the
    step does."""
    step, x, weights = model(layers=40)
    step(x, weights).block_until_ready()
    with harness.captured(directory, advanced={"gpu_tracing": True} if slow and gpu() else None):
        y = step(x, weights)
        if gpu() or not slow:
            y.block_until_ready()
    y.block_until_ready()


@capture_pair("incomplete", gpu=True)
def incomplete(slow: bool, directory: Path) -> None:
    step, x, weights = model(size=1024, layers=200)
    step(x, weights).block_until_ready()
    advanced = {"gpu_max_activity_api_events": 1000} if slow else None
    with harness.captured(directory, advanced=advanced):
        harness.run_steps(lambda i: step(x, weights), 0, harness.CAPTURED)
