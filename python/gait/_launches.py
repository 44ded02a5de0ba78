"""Launches of the functions that a program jits, seen from Python.

A repeated launch takes JAX's fast path, which shows only after the launch: `after(function)`. A launch that was asked
for, or a first launch, goes through Python: `before(function)` and `after(function)`. The very first launch of a
function is known only after it. Functions that JAX itself jits (`jnp.add`) are left out.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from gait import _jax_launches, _messages
from gait._loop import Function


class LaunchListener(Protocol):
    def before(self, function: Function) -> None: ...
    def after(self, function: Function) -> None: ...


class Launches:
    """Tells a listener of launches, from `install()` to `remove()`."""

    def __init__(self, listener: LaunchListener):
        self._listener = listener
        self._functions: dict[str, Function] = {}  # by their place in the source
        self._programs: weakref.WeakKeyDictionary[Any, Function | None] = weakref.WeakKeyDictionary()
        self._jitted: weakref.WeakKeyDictionary[Any, Function | None] = weakref.WeakKeyDictionary()
        self._undo: list[Callable[[], None]] = []

    def install(self) -> None:
        from jax._src import pjit
        from jax._src.interpreters import pxla

        try:
            fastpath_data = pjit._get_fastpath_data
            create_call = pxla.MeshExecutable.create_cpp_call
            self._undo.append(_jax_launches.watch_slow(self._before_slow, self._after_slow))
            self._undo.append(_jax_launches.watch_fast(self._on_fast_launch))
        except (ImportError, AttributeError):
            self.remove()
            _messages.say("steps that are not marked cannot be counted with this version of JAX.")
            return

        def get_fastpath_data(executable: Any, *args: Any, **kwargs: Any) -> Any:
            """Asked after a launch that compiled the program."""
            if executable is not None and executable.unsafe_call not in self._programs:
                self._tell(self._listener.after, self._function_of_program(executable))
            return fastpath_data(executable, *args, **kwargs)

        def create_cpp_call(executable: Any, *args: Any, **kwargs: Any) -> Any:
            """Asked before the first launch of what was compiled ahead of time."""
            function = self._function_of_program(executable)
            made = create_call(executable, *args, **kwargs)
            if made is not None:
                self._jitted[made] = function
            return made

        self._replace(pjit, "_get_fastpath_data", get_fastpath_data)
        self._replace(pxla.MeshExecutable, "create_cpp_call", create_cpp_call)

    def remove(self) -> None:
        while self._undo:
            self._undo.pop()()

    def show_next(self, function: Function) -> None:
        """Its next launch is seen before it: JAX forgets its fast path, and takes a millisecond to find it again."""
        for jitted, its in self._jitted.items():
            if its is function:
                jitted._clear_cache()

    def _replace(self, owner: Any, name: str, replacement: Any) -> None:
        original = getattr(owner, name)
        self._undo.append(lambda: setattr(owner, name, original))
        setattr(owner, name, replacement)

    def _tell(self, listener: Callable[[Function], None], function: Function | None) -> None:
        if function is None:
            return
        try:
            listener(function)
        except Exception as error:  # the program is not ours to break
            self.remove()
            _messages.say(f"launches are no longer counted: {error}")

    def _before_slow(self, program: Any) -> None:
        self._tell(self._listener.before, self._programs.get(program))

    def _after_slow(self, program: Any, _: Any) -> None:
        self._tell(self._listener.after, self._programs.get(program))

    def _on_fast_launch(self, jitted: Any, *_: Any) -> None:
        if not self._undo:  # removed, but not from another thread
            return
        try:
            function = self._jitted[jitted]
        except KeyError:
            from jax._src import api_util

            source = api_util.fun_sourceinfo(getattr(jitted, "__wrapped__", None))
            function = self._jitted[jitted] = (
                None if _is_no_program(source) else self._functions.get(_key(source))
            )
        self._tell(self._listener.after, function)

    def _function_of_program(self, executable: Any) -> Function | None:
        program = executable.unsafe_call
        if program not in self._programs:
            known = getattr(getattr(executable, "_all_args_info", None), "debug_info", None)
            source = getattr(known, "func_src_info", None)
            function = None
            if not _is_no_program(source):
                itself = weakref.ref(program)
                name = str(getattr(program, "name", "?"))
                function = self._functions.setdefault(
                    _key(source), Function(name, lambda: _size_of(itself()))
                )
            self._programs[program] = function
        return self._programs[program]


def _key(source: str | None) -> str:
    """Of a function: 'train_step at /home/me/train.py:12'. Objects that are called have no place, and share one key."""
    return source if source and " at " in source else ""


def _is_no_program(source: str | None) -> bool:
    """JAX's own functions, and gait's."""
    import jax

    own = os.path.join(os.path.dirname(os.path.abspath(jax.__file__)), "_src", "")
    gaits = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
    path = (source or "").rpartition(" at ")[2]
    # jax.pmap wraps the function of the program in one of its own.
    return path.startswith(gaits) or (path.startswith(own) and not path.startswith(own + "pmap.py"))


def _size_of(program: Any) -> int:
    """Of its HLO, as not every backend knows the size of its code."""
    try:
        return sum(
            len(module.as_serialized_hlo_module_proto()) for module in program.xla_executable.hlo_modules()
        )
    except Exception:  # gone, or a backend that hands out no HLO
        return len(getattr(program, "kept_var_idx", ()))
