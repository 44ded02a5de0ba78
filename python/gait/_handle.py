"""Capture: the state of one capture, from its first step to its file."""

from __future__ import annotations

import html
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gait import _compiling, _layout, _messages, _native
from gait._ending import wait_until
from gait._messages import GaitError

if TYPE_CHECKING:
    from gait._run import Run


class Capture:
    """One capture. Recording, then written in the background; ask `done` or `wait()` for it.

    It never raises for what goes wrong with the capture itself, so that the program goes on: `error` says it.
    """

    def __init__(self, directory: Any, name: str | None = None):
        self.log_dir: Path = _layout.root(directory, name)
        self.state = "new"  # recording, writing (from its end on), done, failed, skipped
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
        self._compiled_before = 0.0  # seconds, when it began
        self._missing: dict[str, int] = {}  # launches whose end it lacks, by the name of the program
        self._launches: int | None = None  # made inside; None: not known, or not yet
        self._dropped = False  # it is nobody's loss: there is nothing in it that was asked for

    # -- where and what ------------------------------------------------------------------------------------------

    @property
    def _where(self) -> _layout.Place | None:
        """Also while it is only on its way there; None once it is lost."""
        return None if self.lost else self._place

    @property
    def lost(self) -> bool:
        """There is none, and there will be none: `error` says why."""
        return self.state in ("failed", "skipped")

    @property
    def empty(self) -> bool:
        """It is over, and nothing was launched in it."""
        return self._launches == 0

    @property
    def path(self) -> Path | None:
        """The folder of the run, which every command of gait takes; None when nothing was captured."""
        place = self._where
        return place.folder if place else None

    @property
    def xplane(self) -> Path | None:
        place = self._where
        return place.xplane if place else None

    @property
    def trace_json(self) -> Path | None:
        """The file for Perfetto and chrome://tracing, with perfetto=True."""
        place = self._where
        return place.trace_json if place and self._perfetto else None

    @property
    def memory_profile(self) -> Path | None:
        place = self._where
        return place.memory if place and self._memory else None

    @property
    def manifest(self) -> Path | None:
        place = self._where
        return place.manifest if place else None

    @property
    def files(self) -> list[Path]:
        """All files that are there by now."""
        candidates = (self.xplane, self.trace_json, self._jaxs_name, self.memory_profile, self.manifest)
        return [file for file in candidates if file is not None and file.exists()]

    @property
    def _jaxs_name(self) -> Path | None:
        """A second name of the trace, when it has it: of several processes that share a folder one does."""
        trace = self.trace_json
        if trace is None or not trace.exists():
            return None
        second = trace.with_name("perfetto_trace.json.gz")
        return second if second.exists() and second.samefile(trace) else None

    @property
    def bytes(self) -> int:
        """Of the XPlane file."""
        return self._job.bytes if self._job else 0

    @property
    def done(self) -> bool:
        """Written and checked, or failed."""
        return self.state == "done" or self.lost

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
        return self.wait()._losses()

    def _losses(self) -> list[dict[str, Any]]:
        names = ("kind", "place", "reason", "count")
        return [dict(zip(names, loss, strict=True)) for loss in (self._job.losses if self._job else [])]

    def ended_by(self, bound: str, waited_for: str = "") -> None:
        """A bound, before all of it was recorded. What JAX compiled meanwhile does not count; that, and what it waited
        for, is said."""
        compiled = _compiling.compile_seconds() - self._compiled_before
        waited = f", and waited for {waited_for}" if waited_for else ""
        if compiled >= 0.05:
            waited += f", after {compiled:.1f} s in which JAX compiled"
        self._warnings.append(f"it was ended by {bound}{waited}")
        if waited:
            _messages.say(f"the capture was ended by {bound}{waited}: that time is not counted.")

    @property
    def warnings(self) -> list[str]:
        """What gait and JAX's profiler have to say about it."""
        job = self._job if self.done else None
        return [*self._warnings, *(job.reported if job else [])]

    # -- waiting and looking -------------------------------------------------------------------------------------

    def wait(self, seconds: float | None = None) -> Capture:
        """Until it is written and checked. TimeoutError when that takes longer than `seconds`."""
        if not wait_until(lambda: self.state != "writing", seconds):
            stage = self._job.stage if self._job else "taking it from JAX's profiler"
            raise TimeoutError(f"{self.xplane}: {stage} is at {self.progress:.0%}")
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
        if self.lost:
            return f"<gait.Capture {self.state}: {self._error}>"
        if self.state == "done":
            return f"<gait.Capture {self.path}: {self.events} events, {self.bytes / 1e6:.1f} MB>"
        return f"<gait.Capture {self.path or self.log_dir}: {self.state}>"

    def _repr_html_(self) -> str:
        """In a notebook: once there is a run, what it shows too."""
        itself = f"<p>{html.escape(repr(self))}</p>"
        return itself + self.load()._repr_html_() if self.state == "done" else itself


def used_up(captures: Iterable[Capture], most: int) -> bool:
    """Whether there are `most` captures that hold work. As many empty ones are forgiven, and no more."""
    kept = [capture for capture in captures if not capture.lost]
    empty = sum(capture.empty for capture in kept)
    return len(kept) - min(empty, most) >= most
