"""Profiles the GPT in five ways, each a recipe to take over.

python examples/gpt/profile_training.py              # a training loop, some of its steps captured
python examples/gpt/profile_training.py step         # one step, warmed up
python examples/gpt/profile_training.py forward      # the forward pass alone
python examples/gpt/profile_training.py components   # its parts one by one
python examples/gpt/profile_training.py benchmark    # how long a step takes, and how sure that is
"""

import argparse
import functools

import jax
import jax.numpy as jnp
import model
import numpy as np
import text

import gait


def parse_args() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("mode", nargs="?", choices=list(MODES), default="default")
    parser.add_argument("--profile", metavar="DIR", default="runs/gpt", help="the log directory")
    parser.add_argument("--steps", type=int, default=20, help="of the loop, or calls of the benchmark")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--context", type=int, default=64)
    return parser.parse_args()


class Setup:
    """The model, its state and its data."""

    def __init__(self, args: argparse.Namespace):
        self.args = args
        self.config = model.Config(args.layers, args.dim, args.heads, args.context, text.VOCABULARY)
        self.state = model.init_state(self.config, jax.random.key(0))
        self.corpus = text.make_corpus(50_000)
        self.rng = np.random.default_rng(1)
        self.train_step = jax.jit(functools.partial(model.train_step, config=self.config), donate_argnums=0)

    def batch(self) -> jax.Array:
        return jax.device_put(text.sample_batch(self.corpus, self.rng, self.args.batch, self.args.context))


def show(capture: gait.Capture) -> None:
    print(capture.wait())
    if capture.ok:
        print(capture.load().overview().answer)


def default(setup: Setup) -> None:
    """The last steps of a training loop: no other change than profiler.step."""
    schedule = gait.Schedule(start=max(setup.args.steps - 5, 1), count=5)
    state = setup.state
    with gait.Profiler(schedule, setup.args.profile, name="default") as profiler:
        for step in range(setup.args.steps):
            with profiler.step(step):
                with gait.scope("data_loading"):
                    tokens = setup.batch()
                state, _ = setup.train_step(state, tokens)
    for capture in profiler.wait():
        show(capture)


def step(setup: Setup) -> None:
    """One step. Three before it compile and warm up; the profiler waits for what the block has begun."""
    state, tokens = setup.state, setup.batch()
    for _ in range(3):
        state, _ = setup.train_step(state, tokens)
    with gait.trace(setup.args.profile, "step") as capture, gait.step(0):
        state, _ = setup.train_step(state, tokens)
    show(capture)


def forward(setup: Setup) -> None:
    """The loss without its gradient."""
    loss = jax.jit(functools.partial(model.loss_fn, config=setup.config))
    params, tokens = setup.state["params"], setup.batch()
    jax.block_until_ready(loss(params, tokens))
    with gait.trace(setup.args.profile, "forward") as capture:
        for number in range(3):
            with gait.step(number):
                loss(params, tokens)
    show(capture)


def components(setup: Setup) -> None:
    """Parts of the model as programs of their own, each under its name, and which of them takes longest."""
    params, heads = setup.state["params"], setup.config.heads
    x = jnp.ones((setup.args.batch, setup.args.context, setup.args.dim))
    layer = params["layers"][0]
    parts = {
        "embedding": (lambda p, t: p["tokens"][t[:, :-1]] + p["positions"], params, setup.batch()),
        "attention": (functools.partial(model.attention, heads=heads), x, layer["attention"]),
        "mlp": (model.mlp, x, layer["mlp"]),
        "lm_head": (lambda y, p: model.rms_norm(y, p["final_scale"]) @ p["tokens"].T, x, params),
    }
    compiled = {name: jax.jit(gait.trace_function(part[0], name)) for name, part in parts.items()}
    times = {
        name: gait.benchmark_function(compiled[name], *part[1:], iterations=5, warmup=2, name=name)
        for name, part in parts.items()
    }
    for name, measured in sorted(times.items(), key=lambda item: -item[1].median):
        print(f"{name:12} {measured.median * 1e3:8.3f} ms")
    with gait.trace(setup.args.profile, "components") as capture:
        for number in range(3):
            with gait.step(number):
                jax.block_until_ready([compiled[name](*part[1:]) for name, part in parts.items()])
    show(capture)


def benchmark(setup: Setup) -> None:
    """Statistics for a test of speed: gait copies the arguments that the step donates."""
    measured = gait.benchmark_function(
        setup.train_step, setup.state, setup.batch(), iterations=setup.args.steps, name="train_step"
    )
    print(measured)
    measured.assert_faster_than(60.0)  # seconds; a limit, or another benchmark


MODES = {function.__name__: function for function in (default, step, forward, components, benchmark)}


def main() -> None:
    args = parse_args()
    MODES[args.mode](Setup(args))


if __name__ == "__main__":
    main()
