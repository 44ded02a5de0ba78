"""Shares of a whole, as people write them: "3%", 0.03."""

from __future__ import annotations

import math

from gait._messages import OptionError


def share_of(given: str | float) -> float:
    """ "3%", "0.03" and 0.03 as 0.03. OptionError for anything else, and for 3, which may mean 3 % or 300 %."""
    percent = isinstance(given, str) and given.rstrip().endswith("%")
    try:
        value = float(given.rstrip().removesuffix("%")) if isinstance(given, str) else float(given)
    except (TypeError, ValueError):
        raise OptionError(f"{given!r} is no share: give a percentage, '3%'.") from None
    if value < 0 or not math.isfinite(value):
        raise OptionError(f"{given!r} is no share: give a percentage, '3%'.")
    if not percent and value >= 1:
        raise OptionError(f"{given!r} may mean {value:g} % or {100 * value:g} %: write '{value:g}%'.")
    return value / 100 if percent else value
