"""jax_profiler_utils of SuperGrad's benchmarks: `from gait.compat.supergrad import run_with_jax_profiler`.

Beside its four functions, what its eight scripts did around them, once and for any program: a configuration's
result file (`profile_configuration`), all configurations one after the other (`run_configurations`, or `python -m
gait.compat.supergrad SCRIPT`), and how they scale (`analyze_scaling`).

What is different: times of compiling, running and capturing are apart; the result file of an earlier run is never
taken for this one's, and a failed script counts as failed; two runs in one second have two folders; an
interrupt stops the capture too.
"""

from gait.compat.supergrad._configurations import analyze_scaling, print_scaling, run_configurations
from gait.compat.supergrad._results import profile_configuration, profile_method
from gait.compat.supergrad._tracing import (
    TraceDir,
    create_profiled_test_function,
    print_tensorboard_summary,
    run_with_jax_profiler,
    setup_tensorboard_logging,
)

__all__ = [
    "TraceDir",
    "analyze_scaling",
    "create_profiled_test_function",
    "print_scaling",
    "print_tensorboard_summary",
    "profile_configuration",
    "profile_method",
    "run_configurations",
    "run_with_jax_profiler",
    "setup_tensorboard_logging",
]
