"""The recorder makes captures: how a capture begins, how it ends, and the work after its end."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from gait import (
    _compiling,
    _exits,
    _facts,
    _jax,
    _layout,
    _messages,
    _metrics,
    _native,
    _options,
    _periods,
    _term,
)
from gait._backward import BackwardHook
from gait._blocks import Mark
from gait._collections import CollectionHook
from gait._ending import Ending, insist, wait_until
from gait._handle import Capture
from gait._inflight import InFlight
from gait._messages import GaitError, OptionError
from gait._replacing import Replacing
from gait._session import BusyError, Session, caller, keep_for_ever
from gait._waits import WaitHook

KEEP_FREE = 256 << 20  # bytes of disk space that a capture leaves free
OFF_SECONDS = 10.0  # that a program waits for recorders to be off: they take a millisecond
# That a capture waits at its end for what was launched in it. A GPU is waited for however long it takes.
LAUNCH_SECONDS = 60.0
WAIT_NAME = "gait's wait for launched work"  # that wait as an event; the engine knows it by these words
STOP_SECONDS = 60.0  # that a capture waits for the one before it to be stopped

Hosts = int | Collection[int] | None


@dataclasses.dataclass(eq=False)
class _Recording:
    """A capture while it is recorded, and what its end needs to know."""

    capture: Capture
    session: Session
    metrics: _native.MetricSampler
    collections: CollectionHook
    hooks: tuple[Replacing, ...]
    inflight: InFlight
    program: dict[str, Any]
    past: _periods.Past  # the steps before it
    begun_before: int  # how many
    quiet: bool
    beside: bool  # the session may be stopped while the program goes on
    over_work: bool  # and over work that is still running
    begin_ns: int
    end_ns: int = 0
    memory: bytes | None = None
    unready: bool = False  # waiting for the devices was interrupted
    result: Any = None
    ending: Ending = dataclasses.field(default_factory=Ending)
    kind: str | None = None  # of its steps
    before: dict[str, int] | None = None  # the steps before it, as _periods says
    keeps_pace: bool = False
    mark: Mark | None = None  # of the block that it is around
    begun: int = 0  # steps, when it was written: since then nothing of ours slows the program down
    enough: int = 0  # further ones of all kinds, after which those of its kind may be enough


class Recorder:
    """Makes captures, one at a time: begin, end, and what comes after."""

    def __init__(self) -> None:
        self._recording: _Recording | None = None
        self._endings: list[_Recording] = []  # recorded, and not written yet
        self.written: deque[Path] = deque(maxlen=64)  # folders of the last runs
        self._captured = 0  # steps begun when the last capture ended
        self._unfinished: list[_Recording] = []  # their manifests lack the steps after them
        self._refused = ""  # why the last one could not begin beside another, which is said once

    @property
    def capture(self) -> Capture | None:
        """The one that is being recorded."""
        recording = self._recording
        return None if recording is None else recording.capture

    @property
    def unfinished(self) -> bool:
        """Some manifest still lacks the steps after its capture."""
        return bool(self._unfinished)

    @property
    def busy(self) -> bool:
        """Something is recorded, or not written yet."""
        return self._recording is not None or bool(self._endings)

    def begin(
        self,
        capture: Capture,
        *,
        options: Any = None,
        perfetto: bool = False,
        memory: bool = False,
        hosts: Hosts = None,
        trigger: str = "trace",
        occasion: str | None = None,
        block: bool = True,
        quiet: bool | None = None,
        kind: str | None = None,
        block_name: str | None = None,
    ) -> bool:
        """Starts recording. False when that is not possible: the capture says why, and the program goes on.

        `occasion` is what all processes of a job call the same capture; None: it is this one's alone. `kind` is the
        name of the steps that decide when it ends; `block_name` of the block that it is around. OptionError for
        options that do not exist.
        """
        entered = time.monotonic_ns()
        checked = _options.check(options, _facts.default_platform())
        capture.options, capture.trigger = checked, trigger
        capture._perfetto, capture._memory = perfetto, memory
        _jax.bind_annotations()
        if not _is_wanted(hosts):
            return self.skip(capture, "this process is not among hosts=", quiet=True)
        # What was begun before does not belong to the capture. Our own work until here is none of the program's.
        waited = _jax.wait_for_devices(launches=True) if block else 0.0
        past = _periods.past(self._captured, entered + int(waited * 1e9))
        self._complete_manifests(past)
        program = _facts.program()  # before the session: nobody waits for it at its end
        try:
            self._start(capture, occasion, program, past, quiet, kind, block_name)
        except (OSError, GaitError) as error:
            what = f"{capture.log_dir}: {error.strerror}" if isinstance(error, OSError) else str(error)
            again = what == self._refused
            self._refused = what if isinstance(error, BusyError) else ""
            return self.skip(capture, what, quiet=bool(quiet) or again)
        self._refused = ""
        return True

    def _start(
        self,
        capture: Capture,
        occasion: str | None,
        program: dict[str, Any],
        past: _periods.Past,
        quiet: bool | None,
        kind: str | None,
        block_name: str | None,
    ) -> None:
        """All of it or nothing, also where Ctrl-C comes between."""
        options = capture.options
        place = metrics = None
        collections, inflight = CollectionHook(), InFlight()
        hooks = waits, backward = WaitHook(), BackwardHook()
        try:
            if _term.ending:
                raise GaitError("SIGTERM has come, and the program is about to end")
            if not self.wait_for_stops(STOP_SECONDS):
                raise BusyError("the capture before is still being stopped")
            Session.check_free()  # before there is a folder for nothing
            if str(capture.log_dir) != _layout.as_utf8(str(capture.log_dir)):
                raise GaitError(f"the name of the log directory is no UTF-8: {str(capture.log_dir)!a}")
            place = _layout.new_place(capture.log_dir, occasion)
            if slow := _layout.slow_file_system(capture.log_dir):
                _messages.say(slow)
                capture._warnings.append(slow)
            capture._place = place
            if options.get("host_tracer_level", 0) > 0:
                collections.add()
                if not options.get("python_tracer_level"):
                    waits.add()
                backward.add()
            inflight.add()
            metrics = _metrics.start()
            owner, quiet = caller(), _messages.quiet() if quiet is None else quiet
            over_work = _jax.stops_beside()
            capture._compiled_before = _compiling.compile_seconds()
            begun_before = _periods.count()
            _exits.watch(self)
            _term.guard(_exits.finish, lambda: self._recording is not None and not self.ends_beside)
            # The last of all: behind it our own calls would be recorded.
            session = Session.start(options, capture.log_dir, owner, capture)
            self._recording = _Recording(
                capture,
                session,
                metrics,
                collections,
                hooks,
                inflight,
                program,
                past,
                begun_before,
                quiet=quiet,
                # The tracer of Python calls holds the interpreter's lock for most of its end anyway.
                beside=over_work
                and options.get("host_tracer_level", 0) > 0
                and not options.get("python_tracer_level"),
                over_work=over_work,
                begin_ns=time.time_ns(),
                kind=kind,
                mark=None if block_name is None else Mark(block_name),
            )
            capture.state = "recording"
        except BaseException:
            collections.remove()
            _remove(hooks)
            inflight.forget()
            if metrics is not None:
                metrics.stop()
            if self.capture is capture:
                self._recording = None
            capture._place = None
            mine = Session.active()
            if mine is not None and mine.holder is capture:
                with contextlib.suppress(Exception):
                    mine.stop()
            if place is not None:
                with contextlib.suppress(OSError):
                    place.folder.rmdir()
            _term.let_go(lambda: self.busy)
            raise

    def end(self, result: Any = None, *, block: bool = True, failed: bool = False) -> None:
        """Stops recording; what then is left to do is done beside the program. Never raises for the capture's sake.

        Where GPUs are, the program waits until the session is over: it ends with cuptiFinalize, and a kernel that is
        launched meanwhile is the end of the process (CUDA_ERROR_ILLEGAL_ADDRESS, measured on an H200). Elsewhere it
        waits until the recorders are off.
        """
        recording = self._recording
        if recording is None:
            return
        capture = recording.capture
        begin = time.perf_counter()
        if capture.options.get("python_tracer_level"):
            sys.setprofile(None)  # what follows is our own: of this thread's calls no more are recorded
        try:
            _remove(recording.hooks)
            with _jax.trace_me()(WAIT_NAME):
                if block and recording.inflight.wait(LAUNCH_SECONDS if recording.over_work else None):
                    _jax.wait_for_devices(result, only=recording.beside and result is not None)
        except Exception as error:
            if not failed:  # the program's own failure is already known
                capture._warnings.append(f"waiting for the devices failed: {error}")
        except BaseException:  # Ctrl-C, as a rule
            recording.unready, recording.result = block, result
            if not recording.beside:
                _messages.say(
                    "a GPU has to be idle before its capture can be stopped: waiting. Ctrl-C again gives that up."
                )
            capture._warnings.append(
                "waiting for the devices was interrupted: work at the end may be missing"
            )
            raise
        finally:
            waited = time.perf_counter()
            capture.waited_seconds = waited - begin
            if recording.mark is not None:
                recording.mark.end()  # a block is over when its work is
            insist(lambda: self._close(recording))
            capture.stopped_seconds = time.perf_counter() - waited

    def _close(self, recording: _Recording) -> None:
        """Has the rest done on another thread, and waits as long as the program has to. May be repeated."""
        ending = recording.ending
        recording.collections.remove()
        _remove(recording.hooks)
        recording.inflight.remove()
        if not ending.begun:
            recording.end_ns = time.time_ns()
            recording.capture._launches = recording.inflight.launches if recording.inflight.known else None
            recording.capture._missing = recording.inflight.unfinished()
            self._captured = _periods.count()
            recording.kind = _periods.kind(
                recording.past, recording.begun_before, time.monotonic_ns(), recording.kind
            )
            if recording.capture._memory:
                recording.memory = self._memory_profile(recording.capture)
            ending.start(lambda: self._finish_recording(recording))
        if recording.beside:
            wait_until(lambda: ending.stopped or (ending.begun and not _jax.is_recording()), OFF_SECONDS)
        else:
            wait_until(lambda: ending.stopped)

    def _finish_recording(self, recording: _Recording) -> None:
        """On a thread of its own: stops the session, has its bytes written, waits for that."""
        capture = recording.capture
        self._endings.append(recording)
        self._recording = None
        capture.state = "writing"
        recording.ending.begun = True
        outcome = "failed"
        try:
            recording.before, recording.keeps_pace = _periods.before(recording.past, recording.kind)
            recording.enough = _periods.needed(recording.keeps_pace)
            self._stop(recording)
            job = capture._job
            if job is not None:
                while not job.wait(1.0):
                    pass
                if job.error is not None:
                    capture._error = " ".join(job.error).strip()
                else:
                    outcome = "done"
                    _say_missing(capture)
                    if capture.path is not None:
                        self.written.append(capture.path)
                    recording.begun = _periods.count()
                    self._unfinished.append(recording)
        finally:
            self._endings.remove(recording)
            _term.let_go(lambda: self.busy)
            capture.state = outcome

    def _stop(self, recording: _Recording) -> None:
        capture = recording.capture
        try:
            if recording.beside or capture._dropped:
                recording.metrics.stop()  # else the writer does it: a GPU's driver may take its time
            elif recording.unready:
                with contextlib.suppress(Exception):
                    _jax.wait_for_devices(recording.result)
            content = recording.session.stop()
            if capture._dropped:
                self._leave_place(capture)
                capture._error = "it holds no step"
                return
            if recording.session.programs and _jax.has_programs_on_the_host():
                capture._warnings.append("programs compiled for the CPU inside the capture are not in it")
            assert capture._place is not None
            with contextlib.suppress(
                OSError
            ):  # it was removed, perhaps by a process of the job that gave up its own
                capture._place.folder.mkdir(parents=True, exist_ok=True)
            capture._job = self._write(recording, content)
        except Exception as error:
            self._leave_place(capture)
            self._give_up(capture, f"the capture could not be stopped: {error}")
        finally:
            recording.result = recording.memory = recording.session.programs = None  # may be large
            recording.inflight.forget()
            recording.ending.stopped = True

    def _leave_place(self, capture: Capture) -> None:
        """To which nothing was written."""
        if capture._place is not None:
            with contextlib.suppress(OSError):
                capture._place.folder.rmdir()
            capture._place = None

    def is_stopped(self) -> bool:
        """The sessions of all that was recorded are over, and what they held is known."""
        return all(recording.ending.stopped for recording in tuple(self._endings))

    def wait_for_stops(self, seconds: float) -> bool:
        """Until the sessions of all that was recorded are over, unless this is a thread that ends one."""
        if any(recording.ending.thread == threading.get_ident() for recording in tuple(self._endings)):
            return False
        return wait_until(self.is_stopped, seconds)

    @property
    def ends_beside(self) -> bool:
        """The running capture may be ended by any thread, while the program goes on."""
        recording = self._recording
        return recording is not None and recording.beside

    def may_end_now(self, capture: Capture) -> bool:
        """By a thread that launches nothing: nothing of the capture is at work, so far as can be known."""
        recording = self._recording
        if recording is None or recording.capture is not capture or not recording.over_work:
            return False
        return not recording.inflight.known or recording.inflight.idle

    def launches(self, capture: Capture) -> int | None:
        """That were made in the running capture; None where that is not known."""
        recording = self._recording
        if recording is None or recording.capture is not capture or not recording.inflight.known:
            return None
        return recording.inflight.launches

    def after_next_launch(self, capture: Capture, then: Callable[[], None]) -> None:
        """Calls `then` behind the next launch, on its thread; where GPUs are if all launches come from that one."""
        recording = self._recording
        if recording is None or recording.capture is not capture:
            return
        inflight = recording.inflight
        inflight.after_next_launch(lambda: then() if recording.over_work or inflight.on_one_thread else None)

    def wait(self, seconds: float | None = None) -> bool:
        """Until all that was recorded is written and checked; False when that takes longer."""
        return wait_until(lambda: not self._endings, seconds)

    def flush(self, force: bool = False) -> None:
        """Completes the manifests of captures that have seen enough steps after them. Cheap: called by each step."""
        for recording in tuple(self._unfinished):
            if not force and _periods.count() - recording.begun <= recording.enough:
                continue
            after = _periods.after(recording.begun, recording.kind, recording.keeps_pace, fewer=force)
            recording.enough *= 2  # steps of other kinds came between
            if after or force:
                self._complete_manifest(recording, after)

    def _complete_manifests(self, past: _periods.Past) -> None:
        """Before the next capture: `past` has the steps since the last one."""
        for recording in tuple(self._unfinished):
            after = _periods.after(recording.begun, recording.kind, recording.keeps_pace, fewer=True)
            self._complete_manifest(recording, after or _periods.until(past, recording.begun, recording.kind))

    def _complete_manifest(self, recording: _Recording, after: dict[str, int] | None) -> None:
        try:
            self._unfinished.remove(recording)
        except ValueError:  # another thread does it
            return
        assert recording.capture._job is not None
        if after:
            recording.capture._job.update_manifest(_uncaptured(recording, after))

    def forget_after_fork(self) -> None:
        """All of it is the parent's."""
        inherited = [*self._endings, *([self._recording] if self._recording is not None else [])]
        self._recording = None
        self._endings.clear()
        self._unfinished.clear()
        for recording in inherited:
            recording.collections.remove()
            _remove(recording.hooks)
            recording.inflight.forget()
            keep_for_ever(recording.metrics)
            keep_for_ever(recording.session.programs)
            recording.capture._error = "it belongs to the process that this one was forked from"
            recording.capture.state = "failed"

    def skip(self, capture: Capture, why: str, *, quiet: bool = False) -> bool:
        """Says that there will be none, and why."""
        self._give_up(capture, why, quiet=quiet)
        capture.state = "skipped"
        return False

    def _give_up(self, capture: Capture, why: str, *, quiet: bool = False) -> None:
        if not quiet:
            _messages.say(f"nothing was captured: {why}.\nThe program goes on.")
        capture._error = why

    def _write(self, recording: _Recording, content: bytes) -> _native.CaptureJob:
        capture, place = recording.capture, recording.capture._place
        assert place is not None
        return _native.CaptureJob(
            content,
            path=str(place.xplane),
            manifest_path=str(place.manifest),
            capture=_layout.as_utf8(json.dumps(self._facts(recording), default=str, ensure_ascii=False)),
            uncaptured=_uncaptured(recording, None),
            perfetto_path=str(place.trace_json) if capture._perfetto else "",
            keep_free=KEEP_FREE,
            if_idle=_if_idle(capture.options),
            without_end=capture._missing,
            beside=[] if recording.memory is None else [(str(place.memory), recording.memory)],
            metrics=recording.metrics,
            programs=recording.session.programs,
            versions=list(_jax.metadata().items()) if recording.session.programs else [],
            quiet=recording.quiet,
        )

    def _memory_profile(self, capture: Capture) -> bytes | None:
        import jax

        try:
            return jax.profiler.device_memory_profile()
        except Exception as error:
            capture._memory = False
            capture._warnings.append(f"there is no memory profile: {error}")
            return None

    def _facts(self, recording: _Recording) -> dict[str, Any]:
        capture = recording.capture
        return {
            "begin_unix_ns": recording.begin_ns,
            "end_unix_ns": recording.end_ns,
            "trigger": capture.trigger,
            "steps": capture.steps,
            "options": capture.options,
            "collections": recording.collections.complete,
            "waited_seconds": round(capture.waited_seconds, 6),
            "launches": capture._launches,
            "warnings": capture._warnings,
            **recording.program,
        }


def _say_missing(capture: Capture) -> None:
    """A capture that lacks the end of something says so."""
    missing = {loss["place"]: loss["count"] for loss in capture._losses() if loss["kind"] == "unfinished"}
    if not missing:
        return
    counts = [f"{n} {'launch' if n == 1 else 'launches'} of {name}" for name, n in missing.items()]
    verb = "has" if sum(missing.values()) == 1 else "have"
    said = f"{', '.join(counts)} {verb} no end in the capture: still at work when it ended"
    capture._warnings.append(said)
    _messages.say(f"{said}.\nWait for the results inside of it: jax.block_until_ready(result).")


def _remove(hooks: Collection[Replacing]) -> None:
    for hook in hooks:
        hook.remove()


def _uncaptured(recording: _Recording, after: dict[str, int] | None) -> str:
    """The manifest's word on the steps around a capture, and of which kind they are."""
    return json.dumps({"name": recording.kind, "before": recording.before, "after": after})


def _if_idle(options: dict[str, Any]) -> str:
    """What a capture without work of a device lacks. On a CPU the host's tracer records that work, if told to."""
    if _facts.default_platform() != "cpu":
        return (
            "no event of a device: nothing ran on one, or its profiler (CUPTI on NVIDIA GPUs) is missing or was in use "
            "by another tool"
        )
    if options.get("host_tracer_level", 0) <= 1:
        return ""
    if _jax.version() < (0, 7):
        return "no event of a device: JAX tells on which CPU device an operation ran since 0.7"
    return "no program was over on a device while it was captured"


def check_hosts(hosts: Any) -> None:
    """OptionError for what names no processes."""
    several = hosts if isinstance(hosts, Collection) and not isinstance(hosts, str) else (hosts,)
    if hosts is not None and not all(type(index) is int and index >= 0 for index in several):
        raise OptionError(f"hosts= takes the number of a process or several, not {hosts!r}.")


def _is_wanted(hosts: Hosts) -> bool:
    if hosts is None:
        return True
    index, _ = _jax.process()
    return index == hosts if isinstance(hosts, int) else index in hosts


recorder = Recorder()
