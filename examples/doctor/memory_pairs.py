"""Pairs about the memory of a GPU. The allocator gets a tenth of it, so that it is soon full."""

from pathlib import Path

import harness
import jax
import jax.numpy as jnp
from registry import Numbers, capture_pair

TENTH = {"XLA_PYTHON_CLIENT_MEM_FRACTION": "0.1"}


def limit() -> int:
    return jax.local_devices()[0].memory_stats()["bytes_limit"]


def floats(share: float) -> tuple[int, int]:
    """The shape of an array that takes this share of the memory."""
    return (int(share * limit()) // 4096 // 4, 4096)


@capture_pair("memory_capacity", gpu=True, env=TENTH)
def memory_capacity(slow: bool, directory: Path) -> Numbers:
    """A state of 48 % of the memory is replaced in every step; not donated, the old and the new one are both there."""
    state = [jnp.zeros(floats(0.48), jnp.float32)]
    update = jax.jit(lambda s: (s + 1, s[:1024] * 2), donate_argnums=() if slow else 0)

    def step(i: int):
        state[0], part = update(state[0])
        return part

    harness.run_steps(step, 0, 3)
    with harness.captured(directory):
        harness.run_steps(step, 3, harness.CAPTURED)
    stats = jax.local_devices()[0].memory_stats()
    return {"peak in use, %": 100 * stats["peak_bytes_in_use"] / stats["bytes_limit"]}


@capture_pair("fragmentation", gpu=True, env=TENTH)
def fragmentation(slow: bool, directory: Path) -> Numbers:
    """24 of 32 arrays of 3 % each are kept. Slow: every fourth was let go; fast: the last eight."""
    make = jax.jit(lambda i: jnp.full(floats(0.03), i, jnp.float32))
    arrays = [make(float(i)) for i in range(32)]
    jax.block_until_ready(arrays)
    for i in range(32):
        if i % 4 == 1 if slow else i >= 24:
            arrays[i].delete()
    x = jnp.ones((1024, 1024))
    work = jax.jit(lambda x: jnp.tanh(x @ x))
    work(x).block_until_ready()
    with harness.captured(directory):
        harness.run_steps(lambda i: work(x), 0, harness.CAPTURED)
    most = 0.0
    for percent in range(1, 25):
        try:
            jnp.zeros(floats(percent / 100), jnp.float32).block_until_ready()
        except jax.errors.JaxRuntimeError:
            break
        most = percent
    return {"largest array that fits, % of the memory": most}
