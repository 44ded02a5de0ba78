"""Where a capture goes: TensorBoard's layout, so that TensorBoard, XProf and Perfetto open it too.

<dir>[/<name>]/plugins/profile/<run>/<host>.xplane.pb
                                    /<host>.trace.json.gz   with perfetto=True
                                    /<host>.memory.prof     with memory=True
                                    /gait.json              last: what was captured, how, what was lost
"""

from __future__ import annotations

import dataclasses
import os
import platform
import re
import socket
import threading
import time
from pathlib import Path

from gait import _jax


@dataclasses.dataclass(frozen=True)
class Place:
    """The folder of one run and the names of this process in it."""

    folder: Path
    stem: str  # host, and the process where there are several
    index: int  # of the process

    @property
    def xplane(self) -> Path:
        return self.folder / f"{self.stem}.xplane.pb"

    @property
    def trace_json(self) -> Path:
        return self.folder / f"{self.stem}.trace.json.gz"

    @property
    def memory(self) -> Path:
        return self.folder / f"{self.stem}.memory.prof"

    @property
    def manifest(self) -> Path:
        return self.folder / ("gait.json" if self.index == 0 else f"gait-p{self.index}.json")


def root(directory: str | os.PathLike[str], name: str | None = None) -> Path:
    """The log directory: "~" expanded, `name` below it."""
    path = Path(directory).expanduser()
    return path / name if name else path


def _is_wsl() -> bool:
    return "microsoft" in platform.release().lower()


def slow_file_system(directory: str | os.PathLike[str]) -> str | None:
    """What is to be said of a folder that is slow to write: under WSL, one of Windows."""
    if _is_wsl() and re.match(r"/mnt/[a-z]/", os.path.abspath(directory) + "/"):
        return (
            f"{directory} is on a Windows file system, which is slow from here; one of Linux, as ~, is not."
        )
    return None


def host_name() -> str:
    return re.sub(r"[^\w.-]", "_", socket.gethostname()) or "host"


_sequence = 0
_sequence_lock = threading.Lock()


def _agreed_name(name: str, index: int, count: int) -> str:
    """One name for all processes of a job: the first one's. Its own when the others cannot be asked in time."""
    client = _jax.coordination_client() if count > 1 else None
    if client is None:
        return name
    global _sequence
    with _sequence_lock:
        _sequence += 1
        key = f"gait/run/{_sequence}"
    try:
        if index == 0:
            client.key_value_set(key, name)
            return name
        return str(client.blocking_key_value_get(key, 5000))
    except Exception:  # whatever the service says: a capture under another name is better than none
        return name


def _new_folder(parent: Path, name: str) -> Path:
    """A folder that nobody else has: the time, and a number behind it for the second one of a second."""
    parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(1, 10_000):
        folder = parent / (name if attempt == 1 else f"{name}_{attempt}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(f"{parent}: too many runs of one second")


def new_place(log_dir: Path) -> Place:
    """Makes the folder of a new run. OSError when it cannot be made."""
    index, count = _jax.process()
    parent = log_dir / "plugins" / "profile"
    name = time.strftime("%Y_%m_%d_%H_%M_%S")
    host = host_name()
    if count == 1:
        return Place(_new_folder(parent, name), host, 0)
    # Processes of one job share a run; each has its file.
    if index == 0:
        folder = _new_folder(parent, name)
        _agreed_name(folder.name, index, count)
    else:
        folder = parent / _agreed_name(name, index, count)
        folder.mkdir(parents=True, exist_ok=True)
    return Place(folder, f"{host}-p{index}", index)
