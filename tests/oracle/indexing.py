"""indexing.py DIRECTORY DEVICES: captures a program that pads, gathers, scatters and slices, with XLA's text of it."""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
from jax import lax


def indexing(x, rows, row):
    return (
        jnp.pad(x, ((1, 1), (2, 2))),
        lax.pad(x, 0.0, ((1, 2, 1), (0, -1, 0))),
        x[rows],
        x.at[rows].add(1.0),
        lax.dynamic_slice(x, (row, 0), (3, 64)),
        x[3:90, 8:32] * 2,
        x[3:90:4, 8:32] * 2,
        jnp.take_along_axis(x, jnp.argsort(x, axis=1), axis=1),
    )


def main() -> None:
    directory = Path(sys.argv[1])
    inputs = jnp.ones((100, 64)), jnp.arange(7), jnp.int32(4)
    compiled = jax.jit(indexing).lower(*inputs).compile()
    (directory / "program.txt").write_text(compiled.as_text())
    with jax.profiler.trace(directory):
        jax.block_until_ready(compiled(*inputs))


if __name__ == "__main__":
    main()
