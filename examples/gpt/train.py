"""Trains a small GPT and, if asked, captures the last steps.

    python examples/gpt/train.py --steps 20 --profile runs/gpt
    python examples/gpt/train.py --devices 8 --profile runs/gpt8      # data parallel

On a machine without an accelerator `--devices N` splits the CPU into N devices.
"""

import argparse
import functools
import time

import jax
import model
import numpy as np
import text
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import gait


def parse_args() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--steps", type=int, default=20, help="training steps in all")
    parser.add_argument("--profile", metavar="DIR", help="capture the last steps into this log directory")
    parser.add_argument("--profile-steps", type=int, default=5, help="how many steps to capture")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--batch", type=int, default=8, help="sequences a step, over all devices")
    parser.add_argument("--context", type=int, default=64, help="tokens in a sequence")
    parser.add_argument("--devices", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    args = parse_args()
    jax.config.update("jax_num_cpu_devices", args.devices)  # read only where the CPU is the backend
    config = model.Config(args.layers, args.dim, args.heads, args.context, text.VOCABULARY)

    mesh = Mesh(np.array(jax.devices()[: args.devices]), ("data",))
    everywhere = NamedSharding(mesh, PartitionSpec())
    split = NamedSharding(mesh, PartitionSpec("data"))
    step_fn = jax.jit(
        functools.partial(model.train_step, config=config),
        in_shardings=(everywhere, split),
        out_shardings=(everywhere, everywhere),
        donate_argnums=0,
    )

    state = jax.device_put(model.init_state(config, jax.random.key(0)), everywhere)
    corpus = text.make_corpus(200_000)
    rng = np.random.default_rng(1)
    # The first step compiles. Without a directory nothing is captured, and a step costs a few nanoseconds more.
    start = max(args.steps - args.profile_steps, 1) if args.profile else None
    schedule = gait.Schedule(start=start, count=args.profile_steps)
    begin = time.perf_counter()

    with gait.Profiler(schedule, args.profile or "runs") as profiler:
        for step in range(args.steps):
            with profiler.step(step):
                with gait.scope("data_loading"):
                    batch = text.sample_batch(corpus, rng, args.batch, args.context)
                with gait.scope("to_device"):
                    tokens = jax.device_put(batch, split)
                state, loss = step_fn(state, tokens)
            if step % 10 == 0 or step == args.steps - 1:
                print(f"step {step:4d}  loss {loss:.3f}  {time.perf_counter() - begin:.1f} s", flush=True)
    jax.block_until_ready(state)
    for capture in profiler.wait():
        if not capture.ok:
            raise SystemExit(f"there is no capture: {capture.error}")


if __name__ == "__main__":
    main()
