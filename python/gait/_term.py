"""SIGTERM: gait writes unwritten captures first, then the process ends by the signal as without gait.

gait does so only where nobody else handles the signal, in Python or below. Python lets only the main thread set
handlers, and runs handlers only between its instructions: a loop in another thread could set none, and a program
inside native code would not end. faulthandler's handler has neither limit: it writes a few lines into a pipe, and a
thread of gait's reads them.

A program may set a handler of its own and later restore the one before. It then restores the default, since Python
does not know faulthandler's handler. So the thread checks the handler a few times a second, as long as a capture is
unwritten.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import fcntl
import os
import signal
import threading
import time
from collections.abc import Callable

from gait import _scope
from gait._ending import wait_until

STILL_SECONDS = (
    5.0  # that the main thread has to come to a halt: inside native code it launches nothing by itself
)
HEAR_SECONDS = 5.0  # that the thread has to read what has come
LOOK_MILLISECONDS = 250  # between two looks at whose handler there is
WAKE = b"\n"  # written into the pipe by ourselves

ending = False  # the signal has come: nothing may begin any more
_passed_on = False  # to whom it would have come without us
_silent = False  # nothing has come so far

_finish: Callable[[], None]  # all that is to be done before the end
_needs_halt: Callable[[], bool]
_lock = threading.Lock()
_ours: int | None = None  # the handler's address while it is ours
_pipe: tuple[int, int] | None = None


ctypes.pythonapi.PyOS_getsig.restype = ctypes.c_void_p


def _handler() -> int:
    """The address of the handler that the process has, whoever made it; 0: the default."""
    return ctypes.pythonapi.PyOS_getsig(int(signal.SIGTERM)) or 0


def guard(finish: Callable[[], None], needs_halt: Callable[[], bool]) -> None:
    """From now on. `needs_halt`: a session is to be stopped over which the program must launch nothing."""
    global _finish, _needs_halt, _ours, _pipe
    _finish, _needs_halt = finish, needs_halt
    with _lock:
        if _ours is not None or _handler() != 0:
            return
        _pipe = _pipe or _listen()
        if _pipe is None:
            return
        _register(_pipe)
        with contextlib.suppress(BlockingIOError):  # then it is awake
            os.write(_pipe[1], WAKE)


def _register(pipe: tuple[int, int]) -> None:
    """Where there is none."""
    global _ours
    faulthandler.unregister(signal.SIGTERM)  # an old one that somebody has replaced since
    faulthandler.register(signal.SIGTERM, file=pipe[1], all_threads=False)
    _ours = _handler()
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:  # another thread was faster: its own again
        faulthandler.unregister(signal.SIGTERM)


def _look_again() -> None:
    with _lock:
        if _ours is not None and _pipe is not None and _handler() == 0:
            _register(_pipe)


def let_go(needed: Callable[[], bool]) -> None:
    """The default again, unless it is still needed. From any thread."""
    with _lock:
        if not needed():
            _unregister()


def _unregister() -> None:
    global _ours
    if _ours is not None and _handler() == _ours:
        faulthandler.unregister(signal.SIGTERM)
    _ours = None


def _listen() -> tuple[int, int] | None:
    """A pipe with a thread at its end; None where that cannot be had, as while the interpreter ends."""
    try:
        pipe = _pipe_above_standard()
    except OSError:
        return None
    os.set_blocking(pipe[1], False)
    try:
        threading.Thread(target=_hear, args=(pipe[0],), name="gait-term", daemon=True).start()
    except RuntimeError:
        for end in pipe:
            os.close(end)
        return None
    return pipe


def _pipe_above_standard() -> tuple[int, int]:
    """A pipe none of whose ends is 0, 1 or 2: where one of those is closed, the next print would go into it."""
    ends = os.pipe()
    above = []
    try:
        for end in ends:
            above.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3))
    except OSError:
        for end in above:
            os.close(end)
        raise
    finally:
        for end in ends:
            os.close(end)
    return above[0], above[1]


def _hear(pipe: int) -> None:
    global ending, _passed_on, _silent
    while True:
        while _ours is not None and not _scope.wait_for_bytes(pipe, signal.SIGTERM, LOOK_MILLISECONDS):
            _look_again()
        heard = os.read(pipe, 1 << 16)
        if not heard:
            return
        if not heard.strip(WAKE):
            _silent = True
            continue
        ending = True
        try:
            if _needs_halt():
                _halt_main_thread()
            _finish()
        finally:
            let_go(lambda: False)
            os.kill(os.getpid(), signal.SIGTERM)
            _passed_on = True


def before_the_end(needed: Callable[[], bool]) -> None:
    """Of the program: where the signal has come it is what ends the process, and its status says so."""
    global _silent
    let_go(needed)
    if _pipe is None:
        return
    _silent = False
    with contextlib.suppress(BlockingIOError):  # then it has much to read
        os.write(_pipe[1], WAKE)  # behind all that has come
    wait_until(lambda: _silent or ending, HEAR_SECONDS)
    if ending:
        wait_until(lambda: _passed_on)  # and no longer: a handler of the program's may let it live


_halted = threading.Event()


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
def _halt(_nothing: int | None) -> int:
    _halted.set()
    while True:  # the process ends meanwhile
        time.sleep(1)


def _halt_main_thread() -> None:
    """The main thread stops between two of its instructions, for good."""
    if ctypes.pythonapi.Py_AddPendingCall(_halt, None) == 0:
        _halted.wait(STILL_SECONDS)


def forget_after_fork() -> None:
    """The child's SIGTERM is its own: what it wrote into the pipe would end the parent."""
    global _lock, _pipe, _passed_on, ending
    _lock = threading.Lock()
    _unregister()
    ending = _passed_on = False
    if _pipe is not None:
        for end in _pipe:
            os.close(end)
        _pipe = None
