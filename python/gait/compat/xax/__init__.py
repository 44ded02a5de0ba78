"""The profiling of XAX: `from gait.compat.xax import ProfilerMixin, annotate, trace_function`.

What is different: no session waits for a browser; profile_duration_ms, profile_gpu_trace, max_profile_count and
backend do what they say; inside jax.jit the context says that it is at the wrong place, and the training goes on;
annotations reach the compiled program, and take partials, generators and methods.

`python -m gait.view` is the viewer.
"""

from gait.compat.xax._config import ProfilerConfig
from gait.compat.xax._mixin import ProfilerMixin
from gait.compat.xax._utils import annotate, open_latest_profile, trace_function

__all__ = ["ProfilerConfig", "ProfilerMixin", "annotate", "open_latest_profile", "trace_function"]
