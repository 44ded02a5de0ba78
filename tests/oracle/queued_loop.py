"""queued_loop.py DIRECTORY DEVICES: captures a loop on the CPU that waits for batches another thread loads.

A batch takes 20 ms, inside the loader's annotation. After every third step an evaluation runs on another device and is
waited for. The truth is written down beside the capture, as it depends on how busy the machine is: begin and end, in
nanoseconds, of what was loaded, waited for, trained and evaluated.
"""

import json
import queue
import sys
import threading
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

STEPS = 9
EVALUATIONS = STEPS // 3
LOADING = 0.02


@jax.jit
def train(weights, batch):
    return weights + 1e-6 * jnp.tanh(batch @ weights)


@jax.jit
def evaluate(weights):
    return jax.lax.fori_loop(0, 20, lambda _, x: jnp.tanh(x @ x), weights)


def main() -> None:
    directory = Path(sys.argv[1])
    jax.config.update("jax_num_cpu_devices", int(sys.argv[2]))
    batches = queue.Queue(1)
    truth = {"loaded": [], "waited": [], "trained": [], "evaluated": []}
    now = time.perf_counter_ns

    def load():
        for _ in range(STEPS):
            begin = now()
            with jax.profiler.TraceAnnotation("data_loading"):
                time.sleep(LOADING)
                batch = np.full((200, 200), 0.01, np.float32)
            truth["loaded"].append((begin, now()))
            batches.put(batch)

    weights = jnp.ones((200, 200))
    elsewhere = jax.device_put(jnp.full((300, 300), 0.01), jax.devices()[1])
    jax.block_until_ready((train(weights, np.ones((200, 200), np.float32)), evaluate(elsewhere)))
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0  # frames would tell that the loop waits in `get`
    with jax.profiler.trace(directory, profiler_options=options):
        loader = threading.Thread(target=load)
        loader.start()
        for number in range(STEPS):
            begin = now()
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                batch = batches.get()
                truth["waited"].append((begin, now()))
                weights = train(weights, batch).block_until_ready()
            truth["trained"].append((begin, now()))
            if number % 3 == 2:
                begin = now()
                with jax.profiler.StepTraceAnnotation("eval", step_num=number):
                    evaluate(elsewhere).block_until_ready()
                truth["evaluated"].append((begin, now()))
        loader.join()
    (directory / "truth.json").write_text(json.dumps(truth))


if __name__ == "__main__":
    main()
