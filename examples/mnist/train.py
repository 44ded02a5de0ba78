"""A task that profiles itself: digits, a small network, and the mixin that XAX users know.

    python examples/mnist/train.py --steps 250
    gait overview runs/mnist

The digits are drawn here, 28 x 28 with noise, so that nothing is downloaded.
"""

import argparse
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from gait.compat.xax import ProfilerConfig, ProfilerMixin, annotate

# Strokes of the digits on a grid of 3 x 5.
STROKES = "111101101101111 010110010010111 111001111100111 111001111001111 101101111001001".split()
STROKES += "111100111001111 111100111101111 111001001001001 111101111101111 111101111001111".split()


@dataclass
class Config(ProfilerConfig):
    enable_profiling: bool = True
    profiling_dir: str | None = "runs/mnist"
    batch: int = 64
    width: int = 128
    learning_rate: float = 0.1


@dataclass
class State:
    num_steps: int = 0


def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Images and their digits."""
    digits = rng.integers(0, 10, count)
    images = rng.normal(0, 0.3, (count, 28, 28)).astype(np.float32)
    for image, digit in zip(images, digits, strict=True):
        grid = np.array([int(bit) for bit in STROKES[digit]], np.float32).reshape(5, 3)
        top, left = rng.integers(0, 8), rng.integers(0, 10)
        image[top : top + 20, left : left + 18] += np.kron(grid, np.ones((4, 6)))
    return images.reshape(count, -1), digits


@annotate("loss")
def loss_fn(params, images, digits):
    hidden = jax.nn.relu(images @ params["in"] + params["bias"])
    logits = jax.nn.log_softmax(hidden @ params["out"])
    return -jnp.mean(jnp.take_along_axis(logits, digits[:, None], axis=1))


class Mnist(ProfilerMixin[Config]):
    def __init__(self, config: Config):
        self.config = config
        keys = jax.random.split(jax.random.key(0))
        self.params = {
            "in": 0.05 * jax.random.normal(keys[0], (28 * 28, config.width)),
            "bias": jnp.zeros(config.width),
            "out": 0.05 * jax.random.normal(keys[1], (config.width, 10)),
        }
        self.train_step = jax.jit(self.update)

    def update(self, params, images, digits):
        loss, grads = jax.value_and_grad(loss_fn)(params, images, digits)
        return jax.tree.map(lambda p, g: p - self.config.learning_rate * g, params, grads), loss

    def train(self, steps: int) -> float:
        rng, state = np.random.default_rng(0), State()
        loss = jnp.nan
        for state.num_steps in range(steps):
            # Around the call of the jitted function, not inside it.
            with self.profile_context(state, name="train_step"):
                self.params, loss = self.train_step(self.params, *draw(rng, self.config.batch))
        return float(loss)


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--every", type=int, default=100, help="profile one step of so many")
    parser.add_argument("--profile", metavar="DIR", default="runs/mnist")
    args = parser.parse_args()
    task = Mnist(Config(profiling_dir=args.profile, profile_every_n_steps=args.every))
    print(f"loss after {args.steps} steps: {task.train(args.steps):.3f}")


if __name__ == "__main__":
    main()
