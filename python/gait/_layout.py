"""Where a capture goes: TensorBoard's layout, so that TensorBoard, XProf and Perfetto open it too.

<dir>[/<name>]/plugins/profile/<run>/<host>.xplane.pb
                                    /<host>.trace.json.gz   with perfetto=True
                                    /<host>.memory.prof     with memory=True
                                    /gait.json              last: what was captured, how, what was lost
"""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import socket
import threading
import time
from pathlib import Path

from gait import _jax, _messages


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
    """The log directory: "~" expanded, `name` below it. Absolute: it is written later, wherever the program is then."""
    path = Path(os.path.abspath(Path(directory).expanduser()))
    return path / confined(name) if name else path


def as_utf8(text: str) -> str:
    """Without what no file and no JSON can hold: halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode()


@functools.lru_cache(maxsize=64)  # so that each is said once
def confined(name: str) -> str:
    """`name` as a path that stays below the log directory; what has to be changed for that is said."""
    parts = [part for part in as_utf8(name).replace("\0", "_").split("/") if part not in ("", ".", "..")]
    safe = "/".join(parts) or "_"
    if safe != name.rstrip("/"):
        _messages.say(
            f"name={name!a} does not stay in the log directory, or is no file's: it is {safe!a} there."
        )
    return safe


MOUNTS = Path("/proc/self/mountinfo")


def _mount_of(directory: str | os.PathLike[str]) -> str:
    """Type, source and options of the mount of `directory`, as Linux writes them; empty where it says nothing."""
    path = os.path.join(os.path.realpath(directory), "")
    best, found = "", ""
    try:
        lines = MOUNTS.read_text(errors="replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        mount, _, what = line.partition(" - ")
        fields = mount.split(" ")
        point = os.path.join(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), fields[4]), "")
        if path.startswith(point) and len(point) >= len(best):  # the last of several hides the others
            best, found = point, what
    return found


def slow_file_system(directory: str | os.PathLike[str]) -> str | None:
    """What is to be said of a folder that is slow to write: under WSL, one of Windows."""
    if "drvfs" in _mount_of(directory):
        return (
            f"{directory} is on a Windows file system, which is slow from here; one of Linux, as ~, is not."
        )
    return None


def host_name() -> str:
    return re.sub(r"[^\w.-]", "_", socket.gethostname()) or "host"


_asked: dict[str, int] = {}  # occasion -> how often, in this process
_taken: set[Path] = set()  # folders that hold, or will hold, a capture of this process
_lock = threading.Lock()


def _agreed(folder: Path, occasion: str) -> Path:
    """One folder for all processes of a job that capture on one occasion: that of the first to come, who waits for
    nobody. `folder` itself where nobody can be asked."""
    client = _jax.coordination_client()
    if client is None:
        return folder
    with _lock:
        _asked[occasion] = _asked.get(occasion, 0) + 1
        key = f"gait/run/{occasion}/{_asked[occasion]}"
    try:
        client.key_value_set(key, folder.name)  # refused when it is there
        return folder
    except Exception:  # whatever the service says: a capture under another name is better than none
        try:
            return folder.parent / str(client.blocking_key_value_get(key, 1000))
        except Exception:
            return folder


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


def new_place(log_dir: Path, occasion: str | None = None) -> Place:
    """Makes the folder of a new run. OSError when it cannot be made.

    Processes of one job that capture on the same `occasion`, the same step of a schedule say, share a run, in which
    each has its file. Without one, or where no other has come to it, a run is this process's alone.
    """
    index, count = _jax.process()
    folder = _new_folder(log_dir / "plugins" / "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
    if count == 1:
        return Place(folder, host_name(), 0)
    stem = f"{host_name()}-p{index}"
    if occasion is not None:
        shared = _agreed(folder, f"{log_dir}/{occasion}")
        place = Place(shared, stem, index)
        # A process that was started anew comes to old occasions: what it wrote before stays.
        if shared != folder and shared not in _taken and not place.xplane.exists():
            shared.mkdir(exist_ok=True)
            folder.rmdir()
            folder = shared
    _taken.add(folder)
    return Place(folder, stem, index)
