"""Captures compilations on the CPU: python compile_program.py DIRECTORY.

Three captures: `fresh` compiles, `warm` finds everything in the persistent cache, `none` compiles nothing.
"""

import functools
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def predict(w, x):
    return (x @ w).sum()


@functools.partial(jax.jit, static_argnums=1)
def scale(x, times):
    for _ in range(times):
        x = x * 1.5 + 1
    return x


def capture(directory: Path, w, inputs) -> None:
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    jax.profiler.start_trace(directory, profiler_options=options)
    for step, (x, times) in enumerate(inputs):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            jax.block_until_ready((predict(w, x), scale(w, times)))
    jax.profiler.stop_trace()


def main() -> None:
    directory = Path(sys.argv[1])
    jax.config.update("jax_compilation_cache_dir", str(directory / "cache"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    w = jnp.ones((64, 32))
    a, b = np.ones((8, 64), np.float32), np.ones((9, 64), np.float32)
    inputs = [(a, 1), (b, 1), (a, 1), (b.astype(np.float16), 2)]
    capture(directory / "fresh", w, inputs)
    jax.clear_caches()
    capture(directory / "warm", w, inputs)
    capture(directory / "none", w, inputs)


if __name__ == "__main__":
    main()
