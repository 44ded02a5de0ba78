"""The unified result of a profile, schema 1.0.0: one JSON for GPUs, TPUs and CPUs."""

from __future__ import annotations

import datetime
import json
import math
import os
from pathlib import Path
from typing import Any

from gait import _files
from gait.compat._lines import RULE, tell

VERSION = "1.0.0"


def create_unified_result(
    platform: str,
    device_type: str,
    trace_file: str,
    framework: str,
    num_devices: int = 1,
    experiment_name: str | None = None,
    config_name: str | None = None,
    # the model
    model_dims: int | None = None,
    num_layers: int | None = None,
    num_heads: int | None = None,
    batch_size: int | None = None,
    seq_length: int | None = None,
    vocab_size: int | None = None,
    ffn_hidden_dims: int | None = None,
    num_items: int | None = None,
    num_clusters: int | None = None,
    item_embedding_dim: int | None = None,
    pretrained_model: str | None = None,
    total_params: int = 0,
    trainable_params: int | None = None,
    frozen_params: int | None = None,
    has_frozen_layers: bool = False,
    # the steps
    num_steps: int = 0,
    total_time_us: float = 0.0,
    avg_step_time_us: float = 0.0,
    total_kernels: int = 0,
    kernels_per_step: float = 0.0,
    step_count_source: str = "heuristic",
    tokens_per_sec: float = 0.0,
    samples_per_sec: float = 0.0,
    steps_per_sec: float = 0.0,
    ms_per_step: float = 0.0,
    tokens_per_batch: int = 0,
    tokens_per_sec_per_device: float | None = None,
    samples_per_sec_per_device: float | None = None,
    mfu_percent: float | None = None,
    achieved_tflops: float | None = None,
    peak_tflops: float | None = None,
    flops_per_token: float | None = None,
    # the device's time
    timeline_coverage_percent: float = 0.0,
    kernel_time_us: float = 0.0,
    idle_time_us: float = 0.0,
    avg_concurrent_kernels: float = 1.0,
    top_kernels: list[dict[str, Any]] | None = None,
    kernels_by_category: dict[str, Any] | None = None,
    # whole sections
    memory_ops: dict[str, Any] | None = None,
    multi_device: dict[str, Any] | None = None,
    timeline_gaps: dict[str, Any] | None = None,
    compilation: dict[str, Any] | None = None,
    io_operations: dict[str, Any] | None = None,
    statistical_performance: dict[str, Any] | None = None,
    xla_operations: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The result as a dictionary for JSON. What is None is left out, at any depth."""
    if tokens_per_sec_per_device is None:
        tokens_per_sec_per_device = tokens_per_sec / max(num_devices, 1)
    if samples_per_sec_per_device is None:
        samples_per_sec_per_device = samples_per_sec / max(num_devices, 1)
    result: dict[str, Any] = {
        "metadata": {
            "platform": platform,
            "device_type": device_type,
            "trace_file": trace_file,
            "framework": framework,
            "num_devices": num_devices,
            "experiment_name": experiment_name,
            "config_name": config_name,
            "timestamp": datetime.datetime.now().isoformat(),
            "profiler_version": VERSION,
        },
        "model_config": {
            "model_dims": model_dims,
            "num_layers": num_layers,
            "num_heads": num_heads,
            "batch_size": batch_size,
            "seq_length": seq_length,
            "vocab_size": vocab_size,
            "ffn_hidden_dims": ffn_hidden_dims,
            "num_items": num_items,
            "num_clusters": num_clusters,
            "item_embedding_dim": item_embedding_dim,
            "pretrained_model": pretrained_model,
        },
        "parameter_counts": {
            "total_params": total_params,
            "trainable_params": trainable_params,
            "frozen_params": frozen_params,
            "has_frozen_layers": has_frozen_layers,
        },
        "step_timing": {
            "num_steps": num_steps,
            "total_time_us": total_time_us,
            "avg_step_time_us": avg_step_time_us,
            "total_kernels": total_kernels,
            "kernels_per_step": kernels_per_step,
            "step_count_source": step_count_source,
        },
        "throughput": {
            "tokens_per_sec": tokens_per_sec,
            "samples_per_sec": samples_per_sec,
            "steps_per_sec": steps_per_sec,
            "ms_per_step": ms_per_step,
            "tokens_per_batch": tokens_per_batch,
            "tokens_per_sec_per_device": tokens_per_sec_per_device,
            "samples_per_sec_per_device": samples_per_sec_per_device,
            "note": "figures per device are those of all devices divided by their number",
        },
        "timeline_coverage": {
            "timeline_coverage_percent": timeline_coverage_percent,
            "kernel_time_us": kernel_time_us,
            "idle_time_us": idle_time_us,
            "avg_concurrent_kernels": avg_concurrent_kernels,
            "note": "how much of the time something ran on the device; not how well it used the device",
        },
        "kernels": {"top_kernels": top_kernels or [], "kernels_by_category": kernels_by_category or {}},
        "memory_operations": memory_ops,
        "multi_device": multi_device,
        "timeline_analysis": timeline_gaps,
        "compilation": compilation,
        "io_operations": io_operations,
        "statistical_performance": statistical_performance,
        "xla_operations": xla_operations,
    }
    if mfu_percent is not None:
        result["flop_stats"] = {
            "mfu_percent": mfu_percent,
            "achieved_tflops": achieved_tflops,
            "peak_tflops": peak_tflops,
            "flops_per_token": flops_per_token,
        }
    return _without_none(result)


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_none(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no nan
    return value


def write_json(path: str | os.PathLike[str], text: str) -> None:
    """Whole or not at all, with the folders that it needs."""
    target = Path(path).expanduser()
    target.parent.mkdir(parents=True, exist_ok=True)
    _files.write(target, text)


def save_profiling_json(result: dict[str, Any], filepath: str | os.PathLike[str], indent: int = 2) -> None:
    write_json(filepath, json.dumps(result, indent=indent, default=float))
    tell(f"✅ Profiling results saved to: {filepath}")


def load_profiling_json(filepath: str | os.PathLike[str]) -> dict[str, Any]:
    return json.loads(Path(filepath).expanduser().read_text(encoding="utf-8"))


def print_profiling_summary(result: dict[str, Any]) -> None:
    """The figures that people look at first."""
    metadata, steps = result.get("metadata", {}), result.get("step_timing", {})
    throughput, coverage = result.get("throughput", {}), result.get("timeline_coverage", {})
    flops = result.get("flop_stats")
    tell(RULE)
    tell(
        f"📊 {metadata.get('platform')} profile, {metadata.get('num_devices', 1)} x {metadata.get('device_type')}"
    )
    tell(RULE)
    if "avg_step_time_us" in steps:
        tell(f"  Steps:             {steps.get('num_steps')} whole (from {steps.get('step_count_source')})")
        tell(f"  Step time:         {steps['avg_step_time_us'] / 1e3:.3f} ms")
    else:
        tell("  Steps:             unknown (nothing marks them)")
    if throughput.get("tokens_per_sec"):
        tell(f"  Tokens per s:      {throughput['tokens_per_sec']:,.1f}")
    if coverage.get("timeline_coverage_percent") is not None:
        tell(f"  Timeline coverage: {coverage['timeline_coverage_percent']:.1f} %")
    if flops:
        tell(f"  MFU:               {flops['mfu_percent']:.2f} %")
    kernels = result.get("kernels", {}).get("top_kernels", [])
    for kernel in kernels[:5]:
        tell(f"  {kernel.get('total_time_us', 0.0) / 1e3:10.3f} ms  {kernel.get('name')}")
    tell(RULE)
