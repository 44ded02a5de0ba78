"""Document D: scripts/train_with_profiling.py, profiled by its environment.

PROFILE_ENABLED=1 PROFILE_START_STEP=100 PROFILE_INTERVAL=0 python d_viewing.py
"""

import sys

import small_gpt

from gait.compat.ueaj import maybe_profile


def main(steps=120, layers=1):
    model, data = small_gpt.new_model(layers=layers), small_gpt.batches()
    for step in range(steps):
        batch = next(data)
        # Always block on outputs
        with maybe_profile(step):
            model, result = small_gpt.train_step(model, batch)
            result.block_until_ready()  # <-- Required!
    print(f"trained {steps} steps")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
