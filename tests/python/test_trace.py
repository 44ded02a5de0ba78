"""gait.trace and the Capture that it gives."""

import json
import os
import subprocess
import time
from pathlib import Path

import jax
import pytest

import gait
from gait._capture import recorder
from gait._session import Session

from .helpers import manifest, xplanes

DATA = Path(__file__).resolve().parents[1] / "data"


def test_the_layout_is_tensorboards(tmp_path, step_function, array):
    with gait.trace(tmp_path, "variant", memory=True) as capture:
        array = step_function(array)
    assert capture.ok
    folder = tmp_path / "variant" / "plugins" / "profile"
    (run,) = folder.iterdir()
    assert capture.path == run
    host = os.uname().nodename
    assert sorted(file.name for file in run.iterdir()) == sorted(
        ["gait.json", f"{host}.memory.prof", f"{host}.xplane.pb"]
    )
    assert sorted(capture.files) == sorted(run.iterdir())


@pytest.mark.on_cpu
def test_it_is_checked_after_writing(tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture:
        array = step_function(array)
    assert capture.wait().done
    assert capture.events > 0
    assert capture.devices["CPU 0"] > 0
    assert capture.losses == []
    assert capture.bytes == capture.xplane.stat().st_size
    assert capture.error is None
    assert repr(capture).endswith("MB>")


def test_the_manifest_says_what_was_captured(tmp_path, step_function, array):
    for i in range(40):
        with gait.step(i):
            array = step_function(array)
            array.block_until_ready()
    with gait.trace(tmp_path, options={"host_tracer_level": 1}) as capture:
        for i in range(40, 43):
            with gait.step(i):
                array = step_function(array)
    said = manifest(capture)
    facts = said["capture"]
    assert facts["steps"] == [40, 41, 42]
    assert facts["trigger"] == "trace"
    assert facts["options"]["host_tracer_level"] == 1
    assert facts["options"]["python_tracer_level"] == 0
    assert facts["versions"]["jax"] == jax.__version__
    assert facts["flags"]["XLA_FLAGS"] == os.environ.get("XLA_FLAGS", "")
    assert facts["flags"]["LIBTPU_INIT_ARGS"] == os.environ.get("LIBTPU_INIT_ARGS", "")
    assert facts["flags"]["jax_enable_x64"] == str(jax.config.jax_enable_x64)
    assert facts["process"] == {"index": 0, "count": 1}
    assert facts["begin_unix_ns"] < facts["end_unix_ns"]
    assert said["files"] == [{"name": capture.xplane.name, "bytes": capture.bytes, "events": capture.events}]
    assert said["uncaptured"]["before"]["steps"] >= 39
    assert said["losses"] == []


@pytest.mark.usefixtures("keeps_pace")
def test_the_manifest_gets_the_steps_after(tmp_path, step_function, array):
    def steps(numbers, x):
        for i in numbers:
            with gait.step(i):
                x = step_function(x)
                x.block_until_ready()
                time.sleep(0.002)
        return x

    array = steps(range(30), array)
    with gait.trace(tmp_path) as capture:
        array = steps(range(30, 32), array)
    capture.wait()  # the steps until then were slowed down by the writer
    steps(range(32, 60), array)
    recorder.flush()
    uncaptured = manifest(capture)["uncaptured"]
    assert uncaptured["after"]["steps"] >= 20
    for side in ("before", "after"):
        assert 2e6 < uncaptured[side]["period_ns"] < 1e9


def test_a_loop_that_runs_ahead_is_not_mistaken_for_a_fast_one(tmp_path):
    import jax.numpy as jnp

    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 20, lambda _, y: jnp.tanh(y @ y), x))
    x = slow(jnp.ones((256, 256))).block_until_ready()
    one = gait.benchmark_function(slow, x, iterations=10, warmup=1).min
    for i in range(20):
        with gait.step(i):
            x = slow(x)
    with gait.trace(tmp_path) as capture:
        pass
    assert manifest(capture)["uncaptured"]["before"]["mean_ns"] > one * 1e9 / 5


def test_the_engine_reads_it(tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture:
        for i in range(3):
            with gait.step(i):
                array = step_function(array)
    run = capture.load()
    assert run.events == capture.events
    assert "inner_scope" in str(run.ops(by="scope").to_dicts())
    assert capture.overview().answer


def test_in_a_notebook_it_shows_its_run(tmp_path, step_function, array):
    with gait.trace(tmp_path / "<runs>") as capture:
        array = step_function(array)
        assert "recording" in capture._repr_html_()
    shown = capture.wait()._repr_html_()
    assert shown.startswith("<p>&lt;gait.Capture") and "<runs>" not in shown
    assert shown.endswith(capture.load()._repr_html_())


def test_steps_ends_the_capture_but_not_the_block(tmp_path, step_function, array):
    with gait.trace(tmp_path, steps=2) as capture:
        for i in range(6):
            with gait.step(i):
                array = step_function(array)
        assert capture.state != "recording"
    assert capture.steps == [0, 1]
    assert capture.ok


def test_steps_without_any_is_said(tmp_path, step_function, array, capfd):
    with gait.trace(tmp_path, steps=2) as capture:
        for _ in range(6):
            array = step_function(array)
    (warning,) = capture.wait().warnings
    assert warning == "steps=2 counts steps of gait.step, and there was none: it ended nothing."
    assert manifest(capture)["capture"]["warnings"] == [warning]
    assert warning in capfd.readouterr().err


def test_as_a_decorator_it_captures_each_call(tmp_path, step_function, array):
    @gait.trace(tmp_path)
    def evaluate(x, times=2):
        for _ in range(times):
            x = step_function(x)
        return x

    assert evaluate(array).shape == evaluate(array, times=1).shape
    assert len(list((tmp_path / "plugins" / "profile").iterdir())) == 2


def test_as_a_decorator_of_methods(tmp_path, step_function, array):
    trace = gait.trace(tmp_path)

    class Model:
        @trace
        @staticmethod
        def twice(x):
            return step_function(step_function(x))

        @trace
        @classmethod
        def once(cls, x):
            return cls, step_function(x)

    assert Model().twice(array).shape == Model.twice(array).shape
    assert Model().once(array)[0] is Model
    assert recorder.wait(60)
    assert len(xplanes(tmp_path)) == 3
    with pytest.raises(gait.OptionError, match="decorates functions"):
        trace(5)


def test_calls_of_coroutines_and_generators_are_captured(tmp_path, step_function, array):
    import asyncio

    @gait.trace(tmp_path / "coroutine")
    async def coroutine():
        await asyncio.sleep(0)
        assert "test_trace.py:" in Session.active().owner  # who began it, not who drives the coroutine
        with gait.step(1):
            return step_function(array)

    @gait.trace(tmp_path / "generator")
    def generator():
        for i in range(3):
            with gait.step(i):
                sent = yield step_function(array)
        return sent

    @gait.trace(tmp_path / "async_generator")
    async def async_generator():
        for i in range(2):
            with gait.step(i):
                yield step_function(array)

    async def drain():
        return [item async for item in async_generator()]

    assert asyncio.run(coroutine()).shape == array.shape
    assert len(list(generator())) == 3
    assert len(asyncio.run(drain())) == 2
    assert recorder.wait(60)
    for name, steps in (("coroutine", [1]), ("generator", [0, 1, 2]), ("async_generator", [0, 1])):
        (said,) = (tmp_path / name).glob("**/gait.json")
        assert json.loads(said.read_text())["capture"]["steps"] == steps
        assert gait.load(tmp_path / name).steps().tables["steps"].to_dicts()


def test_a_generator_that_is_closed_ends_its_capture(tmp_path, step_function, array):
    @gait.trace(tmp_path)
    def generator():
        while True:
            yield step_function(array)

    items = generator()
    next(items)
    assert gait.is_recording()
    items.close()
    assert not gait.is_recording()


@pytest.mark.on_cpu
def test_entries_within_a_capture_are_refused_in_one_line(tmp_path, step_function, array, capfd):
    inner = gait.trace(tmp_path / "inner")(step_function)
    for _ in range(2):
        with gait.trace(tmp_path / "outer") as capture:
            for _ in range(5):
                inner(array)
        assert capture.ok
    assert capfd.readouterr().err.count("a capture of gait runs already") == 2
    assert not (tmp_path / "inner").exists()


@pytest.mark.on_cpu  # a GPU's says it in other words
def test_an_empty_capture_is_said(tmp_path, capfd, step_function, array):
    with gait.trace(tmp_path) as empty:
        pass
    (loss,) = empty.wait().losses
    assert "no program was over on a device while it was captured" in str(loss)
    assert json.loads(empty.manifest.read_text())["losses"], (
        "those who were not there read it in the manifest"
    )
    assert "no program was over" in capfd.readouterr().err
    with gait.trace(tmp_path) as full:
        array = step_function(array)
    assert full.wait().losses == []
    assert "no program was over" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        {"steps": 0},
        {"steps": True},
        {"max_seconds": 0},
        {"max_seconds": "3"},
        {"hosts": "all"},
        {"dir": None},
        {"name": 5},
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, arguments):
    with pytest.raises(gait.OptionError):
        gait.trace(**{"dir": tmp_path, **arguments})


def test_a_decorator_without_a_directory_is_refused():
    with pytest.raises(gait.OptionError, match=r'@gait\.trace\("runs"\)'):

        @gait.trace
        def step(x):
            return x


def test_two_captures_in_one_second(tmp_path):
    captures = []
    for _ in range(4):
        with gait.trace(tmp_path) as capture:
            pass
        captures.append(capture)
    assert len({capture.wait().path for capture in captures}) == 4
    assert all(capture.xplane.exists() for capture in captures)


def test_the_home_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    with gait.trace("~/runs") as capture:
        pass
    assert capture.wait().path.is_relative_to(tmp_path / "runs")


def test_no_json_is_made_unless_asked_for(tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture:
        array = step_function(array)
    assert not [file for file in capture.wait().path.iterdir() if "json.gz" in file.name]


def test_options_as_jaxs_own_object(tmp_path, step_function, array):
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 1
    options.host_tracer_level = 3
    with gait.trace(tmp_path, options=options) as capture:
        array = step_function(array)
    assert capture.options["host_tracer_level"] == 3
    assert capture.load().dump(name=r"^\$").to_dicts(), "no event of the Python tracer"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"host_trace_level": 1}, "Did you mean 'host_tracer_level'"),
        ({"gpu_max_activity_events": 1}, "Did you mean 'gpu_max_activity_api_events'"),
        ({"device_tracer_level": 0}, "would be ignored"),
        ({"create_perfetto_link": True}, "perfetto=True"),
        ({"advanced_configuration": {"enable_continuous_profiling": True}}, "records nothing"),
        ({"host_tracer_level": True}, "takes an integer"),
        ({"gpu_enable_nvtx_tracking": 1}, "takes True or False"),
        ({"nonsense_of_mine": 1}, "There are"),
        ("x", "takes a dict"),
    ],
)
def test_unknown_options_are_refused_aloud(tmp_path, options, said):
    with pytest.raises(gait.OptionError, match=said), gait.trace(tmp_path, options=options):
        pass
    assert not list(tmp_path.iterdir())


def test_an_attribute_that_jax_would_forget_is_refused(tmp_path):
    options = jax.profiler.ProfileOptions()
    try:
        options.device_tracer_level = 0
    except AttributeError:
        pytest.skip("this JAX refuses it itself")
    with pytest.raises(gait.OptionError, match="would be ignored"), gait.trace(tmp_path, options=options):
        pass


def test_gpu_options_are_refused_on_a_tpu():
    from gait import _options

    with pytest.raises(gait.OptionError, match="not for this platform"):
        _options.check({"gpu_enable_nvtx_tracking": True}, "tpu")
    with pytest.raises(gait.OptionError, match="not for this platform"):
        _options.check({"tpu_trace_mode": "TRACE_ONLY_HOST"}, "gpu")


def test_the_command_opens_it(tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture:
        array = step_function(array)
    capture.wait()
    from gait._command import command

    done = subprocess.run([command(), "info", tmp_path, "--json"], capture_output=True, check=True)
    assert json.loads(done.stdout)["verb"] == "info"


def test_seed_A18_metrics_are_counters_of_the_capture(tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture:
        for _ in range(5):
            array = step_function(array)
            time.sleep(0.05)
    rows = capture.load().dump(name="process_memory_bytes").to_dicts()
    assert len(rows) >= 2
    assert capture.bytes == capture.xplane.stat().st_size


def test_seed_A18_gpu_metrics():
    """Of a capture that was recorded on an H200, ten times a second."""
    run = gait.load(DATA / "launches" / "two_processes.xplane.pb.gz")
    for name, lowest, highest in (
        ("memory_used_bytes", 1e9, 150e9),
        ("utilization_percent", 0, 100),
        ("power_watts", 50, 700),
        ("temperature_celsius", 20, 90),
        ("sm_clock_mhz", 300, 1980),
    ):
        rows = run.dump(name=f"^{name}$", top=0).to_dicts()
        values = [value for row in rows for _, value in row["arguments"]]
        assert len(values) >= 10 and lowest <= min(values) <= max(values) <= highest, name


@pytest.mark.parametrize(
    ("environ", "gpus"),
    [
        ({}, ["0", "1"]),
        ({"CUDA_VISIBLE_DEVICES": "3,1"}, ["3", "1"]),
        ({"CUDA_VISIBLE_DEVICES": "GPU-8f2a"}, ["GPU-8f2a"]),
        ({"CUDA_VISIBLE_DEVICES": "2,-1,3"}, ["2"]),
        ({"CUDA_VISIBLE_DEVICES": ""}, []),
    ],
)
def test_seed_A6_only_visible_devices_are_asked(environ, gpus):
    from gait import _metrics

    assert _metrics.visible_gpus(environ, 2) == gpus


def test_the_manifest_lists_the_files_beside_the_capture(tmp_path):
    with gait.trace(tmp_path, perfetto=True, memory=True) as capture:
        pass
    listed = {file["name"]: file["bytes"] for file in manifest(capture)["files"]}
    files = (capture.xplane, capture.trace_json, capture.memory_profile)
    assert listed == {file.name: file.stat().st_size for file in files}
    assert sorted(capture.files) == sorted(capture.path.iterdir())  # also what is a second name of one


def test_perfetto_json_holds_every_event(tmp_path, step_function, array):
    import gzip

    with gait.trace(tmp_path, perfetto=True) as capture:
        for i in range(3):
            with gait.step(i), gait.scope("part"):
                array = step_function(array)
    assert capture.ok
    with gzip.open(capture.trace_json) as file:
        events = json.load(file)["traceEvents"]
    assert sum(event["ph"] in "XC" for event in events) == capture.events
    assert sum(event["name"] == "part" for event in events) == 3
    by_thread: dict = {}
    for event in sorted((e for e in events if e["ph"] == "X"), key=lambda e: (e["ts"], -e["dur"])):
        open_ends = by_thread.setdefault((event["pid"], event["tid"]), [])
        while open_ends and open_ends[-1] <= event["ts"] + 1e-6:
            open_ends.pop()
        end = event["ts"] + event["dur"]
        assert not open_ends or end <= open_ends[-1] + 1e-6, "a viewer would drop this event"
        open_ends.append(end)
