"""A GPT in plain JAX: pre-norm transformer, causal attention, Adam. Parameters are a tree of arrays.

Every part runs under a `jax.named_scope`, so that a profile can say where a step's time went.
"""

import dataclasses

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Config:
    layers: int
    dim: int
    heads: int
    context: int
    vocabulary: int
    learning_rate: float = 1e-3


def init_params(config: Config, key: jax.Array) -> dict:
    def normal(*shape):
        nonlocal key
        key, sub = jax.random.split(key)
        return 0.02 * jax.random.normal(sub, shape, jnp.float32)

    dim = config.dim
    layers = [
        {
            "attention": {"scale": jnp.ones(dim), "qkv": normal(dim, 3 * dim), "out": normal(dim, dim)},
            "mlp": {"scale": jnp.ones(dim), "up": normal(dim, 4 * dim), "down": normal(4 * dim, dim)},
        }
        for _ in range(config.layers)
    ]
    return {
        "tokens": normal(config.vocabulary, dim),
        "positions": normal(config.context, dim),
        "layers": layers,
        "final_scale": jnp.ones(dim),
    }


def init_state(config: Config, key: jax.Array) -> dict:
    params = init_params(config, key)
    zeros = jax.tree.map(jnp.zeros_like, params)
    return {
        "params": params,
        "mean": zeros,
        "square": jax.tree.map(jnp.copy, zeros),
        "step": jnp.zeros((), jnp.int32),
    }


def rms_norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(jnp.square(x), axis=-1, keepdims=True) + 1e-6) * scale


def attention(x, params, heads):
    batch, length, dim = x.shape
    q, k, v = jnp.split(rms_norm(x, params["scale"]) @ params["qkv"], 3, axis=-1)
    q, k, v = (t.reshape(batch, length, heads, dim // heads) for t in (q, k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / (dim // heads) ** 0.5
    causal = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(batch, length, dim) @ params["out"]


def mlp(x, params):
    return jax.nn.gelu(rms_norm(x, params["scale"]) @ params["up"]) @ params["down"]


def loss_fn(params, tokens, config: Config):
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    with jax.named_scope("embedding"):
        x = params["tokens"][inputs] + params["positions"]
    for i, layer in enumerate(params["layers"]):
        with jax.named_scope(f"layer_{i}"):
            with jax.named_scope("attention"):
                x = x + attention(x, layer["attention"], config.heads)
            with jax.named_scope("mlp"):
                x = x + mlp(x, layer["mlp"])
    with jax.named_scope("lm_head"):
        logits = rms_norm(x, params["final_scale"]) @ params["tokens"].T
    with jax.named_scope("loss"):
        logp = jax.nn.log_softmax(logits)
        return -jnp.mean(jnp.take_along_axis(logp, targets[..., None], axis=-1))


def train_step(state, tokens, config: Config):
    loss, grads = jax.value_and_grad(loss_fn)(state["params"], tokens, config)
    with jax.named_scope("optimizer"):
        step = state["step"] + 1
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["mean"], grads)
        square = jax.tree.map(lambda s, g: 0.99 * s + 0.01 * jnp.square(g), state["square"], grads)

        def update(p, m, s):
            m_hat = m / (1 - 0.9**step)
            s_hat = s / (1 - 0.99**step)
            return p - config.learning_rate * m_hat / (jnp.sqrt(s_hat) + 1e-8)

        params = jax.tree.map(update, state["params"], mean, square)
    return {"params": params, "mean": mean, "square": square, "step": step}, loss
