"""Compares optimizers: the same model, one capture for each, and what the update itself costs.

python examples/optimizers/compare.py
"""

import argparse
import functools

import jax
import jax.numpy as jnp

import gait


def sgd(params, grads, state):
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), state


def momentum(params, grads, state):
    mean = jax.tree.map(lambda m, g: 0.9 * m + g, state["mean"], grads)
    return jax.tree.map(lambda p, m: p - 0.01 * m, params, mean), {**state, "mean": mean}


def adamw(params, grads, state):
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["mean"], grads)
    square = jax.tree.map(lambda s, g: 0.99 * s + 0.01 * g * g, state["square"], grads)
    update = jax.tree.map(lambda m, s: m / (jnp.sqrt(s) + 1e-8), mean, square)
    params = jax.tree.map(lambda p, u: p - 1e-3 * (u + 0.01 * p), params, update)
    return params, {"mean": mean, "square": square}


def muon(params, grads, state):
    """Momentum, made orthogonal by five steps of Newton and Schulz."""

    def orthogonal(matrix):
        x = matrix / (jnp.linalg.norm(matrix) + 1e-7)
        for _ in range(5):
            a = x @ x.T
            x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
        return x

    mean = jax.tree.map(lambda m, g: 0.95 * m + g, state["mean"], grads)
    return jax.tree.map(lambda p, m: p - 0.01 * orthogonal(m), params, mean), {**state, "mean": mean}


OPTIMIZERS = {function.__name__: function for function in (sgd, momentum, adamw, muon)}


def loss_fn(params, x):
    for w in params:
        x = jnp.tanh(x @ w)
    return jnp.mean(x * x)


def train_step(optimizer, params, state, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    with gait.scope("optimizer"):
        params, state = optimizer(params, grads, state)
    return params, state, loss


def study(name: str, args: argparse.Namespace) -> gait.Capture:
    step = jax.jit(functools.partial(train_step, OPTIMIZERS[name]))
    keys = jax.random.split(jax.random.key(0), args.layers)
    params = [jax.random.normal(key, (args.dim, args.dim)) / args.dim**0.5 for key in keys]
    zeros = jax.tree.map(jnp.zeros_like, params)
    state = {"mean": zeros, "square": zeros}
    x = jnp.ones((args.batch, args.dim))
    for _ in range(3):
        params, state, _ = step(params, state, x)
    with gait.trace(args.profile, f"optimizer_{name}") as capture:
        for number in range(args.steps):
            with gait.step(number):
                params, state, _ = step(params, state, x)
    return capture


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--profile", metavar="DIR", default="runs/optimizers")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--batch", type=int, default=64)
    args = parser.parse_args()
    captures = {name: study(name, args) for name in OPTIMIZERS}
    print(f"{'':10} {'a step':>10} {'of it the update':>18}")
    for name, capture in captures.items():
        run = capture.load()
        step = run.steps()["step_times"]["mean"][0]
        scopes = run.ops(by="scope").to_dicts()
        work = sum(row["self"] for row in scopes)
        update = sum(row["self"] for row in scopes if "optimizer" in (row["path"] or "").split("/"))
        print(f"{name:10} {step / 1e9:7.3f} ms {100 * update / work:16.1f} %")


if __name__ == "__main__":
    main()
