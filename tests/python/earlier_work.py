"""earlier_work.py DIRECTORY: work is dropped on one device, on another, then on all; each time a block captures one
step. Prints the programs of which each capture holds device work."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import gait


@jax.jit
def earlier(x):
    return jax.lax.fori_loop(0, 150, lambda i, y: jnp.tanh(y @ y) + i, x)


@jax.jit
def step(x):
    return jnp.tanh(x @ x)


devices = jax.devices()
x = jnp.ones((len(devices), 256, 256))[0]
everywhere = NamedSharding(Mesh(np.array(devices), ("x",)), PartitionSpec("x"))
places = [devices[0], devices[-1], everywhere]
inputs = [jax.device_put(x, place) for place in places]
for array in (*inputs, *inputs):
    jax.block_until_ready((earlier(array), step(inputs[0])))
with gait.trace(sys.argv[1]) as warm:
    step(inputs[0])
warm.wait()
for array in inputs:
    for _ in range(3):
        earlier(array)
    with gait.trace(sys.argv[1]) as capture:
        step(inputs[0])
    capture.wait()
    print(sorted({row["program"] for row in capture.load().ops().table}))
