"""gait.compat.ueaj: the rows B of docs/seeds.md that concern capture."""

import gzip
import json
import time

import jax
import jax.numpy as jnp
import pytest
from programs import captures, folders, run_program

import gait
from gait.compat import ueaj


def spans(path) -> list[dict]:
    with gzip.open(path) as file:
        return [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]


def test_seed_B1_a_block_into_its_folder(tmp_path, monkeypatch, capsys, step_function, array):
    monkeypatch.setenv("HOME", str(tmp_path))
    with ueaj.profile_trace("~/profiles", name="train_step") as capture:
        step_function(array).block_until_ready()
    assert folders(tmp_path) == ["profiles/train_step"]  # "~" is expanded, and the file is there
    capture.wait()
    assert capsys.readouterr().out.splitlines() == [
        "📊 Profiling to: ~/profiles/train_step",
        # the original's tilde is not expanded by a shell there
        f"✓ TensorBoard: tensorboard --logdir={tmp_path}/profiles/train_step",
        f"✓ Perfetto: Upload {capture.trace_json} to https://ui.perfetto.dev",
    ]
    assert spans(capture.trace_json)  # the printed path is the file


def test_seed_B1_messages_also_after_an_error(tmp_path, capsys):
    with pytest.raises(ZeroDivisionError), ueaj.profile_trace(str(tmp_path)):
        raise ZeroDivisionError
    assert "✓ TensorBoard: " in capsys.readouterr().out
    assert captures(tmp_path / "trace")


def test_seed_B1_no_messages_about_a_trace_that_is_lost(full_disk, tmp_path, capsys):
    with ueaj.profile_trace(str(tmp_path)):
        pass
    assert "✓" not in capsys.readouterr().out


def test_seed_B2_tensorboard_or_perfetto(tmp_path):
    with ueaj.profile_trace(str(tmp_path), name="plain", tensorboard=False) as plain:
        pass
    with ueaj.profile_trace(
        str(tmp_path), name="both", tensorboard=False, create_perfetto_trace=True
    ) as both:
        pass
    assert plain.ok and plain.xplane.exists() and plain.trace_json is None
    assert both.ok and both.xplane.exists() and both.trace_json.exists()


def test_seed_B3_warm_up_stays_out_of_the_capture(tmp_path):
    @jax.jit
    def fresh(x):
        return jnp.cos(x) * 3

    wrapped = ueaj.profile_function(str(tmp_path), name="f", warmup_steps=2)(lambda x: fresh(x))
    wrapped(jnp.ones(7))
    gait._capture.recorder.wait(60)
    run = gait.load(tmp_path / "f")
    assert run.compile()["compiles"].to_dicts() == []


def test_seed_B4_scopes_reach_the_compiled_program(tmp_path):
    @jax.jit
    def model(x):
        with ueaj.profile_scope("attention"):
            x = jnp.tanh(x @ x)
        with ueaj.profile_scope("not_there", enabled=False):
            return x @ x

    text = model.lower(jnp.ones((8, 8))).compile().as_text()
    assert "attention" in text and "not_there" not in text
    with ueaj.profile_trace(str(tmp_path), name="scopes") as capture, ueaj.profile_scope("data_loading"):
        model(jnp.ones((8, 8))).block_until_ready()
    run = capture.load()
    assert any("attention" in (row["path"] or "") for row in run.ops(by="scope").to_dicts())
    assert "data_loading" in {event["name"] for event in spans(capture.trace_json)}


def test_seed_B5_warms_up_and_profiles_once(tmp_path, capsys):
    calls = []

    @ueaj.profile_function(str(tmp_path), warmup_steps=5)
    def train_step(state, batch):
        calls.append(1)
        return {"state": [state + batch]}, ()  # any tree

    assert train_step(jnp.ones(3), 1)[0]["state"][0][0] == 2
    assert len(calls) == 6
    assert capsys.readouterr().out.splitlines()[:2] == [
        "🔥 Warming up train_step (5 steps)...",
        "📊 Profiling train_step (1 steps)...",
    ]
    train_step(jnp.ones(3), 1)
    assert len(calls) == 7
    assert len(captures(tmp_path / "train_step")) == 1


def test_seed_B5_each_call_is_a_step_with_the_profiles_name(tmp_path):
    x = jnp.ones((64, 64))
    with jax.default_matmul_precision("float32"):
        multiply = jax.jit(lambda x: x @ x)

        @ueaj.profile_function(tmp_path, name="five", profile_steps=5)
        def several(x):
            return multiply(x)

        @ueaj.profile_function(tmp_path)
        def once(x):
            return multiply(x)

        several(x), once(x)
    for name, numbers in (("five", [0, 1, 2, 3, 4]), ("once", [0])):
        (file,) = captures(tmp_path / name)
        said = gait.steps(tmp_path / name / file)
        assert said["step_times"].to_dicts()[0]["series"] == name
        assert [row["step"] for row in said["steps"].to_dicts()] == numbers
        # The machine may be busy with other things in one of them.
        assert {row["flags"] for row in said["steps"].to_dicts()} <= {"", "outlier"}


def test_a_name_that_is_no_text_is_said(tmp_path):
    with (
        pytest.raises(gait.OptionError, match="name= takes text, not 5"),
        ueaj.profile_trace(tmp_path, name=5),
    ):
        pass
    with pytest.raises(gait.OptionError, match="name= takes text, not 5"):
        ueaj.profile_function(tmp_path, name=5)


def test_seed_B5_donated_arguments_are_not_used_twice(tmp_path):
    calls = []
    add = jax.jit(lambda x: x + 1, donate_argnums=0)

    @ueaj.profile_function(str(tmp_path), name="donating", warmup_steps=2, profile_steps=2)
    def step(x):
        calls.append(1)
        return add(x)

    x = jnp.zeros(4)
    for _ in range(6):
        x = step(x)
    assert float(x[0]) == len(calls) == 6  # each call was made once
    assert gait._capture.recorder.wait(60)
    (path,) = captures(tmp_path)
    assert [row["step"] for row in gait.load(tmp_path / path).steps()["steps"].to_dicts()] == [0, 1]


def test_seed_B5_a_failing_warm_up_is_tried_again(tmp_path):
    broken = [True]

    @ueaj.profile_function(str(tmp_path), warmup_steps=1)
    def step(x):
        if broken:
            raise RuntimeError("out of memory")
        return x

    with pytest.raises(RuntimeError, match="out of memory"):
        step(1)
    broken.clear()
    assert step(1) == 1
    assert len(captures(tmp_path)) == 1


def test_seed_B6_scopes_nest_by_component_and_layer(tmp_path):
    @jax.jit
    def model(x):
        for i in range(2):
            with ueaj.profile_scope(f"layer_{i}"), ueaj.profile_scope("mlp"):
                x = jnp.tanh(x @ x)
        return x

    x = jnp.ones((8, 8))
    model(x).block_until_ready()
    with ueaj.profile_trace(str(tmp_path), name="layers") as capture:
        model(x).block_until_ready()
    scopes = {row["path"] for row in capture.load().ops(by="scope").to_dicts()}
    assert {"layer_0/mlp", "layer_1/mlp"} <= {"/".join(s.split("/")[-2:]) for s in scopes}


def test_seed_B16_statistics_on_the_host(step_function, array):
    stats = ueaj.benchmark_function(step_function, array, num_iterations=20, warmup=2)
    assert set(stats) == {"mean", "std", "min", "max", "median"}
    assert all(type(value) is float for value in stats.values())
    assert 0 < stats["min"] <= stats["median"] <= stats["max"] < 1e4
    with pytest.raises(ValueError, match="at least 1"):
        ueaj.benchmark_function(step_function, array, num_iterations=0)
    # an argument of the function that is also one of the benchmark is not swallowed in silence
    with pytest.raises(ValueError, match="warmup= is an argument of the function"):
        ueaj.benchmark_function(lambda x, warmup: x, array)
    assert ueaj.benchmark_function(lambda x, name: x, array, name="its own", num_iterations=2)["max"] >= 0
    donating = jax.jit(lambda x: x + 1, donate_argnums=0)
    assert ueaj.benchmark_function(donating, jnp.ones(3), num_iterations=3)["mean"] > 0


def test_seed_B17_one_call_without_the_warm_up():
    """A device that takes 0.5 s for each call, one after the other: a warm-up that is not waited for would count."""
    seconds, idle_at, calls = 0.5, [0.0], []

    class Result:
        def block_until_ready(self):
            time.sleep(max(idle_at[0] - time.monotonic(), 0))
            return self

    def dispatch(x, scale=1):
        calls.append((x, scale))
        idle_at[0] = max(idle_at[0], time.monotonic()) + seconds
        return Result()

    result, ms = ueaj.time_jax_function(dispatch, 5, scale=2)
    assert isinstance(result, Result) and calls == [(5, 2)] * 2
    assert 1e3 * seconds <= ms < 1.9e3 * seconds


def test_seed_B19_a_slow_file_system_is_said(tmp_path, step_function, array, monkeypatch, capfd):
    """A guide's block into a drive of Windows, as WSL 2 mounts drives; into Linux's own it is silent."""
    from gait import _layout

    windows, linux = tmp_path / "c drive", tmp_path / "home"
    mounts = tmp_path / "mountinfo"
    escaped = str(windows).replace(" ", r"\040")
    mounts.write_text(
        "25 1 8:32 / / rw,relatime - ext4 /dev/sdc rw,discard\n"
        f"61 25 0:45 / {escaped} rw,noatime - 9p C:\\134 rw,dirsync,aname=drvfs;path=C:\\;uid=1000,trans=fd\n"
    )
    monkeypatch.setattr(_layout, "MOUNTS", mounts)
    for folder in (linux, windows):
        assert "Windows" not in capfd.readouterr().err
        with ueaj.profile_trace(folder, name="step"):
            step_function(array).block_until_ready()
    assert f"{windows}/step is on a Windows file system" in capfd.readouterr().err


def test_seed_B20_no_data_empty_too_large_no_permission(tmp_path, capfd, step_function, array):
    # "No trace data collected": what was begun is waited for, without block_until_ready in the program.
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 300, lambda i, y: jnp.tanh(y @ y), x))
    slow(jnp.ones((128, 128))).block_until_ready()
    with ueaj.profile_trace(str(tmp_path), name="no_block") as capture:
        result = slow(jnp.ones((128, 128)))
    run = capture.load()
    assert result.is_ready()
    assert sum(row["events"] for row in run.info()["devices"].to_dicts()) > 300
    # "Permission denied": said, and the program goes on.
    (tmp_path / "file").write_text("")
    reached = False
    with ueaj.profile_trace(str(tmp_path / "file")):
        reached = True
    assert reached and "The program goes on" in capfd.readouterr().err
    # "Too large": bounded.
    with gait.trace(tmp_path / "bounded", steps=1) as bounded:
        for i in range(5):
            with gait.step(i):
                step_function(array)
    assert bounded.wait().steps == [0]


def test_seed_B21_variables_of_jax_are_left_to_jax(tmp_path):
    program = """
import jax, jax.numpy as jnp, os
from gait.compat.ueaj import profile_trace
with profile_trace("profiles", name="t") as capture:
    jax.jit(lambda x: x + 1)(jnp.ones(3)).block_until_ready()
assert capture.ok
assert os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] == "false" and jax.config.jax_log_compiles
"""
    cache = tmp_path / "cache"
    done = run_program(
        "-c",
        program,
        cwd=tmp_path,
        JAX_LOG_COMPILES="1",
        JAX_COMPILATION_CACHE_DIR=str(cache),
        JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="0",
        XLA_PYTHON_CLIENT_PREALLOCATE="false",
        TF_CPP_MIN_LOG_LEVEL="0",
    )
    assert done.returncode == 0, done.stderr
    assert list(cache.iterdir()) and "Finished XLA compilation" in done.stderr


def test_importing_starts_no_backend(tmp_path):
    program = "import gait.compat.ueaj, sys; assert 'jax' not in sys.modules"
    assert run_program("-c", program, cwd=tmp_path).returncode == 0


def test_what_is_printed_is_where_the_capture_is(tmp_path, capsys):
    with ueaj.profile_trace(tmp_path / "profiles", name="../../evil"):
        pass
    printed = capsys.readouterr().out
    assert str(tmp_path / "profiles" / "evil") in printed and ".." not in printed
    assert (tmp_path / "profiles" / "evil").is_dir()
