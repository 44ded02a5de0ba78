"""Messages for the person at the terminal: short lines on standard error."""

from __future__ import annotations

import os
import sys


class GaitError(RuntimeError):
    """Something that gait cannot do; the message says what and what to do about it."""


class OptionError(GaitError, ValueError):
    """An option that does not exist or has a value that it cannot have."""


def quiet() -> bool:
    """GAIT_QUIET=1 keeps gait from writing to standard error."""
    return os.environ.get("GAIT_QUIET", "") not in ("", "0")


def say(text: str) -> None:
    if quiet():
        return
    try:
        print("gait: " + text.replace("\n", "\n      "), file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):  # standard error is closed
        return
