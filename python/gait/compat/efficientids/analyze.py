"""python -m gait.compat.efficientids.analyze: what a capture says, as the unified JSON.

    ... --trace_file profiler_traces --output_json result.json
    ... --checkpoint_dir checkpoints        # its profiler_traces/, tokens and MFU from flop_stats.json

The trace may be a file, a run's folder or a log directory; of a trace.json.gz the XPlane file beside it is read,
which has every event. On TPUs and CPUs operations stand where GPUs have kernels. The figures are those of `gait
report --format unified`; tokens and the counter's MFU, which no trace holds, are added.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from gait._command import command
from gait._messages import GaitError, complain
from gait._run import load
from gait.compat.efficientids._operations import io_operations, xla_operations
from gait.compat.efficientids._schema import print_profiling_summary, save_profiling_json


def _readable(trace: Path) -> Path:
    if ".json" in trace.name:
        beside = sorted(trace.parent.glob("*.xplane.pb*"))
        if not beside:
            raise GaitError(
                f"{trace}: no XPlane file beside it. Chrome traces hold a part of the events only."
            )
        return beside[0] if len(beside) == 1 else trace.parent
    return trace


def _gait(*words: str) -> str:
    done = subprocess.run([str(command()), *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise GaitError(done.stderr.strip().removeprefix("gait: "))
    return done.stdout


def _unified(run: Path) -> dict[str, Any]:
    return json.loads(_gait("report", str(run), "--format", "unified"))


def _add_counted(result: dict[str, Any], checkpoint: Path) -> None:
    """What the Profiler wrote down during the capture."""
    for place in (checkpoint, checkpoint / "profiler_traces"):
        if not (place / "flop_stats.json").is_file():
            continue
        stats = json.loads((place / "flop_stats.json").read_text(encoding="utf-8"))
        devices = max(result["metadata"].get("num_devices", 1), 1)
        result["throughput"] |= {
            "tokens_per_sec": stats["tokens_per_sec"],
            "tokens_per_sec_per_device": stats["tokens_per_sec"] / devices,
            "tokens_per_batch": stats["total_tokens"] // max(stats["profiling_steps"], 1),
        }
        result["parameter_counts"]["total_params"] = stats["model_params"]
        if stats["mfu_percent"] is not None:
            names = ("mfu_percent", "achieved_tflops", "peak_tflops", "flops_per_token")
            result["flop_stats"] = {name: stats[name] for name in names}
        return


def _add_steps(result: dict[str, Any], count: int) -> None:
    """Of a capture that marks no steps, from how many there are."""
    coverage = result["timeline_coverage"]
    devices = max(result["metadata"].get("num_devices", 1), 1)
    total = (coverage["kernel_time_us"] + coverage["idle_time_us"]) / devices
    result["step_timing"] |= {
        "num_steps": count,
        "total_time_us": total,
        "avg_step_time_us": total / count,
        "step_count_source": "argument",
    }
    result["throughput"] |= {"ms_per_step": total / count / 1e3}


def analyze(
    trace_file: str | Path, checkpoint_dir: str | Path | None = None, num_steps: int | None = None
) -> dict[str, Any]:
    """The unified result of a capture."""
    trace = _readable(Path(trace_file).expanduser())
    result = _unified(trace)
    run = load(trace)
    result["io_operations"], result["xla_operations"] = io_operations(run), xla_operations(run)
    if num_steps is not None and not result["step_timing"].get("num_steps"):
        _add_steps(result, num_steps)
    if checkpoint_dir is not None:
        _add_counted(result, Path(checkpoint_dir).expanduser())
    return result


def _count(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError("at least 1 step")
    return int(text)


def main(arguments: list[str] | None = None) -> int:
    raw = argparse.RawDescriptionHelpFormatter
    name = "python -m gait.compat.efficientids.analyze"
    parser = argparse.ArgumentParser(prog=name, description=__doc__, formatter_class=raw)
    parser.add_argument("--trace_file", help="a capture: file, run's folder or log directory")
    parser.add_argument("--checkpoint_dir", help="of the training: its profiler_traces/ and flop_stats.json")
    parser.add_argument("--num_steps", type=_count, help="how many the capture has, where it marks none")
    parser.add_argument("--output_json", help="write the result here")
    parser.add_argument("--html", metavar="FILE", help="and the report of the run as one page here")
    args = parser.parse_args(arguments)
    if not args.trace_file and not args.checkpoint_dir:
        parser.error("which capture? Give --trace_file or --checkpoint_dir.")
    trace = args.trace_file or Path(args.checkpoint_dir) / "profiler_traces"
    try:
        result = analyze(trace, args.checkpoint_dir, args.num_steps)
        print_profiling_summary(result)
        if args.output_json:
            save_profiling_json(result, args.output_json)
        if args.html:
            _gait("report", str(_readable(Path(trace).expanduser())), "--format", "html", "-o", args.html)
    except (GaitError, OSError, ValueError) as error:
        complain(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
