"""What the programs here train: a small GPT in plain JAX, with the parts that the guides name, whole or by layers."""

import jax
import jax.numpy as jnp
import numpy as np

DIM, HEADS, CONTEXT, VOCABULARY = 128, 4, 64, 256


def _norm(x):
    return x * jax.lax.rsqrt(jnp.mean(x**2, -1, keepdims=True) + 1e-6)


class Layer:
    """Attention and MLP; `weights` are its parameters."""

    def __init__(self, weights):
        self.weights = weights

    def __call__(self, x):
        w = self.weights
        q, k, v = jnp.split(_norm(x) @ w["qkv"], 3, -1)
        heads = lambda y: y.reshape(*y.shape[:2], HEADS, DIM // HEADS)  # noqa: E731
        scores = jnp.einsum("bqhd,bkhd->bhqk", heads(q), heads(k)) / (DIM // HEADS) ** 0.5
        causal = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
        shares = jax.nn.softmax(jnp.where(causal, scores, -1e9), -1)
        x = x + jnp.einsum("bhqk,bkhd->bqhd", shares, heads(v)).reshape(x.shape) @ w["out"]
        return x + jax.nn.gelu(_norm(x) @ w["up"]) @ w["down"]


@jax.tree_util.register_pytree_node_class
class Model:
    def __init__(self, params):
        self.params = params

    def tree_flatten(self):
        return (self.params,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)

    @property
    def layers(self):
        return [Layer(weights) for weights in self.params["layers"]]

    def embed(self, input_ids):
        return self.params["tokens"][input_ids]

    def lm_head(self, x):
        return _norm(x) @ self.params["tokens"].T

    def __call__(self, input_ids):
        x = self.embed(input_ids)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(x)


def new_model(layers=2, seed=0):
    keys = iter(jax.random.split(jax.random.key(seed), 4 * layers + 1))
    normal = lambda *shape: 0.05 * jax.random.normal(next(keys), shape)  # noqa: E731
    shapes = {"qkv": (DIM, 3 * DIM), "out": (DIM, DIM), "up": (DIM, 4 * DIM), "down": (4 * DIM, DIM)}
    return Model(
        {
            "layers": [{name: normal(*shape) for name, shape in shapes.items()} for _ in range(layers)],
            "tokens": normal(VOCABULARY, DIM),
        }
    )


def compute_loss(logits, labels):
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1)
    return -jnp.mean(chosen)


def loss_fn(model, batch):
    return compute_loss(model(batch["input_ids"]), batch["labels"])


def batches(batch_size=4):
    """Tokens of one batch after the other, from the host."""
    random = np.random.default_rng(0)
    while True:
        tokens = random.integers(0, VOCABULARY, (batch_size, CONTEXT + 1), np.int32)
        yield {"input_ids": tokens[:, :-1], "labels": tokens[:, 1:]}


@jax.jit
def train_step(model, batch):
    """(the model after a step, its loss)"""
    loss, gradients = jax.value_and_grad(loss_fn)(model, batch)
    return jax.tree.map(lambda p, g: p - 0.1 * g, model, gradients), loss


def create_optimizer(name):
    """(the model, its gradients) -> the model after a first step."""
    return {"adamw": _adamw, "muon": _muon, "multiscale": _multiscale}[name]


def _adamw(model, gradients):
    return jax.tree.map(lambda p, g: p - 1e-3 * (g / (jnp.abs(g) + 1e-8) + 0.01 * p), model, gradients)


def _muon(model, gradients):
    """Directions without lengths, by five rounds of Newton's and Schulz's iteration."""

    def step(p, g):
        x = g / (jnp.linalg.norm(g) + 1e-7)
        for _ in range(5):
            square = x @ x.T
            x = 3.4445 * x + (-4.775 * square + 2.0315 * square @ square) @ x
        return p - 1e-3 * x

    return jax.tree.map(step, model, gradients)


def _multiscale(model, gradients):
    """Small gradients take smaller steps than large ones."""
    return jax.tree.map(lambda p, g: p - 1e-3 * g * jnp.sqrt(jnp.mean(g**2) + 1e-8), model, gradients)
