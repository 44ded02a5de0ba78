"""A program to be captured: small training steps until standard input is closed.

program.py PORT [--traced] [--idle]: with jax.profiler.start_server(PORT). --traced: in a profile of its own.
"""

import argparse
import sys
import tempfile
import threading
import time

import jax
import jax.numpy as jnp


@jax.jit
def train_step(x):
    return jnp.tanh(x @ x) / 2


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--traced", action="store_true")
    parser.add_argument("--idle", action="store_true")
    options = parser.parse_args()
    closed = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), closed.set()), daemon=True).start()

    x = train_step(jnp.ones((64, 64)))
    server = jax.profiler.start_server(options.port)
    if options.traced:
        jax.profiler.start_trace(tempfile.mkdtemp())
    print("ready", flush=True)
    step = 0
    while not closed.is_set():
        if not options.idle:
            with jax.profiler.StepTraceAnnotation("train", step_num=step):
                x = train_step(x).block_until_ready()
            step += 1
        time.sleep(0.01)
    del server


if __name__ == "__main__":
    main()
