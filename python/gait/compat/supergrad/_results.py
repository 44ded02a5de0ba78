"""A configuration: so many devices, its methods traced one after the other, one result file."""

from __future__ import annotations

import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gait
from gait import _files
from gait.compat._lines import devices_of, tell
from gait.compat.supergrad._tracing import (
    TIMESTAMP,
    print_tensorboard_summary,
    run_with_jax_profiler,
    setup_tensorboard_logging,
)


def result_file(gpu_count: int) -> str:
    return f"profile_{gpu_count}gpu_results.json"


def profile_method(
    func: Callable[[], Any], trace_name: str, log_dir: str, description: str = ""
) -> dict[str, Any]:
    """Traces a call and says how it went: execution_time, success, tensorboard_trace, or error.

    `execution_time` is that of the call in the trace, with compiling; `compile_time` and `run_time` are its parts,
    `warm_time` is the median of further calls, outside the trace, `warm_noise` how far it may be off (None: one call
    says nothing of that), and `capture_time` what stopping the trace took. `devices` are those that took part.
    """
    try:
        _, trace = run_with_jax_profiler(func, trace_name, log_dir, description)
        warm = _warm_times(func)
    except Exception as error:
        return {"success": False, "error": str(error) or type(error).__name__}
    return {
        "execution_time": trace.seconds,
        "success": True,
        "tensorboard_trace": str(trace),
        "compile_time": trace.compile_seconds,
        "run_time": trace.run_seconds,
        "warm_time": statistics.median(warm),
        "warm_noise": _noise(warm),
        "capture_time": trace.capture_seconds,
        "devices": sorted(name for name, events in trace.capture.devices.items() if events),
        "other_processes": _other_processes(trace.capture),
        "collective_groups": _collective_groups(trace.capture),
    }


def _other_processes(capture: gait.Capture) -> int | None:
    """How many computed on a device of the trace beside this program, at most; None where the driver does not say."""
    samples = capture.load().dump(name="^other_processes$").to_dicts()
    return max((int(dict(row["arguments"])["other_processes"]) for row in samples), default=None)


def _collective_groups(capture: gait.Capture) -> list[int]:
    """On how many devices its collectives ran, each number once."""
    rows = capture.load().collectives(top=0)["collectives"].to_dicts()
    return sorted({int(row["group_size"]) for row in rows if row["group_size"] is not None})


WARM_CALLS = 7  # at most
WARM_SECONDS = 5.0  # after which no further call begins


def _warm_times(func: Callable[[], Any]) -> list[float]:
    begin, times = time.monotonic(), []
    while len(times) < WARM_CALLS and (not times or time.monotonic() - begin < WARM_SECONDS):
        times.append(gait.benchmark_function(func, iterations=1, warmup=0).median)
    return times


def _noise(times: Sequence[float]) -> float | None:
    """Half of a 95 % interval around the median of few calls, from how they spread."""
    if len(times) < 3:
        return None
    return 1.25 * 2 * statistics.stdev(times) / math.sqrt(len(times))


def memory_in_use() -> dict[str, int]:
    """Bytes in use on each visible device; a device that does not say is left out."""
    import jax

    used = {}
    for device in jax.local_devices():
        stats = device.memory_stats()
        if stats and "bytes_in_use" in stats:
            used[str(device)] = stats["bytes_in_use"]
    return used


def profile_configuration(
    gpu_count: int,
    methods: Mapping[str, Callable[[], Any]],
    n_qubit: int = 8,
    total_params: int | None = None,
    timestamp: str | None = None,
) -> dict[str, Any]:
    """What each of the profile_{1,2,4,8}gpu.py did: checks the devices, traces each method, writes the results.

    `methods`: name ("lcam", "tad") to a function of no arguments. The program ends when it does not see exactly
    `gpu_count` devices: set CUDA_VISIBLE_DEVICES before JAX is imported.
    """
    import jax

    seen = len(jax.devices())
    if seen != gpu_count:
        tell(
            f"❌ {devices_of(seen)} can be seen, not {gpu_count}: set CUDA_VISIBLE_DEVICES before JAX is imported."
        )
        sys.exit(1)
    log_dir = setup_tensorboard_logging(gpu_count, timestamp)
    results: dict[str, Any] = {
        "gpu_count": gpu_count,
        "n_qubit": n_qubit,
        "timestamp": timestamp or os.environ.get(TIMESTAMP) or time.strftime("%Y%m%d_%H%M%S"),
        "isolation_verified": False,  # until all methods have shown it
        "initial_gpu_memory": memory_in_use(),
        "step_timing": {},
        "memory_profiles": {},
        "total_params": total_params,
    }
    for name, func in methods.items():
        result = profile_method(func, f"{name}_trace", log_dir, f"{name.upper()} gradient")
        results[f"unitary_grad_{name}"] = result
        if result["success"]:
            results["step_timing"][name] = result["warm_time"]
        memory = gait.memory_profile(f"{log_dir}/{name}_trace", "memory")
        if memory.path is not None:
            results["memory_profiles"][name] = str(memory.path)
    results["isolation_verified"] = _is_isolated(gpu_count, results)
    results["final_gpu_memory"] = memory_in_use()
    write(result_file(gpu_count), results)
    print_tensorboard_summary(results, log_dir)
    return results


def _is_isolated(gpu_count: int, results: Mapping[str, Any]) -> bool:
    """The captures themselves say it: all devices that were asked for took part in each method, together and with no
    other one, and no other process computed on them meanwhile."""
    isolated = True
    for key, value in results.items():
        if not isinstance(value, Mapping) or not value.get("success"):
            continue
        seen, others = value["devices"], value["other_processes"]
        if len(seen) != gpu_count:
            tell(f"❌ {key}: {devices_of(len(seen))} took part, not {gpu_count}: {', '.join(seen) or 'none'}")
            isolated = False
        groups = value["collective_groups"]
        if len(seen) == gpu_count > 1 and not groups:
            tell(f"❌ {key}: no collective ran, so the devices did not work together")
            isolated = False
        if groups and groups[-1] > gpu_count:
            tell(f"❌ {key}: a collective ran on {groups[-1]} devices")
            isolated = False
        if others:
            tell(f"❌ {key}: {others} other process(es) computed on the same devices")
            isolated = False
    return isolated


def write(path: str, results: Mapping[str, Any]) -> None:
    _files.write(path, json.dumps(results, indent=2))
