"""What several tests of the package use."""

import json
import os
import subprocess
import sys


def manifest(capture) -> dict:
    return json.loads(capture.wait().manifest.read_text())


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
