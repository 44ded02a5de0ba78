"""gait: captures profiles of JAX programs without stalling them, and says where every step's time went.

Capturing:  trace, Schedule, Profiler, scope, annotate, trace_function, step, memory_profile, serve
Measuring:  benchmark_function, time_function; in pytest the fixture gait_benchmark
Looking:    load, open_latest
Judging:    check
"""

from gait._annotate import annotate, trace_function
from gait._benchmark import Benchmark, Timed, benchmark_function, time_function
from gait._capture import Capture
from gait._check import Check, CheckFailed, check
from gait._memory import MemoryProfile, memory_profile
from gait._messages import GaitError, OptionError
from gait._native import __version__
from gait._open import open_latest
from gait._profiler import Profiler
from gait._run import Run, load
from gait._schedule import Schedule, Window
from gait._scope import is_recording, scope, step
from gait._serve import Server, serve
from gait._tables import Report, Table
from gait._trace import trace

__all__ = [
    "Benchmark",
    "Capture",
    "Check",
    "CheckFailed",
    "GaitError",
    "MemoryProfile",
    "OptionError",
    "Profiler",
    "Report",
    "Run",
    "Schedule",
    "Server",
    "Table",
    "Timed",
    "Window",
    "__version__",
    "annotate",
    "benchmark_function",
    "check",
    "is_recording",
    "load",
    "memory_profile",
    "open_latest",
    "scope",
    "serve",
    "step",
    "time_function",
    "trace",
    "trace_function",
]
