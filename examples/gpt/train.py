"""Trains a small GPT and, if asked, profiles the last steps with JAX's own profiler.

    python examples/gpt/train.py --steps 20 --profile runs/gpt
    python examples/gpt/train.py --devices 8 --profile runs/gpt8      # data parallel

On a machine without an accelerator `--devices N` splits the CPU into N devices.
"""

import argparse
import contextlib
import functools
import time

import jax
import model
import numpy as np
import text
from jax.sharding import Mesh, NamedSharding, PartitionSpec


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
    profile_from = max(args.steps - args.profile_steps, 1)  # the first step compiles
    begin = time.perf_counter()

    with contextlib.ExitStack() as profile:
        for step in range(args.steps):
            if args.profile and step == profile_from:
                jax.block_until_ready(state)
                profile.enter_context(jax.profiler.trace(args.profile))
            with jax.profiler.StepTraceAnnotation("train", step_num=step):
                with jax.profiler.TraceAnnotation("data_loading"):
                    batch = text.sample_batch(corpus, rng, args.batch, args.context)
                with jax.profiler.TraceAnnotation("to_device"):
                    tokens = jax.device_put(batch, split)
                state, loss = step_fn(state, tokens)
            if step % 10 == 0 or step == args.steps - 1:
                print(f"step {step:4d}  loss {loss:.3f}  {time.perf_counter() - begin:.1f} s", flush=True)
        jax.block_until_ready(state)


if __name__ == "__main__":
    main()
