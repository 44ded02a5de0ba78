"""A configuration: so many devices, its methods traced one after the other, one result file."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import gait
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
    `warm_time` is that of a second call, outside the trace, and `capture_time` what stopping the trace took.
    """
    try:
        _, trace = run_with_jax_profiler(func, trace_name, log_dir, description)
        warm = gait.benchmark_function(func, iterations=1, warmup=0, name=trace_name)
    except Exception as error:
        return {"success": False, "error": str(error) or type(error).__name__}
    return {
        "execution_time": trace.seconds,
        "success": True,
        "tensorboard_trace": str(trace),
        "compile_time": trace.compile_seconds,
        "run_time": trace.run_seconds,
        "warm_time": warm.median,
        "capture_time": trace.capture_seconds,
    }


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
        "isolation_verified": True,
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
    results["final_gpu_memory"] = memory_in_use()
    write(result_file(gpu_count), results)
    print_tensorboard_summary(results, log_dir)
    return results


def write(path: str, results: Mapping[str, Any]) -> None:
    """Whole or not at all: another program reads it."""
    partial = f"{path}.partial"
    with open(partial, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=2)
    os.replace(partial, path)
