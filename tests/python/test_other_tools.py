"""What gait writes opens in other tools: in XProf, and in JAX's own reader."""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import jax
import pytest

import gait

ROOT = Path(__file__).resolve().parents[2]
# The environment that holds XProf; `make test` and `make bench` make it.
XPROF = Path(os.environ.get("GAIT_XPROF_PYTHON", ROOT / "build" / "bench-venv" / "bin" / "python"))
STEPS = ["train 0", "train 1", "train 2"]  # as XProf calls those of `made`


@pytest.fixture
def made(tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture:
        for i in range(3):
            with gait.step(i):
                array = step_function(array)
            for _ in range(2):
                with gait.scope("mine"):
                    pass
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


def xprofs(page: str, file: Path, folder: Path) -> object:
    """What XProf makes of a capture: the data of one of its pages."""
    if not XPROF.exists():
        pytest.skip(f"there is no XProf at {XPROF}: `make test` installs it")
    out = folder / f"{page}.json"
    command = [XPROF, ROOT / "bench" / "xprof_page.py", page, file, out]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(out.read_bytes())


def test_xprofs_trace_viewer(made, tmp_path):
    events = xprofs("trace_viewer", made.xplane, tmp_path)["traceEvents"]
    names = Counter(event.get("name") for event in events)
    assert {name: names[name] for name in (*STEPS, "mine")} == {**dict.fromkeys(STEPS, 1), "mine": 6}


@pytest.mark.on_cpu  # it names them otherwise where there is a GPU
def test_xprofs_overview(made, tmp_path):
    tables = xprofs("overview_page", made.xplane, tmp_path)
    (steps,) = (table["rows"] for table in tables if table.get("cols", [{}])[0].get("id") == "stepnum")
    assert [row["c"][0]["v"] for row in steps] == STEPS
