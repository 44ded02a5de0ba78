"""Reasons to capture that are not step numbers: a request, a signal, a file, a slow step."""

from __future__ import annotations

import bisect
import collections
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from gait import _messages
from gait._messages import OptionError


class Requests:
    """Requests of other threads and of signal handlers; the next step takes them. The last one counts."""

    def __init__(self) -> None:
        # A deque's append and pop are atomic: no lock, as a signal handler could find it taken by its own thread.
        self._waiting: collections.deque[tuple[str, int | None]] = collections.deque(maxlen=1)

    def add(self, trigger: str, steps: int | None = None) -> None:
        self._waiting.append((trigger, steps))

    def take(self) -> tuple[str, int | None] | None:
        try:
            return self._waiting.pop()
        except IndexError:
            return None

    def __bool__(self) -> bool:
        return bool(self._waiting)


class SignalTrigger:
    """A signal asks for a capture. A handler that the program has installed is called too."""

    UNHEARD = (signal.SIGKILL, signal.SIGSTOP)
    _listening: ClassVar[dict[int, list[SignalTrigger]]] = {}  # by signal: all that share one handler
    _before: ClassVar[dict[int, Any]] = {}  # by signal: the program's own

    def __init__(self, number: int, request: Callable[[str], None]):
        known = isinstance(number, int) and not isinstance(number, bool) and number in signal.valid_signals()
        if not known or number in self.UNHEARD:
            raise OptionError(
                f"on_signal= takes a signal that a program can handle, signal.SIGUSR2 say, not {number!r:.60}."
            )
        self._number = number
        self._request = request
        if threading.current_thread() is not threading.main_thread():
            return
        self._listening.setdefault(number, []).append(self)
        if signal.getsignal(number) is not SignalTrigger._handle:
            self._before[number] = signal.signal(number, SignalTrigger._handle)

    @staticmethod
    def _handle(number: int, frame: Any) -> None:
        for trigger in SignalTrigger._listening.get(number, ()):
            trigger._request("signal")
        before = SignalTrigger._before.get(number)
        if callable(before):
            before(number, frame)

    def remove(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        listening = self._listening.get(self._number, [])
        if self not in listening:
            return
        listening.remove(self)
        if not listening and signal.getsignal(self._number) is SignalTrigger._handle:
            before = self._before.pop(self._number)
            signal.signal(self._number, signal.SIG_DFL if before is None else before)


class FileTrigger:
    """A file that appears asks for a capture; it may hold the number of steps. It is removed then."""

    SECONDS = 0.25  # between two looks

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(
            os.path.abspath(Path(path).expanduser())
        )  # where it is now: the program may go elsewhere
        self._next = 0.0
        self._stays: tuple[int, int] | None = None  # one that was taken and could not be removed

    def look(self) -> tuple[bool, int | None]:
        now = time.monotonic()
        if now < self._next:
            return False, None
        self._next = now + self.SECONDS
        try:
            status = self.path.stat()
            if (status.st_ino, status.st_mtime_ns) == self._stays:
                return False, None
            text = self.path.read_text()
        except (OSError, UnicodeDecodeError):
            return False, None
        try:
            self.path.unlink()
        except OSError as error:
            self._stays = (status.st_ino, status.st_mtime_ns)
            _messages.say(f"{self.path} cannot be removed ({error.strerror}): it counts once.")
        words = text.split()
        return True, int(words[0]) if words and words[0].isdecimal() and int(words[0]) > 0 else None


class SlowStep:
    """A step that took `factor` times as long as steps do: the median of the last ones."""

    REMEMBERED = 64
    NEEDED = 10  # before a median means anything

    def __init__(self, factor: float):
        self.factor = factor
        self._last: collections.deque[float] = collections.deque()
        self._sorted: list[float] = []

    def add(self, seconds: float) -> bool:
        """Whether this one was slow."""
        slow = len(self._last) >= self.NEEDED and seconds > self.factor * self._sorted[len(self._sorted) // 2]
        if len(self._last) == self.REMEMBERED:
            oldest = self._last.popleft()
            del self._sorted[bisect.bisect_left(self._sorted, oldest)]
        self._last.append(seconds)
        bisect.insort(self._sorted, seconds)
        return slow
