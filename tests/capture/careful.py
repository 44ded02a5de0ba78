"""A training program with gait's endpoint that needs most of its 256 file descriptors: each step opens as many files as
the endpoint leaves it by its promise.

careful.py DIR: prints the port and the token; when standard input is closed, the steps and how many of them failed.
"""

import os
import resource
import sys
import threading
import time

import jax
import jax.numpy as jnp

import gait

LIMIT = 256
ENDPOINT = 16 + 4  # connections, the listening socket, a file that is sent


@jax.jit
def train_step(x):
    return jnp.tanh(x @ x) / 2


def main() -> None:
    closed = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), closed.set()), daemon=True).start()
    x = train_step(jnp.ones((64, 64))).block_until_ready()
    resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
    spare = LIMIT - len(os.listdir("/proc/self/fd")) - ENDPOINT - 32  # the last ones it never takes
    server = gait.serve(0, sys.argv[1])
    print(server.port, server.token, flush=True)
    step = failed = 0
    while not closed.is_set():
        files = []
        try:
            with gait.step(step):
                for _ in range(spare):
                    files.append(open(os.devnull, "rb"))  # noqa: SIM115
                x = train_step(x).block_until_ready()
        except OSError:
            failed += 1
        for file in files:
            file.close()
        step += 1
        time.sleep(0.001)
    print(step, failed, flush=True)
    server.close()


if __name__ == "__main__":
    main()
