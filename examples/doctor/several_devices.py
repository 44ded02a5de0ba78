"""Pairs of several devices: eight that are made of the host's threads."""

import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from registry import Step, pair

EIGHT_DEVICES = "--xla_force_host_platform_device_count=8"
TWO_DEVICES = "--xla_force_host_platform_device_count=2"


def exchange(rounds: Callable[[jax.Array], jax.Array], seconds: Callable[[int], float]) -> Step:
    """Eight devices work for some rounds and add up what they made. A round is a callback that sleeps: eight devices
    made of a few cores cannot all compute at once, but they can all wait."""
    mesh = jax.sharding.Mesh(np.array(jax.devices("cpu")[:8]), ("d",))

    def work(device, total) -> np.ndarray:
        time.sleep(seconds(int(device)))
        return np.float32(1)

    def body(x):
        device = jax.lax.axis_index("d")

        def round_(i, total):
            # It takes the total, or it would be the same in every round and run once.
            return total + jax.pure_callback(work, jax.ShapeDtypeStruct((), jnp.float32), device, total)

        total = jax.lax.fori_loop(0, rounds(device), round_, jnp.float32(0))
        return jax.lax.psum(x + total, "d")

    spec = jax.sharding.PartitionSpec
    step = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=spec("d"), out_specs=spec(), check_vma=False))
    x = jax.device_put(jnp.zeros(8), jax.sharding.NamedSharding(mesh, spec("d")))
    return lambda i: step(x).block_until_ready()


@pair("load_imbalance", always=EIGHT_DEVICES)
def load_imbalance(slow: bool) -> Step:
    # 32 rounds in all: 18 of one device and 2 of the others, or 4 of each.
    return exchange(lambda d: jnp.where(d == 3, 18, 2) if slow else jnp.int32(4) + 0 * d, lambda d: 0.005)


@pair("straggler", always=EIGHT_DEVICES)
def straggler(slow: bool) -> Step:
    # One round each, and one device is held up in it.
    return exchange(lambda d: jnp.int32(1) + 0 * d, lambda d: 0.06 if slow and d == 3 else 0.01)


@pair("exposed_communication", always=TWO_DEVICES, captured=True)
def exposed_communication(slow: bool) -> Step:
    """Gradients are added up over the devices sixteen times a step, or once."""
    mesh = jax.sharding.Mesh(np.array(jax.devices("cpu")[:2]), ("d",))
    spec = jax.sharding.PartitionSpec

    add_up = jax.jit(
        jax.shard_map(
            lambda g: jax.lax.psum(g, "d"), mesh=mesh, in_specs=spec(), out_specs=spec(), check_vma=False
        )
    )
    gradients = jax.device_put(jnp.ones(1 << 20), jax.sharding.NamedSharding(mesh, spec()))

    def run(i: int):
        total = gradients
        for _ in range(16 if slow else 1):
            total = add_up(total)
        return total.block_until_ready()

    return run
