"""Looking at captures without stopping the program: the viewer runs in a process of its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from gait._command import command
from gait._messages import GaitError, stderr_of_children


def open_run(
    run: str | os.PathLike[str] | None, *options: str, own_session: bool = True
) -> subprocess.Popen[bytes]:
    """Starts `gait view` for this run or log directory. Returns at once; the process is the viewer's.

    With `own_session` it goes on when the program ends, or is interrupted.
    """
    if run is None:
        raise GaitError("nothing was captured, so there is nothing to open.")
    return subprocess.Popen(
        [str(command()), "view", str(run), *options],
        stdin=subprocess.DEVNULL,
        stderr=stderr_of_children(),
        start_new_session=own_session,
    )


def latest(directory: str | os.PathLike[str]) -> Path:
    """The folder of the newest run below a log directory."""
    from gait import _native

    return Path(_native.resolve(str(Path(directory).expanduser())))


def open_latest(directory: str | os.PathLike[str] = "runs") -> subprocess.Popen[bytes]:
    """Opens the newest run below a log directory in the viewer."""
    return open_run(latest(directory))
