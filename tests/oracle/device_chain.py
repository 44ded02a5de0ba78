"""device_chain.py DIRECTORY DEVICES same|each wait|go_on: captures a chain over CPU devices.

In each step every device takes up where the one before it left off, with the same function or each with one of its own,
all of one name. The host waits for the last one, or goes on to the next step.
"""

import sys

import jax
import jax.numpy as jnp

STEPS = 12


def main() -> None:
    directory, functions, loop = sys.argv[1], sys.argv[3], sys.argv[4]
    jax.config.update("jax_num_cpu_devices", int(sys.argv[2]))
    devices = jax.devices()
    x = jnp.full((300, 300), 0.01)
    # Each device multiplies once more than the one before it: where the host goes on, the first is far ahead.
    stages = [jax.jit(lambda x, n=n: jnp.linalg.matrix_power(x, 2 ** (n + 1))) for n in range(len(devices))]
    if functions == "same":
        stages = stages[:1] * len(devices)

    def step():
        y = x
        for stage, device in zip(stages, devices, strict=True):
            y = stage(jax.device_put(y, device))
        return y

    step().block_until_ready()
    with jax.profiler.trace(directory):
        for number in range(STEPS):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                y = step()
                if loop == "wait":
                    y.block_until_ready()
        y.block_until_ready()


if __name__ == "__main__":
    main()
