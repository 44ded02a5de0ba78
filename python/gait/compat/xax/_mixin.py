"""ProfilerMixin: captures of a task's steps, as its configuration asks."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import gait
from gait import _facts, _jax
from gait._annotate import step_number
from gait._capture import Capture, recorder
from gait._handle import used_up
from gait.compat._blocks import options_of_originals, wait_for_file
from gait.compat._lines import logger as make_logger
from gait.compat.xax._config import ProfilerConfig

Config = TypeVar("Config")
T = TypeVar("T")

logger = make_logger(__name__)

_DEFAULTS = ProfilerConfig()
# What profile_gpu_trace adds. Large buffers: none of the events of a long window is dropped.
DETAILED = {"host_tracer_level": 3}
DETAILED_GPU = {
    "gpu_enable_nvtx_tracking": True,
    "gpu_max_callback_api_events": 16 << 20,
    "gpu_max_activity_api_events": 16 << 20,
}


class ProfilerMixin(Generic[Config]):
    """For any class with a `config`; `state` is whatever has a `num_steps`.

    with self.profile_context(state, name="my_operation"):
        result = my_operation(...)

    The context belongs around the call of the jitted function, not into it.
    """

    config: Config
    _profiles: Sequence[Capture] = ()
    _profiling_dir: Path | None = None
    _said_inside_jit: bool = False

    def _setting(self, name: str) -> Any:
        return getattr(getattr(self, "config", None), name, getattr(_DEFAULTS, name))

    @property
    def should_profile(self) -> bool:
        return bool(self._setting("enable_profiling"))

    def get_profiling_dir(self) -> Path:
        """profiling_dir, else profiles/ below the task's exp_dir, else a temporary folder; made when asked for."""
        if self._profiling_dir is None:
            given = self._setting("profiling_dir")
            experiment = getattr(self, "exp_dir", None)
            if given is not None:
                self._profiling_dir = Path(given).expanduser()
            elif experiment is not None:
                self._profiling_dir = Path(experiment) / "profiles"
            else:
                self._profiling_dir = Path(tempfile.mkdtemp(prefix="profiles-"))
            with contextlib.suppress(OSError):  # gait.trace says it, and the training goes on
                self._profiling_dir.mkdir(parents=True, exist_ok=True)
            logger.info("Profiling directory: %s", self._profiling_dir)
        return self._profiling_dir

    def should_run_profiler(self, state: Any) -> bool:
        """Whether this step is to be captured: enabled, one of every n, and not too many yet."""
        if not self.should_profile:
            return False
        step = getattr(state, "num_steps", 0)
        if _jax.is_tracer(step):
            self._say_inside_jit()
            return False
        every = self._setting("profile_every_n_steps")
        if every <= 0 or used_up(self._profiles, self._setting("max_profile_count")):
            return False
        return step_number(step) % every == 0

    def _say_inside_jit(self) -> None:
        if not self._said_inside_jit:
            self._said_inside_jit = True
            logger.warning(
                "profile_context is used inside jax.jit: this code runs once, while the program is traced, and "
                "state.num_steps is a tracer. Nothing is captured here; put the context around the call of the "
                "jitted function. Its name is kept in the compiled program."
            )

    @contextlib.contextmanager
    def profile_context(self, state: Any, name: str = "profile") -> Iterator[None]:
        """Captures the block if this step is to be captured; names it in any capture."""
        if recorder.capture is not None or not self.should_run_profiler(state):
            with gait.scope(name):
                yield
            return
        step = step_number(getattr(state, "num_steps", 0))
        session = f"{name}_step_{step}"
        directory = self.get_profiling_dir()
        logger.info("Starting profiling session: %s", session)
        capture = None
        try:
            with (
                gait.trace(directory, session, **self._trace_options()) as capture,
                gait.step(step, name=name),
                gait.scope(name),
            ):
                self._profiles = [
                    *(made for made in self._profiles if not made.lost),
                    capture,
                ]
                yield
        finally:
            logger.info("Finished profiling session: %s", session)
            if capture is not None and capture.empty:
                logger.warning("%s launched nothing: it does not count as one of max_profile_count", session)
            if self._setting("backend") == "perfetto" and capture is not None and wait_for_file(capture):
                logger.info("Open %s at https://ui.perfetto.dev", capture.trace_json)

    def _trace_options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"perfetto": True}
        duration = self._setting("profile_duration_ms")
        if duration is not None and duration > 0:
            options["max_seconds"] = duration / 1e3
        detailed: dict[str, Any] = {}
        if self._setting("profile_gpu_trace"):
            on_gpu = _facts.default_platform() in ("gpu", "cuda", "rocm")
            detailed = {**DETAILED, **(DETAILED_GPU if on_gpu else {})}
        options["options"] = options_of_originals(detailed)
        return options

    def profile_fn(self, fn: Callable[[], T], state: Any, name: str = "profile") -> T:
        """fn(), in a profile_context."""
        with self.profile_context(state, name):
            return fn()
