"""A program with gait's own endpoint: small training steps until standard input is closed.

served.py DIR [--unmarked]: gait.serve on a free port, which it prints. --unmarked: without gait.step.
"""

import sys
import threading
import time

import jax
import jax.numpy as jnp

import gait


@jax.jit
def train_step(x):
    return jnp.tanh(x @ x) / 2


def main() -> None:
    closed = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), closed.set()), daemon=True).start()
    x = train_step(jnp.ones((64, 64)))
    server = gait.serve(0, sys.argv[1])
    print(server.port, server.token, flush=True)
    step = 0
    while not closed.is_set():
        if "--unmarked" in sys.argv:
            x = train_step(x)
        else:
            with gait.step(step):
                x = train_step(x)
        step += 1
        time.sleep(0.01)
    server.close()


if __name__ == "__main__":
    main()
