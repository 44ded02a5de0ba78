"""What several tests of the package use."""

import json
import os
import subprocess
import sys
from pathlib import Path

import gait


def manifest(capture) -> dict:
    """With all that is known by now: the steps after a capture are written later, beside the program."""
    capture.wait()
    assert gait._native.wait_for_writer(60)
    return json.loads(capture.manifest.read_text())


def xplanes(directory: Path) -> list[Path]:
    return sorted(directory.glob("**/*.xplane.pb"))


def whole(directory: Path) -> None:
    """One capture, with its manifest, readable, and nothing half done beside it."""
    (file,) = xplanes(directory)
    assert gait.load(file).events > 0
    said = json.loads((file.parent / "gait.json").read_text())
    assert said["files"][0]["bytes"] == file.stat().st_size
    assert not list(directory.glob("**/*.partial"))


def run_python(program: str, *args, **options) -> subprocess.CompletedProcess:
    """A program in a process of its own."""
    environment = {**os.environ, **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment,
        **options,
    )
