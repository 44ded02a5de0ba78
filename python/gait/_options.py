"""The options of a capture: checked before a session starts, because JAX's profiler does not.

With an unknown key in `advanced_configuration` the profiler drops the whole GPU without a word. It accepts and
ignores an unknown attribute of ProfileOptions.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from gait import _jax
from gait._messages import OptionError

# name -> (type, gait's default, or None for JAX's)
SESSION: dict[str, tuple[type, Any]] = {
    "host_tracer_level": (int, 2),
    "python_tracer_level": (int, 0),  # slows the program down and fills the capture: only when asked for
    "enable_hlo_proto": (bool, True),
    "include_dataset_ops": (bool, None),
    "start_timestamp_ns": (int, None),
    # With it a tracer that does not start (CUPTI in use, on an H200) costs the whole capture when that is stopped; what
    # is missing is seen when the capture is checked.
    "raise_error_on_start_failure": (bool, None),
}
GPU: dict[str, type] = {
    "gpu_max_callback_api_events": int,
    "gpu_max_activity_api_events": int,
    "gpu_max_annotation_strings": int,
    "gpu_num_chips_to_profile_per_task": int,
    "gpu_enable_nvtx_tracking": bool,
    "gpu_aggregated_tracing": bool,
    "gpu_enable_cupti_activity_graph_trace": bool,
    "gpu_pm_sample_counters": str,
    "gpu_pm_sample_interval_us": int,
    "gpu_pm_sample_buffer_size_per_gpu_mb": int,
}
TPU: dict[str, type] = {
    "tpu_trace_mode": str,
    "tpu_num_sparse_cores_to_trace": int,
    "tpu_num_sparse_core_tiles_to_trace": int,
    "tpu_num_chips_to_profile_per_task": int,
    "tpu_perf_counters": str,
    "tpu_power_trace_level": int,
    "tpu_enable_periodic_counter_sampling": bool,
    "tpu_circular_buffer_tracing": bool,
    "tpu_sc_dma": bool,
    "tpu_cpu_perf_counter_profile_events": str,
    "max_trace_buffers": int,
}
# Those that exist elsewhere and cannot do here what their name says.
REFUSED = {
    "device_tracer_level": "JAX's Python API has no way to set it: the value would be ignored",
    "create_perfetto_link": "it blocks the program until a browser has come; use perfetto=True and open the file",
    "create_perfetto_trace": "use perfetto=True, which makes the file in the background",
    "session_id": "gait names runs itself; use name=",
    "repository_path": "a local session ignores it; the directory is the first argument",
    "duration_ms": "a local session ignores it; use gait.Schedule(max_seconds=)",
    "gpu_dump_graph_node_mapping": "it is documented, but JAX's GPU profiler does not accept it and records nothing",
    "enable_continuous_profiling": "with it JAX's GPU profiler records nothing",
    "profile_subprocesses": "with it JAX's GPU profiler records nothing",
    "use_system_hostname": "with it JAX's GPU profiler records nothing",
}


def _unknown(name: str, known: list[str]) -> OptionError:
    if name in REFUSED:
        return OptionError(f"the option {name!r} is not taken: {REFUSED[name]}.")
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"Did you mean {nearest[0]!r}?" if nearest else "There are: " + ", ".join(known)
    return OptionError(f"there is no option {name!r} for a capture. {hint}")


def _check(name: str, value: Any, kind: type) -> None:
    # bool is an int to Python, but not to JAX's parser, which then records nothing.
    if type(value) is not kind:
        expected = {int: "an integer", bool: "True or False", str: "a string"}[kind]
        raise OptionError(f"the option {name!r} takes {expected}, not {value!r}.")


def _given(options: Any) -> dict[str, Any]:
    """Of a mapping, or of a jax.profiler.ProfileOptions."""
    if options is None:
        return {}
    if isinstance(options, Mapping):
        return dict(options)
    # Taken as it is: nobody can tell what of it was set on purpose.
    names = [*SESSION, "advanced_configuration"]
    if not hasattr(options, "host_tracer_level"):
        raise OptionError(f"options= takes a dict or a jax.profiler.ProfileOptions, not {options!r:.60}.")
    values = {name: getattr(options, name) for name in names if hasattr(options, name)}
    if not values.get("start_timestamp_ns"):
        values.pop("start_timestamp_ns", None)
    # JAX before 0.12 accepts any attribute and forgets it.
    values.update(getattr(options, "__dict__", {}))
    return values


def check(options: Any, platform: str | None = None) -> dict[str, Any]:
    """All options of a session by name, defaults included; OptionError for what is not one.

    Keys of `advanced_configuration` may stand beside the others. Those of another platform are refused: with
    one of them JAX's GPU profiler records nothing.
    """
    given = _given(options)
    advanced = dict(given.pop("advanced_configuration", None) or {})
    # Which keys a platform takes. A CPU has no profiler of its own that could mind.
    by_platform = {"gpu": GPU, "cuda": GPU, "rocm": GPU, "tpu": TPU}
    keys = by_platform.get(platform or "", GPU | TPU)
    for name in list(given):
        if name in GPU | TPU:
            advanced[name] = given.pop(name)
    result = {name: default for name, (_, default) in SESSION.items() if default is not None}
    known = [*SESSION, *keys]
    for name, value in given.items():
        if name not in SESSION:
            raise _unknown(name, known)
        _check(name, value, SESSION[name][0])
        result[name] = value
    for name, value in advanced.items():
        if name not in keys:
            if name in GPU | TPU:
                raise OptionError(f"the option {name!r} is not for this platform, which is {platform}.")
            raise _unknown(name, known)
        _check(name, value, keys[name])
    if advanced:
        result["advanced_configuration"] = advanced
    return result


def native(checked: Mapping[str, Any]) -> Any:
    """The same as jaxlib's own object."""
    made = _jax.native_profiler().ProfileOptions()
    for name, value in checked.items():
        if hasattr(made, name):  # an old jaxlib has fewer
            setattr(made, name, value)
    return made
