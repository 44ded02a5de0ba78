"""The four functions of jax_profiler_utils."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from gait import _compiling
from gait._arguments import check_text
from gait._capture import Capture
from gait._layout import confined
from gait.compat._blocks import captured
from gait.compat._lines import tell

ROOT = "tensorboard_logs"
TIMESTAMP = "GAIT_RUN_TIMESTAMP"  # one for all configurations of a run


class TraceDir(str):
    """The folder of a trace, and what is known of the call that was traced in it."""

    capture: Capture
    seconds: float  # of the call, until its result was computed
    compile_seconds: float  # of that, tracing and compiling

    def __new__(cls, path: str, capture: Capture, seconds: float, compile_seconds: float) -> TraceDir:
        made = super().__new__(cls, path)
        made.capture, made.seconds = capture, seconds
        made.compile_seconds = min(compile_seconds, seconds)
        return made

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Copies and pickles are plain text: a capture stays in its process."""
        return str, (str(self),)

    @property
    def run_seconds(self) -> float:
        """Without tracing and compiling."""
        return max(self.seconds - self.compile_seconds, 0.0)

    @property
    def capture_seconds(self) -> float:
        """That stopping the profiler took of the program's time."""
        return self.capture.stopped_seconds


def setup_tensorboard_logging(gpu_count: int, timestamp: str | None = None) -> str:
    """Makes tensorboard_logs/{gpu_count}gpu_{timestamp} and says so.

    Without a time stamp nobody else's folder is taken: a second one of the same second gets a number.
    """
    timestamp = timestamp or os.environ.get(TIMESTAMP)
    if timestamp is not None:
        directory = f"{ROOT}/{confined(f'{gpu_count}gpu_{timestamp}')}"
        os.makedirs(directory, exist_ok=True)
    else:
        directory = _own_folder(f"{ROOT}/{gpu_count}gpu_{time.strftime('%Y%m%d_%H%M%S')}")
    tell(f"📊 TensorBoard traces will be saved to: {directory}")
    return directory


def _own_folder(path: str) -> str:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    candidate, number = path, 1
    while True:
        try:
            os.mkdir(candidate)
            return candidate
        except FileExistsError:
            number += 1
            candidate = f"{path}_{number}"


def run_with_jax_profiler(
    func: Callable[[], Any], trace_name: str, log_dir: str, description: str = ""
) -> tuple[Any, TraceDir]:
    """(func(), folder of its trace). The folder's name also knows the times: `.seconds`, `.compile_seconds`, ...

    Whatever ends `func`, an interrupt too, ends the trace; its own exception goes on.
    """
    import jax

    if trace_name is not None:
        check_text("trace_name", trace_name)
    path = os.path.join(log_dir, confined(trace_name) if trace_name else "")
    tell(f"   🔍 Starting JAX profiler trace: {trace_name}")
    if description:
        tell(f"      Description: {description}")
    compiled = _compiling.compile_seconds()
    try:
        with captured(log_dir, trace_name) as capture:
            begin = time.perf_counter()
            result = jax.block_until_ready(func())
            seconds = time.perf_counter() - begin
    except BaseException as error:
        tell(f"   ❌ JAX profiler trace failed: {str(error) or type(error).__name__}")
        raise
    if capture.lost:  # func ran all the same
        tell(f"   ❌ JAX profiler trace failed: {capture.error}")
    else:
        tell(f"   ✅ JAX profiler trace completed: {path}")
    return result, TraceDir(path, capture, seconds, _compiling.compile_seconds() - compiled)


def print_tensorboard_summary(results: Mapping[str, Any], tensorboard_log_dir: str) -> None:
    """Where the traces of all methods in `results` are, and how to look at them."""
    tell("\n📊 JAX Profiler Summary:")
    tell(f"   TensorBoard log directory: {tensorboard_log_dir}")
    tell(f"   View traces with: tensorboard --logdir {tensorboard_log_dir}")
    tell("   Available traces:")
    traces = [
        (key, value["tensorboard_trace"])
        for key, value in results.items()
        if isinstance(value, Mapping) and value.get("success") and value.get("tensorboard_trace")
    ]
    for key, trace in traces:
        tell(f"      - {key.removeprefix('unitary_grad_').upper()}: {trace}")
    if not traces:
        tell("      none")
    tell("\n💡 What gait says about them:")
    first = traces[0][1] if traces else tensorboard_log_dir
    tell(f"   - kernels and the gaps between them: gait kernels {first}")
    tell(f"   - copies between host and devices: gait transfers {first}")
    tell(f"   - communication and balance of devices: gait collectives {first}")
    tell(f"   - which parts take longest: gait ops {first}")


def create_profiled_test_function(
    test_func: Callable[..., Any], benchmark: Any, n_qubit: int
) -> Callable[[], Any]:
    """A function of no arguments that calls test_func(benchmark=, n_qubit=) and waits for what it computes.

    Test functions of the original return nothing: then all arrays that exist are waited for.
    """

    def profiled_test() -> Any:
        from gait import _jax

        result = test_func(benchmark=benchmark, n_qubit=n_qubit)
        _jax.wait_for_devices(result)
        return result

    return profiled_test
