"""sorts.py DIRECTORY DEVICES: captures programs on the CPU of which XLA makes several events for one operation."""

import sys

import jax
import jax.numpy as jnp

STEPS = 4
ITERATIONS = 5


@jax.jit
def step(a, b):
    first = jnp.sort(a, axis=0)
    keys, values = jax.lax.sort((a, b), num_keys=1)

    def body(carry, _):
        return jnp.sort(carry, axis=1)[::-1], None

    looped, _ = jax.lax.scan(body, a, None, length=ITERATIONS)
    return first, keys, values, looped


def main() -> None:
    a, b = (jax.random.normal(jax.random.key(i), (64, 64)) for i in range(2))
    jax.block_until_ready(step(a, b))
    with jax.profiler.trace(sys.argv[1]):
        for number in range(STEPS):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                jax.block_until_ready(step(a, b))


if __name__ == "__main__":
    main()
