"""busy_threads.py DIRECTORY 1: threads that launch the same programs while the CPU device is busy.

Each thread launches under a scope of its own and waits for nothing, so that the launches queue up behind a long one.
Two of the programs share a name. How often each scope launched goes to DIRECTORY/labels.json.
"""

import json
import pathlib
import sys
import threading

import jax
import jax.numpy as jnp

LAUNCHES = {"long": 1, "main": 20, "thread_0": 3, "thread_1": 3, "thread_2": 3}


class Program:
    def __init__(self, x):
        self.x = x
        # Both are jit__lambda.
        self.short = jax.jit(lambda x: jnp.sin(x @ x))
        self.long = jax.jit(lambda x: jax.lax.fori_loop(0, 60, lambda _, a: jnp.tanh(a @ x), x))
        self.results = []

    def launch(self, scope: str) -> None:
        with jax.profiler.TraceAnnotation(scope):
            for _ in range(LAUNCHES[scope]):
                self.results.append((self.long if scope == "long" else self.short)(self.x))

    def run(self) -> None:
        threads = [threading.Thread(target=self.launch, args=(f"thread_{i}",)) for i in range(3)]
        self.launch("long")
        self.launch("main")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        jax.block_until_ready(self.results)


def main() -> None:
    directory = pathlib.Path(sys.argv[1])
    program = Program(jnp.full((400, 400), 1e-3))
    program.run()
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    with (
        jax.profiler.trace(directory, profiler_options=options),
        jax.profiler.TraceAnnotation("my_block", gait_block=0),
    ):
        program.run()
    (directory / "labels.json").write_text(json.dumps({"launches": LAUNCHES}))


if __name__ == "__main__":
    main()
