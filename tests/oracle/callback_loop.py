"""callback_loop.py DIRECTORY DEVICES: captures programs on the CPU that call back into Python, and a loader's thread.

The callback sleeps for 10 ms, the loader for 2 ms a batch, inside its annotation.
"""

import queue
import sys
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np

STEPS = 6


def slow(x):
    time.sleep(0.01)
    return np.asarray(x)


@jax.jit
def step(x, y):
    x = jnp.tanh(x @ y)
    x = jax.pure_callback(slow, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
    return x @ x


def main() -> None:
    batches = queue.Queue(2)

    def load():
        for _ in range(STEPS):
            with jax.profiler.TraceAnnotation("load_batch"):
                time.sleep(0.002)
                batch = np.full((200, 200), 0.01, np.float32)
            batches.put(jax.device_put(batch))

    x = jax.device_put(np.full((200, 200), 0.01, np.float32))
    step(x, x).block_until_ready()
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0  # frames would tell whose thread it is
    with jax.profiler.trace(sys.argv[1], profiler_options=options):
        loader = threading.Thread(target=load)
        loader.start()
        for number in range(STEPS):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                step(x, batches.get()).block_until_ready()
        loader.join()


if __name__ == "__main__":
    main()
