"""The pairs: for each rule a program that has the trouble and one that has not.

A pair is a function of `slow`: it prepares the program and returns its step, a function of the step's number that
returns something to wait for.
"""

import collections
import concurrent.futures
import functools
import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

Step = Callable[[int], object]
PAIRS: dict[str, Callable[[bool], Step]] = {}
ONLY_GPU: set[str] = set()
FLAGS: dict[str, str] = {}  # XLA_FLAGS of the slow side
ALWAYS: dict[str, str] = {}  # of both sides


def pair(rule: str, gpu: bool = False, flags: str = "", always: str = ""):
    def register(make: Callable[[bool], Step]):
        PAIRS[rule] = make
        if gpu:
            ONLY_GPU.add(rule)
        if flags:
            FLAGS[rule] = flags
        if always:
            ALWAYS[rule] = always
        return make

    return register


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
    step, x, weights = model(size=1024 if gpu() else 128, layers=8)

    def run(i: int):
        y = step(x, weights)
        if slow:
            y.block_until_ready()
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
    size = 2048 if gpu() else 256
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


@pair("f32_matmul", gpu=True)
def f32_matmul(slow: bool) -> Step:
    if slow:
        jax.config.update("jax_default_matmul_precision", "highest")
    step, x, weights = model(dtype=jnp.float32 if slow else jnp.bfloat16)
    return lambda i: step(x, weights)


@pair("attention", gpu=True)
def attention(slow: bool) -> Step:
    shape = (8, 2048, 16, 64)
    q, k, v = (jax.random.normal(key, shape, jnp.bfloat16) for key in jax.random.split(jax.random.key(0), 3))

    def naive(q, k, v):
        scores = jnp.einsum("bthd,bshd->bhts", q, k) * shape[-1] ** -0.5
        mask = jnp.tril(jnp.ones((shape[1], shape[1]), bool))
        weights = jax.nn.softmax(jnp.where(mask, scores.astype(jnp.float32), -1e30), -1).astype(jnp.bfloat16)
        return jnp.einsum("bhts,bshd->bthd", weights, v)

    fused = functools.partial(jax.nn.dot_product_attention, is_causal=True, implementation="cudnn")
    step = jax.jit(naive if slow else fused)
    return lambda i: step(q, k, v)


@pair("unfused_chain", gpu=True)
def unfused_chain(slow: bool) -> Step:
    x = jnp.ones((256 << 20,), jnp.float32)

    def chain(x):
        return jnp.tanh(jnp.sin(jnp.cos(jnp.exp(x) * 2) + 1) * 3)

    jitted = jax.jit(chain)
    return (lambda i: chain(x)) if slow else (lambda i: jitted(x))


@pair("layout_copies", gpu=True)
def layout_copies(slow: bool) -> Step:
    size = 16384
    x = jax.random.normal(jax.random.key(0), (size, size), jnp.bfloat16)
    v = jax.random.normal(jax.random.key(1), (size, 64), jnp.bfloat16)

    @jax.jit
    def step(x, v):
        y = jax.lax.optimization_barrier(x.T) if slow else x.T
        return y @ v

    return lambda i: step(x, v)


@pair("rematerialisation", gpu=True)
def rematerialisation(slow: bool) -> Step:
    size = 4096
    keys = jax.random.split(jax.random.key(0), 9)
    weights = [jax.random.normal(k, (size, size), jnp.bfloat16) * size**-0.5 for k in keys[1:]]
    x = jax.random.normal(keys[0], (size, size), jnp.bfloat16)

    def block(x, w):
        return jnp.tanh(jnp.tanh(x @ w) @ w)

    if slow:
        block = jax.checkpoint(block)

    @jax.jit
    def step(x, weights):
        def loss(weights):
            y = x
            for w in weights:
                y = block(y, w)
            return y.astype(jnp.float32).sum()

        return jax.grad(loss)(weights)

    return lambda i: step(x, weights)


@pair("cuda_graphs", gpu=True, flags="--xla_gpu_enable_command_buffer=")
def cuda_graphs(slow: bool) -> Step:
    step, x, weights = model(size=256, layers=200, dtype=jnp.bfloat16)
    return lambda i: step(x, weights)


@pair("program_copies", gpu=True)
def program_copies(slow: bool) -> Step:
    state = [jnp.zeros((64, 16 << 20), jnp.float32)]
    row = jnp.ones((16 << 20,), jnp.float32)
    update = jax.jit(lambda s, r, i: s.at[i].set(r), donate_argnums=() if slow else 0)

    def run(i: int):
        state[0] = update(state[0], row, i % 64)
        return state[0]

    return run


@pair("matmul_shapes", gpu=True)
def matmul_shapes(slow: bool) -> Step:
    size = 4095 if slow else 4096
    step, x, weights = model(size=size, dtype=jnp.bfloat16)
    return lambda i: step(x, weights)


EIGHT_DEVICES = "--xla_force_host_platform_device_count=8"


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
