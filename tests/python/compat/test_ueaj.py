"""gait.compat.ueaj: the rows B and D of docs/seeds.md that concern capture."""

import dataclasses
import gzip
import json
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from gait.compat import ueaj
from programs import captures, folders, run_program

import gait

DATA = Path(__file__).resolve().parents[2] / "data"
VARIABLES = "ENABLED DIR START_STEP INTERVAL DURATION MODE STEP".split()


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """Sets PROFILE_*; the configuration is read anew."""
    monkeypatch.chdir(tmp_path)
    for name in VARIABLES:
        monkeypatch.delenv(f"PROFILE_{name}", raising=False)
    ueaj.get_profiling_config.cache_clear()

    def set_variables(**values):
        for name, value in values.items():
            monkeypatch.setenv(f"PROFILE_{name}", str(value))
        ueaj.get_profiling_config.cache_clear()

    yield set_variables
    ueaj.get_profiling_config.cache_clear()


@pytest.fixture
def train(step_function, array):
    """A training loop as the guide has it; gives the folders of its captures."""

    def run(steps, directory="profiles"):
        for step in steps:
            with ueaj.maybe_profile(step):
                result = step_function(array)
                result.block_until_ready()
        assert gait._native.wait_for_writer(60)
        return folders(directory)

    return run


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
        "✓ TensorBoard: tensorboard --logdir=~/profiles/train_step",
        f"✓ Perfetto: Upload {capture.trace_json} to https://ui.perfetto.dev",
    ]
    assert spans(capture.trace_json)  # the printed path is the file


def test_seed_B1_messages_also_after_an_error(tmp_path, capsys):
    with pytest.raises(ZeroDivisionError), ueaj.profile_trace(str(tmp_path)):
        raise ZeroDivisionError
    assert "✓ TensorBoard: " in capsys.readouterr().out
    assert captures(tmp_path / "trace")


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
    gait._native.wait_for_writer(60)
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
    assert gait._native.wait_for_writer(60)
    (path,) = captures(tmp_path)
    assert [row["step"] for row in gait.load(tmp_path / path).steps()["steps"].to_dicts()] == [2, 3]


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


def test_seed_B7_every_n_steps_in_folders_that_do_not_nest(environment, train):
    environment(ENABLED=1, START_STEP=2, INTERVAL=4)
    assert train(range(12)) == ["step_00000002", "step_00000006", "step_00000010"]


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


def test_seed_B17_one_call_without_the_warm_up(step_function):
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 200, lambda i, y: jnp.tanh(y @ y), x))
    x = jnp.ones((128, 128))
    result, ms = ueaj.time_jax_function(slow, x)
    assert result.shape == (128, 128)
    repeated = ueaj.benchmark_function(slow, x, num_iterations=5, warmup=1)
    assert repeated["min"] / 3 < ms < repeated["max"] * 3  # neither the compile nor two calls


def test_seed_B19_a_slow_file_system_is_said(tmp_path, monkeypatch, capfd):
    from gait import _layout

    monkeypatch.setattr(_layout, "_is_wsl", lambda: True)
    assert "Windows" in _layout.slow_file_system("/mnt/c/Users/me/profiles")
    assert _layout.slow_file_system(tmp_path) is None
    monkeypatch.setattr(_layout, "_is_wsl", lambda: False)
    assert _layout.slow_file_system("/mnt/c/Users/me/profiles") is None


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


def test_seed_D12_the_environment_decides(environment, train, capsys):
    assert train(range(3)) == []
    assert capsys.readouterr().out == ""
    environment(ENABLED="true")  # '1' only
    assert train(range(3)) == []
    environment(ENABLED=1, START_STEP=1, INTERVAL=0, DIR="here")
    assert train(range(3), "here") == ["step_00000001"]


def test_seed_D13_banner_and_lines(environment, train, capsys):
    environment(ENABLED=1, START_STEP=100, INTERVAL=0)
    train([99, 100, 101])
    rule = "=" * 60
    assert capsys.readouterr().out.splitlines() == [
        rule,
        "📊 PROFILING ENABLED",
        rule,
        "  Profile Dir:    ./profiles",
        "  Start Step:     100",
        "  Interval:       once",
        "  Duration:       1 step(s)",
        "  Mode:           tensorboard",
        rule,
        "📊 Profiling step 100...",
        "✓ Profile saved: ./profiles/step_00000100",
    ]


@pytest.mark.parametrize("duration", [1, 2, 3, 5])
def test_seed_D14_n_steps_means_n(environment, train, duration):
    environment(ENABLED=1, START_STEP=2, INTERVAL=0, DURATION=duration)
    assert train(range(9)) == [f"step_{i:08d}" for i in range(2, 2 + duration)]


def test_seed_D15_once_and_again(environment, train):
    environment(ENABLED=1, START_STEP=3, INTERVAL=0)
    assert train(range(8)) == ["step_00000003"]
    environment(DIR="again", INTERVAL=3)
    assert train(range(8), "again") == ["step_00000003", "step_00000006"]
    environment(DIR="default")
    assert ueaj.ProfilingConfig().interval == 3
    environment(DIR="resumed", INTERVAL=0)  # a program that resumed behind the start is profiled at once
    assert train(range(500, 505), "resumed") == ["step_00000500"]


def test_seed_D15_asking_changes_nothing(environment):
    environment(ENABLED=1, START_STEP=10, INTERVAL=0, DURATION=2)
    config = ueaj.get_profiling_config()
    assert [[config.should_profile(step) for step in (9, 10, 11, 12)] for _ in range(3)] == [
        [False, True, True, False]
    ] * 3
    assert config.get_profile_name(100) == "step_00000100"
    assert config is ueaj.get_profiling_config()


def test_seed_D16_perfetto_writes_a_file_and_does_not_wait(environment, train, capsys):
    environment(ENABLED=1, START_STEP=0, INTERVAL=0, MODE="perfetto")
    assert train(range(2)) == ["step_00000000"]
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("✓ Perfetto: Upload ") and line.endswith(" to https://ui.perfetto.dev")
    assert spans(line.split()[3])


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("START_STEP", "soon", "PROFILE_START_STEP='soon' is no number"),
        ("MODE", "x", "tensorboard, perfetto"),
    ],
)
def test_seed_D16_a_bad_value_is_named(environment, variable, value, said):
    environment(ENABLED=1, **{variable: value})
    with pytest.raises(ValueError, match=said):
        ueaj.maybe_profile(0)


def test_seed_D8_files_that_the_guide_names(environment, train, tmp_path):
    environment(ENABLED=1, START_STEP=1, INTERVAL=0)
    train(range(2))
    (run,) = (tmp_path / "profiles" / "step_00000001" / "plugins" / "profile").iterdir()
    (host,) = run.glob("*.xplane.pb")
    expected = run / host.name.replace(".xplane.pb", ".trace.json.gz")
    assert spans(expected)
    assert spans(run / "perfetto_trace.json.gz") == spans(expected)


def test_seed_D19_files_are_whole(environment, train, tmp_path):
    """No 0-byte file: each capture is read back after writing, and what a folder has is shown with its size."""
    environment(ENABLED=1, START_STEP=1, INTERVAL=0)
    train(range(2))
    for path in (tmp_path / "profiles").glob("**/*.gz"):
        assert path.stat().st_size > 0
        gzip.decompress(path.read_bytes())
    (manifest,) = (tmp_path / "profiles").glob("**/gait.json")
    assert json.loads(manifest.read_text())["files"][0]["events"] > 0


def test_PROFILE_STEP_of_the_training_program(environment, train):
    environment(STEP=3)
    assert train(range(6)) == ["step_00000003"]


def test_importing_starts_no_backend(tmp_path):
    program = "import gait.compat.ueaj, sys; assert 'jax' not in sys.modules"
    assert run_program("-c", program, cwd=tmp_path).returncode == 0


def test_seed_D20_size_is_bounded(environment, tmp_path, step_function, array, capfd):
    """PROFILE_DURATION bounds the steps; the same schedule takes bounds of bytes and seconds too."""
    environment(ENABLED=1, START_STEP=0, INTERVAL=2, DURATION=1)
    bounded = dataclasses.replace(ueaj.get_profiling_config().schedule, max_bytes=1, max_seconds=60)
    with gait.Profiler(bounded, tmp_path / "bounded", on_signal=None) as profiler:
        for step in range(6):
            with profiler.step(step) as running:
                running.result = step_function(array)
    assert [capture.steps for capture in profiler.captures] == [[0]]  # and no further one
    assert "max_bytes=1 is used up" in capfd.readouterr().err


def test_seed_D18_every_item_of_the_checklist_has_an_answer():
    run = gait.load(DATA / "h200" / "gpt.xplane.pb.gz")
    devices = run.overview()["devices"].to_dicts()
    assert devices[0]["window"] > 0 and devices[0]["busy"] > 90  # device step time, utilisation
    top = run.ops(top=5)["ops"].to_dicts()
    assert [row["self"] for row in top] == sorted((row["self"] for row in top), reverse=True)
    memory = run.memory()["memory"].to_dicts()
    assert max(row["peak"] or 0 for row in memory) > 0
    assert min(row["occupancy"] for row in run.kernels()["kernels"].to_dicts() if row["occupancy"]) < 50
