"""gait: captures profiles of JAX programs without stalling them, and says where every step's time went.

Capturing:  trace, Schedule, Profiler, scope, annotate, trace_function, step, memory_profile, serve
Measuring:  benchmark_function, time_function; in pytest the fixture gait_benchmark
Looking:    load, open_latest; each verb of the command as a function: overview, doctor, ops, diff, scale, report, ...
            Two verbs are commands only: `gait run` starts another program, in which it captures (here gait.trace does),
            and `gait view` serves pages until it is stopped (gait.open_latest and Run.open start it beside the program)
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
from gait._verbs import function as _function

# By name, so that tools which read the source know them: what they take is in their signatures.
capture = _function("capture")  # of another program; gait.trace is for this one
collectives = _function("collectives")
compile = _function("compile")  # gait.compile, as every verb
diff = _function("diff")
doctor = _function("doctor")
dump = _function("dump")
hlo = _function("hlo")
host = _function("host")
idle = _function("idle")
info = _function("info")
kernels = _function("kernels")
list = _function("list")
memory = _function("memory")
ops = _function("ops")
overview = _function("overview")
path = _function("path")
report = _function("report")
roofline = _function("roofline")
scale = _function("scale")
steps = _function("steps")
transfers = _function("transfers")

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
    "capture",
    "check",
    "collectives",
    "compile",
    "diff",
    "doctor",
    "dump",
    "hlo",
    "host",
    "idle",
    "info",
    "is_recording",
    "kernels",
    "list",
    "load",
    "memory",
    "memory_profile",
    "open_latest",
    "ops",
    "overview",
    "path",
    "report",
    "roofline",
    "scale",
    "scope",
    "serve",
    "step",
    "steps",
    "time_function",
    "trace",
    "trace_function",
    "transfers",
]
