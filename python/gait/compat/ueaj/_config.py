"""Profiling that the environment asks for: PROFILE_ENABLED, _DIR, _START_STEP, _INTERVAL, _DURATION, _MODE."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
from collections.abc import Iterator
from typing import Any

import gait
from gait._annotate import step_number
from gait._environment import ProfileVariables
from gait._schedule import Schedule
from gait._seen import Seen
from gait.compat._blocks import options_of_originals, wait_for_file
from gait.compat._lines import RULE, tell


class ProfilingConfig:
    """What the environment asks for, read once. With PROFILE_STEP=N alone: step N, once."""

    def __init__(self) -> None:
        wanted = ProfileVariables.read(os.environ)
        self.enabled: bool = wanted.enabled
        self.profile_dir: str = wanted.dir
        self.mode: str = wanted.mode
        self.start_step: int = wanted.start_step
        self.interval: int = wanted.interval
        self.duration: int = wanted.duration
        self._first: int | None = None  # step of this process; it may have resumed behind start_step
        self._seen = Seen(self.schedule)
        if self.enabled:
            self._print_banner()
            atexit.register(self._seen.say_never_came)

    def _print_banner(self) -> None:
        tell(RULE)
        tell("📊 PROFILING ENABLED")
        tell(RULE)
        tell(f"  Profile Dir:    {self.profile_dir}")
        tell(f"  Start Step:     {self.start_step}")
        tell(f"  Interval:       {f'{self.interval} steps' if self.interval else 'once'}")
        tell(f"  Duration:       {self.duration} step(s)")
        tell(f"  Mode:           {self.mode}")
        tell(RULE)

    @property
    def schedule(self) -> Schedule:
        """The same for gait.Profiler."""
        wanted = ProfileVariables(start_step=self.start_step, interval=self.interval, duration=self.duration)
        return Schedule(self.start_step, self.interval, wanted.count)

    def should_profile(self, step: Any) -> bool:
        """Whether `step` is one to profile. Asking changes nothing."""
        return self.enabled and self.schedule.due(step_number(step), self._first)

    def get_profile_name(self, step: Any) -> str:
        return f"step_{step_number(step):08d}"

    @contextlib.contextmanager
    def profile_step(self, step: Any) -> Iterator[None]:
        """One step of the program: captured into its own folder when it is one to profile, marked in any case."""
        number = step_number(step)
        if self._first is None:
            self._first = number
        self._seen.add(number)
        if not self.should_profile(number):
            with gait.step(number):
                yield
            return
        name = self.get_profile_name(number)
        tell(f"📊 Profiling step {number}...")
        self._seen.captured = True
        options = options_of_originals()
        with gait.trace(self.profile_dir, name, perfetto=True, options=options) as capture, gait.step(number):
            yield
        if wait_for_file(capture):
            tell(f"✓ Profile saved: {self.profile_dir}/{name}")
            if self.mode == "perfetto":
                tell(f"✓ Perfetto: Upload {capture.trace_json} to https://ui.perfetto.dev")


@functools.cache
def get_profiling_config() -> ProfilingConfig:
    """The one of this process, read from the environment when first asked for."""
    return ProfilingConfig()


_OFF = contextlib.nullcontext()


def maybe_profile(step: Any) -> contextlib.AbstractContextManager[None]:
    """Around each step of a training loop: profiles those that the environment asks for, else does nothing."""
    config = get_profiling_config()
    return config.profile_step(step) if config.enabled else _OFF
