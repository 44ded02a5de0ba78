"""What recording costs the program, by kind of event: small loops, timed with jax.profiler and without it in turns.

    build/venv/bin/python bench/recording_cost.py     # this machine; on a GPU also its launches and graphs

Each loop has many events of one kind. `slower` is what its step takes longer while it is recorded; behind it are the
events that one step adds to its thread, and the kernels. `each` is `slower` by events of the loop's kind, the others
taken off at what their own loops say. gait/analyze/view/recording_cost.cc has the figures that were seen.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

LOOPS = {  # what each is about, and the flags that it needs
    "python": ("python", ""),
    "annotations": ("runtime", ""),
    "dispatch": ("runtime", ""),
    "launches": ("driver", "--xla_gpu_enable_command_buffer="),
    "while": ("driver", ""),
    "graph": ("kernels", ""),
    "large": ("kernels", ""),
}
ROUNDS, STEPS = 7, 12


def call_tree(depth: int) -> None:
    if depth:
        call_tree(depth - 1)
        call_tree(depth - 1)


def make_step(loop: str):
    import jax
    import jax.numpy as jnp

    x = jnp.ones(256)
    if loop == "python":
        return lambda: call_tree(11)
    if loop == "annotations":

        def annotations():
            for _ in range(2000):
                with jax.profiler.TraceAnnotation("part"):
                    pass

        return annotations
    if loop == "dispatch":
        small = jax.jit(lambda x: x + 1)

        def dispatch():
            y = x
            for _ in range(100):
                y = small(y)
            y.block_until_ready()

        return dispatch

    def some(x, times, body):
        for _ in range(times):
            x = body(x)
        return x

    # A sum of all cannot be fused with what uses it.
    step = {
        "launches": lambda x: some(x, 200, lambda x: x * jax.lax.rsqrt(1 + jnp.sum(x * x))),
        "graph": lambda x: some(x, 200, lambda x: x * jax.lax.rsqrt(1 + jnp.sum(x * x))),
        "large": lambda x: some(x, 100, lambda x: jnp.tanh(x @ x)),
        # How many bodies there are is known to the device only.
        "while": lambda x: jax.lax.while_loop(
            lambda at: at[1] < jnp.sum(x), lambda at: (jnp.sin(at[0]), at[1] + 1.0), (x, 0.0)
        ),
    }[loop]
    step = jax.jit(step)
    if loop == "large":
        x = jnp.ones((2048, 2048), jnp.bfloat16)
    return lambda: jax.block_until_ready(step(x))


def timed(step) -> float:
    begin = time.perf_counter()
    for _ in range(STEPS):
        step()
    return (time.perf_counter() - begin) / STEPS


def child(loop: str) -> None:
    import jax

    step = make_step(loop)
    for _ in range(20):
        step()
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = int(loop == "python")
    plain, recorded, folder = [], [], tempfile.mkdtemp()
    for turn in range(ROUNDS):
        plain.append(timed(step))
        where = f"{folder}/{turn}"
        jax.profiler.start_trace(where, profiler_options=options)
        recorded.append(timed(step))
        jax.profiler.stop_trace()
    print(json.dumps({"plain": plain, "recorded": recorded, "events": events_of_a_step(where)}))


def events_of_a_step(folder: str) -> dict[str, float]:
    """On the loop's thread: Python calls, calls of the GPU's driver, others; kernels on the device."""
    import gait

    run = gait.load(folder)
    tracks = run.info()["tracks"].to_dicts()
    threads = [row for row in tracks if row["kind"] == "thread"]
    thread = max(threads, key=lambda row: row["events"])["name"]
    found = {"python": 0, "driver": 0, "runtime": 0}
    for row in run.dump(track=f"^{thread}$", top=0)["events"].to_dicts():
        driver = any(name == "correlation_id" for name, _ in row["arguments"])
        found["python" if row["name"].startswith("$") else "driver" if driver else "runtime"] += 1
    found["kernels"] = sum(row["events"] for row in tracks if row["kind"] == "stream")
    return {kind: count / STEPS for kind, count in found.items()}


def measure(loop: str) -> dict:
    flags = f"{os.environ.get('XLA_FLAGS', '')} {LOOPS[loop][1]}".strip()
    done = subprocess.run(
        [sys.executable, __file__, "--child", loop],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XLA_FLAGS": flags},
    )
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loops", nargs="+", choices=LOOPS, help="all, if not given")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args.child)
        return
    import jax

    on_gpu = jax.default_backend() == "gpu"
    loops = args.loops or [
        loop for loop, (kind, _) in LOOPS.items() if on_gpu or kind in ("python", "runtime")
    ]
    kinds = ("python", "runtime", "driver", "kernels")
    known: dict[str, list[float]] = {kind: [] for kind in kinds}
    print(
        f"{'':12}{'plain':>9}{'recorded':>10}{'slower':>9}"
        + "".join(f"{kind:>9}" for kind in kinds)
        + "     each"
    )
    for loop in loops:
        said = measure(loop)
        plain, recorded = (1e3 * statistics.median(said[side]) for side in ("plain", "recorded"))
        differences = [b - a for a, b in zip(said["plain"], said["recorded"], strict=True)]
        slower = 1e6 * statistics.median(differences)
        events, about = said["events"], LOOPS[loop][0]
        others = sum(
            events[kind] * statistics.median(costs)
            for kind, costs in known.items()
            if costs and kind != about
        )
        each = (slower - others) / events[about]
        known[about].append(each)
        counts = "".join(f"{events[kind]:9.0f}" for kind in kinds)
        print(f"{loop:12}{plain:6.3f} ms{recorded:7.3f} ms{slower:6.0f} µs{counts}{each:6.2f} µs")


if __name__ == "__main__":
    main()
