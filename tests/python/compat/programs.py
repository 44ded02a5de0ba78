"""What tests of gait.compat share: programs in processes of their own, and what a run consists of."""

import os
import subprocess
import sys
from pathlib import Path


def run_program(*arguments, cwd, **environment) -> subprocess.CompletedProcess:
    """`python ARGUMENTS` in `cwd`."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
    )


def captures(directory) -> list[Path]:
    """All XPlane files below a folder, as paths relative to it."""
    directory = Path(directory)
    return sorted(path.relative_to(directory) for path in directory.glob("**/*.xplane.pb"))


def folders(directory) -> list[str]:
    """The log directories below a folder that have captures: what comes before plugins/profile/<run>."""
    return sorted({str(Path(*path.parts[:-4])) for path in captures(directory)})
