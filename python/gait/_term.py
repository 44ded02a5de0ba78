"""SIGTERM: what is unwritten is written first, then the process ends by it as it would have.

Only where nobody else handles it, in Python or below. There are two ways to hear of it:

- attended, while a capture is recorded on the main thread: a handler of Python's. The program stands still then, as
  a GPU's session must not be stopped over running work.
- unattended, for captures of other threads, and for those that are being written: Python lets only the main thread
  have handlers, and runs them only between its instructions, so that a program inside long native code would not
  end. faulthandler's handler knows neither limit: it writes a few lines into a pipe, and a thread reads them.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import signal
import threading
from collections.abc import Callable

_finish: Callable[[], None]  # all that is to be done before the end
_lock = threading.RLock()  # the attended handler may come inside of it
_attended = False
_unattended: int | None = None  # the handler's address while it is ours
_pipe: tuple[int, int] | None = None


def _handler() -> int:
    """The address of the handler that the process has, whoever made it; 0: the default."""
    ctypes.pythonapi.PyOS_getsig.restype = ctypes.c_void_p
    return ctypes.pythonapi.PyOS_getsig(int(signal.SIGTERM)) or 0


def _on_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def attend(finish: Callable[[], None]) -> None:
    """While a capture is being recorded by this thread."""
    global _finish, _attended
    _finish = finish
    with _lock:
        if not _on_main_thread():
            _watch()
            return
        _unwatch()
        if _handler() == 0:
            signal.signal(signal.SIGTERM, _on_term)
            _attended = True


def leave(needed: Callable[[], bool]) -> None:
    """Nothing is recorded any more; what is left, if it is still needed, does not need the program's thread."""
    with _lock:
        if _attended and not _on_main_thread():
            return
        _stop_attending()
        if needed():
            _watch()
        else:
            _unwatch()


def let_go(needed: Callable[[], bool]) -> None:
    """The default again, unless it is still needed. From any thread; an attended one is given back by its own."""
    with _lock:
        if needed():
            return
        _unwatch()
        if _on_main_thread():
            _stop_attending()


def _stop_attending() -> None:
    global _attended
    if _attended and signal.getsignal(signal.SIGTERM) is _on_term:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _attended = False


def _watch() -> None:
    global _pipe, _unattended
    if _unattended is not None or _handler() != 0:
        return
    if _pipe is None:
        _pipe = os.pipe()
        os.set_blocking(_pipe[1], False)
        threading.Thread(target=_hear, args=(_pipe[0],), name="gait-term", daemon=True).start()
    faulthandler.unregister(signal.SIGTERM)  # an old one that somebody has replaced since
    faulthandler.register(signal.SIGTERM, file=_pipe[1], all_threads=False)
    _unattended = _handler()


def _unwatch() -> None:
    global _unattended
    if _unattended is not None and _handler() == _unattended:
        faulthandler.unregister(signal.SIGTERM)
    _unattended = None


def _hear(pipe: int) -> None:
    while os.read(pipe, 1 << 16):
        _end()


def _on_term(_number: int, _frame: object) -> None:
    _end()


def _end() -> None:
    _finish()
    let_go(lambda: False)
    os.kill(os.getpid(), signal.SIGTERM)


def forget_after_fork() -> None:
    """The child's SIGTERM is its own: what it wrote into the pipe would end the parent."""
    global _lock, _pipe
    _lock = threading.RLock()
    _unwatch()
    with contextlib.suppress(ValueError):  # not the main thread
        _stop_attending()
    if _pipe is not None:
        for end in _pipe:
            os.close(end)
        _pipe = None
