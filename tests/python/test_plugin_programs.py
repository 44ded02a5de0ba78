"""Where a program waits for a session's bytes, HLO comes from the GPU's plugin afterwards: here from a fake one."""

import json
import shutil
from pathlib import Path

import pytest

import gait

from .helpers import run_python, xplanes

FAKE = Path(__file__).parents[2] / "build" / "src" / "gait" / "capture" / "libgait_fake_plugin.so"

CAPTURE = """
import ctypes, sys
import jax
import gait
from gait import _jax

ctypes.CDLL(sys.argv[1])
_jax.stops_beside = lambda: False
on_the_host = sys.argv[3:] == ["host"]
_jax.has_programs_on_the_host = lambda: on_the_host
f = jax.jit(lambda x: x + 1)
f(1.0)
with gait.trace(sys.argv[2]):
    f(1.0)
"""


@pytest.fixture
def plugin(tmp_path):
    assert FAKE.exists(), "tools/build.sh release gait_fake_plugin makes it; make test does"
    return shutil.copy(FAKE, tmp_path / "xla_cuda_plugin.so")


def captured(tmp_path, plugin, *args, **options) -> tuple[list[str], dict, str]:
    """(names of planes, manifest, what was said)"""
    done = run_python(CAPTURE, plugin, tmp_path / "runs", *args, **options)
    assert done.returncode == 0, done.stderr
    (file,) = xplanes(tmp_path / "runs")
    reader = pytest.importorskip("jax.profiler").ProfileData
    planes = [plane.name for plane in reader.from_file(str(file)).planes]
    return planes, json.loads((file.parent / "gait.json").read_text()), done.stderr


FROM_PLUGIN = "stopped(\x010\x018\x01"  # its way through the session, and what it was asked for


def test_programs_come_from_the_plugin(tmp_path, plugin):
    planes, manifest, _ = captured(tmp_path, plugin)
    assert FROM_PLUGIN in planes
    assert planes.count("/host:metadata") == 1, "JAX had to make them too"
    facts = gait.load(tmp_path / "runs").info()["capture"]
    assert "jax_version" in facts["name"], "which JAX would have added"
    assert manifest["capture"]["options"]["enable_hlo_proto"] is True
    assert manifest["losses"] == []


def test_programs_of_the_host_are_jaxs_own(tmp_path, plugin):
    planes, _, _ = captured(tmp_path, plugin, "host")
    assert FROM_PLUGIN not in planes
    assert "/host:metadata" in planes


@pytest.mark.parametrize("call", ["create", "start"])
def test_a_plugin_that_cannot_leaves_them_to_jax(tmp_path, plugin, call):
    planes, manifest, _ = captured(tmp_path, plugin, env={"GAIT_FAKE_PLUGIN": call})
    assert "/host:metadata" in planes
    assert manifest["losses"] == []


def test_programs_that_do_not_come_are_a_loss(tmp_path, plugin):
    planes, manifest, said = captured(tmp_path, plugin, env={"GAIT_FAKE_PLUGIN": "collect"})
    assert "/host:CPU" in planes
    (loss,) = manifest["losses"]
    assert "does not hand out its programs: collect failed" in loss["reason"]
    assert loss["reason"] in said
    assert gait.load(tmp_path / "runs").events > 0
