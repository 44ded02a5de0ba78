"""gait.compat.xax: the rows E of docs/seeds.md that concern capture."""

import functools
import gzip
import json
import logging
import time
from dataclasses import dataclass
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import pytest
from programs import captures, folders

import gait
from gait.compat import xax


class Task(xax.ProfilerMixin[xax.ProfilerConfig]):
    """Any class with a configuration."""

    def __init__(self, exp_dir=None, **settings):
        self.config = xax.ProfilerConfig(**{"enable_profiling": True, **settings})
        if exp_dir is not None:
            self.exp_dir = exp_dir


def at(step):
    return SimpleNamespace(num_steps=step)


def count(path, name):
    """Events of this name in the trace beside a capture."""
    with gzip.open(next(path.parent.glob("*.trace.json.gz"))) as file:
        return sum(event.get("name") == name for event in json.load(file)["traceEvents"])


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.INFO, "gait.compat.xax")
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.fixture
def train(step_function, array):
    """Steps of a task under its profile_context; gives the folders below exp_dir."""

    def run(task, steps, name="profile"):
        for step in steps:
            with task.profile_context(at(step), name):
                step_function(array)
        assert gait._capture.recorder.wait(60)
        return folders(task.exp_dir)

    return run


def test_seed_E1_inside_jit_the_context_says_so(tmp_path, lines):
    task = Task(tmp_path, profile_every_n_steps=1)

    @jax.jit
    def train_step(num_steps, x):
        with task.profile_context(at(num_steps), "update"):
            return jnp.tanh(x @ x)

    for step in range(3):
        train_step(jnp.asarray(step), jnp.ones((8, 8)))
    said = [line for line in lines() if "inside jax.jit" in line]
    assert len(said) == 1 and "around the call" in said[0]
    assert not captures(tmp_path)  # and the training went on
    assert "update" in train_step.lower(jnp.asarray(0), jnp.ones((8, 8))).compile().as_text()


def test_seed_E2_where_profiles_go(tmp_path, lines, monkeypatch):
    assert Task(tmp_path / "exp").get_profiling_dir() == tmp_path / "exp" / "profiles"
    assert Task(tmp_path, profiling_dir=str(tmp_path / "here")).get_profiling_dir() == tmp_path / "here"
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    task = Task()
    assert task.get_profiling_dir().is_dir() and task.get_profiling_dir() == task.get_profiling_dir()
    assert lines()[0] == f"Profiling directory: {tmp_path}/exp/profiles"


def test_seed_E3_every_n_steps(tmp_path, train):
    task = Task(tmp_path, profile_every_n_steps=4)
    assert train(task, range(10)) == [f"profiles/profile_step_{step}" for step in (0, 4, 8)]
    assert Task(tmp_path, profile_every_n_steps=0).should_run_profiler(at(0)) is False  # no ZeroDivisionError
    assert task.should_run_profiler(at(jnp.asarray(12))) is True


@pytest.mark.on_cpu
def test_seed_E4_the_duration_ends_a_capture(tmp_path, step_function, array):
    task = Task(tmp_path, profile_duration_ms=150)
    with task.profile_context(at(0)):
        for _ in range(12):
            with gait.scope("tick"):
                step_function(array).block_until_ready()
                time.sleep(0.05)
    assert gait._capture.recorder.wait(60)
    (path,) = captures(tmp_path)
    assert 1 <= count(tmp_path / path, "tick") < 10


@pytest.mark.on_cpu
def test_seed_E4_compilation_does_not_use_up_the_duration(tmp_path, array):
    """Step 0 compiles for longer than a profile lasts: the profile holds work all the same."""

    @jax.jit
    def slow_to_trace(x):
        time.sleep(0.4)
        return jnp.tanh(x @ x)

    task = Task(tmp_path, profile_duration_ms=100, max_profile_count=1)
    with task.profile_context(at(0)):
        for _ in range(3):
            slow_to_trace(array).block_until_ready()
    assert gait._capture.recorder.wait(60)
    (capture,) = task._profiles
    assert sum(capture.devices.values()) > 0
    assert not capture.empty


def test_seed_E5_an_empty_profile_is_none_of_the_maximum(tmp_path, train, lines):
    task = Task(tmp_path, profile_every_n_steps=1, max_profile_count=1)
    with task.profile_context(at(0)):
        pass
    assert any("launched nothing" in line for line in lines())
    assert train(task, range(1, 4)) == ["profiles/profile_step_0", "profiles/profile_step_1"]


def test_seed_E5_no_more_than_the_maximum(tmp_path, train):
    task = Task(tmp_path, profile_every_n_steps=1, max_profile_count=2)
    assert train(task, range(6)) == ["profiles/profile_step_0", "profiles/profile_step_1"]


@pytest.mark.on_cpu
def test_seed_E6_detailed_traces(tmp_path, train):
    plain, detailed = Task(tmp_path / "a"), Task(tmp_path / "b", profile_gpu_trace=True)
    assert plain._trace_options()["options"] == {"python_tracer_level": 1}
    assert detailed._trace_options()["options"] == {"python_tracer_level": 1, "host_tracer_level": 3}
    train(detailed, [0])
    (path,) = captures(tmp_path / "b")
    assert '"host_tracer_level": 3' in (tmp_path / "b" / path).with_name("gait.json").read_text()


def test_seed_E6_options_of_a_gpu(monkeypatch, tmp_path):
    from gait import _facts, _options

    monkeypatch.setattr(_facts, "default_platform", lambda: "gpu")
    options = Task(tmp_path, profile_gpu_trace=True)._trace_options()["options"]
    assert options["gpu_enable_nvtx_tracking"] is True
    assert _options.check(options, "gpu")["advanced_configuration"]["gpu_max_activity_api_events"] > 1 << 21


def test_seed_E7_a_section_without_a_browser(tmp_path, lines, train):
    class Logger:
        """Like xax's: has no log_text."""

    task = Task(tmp_path, backend="perfetto")
    task.logger = Logger()
    begin = time.monotonic()
    assert train(task, [0], "my_operation") == ["profiles/my_operation_step_0"]
    assert time.monotonic() - begin < 30
    said = lines()
    assert said[1:3] == [
        "Starting profiling session: my_operation_step_0",
        "Finished profiling session: my_operation_step_0",
    ]
    assert said[3].endswith(".trace.json.gz at https://ui.perfetto.dev")


def test_seed_E7_sections_that_nest_or_fail(tmp_path):
    task = Task(tmp_path, profile_every_n_steps=1)
    with task.profile_context(at(1), "outer"), task.profile_context(at(1), "inner"):
        pass
    with pytest.raises(ZeroDivisionError), task.profile_context(at(2), "fails"):
        raise ZeroDivisionError
    assert task.profile_fn(lambda: 5, at(3), "function") == 5
    assert gait._capture.recorder.wait(60)
    assert folders(tmp_path / "profiles") == ["fails_step_2", "function_step_3", "outer_step_1"]


def test_seed_E7_a_folder_that_cannot_be_made(tmp_path, capfd):
    (tmp_path / "file").write_text("in the way")
    with Task(profiling_dir=str(tmp_path / "file" / "profiles")).profile_context(at(0)):
        reached = True
    assert reached and "The program goes on" in capfd.readouterr().err


def test_seed_E7_nothing_captured_does_not_count(tmp_path, step_function, array):
    task = Task(tmp_path, profile_every_n_steps=1, max_profile_count=1)
    jax.profiler.start_trace(str(tmp_path / "theirs"))
    with task.profile_context(at(0)):
        step_function(array)
    jax.profiler.stop_trace()
    with task.profile_context(at(1)):
        step_function(array)
    assert gait._capture.recorder.wait(60)
    assert folders(tmp_path / "profiles") == ["profile_step_1"]


def test_seed_E7_what_was_lost_does_not_count(full_disk, tmp_path, lines, train, monkeypatch):
    task = Task(tmp_path, profile_every_n_steps=1, max_profile_count=1, backend="perfetto")
    train(task, range(2))
    assert not [line for line in lines() if line.startswith("Open ")]
    monkeypatch.undo()
    assert train(task, range(2, 4)) == ["profiles/profile_step_2"]
    assert len([line for line in lines() if line.startswith("Open ")]) == 1


def test_seed_E8_annotations_in_captures_and_programs(tmp_path):
    @xax.annotate("compute_loss")
    def compute_loss(x):
        return jnp.tanh(x @ x)

    @xax.annotate
    def bare(x):
        return x + 1

    jitted = jax.jit(lambda x: bare(compute_loss(x)))
    text = jitted.lower(jnp.ones((8, 8))).compile().as_text()
    assert "compute_loss" in text and "bare" in text
    with gait.trace(tmp_path, perfetto=True) as capture:
        compute_loss(jnp.ones((8, 8)))
    assert count(capture.wait().xplane, "compute_loss") == 1


def test_seed_E9_any_callable_can_be_traced(tmp_path):
    class Model:
        def forward(self, x):
            return x + 1

        def __call__(self, x):
            return x + 2

    model = Model()
    model.forward = xax.trace_function(model.forward, name="model_forward")
    assert model.forward(1) == 2
    assert xax.trace_function(functools.partial(max, 3))(5) == 5
    assert xax.trace_function(model)(1) == 3
    generator = xax.trace_function(lambda: (yield 1), name="generator")
    assert list(generator()) == [1]
    with gait.trace(tmp_path) as capture:  # each is there under its name
        model.forward(1)
        xax.trace_function(functools.partial(max, 3), name="a_partial")(5)
        xax.trace_function(model, name="a_model")(1)
        list(generator())
    names = {row["name"] for row in capture.load().dump(name="model_forward|a_partial|a_model|generator")}
    assert names == {"model_forward", "a_partial", "a_model", "generator"}


def test_seed_E18_almost_nothing_when_off(tmp_path):
    task = Task(tmp_path, enable_profiling=False)
    state = at(0)
    begin = time.thread_time()
    for _ in range(2000):
        with task.profile_context(state):
            pass
    assert (time.thread_time() - begin) / 2000 < 40e-6
    assert not list(tmp_path.iterdir())


def test_configuration_by_fields_alone(tmp_path):
    """The document's way: a dataclass of the program's own, with the fields it cares for."""

    @dataclass
    class MyTaskConfig:
        enable_profiling: bool = True
        profile_every_n_steps: int = 7

    class MyTask(xax.ProfilerMixin[MyTaskConfig]):
        config = MyTaskConfig()

    assert [step for step in range(20) if MyTask().should_run_profiler(at(step))] == [0, 7, 14]
    assert MyTask().should_profile


def test_a_profile_of_one_step_holds_a_whole_step(tmp_path, step_function):
    """The block does not wait for its result: the capture does, and all of the step is in it."""
    task = Task(tmp_path)
    big = jnp.ones((512, 512))
    with task.profile_context(at(0), name="train_step"):
        step_function(big)
    assert gait._capture.recorder.wait(60)
    (file,) = captures(tmp_path)
    said = gait.steps(tmp_path / file)
    (row,) = said["steps"].to_dicts()
    assert set(row["flags"].split(", ")) <= {"", "compiles"}
    assert said["steps"].to_dicts()[0]["step_time"] > 0


def test_seed_E7_a_section_is_a_step_of_its_name(tmp_path, train):
    task = Task(tmp_path, profile_every_n_steps=2)
    train(task, range(3), "my_operation")
    for step, capture in zip((0, 2), task._profiles, strict=True):
        (row,) = capture.load().steps()["steps"].to_dicts()
        assert (row["series"], row["step"]) == ("my_operation", step)


def test_seed_E7_a_step_number_that_is_none_ends_no_training(tmp_path, step_function, array):
    task = Task(tmp_path, profile_every_n_steps=1000)
    for number in (float("nan"), None, 2.0, "7"):
        with task.profile_context(at(number)):
            result = step_function(array)
    assert result.shape == array.shape
