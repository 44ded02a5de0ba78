"""What gait writes opens in other tools: in XProf, and in JAX's own reader."""

import os
import subprocess
from pathlib import Path

import jax
import pytest

import gait

ROOT = Path(__file__).resolve().parents[2]
# The environment that holds XProf; `make test` and `make bench` make it.
XPROF = Path(os.environ.get("GAIT_XPROF_PYTHON", ROOT / "build" / "bench-venv" / "bin" / "python"))


@pytest.fixture
def made(tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture:
        for i in range(3):
            with gait.step(i):
                array = step_function(array)
    assert capture.ok
    return capture


def test_jaxs_reader(made):
    reader = getattr(jax.profiler, "ProfileData", None)
    if reader is None:
        pytest.skip("this JAX has none")
    planes = {plane.name: plane for plane in reader.from_file(str(made.xplane)).planes}
    assert {"/host:CPU", "/gait:host"} <= set(planes)
    names = {event.name for line in planes["/host:CPU"].lines for event in line.events}
    assert "train" in names


@pytest.mark.parametrize("page", ["overview_page", "trace_viewer"])
def test_xprof(made, page):
    command = [XPROF, ROOT / "bench" / "xprof_page.py", page, made.xplane]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
