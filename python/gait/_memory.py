"""Device memory at one moment, by the code that holds it."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gait import _jax, _layout, _messages, _native
from gait._capture import KEEP_FREE
from gait._messages import GaitError

if TYPE_CHECKING:
    from gait._tables import Report


class MemoryProfile:
    """A device memory profile on disk (pprof). `report()` is what `gait memory FILE` says.

    As a capture it never raises for what goes wrong with the file: `path` is None then, and `error` says why.
    """

    def __init__(self, path: Path | None, error: str | None = None):
        self.path = path
        self.error = error

    @property
    def bytes(self) -> int:
        return self.path.stat().st_size if self.path else 0

    def report(self, *others: MemoryProfile | str | os.PathLike[str]) -> Report:
        """Alone, or compared with others."""
        from gait._tables import Report

        files = [str(_file(other)) for other in (self, *others)]
        return Report(_native.answer("memory", files))

    def __repr__(self) -> str:
        return f"<gait.MemoryProfile {self.path or f'failed: {self.error}'}>"


def _file(profile: MemoryProfile | str | os.PathLike[str]) -> str | os.PathLike[str]:
    if not isinstance(profile, MemoryProfile):
        return profile
    if profile.path is None:
        raise GaitError(f"there is no memory profile to look at: {profile.error}")
    return profile.path


def memory_profile(dir: str | os.PathLike[str] = "runs", name: str | None = None) -> MemoryProfile:
    """Writes down which arrays and programs hold device memory now, and which code made them.

    The file is <dir>/<name>.prof, in a job of several processes <dir>/<name>-p<index>.prof; without a name it is
    called after host, process and time. pprof reads it too.
    """
    import jax

    folder = _layout.root(dir)
    if name is None:
        name = f"{_layout.host_name()}-{os.getpid()}-{time.strftime('%Y_%m_%d_%H_%M_%S')}-{time.time_ns() % 10**9:09d}"
    else:
        index, count = _jax.process()
        name += f"-p{index}" if count > 1 else ""
    path = folder / f"{name}.prof"
    content = jax.profiler.device_memory_profile()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _keep_free(folder, len(content))
        _native.write_file(str(path), content)
    except (OSError, GaitError) as error:
        why = f"{folder}: {error.strerror}" if isinstance(error, OSError) else str(error)
        _messages.say(f"no memory profile was written: {why}\nThe program goes on.")
        return MemoryProfile(None, why)
    return MemoryProfile(path)


def _keep_free(folder: Path, size: int) -> None:
    """GaitError where the disk would have less left than a capture leaves it."""
    free = shutil.disk_usage(folder).free
    if free < size + KEEP_FREE:
        raise GaitError(f"{folder}: {KEEP_FREE >> 20} MB are to be kept free, and only {free >> 20} MB are.")
