"""Captures functions that are compiled twice, each for another reason: python recompile_program.py DIRECTORY.

Two steps on four CPU devices; what differs between them stands in `calls`.
"""

import functools
import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec


@functools.partial(jax.jit, static_argnums=1)
def static_number(x, rate):
    return x - rate * x


@functools.partial(jax.jit, static_argnums=1)
def static_array(x, values):
    return x + np.array(values, np.float32)


@functools.partial(jax.jit, static_argnums=1)
def static_choice(x, wave):
    return jnp.sin(x) if wave else x * x + 1


@functools.partial(jax.jit, static_argnums=1)
def static_type(x, dtype):
    return x.astype(dtype)


@functools.partial(jax.jit, static_argnums=1)
def static_size(x, size):
    return jnp.zeros(size) + x[0]


@jax.jit
def weak_type(x, y):
    return x * y


@jax.jit
def other_type(x):
    return x + 1


@jax.jit
def other_shape(x):
    return x + 2


@jax.jit
def other_type_and_shape(x):
    return x + 3


@jax.jit
def more_arguments(*xs):
    return sum(xs)


@jax.jit
def other_sharding(x):
    return x * 2 + 1


@jax.jit
def other_device(x):
    return x * 3 + 1


def main() -> None:
    f32, f16 = (np.ones(8, dtype) for dtype in (np.float32, np.float16))
    nine = {dtype: np.ones(9, dtype) for dtype in (np.float32, np.float16)}
    mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("rows", "columns"))
    by_row, by_column = (
        jax.device_put(f32, NamedSharding(mesh, PartitionSpec(axis))) for axis in mesh.axis_names
    )
    here, there = (jax.device_put(f32, device) for device in jax.devices()[:2])
    two = jax.device_put(np.float32(2), jax.devices()[0])
    calls = [
        (lambda: static_number(f32, 0.1), lambda: static_number(f32, 0.05)),
        (
            lambda: static_array(f32, (3, 1, 4, 1, 5, 9, 2, 6)),
            lambda: static_array(f32, (2, 7, 1, 8, 2, 8, 1, 8)),
        ),
        (lambda: static_choice(f32, True), lambda: static_choice(f32, False)),
        (lambda: static_type(f32, "bfloat16"), lambda: static_type(f32, "int32")),
        (lambda: static_size(f32, 3), lambda: static_size(f32, 4)),
        (lambda: weak_type(f32, 2.0), lambda: weak_type(f32, two)),
        (lambda: other_type(f32), lambda: other_type(f16)),
        (lambda: other_shape(f32), lambda: other_shape(nine[np.float32])),
        (lambda: other_type_and_shape(f32), lambda: other_type_and_shape(nine[np.float16])),
        (lambda: more_arguments(f32), lambda: more_arguments(f32, f32)),
        (lambda: other_sharding(by_row), lambda: other_sharding(by_column)),
        (lambda: other_device(here), lambda: other_device(there)),
    ]
    jax.block_until_ready((by_row, by_column, here, there, two))
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    jax.profiler.start_trace(sys.argv[1], profiler_options=options)
    for step in range(2):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            jax.block_until_ready([call[step]() for call in calls])
            jax.jit(lambda x: x * 5)(f32).block_until_ready()
    jax.profiler.stop_trace()


if __name__ == "__main__":
    main()
