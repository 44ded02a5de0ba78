"""One capture around a block, as every original has one; and the Python calls that each of them records."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

import gait
from gait import _messages
from gait._capture import Capture

MOST_SECONDS = 60.0  # waited for a file
SWITCH = "GAIT_PYTHON_CALLS"  # 0: they are left out
_said = False


def options_of_originals(options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Of a capture: JAX's profiler records Python calls unless told otherwise, and so did the originals."""
    global _said
    if os.environ.get(SWITCH, "1") == "0":
        return dict(options or {})
    if not _said:
        _said = True
        _messages.say(
            "Python calls are recorded too, as by jax.profiler: each takes some microseconds, most of them when "
            f"the capture ends. {SWITCH}=0 leaves them out."
        )
    return {"python_tracer_level": 1, **(options or {})}


@contextlib.contextmanager
def captured(directory: str | os.PathLike[str], name: str | None = None, **options: Any) -> Iterator[Capture]:
    """gait.trace, with the file for Perfetto, and the capture's own file there at the end, as with JAX's profiler.

    The rest (reading it back, the file for Perfetto) goes on in the background.
    """
    capture = None
    try:
        recorded = options_of_originals(options.pop("options", None))
        with gait.trace(directory, name, **{"perfetto": True, **options}, options=recorded) as capture:
            yield capture
    finally:
        if capture is not None:
            wait_for_file(capture)


def wait_for_file(capture: Capture) -> bool:
    """Until the capture is under its name; False when it will not be."""
    deadline = time.monotonic() + MOST_SECONDS
    while capture.state == "writing" and time.monotonic() < deadline:
        if capture.xplane is not None and capture.xplane.exists():
            return True
        time.sleep(0.001)
    return not capture.lost
