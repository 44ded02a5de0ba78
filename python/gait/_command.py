"""The `gait` command that belongs to this package."""

from __future__ import annotations

import importlib.metadata
import shutil
from pathlib import Path

from gait._messages import GaitError


def command() -> Path:
    """Its path: of the installed package, of the build tree, or from PATH."""
    try:
        for file in importlib.metadata.files("gait-profiler") or ():
            if file.name == "gait" and file.parent.name in ("bin", "Scripts"):
                return Path(str(file.locate())).resolve()
    except importlib.metadata.PackageNotFoundError:
        pass
    built = Path(__file__).resolve().parents[2] / "build" / "bin" / "gait"
    if built.exists():
        return built
    found = shutil.which("gait")
    if found is None:
        raise GaitError("the gait command is not installed: pip install gait-profiler brings it.")
    return Path(found)
