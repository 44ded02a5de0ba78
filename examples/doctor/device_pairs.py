"""Pairs in which the device's own work takes longer than it has to."""

import functools

import jax
import jax.numpy as jnp
from programs import model
from registry import Step, pair


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
    """A matrix is written out transposed and then multiplied, or multiplied as it lies."""
    size = 16384
    x = jax.random.normal(jax.random.key(0), (size, size), jnp.bfloat16)
    v = jax.random.normal(jax.random.key(1), (size, 64), jnp.bfloat16)
    transpose = jax.jit(jnp.transpose)
    product = jax.jit(jnp.matmul)
    of_columns = jax.jit(lambda x, v: jnp.einsum("ij,ik->jk", x, v))
    return (lambda i: product(transpose(x), v)) if slow else (lambda i: of_columns(x, v))


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


# Without CUDA graphs, in which kernels follow each other without a gap.
@pair("tiny_kernels", gpu=True, always="--xla_gpu_enable_command_buffer=")
def tiny_kernels(slow: bool) -> Step:
    """Three hundred small layers side by side (experts, members of an ensemble): one by one, or as one product."""
    count, rows, width = 300, 512, 1024
    keys = jax.random.split(jax.random.key(0), 2)
    weights = jax.random.normal(keys[0], (count, width, width), jnp.bfloat16) * width**-0.5
    x = jax.random.normal(keys[1], (count, rows, width), jnp.bfloat16)

    def one(x, w):
        return jnp.tanh(x @ w)

    @jax.jit
    def step(xs, weights):
        if not slow:
            return jax.vmap(one)(xs, weights).sum(0)
        total = jnp.zeros((rows, width), jnp.bfloat16)
        for x, w in zip(xs, weights, strict=True):
            total += one(x, w)
        return total

    return lambda i: step(x, weights)


@pair("dominant_op", gpu=True)
def dominant_op(slow: bool) -> Step:
    """Sums by class: a scatter of which all threads want the same few rows, or a product."""
    classes, rows, width = 16, 1 << 20, 128
    x = jax.random.normal(jax.random.key(0), (rows, width), jnp.float32)
    labels = jax.random.randint(jax.random.key(1), (rows,), 0, classes)

    def scatter(x, labels):
        return jnp.zeros((classes, width)).at[labels].add(x)

    def product(x, labels):
        return jax.nn.one_hot(labels, classes).T @ x

    @jax.jit
    def step(x, labels):
        x = jnp.tanh(x)
        sums = scatter(x, labels) if slow else product(x, labels)
        return sums / jnp.linalg.norm(sums)

    return lambda i: step(x, labels)


@pair("low_occupancy", gpu=True)
def low_occupancy(slow: bool) -> Step:
    """64 groups of particles, one after the other or all at once; a group fills few multiprocessors."""
    groups, particles = 64, 4096
    x = jax.random.normal(jax.random.key(0), (groups, particles), jnp.float32)

    def move(x):
        for _ in range(200):
            x = jnp.sin(x) + 0.3
        return x

    step = jax.jit((lambda x: jax.lax.map(move, x)) if slow else jax.vmap(move))
    return lambda i: step(x)


@pair("f64_work", gpu=True, env={"JAX_ENABLE_X64": "1"})
def f64_work(slow: bool) -> Step:
    step, x, weights = model(size=2048, dtype=jnp.float64 if slow else jnp.float32)
    return lambda i: step(x, weights)


@pair("lookup_matmul", gpu=True)
def lookup_matmul(slow: bool) -> Step:
    """The rows of a table for 8192 tokens: as a product with zeros and ones, or by their numbers."""
    vocabulary, width, tokens = 32768, 1024, 8192
    keys = jax.random.split(jax.random.key(0), 3)
    table = jax.random.normal(keys[0], (vocabulary, width), jnp.bfloat16)
    weights = jax.random.normal(keys[1], (width, width), jnp.bfloat16) * width**-0.5
    numbers = jax.random.randint(keys[2], (tokens,), 0, vocabulary)

    @jax.jit
    def step(table, weights, numbers):
        rows = jax.nn.one_hot(numbers, vocabulary, dtype=table.dtype) @ table if slow else table[numbers]
        return jnp.tanh(rows @ weights)

    return lambda i: step(table, weights, numbers)


@pair("slow_products", gpu=True, flags="--xla_gpu_autotune_level=0")
def slow_products(slow: bool) -> Step:
    """Layers of a transformer, forwards and backwards; kernels are not tried out before one is chosen."""
    batch, length, heads, width, layers = 8, 1024, 16, 1024, 4
    keys = jax.random.split(jax.random.key(0), layers + 1)
    weights = [jax.random.normal(k, (12 * width, width), jnp.float32) * width**-0.5 for k in keys[1:]]
    x = jax.random.normal(keys[0], (batch, length, width), jnp.bfloat16)

    def layer(x, w):
        w = w.astype(jnp.bfloat16)
        q, k, v = (
            jnp.reshape(x @ w[i * width : (i + 1) * width].T, (batch, length, heads, -1)) for i in range(3)
        )
        scores = jax.nn.softmax(jnp.einsum("bthd,bshd->bhts", q, k) / 8)
        x = x + jnp.einsum("bhts,bshd->bthd", scores, v).reshape(x.shape) @ w[3 * width : 4 * width]
        return x + jax.nn.gelu(x @ w[4 * width : 8 * width].T) @ w[8 * width :]

    @jax.jit
    def step(x, weights):
        def loss(weights):
            y = x
            for w in weights:
                y = layer(y, w)
            return y.astype(jnp.float32).mean()

        return jax.grad(loss)(weights)

    return lambda i: step(x, weights)
