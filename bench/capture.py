"""How long a capture stops the training thread, and what a step costs inside it: gait beside jax.profiler.

    build/venv/bin/python bench/capture.py                                    # this machine
    build/venv/bin/python bench/capture.py --layers 24 --dim 512 --heads 8 \\
        --batch 4 --context 256 --steps 5 50 400                              # an H200

The GPT of examples/ trains in a process of its own for each line: a profiler leaves traces of itself behind. Both
wait for the devices first; `stop` is what comes after that until the loop may go on. `inside` is the step time in
the window over that before it, in the same process. `of it work` is the thread's processor time, which a busy
machine changes less. Medians of --repeat processes, taking turns.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODEL = ("layers", "dim", "heads", "batch", "context")


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, nargs="+", default=[5, 50, 400], help="steps of a capture")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--context", type=int, default=32)
    parser.add_argument("--child", choices=("gait", "jax"), help=argparse.SUPPRESS)
    return parser.parse_args()


class Training:
    """The loop under test: one state that every step replaces."""

    def __init__(self, args: argparse.Namespace):
        sys.path.insert(0, str(ROOT / "examples" / "gpt"))
        import functools

        import jax
        import model
        import numpy as np
        import text

        config = model.Config(args.layers, args.dim, args.heads, args.context, text.VOCABULARY)
        self._step = jax.jit(functools.partial(model.train_step, config=config), donate_argnums=0)
        self._state = model.init_state(config, jax.random.key(0))
        corpus = text.make_corpus(100_000)
        self._tokens = text.sample_batch(corpus, np.random.default_rng(1), args.batch, args.context)
        self._jax = jax

    def run(self, steps: int, mark) -> float:
        """Seconds a step, until the last one is computed."""
        begin = time.perf_counter()
        for i in range(steps):
            with mark(i):
                self._state, _ = self._step(self._state, self._tokens)
        self._jax.block_until_ready(self._state)
        return (time.perf_counter() - begin) / steps


def child(args: argparse.Namespace) -> dict[str, float]:
    import jax

    import gait

    training = Training(args)
    (steps,) = args.steps
    if args.child == "gait":
        mark = gait.step
    else:

        def mark(i):
            return jax.profiler.StepTraceAnnotation("train", step_num=i)

    training.run(20, mark)
    before = min(training.run(max(steps, 20), mark) for _ in range(2))
    with tempfile.TemporaryDirectory() as directory:
        if args.child == "gait":
            trace = gait.trace(directory)
            capture = trace.__enter__()
            inside = training.run(steps, mark)
            begin, worked = time.perf_counter(), time.thread_time()
            trace.__exit__(None, None, None)
            stop, worked = time.perf_counter() - begin, time.thread_time() - worked
            assert capture.ok, capture
            size = capture.bytes
        else:
            options = jax.profiler.ProfileOptions()
            options.python_tracer_level = 0
            jax.profiler.start_trace(directory, profiler_options=options)
            inside = training.run(steps, mark)
            begin, worked = time.perf_counter(), time.thread_time()
            jax.profiler.stop_trace()
            stop, worked = time.perf_counter() - begin, time.thread_time() - worked
            (file,) = Path(directory).glob("**/*.xplane.pb")
            size = file.stat().st_size
        written = time.perf_counter() - begin
    return {
        "stop": stop,
        "worked": worked,
        "written": written,
        "before": before,
        "inside": inside,
        "bytes": size,
    }


def measure(tool: str, steps: int, args: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", tool, "--steps", str(steps)]
    for name in MODEL:
        command += [f"--{name}", str(getattr(args, name))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    args = parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # a line when it is known, also into a file
    if args.child:
        print(json.dumps(child(args)))
        return 0
    print("captures: the training thread stands still for `stop`; medians\n")
    print(
        f"  {'steps':>5}  {'':5} {'stop':>9} {'of it work':>11} {'on disk after':>14} "
        f"{'step before':>12} {'inside':>7} {'MB':>7}"
    )
    missed = 0
    for steps in args.steps:
        results: dict[str, list[dict[str, float]]] = {"jax": [], "gait": []}
        for _ in range(args.repeat):
            for tool, made in results.items():
                made.append(measure(tool, steps, args))
        middle = {
            tool: {name: statistics.median(one[name] for one in made) for name in made[0]}
            for tool, made in results.items()
        }
        for tool, values in middle.items():
            print(
                f"  {steps:5d}  {tool:5} {values['stop'] * 1e3:6.0f} ms "
                f"{values['worked'] * 1e3:8.0f} ms {values['written'] * 1e3:11.0f} ms "
                f"{values['before'] * 1e3:9.2f} ms {values['inside'] / values['before']:6.2f}x "
                f"{values['bytes'] / 1e6:7.1f}"
            )
        ratio = middle["gait"]["stop"] / middle["jax"]["stop"]
        missed += ratio > 0.5
        worked = middle["gait"]["worked"] / middle["jax"]["worked"]
        verdict = "met" if ratio <= 0.5 else "MISSED"
        print(
            f"         stopped for {ratio:.2f} of jax's time, {worked:.2f} of its work; goal 0.5: {verdict}\n"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
