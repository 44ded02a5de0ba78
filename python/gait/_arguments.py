"""Checks of arguments that several functions take: a mistake is an error where the argument is given."""

from __future__ import annotations

import os
from typing import Any

from gait._messages import OptionError


def check_path(name: str, value: Any, example: str) -> None:
    """OptionError for what is no path; `example` shows how it is meant."""
    if not isinstance(value, (str, os.PathLike)):
        raise OptionError(f"{name}= takes a path, as in {example}, not {value!r:.60}.")


def check_text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise OptionError(f"{name}= takes text, not {value!r:.60}.")


def check_steps(name: str, value: Any) -> None:
    """OptionError for what is no number of steps; None is none."""
    if value is not None and (type(value) is not int or value < 1):
        raise OptionError(f"{name}= takes a number of steps of at least 1, not {value!r:.60}.")
