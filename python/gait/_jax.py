"""The parts of JAX that gait uses, private ones too, for every version of JAX.

Most differences between versions are here. Others are beside the code that they concern: options of the profiler
(_options.py), captures without an end of operations (_capture.py), sessions of the program (_launch_own.py), waits
(_waits.py), launches (_jax_launches.py) and compilations (_compiling.py).

JAX 0.12 gave its profiler a new Python side. gait uses two things below it, which have stayed: the raw session, whose
`stop()` returns the capture's bytes, and the native `TraceMe`. Older versions keep both in other modules.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import time
from typing import Any

from gait import _scope


def imported() -> bool:
    """Whether the program has imported JAX; gait never does so by itself before it is asked for a capture."""
    return "jax.profiler" in sys.modules


def native_profiler() -> Any:
    """jaxlib's module with ProfilerSession and ProfileOptions."""
    try:
        from jax._src.lib import _profiler

        return _profiler
    except ImportError:
        from jax._src.lib import xla_client  # jaxlib before 0.6

        return xla_client.profiler


def _current_trace() -> tuple[Any, Any, Any]:
    """(function, its argument or None, the trace of code that is not staged out) for annotations."""
    from jax._src import core

    state = getattr(core, "trace_state_strong_ref", None)
    if state is not None:  # the getter itself: a call of native code and nothing around it
        getter = getattr(type(state).__dict__.get("value"), "fget", None)
        if getter is not None and getter(state) is core.eval_trace:
            return getter, state, core.eval_trace
    context = getattr(core, "trace_ctx", None)
    if context is not None:
        return (lambda: context.trace), None, core.eval_trace
    return (lambda: not core.trace_state_clean()), None, None


def _version(text: str) -> tuple[int, ...]:
    """(0, 10) of "0.10.2"."""
    return tuple(int(part) for part in text.split(".")[:2] if part.isdecimal())


def trace_me() -> Any:
    """The native annotation below jax.profiler.TraceAnnotation."""
    from jax.profiler import TraceAnnotation

    return TraceAnnotation.__mro__[1]


def bind_annotations() -> bool:
    """Makes gait.scope and gait.step speak to JAX. False while JAX is still being imported."""
    jax = sys.modules.get("jax")
    profiler = sys.modules.get("jax.profiler")
    annotation = getattr(profiler, "TraceAnnotation", None)
    if annotation is None or not hasattr(jax, "named_scope"):
        return False
    native = trace_me()
    # From 0.10 on, and maybe before, a TraceMe begins when it is made and ends when it goes: two calls less.
    lives = _version(jax.__version__) >= (0, 10)
    _scope.bind(
        native,
        None if lives else native.__enter__,
        None if lives else native.__exit__,
        native.is_enabled,
        *_current_trace(),
        jax.named_scope,
    )
    return True


def is_tracer(value: Any) -> bool:
    if not imported():
        return False
    import jax

    return isinstance(value, jax.core.Tracer)


def version() -> tuple[int, ...]:
    import jax

    return _version(jax.__version__)


def versions() -> dict[str, str]:
    import jax
    import jaxlib

    return {
        "jax": jax.__version__,
        "jaxlib": getattr(jaxlib, "__version__", None) or jaxlib.version.__version__,
    }


# Of jax.config: what decides how a program is compiled and run.
_SETTINGS = (
    "jax_enable_x64",
    "jax_default_matmul_precision",
    "jax_numpy_dtype_promotion",
    "jax_default_prng_impl",
    "jax_threefry_partitionable",
    "jax_use_shardy_partitioner",
    "jax_disable_jit",
    "jax_disable_most_optimizations",
    "jax_optimization_level",
    "jax_memory_fitting_level",
    "jax_exec_time_optimization_effort",
    "jax_memory_fitting_effort",
    "jax_compiler_enable_remat_pass",
    "jax_enable_pgle",
    "jax_debug_nans",
    "jax_debug_infs",
    "jax_enable_checks",
    "jax_enable_compilation_cache",
    "jax_cpu_enable_async_dispatch",
)


def settings() -> dict[str, Any]:
    """By name; not every version of JAX has each."""
    import jax

    values = jax.config.values
    return {name: values[name] for name in _SETTINGS if name in values}


def process() -> tuple[int, int]:
    """(index, count) of this process in a jax.distributed job; (0, 1) without one."""
    try:
        import jax

        return jax.process_index(), jax.process_count()
    except RuntimeError:
        return 0, 1


def coordination_client() -> Any:
    """The key-value store of a jax.distributed job, or None."""
    try:
        from jax._src import distributed

        return distributed.global_state.client
    except (ImportError, AttributeError):
        return None


def stops_beside() -> bool:
    """Whether a session may be stopped while the program goes on: not over work of a GPU."""
    from jax._src import xla_bridge

    return set(xla_bridge.backends()) <= {"cpu", "tpu"}


def has_programs_on_the_host() -> bool:
    """Whether the CPU has compiled any: they are jaxlib's, and a plugin does not know of them."""
    from jax._src import xla_bridge

    cpu = xla_bridge.backends().get("cpu")
    return cpu is not None and bool(cpu.live_executables())


def is_recording() -> bool:
    """The host's recorder of a session is on: whoever's it is."""
    import jax

    return bool(jax.profiler.TraceAnnotation.is_enabled())


def wait_for_devices(result: Any = None, only: bool = False, launches: bool = False) -> float:
    """Until `result` and all arrays that exist are computed: a GPU's session must not be stopped over running work.

    `only`: until `result` is. `launches`: and what this thread has launched, also where the results are gone. How
    many seconds that took, without finding out what there is to wait for.
    """
    import jax

    arrays = [] if only else jax.live_arrays()
    begin = time.perf_counter()
    jax.block_until_ready(result)
    wait_for(arrays)
    waited = time.perf_counter() - begin
    if launches:
        waited += _wait_for_launches()
    jax.effects_barrier()
    return waited


@functools.cache
def _marker() -> Any:
    """A program of next to nothing."""
    import jax

    def gait_marker(x: Any) -> Any:
        return x + 1

    return jax.jit(gait_marker)


def _wait_for_launches() -> float:
    """Devices run the launches of a thread in their order, so a last one is over when all are: one on each device, and
    one on all at once, as CPU devices keep the two kinds apart. Not inside a capture, which would hold it too. How
    many seconds that took; 0 for the first time, which compiles."""
    import jax
    import numpy
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    from gait import _compiling

    begin, first = time.perf_counter(), not _marker.cache_info().currsize
    with (
        contextlib.suppress(Exception),
        _compiling.uncounted(),
    ):  # a device that cannot is no worse than before
        devices = jax.local_devices()
        places: list[Any] = list(devices)
        if len(devices) > 1:
            places.append(NamedSharding(Mesh(numpy.array(devices), ("gait",)), PartitionSpec("gait")))
        zeros = numpy.zeros(len(devices), numpy.int32)
        jax.block_until_ready([_marker()(jax.device_put(zeros, place)) for place in places])
    return 0.0 if first else time.perf_counter() - begin


def wait_for(arrays: list[Any]) -> None:
    """Until all are computed, but for those that are deleted or donated meanwhile."""
    import jax

    try:
        jax.block_until_ready(arrays)  # thousands of them in one native call
        return
    except RuntimeError:  # one was deleted or donated meanwhile, or its computation failed
        pass
    for array in arrays:
        try:
            array.block_until_ready()
        except RuntimeError:
            continue


class ProfileState:
    """JAX's own record of the one session that a process may have."""

    def __init__(self) -> None:
        from jax._src import profiler

        self._profiler = profiler
        self._state = profiler._profile_state
        self._attribute = "profile_session" if hasattr(self._state, "profile_session") else "session"
        self._new_shape = self._attribute == "session"
        self._claimed: Any = None

    @property
    def lock(self) -> Any:
        return self._state.lock

    def session(self) -> Any:
        return getattr(self._state, self._attribute, None)

    def log_dir(self) -> str | None:
        session = self.session() if self._new_shape else self._state
        for name in ("log_dir", "_log_dir"):
            if getattr(session, name, None) is not None:
                return str(getattr(session, name))
        return None

    def claim(self, session: Any, log_dir: str) -> None:
        """From now on jax.profiler.start_trace says that a profile is running, and stop_trace stops it."""
        self._claimed = session
        if self._new_shape:  # JAX's own object around the session: its stop() lets go of the record
            self._claimed = self._profiler.ProfileSession(log_dir=log_dir)
            self._claimed._raw_session = session
            self._claimed._is_running = True
        setattr(self._state, self._attribute, self._claimed)
        if hasattr(self._state, "log_dir"):
            self._state.log_dir = log_dir

    def release(self) -> bool:
        """Lets go of the session that was claimed; False when somebody else has stopped or replaced it meanwhile."""
        claimed, self._claimed = self._claimed, None
        if claimed is None or self.session() is not claimed:
            return False
        self._state.reset()
        if self._new_shape:
            claimed._raw_session = None
            claimed._is_running = False
        return True


def metadata() -> dict[str, str]:
    """What start_trace writes into a capture: versions of JAX and of its backends."""
    from jax._src import xla_bridge

    made = {f"{name}_version": version for name, version in versions().items()}
    for name in xla_bridge.backends():
        try:
            backend = xla_bridge.get_backend(name)
        except RuntimeError:
            continue
        made[f"{backend.platform}_version"] = backend.platform_version
    return made


def set_metadata() -> None:
    from jax._src import profiler

    if not hasattr(profiler, "set_metadata"):
        return
    profiler.clear_metadata()
    for name, version in metadata().items():
        profiler.set_metadata(name, version)


def clear_metadata() -> None:
    from jax._src import profiler

    if hasattr(profiler, "clear_metadata"):
        profiler.clear_metadata()
