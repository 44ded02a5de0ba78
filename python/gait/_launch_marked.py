"""Steps that a program marks itself: which name counts where there are several, and the number of a step."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any


@dataclasses.dataclass(eq=False)
class Marks:
    """The steps of one name so far."""

    name: str
    first: int
    last: int
    seen: int  # the last number while they were the ones counted
    count: int = 0


class Marked:
    """Follows the steps of one name: those with "train" in it, else those that have come most often so far.

    An evaluation, whose steps begin at 0 again and again, may come before the training and have more steps.
    """

    def __init__(self) -> None:
        self.names: dict[str, Marks] = {}
        self.followed: Marks | None = None

    def begin(self, name: str, number: int) -> Marks:
        """Of the step that begins. It is one of those counted if that is `followed` afterwards."""
        marks = self.names.get(name)
        if marks is None:
            marks = self.names[name] = Marks(name, number, number, number - 1)
        marks.count += 1
        marks.last = number
        if self.followed is None or _rank(marks) > _rank(self.followed):
            self.followed = marks
        return marks

    def summary(self) -> str:
        """For who waited for another step."""
        followed = self.followed
        if followed is None:
            return ""
        marked = f"The program marked the steps {followed.first} to {followed.last}"
        others = ", ".join(f"'{name}'" for name in self.names if name != followed.name)
        return f"{marked} of '{followed.name}'; not counted: {others}." if others else f"{marked}."


def _rank(marks: Marks) -> tuple[bool, int]:
    return "train" in marks.name.lower(), marks.count


def number_of(value: Any, previous: int | None, recording: bool) -> int | None:
    """`step_num` of a step after step `previous` of its name; None for what is no number.

    A counter on a device is not waited for, which would keep the program from running ahead: it is the next number
    until it is known. While something is recorded JAX itself waits for it, to write it down.
    """
    if type(value) is int:
        return value
    try:
        if previous is not None and not recording and not getattr(value, "is_ready", lambda: True)():
            return previous + 1
        return operator.index(value)
    except Exception:  # None, a tracer, an array that was donated: the program's own affair
        return None
