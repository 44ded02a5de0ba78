"""collectives.py DIRECTORY DEVICES: captures a small sharded program on the CPU with JAX's own profiler."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def make_step(mesh: Mesh):
    size = mesh.size

    def step(x, w):
        with jax.named_scope("exchange"):
            rows = jax.lax.all_gather(x, "d").reshape(-1, x.shape[-1])
            neighbour = jax.lax.ppermute(x, "d", [(i, (i + 1) % size) for i in range(size)])
        with jax.named_scope("compute"):
            y = jnp.tanh(rows @ w).mean(axis=0) + neighbour
            y = jax.lax.fori_loop(0, 3, lambda _, z: jnp.sin(z) + 0.5 * z, y)
        with jax.named_scope("reduce"):
            return y, jax.lax.psum(jnp.sum(y), "d")

    rows, everywhere = PartitionSpec("d"), PartitionSpec()
    return jax.jit(jax.shard_map(step, mesh=mesh, in_specs=(rows, everywhere), out_specs=(rows, everywhere)))


def main() -> None:
    directory, devices = sys.argv[1], int(sys.argv[2])
    jax.config.update("jax_num_cpu_devices", devices)
    mesh = Mesh(np.array(jax.devices()), ("d",))
    step = make_step(mesh)
    x = jax.device_put(jnp.ones((16 * devices, 64)), NamedSharding(mesh, PartitionSpec("d")))
    w = jax.device_put(jnp.full((64, 64), 0.01), NamedSharding(mesh, PartitionSpec()))
    jax.block_until_ready(step(x, w))
    with jax.profiler.trace(directory):
        for number in range(4):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                with jax.profiler.TraceAnnotation("prepare", size=x.size, label="a,b=c"):
                    x = x + 1
                x, total = step(x, w)
        jax.block_until_ready(total)


if __name__ == "__main__":
    main()
