"""A program under `gait run` that makes its own profile, in the window that was asked for, has made what was asked for.

Its folder then stands in the log directory of the command too: `gait scale` and whoever else looks there finds it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

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
    """The last candidate that is there, as a run of `directory`; None when there is none."""
    for run in reversed([run for run in candidates if run is not None]):
        target = Path(directory).joinpath(*RUNS, run.name)
        with contextlib.suppress(OSError):
            if not any(run.glob("*.xplane.pb")):
                continue
            if not target.exists():
                shutil.copytree(run, target, copy_function=_link)
            return run
    return None


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)
