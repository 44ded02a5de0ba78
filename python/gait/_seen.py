"""The steps that a program has marked so far, for a message about a step that never came."""

from __future__ import annotations

import os

from gait import _messages
from gait._schedule import Schedule


class Seen:
    """Of one loop, in the process that made it."""

    def __init__(self, schedule: Schedule):
        self.captured = False
        self._schedule = schedule
        self._process = os.getpid()
        self._first: int | None = None
        self._last: int | None = None

    def add(self, number: int) -> None:
        if self._first is None:
            self._first = number
        self._last = number

    def say_never_came(self) -> None:
        """At the end of a program that marked none of the steps that a schedule asks for."""
        asked = self._schedule.described()
        if asked and not self.captured and os.getpid() == self._process:
            marked = f"steps {self._first} to {self._last}"
            if self._first == self._last:
                marked = "no steps" if self._first is None else f"step {self._first}"
            _messages.say(f"nothing was captured: {asked} never came. The program marked {marked}.")
