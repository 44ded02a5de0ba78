"""The one profiler session that a process may have, owned by gait: started, stopped and always released."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gait import _jax, _native, _options
from gait._messages import GaitError

_LIBRARY = Path(os.__file__).resolve().parent
# Those who call on behalf of somebody.
_PASSING_ON = (
    str(Path(__file__).resolve().parent) + os.sep,
    str(_LIBRARY / "asyncio") + os.sep,
    str(_LIBRARY / "contextlib.py"),
)


@functools.cache
def _passes_on(path: str) -> bool:
    return os.path.realpath(path).startswith(_PASSING_ON)


class BusyError(GaitError):
    """Another session runs; the message says whose."""


def caller() -> str:
    """file:line of the code that called into gait."""
    frame = sys._getframe(1)
    while frame is not None and _passes_on(frame.f_code.co_filename):
        frame = frame.f_back
    return "gait" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def keep_for_ever(inherited: Any) -> None:
    """In a forked child: an object whose threads are the parent's, so that freeing it would wait for them."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(inherited))


class Session:
    """A running session of JAX's profiler."""

    _lock = threading.Lock()
    _active: Session | None = None
    _stopping: Session | None = None

    def __init__(
        self,
        raw: Any,
        state: _jax.ProfileState,
        owner: str,
        programs: _native.PluginPrograms | None,
        holder: object,
    ):
        self._raw = raw
        self._state = state
        self.owner = owner
        self.programs = programs  # that the session's bytes lack
        self.holder = holder

    @classmethod
    def start(cls, options: Mapping[str, Any], log_dir: Path, owner: str, holder: object) -> Session:
        """BusyError when somebody else has one; GaitError when JAX cannot start one. `holder` is whose it is."""
        import jax

        jax.devices()  # a TPU's tracer needs its library to be up
        state = _jax.ProfileState()
        with cls._lock, state.lock:
            cls._check(state)
            _jax.set_metadata()
            raw = None
            try:
                programs = _keep_programs() if options.get("enable_hlo_proto") else None
                raw = _start_raw({**options, "enable_hlo_proto": False} if programs else options)
                state.claim(raw, str(log_dir))
                cls._active = cls(raw, state, owner, programs, holder)
            except BaseException:  # also Ctrl-C: nothing may be left running
                cls._active = None
                state.release()
                raise
            return cls._active

    @classmethod
    def check_free(cls) -> None:
        """BusyError when somebody has a session now: nothing need be made ready for one."""
        state = _jax.ProfileState()
        with cls._lock, state.lock:
            cls._check(state)

    @classmethod
    def _check(cls, state: _jax.ProfileState) -> None:
        if cls._active is not None:
            raise BusyError(f"a capture of gait runs already, begun at {cls._active.owner}")
        if state.session() is not None:
            where = state.log_dir()
            into = f" into {where}" if where else ""
            raise BusyError(f"jax.profiler.start_trace has a profile running{into}")
        if _jax.is_recording():
            raise BusyError("another profiler session runs: of JAX's profiler server, of PGLE or of a tool")

    def stop(self) -> bytes:
        """The capture. The session is over afterwards, whatever happens. Meanwhile jax.profiler.start_trace waits."""
        with Session._lock:
            if Session._active is not self:
                raise GaitError("this session is over")
            Session._active, Session._stopping = None, self
        try:
            with self._state.lock:
                if not self._state.release():
                    raise GaitError(
                        "somebody else has stopped the session meanwhile, with jax.profiler.stop_trace: what it "
                        "held went where that writes"
                    )
                try:
                    return self._raw.stop()
                finally:
                    self._raw = None
                    _jax.clear_metadata()
        finally:
            Session._stopping = None

    @classmethod
    def active(cls) -> Session | None:
        return cls._active

    @classmethod
    def forget_after_fork(cls) -> None:
        """The session is the parent's. The child's copy must not be touched, nor freed, which would stop it."""
        cls._lock = threading.Lock()
        for inherited in (cls._active, cls._stopping):
            if inherited is None:
                continue
            keep_for_ever(inherited._raw)
            keep_for_ever(inherited.programs)
            if inherited is cls._stopping:  # by a thread that the child does not have
                inherited._state.lock._at_fork_reinit()
            inherited._state.release()
        cls._active = cls._stopping = None


def _keep_programs() -> _native.PluginPrograms | None:
    """Programs of a GPU, from its plugin: where the program has to wait for a session's bytes they should be few.

    None where JAX has to collect them itself.
    """
    if _jax.stops_beside() or _jax.has_programs_on_the_host():
        return None
    return _native.PluginPrograms.start()


def _start_raw(options: Mapping[str, Any]) -> Any:
    try:
        return _jax.native_profiler().ProfilerSession(_options.native(options))
    except Exception as error:
        raise GaitError(f"JAX's profiler cannot start: {error}") from error
