"""One capture around a block, as every original has one."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

import gait
from gait._capture import Capture

MOST_SECONDS = 60.0  # waited for a file


@contextlib.contextmanager
def captured(directory: str | os.PathLike[str], name: str | None = None, **options: Any) -> Iterator[Capture]:
    """gait.trace, with the file for Perfetto, and the capture's own file there at the end, as with JAX's profiler.

    The rest (reading it back, the file for Perfetto) goes on in the background.
    """
    capture = None
    try:
        with gait.trace(directory, name, **{"perfetto": True, **options}) as capture:
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
