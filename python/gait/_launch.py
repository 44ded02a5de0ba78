"""What `gait run -- python train.py` does inside the program: captures it as the environment asks, unmodified.

Steps are those that the program marks, with gait.step or jax.profiler.StepTraceAnnotation. Where it marks none,
launches of its largest program are counted; for that one JAX's fast path, which never comes by Python, is off.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import sys
import weakref
from types import ModuleType
from typing import Any

from gait import _listeners, _messages, _scope
from gait._capture import recorder
from gait._environment import Settings, settings
from gait._messages import OptionError


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
        sys.meta_path.insert(0, _WhenJaxIsImported(wanted))


def start(wanted: Settings) -> Steps:
    from gait._profiler import Profiler

    profiler = Profiler(wanted.schedule, wanted.dir, **wanted.options)
    return Steps(profiler)


class Steps:
    """Tells a profiler of the program's steps: marked ones, or launches as long as there are none."""

    def __init__(self, profiler: Any):
        self.profiler = profiler
        self._marked = False
        self._launches = _Launches(self._on_launch)
        self._launched = -1  # the launch that runs
        _listeners.add(self)
        _watch_step_annotations()
        self._launches.install()

    def on_step_begin(self, number: int) -> None:
        if not self._marked:
            self._marked = True
            self._launches.remove()
            if self._launched >= 0:
                self.profiler.on_step_end(self._launched)
        self.profiler.on_step_begin(number)

    def on_step_end(self, number: int, error: type[BaseException] | None) -> None:
        self.profiler.on_step_end(number, error)

    def _on_launch(self, first: bool) -> None:
        if self._marked:
            return
        if first and self._launched >= 0 and recorder.capture is None:
            # What was counted so far were smaller programs, that prepared the ground.
            self._launched = -1
            self.profiler.restart()
        if self._launched >= 0:
            self.profiler.on_step_end(self._launched)
        self._launched += 1
        _scope.remember_step(self._launched)
        self.profiler.on_step_begin(self._launched)


def _watch_step_annotations() -> None:
    """jax.profiler.StepTraceAnnotation also tells the listeners."""
    import jax

    original = jax.profiler.StepTraceAnnotation

    class StepTraceAnnotation(original):  # type: ignore[misc, valid-type]
        def __init__(self, name: str, **kwargs: Any):
            # The event begins when it is made: a capture that this step starts must have begun by then.
            self._number = kwargs.get("step_num")
            if isinstance(self._number, int):
                _scope.remember_step(self._number)
                _listeners.on_begin(self._number)
            super().__init__(name, **kwargs)

        def __exit__(self, *error: Any) -> Any:
            done = super().__exit__(*error)
            if isinstance(self._number, int):
                _listeners.on_end(self._number, error[0])
            return done

    StepTraceAnnotation.__qualname__ = original.__qualname__
    StepTraceAnnotation.__doc__ = original.__doc__
    jax.profiler.StepTraceAnnotation = StepTraceAnnotation


class _Launches:
    """Calls back at each launch of the largest program so far, and says whether it is its first."""

    def __init__(self, on_launch: Any):
        self._on_launch = on_launch
        self._largest: Any = None
        self._size = -1
        self._known: weakref.WeakSet[Any] = weakref.WeakSet()  # smaller ones
        self._undo: list[tuple[Any, str, Any]] = []

    def install(self) -> None:
        from jax._src import pjit
        from jax._src.interpreters import pxla

        if not hasattr(pjit, "_get_fastpath_data") or not hasattr(pxla, "ExecuteReplicated"):
            _messages.say("steps that are not marked cannot be counted with this version of JAX.")
            return
        fastpath_data = pjit._get_fastpath_data
        execute = pxla.ExecuteReplicated.__call__

        def get_fastpath_data(executable: Any, *args: Any, **kwargs: Any) -> Any:
            if getattr(executable, "unsafe_call", None) is self._largest and self._largest is not None:
                return None
            return fastpath_data(executable, *args, **kwargs)

        def call(executor: Any, *args: Any) -> Any:
            if executor is self._largest:
                self._on_launch(False)
            elif self._is_larger(executor):
                self._on_launch(True)
            return execute(executor, *args)

        self._replace(pjit, "_get_fastpath_data", get_fastpath_data)
        self._replace(pxla.ExecuteReplicated, "__call__", call)

    def remove(self) -> None:
        while self._undo:
            owner, name, original = self._undo.pop()
            setattr(owner, name, original)

    def _replace(self, owner: Any, name: str, replacement: Any) -> None:
        self._undo.append((owner, name, getattr(owner, name)))
        setattr(owner, name, replacement)

    def _is_larger(self, executor: Any) -> bool:
        if executor in self._known:
            return False
        size = _size_of(executor)
        if size > self._size:
            self._largest, self._size = executor, size
            return True
        self._known.add(executor)
        return False


def _size_of(executor: Any) -> int:
    """Of the program: of its HLO, as not every backend knows the size of its code. Takes milliseconds, once."""
    try:
        return sum(
            len(module.as_serialized_hlo_module_proto()) for module in executor.xla_executable.hlo_modules()
        )
    except Exception:  # a backend that hands out no HLO
        return len(getattr(executor, "kept_var_idx", ()))
