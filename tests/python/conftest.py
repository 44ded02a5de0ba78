"""The package under test, with real JAX on the CPU."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gait

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _nothing_left_behind():
    """Whatever a test does: afterwards no session runs, nothing waits to be written."""
    yield
    from gait._capture import recorder
    from gait._session import Session

    left = Session.active()
    recorder.end()
    assert gait._native.wait_for_writer(60)
    assert left is None, "a session was left behind"


@pytest.fixture
def step_function():
    """A jitted step with a scope in it, compiled."""
    import jax
    import jax.numpy as jnp

    @jax.jit
    def train_step(x):
        with gait.scope("inner_scope"):
            return jnp.tanh(x @ x)

    train_step(jnp.ones((64, 64))).block_until_ready()
    return train_step


@pytest.fixture
def array():
    import jax.numpy as jnp

    return jnp.ones((64, 64))


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
