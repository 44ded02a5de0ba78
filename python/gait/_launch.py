"""The part of `gait run -- python train.py` inside the unmodified program: captures it as the environment asks.

Steps are the ones that the program marks, with gait.step or jax.profiler.StepTraceAnnotation (gait._launch_marked).
Where the program marks none, launches count (gait._loop). When a program ends before its window came, gait says so. A
profile that the program makes itself goes first.
"""

from __future__ import annotations

import atexit
import importlib.abc
import importlib.util
import multiprocessing
import os
import sys
import textwrap
import threading
import time
from types import ModuleType
from typing import Any

from gait import _compiling, _launch_own, _listeners, _messages, _scope
from gait._capture import STOP_SECONDS, Capture, recorder
from gait._ending import wait_until
from gait._environment import Settings, settings
from gait._launch_adopt import adopt, newest_run
from gait._launch_marked import Marked, number_of
from gait._launches import Launches
from gait._loop import Function, Loop
from gait._messages import OptionError
from gait._profiler import Profiler

MAIN = "GAIT_MAIN_PROCESS"  # the program that was asked for, by the number of its process
MOST_NAMED = 5  # functions, at the end
GAIT_STEPS = "train"  # the name of gait.step's, unless told otherwise


class _Loader(importlib.abc.Loader):
    """JAX's own, and then `start`."""

    def __init__(self, inner: importlib.abc.Loader, wanted: Settings):
        self._inner = inner
        self._wanted = wanted

    def create_module(self, spec: Any) -> ModuleType | None:
        return self._inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._inner.exec_module(module)
        try:
            start(self._wanted)
        except Exception as error:  # the program is not ours to break
            _messages.say(f"the program runs without a capture: {error}")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _WhenJaxIsImported(importlib.abc.MetaPathFinder):
    def __init__(self, wanted: Settings):
        self._wanted = wanted

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname != "jax":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("jax")
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._wanted)
        return spec


def install() -> None:
    """Called when the interpreter starts. Nothing happens before the program imports JAX."""
    try:
        wanted = settings(os.environ)
    except OptionError as error:
        _messages.say(f"the program runs without a capture: {error}")
        return
    if wanted is not None:
        finder = _WhenJaxIsImported(wanted)
        sys.meta_path.insert(0, finder)
        if MAIN not in os.environ:  # else a helper that the program started
            os.environ[MAIN] = str(os.getpid())
            atexit.register(_say_without_jax, finder)


def _say_without_jax(finder: _WhenJaxIsImported) -> None:
    """At the end of a program that never imported JAX."""
    if finder in sys.meta_path and os.environ.get(MAIN) == str(os.getpid()):
        program = os.path.basename(
            sys.argv[0] if sys.argv and sys.argv[0] not in ("", "-c") else "the program"
        )
        _messages.say(f"nothing was captured: {program} never imported JAX.")


def start(wanted: Settings) -> Steps:
    steps = Steps(_Profiler(wanted.schedule, wanted.dir, **wanted.options))
    atexit.register(steps.at_exit)
    return steps


class _Profiler(Profiler):
    _thread = 0  # that began the capture

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self._never_came.detach()  # Steps says it, which knows what was counted

    def follow(self, name: str, first: int | None, previous: int | None) -> None:
        """Steps are others from now on: their name, their first, and the last one that was seen."""
        self._end(None, failed=False)
        self._step_name = name
        self._first, self._previous, self._asked = first, previous, previous
        self._once.clear()

    @property
    def in_last_step(self) -> bool:
        """Of a capture."""
        return self._capture is not None and len(self._capture.steps) + 1 >= self._wanted

    @property
    def on_its_thread(self) -> bool:
        return threading.get_ident() == self._thread

    def _start(self, *args: Any) -> None:
        self._thread = threading.get_ident()
        super()._start(*args)

    def give_way(self) -> None:
        """To a session that the program is about to start: what was recorded so far is kept, and nothing is left."""
        capture = self._capture
        if capture is not None and recorder.capture is capture:
            _messages.say(
                "the program makes a profile of its own: this capture ends, after "
                f"{len(capture.steps)} of {self._wanted} steps."
            )
            if recorder.ends_beside or self.on_its_thread:
                self._end(None, failed=False)
            else:
                self._until = float(
                    "-inf"
                )  # over work of a GPU only who launches it may: where its step ends
        wait_until(
            lambda: (capture is None or recorder.capture is not capture) and recorder.is_stopped(),
            STOP_SECONDS,
        )


class Steps:
    """Tells a profiler of the program's steps: marked ones, or launches as long as there are none.

    Step n then lasts from launch n - 1 to launch n, or to the launch after it where a capture ends: that launch is
    in it as a whole.
    """

    def __init__(self, profiler: _Profiler):
        self.profiler = profiler
        self._process = os.getpid()
        self._marked = Marked()
        self._loop = Loop()
        self._launches = Launches(self)
        self._function: Function | None = None  # whose launches are the steps
        self._begun: dict[Function, int] = {}  # the last step of each that was followed
        self._late = False  # the step is over but for what follows its launch
        self._ends_at_exit = False
        self._stepless: Capture | None = None  # at the end of the program
        self._own: list[
            tuple[str, float]
        ] = []  # log directories of the program's own profiles, and since when
        _compiling.compilations()  # from now on it is known which steps compile
        _listeners.add(self)
        _watch_step_annotations(self)
        _launch_own.watch(self.give_way, self._on_own)
        self._launches.install()

    # -- marked --------------------------------------------------------------------------------------------------

    def on_step_begin(self, number: int) -> None:
        """Of gait.step."""
        if self._counts(GAIT_STEPS, number):
            self.profiler.on_step_begin(number)

    def on_step_end(self, number: int, error: type[BaseException] | None) -> None:
        if self._is_counted(GAIT_STEPS):
            self.profiler.on_step_end(number, error)

    def on_annotation_begin(self, name: str, step_num: Any) -> int | None:
        """Of jax.profiler.StepTraceAnnotation: which step it is."""
        marks = self._marked.names.get(name)
        number = number_of(step_num, None if marks is None else marks.last, recorder.capture is not None)
        if number is None:
            return None
        if self._counts(name, number):
            self.profiler.on_step_begin(number)
            _scope.remember_step(number, name)  # in the window that it may have begun
        _listeners.on_begin(number, but=self)
        return number

    def on_annotation_end(self, name: str, number: int, error: type[BaseException] | None) -> None:
        if self._is_counted(name):
            self.profiler.on_step_end(number, error)
        _listeners.on_end(number, error, but=self)

    def _counts(self, name: str, number: int) -> bool:
        """Whether this step that begins is one of those that windows count."""
        before = self._marked.followed
        marks = self._marked.begin(name, number)
        if marks is not self._marked.followed:
            return False
        if before is None:
            self._launches.remove()
            self.profiler.follow(name, None, None)
        elif marks is not before:
            # What they passed while nobody looked begins now.
            self.profiler.follow(name, marks.first, marks.seen)
        marks.seen = number
        return True

    def _is_counted(self, name: str) -> bool:
        return self._marked.followed is not None and self._marked.followed.name == name

    # -- launched ------------------------------------------------------------------------------------------------

    def before(self, function: Function) -> None:
        self._end_late()

    def after(self, function: Function) -> None:
        self._end_late()
        if not self._loop.launch(function, hold=recorder.capture is not None):
            return
        number = function.launches - 1
        if function is not self._function:
            # What it passed while nobody looked begins now.
            self._function = function
            self.profiler.follow(function.name, 0, self._begun.get(function, -1))
        elif self.profiler.in_last_step:
            self._late = True
            self._launches.show_next(function)
            return
        else:
            self.profiler.on_step_end(number)
        self._begin(function, number + 1)

    def _begin(self, function: Function, number: int) -> None:
        self._begun[function] = number
        self.profiler.on_step_begin(number)
        _scope.remember_step(number, function.name)  # in the window that it may have begun
        if self.profiler.captures and not self._ends_at_exit:
            self._ends_at_exit = True
            atexit.register(self._before_the_last_capture_ends)

    def _end_late(self) -> None:
        if self._late and self._function is not None:
            self._late = False
            number = self._begun[self._function]
            self.profiler.on_step_end(number)
            self._begin(self._function, number + 1)

    # -- the program's own profiles ------------------------------------------------------------------------------

    def give_way(self) -> None:
        try:
            if self.profiler.on_its_thread:
                self._end_late()
            self.profiler.give_way()
        except Exception as error:  # the program is not ours to break
            _messages.say(f"the capture could not be ended: {error}")

    def _on_own(self, log_dir: str) -> None:
        self._own.append((os.path.abspath(log_dir), time.time()))

    def _adopted(self) -> bool:
        """The program's own profile stands for the one that was asked for, where there is no other."""
        ours = {capture.path for capture in self.profiler.captures if not capture.lost and capture.steps}
        if ours:
            return False
        candidates = [run for run in recorder.written if run not in ours]
        candidates += filter(None, [newest_run(log_dir, since) for log_dir, since in self._own])
        adopted = adopt(candidates, self.profiler.dir)
        if adopted:
            others = sorted({str(run) for run in candidates} - {str(run) for run in adopted})
            left = f", the last; the program also made {', '.join(others)}" if others else ""
            _messages.say(f"the program's own profile is taken: {adopted[0]}{left}")
        return bool(adopted)

    # -- the end -------------------------------------------------------------------------------------------------

    def _before_the_last_capture_ends(self) -> None:
        """Which began behind a launch: where that was the last one it holds no step, and hides the captures before."""
        self._end_late()
        capture = recorder.capture
        if (
            capture is not None
            and capture is self.profiler.last
            and capture.trigger == "schedule"
            and not capture.steps
            and self._marked.followed is None
        ):
            self._stepless, capture._dropped = capture, True

    def at_exit(self) -> None:
        if os.getpid() != self._process:
            return
        asked = self.profiler.schedule.described()
        came = [c for c in self.profiler.captures if c is not self._stepless]
        if not asked or self._adopted() or came:
            return
        if (
            not self._marked.names
            and not self._loop.functions
            and multiprocessing.parent_process() is not None
        ):
            return  # a helper of the program, that loads its data perhaps
        counted = textwrap.fill(self._marked.summary(), 74) or _counted(self._loop)
        _messages.say(f"nothing was captured: {asked} never came.\n{counted}")


def _counted(loop: Loop) -> str:
    """What was counted where no step is marked."""
    others = sorted((f for f in loop.functions if f is not loop.step), key=lambda f: -f.launches)
    names = [f"{f.launches} of {f.name}" for f in others[:MOST_NAMED]] + ["…"] * (len(others) > MOST_NAMED)
    if loop.step is not None:
        others_too = f"; launches of others: {', '.join(names)}" if names else ""
        counted = f"Counted were {loop.step.launches} launches of {loop.step.name}{others_too}."
    elif names:
        counted = f"No function was launched again and again: {', '.join(names)}."
    else:
        counted = "The program launched no function that it jits."
    return textwrap.fill(f"{counted} Steps can be marked: jax.profiler.StepTraceAnnotation.", 74)


def _watch_step_annotations(steps: Steps) -> None:
    """jax.profiler.StepTraceAnnotation also tells `steps`."""
    import jax

    original = jax.profiler.StepTraceAnnotation

    class StepTraceAnnotation(original):  # type: ignore[misc, valid-type]
        def __init__(self, name: str, **kwargs: Any):
            # The event begins when it is made: a capture that this step starts must have begun by then.
            self._step = name, steps.on_annotation_begin(name, kwargs.get("step_num"))
            super().__init__(name, **kwargs)

        def __exit__(self, *error: Any) -> Any:
            done = super().__exit__(*error)
            name, number = self._step
            if number is not None:
                steps.on_annotation_end(name, number, error[0])
            return done

    StepTraceAnnotation.__qualname__ = original.__qualname__
    StepTraceAnnotation.__doc__ = original.__doc__
    jax.profiler.StepTraceAnnotation = StepTraceAnnotation
