"""python -m gait.compat.efficientids.analyze: what a capture says, as the unified JSON.

    ... --trace_file profiler_traces --output_json result.json
    ... --checkpoint_dir checkpoints        # its profiler_traces/, tokens and MFU from flop_stats.json

The trace may be a file, a run's folder or a log directory; of a trace.json.gz the XPlane file beside it is read,
which has every event. On TPUs and CPUs operations stand where GPUs have kernels.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import gait
from gait._messages import GaitError
from gait.compat.efficientids._schema import (
    create_unified_result,
    print_profiling_summary,
    save_profiling_json,
)

PS_PER_US = 1e6
TOP = 20
GAP_CLASSES = (("under_100us", 100.0), ("100us_to_1ms", 1000.0), ("over_1ms", float("inf")))


def _rows(run: gait.Run, verb: str, table: str, **options: Any) -> list[dict[str, Any]]:
    return run.report(verb, **options)[table].to_dicts()


def _steps(run: gait.Run, given: int | None, window_us: float) -> dict[str, Any]:
    found = _rows(run, "steps", "step_times")
    if not found:
        count = given or 0
        average = window_us / count if count else 0.0
        source = "argument" if count else "none found"
        return {"num_steps": count, "avg_step_time_us": average, "step_count_source": source}
    row = found[0]
    return {
        "num_steps": row["steps"],
        "avg_step_time_us": row["mean"] / PS_PER_US,
        "step_count_source": row["inferred"],
        "statistical_performance": {
            f"{name}_us": row[name] / PS_PER_US
            for name in ("mean", "median", "p90", "p99", "min", "max", "sigma")
            if row[name] is not None
        },
    }


def _kernels(run: gait.Run) -> list[dict[str, Any]]:
    """Of a GPU its kernels, of anything else its operations; the longest first."""
    rows = _rows(run, "kernels", "kernels")
    if rows:
        return [
            {
                "name": row["name"] or row["kernel"],
                "count": row["count"],
                "total_time_us": row["total"] / PS_PER_US,
                "percent": row["share"],
                "category": row["class"],
            }
            for row in rows
        ]
    return [
        {
            "name": row["name"],
            "count": row["executions"],
            "total_time_us": row["self"] / PS_PER_US,
            "percent": row["share"],
            "category": row["category"],
        }
        for row in _rows(run, "ops", "ops")
    ]


def _gaps(run: gait.Run) -> dict[str, Any]:
    report = run.report("idle")
    gaps = [row["duration"] / PS_PER_US for row in report["idle_gaps"].to_dicts()]
    classes = dict.fromkeys((name for name, _ in GAP_CLASSES), 0)
    for gap in gaps:
        classes[next(name for name, below in GAP_CLASSES if gap < below)] += 1
    # The table of gaps has the longest; those between kernels are counted by their length alone.
    listed = sum(row["gaps"] for row in report["gap_lengths"].to_dicts())
    classes["under_100us"] += max(listed - len(gaps), 0)
    causes = {row["cause"]: row["idle"] / PS_PER_US for row in report["idle"].to_dicts()}
    return {"gaps": classes, "largest_gap_us": max(gaps, default=0.0), "idle_us_by_cause": causes}


def _flop_stats(checkpoint: Path | None) -> dict[str, Any]:
    """What the Profiler wrote down during the capture: tokens and MFU are not in a trace."""
    for place in () if checkpoint is None else (checkpoint, checkpoint / "profiler_traces"):
        if (place / "flop_stats.json").is_file():
            stats = json.loads((place / "flop_stats.json").read_text(encoding="utf-8"))
            names = ("mfu_percent", "achieved_tflops", "peak_tflops", "flops_per_token", "tokens_per_sec")
            found = {name: stats.get(name) for name in names}
            steps = max(stats.get("profiling_steps") or 0, 1)
            return {**found, "tokens_per_batch": (stats.get("total_tokens") or 0) // steps}
    return {}


def _readable(trace: Path) -> Path:
    if ".json" in trace.name:
        beside = sorted(trace.parent.glob("*.xplane.pb*"))
        if not beside:
            raise GaitError(
                f"{trace}: no XPlane file beside it. Chrome traces hold a part of the events only."
            )
        return beside[0] if len(beside) == 1 else trace.parent
    return trace


def analyze(
    trace_file: str | Path, checkpoint_dir: str | Path | None = None, num_steps: int | None = None
) -> dict[str, Any]:
    """The unified result of a capture."""
    run = gait.load(_readable(Path(trace_file).expanduser()))
    devices = _rows(run, "info", "devices")
    platform = (devices[0]["device"].split()[0] if devices else "cpu").lower()
    where = {row["part"]: row for row in _rows(run, "overview", "where") if row["depth"] == 0}
    window_us = sum(row["total"] for row in where.values()) / PS_PER_US
    idle = where.get("idle", {"share": 0.0, "total": 0})
    steps = _steps(run, num_steps, window_us / max(len(devices), 1))
    average, count = steps["avg_step_time_us"], steps["num_steps"]
    kernels = _kernels(run)
    calls = sum(kernel["count"] for kernel in kernels)
    compiles = _rows(run, "compile", "compile_totals")
    balance = _rows(run, "overview", "devices")
    return create_unified_result(
        platform,
        (devices[0]["model"] if devices else None) or platform,
        str(trace_file),
        "jax",
        num_devices=max(len(devices), 1),
        total_time_us=average * count,
        total_kernels=calls,
        kernels_per_step=calls / count if count else 0.0,
        steps_per_sec=1e6 / average if average else 0.0,
        ms_per_step=average / 1e3,
        timeline_coverage_percent=100 - idle["share"],
        kernel_time_us=window_us - idle["total"] / PS_PER_US,
        idle_time_us=idle["total"] / PS_PER_US,
        top_kernels=kernels[:TOP],
        kernels_by_category={
            row["name"]: {
                "count": row["executions"],
                "total_time_us": row["self"] / PS_PER_US,
                "percent": row["share"],
            }
            for row in _rows(run, "ops", "ops", by="category")
        },
        memory_ops={
            row["kind"]: {
                "count": row["count"],
                "bytes": row["bytes"],
                "total_time_us": row["total"] / PS_PER_US,
            }
            for row in _rows(run, "transfers", "transfers")
        },
        multi_device={row["device"]: {"busy_percent": row["busy"]} for row in balance}
        if len(balance) > 1
        else None,
        timeline_gaps=_gaps(run),
        compilation={
            "compilations": sum(row["compiles"] for row in compiles),
            "total_time_us": sum(row["time"] for row in compiles) / PS_PER_US,
        },
        xla_operations={
            row["operation"]: {"category": row["category"], "per_step_us": row["per_step"] / PS_PER_US}
            for row in _rows(run, "overview", "top_operations")
        },
        **steps,
        **_flop_stats(Path(checkpoint_dir).expanduser() if checkpoint_dir else None),
    )


def main(arguments: list[str] | None = None) -> int:
    raw = argparse.RawDescriptionHelpFormatter
    name = "python -m gait.compat.efficientids.analyze"
    parser = argparse.ArgumentParser(prog=name, description=__doc__, formatter_class=raw)
    parser.add_argument("--trace_file", help="a capture: file, run's folder or log directory")
    parser.add_argument("--checkpoint_dir", help="of the training: its profiler_traces/ and flop_stats.json")
    parser.add_argument("--num_steps", type=int, help="how many the capture has, where it marks none")
    parser.add_argument("--output_json", help="write the result here")
    args = parser.parse_args(arguments)
    if not args.trace_file and not args.checkpoint_dir:
        parser.error("which capture? Give --trace_file or --checkpoint_dir.")
    trace = args.trace_file or Path(args.checkpoint_dir) / "profiler_traces"
    try:
        result = analyze(trace, args.checkpoint_dir, args.num_steps)
        print_profiling_summary(result)
        if args.output_json:
            save_profiling_json(result, args.output_json)
    except (GaitError, OSError, ValueError) as error:
        print(f"gait: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
