"""dropped_result.py DIRECTORY DEVICES: captures two long runs of a program on the CPU, and stops before they end."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec


@jax.jit
def train_step(x, w):
    for _ in range(8):
        x = jnp.tanh(x @ w)
    return x


def main() -> None:
    directory, devices = sys.argv[1], int(sys.argv[2])
    jax.config.update("jax_num_cpu_devices", devices)
    mesh = Mesh(np.array(jax.devices()), ("d",))
    x = jax.device_put(jnp.ones((100 * devices, 1500)), NamedSharding(mesh, PartitionSpec("d")))
    w = jax.device_put(jnp.full((1500, 1500), 0.001), NamedSharding(mesh, PartitionSpec()))
    train_step(x, w).block_until_ready()
    with jax.profiler.trace(directory):
        y = train_step(train_step(x, w), w)
    y.block_until_ready()


if __name__ == "__main__":
    main()
