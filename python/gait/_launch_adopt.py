"""Adopts the profile that a program under `gait run` makes itself in the wanted window.

The folder of the profile then stands in the log directory of the command too, where `gait scale` and people look.
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


def adopt(candidates: Iterable[Path], directory: str | os.PathLike[str]) -> list[Path]:
    """The last candidate that is there, as a run of `directory`, with those of its own log directory, which may be
    captures of one block. What was adopted, the last first. When one cannot be copied, a message says so and no part of
    it is left."""
    adopted: list[Path] = []
    for run in reversed(list(candidates)):
        if adopted and run.parent != adopted[0].parent:
            continue
        try:
            if not any(run.glob("*.xplane.pb")):
                continue
            target = Path(directory).joinpath(*RUNS, run.name)
            if not target.exists():
                _files.copy_folder(run, target)
            adopted.append(run)
        except OSError as error:
            _messages.say(f"{run} is not copied into {os.fspath(directory)}: {error}")
    return adopted
