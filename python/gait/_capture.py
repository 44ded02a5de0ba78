"""Capture: one capture, from its first step to its file, and what is known of it."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gait import _exits, _facts, _jax, _layout, _messages, _metrics, _native, _options, _periods
from gait._messages import GaitError
from gait._session import Session, caller, keep_for_ever

if TYPE_CHECKING:
    from gait._run import Run

KEEP_FREE = 256 << 20  # bytes of disk space that a capture leaves free

Hosts = int | Collection[int] | None


class Capture:
    """One capture. Recording, then written in the background; ask `done` or `wait()` for it.

    It never raises for what goes wrong with the capture itself, so that the program goes on: `error` says it.
    """

    def __init__(self, directory: Any, name: str | None = None):
        self.log_dir: Path = _layout.root(directory, name)
        self.state = "new"  # recording, writing, done, failed, skipped
        self.steps: list[int] = []
        self.trigger = "trace"
        self.options: dict[str, Any] = {}
        self.waited_seconds = 0.0  # for devices to finish, before the session was stopped
        self.stopped_seconds = 0.0  # that stopping took of the program's time
        self._place: _layout.Place | None = None
        self._error: str | None = None
        self._warnings: list[str] = []
        self._job: _native.CaptureJob | None = None
        self._perfetto = self._memory = False

    # -- where and what ------------------------------------------------------------------------------------------

    @property
    def path(self) -> Path | None:
        """The folder of the run, which every command of gait takes; None when nothing was captured."""
        return self._place.folder if self._place else None

    @property
    def xplane(self) -> Path | None:
        return self._place.xplane if self._place else None

    @property
    def trace_json(self) -> Path | None:
        """The file for Perfetto and chrome://tracing, with perfetto=True."""
        return self._place.trace_json if self._place and self._perfetto else None

    @property
    def memory_profile(self) -> Path | None:
        return self._place.memory if self._place and self._memory else None

    @property
    def manifest(self) -> Path | None:
        return self._place.manifest if self._place else None

    @property
    def files(self) -> list[Path]:
        """All files that are there by now."""
        candidates = (self.xplane, self.trace_json, self.memory_profile, self.manifest)
        return [file for file in candidates if file is not None and file.exists()]

    @property
    def bytes(self) -> int:
        """Of the XPlane file."""
        return self._job.bytes if self._job else 0

    @property
    def done(self) -> bool:
        """Written and checked, or failed."""
        self._settle()
        return self.state in ("done", "failed", "skipped")

    @property
    def ok(self) -> bool:
        """There is a file, and it could be read back."""
        return self.wait().state == "done"

    @property
    def progress(self) -> float:
        """Of writing, 0 to 1."""
        return self._job.fraction if self._job else float(self.done)

    @property
    def error(self) -> str | None:
        """Why there is no capture; None when there is one, or not yet."""
        self._settle()
        return self._error

    @property
    def events(self) -> int | None:
        """How many the file holds, as read back from it; waits for that."""
        job = self.wait()._job
        return job.events if job else None

    @property
    def devices(self) -> dict[str, int]:
        """Events of each device; waits for the file to be read back."""
        job = self.wait()._job
        return dict(job.devices) if job else {}

    @property
    def losses(self) -> list[dict[str, Any]]:
        """What the capture lacks, and why; waits for the file to be read back."""
        job = self.wait()._job
        names = ("kind", "place", "reason", "count")
        return [dict(zip(names, loss, strict=True)) for loss in (job.losses if job else [])]

    @property
    def warnings(self) -> list[str]:
        """What gait and JAX's profiler have to say about it."""
        job = self._job if self.done else None
        return [*self._warnings, *(job.reported if job else [])]

    # -- waiting and looking -------------------------------------------------------------------------------------

    def wait(self, seconds: float | None = None) -> Capture:
        """Until it is written and checked. TimeoutError when that takes longer than `seconds`."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while self._job is not None and not self._job.wait(0.2):
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError(f"{self.xplane}: {self._job.stage} is at {self.progress:.0%}")
        self._settle()
        return self

    def load(self) -> Run:
        """The run, for its tables: `capture.load().ops()`."""
        from gait._run import load

        if not self.ok:
            raise GaitError(f"there is no capture to look at: {self._error or 'it is still being recorded'}")
        return load(self.path)

    def overview(self) -> Any:
        return self.load().overview()

    def doctor(self) -> Any:
        return self.load().doctor()

    def open(self) -> Any:
        """In the viewer, in a process of its own: the program goes on."""
        from gait._open import open_run

        return open_run(self.wait().path)

    def __repr__(self) -> str:
        self._settle()
        if self.state in ("failed", "skipped"):
            return f"<gait.Capture {self.state}: {self._error}>"
        if self.state == "done":
            return f"<gait.Capture {self.path}: {self.events} events, {self.bytes / 1e6:.1f} MB>"
        return f"<gait.Capture {self.path or self.log_dir}: {self.state}>"

    def _settle(self) -> None:
        if self.state == "writing" and self._job is not None and self._job.done:
            failed = self._job.error
            if failed is not None:
                self._error = " ".join(failed).strip()
            self.state = "failed" if failed else "done"


class Recorder:
    """Makes captures, one at a time: begin, end, and what comes after."""

    def __init__(self) -> None:
        self._session: Session | None = None
        self._capture: Capture | None = None
        self._metrics: _native.MetricSampler | None = None
        self._keywords: dict[str, Any] = {}
        self._program: dict[str, Any] = {}
        self._before: dict[str, int] | None = None
        self._keeps_pace = False
        self._begin_ns = 0
        self._captured = 0  # steps begun when the last capture ended
        self._unfinished: list[tuple[Capture, dict[str, Any], int]] = []  # manifests without the steps after

    @property
    def capture(self) -> Capture | None:
        """The one that is being recorded."""
        return self._capture

    @property
    def unfinished(self) -> bool:
        """Some manifest still lacks the steps after its capture."""
        return bool(self._unfinished)

    def begin(
        self,
        capture: Capture,
        *,
        options: Any = None,
        perfetto: bool = False,
        memory: bool = False,
        hosts: Hosts = None,
        trigger: str = "trace",
        block: bool = True,
        quiet: bool | None = None,
    ) -> bool:
        """Starts recording. False when that is not possible: the capture says why, and the program goes on.

        OptionError for options that do not exist.
        """
        entered = time.monotonic_ns()
        checked = _options.check(options, _facts.default_platform())
        capture.options, capture.trigger = checked, trigger
        capture._perfetto, capture._memory = perfetto, memory
        _jax.bind_annotations()
        if not _is_wanted(hosts):
            return self._skip(capture, "this process is not among hosts=", quiet=True)
        # What was begun before does not belong to the capture. Our own work until here is none of the program's.
        waited = _jax.wait_for_devices() if block else 0.0
        self._before, self._keeps_pace = _periods.before(self._captured, entered + int(waited * 1e9))
        self._program = _facts.program()  # before the session: nobody waits for it at its end
        place = None
        try:
            place = _layout.new_place(capture.log_dir)
            self._session = Session.start(checked, capture.log_dir, caller())
        except (OSError, GaitError) as error:
            if place is not None:
                with contextlib.suppress(OSError):
                    place.folder.rmdir()
            what = f"{capture.log_dir}: {error.strerror}" if isinstance(error, OSError) else str(error)
            return self._skip(capture, what, quiet=bool(quiet))
        self._metrics = _metrics.start()
        slow = _layout.slow_file_system(capture.log_dir)
        warnings = [*self._session.warnings, *([slow] if slow else [])]
        for warning in warnings:
            _messages.say(warning)
        capture._place = place
        capture._warnings += warnings
        capture.state = "recording"
        self._capture = capture
        self._keywords = {"quiet": _messages.quiet() if quiet is None else quiet}
        self._begin_ns = time.time_ns()
        _exits.watch(self.finish, self.forget_after_fork)
        _exits.guard_term()
        return True

    def end(self, result: Any = None, *, block: bool = True, failed: bool = False) -> None:
        """Stops recording and hands the bytes to the writer. Never raises for the capture's sake."""
        capture, session = self._capture, self._session
        if capture is None or session is None:
            return
        self._capture = self._session = None
        begin = time.perf_counter()
        try:
            if block:
                _jax.wait_for_devices(result)
        except Exception as error:
            if not failed:  # the program's own failure is already known
                capture._warnings.append(f"waiting for the devices failed: {error}")
        waited = time.perf_counter()
        capture.waited_seconds = waited - begin
        try:
            content = session.stop()
            self._write(capture, content)
            capture.state = "writing"
        except Exception as error:
            self._skip(capture, f"the capture could not be stopped: {error}", state="failed")
        self._metrics = None
        capture.stopped_seconds = time.perf_counter() - waited
        self._captured = _periods.count()

    def finish(self) -> None:
        """At the end of the process: the running capture is written, manifests get what is known by then."""
        self.end(failed=True)
        self.flush(force=True)

    def flush(self, force: bool = False) -> None:
        """Completes the manifests of captures that have seen enough steps after them."""
        for entry in list(self._unfinished):
            capture, uncaptured, begun = entry
            if not force and _periods.count() - begun <= _periods.ENOUGH:
                continue
            self._unfinished.remove(entry)
            uncaptured["after"] = _periods.after(begun)
            if capture._job is not None and uncaptured["after"] is not None:
                capture._job.update_manifest(json.dumps(uncaptured))
        if not self._unfinished and self._capture is None and _native.pending() == 0:
            _exits.relax_term()

    def forget_after_fork(self) -> None:
        self._capture = self._session = None
        if self._metrics is not None:
            keep_for_ever(self._metrics)
            self._metrics = None
        self._unfinished.clear()

    def _skip(self, capture: Capture, why: str, *, quiet: bool = False, state: str = "skipped") -> bool:
        capture._error = why
        capture.state = state
        if state == "failed" and capture._place is not None:
            with contextlib.suppress(OSError):
                capture._place.folder.rmdir()
            capture._place = None
        if not quiet:
            _messages.say(f"nothing was captured: {why}.\nThe program goes on.")
        return False

    def _write(self, capture: Capture, content: bytes) -> None:
        place = capture._place
        assert place is not None
        beside = []
        if capture._memory:
            beside.append((str(place.memory), _memory_profile()))
        uncaptured = {"before": self._before, "after": None}
        capture._job = _native.CaptureJob(
            content,
            path=str(place.xplane),
            manifest_path=str(place.manifest),
            capture=json.dumps(self._facts(capture), default=str),
            uncaptured=json.dumps(uncaptured),
            perfetto_path=str(place.trace_json) if capture._perfetto else "",
            keep_free=KEEP_FREE,
            accelerator=_facts.default_platform() != "cpu",
            beside=beside,
            metrics=self._metrics,
            **self._keywords,
        )
        if self._keeps_pace:
            self._unfinished.append((capture, uncaptured, _periods.count()))

    def _facts(self, capture: Capture) -> dict[str, Any]:
        return {
            "begin_unix_ns": self._begin_ns,
            "end_unix_ns": time.time_ns(),
            "trigger": capture.trigger,
            "steps": capture.steps,
            "options": capture.options,
            "waited_seconds": round(capture.waited_seconds, 6),
            "warnings": capture._warnings,
            **self._program,
        }


def _is_wanted(hosts: Hosts) -> bool:
    if hosts is None:
        return True
    index, _ = _jax.process()
    return index == hosts if isinstance(hosts, int) else index in hosts


def _memory_profile() -> bytes:
    import jax

    return jax.profiler.device_memory_profile()


recorder = Recorder()
