"""two_waits.py DIRECTORY DEVICES: captures a loop on the CPU that waits twice a step, and writes down how long."""

import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp

STEPS = 8


@jax.jit
def forward(x):
    for _ in range(4):
        x = jnp.tanh(x @ x)
    return x


@jax.jit
def update(x):
    return jnp.tanh(x @ x) + 1


def main() -> None:
    directory = Path(sys.argv[1])
    x = jnp.full((700, 700), 0.01)
    update(forward(x)).block_until_ready()
    waited = 0

    def wait(y):
        nonlocal waited
        begin = time.perf_counter_ns()
        y.block_until_ready()
        waited += time.perf_counter_ns() - begin
        return y

    with jax.profiler.trace(directory):
        for number in range(STEPS):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                wait(update(wait(forward(x))))
    (directory / "waited").write_text(str(waited))


if __name__ == "__main__":
    main()
