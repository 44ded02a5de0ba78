"""annotate, trace_function, open_latest_profile."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import gait
from gait._open import latest
from gait.compat._viewers import start_viewer

F = TypeVar("F", bound=Callable[..., Any])


def annotate(name: Any) -> Any:
    """Names each call of a function in captures and in the compiled program; `@annotate` alone takes its own name."""
    return gait.annotate(name)


def trace_function(fn: F, name: str | None = None) -> F:
    """`fn`, named: of any callable, partials and bound methods too."""
    return gait.trace_function(fn, name)


def open_latest_profile(profile_dir: str | os.PathLike[str] | None = None) -> subprocess.Popen[bytes]:
    """Opens the newest profile below a folder, XAX_PROFILE_DIR by default, in TensorBoard; in gait's own viewer where
    that is not installed. Returns at once; the process is the viewer's."""
    directory = profile_dir or os.environ.get("XAX_PROFILE_DIR")
    if not directory:
        raise ValueError("which folder? Give profile_dir, or set XAX_PROFILE_DIR.")
    if not Path(directory).expanduser().exists():
        raise ValueError(f"there is no folder {directory}")
    run = latest(directory)
    # TensorBoard takes the log directory: <log directory>/plugins/profile/<run>
    return start_viewer(run.parents[2] if run.parent.name == "profile" else run, run)
