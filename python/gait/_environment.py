"""Captures without code: the variable GAIT, and the variables of other tools.

    GAIT="dir=runs,steps=100:105,every=1000"

A part without a name belongs to the one before it: steps=10,20:22 are the steps 10, 20, 21 and 22.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Mapping
from typing import Any

from gait import _layout, _messages
from gait._messages import OptionError
from gait._schedule import DEFAULT_COUNT, DEFAULT_START, Schedule


def _flag(text: str) -> bool:
    if text.lower() in ("1", "true", "yes", "on", ""):
        return True
    if text.lower() in ("0", "false", "no", "off"):
        return False
    raise ValueError


KEYS: dict[str, Callable[[str], Any]] = {
    "dir": str,
    "name": str,
    "steps": str,
    "start": int,
    "every": int,
    "count": int,
    "max_sessions": int,
    "max_seconds": float,
    "max_bytes": int,
    "perfetto": _flag,
    "memory": _flag,
    "python": _flag,  # the Python tracer
    "slow_step": float,
    "trigger_file": str,
    "after_compile": _flag,
    "hosts": int,
}


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the environment asks for."""

    dir: str
    schedule: Schedule
    options: dict[str, Any]  # further arguments of gait.Profiler


def parse(text: str) -> dict[str, Any]:
    """The value of GAIT by key; OptionError says what is wrong with it."""
    values: dict[str, str] = {}
    last = None
    for part in text.split(","):
        key, equals, value = part.strip().partition("=")
        if equals:
            last = key.strip()
            values[last] = value.strip()
        elif last is not None:
            values[last] += "," + key
        elif key not in ("", "1"):  # GAIT=1: the defaults
            raise OptionError(f"GAIT={text!r}: {part!r} has no name; it looks like dir=runs,steps=100:105.")
    made = {}
    for key, value in values.items():
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, n=1)
            hint = f"Did you mean {near[0]}=?" if near else "There are: " + ", ".join(KEYS)
            raise OptionError(f"GAIT={text!r}: there is no {key}=. {hint}")
        try:
            made[key] = KEYS[key](value)
        except ValueError:
            raise OptionError(f"GAIT={text!r}: {value!r} is no value for {key}=.") from None
    return made


@dataclasses.dataclass(frozen=True)
class ProfileVariables:
    """PROFILE_* of MacroGPT-JAX, as the program itself and `gait run` understand them."""

    MODES = ("tensorboard", "perfetto")
    NAMES = tuple(
        f"PROFILE_{name}" for name in ("ENABLED", "DIR", "START_STEP", "INTERVAL", "DURATION", "MODE", "STEP")
    )

    enabled: bool = False
    dir: str = "./profiles"
    mode: str = "tensorboard"
    start_step: int = 100
    interval: int = 1000
    duration: int = 1

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> ProfileVariables:
        """With PROFILE_STEP=N: step N, once. A value that makes no sense is said, if anything is asked for, and the
        default taken: no mistake in a variable ends a training."""

        def number(name: str, default: int, least: int = 0) -> int:
            text = environ.get(name, "")
            try:
                value = int(text) if text else default
            except ValueError:
                return instead(name, text, "is no number of steps", default)
            return instead(name, text, f"is below {least}", default) if value < least else value

        def instead(name: str, text: str, problem: str, default: Any) -> Any:
            _messages.say(f"{name}={_layout.as_utf8(text)!r} {problem}: {default} is taken.")
            return default

        cls._say_mistakes(environ)
        only = "PROFILE_STEP" in environ
        directory = environ.get("PROFILE_DIR") or cls.dir
        mode = environ.get("PROFILE_MODE", cls.mode)
        if environ.get("PROFILE_ENABLED", "0") != "1" and not only:
            return cls(dir=directory, mode=mode)
        if mode not in cls.MODES:
            mode = instead("PROFILE_MODE", mode, f"is none of {', '.join(cls.MODES)}", cls.mode)
        return cls(
            True,
            directory,
            mode,
            number("PROFILE_STEP" if only else "PROFILE_START_STEP", cls.start_step),
            0 if only else number("PROFILE_INTERVAL", cls.interval),
            1 if only else number("PROFILE_DURATION", cls.duration, least=1),
        )

    @classmethod
    def _say_mistakes(cls, environ: Mapping[str, str]) -> None:
        """What was meant to ask for something, and does not."""
        enabled = environ.get("PROFILE_ENABLED", "0")
        if enabled.lower() not in ("", "0", "1", "false", "no", "off"):
            _messages.say(f"PROFILE_ENABLED={_layout.as_utf8(enabled)!r} is not 1: it asks for nothing.")
        for name in environ:
            if not name.startswith("PROFILE_") or name in cls.NAMES:
                continue
            if near := difflib.get_close_matches(name, cls.NAMES, n=1, cutoff=0.9):
                _messages.say(f"{_layout.as_utf8(name)} means nothing here. Did you mean {near[0]}?")

    @property
    def count(self) -> int:
        """Steps of a capture. An interval shorter than the duration means every step."""
        return min(self.duration, self.interval) if self.interval else self.duration


def _of_other_tools(environ: Mapping[str, str]) -> dict[str, Any]:
    """PROFILE_* of MacroGPT-JAX and XAX_PROFILE_DIR of xax, as keys of GAIT."""
    made: dict[str, Any] = {}
    if "XAX_PROFILE_DIR" in environ:
        made["dir"] = environ["XAX_PROFILE_DIR"]
    profile = ProfileVariables.read(environ)
    if profile.enabled:
        made |= {
            "dir": profile.dir,
            "name": "step_{step:08d}",
            "start": profile.start_step,
            "every": profile.interval,
            "count": profile.count,
            "perfetto": profile.mode == "perfetto",
        }
    return made


def _schedule(values: dict[str, Any]) -> Schedule:
    bounds = {name: values.get(name) for name in ("max_sessions", "max_seconds", "max_bytes")}
    steps = values.get("steps")
    every = values.get("every", 0)
    if steps is not None:
        return Schedule(steps=steps, every=every, **bounds)
    # Only on request, unless a number says when.
    by_request = "slow_step" in values or "trigger_file" in values
    start = values.get("start", None if by_request and "every" not in values else DEFAULT_START)
    return Schedule(start, every, values.get("count", DEFAULT_COUNT), **bounds)


def settings(environ: Mapping[str, str]) -> Settings | None:
    """None when the environment asks for nothing."""
    values = _of_other_tools(environ)
    if "GAIT" not in environ and not values:
        return None
    values |= parse(environ.get("GAIT", ""))
    names = ("name", "perfetto", "memory", "slow_step", "trigger_file", "after_compile", "hosts")
    options = {name: values[name] for name in names if name in values}
    if values.get("python"):
        options["options"] = {"python_tracer_level": 1}
    return Settings(values.get("dir", "runs"), _schedule(values), options)
