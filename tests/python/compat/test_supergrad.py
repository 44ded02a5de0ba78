"""gait.compat.supergrad: the rows A of docs/seeds.md that concern capture."""

import json
import os
import pickle
import re
import time

import jax
import jax.numpy as jnp
import pytest
from programs import captures, folders, run_program

import gait
from gait.compat import supergrad

SCRIPT = """
import sys
import jax
count = int(sys.argv[1])
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", count)
import jax.numpy as jnp
from gait.compat.supergrad import create_profiled_test_function, profile_configuration

import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

split = NamedSharding(Mesh(np.array(jax.devices()), ("batch",)), PartitionSpec("batch"))
weights = jnp.ones((64, 64)) / 64

@jax.jit
def gradient(w, x):
    return jax.grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w)

def method(benchmark, n_qubit):
    x = jax.device_put(np.ones((n_qubit * benchmark * 8, 64), np.float32), split)
    gradient(weights, x)  # as the original: returns nothing

lcam = create_profiled_test_function(method, 8, 8)
tad = create_profiled_test_function(method, 9, 8)
profile_configuration(count, {"lcam": lcam, "tad": tad}, n_qubit=8, total_params=5)
if len(sys.argv) > 2:
    sys.exit(3)
"""


@pytest.fixture(scope="module")
def configurations(tmp_path_factory):
    """Two configurations of one script, run by the command: its folder, and what it printed."""
    folder = tmp_path_factory.mktemp("benchmark")
    (folder / "profile.py").write_text(SCRIPT)
    done = run_program("-m", "gait.compat.supergrad", "profile.py", "--gpus", 1, 2, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout


def results(folder, count):
    return json.loads((folder / f"profile_{count}gpu_results.json").read_text())


def test_seed_A1_one_module_for_all_scripts(tmp_path):
    names = "setup_tensorboard_logging run_with_jax_profiler print_tensorboard_summary create_profiled_test_function"
    program = f"import sys; from gait.compat.supergrad import {names.replace(' ', ', ')}"
    done = run_program("-c", f"{program}; assert 'jax' not in sys.modules", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_seed_A2_one_script_for_every_number_of_devices(configurations):
    folder, _ = configurations
    assert [results(folder, count)["gpu_count"] for count in (1, 2)] == [1, 2]


def test_seed_A3_both_methods_are_traced(configurations):
    folder, _ = configurations
    for count in (1, 2):
        for method in ("lcam", "tad"):
            trace = folder / results(folder, count)[f"unitary_grad_{method}"]["tensorboard_trace"]
            assert gait.load(trace).events > 0


def test_seed_A4_folders_of_one_run_share_a_time_stamp(configurations):
    folder, _ = configurations
    stamp = results(folder, 1)["timestamp"]
    assert results(folder, 2)["timestamp"] == stamp
    expected = [f"{n}gpu_{stamp}/{name}_trace" for n in (1, 2) for name in ("lcam", "tad")]
    assert folders(folder / "tensorboard_logs") == expected


def test_seed_A5_two_runs_in_one_second_have_two_folders(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(time, "strftime", lambda *_: "20241201_143022")
    first, second = (supergrad.setup_tensorboard_logging(4) for _ in range(2))
    assert first == "tensorboard_logs/4gpu_20241201_143022"
    assert second != first and os.path.isdir(second)
    assert supergrad.setup_tensorboard_logging(4, "20241201_143022") == first  # asked for: shared
    assert f"📊 TensorBoard traces will be saved to: {first}\n" in capsys.readouterr().out


def test_seed_A6_only_the_devices_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        supergrad.profile_configuration(7, {})
    assert ended.value.code == 1
    assert "CUDA_VISIBLE_DEVICES" in capsys.readouterr().out
    assert not captures(tmp_path)


@pytest.mark.on_cpu
def test_seed_A6_isolation_is_what_the_captures_show(configurations, tmp_path):
    """All devices took part, and no other. A method that leaves some alone is no measurement of all of them."""
    folder, _ = configurations
    for count in (1, 2):
        result = results(folder, count)
        assert result["isolation_verified"] is True
        for method in ("lcam", "tad"):
            assert result[f"unitary_grad_{method}"]["devices"] == [f"CPU {i}" for i in range(count)]
            assert result[f"unitary_grad_{method}"]["collective_groups"] == ([2] if count == 2 else [])
    (tmp_path / "one.py").write_text(SCRIPT.replace("np.array(jax.devices())", "np.array(jax.devices()[:1])"))
    done = run_program("one.py", 2, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert results(tmp_path, 2)["isolation_verified"] is False
    assert "❌ unitary_grad_lcam: 1 device took part, not 2: CPU 0" in done.stdout


APART = """
import jax
jax.config.update("jax_num_cpu_devices", 2)
import jax.numpy as jnp
from gait.compat.supergrad import profile_configuration
square = jax.jit(lambda x: x @ x)
def apart():
    for device in jax.devices():
        jax.block_until_ready(square(jax.device_put(jnp.ones((200, 200)), device)))
profile_configuration(2, {"lcam": apart})
"""


@pytest.mark.on_cpu
def test_devices_that_work_apart_are_not_one_configuration(tmp_path):
    (tmp_path / "apart.py").write_text(APART)
    done = run_program("apart.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert results(tmp_path, 2)["isolation_verified"] is False
    assert "❌ unitary_grad_lcam: no collective ran, so the devices did not work together" in done.stdout


def test_seed_A11_times_of_compiling_running_and_capturing_are_apart(tmp_path):
    @jax.jit
    def slow_to_compile(x):
        for _ in range(60):
            x = jnp.tanh(x @ x) + 1
        return x

    _, trace = supergrad.run_with_jax_profiler(lambda: slow_to_compile(jnp.ones((8, 8))), "t", str(tmp_path))
    assert trace.compile_seconds > 0.5 * trace.seconds
    assert trace.run_seconds + trace.compile_seconds == pytest.approx(trace.seconds)
    assert trace.capture_seconds > 0
    warm = [
        supergrad.run_with_jax_profiler(lambda: slow_to_compile(jnp.ones((8, 8))), name, str(tmp_path))[1]
        for name in "uvw"
    ]
    assert max(each.compile_seconds for each in warm) < 0.2 * trace.compile_seconds
    assert min(each.seconds for each in warm) < 0.5 * trace.seconds


def test_seed_A12_the_result_file(configurations):
    folder, _ = configurations
    result = results(folder, 2)
    keys = "gpu_count n_qubit timestamp isolation_verified initial_gpu_memory final_gpu_memory step_timing"
    assert {*keys.split(), "memory_profiles", "total_params", "unitary_grad_lcam", "unitary_grad_tad"} == set(
        result
    )
    method = result["unitary_grad_lcam"]
    assert method["success"] is True and method["execution_time"] > 0
    assert method["execution_time"] == pytest.approx(method["compile_time"] + method["run_time"])
    assert method["tensorboard_trace"].startswith("tensorboard_logs/2gpu_")
    for path in result["memory_profiles"].values():  # no longer always empty
        assert (folder / path).stat().st_size > 0


def test_seed_A13_the_summary(tmp_path, capsys):
    good = {"success": True, "tensorboard_trace": "logs/x_trace"}
    results = {
        "unitary_grad_lcam": good,
        "unitary_grad_other": good,
        "gpu_count": 4,
        "unitary_grad_tad": {"success": False},
    }
    supergrad.print_tensorboard_summary(results, "logs")
    out = capsys.readouterr().out
    assert "View traces with: tensorboard --logdir logs\n" in out
    assert "- LCAM: logs/x_trace\n" in out and "- OTHER: logs/x_trace\n" in out
    assert "TAD" not in out
    assert out.count("\n   - ") == 4  # tips


def test_seed_A14_stale_results_and_failed_scripts_are_no_success(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    stale = {"gpu_count": 1, "unitary_grad_lcam": {"success": True, "warm_time": 1.0}}
    (tmp_path / "profile_1gpu_results.json").write_text(json.dumps(stale))
    (tmp_path / "silent.py").write_text("")
    (tmp_path / "fails.py").write_text("raise SystemExit(3)")
    assert (
        supergrad.run_configurations("silent.py", [1])[1]["error"]
        == "silent.py wrote no profile_1gpu_results.json"
    )
    assert supergrad.run_configurations("fails.py", [1])[1]["error"] == "fails.py ended with status 3"
    assert "❌ 1 device: fails.py ended with status 3" in capfd.readouterr().out
    assert supergrad.run_configurations("silent.py", [4], devices="0,1")[4]["success"] is False


def test_seed_A15_scaling_from_warm_times(configurations):
    _, out = configurations
    assert "LCAM\n   1 device: " in out and "1.00 times, 100 % efficient" in out

    assert re.search(r"2 devices: [\d.]+ ±[\d.]+ ms, [\d.]+ times", out)

    def result(warm, compiling):
        return {
            "m": {"success": True, "warm_time": warm, "warm_noise": 0.5, "execution_time": warm + compiling}
        }

    scaling = supergrad.analyze_scaling({1: result(8.0, 100), 4: result(2.5, 100), 8: {"success": False}})
    assert scaling == {
        "m": [
            {"gpu_count": 1, "time": 8.0, "speedup": 1.0, "efficiency": 100.0, "noise": 0.5},
            {"gpu_count": 4, "time": 2.5, "speedup": 3.2, "efficiency": 80.0, "noise": 0.5},
        ]
    }


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt(), SystemExit(2)])
def test_seed_A17_errors_end_the_trace(tmp_path, capsys, error):
    def fails():
        raise error

    with pytest.raises(type(error)):
        supergrad.run_with_jax_profiler(fails, "t", str(tmp_path))
    assert "   ❌ JAX profiler trace failed: " in capsys.readouterr().out
    _, trace = supergrad.run_with_jax_profiler(lambda: 5, "again", str(tmp_path))
    assert trace.capture.ok


def test_seed_A17_somebody_elses_session_is_left_alone(tmp_path, capsys):
    jax.profiler.start_trace(str(tmp_path / "theirs"))
    result, _ = supergrad.run_with_jax_profiler(lambda: 5, "t", str(tmp_path))
    jax.profiler.stop_trace()
    assert result == 5
    assert (
        "❌ JAX profiler trace failed: jax.profiler.start_trace has a profile running"
        in capsys.readouterr().out
    )


def test_seed_A17_a_trace_that_is_lost_has_failed(full_disk, tmp_path, capsys):
    _, trace = supergrad.run_with_jax_profiler(lambda: 1, "lcam", str(tmp_path))
    assert trace.capture.lost
    said = capsys.readouterr().out
    assert "❌ JAX profiler trace failed: " in said and "disk is full" in said and "✅" not in said


def test_seed_A19_no_traces_no_tensorboard_large_traces(tmp_path, monkeypatch):
    """What the troubleshooting lists is said by gait: no traces, a viewer that shows none, how large they are."""
    done = run_program("-m", "gait.view", "--profile-dir", tmp_path, "--list-only", cwd=tmp_path)
    assert done.returncode == 1 and "none; a capture ends with a line" in done.stdout
    _, trace = supergrad.run_with_jax_profiler(lambda: jnp.ones(3) + 1, "t", str(tmp_path))
    trace.capture.wait()
    done = run_program("-m", "gait.view", "--profile-dir", tmp_path, "--list-only", cwd=tmp_path)
    assert done.returncode == 0 and " KB)" in done.stdout
    # A TensorBoard that is not there, one without its plugin, as `pip install tensorboard` gives, and a whole one.
    from gait.compat import _viewers

    for installed, problem in (
        ((), "TensorBoard is not installed: pip install tensorboard tensorboard-plugin-profile"),
        (("tensorboard",), "TensorBoard has no Profile tab"),
        (("tensorboard", "xprof"), None),
    ):
        monkeypatch.setattr(_viewers.importlib.util, "find_spec", {name: name for name in installed}.get)
        said = _viewers.tensorboard_problem()
        assert said is None if problem is None else said.startswith(problem)


def test_seed_A20_results_and_lines_as_before(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    log_dir = supergrad.setup_tensorboard_logging(1, "20241201_143022")
    capsys.readouterr()
    result, trace = supergrad.run_with_jax_profiler(
        lambda: jnp.ones(3), "lcam_trace", log_dir, "LCAM gradient"
    )
    assert result.shape == (3,)
    assert trace == "tensorboard_logs/1gpu_20241201_143022/lcam_trace"
    assert json.dumps({"tensorboard_trace": trace}) == '{"tensorboard_trace": "' + trace + '"}'
    assert capsys.readouterr().out.splitlines() == [
        "   🔍 Starting JAX profiler trace: lcam_trace",
        "      Description: LCAM gradient",
        f"   ✅ JAX profiler trace completed: {trace}",
    ]
    assert captures(tmp_path)  # the file is there when the call returns
    assert pickle.loads(pickle.dumps(trace)) == trace


def test_what_a_test_function_began_is_waited_for():
    begun = []
    run = supergrad.create_profiled_test_function(
        lambda benchmark, n_qubit: begun.append((benchmark, n_qubit)), "b", 8
    )
    assert run() is None
    assert begun == [("b", 8)]


def test_what_is_given_stays_below_the_root(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert supergrad.setup_tensorboard_logging(2, "../../../evil4") == "tensorboard_logs/2gpu_../evil4"
    assert (tmp_path / "tensorboard_logs" / "2gpu_.." / "evil4").is_dir()
    assert "does not stay in the log directory" in capsys.readouterr().err
    assert supergrad.setup_tensorboard_logging(2, "20260102") == "tensorboard_logs/2gpu_20260102"
    with pytest.raises(gait.OptionError, match="trace_name= takes text, not 5"):
        supergrad.run_with_jax_profiler(lambda: 1, 5, str(tmp_path))
