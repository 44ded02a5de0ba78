"""Profiling of EfficientIDS: `from gait.compat.efficientids import Profiler, ProfileContext, FLOPCounter, ...`.

`python -m gait.compat.efficientids.analyze` and `.compare` are its command-line tools.

What is different: a start step that a resumed program has passed is not missed; `--profiler_start_step none` waits
for capture_async(); peaks are those of all devices together, of every device that gait knows, and unknown is
unknown instead of 0; flop_stats.json is of the last capture alone, and each capture keeps its own.
"""

from gait.compat.efficientids._arguments import add_profiling_arguments, profiler_from_args
from gait.compat.efficientids._flops import (
    FLOPCounter,
    create_flop_counter_from_model,
    detect_device_flops,
    estimate_model_flops,
)
from gait.compat.efficientids._profiler import ProfileContext, Profiler
from gait.compat.efficientids._schema import (
    create_unified_result,
    load_profiling_json,
    print_profiling_summary,
    save_profiling_json,
)

__all__ = [
    "FLOPCounter",
    "ProfileContext",
    "Profiler",
    "add_profiling_arguments",
    "create_flop_counter_from_model",
    "create_unified_result",
    "detect_device_flops",
    "estimate_model_flops",
    "load_profiling_json",
    "print_profiling_summary",
    "profiler_from_args",
    "save_profiling_json",
]
