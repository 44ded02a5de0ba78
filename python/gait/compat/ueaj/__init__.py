"""The profiling half of ueaj.utils (MacroGPT-JAX): `from gait.compat.ueaj import profile_trace`.

What is different: PROFILE_DURATION=N profiles N steps; a link to Perfetto never blocks, the file is written and
how to open it is printed; profile_function warms up and profiles once, not on every call, and never calls a
function again that consumes its arguments; importing this starts no backend.
"""

from gait.compat.ueaj._config import ProfilingConfig, get_profiling_config, maybe_profile
from gait.compat.ueaj._timing import benchmark_function, time_jax_function
from gait.compat.ueaj._tracing import profile_function, profile_scope, profile_trace

__all__ = [
    "ProfilingConfig",
    "benchmark_function",
    "get_profiling_config",
    "maybe_profile",
    "profile_function",
    "profile_scope",
    "profile_trace",
    "time_jax_function",
]
