"""Who waits for whom: a slow data loader beside one that fetches ahead.

    python examples/data_loader/study.py

Fetching, copying to the device and computing are named; gait says how much of a step each takes, and whether the
device waited for input.
"""

import argparse
import queue
import threading
import time
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

import gait


def load(count: int, size: int, seconds: float) -> Iterator[np.ndarray]:
    """Batches from a disk that is slow."""
    for number in range(count):
        time.sleep(seconds)
        yield np.full((size, size), 1.0 / (number + 1), np.float32)


def ahead(batches: Iterator[np.ndarray], depth: int = 2) -> Iterator[jax.Array]:
    """The same, fetched and copied to the device by another thread before they are needed."""
    waiting: queue.Queue = queue.Queue(depth)

    def fetch() -> None:
        for batch in batches:
            waiting.put(jax.device_put(batch))
        waiting.put(None)

    threading.Thread(target=fetch, daemon=True).start()
    while (batch := waiting.get()) is not None:
        yield batch


@jax.jit
def train_step(w, x):
    for _ in range(4):
        w = jnp.tanh(w @ x)
    return w


def run(name: str, batches: Iterator, args: argparse.Namespace) -> gait.Capture:
    w = train_step(jnp.eye(args.size), jnp.eye(args.size))
    schedule = gait.Schedule(start=2, count=args.steps - 2)
    with gait.Profiler(schedule, args.profile, name=name, on_signal=None) as profiler:
        for step in range(args.steps):
            with profiler.step(step):
                with gait.scope("fetch_batch"):
                    batch = next(batches)
                with gait.scope("to_device"):
                    batch = jax.device_put(batch)
                with gait.scope("computation"):
                    w = train_step(w, batch).block_until_ready()
    return profiler.captures[0]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--profile", metavar="DIR", default="runs/data_loader")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--size", type=int, default=384)
    parser.add_argument("--seconds", type=float, default=0.005, help="that a batch takes to load")
    args = parser.parse_args()

    def batches() -> Iterator[np.ndarray]:
        return load(args.steps, args.size, args.seconds)

    for name, loader in (("direct", batches()), ("ahead", ahead(batches()))):
        host = run(name, loader, args).load()
        print(f"{name}: {host.steps().answer}")
        print(f"    {host.idle().answer}")


if __name__ == "__main__":
    main()
