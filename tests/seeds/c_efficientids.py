"""Document C: train_efficientids.py with its flags, the programmatic loop, and one block.

python c_efficientids.py --enable_profiling --profiler_start_step 100 --profiler_num_steps 10
"""

import argparse

import jax
import small_gpt

from gait.compat.efficientids import (
    ProfileContext,
    Profiler,
    add_profiling_arguments,
    create_flop_counter_from_model,
    profiler_from_args,
)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="tpu_optimized")
    parser.add_argument("--checkpoint_dir", default="./checkpoints")
    parser.add_argument("--max_steps", type=int, default=160)
    parser.add_argument("--trigger_at", type=int)
    add_profiling_arguments(parser)
    args = parser.parse_args()

    state, data = small_gpt.new_model(layers=1), small_gpt.batches()
    counter = create_flop_counter_from_model(state, state.params, batch_size=4, seq_len=64, peak_flops=1e12)
    assert counter.num_layers == 1
    profiler = profiler_from_args(args, args.checkpoint_dir)
    if profiler is None:
        profiler = Profiler(num_steps=5, log_dir="./traces")
    profiler.flop_counter = counter

    for step in range(args.max_steps):
        batch = next(data)
        profiler.begin_step(step)

        # Your training code
        state, metrics = small_gpt.train_step(state, batch)

        profiler.end_step(num_tokens=batch["input_ids"].size)

        if step == args.trigger_at:
            profiler.capture_async()

    with ProfileContext("./one_off"):
        # Code to profile
        state, metrics = small_gpt.train_step(state, batch)
    jax.block_until_ready(state)


if __name__ == "__main__":
    main()
