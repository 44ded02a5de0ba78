"""loops.py DIRECTORY: runs each loop of the table whose name it reads, and captures it.

It writes down beside the capture what the loop measured, and prints the folder of both.
"""

import contextlib
import dataclasses
import json
import sys
import time
from pathlib import Path

import jax
from jax.profiler import StepTraceAnnotation, TraceAnnotation
from pieces import (
    Run,
    beside_another_model,
    both,
    calls,
    calls_back,
    calls_loader,
    calls_with_another_shape,
    collects_garbage,
    compiles_ahead,
    computes,
    evaluates,
    every,
    inside,
    layer,
    logs,
    now,
    preprocesses,
    puts,
    reads_large_result,
    reads_loss,
    reads_pipe,
    scan_step,
    sleeps,
    takes_from_generator,
    takes_from_queue,
    takes_future,
    waits,
    waits_for_lock,
    writes_checkpoint,
)

HELD_UP = 0.25  # of the time in which its threads ran: how long they could have run and other programs did


@dataclasses.dataclass(frozen=True)
class Loop:
    """What a step does, inside its annotation and after it."""

    step: tuple
    after: tuple = ()
    steps: int = 8
    tracer: bool = False  # with Python's frames
    ahead: bool = False  # the host does not wait for each step
    starved: bool = False  # and the device waits for the host
    unseen: tuple[str, ...] = ()  # kinds of which the capture has no event: nobody can tell them from Python
    gait: bool = False  # captured with gait's Python package
    marked: bool = True  # with step annotations
    series: str = ""  # of the evaluations, where they are marked as steps


def trains(*step, **more):
    """A loop that waits for each step."""
    return Loop((*step, calls(), waits), **more)


def takes(*step, **more):
    """A loop that waits for its input most of the time."""
    return Loop((*step, calls(layer), waits), **more)


# What people call what they do. "preprocess" and "test_data" say input, "save_data" does not.
NAMES = {
    "input": """data_loading load_batch next_batch get_batch fetch_data dataloader train_dataloader DataLoader.next
        tokenize tokenization preprocess decode_images augment shuffle collate read_parquet input_pipeline
        wait_for_batch prefetch validation_data test_data_loading eval_data_loading""",
    "transfer": "to_device device_put host_to_device h2d upload_batch shard_batch",
    "wait": "wait_for_step block_until_ready synchronize",
    "collect": "gc garbage_collection collect_garbage",
    "python": """postprocess checkpoint load_checkpoint save_data save_dataset export_data logging write_results
        update_metrics read_config upload_checkpoint upload_logs upload_artifacts fetch_metrics fetch_config
        next_token_prediction data_parallel_update transfer_learning compile_report sync_to_disk evaluate val""",
}
NAMED = {name: kind for kind, names in NAMES.items() for name in names.split()}

LOOPS = {
    "names": trains(*(inside(name, sleeps(kind, 1)) for name, kind in NAMED.items()), steps=4),
    # Input in the loop.
    "sleeps in data_loading": takes(inside("data_loading", sleeps("input", 15))),
    "sleeps in data_loading, captured by gait": trains(
        inside("data_loading", sleeps("input", 15)), gait=True
    ),
    "loads between the steps": Loop((calls(), waits), (inside("next batch", sleeps("input", 15)),)),
    "preprocesses with numpy": trains(inside("preprocess", preprocesses)),
    "computes under the name tokenize": trains(inside("tokenize", computes("input", 15))),
    "loads data for evaluations": takes(inside("eval_data_loading", sleeps("input", 15))),
    "loads data for tests": takes(inside("test_data_loading", sleeps("input", 15))),
    "loads without a name": trains(sleeps("input", 15), unseen=("input",)),
    # Input that others load.
    "takes from a queue of 1": takes(takes_from_queue("data_loading", 20)),
    "takes from a queue of 2": takes(takes_from_queue("load_batch", 20, ahead=2)),
    "takes from two threads": takes(takes_from_queue("data_loading", 30, ahead=2, workers=2)),
    "takes what is on the device": takes(takes_from_queue("data_loading", 20, put=True)),
    "takes from a fast loader": trains(takes_from_queue("data_loading", 2, ahead=2), sleeps("python", 10)),
    "takes from a loader without a name": takes(takes_from_queue(None, 20), unseen=("input",)),
    "takes from a loader without a name, traced": takes(takes_from_queue(None, 20), tracer=True),
    "takes a future": takes(takes_future("data_loading", 20)),
    "takes a future, traced": takes(takes_future("data_loading", 20), tracer=True),
    "reads a pipe in data_loading": trains(inside("data_loading", reads_pipe(15))),
    "reads a pipe without a name": trains(reads_pipe(15), unseen=("input",)),
    "computes before it takes": takes(sleeps("python", 20), takes_from_queue("data_loading", 40)),
    "computes in postprocess before it takes": takes(
        inside("postprocess", sleeps("python", 20)), takes_from_queue("data_loading", 40)
    ),
    "takes from a loader far ahead": trains(
        takes_from_queue("data_loading", 1, ahead=1000), sleeps("python", 12)
    ),
    "takes and runs ahead": Loop(
        (takes_from_queue("data_loading", 30), calls(times=2)), ahead=True, starved=True
    ),
    "calls load_batch, traced": trains(calls_loader(15), tracer=True),
    "takes from a generator, traced": trains(takes_from_generator(15), tracer=True),
    # Data to the device.
    "puts an array": takes(puts(24)),
    "puts columns": takes(puts(48, columns=True)),
    "puts columns in to_device": takes(inside("to_device", puts(8, 6, columns=True))),
    "puts columns in data_loading": takes(
        inside("data_loading", sleeps("input", 20), puts(20, columns=True))
    ),
    # Waiting.
    "waits for each step": trains(),
    "waits for each step, traced": trains(tracer=True),
    "waits for each step, captured by gait": trains(gait=True),
    "reads the loss": Loop((calls(), reads_loss())),
    "reads the loss after the step": Loop((calls(),), (reads_loss(),)),
    "reads the loss of the step before": Loop((calls(), reads_loss(late=True)), steps=16, ahead=True),
    "reads the loss with item": Loop((calls(), reads_loss(lambda loss: loss.item()))),
    "gets the loss from the device": Loop((calls(), reads_loss(jax.device_get))),
    "asks whether the loss is 0": Loop((calls(), reads_loss(bool))),
    "reads a large result": Loop((calls(times=2), reads_large_result)),
    "waits for every fifth step": Loop((calls(), every(5, waits)), steps=22, ahead=True),
    "waits at the end": Loop((calls(),), steps=20, ahead=True),
    # Python.
    "computes in Python": trains(computes("python", 15)),
    "computes in Python, traced": trains(computes("python", 15), tracer=True),
    "sleeps in postprocess": trains(inside("postprocess", sleeps("python", 15))),
    "writes in checkpoint": trains(inside("checkpoint", writes_checkpoint)),
    "writes in save_data": trains(inside("save_data", writes_checkpoint)),
    "writes without a name": trains(writes_checkpoint),
    "logs": Loop((calls(), reads_loss(), logs)),
    "collects garbage": trains(collects_garbage, unseen=("collect",)),
    "collects garbage, traced": trains(collects_garbage, tracer=True),
    "waits for a lock": trains(waits_for_lock(15)),
    "waits for a checkpoint of another thread": trains(waits_for_lock(15, "checkpoint")),
    "waits for a lock beside a loader": trains(
        takes_from_queue("data_loading", 2, ahead=2), waits_for_lock(15)
    ),
    "many launches": Loop((calls(layer, 40), waits)),
    "a scan": Loop((calls(scan_step), waits)),
    "another thread runs a model": Loop((beside_another_model, calls(), waits)),
    # Compilation.
    "another shape each step": trains(calls_with_another_shape),
    "compiles ahead": trains(compiles_ahead),
    # Without marks.
    "no steps, data_loading": trains(inside("data_loading", sleeps("input", 15)), marked=False),
    "no steps, a queue": takes(takes_from_queue("data_loading", 20), marked=False),
    "no steps, Python": trains(computes("python", 15), marked=False),
    # Callbacks.
    "pure_callback": Loop((calls_back("pure", 15), waits)),
    "io_callback": Loop((calls_back("io", 15), waits)),
    "debug.callback": Loop((calls_back("debug", 15), waits)),
    "pure_callback beside a loader": Loop(
        (takes_from_queue("load_batch", 2, ahead=2), calls_back("pure", 15), waits)
    ),
    # Evaluations.
    **{
        f"{name} every second step": Loop(
            (calls(), waits), (every(2, evaluates(name)),), steps=11, series=name
        )
        for name in ("eval", "val", "test", "evaluate", "validation")
    },
    **{
        f"more {name} than training": Loop(
            (calls(), waits), (every(2, evaluates(name, times=4)),), steps=9, series=name
        )
        for name in ("eval", "validation", "test", "dev")
    },
    "evaluation on another device": Loop(
        (takes_from_queue("data_loading", 30), calls(layer), waits),
        (every(3, evaluates("eval", device=1)),),
        steps=11,
        series="eval",
    ),
    "evaluation under an annotation": Loop(
        (calls(), waits), (every(3, evaluates("evaluate", TraceAnnotation)),), steps=11
    ),
    "evaluation without a name": Loop((calls(), waits), (every(3, evaluates(None, None)),), steps=11),
    "a long evaluation": Loop((calls(), waits), (every(3, evaluates("val", ms=40)),), steps=11, series="val"),
}


@contextlib.contextmanager
def captured(directory, loop):
    if loop.gait:
        import gait

        with gait.trace(directory, options={"python_tracer_level": int(loop.tracer)}) as capture:
            yield
        capture.wait()
        return
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = int(loop.tracer)
    with jax.profiler.trace(directory, profiler_options=options):
        yield


def waited_for_processors():
    """For how long threads of this process could have run and did not, in nanoseconds."""
    total = 0
    for file in Path("/proc/self/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # the thread has ended
            total += int(file.read_text().split()[1])
    return total


def run(loop, directory):
    """Runs and captures a loop; what it measured."""
    measured = Run(directory)
    step, after = both(*loop.step)(measured), both(*loop.after)(measured)
    measured.spans.clear()
    begins = []
    with captured(directory, loop):
        for thread in measured.threads:
            thread.start()
        held_up, ran = waited_for_processors(), time.process_time_ns()
        for number in range(loop.steps):
            begins.append(now())
            with StepTraceAnnotation("train", step_num=number) if loop.marked else contextlib.nullcontext():
                step(number)
            after(number)
        begins.append(now())
        measured.state.block_until_ready()
        whole = now() - begins[0]
        held_up, ran = waited_for_processors() - held_up, time.process_time_ns() - ran
    for ending in measured.endings:
        ending()
    for thread in measured.threads:
        thread.join()
    if not loop.marked:  # a step that nobody marks begins with its call
        begins[:-1] = [begin for kind, begin, _ in measured.spans if kind == "call"]
    return {
        "begins": begins,
        "whole": whole,
        "spans": measured.spans,
        "callbacks": measured.callbacks,
        "evaluations": measured.evaluations,
        "done": [measured.done.get(number) for number in range(loop.steps)],
        "disturbed": held_up > HELD_UP * ran,
    }


def main() -> None:
    root = Path(sys.argv[1])
    jax.config.update("jax_num_cpu_devices", 2)
    for number, line in enumerate(sys.stdin):
        directory = root / f"{number} {line.strip()}"
        directory.mkdir(parents=True)
        measured = run(LOOPS[line.strip()], directory)
        (directory / "label.json").write_text(json.dumps(measured))
        print(directory, flush=True)


if __name__ == "__main__":
    main()
