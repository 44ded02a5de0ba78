"""Schedule: which steps of a program to capture. Pure: it knows numbers and remembers nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from gait._annotate import whole_number
from gait._messages import OptionError


class _NotGiven(int):
    """A default that can be told from the same number, given."""


DEFAULT_START = 10  # the first steps compile
DEFAULT_COUNT = _NotGiven(5)  # steps of a capture


@dataclasses.dataclass(frozen=True)
class Window:
    """`count` steps beginning with step `begin`."""

    begin: int
    count: int

    @property
    def end(self) -> int:
        """The first step after it."""
        return self.begin + self.count

    def __contains__(self, step: int) -> bool:
        return self.begin <= step < self.end


def parse_steps(text: str) -> list[Window]:
    """ "100", "100:105" (both included) and lists of them, "100,200:204"."""
    windows = []
    for part in text.split(","):
        first, colon, last = part.strip().partition(":")
        try:
            begin = int(first)
            end = int(last) if colon else begin
        except ValueError:
            raise OptionError(f"{part.strip()!r} is no step and no range of steps such as 100:105.") from None
        if begin < 0 or end < begin:
            raise OptionError(f"{part.strip()!r} is no range of steps: it begins after its end.")
        windows.append(Window(begin, end - begin + 1))
    return _without_overlaps(windows)


def _without_overlaps(windows: list[Window]) -> list[Window]:
    """Those that share steps as one."""
    merged: list[Window] = []
    for window in sorted(windows, key=lambda w: w.begin):
        if merged and window.begin < merged[-1].end:
            begin = merged[-1].begin
            merged[-1] = Window(begin, max(window.end, merged[-1].end) - begin)
        else:
            merged.append(window)
    return merged


def _windows_of(steps: object) -> tuple[Window, ...]:
    if isinstance(steps, str):
        windows = parse_steps(steps)
    elif isinstance(steps, int) and not isinstance(steps, bool):
        windows = [Window(steps, 1)]
    elif isinstance(steps, range):
        windows = _runs_of(steps)
    elif isinstance(steps, Iterable):
        windows = _runs_of(n for part in steps for w in _windows_of(part) for n in range(w.begin, w.end))
    else:
        raise OptionError(f"steps= takes step numbers, ranges or text such as '100:105', not {steps!r}.")
    if not windows:
        raise OptionError(f"steps={steps!r} names no step.")
    if windows[0].begin < 0:
        raise OptionError(f"steps={steps!r}: there is no step {windows[0].begin}.")
    return tuple(windows)


def _runs_of(numbers: Iterable[int]) -> list[Window]:
    """Neighbouring numbers as one window each."""
    windows: list[Window] = []
    for number in sorted(set(numbers)):
        if windows and windows[-1].end == number:
            windows[-1] = Window(windows[-1].begin, windows[-1].count + 1)
        else:
            windows.append(Window(number, 1))
    return windows


def check_seconds(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise OptionError(f"{name}= takes a time above zero, in seconds, not {value!r}.")


@dataclasses.dataclass(frozen=True)
class Schedule:
    """When to capture, and how much.

    start         the first step to capture; None: none by number, and 10 with `every`: the first steps compile
    every         again every so many steps; 0: once, also where step numbers begin anew
    count         how many steps a capture has
    steps         instead of start and count: step numbers, ranges, or text: [100, 200], range(100, 105), "100:105"
                  (as on the command line, both ends included); `every` repeats one range
    max_sessions  at most so many captures; None: no limit
    max_seconds   a capture ends at the first step that ends after so many seconds
    max_bytes     no further capture once all together are larger; one that would become larger, judged by
                  those before it, has fewer steps
    """

    start: int | None = None
    every: int = 0
    count: int = DEFAULT_COUNT
    steps: object = None
    max_sessions: int | None = None
    max_seconds: float | None = None
    max_bytes: int | None = None

    def __post_init__(self) -> None:
        if self.steps is not None and (self.start is not None or not isinstance(self.count, _NotGiven)):
            raise OptionError("give either steps= or start= and count=, not both.")
        if self.every and self.steps is not None:
            self._repeat(_windows_of(self.steps))
        elif self.every and self.start is None:
            object.__setattr__(self, "start", DEFAULT_START)
        for name, least in (("start", 0), ("every", 0), ("count", 1), ("max_sessions", 0), ("max_bytes", 0)):
            value = getattr(self, name)
            if value is None and name in ("start", "max_sessions", "max_bytes"):
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise OptionError(f"{name}= takes an integer of at least {least}, not {value!r}.")
        if 0 < self.every < self.count:
            raise OptionError(
                f"every={self.every} begins the next capture before count={self.count} steps are over."
            )
        check_seconds("max_seconds", self.max_seconds)
        object.__setattr__(self, "_windows", () if self.steps is None else _windows_of(self.steps))

    def _repeat(self, windows: tuple[Window, ...]) -> None:
        """steps="100:105", every=1000 is start=100, count=6, every=1000."""
        if len(windows) != 1:
            raise OptionError(f"every={self.every} repeats one range of steps, not steps={self.steps}.")
        (window,) = windows
        for name, value in (("steps", None), ("start", window.begin), ("count", window.count)):
            object.__setattr__(self, name, value)

    def described(self) -> str:
        """The steps that it waits for at first: 'steps 20:24'. '': it waits for none."""
        windows = self.windows()
        if not windows and self.start is not None:
            windows = (Window(self.start, self.count),)
        names = ", ".join(str(w.begin) if w.count == 1 else f"{w.begin}:{w.end - 1}" for w in windows)
        return names and ("step " if names.isdecimal() else "steps ") + names

    def windows(self) -> tuple[Window, ...]:
        """Those given by `steps`."""
        return self._windows  # type: ignore[attr-defined]

    def window(self, step: int, first: int | None = None) -> Window | None:
        """The window that `step` belongs to, of a program whose first step was `first`.

        A program that resumes behind `start` gets the one window of `every=0` at its first step, and with
        `every` the next one that begins.
        """
        for given in self.windows():
            if step in given:
                return given
        if self.start is None or step < self.start:
            return None
        if self.every == 0:
            only = Window(max(self.start, first if first is not None else 0), self.count)
            return only if step in only else None
        begin = self.start + (step - self.start) // self.every * self.every
        window = Window(begin, self.count)
        return window if step in window else None

    def due(self, step: int, first: int | None = None) -> bool:
        """Whether `step` is to be captured. Asking changes nothing. TypeError for what is no number of a step."""
        return self.window(step if type(step) is int else whole_number(step), first) is not None

    def begins(self, step: int, previous: int | None, first: int | None = None) -> Window | None:
        """The window to begin at `step`, of a program that was at step `previous` before.

        Numbers may jump over the beginning of a window: it then begins at the next step there is.
        """
        if previous is None:
            return self.window(step, step if first is None else first)
        for given in self.windows():
            if previous < given.begin <= step:
                return given
        if self.start is None or step < self.start:
            return None
        if self.every == 0:
            begin = max(self.start, first if first is not None else 0)
        else:
            begin = self.start + (step - self.start) // self.every * self.every
        return Window(begin, self.count) if previous < begin <= step else None
