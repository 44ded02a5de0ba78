"""recorded_calls.py DIRECTORY: a loop of many Python calls, timed with jax.profiler and without it.

It prints what a step took, in seconds: in each turn without the profiler and recorded.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp

ROUNDS, STEPS = 7, 10


def calls(depth):
    if depth:
        calls(depth - 1)
        calls(depth - 1)


@jax.jit
def product(x):
    return jnp.tanh(x @ x)


def steps(x):
    begin = time.perf_counter()
    for number in range(STEPS):
        with jax.profiler.StepTraceAnnotation("train", step_num=number):
            calls(11)
            x = product(x)
            x.block_until_ready()
    return (time.perf_counter() - begin) / STEPS


def main(directory):
    x = jnp.full((200, 200), 0.01)
    steps(x)
    plain, recorded = [], []
    for turn in range(ROUNDS):
        plain.append(steps(x))
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 1
        jax.profiler.start_trace(f"{directory}/{turn}", profiler_options=options)
        recorded.append(steps(x))
        jax.profiler.stop_trace()
    print(json.dumps({"plain": plain, "recorded": recorded}))


if __name__ == "__main__":
    main(sys.argv[1])
