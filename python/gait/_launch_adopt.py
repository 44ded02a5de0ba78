"""A program under `gait run` that makes its own profile, in the window that was asked for, has made what was asked for.

Its folder then stands in the log directory of the command too: `gait scale` and whoever else looks there finds it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from gait import _files, _messages

RUNS = ("plugins", "profile")


def newest_run(log_dir: str | os.PathLike[str], since: float) -> Path | None:
    """The newest run of a log directory that holds a capture made after `since`, a time of time.time()."""
    found = []
    with contextlib.suppress(OSError):
        for file in Path(log_dir).joinpath(*RUNS).glob("*/*.xplane.pb"):
            changed = file.stat().st_mtime
            if changed >= since - 1 and file.stat().st_size > 0:  # of file systems that count seconds
                found.append((changed, file.parent))
    return max(found)[1] if found else None


def adopt(candidates: Iterable[Path | None], directory: str | os.PathLike[str]) -> Path | None:
    """The last candidate that is there, as a run of `directory`; None when there is none.

    What cannot be copied is said, and no part of it is left."""
    for run in reversed([run for run in candidates if run is not None]):
        try:
            if not any(run.glob("*.xplane.pb")):
                continue
            target = Path(directory).joinpath(*RUNS, run.name)
            if not target.exists():
                _files.copy_folder(run, target)
            return run
        except OSError as error:
            _messages.say(f"{run} is not copied into {os.fspath(directory)}: {error}")
    return None
