"""Pairs in which the host keeps the device waiting."""

import collections
import concurrent.futures
import gc
import os
import tempfile
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from programs import busy, gpu, model
from registry import Step, pair


@pair("input")
def input_pipeline(slow: bool) -> Step:
    step, x, weights = model()

    def load(i: int) -> np.ndarray:
        time.sleep(0.02)
        return np.full((8,), i, np.float32)

    if slow:

        def run(i: int):
            with jax.profiler.TraceAnnotation("data_loading"):
                batch = load(i)
            return step(x + batch[0], weights)

        return run
    pool = concurrent.futures.ThreadPoolExecutor(16)
    ahead = collections.deque(pool.submit(load, i) for i in range(16))

    def run(i: int):
        batch = ahead.popleft().result()
        ahead.append(pool.submit(load, i + 16))
        return step(x + batch[0], weights)

    return run


@pair("host_sync")
def host_sync(slow: bool) -> Step:
    step, x, weights = model(size=4096 if gpu() else 128, layers=8)
    mean = jax.jit(jnp.mean)

    def run(i: int):
        y = mean(step(x, weights))
        if slow:
            float(y)
        with jax.profiler.TraceAnnotation("logging"):
            busy(0.002)  # what the host does anyway; running ahead, the device does not wait for it
        return y

    return run


@pair("between_steps")
def between_steps(slow: bool) -> Step:
    step, x, weights = model(size=1024 if gpu() else 64, layers=2)

    def run(i: int):
        if slow:
            with jax.profiler.TraceAnnotation("bookkeeping"):
                busy(0.005)
        return step(x, weights)

    return run


@pair("checkpoint")
def checkpoint(slow: bool) -> Step:
    step, x, weights = model()
    folder = Path(tempfile.mkdtemp())
    pool = concurrent.futures.ThreadPoolExecutor(1)
    last = [None]

    def save(array: np.ndarray) -> None:
        np.save(folder / "state.npy", array)

    saved = np.asarray(weights[0])

    def run(i: int):
        y = step(x, weights)
        if slow:
            y.block_until_ready()
            with jax.profiler.TraceAnnotation("save_checkpoint"):
                save(saved)
        elif i % 10 == 0 and (last[0] is None or last[0].done()):
            last[0] = pool.submit(save, saved)
        return y

    return run


@pair("garbage_collection")
def garbage_collection(slow: bool) -> Step:
    step, x, weights = model(size=1024 if gpu() else 64, layers=2)
    objects = [[i, {}] for i in range(200_000)]
    gc.disable()

    def run(i: int):
        if slow:
            with jax.profiler.TraceAnnotation("garbage collection"):
                gc.collect()
        objects[i % len(objects)][0] = i
        return step(x, weights)

    return run


@pair("recompile")
def recompile(slow: bool) -> Step:
    step = jax.jit(lambda x: jnp.tanh(x @ x.T).sum())
    rng = np.random.default_rng(0)
    sizes = rng.permutation(np.arange(100, 1000))
    padded = np.zeros((1024, 64), np.float32)

    def run(i: int):
        rows = int(sizes[i])
        if slow:
            return step(np.ones((rows, 64), np.float32))
        padded[:rows] = 1
        return step(padded)

    return run


@pair("host_callback")
def host_callback(slow: bool) -> Step:
    # Larger ones have the host get memory anew for each, in one run twice as slowly as in the next.
    size = 512 if gpu() else 256
    x = jnp.ones((size, size))

    @jax.jit
    def step(x):
        for _ in range(8):
            x = jnp.tanh(x @ x)
            if slow:
                x = jax.pure_callback(lambda v: v, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
        return x

    # Steps in flight fight for Python's lock in the callbacks, by chance more or less; one at a time they do not.
    return lambda i: step(x).block_until_ready()


@pair("launch_bound", gpu=True)
def launch_bound(slow: bool) -> Step:
    x = jnp.ones((64, 64))

    def chain(x):
        for _ in range(100):
            x = jnp.sin(x) + 1.0
            x = x @ x
            x = jnp.tanh(x)
        return x

    jitted = jax.jit(chain)
    return (lambda i: chain(x)) if slow else (lambda i: jitted(x))


@pair("allocator_calls", gpu=True, part=True)
def allocator_calls(slow: bool) -> Step:
    """48 small programs a step, with the driver's memory or JAX's own."""
    if slow:
        os.environ["XLA_PYTHON_CLIENT_ALLOCATOR"] = "platform"
    x = jnp.ones((1 << 20,))
    jitted = jax.jit(lambda x: jnp.sin(x) * 2)
    return lambda i: [jitted(x) for _ in range(48)]


@pair("cuda_graphs", gpu=True, flags="--xla_gpu_enable_command_buffer=")
def cuda_graphs(slow: bool) -> Step:
    step, x, weights = model(size=256, layers=200, dtype=jnp.bfloat16)
    return lambda i: step(x, weights)


@pair("host_to_device", gpu=True)
def host_to_device(slow: bool) -> Step:
    step, x, weights = model(size=1024, layers=2)
    data = np.ones((64 << 20) // 4, np.float32)
    once = jax.device_put(data)
    use = jax.jit(lambda x, data: x + data[0])

    def run(i: int):
        array = jax.device_put(data) if slow else once
        return step(use(x, array), weights)

    return run


@pair("device_to_host", gpu=True)
def device_to_host(slow: bool) -> Step:
    make = jax.jit(lambda i: jnp.full((64 << 20,), i, jnp.float32))
    mean = jax.jit(jnp.mean)

    def run(i: int):
        y = make(i)
        if slow:
            np.asarray(y)
        return mean(y)

    return run


@pair("unexplained_idle")
def unexplained_idle(slow: bool) -> Step:
    """Two programs a step, and work of the host between them that nothing names."""
    first, x, weights = model(size=1024 if gpu() else 256, layers=4)
    second, _, _ = model(size=1024 if gpu() else 256, layers=4)

    def run(i: int):
        y = first(x, weights)
        if slow:
            busy(0.01)
        return second(y, weights)

    return run


@pair("cpu_fallback", gpu=True)
def cpu_fallback(slow: bool) -> Step:
    """Part of the step lives on the CPU, as an array was put there."""
    step, x, weights = model(size=1024, layers=4)
    table = jax.device_put(jnp.ones((2048, 2048)), jax.devices("cpu")[0] if slow else jax.devices()[0])
    scale = jax.jit(lambda t, i: jnp.tanh(t @ t * i).mean())

    def run(i: int):
        s = scale(table, float(i))
        return step(x * jax.device_put(s, x.sharding), weights)

    return run


@pair("compile_in_window", cold=True)
def compile_in_window(slow: bool) -> Step:
    """Every fourth step looks at a norm, by a function that the first of them compiles."""
    step, x, weights = model()
    step(x, weights).block_until_ready()
    norm = jax.jit(lambda x, weights: sum(jnp.linalg.norm(jnp.tanh(x @ w)) for w in weights))

    def run(i: int):
        y = step(x, weights)
        return norm(y, weights) if i % 4 == 3 else y

    return run


@pair("first_step", cold=True)
def first_step(slow: bool) -> Step:
    """Everything is compiled, but the first step fills a cache of the host."""
    step, x, weights = model()
    step(x, weights).block_until_ready()
    vocabulary: list[int] = []

    def run(i: int):
        if not vocabulary:
            time.sleep(0.3)
            vocabulary.append(i)
        return step(x, weights).block_until_ready()

    return run
