"""What gait tells the person at the terminal: short lines on standard error.

Standard error that was closed when the process started is nobody's: descriptor 2 may be a file of the program by now.
"""

from __future__ import annotations

import os
import subprocess
import sys


class GaitError(RuntimeError):
    """Something that gait cannot do; the message says what and what to do about it."""


class OptionError(GaitError, ValueError):
    """An option that does not exist or has a value that it cannot have."""


def stderr_of_children() -> int | None:
    """For subprocess: the standard error of this process, where it is one."""
    return subprocess.DEVNULL if sys.__stderr__ is None else None


def _asked_to_be_quiet() -> bool:
    return os.environ.get("GAIT_QUIET", "") not in ("", "0")


def quiet() -> bool:
    """Nothing is to be written to descriptor 2: GAIT_QUIET=1, or the process started with standard error closed."""
    return _asked_to_be_quiet() or sys.__stderr__ is None


def say(text: str) -> None:
    if not _asked_to_be_quiet():
        complain(text.replace("\n", "\n      "))


def complain(text: str) -> None:
    """A line on Python's standard error, where there is one."""
    if sys.stderr is None:  # print(file=None) would write to standard output
        return
    try:
        print("gait: " + text, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):  # standard error is closed
        return
