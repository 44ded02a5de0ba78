"""Device memory at one moment: which code holds how much."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gait import _layout

if TYPE_CHECKING:
    from gait._tables import Report


class MemoryProfile:
    """A device memory profile on disk (pprof). `report()` is what `gait memory FILE` says."""

    def __init__(self, path: Path):
        self.path = path

    @property
    def bytes(self) -> int:
        return self.path.stat().st_size

    def report(self, *others: MemoryProfile | str | os.PathLike[str]) -> Report:
        """Alone, or compared with others."""
        from gait import _native
        from gait._tables import Report

        files = [str(other.path if isinstance(other, MemoryProfile) else other) for other in others]
        return Report(_native.answer("memory", [str(self.path), *files]))

    def __repr__(self) -> str:
        return f"<gait.MemoryProfile {self.path}>"


def memory_profile(dir: str | os.PathLike[str] = "runs", name: str | None = None) -> MemoryProfile:
    """Writes down which arrays and programs hold device memory now, and which code made them.

    The file is <dir>/<name>.prof; without a name it is called after host, process and time. pprof reads it too.
    """
    import jax

    from gait import _native

    folder = _layout.root(dir)
    folder.mkdir(parents=True, exist_ok=True)
    if name is None:
        name = f"{_layout.host_name()}-{os.getpid()}-{time.strftime('%Y_%m_%d_%H_%M_%S')}-{time.time_ns() % 10**9:09d}"
    path = folder / f"{name}.prof"
    _native.write_file(str(path), jax.profiler.device_memory_profile())
    return MemoryProfile(path)
