"""Captures that record Python calls hold the program's: of gait's own hardly any."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FRAMES = 100  # of gait and of the standard library, at most; once there were 900
PROGRAM = """
import sys, threading, time
import jax, jax.numpy as jnp
import gait
from gait.compat.ueaj import profile_trace

@jax.jit
def train_step(x):
    return jax.lax.fori_loop(0, 400, lambda i, y: jnp.tanh(y @ y) + i, x)

def forward(x):
    return train_step(x)

def block(name):
    if sys.argv[2] == "profile_trace":
        return profile_trace(sys.argv[1], name=name)
    return gait.trace(sys.argv[1], name, max_seconds=0.3, options={"python_tracer_level": 1})

x = jnp.ones((256, 256))
forward(x).block_until_ready()
for name in ("first", "second"):
    with block(name):
        forward(x)
        threading.Event().wait(0.6)
    forward(x).block_until_ready()
"""


def calls(capture: Path) -> list[str]:
    """The names of all Python calls."""
    import jax

    (file,) = capture.glob("**/*.xplane.pb")
    planes = jax.profiler.ProfileData.from_file(str(file)).planes
    return [
        event.name
        for plane in planes
        for line in plane.lines
        for event in line.events
        if event.name[0] == "$"
    ]


@pytest.mark.on_cpu
@pytest.mark.parametrize("block", ["profile_trace", "of some time"])
def test_few_calls_are_gaits_own(tmp_path, block):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path, block],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    for name in ("first", "second"):
        found = calls(tmp_path / name)
        assert sum("forward" in call for call in found) == 1
        assert len(found) <= FRAMES, found


@pytest.mark.on_cpu
def test_a_switch_leaves_them_out(tmp_path):
    environment = {**os.environ, "GAIT_PYTHON_CALLS": "0"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path, "profile_trace"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert calls(tmp_path / "first") == []
    assert "Python calls are recorded" not in done.stderr
