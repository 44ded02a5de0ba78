"""two_shapes.py DIRECTORY DEVICES compiled|later: captures a loop on the CPU that annotates nothing.

All steps call one function, and the host waits for each; some of them have a smaller batch, for which it was compiled
before the capture, or is compiled in the loop.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

STEPS = 12
COMPILES = 6  # where it does in the loop


@jax.jit
def train(w, x):
    return w - 1e-6 * jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w)))(w)


def main() -> None:
    directory, later = sys.argv[1], sys.argv[3] == "later"
    whole, small = (np.full((rows, 400), 0.01, np.float32) for rows in (400, 300))
    is_small = [step >= COMPILES if later else step % 4 == 3 for step in range(STEPS)]
    w = train(jnp.ones((400, 400)), whole)
    if not later:
        w = train(w, small)
    w.block_until_ready()
    with jax.profiler.trace(directory):
        for one in is_small:
            w = train(w, small if one else whole).block_until_ready()


if __name__ == "__main__":
    main()
