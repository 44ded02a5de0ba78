"""gait.Profiler: captures of a training loop, by schedule and on request."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
import time
import weakref
from types import TracebackType
from typing import Any

from gait import _compiling, _jax, _layout, _messages, _options, _triggers
from gait._annotate import step_number
from gait._arguments import check_path, check_steps, check_text
from gait._capture import STOP_SECONDS, Capture, Hosts, check_hosts, recorder
from gait._ending import wait_until
from gait._handle import used_up
from gait._messages import OptionError
from gait._schedule import Schedule, Window
from gait._scope import step as step_annotation
from gait._seen import Seen

_EXAMPLE = 'gait.Profiler(gait.Schedule(start=100), "runs")'


@dataclasses.dataclass(frozen=True)
class _Due:
    """A capture that is to begin."""

    trigger: str
    count: int  # of steps
    occasion: str  # as in all processes of the job
    window: Window | None = None  # of the schedule


def _check_name(name: str | None) -> None:
    try:
        if name is not None:
            name.format(step=0)
    except (AttributeError, IndexError, KeyError, ValueError):
        raise OptionError(
            f"name= may hold the first step, as 'step_{{step:08d}}', and nothing else in braces, not {name!r}."
        ) from None


class Profiler:
    """Captures steps of a training loop.

        profiler = gait.Profiler(gait.Schedule(start=100, every=1000, count=5), "runs")
        for i, batch in enumerate(batches):
            with profiler.step(i):
                state = train_step(state, batch)

    schedule      which steps; without one only requests capture
    dir           the log directory
    name          a folder below it; may hold the first step: "step_{step:08d}"
    slow_step     captures after a step that took so many times the median of the last ones, 1.5 say
    trigger_file  captures when this file appears; it may hold the number of steps
    on_signal     captures at this signal; None: at none. Only in the main thread
    after_compile puts a capture off while the step before it has compiled a program
    perfetto, memory, options, hosts, block   as for gait.trace

    Requests, from any thread: `capture_async()`. All captures so far: `captures`. OptionError for what makes no
    sense, from here; later nothing is raised for the capture's sake, and what goes wrong is in
    `captures[-1].error`.
    """

    def __init__(
        self,
        schedule: Schedule | None = None,
        dir: str | os.PathLike[str] = "runs",
        *,
        name: str | None = None,
        perfetto: bool = False,
        memory: bool = False,
        options: Any = None,
        hosts: Hosts = None,
        block: bool = True,
        slow_step: float | None = None,
        trigger_file: str | os.PathLike[str] | None = None,
        on_signal: int | None = signal.SIGUSR2,
        after_compile: bool = False,
        step_name: str = "train",
    ):
        if slow_step is not None and (not isinstance(slow_step, (int, float)) or not slow_step > 1):
            raise OptionError(f"slow_step= takes a factor above 1, not {slow_step!r}.")
        if schedule is not None and not isinstance(schedule, Schedule):
            raise OptionError(f"schedule= takes a gait.Schedule, as in {_EXAMPLE}, not {schedule!r:.60}.")
        check_path("dir", dir, _EXAMPLE)
        _check_name(name)
        check_text("step_name", step_name)
        if trigger_file is not None:
            check_path("trigger_file", trigger_file, 'trigger_file="capture.now"')
        _options.check(options)  # what the platform has to say about it is known only when it is up
        check_hosts(hosts)
        self.schedule = schedule if schedule is not None else Schedule()
        self.dir = _layout.root(dir)  # where it is now: the program may go elsewhere
        self.captures: list[Capture] = []
        self._name = name
        self._step_name = step_name
        self._block = block
        self._begin = {
            "perfetto": perfetto,
            "memory": memory,
            "options": options,
            "hosts": hosts,
            "block": block,
        }
        self._requests = _triggers.Requests()
        self._signal = None if on_signal is None else _triggers.SignalTrigger(on_signal, self._requests.add)
        self._file = None if trigger_file is None else _triggers.FileTrigger(trigger_file)
        self._slow = None if slow_step is None else _triggers.SlowStep(slow_step)
        self._after_compile = after_compile
        self._compilations = 0
        self._first: int | None = None  # step of the program
        self._previous: int | None = None
        self._asked: int | None = None  # the last step for which the schedule was asked
        self._begun: float | None = None  # when the running step began, where it may be judged
        # Of each thread: `step`, the annotation of the running one, its number, the capture it began in; `before`,
        # the number of the last one.
        self._running = threading.local()
        self._deciding = threading.RLock()  # threads may share a loop
        self._capture: Capture | None = None
        self._wanted = 0  # steps of the running capture
        self._until = float("inf")
        self._once: dict[Window, Capture] = {}  # of a schedule that repeats nothing
        self._put_off: _Due | None = None
        self._full = False
        self._closed = False
        self._seen = Seen(self.schedule)
        self._never_came = weakref.finalize(self, self._seen.say_never_came)  # at the end of the process, too

    # -- the loop ------------------------------------------------------------------------------------------------

    def step(self, number: Any) -> _StepContext:
        """One step, as a context manager. `as s`, then `s.result = state` waits for that and nothing else."""
        return _StepContext(self, number)

    def begin_step(self, number: Any) -> None:
        """Where there is no place for a `with`: begin_step(n) ... end_step()."""
        if self._current is not None:  # the one before was never ended, by an exception perhaps
            self.end_step()
        number = step_number(number)
        self.on_step_begin(number)
        annotation = step_annotation(number, self._step_name)
        self._running.step = annotation, number, self._capture
        annotation.__enter__()

    def end_step(self, result: Any = None, *, failed: bool = False) -> None:
        """`result`, any tree of arrays, is what a capture waits for before it stops; else all arrays there are."""
        current, self._running.step = self._current, None
        if current is None:
            return
        annotation, number, capture = current
        annotation.__exit__(None, None, None)
        self._end_of(number, result, failed, capture)

    @property
    def running(self) -> int | None:
        """The number of this thread's running step, as it counts."""
        return None if self._current is None else self._current[1]

    @property
    def _current(self) -> tuple[Any, int, Capture | None] | None:
        """The running step of this thread."""
        return getattr(self._running, "step", None)

    def on_step_begin(self, number: int) -> None:
        """For steps that are marked in another way: what begin_step does, without an annotation."""
        with self._deciding:
            self._seen.add(number)
            if self._first is None:
                self._first = number
                if _jax.imported():
                    _compiling.compilations()  # from now on it is known which steps compile
            if self._capture is None and not self._closed:
                self._consider(number)
            if self._slow is not None:
                # A step beside which a capture is made is slow for that.
                self._begun = None if recorder.busy else time.perf_counter()

    def on_step_end(self, number: int, error: type[BaseException] | None = None) -> None:
        """What end_step does, without an annotation."""
        self._end_of(number, None, error is not None, self._capture)

    def _end_of(self, number: int, result: Any, failed: bool, capture: Capture | None) -> None:
        """Of a step that began in `capture`: one of another thread may have begun before it."""
        with self._deciding:
            self._previous = self._furthest(self._previous, number)
            self._running.before = number
            if (
                self._slow is not None
                and self._begun is not None
                and not recorder.busy
                and self._slow.add(time.perf_counter() - self._begun)
            ):
                self._requests.add("slow step")
            if self._capture is not None and self._capture is capture:
                self._capture.steps.append(number)
                late = _compiling.clock() >= self._until
                if late and self.schedule.max_seconds is not None:
                    self._capture.ended_by(f"max_seconds={self.schedule.max_seconds:g}")
                if failed or late or len(self._capture.steps) >= self._wanted:
                    self._end(result, failed)
            elif self._capture is None and recorder.unfinished:
                recorder.flush()

    # -- requests ------------------------------------------------------------------------------------------------

    def capture_async(self, steps: int | None = None) -> None:
        """Captures the next steps, as many as the schedule's count unless told otherwise. From any thread.

        OptionError for what is no number of steps, here and not in the loop.
        """
        check_steps("steps", steps)
        self._requests.add("request", steps)

    @property
    def is_profiling(self) -> bool:
        """A capture is being recorded, or has been asked for."""
        asked_for = bool(self._requests) or self._put_off is not None
        return self._capture is not None or (asked_for and not self._closed)

    @property
    def last(self) -> Capture | None:
        return self.captures[-1] if self.captures else None

    def wait(self) -> list[Capture]:
        """Until all captures are written and checked."""
        return [capture.wait() for capture in self.captures]

    def close(self) -> None:
        """Ends a running capture and gives signals back: no further one begins. Done by `with`, and at the end of the
        process."""
        self._closed = True
        if self._current is not None:
            self.end_step()
        with self._deciding:
            self._end(None, failed=False)
        recorder.flush()
        if self._signal is not None:
            self._signal.remove()
        self._never_came()

    def __enter__(self) -> Profiler:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None and self._current is not None:
            self.end_step(failed=True)
        self.close()

    # -- deciding ------------------------------------------------------------------------------------------------

    def _consider(self, number: int) -> None:
        due = self._due(number)
        if self._after_compile:
            compilations = _compiling.compilations()
            compiled, self._compilations = compilations != self._compilations, compilations
            if due is not None and (compiled or self._previous is None):
                self._put_off, due = due, None
        if due is None:
            return
        self._put_off = None
        count = self._affordable(due.count)
        if count > 0:
            self._start(number, dataclasses.replace(due, count=count))

    def _due(self, number: int) -> _Due | None:
        """What asks for a capture that begins with this step."""
        if self._file is not None:
            there, steps = self._file.look()
            if there:
                self._requests.add("file", steps)
        request = self._requests.take()
        if request is not None:
            return _Due(request[0], request[1] or self.schedule.count, f"{request[0]} {number}")
        asked, self._asked = self._asked, self._furthest(self._asked, number)
        window = self.schedule.begins(number, self._previous, self._first)
        if window is not None:
            # A range that was entered in its middle ends where it ends; so many steps are so many.
            in_range = window in self.schedule.windows() and number in window
            count = window.end - number if in_range else window.count
        else:
            window = self.schedule.window(number, self._first)
            if window is None or (asked is not None and asked >= window.begin):
                return self._put_off
            # It began while another capture was recorded: what is left of it.
            count = window.end - number
        if self._had(window):
            return self._put_off
        return _Due("schedule", count, f"schedule {window.begin}", window)

    def _furthest(self, so_far: int | None, number: int) -> int:
        """Steps of threads that share a loop come out of order. Where numbers begin anew those of a thread go back."""
        before = getattr(self._running, "before", None)
        anew = so_far is None or (before is not None and number <= before)
        return number if anew else max(so_far, number)

    def _had(self, window: Window) -> bool:
        """A window that is captured once, and was: step numbers have begun anew."""
        capture = self._once.get(window)
        return capture is not None and not capture.lost

    def _affordable(self, count: int) -> int:
        """As many steps as the bounds leave; 0: none."""
        schedule = self.schedule
        if schedule.max_sessions is None and schedule.max_bytes is None:
            return count
        wait_until(recorder.is_stopped, STOP_SECONDS)  # the sizes are known then
        made = [capture for capture in self.captures if capture.bytes > 0 and not capture.lost]
        if schedule.max_sessions is not None and used_up(made, schedule.max_sessions):
            return self._no_more(f"max_sessions={schedule.max_sessions}")
        if schedule.max_bytes is None:
            return count
        left = schedule.max_bytes - sum(capture.bytes for capture in made)
        if made:
            a_step = max(capture.bytes / max(len(capture.steps), 1) for capture in made)
            count = min(count, int(left / a_step))
        if count < 1 or left <= 0:
            return self._no_more(f"max_bytes={schedule.max_bytes}")
        return count

    def _no_more(self, bound: str) -> int:
        if not self._full:
            self._full = True
            _messages.say(f"no more captures: {bound} is used up.")
        return 0

    def _start(self, number: int, due: _Due) -> None:
        name = None if self._name is None else self._name.format(step=number)
        capture = Capture(self.dir, name)
        self.captures.append(capture)
        self._seen.captured = True
        self._capture = capture  # before it begins: whatever comes between, the next step ends it
        self._wanted = due.count
        if due.window is not None and self.schedule.every == 0:
            self._once[due.window] = capture
        try:
            begun = recorder.begin(
                capture, trigger=due.trigger, occasion=due.occasion, kind=self._step_name, **self._begin
            )
        except OptionError as error:  # one for another platform
            begun = recorder.skip(capture, str(error).rstrip("."))
        if not begun:
            self._capture = None
            return
        seconds = self.schedule.max_seconds
        self._until = float("inf") if seconds is None else _compiling.clock() + seconds

    def _end(self, result: Any, failed: bool) -> None:
        capture, self._capture = self._capture, None
        if capture is not None and recorder.capture is capture:
            recorder.end(result, block=self._block, failed=failed)


class _StepContext:
    """Made by Profiler.step."""

    __slots__ = ("_number", "_profiler", "result")

    def __init__(self, profiler: Profiler, number: Any):
        self._profiler = profiler
        self._number = number
        self.result: Any = None

    def __enter__(self) -> _StepContext:
        self._profiler.begin_step(self._number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._profiler.end_step(self.result, failed=kind is not None)
