"""All configurations of one program, one after the other, and how they scale."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gait._command import command
from gait._messages import stderr_of_children
from gait.compat._lines import devices_of, tell
from gait.compat.supergrad._results import result_file
from gait.compat.supergrad._tracing import TIMESTAMP


def run_configurations(
    script: str | os.PathLike[str],
    gpu_counts: Sequence[int] = (1, 2, 4, 8),
    *,
    devices: str | None = None,
    captured: bool = False,
) -> dict[int, dict[str, Any]]:
    """Runs `python SCRIPT COUNT` for each count with that many devices visible, and reads its result file.

    A script that fails, or leaves no result file newer than its start, gives {"success": False, "error": ...}.
    All share one time stamp. `devices`: those to choose from, "0,1,2,3"; CUDA_VISIBLE_DEVICES otherwise.
    captured=True is for any program that marks its steps: `gait scale` runs and captures it, and writes the results.
    """
    if captured:
        return _scale(Path(script), gpu_counts, devices)
    chosen = devices or os.environ.get("CUDA_VISIBLE_DEVICES") or ",".join(map(str, range(max(gpu_counts))))
    visible = [part for part in chosen.split(",") if part]
    timestamp = time.strftime("%Y%m%d_%H%M%S")
    results: dict[int, dict[str, Any]] = {}
    for count in gpu_counts:
        if count > len(visible):
            results[count] = {"success": False, "error": f"only {devices_of(len(visible))} can be seen"}
            continue
        environment = {
            **os.environ,
            "CUDA_VISIBLE_DEVICES": ",".join(visible[:count]),
            TIMESTAMP: timestamp,
        }
        tell(f"🚀 {Path(script).name}, {devices_of(count)}")
        results[count] = _run(Path(script), count, environment)
        if results[count].get("success") is False:
            tell(f"❌ {devices_of(count)}: {results[count]['error']}")
    return results


def _scale(script: Path, counts: Sequence[int], devices: str | None) -> dict[int, dict[str, Any]]:
    words = [str(command()), "scale", "--json", "--devices", ",".join(map(str, counts)), "--"]
    environment = {**os.environ, **({} if devices is None else {"CUDA_VISIBLE_DEVICES": devices})}
    done = subprocess.run(
        [*words, sys.executable, str(script), "{devices}"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=stderr_of_children(),
        text=True,
        check=False,
    )
    if done.returncode != 0:
        failed = {"success": False, "error": f"gait scale ended with status {done.returncode}; why is above"}
        return {count: dict(failed) for count in counts}
    rows = json.loads(done.stdout)["tables"]["results"]["rows"]
    return {count: json.loads(Path(file).read_text(encoding="utf-8")) for count, file in rows}


def _run(script: Path, count: int, environment: Mapping[str, str]) -> dict[str, Any]:
    path = Path(result_file(count))
    before = path.stat().st_mtime_ns if path.exists() else None
    words = [sys.executable, str(script), str(count)]
    done = subprocess.run(words, env=dict(environment), stderr=stderr_of_children(), check=False)
    if done.returncode != 0:
        return {"success": False, "error": f"{script.name} ended with status {done.returncode}"}
    if not path.exists() or path.stat().st_mtime_ns == before:
        return {"success": False, "error": f"{script.name} wrote no {path}"}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        return {"success": False, "error": f"{path} is not JSON: {error}"}


def analyze_scaling(results: Mapping[int, Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """For each method: time, speed-up over the fewest devices and efficiency in percent, from warm times only;
    `noise` is how far a time may be off, in seconds."""
    scaling: dict[str, list[dict[str, Any]]] = {}
    for count in sorted(results):
        for key, value in results[count].items():
            if not isinstance(value, Mapping) or not value.get("success") or "warm_time" not in value:
                continue
            rows = scaling.setdefault(key, [])
            base = rows[0] if rows else {"gpu_count": count, "time": value["warm_time"]}
            speedup = base["time"] / value["warm_time"] if value["warm_time"] > 0 else float("nan")
            rows.append(
                {
                    "gpu_count": count,
                    "time": value["warm_time"],
                    "speedup": speedup,
                    "efficiency": 100 * speedup * base["gpu_count"] / count,
                    "noise": value.get("warm_noise"),
                }
            )
    return scaling


def print_scaling(scaling: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    for key, rows in scaling.items():
        tell(f"{key.removeprefix('unitary_grad_').upper()}")
        for row in rows:
            noise = f" ±{row['noise'] * 1e3:.1f}" if row.get("noise") is not None else ""
            tell(
                f"   {devices_of(row['gpu_count'])}: {row['time'] * 1e3:.1f}{noise} ms, "
                f"{row['speedup']:.2f} times, {row['efficiency']:.0f} % efficient"
            )
