"""waiting_loop.py DIRECTORY DEVICES: captures a loop on the CPU that waits for the result of each step."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec


@jax.jit
def step(x, w):
    for _ in range(3):
        x = jnp.tanh(x @ w)
    return x / jnp.sum(x)


def main() -> None:
    directory, devices = sys.argv[1], int(sys.argv[2])
    jax.config.update("jax_num_cpu_devices", devices)
    mesh = Mesh(np.array(jax.devices()), ("d",))
    x = jax.device_put(jnp.ones((64 * devices, 400)), NamedSharding(mesh, PartitionSpec("d")))
    w = jax.device_put(jnp.full((400, 400), 0.01), NamedSharding(mesh, PartitionSpec()))
    x = step(x, w).block_until_ready()
    with jax.profiler.trace(directory):
        for number in range(12):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                x = step(x, w).block_until_ready()


if __name__ == "__main__":
    main()
