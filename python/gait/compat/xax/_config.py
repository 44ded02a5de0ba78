"""ProfilerConfig: the fields of a task's configuration that profiling reads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class ProfilerConfig:
    """To inherit from, or to copy the fields from: a task's configuration may lack any of them."""

    enable_profiling: bool = False
    profiling_dir: str | None = None  # exp_dir/profiles where there is an exp_dir, else a temporary folder
    profile_every_n_steps: int = 100  # 0: never by itself
    profile_duration_ms: int = 3000  # a capture ends after so long, the block goes on
    max_profile_count: int = 5
    backend: str = "tensorboard"  # or "perfetto": says which file to open there
    profile_gpu_trace: bool = False  # more detail: the runtime's own events, NVTX ranges, larger buffers
