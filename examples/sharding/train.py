"""Several devices: data parallel training with shard_map, and what the communication costs.

    python examples/sharding/train.py --devices 8

On a machine without an accelerator `--devices N` splits the CPU into N devices.
"""

import argparse
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import gait

try:
    from jax import shard_map
except ImportError:  # JAX before 0.6
    from jax.experimental.shard_map import shard_map


def loss_fn(params, x):
    for w in params:
        x = jnp.tanh(x @ w)
    return jnp.mean(x * x)


def local_step(params, x):
    """What each device does with its share of the batch; the gradients are those of all."""
    with gait.scope("gradients"):
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
    with gait.scope("all_reduce"):
        grads = jax.lax.pmean(grads, "data")
    with gait.scope("optimizer"):
        return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), jax.lax.pmean(loss, "data")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--profile", metavar="DIR", default="runs/sharding")
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--batch", type=int, default=256, help="over all devices")
    args = parser.parse_args()
    jax.config.update("jax_num_cpu_devices", args.devices)  # read only where the CPU is the backend

    mesh = Mesh(np.array(jax.devices()[: args.devices]), ("data",))
    everywhere, split = PartitionSpec(), PartitionSpec("data")
    mapped = functools.partial(shard_map, mesh=mesh, in_specs=(everywhere, split), out_specs=everywhere)
    step_fn = jax.jit(mapped(local_step))

    keys = jax.random.split(jax.random.key(0), 3)
    params = [jax.random.normal(key, (args.dim, args.dim)) / args.dim**0.5 for key in keys]
    params = jax.device_put(params, NamedSharding(mesh, everywhere))
    x = jax.device_put(jnp.ones((args.batch, args.dim)), NamedSharding(mesh, split))
    schedule = gait.Schedule(start=2, count=args.steps - 2)
    with gait.Profiler(schedule, args.profile, on_signal=None) as profiler:
        for number in range(args.steps):
            with profiler.step(number) as step:
                params, _ = step_fn(params, x)
                step.result = params
    run = profiler.captures[0].load()
    print(run.overview().answer)
    print(run.collectives().answer)


if __name__ == "__main__":
    main()
