"""Profiler and ProfileContext."""

from __future__ import annotations

import contextlib
import json
import math
import os
import statistics
import threading
import time
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Any

import gait
from gait import _compiling
from gait._capture import Capture
from gait._schedule import Schedule
from gait.compat._blocks import captured, options_of_originals, wait_for_file
from gait.compat._lines import logger as make_logger
from gait.compat.efficientids._flops import FLOPCounter
from gait.compat.efficientids._schema import write_json

logger = make_logger(__name__)

REMEMBERED = 1000  # steps that avg_step_time is about


def _log_saved(capture: Capture, directory: str) -> bool:
    """Once it is known; whether it was."""
    if not wait_for_file(capture):
        logger.error("   ✗ nothing was saved: %s", capture.error)
        return False
    logger.info("   ✓ Trace saved to: %s/", directory.rstrip("/"))
    logger.info("   📁 View at: https://ui.perfetto.dev/")
    return True


class Profiler:
    """Profiles `num_steps` steps: from `auto_enable_at_step` on, and after each capture_async().

    profiler.begin_step(step)
    state, metrics = train_step(state, batch)
    profiler.end_step()
    """

    def __init__(
        self,
        num_steps: int = 5,
        log_dir: str = "./profiler_traces",
        auto_enable_at_step: int | None = None,
        flop_counter: FLOPCounter | None = None,
    ):
        self.num_steps = num_steps
        self.log_dir = os.fspath(log_dir)
        self.auto_enable_at_step = auto_enable_at_step
        self.flop_counter = flop_counter
        self._core = gait.Profiler(
            Schedule(auto_enable_at_step, count=num_steps),
            self.log_dir,
            perfetto=True,
            on_signal=None,
            options=options_of_originals(),
        )
        self._times: deque[float] = deque(maxlen=REMEMBERED)
        self._begun = 0.0
        self._compilations = 0
        self._began_capture = 0.0
        self._tokens: list[int] = []  # of each step of the running capture
        self._seconds: list[float] = []
        self._lock = threading.Lock()
        self._begun_capture: Capture | None = None  # of which the begin was told
        self._over_capture: Capture | None = None  # and the end
        logger.info("Profiler initialized: %s steps → %s", num_steps, self.log_dir)
        if auto_enable_at_step is not None:
            logger.info("   Auto-enable at step %s", auto_enable_at_step)

    @property
    def captures(self) -> list[Capture]:
        return self._core.captures

    def _recorded(self) -> Capture | None:
        last = self._core.last
        return last if last is not None and last.state == "recording" else None

    @property
    def is_profiling(self) -> bool:
        """A capture is being recorded, or begins with the next step."""
        return self._core.is_profiling

    @property
    def avg_step_time(self) -> float:
        """In seconds, of the last steps that compiled nothing; 0.0 before there is one."""
        return statistics.fmean(self._times) if self._times else 0.0

    def capture_async(self) -> None:
        """Profiles the next `num_steps` steps. From any thread."""
        if self.is_profiling:
            logger.warning("Profiler already active: this request is ignored")
            return
        logger.info("📊 Profiler enabled for next %s steps", self.num_steps)
        self._core.capture_async()

    def _first_to_tell(self, capture: Capture, end: bool) -> bool:
        """Of several threads one tells of a begin or an end."""
        with self._lock:
            if capture is (self._over_capture if end else self._begun_capture):
                return False
            if end:
                self._over_capture = capture
            else:
                self._begun_capture = capture
            return True

    def begin_step(self, step: Any) -> None:
        made = len(self._core.captures)
        self._core.begin_step(step)
        capture = self._recorded()
        if capture is not None and self._first_to_tell(capture, end=False):
            self._tokens, self._seconds = [], []
            self._began_capture = time.perf_counter()
            logger.info("🚀 Starting profiler at step %s for %s steps", self._core.running, self.num_steps)
            logger.info("   Trace directory: %s", self.log_dir)
            logger.info("   ✓ JAX profiler started")
        elif len(self._core.captures) > made:
            logger.error("   ✗ JAX profiler did not start: %s", self._core.captures[-1].error)
        self._compilations = _compiling.compilations()
        self._begun = time.perf_counter()

    def end_step(self, num_tokens: int | None = None) -> None:
        """`num_tokens` of this step, for tokens a second and MFU."""
        capture = self._recorded()
        stopped = 0.0
        self._core.end_step()
        if capture is not None and capture.state != "recording":
            stopped = capture.stopped_seconds
        seconds = time.perf_counter() - self._begun - stopped
        if _compiling.compilations() == self._compilations:
            self._times.append(seconds)
        if capture is None:
            return
        self._seconds.append(seconds)
        if num_tokens is not None:
            self._tokens.append(int(num_tokens))
        if capture.state != "recording" and self._first_to_tell(capture, end=True):
            logger.info("⏸️  Stopping profiler after %s steps", len(capture.steps))
            captured_seconds = time.perf_counter() - self._began_capture - stopped
            if _log_saved(capture, self.log_dir):
                self._report_flops(capture, captured_seconds)

    def _report_flops(self, capture: Capture, seconds: float) -> None:
        if self.flop_counter is None or not self._tokens:
            return
        stats = self._flop_stats(seconds)
        text = json.dumps(stats, indent=2)
        file = Path(self.log_dir).expanduser() / "flop_stats.json"  # the last capture's; each keeps its own
        try:
            for place in (capture.path / "flop_stats.json", file):
                write_json(place, text)
        except OSError as error:  # the training is not ours to end
            logger.error("   ✗ %s: %s", file, error.strerror)
            return
        logger.info("📈 FLOP statistics")
        logger.info("   Tokens/s: %.1f", stats["tokens_per_sec"])
        logger.info("   Achieved: %.3f TFLOP/s", stats["achieved_tflops"])
        if stats["mfu_percent"] is None:
            logger.info("   MFU: unknown, as is the peak of this device")
        else:
            logger.info("   MFU: %.2f %% of %.1f TFLOP/s", stats["mfu_percent"], stats["peak_tflops"])
        logger.info("✅ Profiling results saved to: %s", file)

    def _flop_stats(self, seconds: float) -> dict[str, Any]:
        counter = self.flop_counter
        assert counter is not None
        rate = sum(self._tokens) / seconds
        mfu = counter.compute_mfu(rate)
        return {
            "profiling_steps": len(self._seconds),
            "total_tokens": sum(self._tokens),
            "total_time_sec": seconds,
            "tokens_per_sec": rate,
            "model_params": counter.num_params,
            "flops_per_token": counter.estimate_flops_per_token(),
            "achieved_tflops": counter.compute_achieved_flops(rate) / 1e12,
            "peak_tflops": None if counter.peak_flops is None else counter.peak_flops / 1e12,
            "mfu_percent": None if math.isnan(mfu) else mfu,
            "per_step_tokens": self._tokens,
            "per_step_times": self._seconds,
        }


class ProfileContext:
    """Profiles one block: with ProfileContext("./traces"): ..."""

    def __init__(self, log_dir: str = "./profiler_traces"):
        self.log_dir = os.fspath(log_dir)
        self._stack: contextlib.ExitStack | None = None
        self.capture: Capture | None = None

    def __enter__(self) -> ProfileContext:
        self._stack = contextlib.ExitStack()
        self.capture = self._stack.enter_context(captured(self.log_dir, block_name="ProfileContext"))
        if not self.capture.lost:
            logger.info("   ✓ JAX profiler started")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        stack, self._stack = self._stack, None
        if stack is None:
            return
        try:
            stack.__exit__(kind, error, traceback)
        finally:
            if self.capture is not None:
                _log_saved(self.capture, self.log_dir)
