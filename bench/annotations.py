"""What one annotation costs, gait's beside JAX's, outside and inside a capture of gait.trace.

    build/venv/bin/python bench/annotations.py [--rounds 201]

All forms in one process, taking turns; each number is the least of all rounds, in nanoseconds: what the form
costs when nothing disturbs it. `empty` is a context manager in C that does nothing (bench/empty_context.cc).
"""

import argparse
import os
import sys
import tempfile
import timeit
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "build" / "bench"))

import empty_context
import jax
from jax.profiler import StepTraceAnnotation, TraceAnnotation, annotate_function

import gait

LOOPS = 500  # short, so that some rounds go undisturbed on a busy machine
FORMS = {
    "empty": "with empty('x'): pass",
    "empty, reused": "with empty_reused: pass",
    "gait.scope": "with scope('x'): pass",
    "gait.scope, reused": "with scope_reused: pass",
    "TraceAnnotation": "with TraceAnnotation('x'): pass",
    "gait.scope, 2 stats": "with scope('x', a=1, b=2): pass",
    "TraceAnnotation, 2 stats": "with TraceAnnotation('x', a=1, b=2): pass",
    "gait.step": "with step(7): pass",
    "StepTraceAnnotation": "with StepTraceAnnotation('train', step_num=7): pass",
    "gait.annotate": "annotated()",
    "annotate_function": "jax_annotated()",
}
# form, beside which, at most so many times: outside a capture, inside
GOALS = (
    ("gait.scope", "empty", 1.3, None),
    ("gait.scope", "TraceAnnotation", 1.0, 1.0),
    ("gait.step", "StepTraceAnnotation", 0.25, 1.0),
)


def nothing() -> None:
    pass


def measure(rounds: int) -> dict[str, float]:
    names = {
        "empty": empty_context.empty,
        "empty_reused": empty_context.empty("x"),
        "scope": gait.scope,
        "scope_reused": gait.scope("x"),
        "step": gait.step,
        "TraceAnnotation": TraceAnnotation,
        "StepTraceAnnotation": StepTraceAnnotation,
        "annotated": gait.annotate(nothing),
        "jax_annotated": annotate_function(nothing),
    }
    timers = {form: timeit.Timer(code, globals=names) for form, code in FORMS.items()}
    least = dict.fromkeys(FORMS, float("inf"))
    for _ in range(rounds):
        for form, timer in timers.items():
            least[form] = min(least[form], timer.timeit(LOOPS) / LOOPS * 1e9)
    return least


def measure_inside(rounds: int) -> dict[str, float]:
    """A capture for a few rounds at a time: its memory grows with every event."""
    least = dict.fromkeys(FORMS, float("inf"))
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(max(rounds // 8, 1)):
            with gait.trace(directory) as capture:
                for form, value in measure(8).items():
                    least[form] = min(least[form], value)
            capture.wait()  # nothing is written beside the next one
    return least


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=201)
    rounds = parser.parse_args().rounds
    os.environ["GAIT_QUIET"] = "1"
    outside, inside = measure(rounds), measure_inside(rounds)
    print(f"annotations, ns each (Python {sys.version.split()[0]}, jax {jax.__version__})\n")
    print(f"  {'':26}  outside   inside a capture")
    for form in FORMS:
        print(f"  {form:26}  {outside[form]:7.0f}   {inside[form]:7.0f}")
    print()
    missed = 0
    for form, beside, most_outside, most_inside in GOALS:
        for where, times, most in (("outside", outside, most_outside), ("inside", inside, most_inside)):
            if most is None:
                continue
            ratio = times[form] / times[beside]
            missed += ratio > most
            verdict = "met" if ratio <= most else "MISSED"
            print(f"  {form} {where}: {ratio:.2f} of {beside}, goal {most:g}: {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
