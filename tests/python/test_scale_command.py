"""gait scale runs a program on different numbers of devices and reads only what it captured itself."""

import json
import os
import re
import statistics
import subprocess
import sys
import time
import urllib.request

import pytest

import gait
from gait._command import command
from gait.compat import supergrad

PROGRAM = """
import sys, jax, jax.numpy as jnp
if jax.device_count() > int(sys.argv[1]):
    sys.exit(7)
used = jax.devices()[: int(sys.argv[3]) if len(sys.argv) > 3 else None]
step = jax.pmap(lambda x: jax.lax.psum(jnp.tanh(x @ x), "d"), axis_name="d", devices=used)
x = jnp.ones((len(used), 64, 64))
for i in range(int(sys.argv[2]) if len(sys.argv) > 2 else 20):
    with jax.profiler.StepTraceAnnotation("train", step_num=i):
        x = step(x) / 100
x.block_until_ready()
print("trained")
"""


def scale(directory, *options, steps=12, most=8, used=()):
    words = [str(command()), "scale", "--dir", str(directory), "--devices", "1,2", "--steps", "4:8", *options]
    words += ["--", sys.executable, "-c", PROGRAM, str(most), str(steps), *map(str, used)]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
    return subprocess.run(words, capture_output=True, text=True, timeout=240, check=False, env=environment)


def test_seed_A14_one_command_runs_all_configurations(tmp_path):
    done = scale(tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    assert "trained" in done.stderr  # standard output is the report's
    table = json.loads(done.stdout)["tables"]["scaling"]
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in table["rows"]]
    assert [row["devices"] for row in rows] == [1, 2]
    folders = sorted(path.name for path in tmp_path.iterdir())
    assert [name.split("_", 1)[0] for name in folders] == ["1gpu", "2gpu"]
    assert len({name.split("_", 1)[1] for name in folders}) == 1


def test_seed_A12_A14_the_result_of_each_configuration(tmp_path, monkeypatch):
    """As the compat module gives it: run_configurations on top of gait scale."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    (tmp_path / "train.py").write_text(PROGRAM)
    results = supergrad.run_configurations("train.py", [1, 2], devices="", captured=True)
    keys = "gpu_count n_qubit timestamp isolation_verified initial_gpu_memory final_gpu_memory step_timing"
    for count in (1, 2):
        result = results[count]
        assert {*keys.split(), "memory_profiles", "total_params", "unitary_grad_train"} == set(result)
        assert result["gpu_count"] == count
        assert result["isolation_verified"] is True
        assert result["n_qubit"] is None and result["total_params"] is None
        method = result["unitary_grad_train"]
        assert method["success"] is True and method["execution_time"] == result["step_timing"]["train"] > 0
        assert method["tensorboard_trace"].startswith(f"tensorboard_logs/{count}gpu_{result['timestamp']}")
    scaling = supergrad.analyze_scaling(results)["unitary_grad_train"]
    assert [row["gpu_count"] for row in scaling] == [1, 2]
    (tmp_path / "train.py").write_text("raise SystemExit(3)")
    assert supergrad.run_configurations("train.py", [1], devices="", captured=True)[1]["success"] is False


def test_seed_A14_a_program_that_leaves_devices_alone_is_no_measurement(tmp_path):
    done = scale(tmp_path, "--json", used=[1])
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert "used 1 device" in document["answer"]
    (warning,) = document["warnings"]
    assert "started with 2 devices, but 1 took part" in warning
    for count, fine in ((1, True), (2, False)):
        (path,) = tmp_path.glob(f"{count}gpu_*/profile_{count}gpu_results.json")
        record = json.loads(path.read_text())
        assert record["isolation_verified"] is fine
        assert ("1 took part" in record.get("isolation_failed_because", "")) is not fine
        assert record["unitary_grad_train"]["success"] is fine


def test_seed_A14_a_program_that_fails_ends_it(tmp_path):
    done = scale(tmp_path, most=1)
    assert done.returncode == 3
    assert "failed on 2 devices: exit status 7" in done.stderr
    assert done.stdout == ""


def test_a_program_without_a_capture_ends_it(tmp_path):
    done = scale(tmp_path, steps=2)
    assert done.returncode == 3
    assert "no capture" in done.stderr


OWN = """
import sys, jax, jax.numpy as jnp, gait
step = jax.pmap(lambda x: jax.lax.psum(jnp.tanh(x @ x), "d"), axis_name="d")
x = jnp.ones((jax.device_count(), 64, 64))
x = step(x)
way, directory = sys.argv[1:3]
if way == "Profiler":
    with gait.Profiler(gait.Schedule(start=2, count=6), directory, on_signal=None) as profiler:
        for i in range(10):
            with profiler.step(i):
                x = step(x) / 100
else:
    block = gait.trace(directory) if way == "trace" else jax.profiler.trace(directory)
    with block:
        for i in range(10):
            with jax.profiler.StepTraceAnnotation("train", step_num=i):
                x = step(x) / 100
        x.block_until_ready()
"""


@pytest.mark.parametrize("way", ["Profiler", "trace", "jax"])
def test_seed_A14_a_program_that_captures_itself(tmp_path, way):
    """Its own profile is what is measured, and is where the program wanted it too."""
    words = [str(command()), "scale", "--dir", str(tmp_path / "scaled"), "--devices", "1,2", "--json", "--"]
    words += [sys.executable, "-c", OWN, way, str(tmp_path / "own")]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)["tables"]["scaling"]
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in table["rows"]]
    assert [row["devices"] for row in rows] == [1, 2]
    assert all(row["steps"] >= 5 for row in rows)
    assert len(list((tmp_path / "own").glob("**/*.xplane.pb"))) == 2


def captured_again_and_again(log_dir, step, x, count=5):
    for _ in range(count):
        with gait.trace(log_dir, "rep") as capture:
            step(x).block_until_ready()
        assert capture.ok, capture.error


def test_captures_of_a_block_beside_each_other_are_its_steps(tmp_path, step_function, array):
    """The form of the guides: each entry is its own capture."""
    for log_dir in (tmp_path / "before", tmp_path / "after"):
        captured_again_and_again(log_dir, step_function, array)
        with gait.trace(log_dir, "rep", block_name="another"):
            step_function(array).block_until_ready()
    run = sorted((tmp_path / "after" / "rep").glob("plugins/profile/*"))[-2]
    (row,) = gait.scale(run)["scaling"].to_dicts()
    assert (row["steps"], row["warm_steps"]) == (4, 4)
    assert row["noise"] > 0 and row["warm_noise"] > 0
    other = sorted((tmp_path / "before" / "rep").glob("plugins/profile/*"))[-2]
    said = gait.diff(other, run)
    assert "one step" not in said.answer and "noise" in str(said).lower()
    assert len([note for note in said.notes if "5 captures of 'rep' lie beside each other" in note]) == 2
    steps = gait.steps(run)
    captures = steps["captures"].to_dicts()
    assert [row["step"] for row in captures] == [0, 1, 2, 3, 4]
    assert "warm-up" in captures[0]["flags"] and not any("warm-up" in row["flags"] for row in captures[1:])
    assert all(row["compute"] + row["idle"] + row["exposed_copies"] <= row["step_time"] for row in captures)
    (times,) = steps["step_times"].to_dicts()
    counted = [row["step_time"] for row in captures[1:]]
    assert times["steps"] == 4 and times["sigma"] == pytest.approx(statistics.stdev(counted), rel=1e-6)
    assert (times["min"], times["max"]) == (min(counted), max(counted))
    assert "median of 4 in a capture each" in steps.answer
    assert [note for note in steps.notes if "5 captures of 'rep' lie beside each other" in note]
    (own,) = steps["steps"].to_dicts()  # of this capture alone
    assert own["step_time"] == captures[-1]["step_time"]
    assert "captures" not in gait.steps(run, steps=own["step"]).tables
    # Of runs of one folder each would be a part of the other's sample.
    assert not [
        note
        for note in gait.diff(f"{tmp_path}/after/rep@2", f"{tmp_path}/after/rep@3").notes
        if "beside" in note
    ]


def test_the_viewer_sees_captures_that_come_beside_a_run(tmp_path, step_function, array):
    captured_again_and_again(tmp_path, step_function, array, 3)
    words = [str(command()), "view", str(tmp_path), "--port", "0", "--no-browser", "--no-token"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as viewer:
        try:
            line = next(line for line in viewer.stdout if line.startswith("http"))
            address = re.match(r"http://[^/]*", line)[0]

            def ask(what):
                with urllib.request.urlopen(f"{address}/api/runs{what}", timeout=60) as answered:
                    return json.load(answered)

            def captures():
                oldest = min(ask("")["runs"], key=lambda run: run["path"])
                return len(ask(f"/{oldest['id']}/steps?v={oldest['version']}")["tables"]["captures"]["rows"])

            assert captures() == 3
            captured_again_and_again(tmp_path, step_function, array, 1)
            deadline = time.monotonic() + 60
            while captures() != 4:  # the list of runs is looked at once a second
                assert time.monotonic() < deadline
                time.sleep(0.2)
        finally:
            viewer.terminate()


REPEATED = """
import sys, gait, jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((jax.device_count(),), ("d",))
x = jax.device_put(jnp.ones((8 * jax.device_count(), 64)), NamedSharding(mesh, P("d")))
step = jax.jit(lambda x: jnp.tanh(x @ jnp.ones((64, 64))).sum())
for _ in range(4):
    with gait.trace(sys.argv[1], "rep"):
        step(x).block_until_ready()
"""


def test_scale_takes_all_captures_of_a_block(tmp_path):
    words = [str(command()), "scale", "--dir", str(tmp_path / "scaled"), "--devices", "1,2", "--json", "--"]
    words += [sys.executable, "-c", REPEATED, str(tmp_path / "own")]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)["tables"]["scaling"]
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in table["rows"]]
    assert [(row["devices"], row["steps"]) for row in rows] == [(1, 3), (2, 3)]
    assert all(row["noise"] > 0 and row["warm_noise"] > 0 for row in rows)
    for count, row in enumerate(rows, 1):
        (file,) = (tmp_path / "scaled").glob(f"{count}gpu_*/profile_{count}gpu_results.json")
        method = json.loads(file.read_text())["unitary_grad_rep"]
        assert method["warm_steps"] == 3 and method["warm_time_noise"] > 0
        assert method["execution_time"] == pytest.approx(row["step"] / 1e12, rel=1e-6)


def test_the_function_runs_a_program_too(tmp_path, monkeypatch):
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    program = [sys.executable, "-c", PROGRAM, "8", "12"]
    said = gait.scale(program=program, devices="1,2", steps="4:8", dir=str(tmp_path))
    assert [row["devices"] for row in said["scaling"].to_dicts()] == [1, 2]
    assert len(said["results"]) == 2
    with pytest.raises(gait.OptionError, match="words of a command"):
        gait.scale(program="python train.py")
    for nothing_or_both in ({}, {"program": program}):
        with pytest.raises(gait.GaitError, match="not both or none"):
            gait.scale(*(["runs"] if nothing_or_both else []), **nothing_or_both)
