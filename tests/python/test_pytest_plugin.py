"""The pytest plugin, in a pytest of its own."""

import importlib
import json
import subprocess
import sys
import tomllib

import pytest
from conftest import ROOT

TESTS = """
import gait, jax, jax.numpy as jnp

step = jax.jit(lambda x: jnp.tanh(x @ x))

def test_step(gait_benchmark):
    result = gait_benchmark(step, jnp.ones((8, 8)), iterations=8, warmup=2)
    assert len(result.times) == 8
    result.assert_below("60s")

def test_two(gait_benchmark):
    slow = gait_benchmark(lambda: sum(range(200_000)), iterations=6, warmup=1, name="slow")
    fast = gait_benchmark(lambda: 0, iterations=6, warmup=1, name="fast")
    fast.assert_faster_than(slow)

def test_no_compiling(gait_benchmark):
    run = gait_benchmark.trace(step, jnp.ones((8, 8)), steps=4)
    gait.check(run, "compiles_after_warmup == 0", "steps > 0")
"""


def run_pytest(folder, *options):
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "gait.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ]
    words += ["-q", "-c", "/dev/null", "--rootdir", str(folder), *options, str(folder / "test_it.py")]
    return subprocess.run(words, capture_output=True, text=True, timeout=240, check=False, cwd=folder)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS)
    return tmp_path


def test_the_fixture_measures_captures_and_saves(folder):
    done = run_pytest(folder, "--gait-save", "results.json")
    assert done.returncode == 0, done.stdout
    assert "gait benchmarks" in done.stdout
    assert "3 passed" in done.stdout
    saved = json.loads((folder / "results.json").read_text())
    assert sorted(saved) == ["test_it.py::test_step", "test_it.py::test_two", "test_it.py::test_two #2"]
    assert saved["test_it.py::test_two"]["name"] == "slow"


def test_slower_than_before_fails(folder):
    def saved(seconds):
        return {"name": "before", "times_s": [seconds] * 6, "first_s": 0}

    before = {"test_it.py::test_two": saved(1e-9), "test_it.py::test_step": saved(1e9)}
    (folder / "before.json").write_text(json.dumps(before))
    done = run_pytest(folder, "--gait-compare", "before.json", "-k", "test_two or test_step")
    assert "1 failed, 1 passed" in done.stdout
    assert "slower than before, 1 ns" in done.stdout


def test_the_package_brings_it():
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert hasattr(importlib.import_module(points["gait.pytest_plugin"]), "gait_benchmark")
