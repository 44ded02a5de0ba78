"""What the programs of several pairs have in common."""

import time
from collections.abc import Callable

import jax
import jax.numpy as jnp


def gpu() -> bool:
    return jax.default_backend() == "gpu"


def model(size: int | None = None, layers: int = 4, dtype=jnp.float32) -> tuple[Callable, jax.Array, list]:
    """A jitted step of some milliseconds: a chain of products."""
    size = size or (4096 if gpu() else 512)
    keys = jax.random.split(jax.random.key(0), layers + 1)
    weights = [jax.random.normal(k, (size, size), dtype) * size**-0.5 for k in keys[1:]]
    x = jax.random.normal(keys[0], (size, size), dtype)

    @jax.jit
    def step(x, weights):
        for w in weights:
            x = jnp.tanh(x @ w)
        return x

    return step, x, weights


def busy(seconds: float) -> None:
    """The host computes: sleeping would let other threads run."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
