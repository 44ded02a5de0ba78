"""eager_blocks.py DIRECTORY DEVICES: captures eager layers in capture blocks on the CPU.

Three entries of a block, the loop never waits inside one. Layer 2 does everything four times. Meanwhile a second
thread launches work of its own under its own scope. What the program measured itself goes to DIRECTORY/labels.json.
"""

import json
import pathlib
import sys
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

LAYERS = 4
REPEATS = {2: 4}


def forward(x, weights):
    with jax.profiler.TraceAnnotation("forward_pass"):
        for number, w in enumerate(weights):
            with jax.profiler.TraceAnnotation(f"layer_{number}"):
                for _ in range(REPEATS.get(number, 1)):
                    x = jnp.tanh(x @ w)
    return x


def backward(x, weights):
    with jax.profiler.TraceAnnotation("backward_pass"):
        for w in weights:
            x = x @ w.T
    return x


def beside(x) -> None:
    with jax.profiler.TraceAnnotation("metrics"):
        jnp.sin(x).block_until_ready()


def entry(number: int, x, weights) -> float:
    begun = time.perf_counter()
    with jax.profiler.TraceAnnotation("my_block", gait_block=number):
        thread = threading.Thread(target=beside, args=(x,))
        thread.start()
        x = backward(forward(x, weights), weights)
        thread.join()
    x.block_until_ready()
    return time.perf_counter() - begun


def main() -> None:
    directory, devices = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    jax.config.update("jax_num_cpu_devices", devices)
    mesh = Mesh(np.array(jax.devices()), ("d",))
    x = jax.device_put(jnp.ones((64 * devices, 300)), NamedSharding(mesh, PartitionSpec("d")))
    weights = [
        jax.device_put(jnp.full((300, 300), 0.01), NamedSharding(mesh, PartitionSpec()))
        for _ in range(LAYERS)
    ]
    entry(0, x, weights)
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    with jax.profiler.trace(directory, profiler_options=options):
        seconds = [entry(number, x, weights) for number in range(3)]
    (directory / "labels.json").write_text(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
