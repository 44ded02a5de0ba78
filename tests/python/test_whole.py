"""A capture is whole, or says what it lacks: work whose results were dropped, of any thread, is waited for."""

import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import gait
from gait import _capture, _compiling, _jax_launches, _trace
from gait._capture import recorder
from gait.compat.efficientids import ProfileContext
from gait.compat.supergrad import run_with_jax_profiler
from gait.compat.ueaj import profile_trace

from .helpers import manifest

ROUNDS = 400  # of `long`: a fraction of a second


@jax.jit
def long(x):
    return jax.lax.fori_loop(0, ROUNDS, lambda i, y: jnp.tanh(y @ y) + i, x)


@pytest.fixture(scope="module")
def big():
    x = jnp.ones((256, 256))
    long(x).block_until_ready()
    return x


@pytest.fixture(scope="module")
def long_seconds(big):
    """Of one launch; more than stopping a capture takes."""
    begin = time.perf_counter()
    long(big).block_until_ready()
    return time.perf_counter() - begin


def events_of(capture):
    """Name, stats and seconds of all events of a capture, as JAX reads them."""
    data = jax.profiler.ProfileData.from_file(str(capture.wait().xplane))
    for plane in data.planes:
        for line in plane.lines:
            for event in line.events:
                yield event.name, dict(event.stats), event.duration_ns / 1e9


def without_end(capture):
    """Launches by program, as the manifest has them."""
    losses = manifest(capture)["losses"]
    return {loss["place"]: loss["count"] for loss in losses if loss["kind"] == "unfinished"}


def blocks_of(capture):
    """(name, number) of the blocks marked in a capture."""
    return sorted(
        (name, stats["gait_block"]) for name, stats, _ in events_of(capture) if "gait_block" in stats
    )


def loops_of(capture):
    """How many runs of `long` a capture holds to their end."""
    return sum(name.startswith("while") and "hlo_op" in stats for name, stats, _ in events_of(capture))


@pytest.mark.on_cpu
@pytest.mark.parametrize("devices", [1, 8])
def test_a_dropped_result_shows_as_much_as_a_kept_one(tmp_path, devices):
    """The guide's own example, twenty times in a row: every operation of the step is there each time."""
    program = Path(__file__).with_name("dropped_results.py")
    environment = {
        **os.environ,
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}",
        "GAIT_QUIET": "1",
    }
    done = subprocess.run(
        [sys.executable, program, tmp_path], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    everything = set(found["kept"]["executions"])
    assert len(everything) == 1
    assert set(found["dropped"]["executions"]) == everything
    for way in found.values():
        assert set(way["launches"]) == {1}
        assert way["losses"] == [[]] * 20
    kept, dropped = (statistics.median(found[way]["device_ms"]) for way in ("kept", "dropped"))
    assert dropped == pytest.approx(kept, rel=0.5)  # of a machine that does other things too


@pytest.mark.on_cpu
def test_work_of_other_threads_is_waited_for(tmp_path, big, long_seconds):
    """Which the CPU does not run in the order of the thread that ends the capture."""
    with gait.trace(tmp_path) as capture:
        threads = [threading.Thread(target=long, args=(big,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert capture.waited_seconds > 0.3 * long_seconds
    assert without_end(capture) == {}
    assert loops_of(capture) == 2


@pytest.mark.on_cpu
def test_what_was_dropped_before_is_not_in_it(tmp_path, big, step_function, array):
    long(big)
    with gait.trace(tmp_path) as capture:
        step_function(array)
    assert {row["program"] for row in capture.load().ops().table} == {"jit_train_step"}


@pytest.mark.on_cpu
@pytest.mark.parametrize("devices", [2, 8])
def test_what_was_dropped_before_on_any_device_is_not_in_it(tmp_path, devices):
    program = Path(__file__).with_name("earlier_work.py")
    environment = {**os.environ, "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"}
    done = subprocess.run(
        [sys.executable, program, tmp_path], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.splitlines()[-3:] == ["['jit_step']"] * 3, done.stdout + done.stderr


@pytest.mark.on_cpu
def test_what_takes_longer_than_the_limit_is_a_loss(tmp_path, big, monkeypatch, capsys):
    monkeypatch.setattr(_capture, "LAUNCH_SECONDS", 0.001)
    with gait.trace(tmp_path) as capture:
        for _ in range(2):
            long(big)
    missing = without_end(capture)
    assert missing == {"jit_long": 2}
    assert "2 launches of jit_long have no end in the capture" in capsys.readouterr().err
    assert capture.losses == manifest(capture)["losses"]
    assert any("jit_long" in warning for warning in capture.warnings)


@pytest.mark.on_cpu
def test_who_does_not_want_to_wait_is_told_what_is_missing(tmp_path, big):
    with gait.trace(tmp_path, block=False) as capture:
        jax.jit(lambda x: long(x))(big)  # by Python, the first time
        long(big)  # on the fast path
    assert without_end(capture) == {"jit_long": 1, "jit__lambda": 1}


@pytest.mark.on_cpu
def test_results_that_are_deleted_are_counted_by_their_capture(tmp_path, big, capsys):
    """Nobody can wait for them."""
    with gait.trace(tmp_path) as capture:
        long(big).delete()
    assert without_end(capture) == {"jit_long": 1}
    assert capture.losses == manifest(capture)["losses"]
    assert "1 launch of jit_long has no end in the capture" in capsys.readouterr().err
    (loss,) = capture.load().info().losses
    assert (loss["kind"], loss["place"], loss["count"]) == ("unfinished", "jit_long", 1)


@pytest.mark.on_cpu
def test_steps_whose_results_are_dropped_are_whole(tmp_path, big):
    profiler = gait.Profiler(gait.Schedule(start=1, count=2), tmp_path, on_signal=None)
    for i in range(4):
        with profiler.step(i):
            long(big)
    profiler.close()
    assert without_end(profiler.last) == {}
    assert loops_of(profiler.last) == 2


def test_launches_are_named_as_in_captures():
    from types import SimpleNamespace

    from gait._inflight import _name

    def named(name):
        return SimpleNamespace(name=name)

    assert [_name(named(name)) for name in ("jit(train_step)", "jit(<lambda>)", "jit_f", "pmap(f)")] == [
        "jit_train_step",
        "jit__lambda",
        "jit_f",
        "pmap_f",
    ]
    assert _name(long) == "jit_long"


def test_nothing_is_held_or_watched_afterwards(tmp_path, step_function, array):
    with gait.trace(tmp_path):
        step_function(array)
        assert _jax_launches._fast.watchers
    assert not _jax_launches._fast.watchers
    assert not _jax_launches._slow.watchers
    assert recorder.wait(60)


def test_several_watch_launches_and_end_in_any_order(step_function, array):
    seen = []
    first = _jax_launches.watch_fast(lambda *_: seen.append("first"))
    second = _jax_launches.watch_fast(lambda *_: seen.append("second"))
    step_function(array)
    first()
    step_function(array)
    second()
    step_function(array)
    assert seen == ["first", "second", "second"]


# -- profiles by duration ------------------------------------------------------------------------------------------


def slow_to_compile():
    """A function whose tracing takes longer than the captures below last."""

    @jax.jit
    def train_step(x):
        time.sleep(0.4)
        return jnp.tanh(x @ x)

    return train_step


@pytest.mark.on_cpu
def test_compilation_does_not_use_up_the_time(tmp_path, array, capsys):
    step = slow_to_compile()
    with gait.trace(tmp_path, max_seconds=0.1) as capture:
        deadline = time.monotonic() + 30
        while capture.state == "recording" and time.monotonic() < deadline:
            step(array)
    assert capture.state != "recording"
    assert manifest(capture)["capture"]["launches"] > 1
    assert capture.devices["CPU 0"] > 0
    (warning,) = capture.warnings
    assert re.fullmatch(
        r"it was ended by max_seconds=0.1(, and waited for a launch)?, after [\d.]+ s in which JAX compiled",
        warning,
    )
    assert warning.removeprefix("it was") in capsys.readouterr().err


@pytest.mark.on_cpu
def test_a_profile_by_duration_ends_behind_a_launch(tmp_path, big):
    """The loop never waits: whatever was launched inside has its end, and the next one is outside."""
    with gait.trace(tmp_path, max_seconds=0.05) as capture:
        deadline = time.monotonic() + 30
        while capture.state == "recording" and time.monotonic() < deadline:
            long(big)
    said = manifest(capture)["capture"]
    assert without_end(capture) == {}
    assert loops_of(capture) == said["launches"]


@pytest.mark.on_cpu
def test_a_short_profile_waits_for_a_launch(tmp_path, step_function, array, capsys):
    """Python work before the first launch does not use up the time, either."""
    with gait.trace(tmp_path, max_seconds=0.005) as capture:
        time.sleep(0.1)
        assert capture.state == "recording"
        step_function(array)
        deadline = time.monotonic() + 30
        while capture.state == "recording" and time.monotonic() < deadline:
            time.sleep(0.001)
        assert capture.state != "recording"
    assert not capture.empty
    assert capture.devices["CPU 0"] > 0
    assert capture.warnings == ["it was ended by max_seconds=0.005, and waited for a launch"]
    assert "ended by max_seconds=0.005, and waited for a launch: that" in capsys.readouterr().err


def test_a_profile_by_duration_of_a_program_that_launches_nothing_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(_trace, "FIRST_LAUNCH_SECONDS", 0.2)
    with gait.trace(tmp_path, max_seconds=0.05) as capture:
        deadline = time.monotonic() + 30
        while capture.state == "recording" and time.monotonic() < deadline:
            time.sleep(0.001)
    assert capture.state != "recording"


def test_the_clock_stands_still_while_jax_compiles(array):
    _compiling.compilations()
    begin, clock = time.monotonic(), _compiling.clock()
    slow_to_compile()(array)
    counted = _compiling.clock() - clock
    assert time.monotonic() - begin >= 0.4
    assert counted < 0.3
    assert not _compiling.is_compiling()


# -- blocks ----------------------------------------------------------------------------------------------------------


def test_each_entry_of_a_block_is_marked(tmp_path, step_function, array):
    block = gait.trace(tmp_path, "blocks_twice")
    marks = []
    for _ in range(2):
        with block as capture:
            step_function(array)
        marks += blocks_of(capture)
    assert marks == [("blocks_twice", 0), ("blocks_twice", 1)]


def test_blocks_inside_of_blocks_are_marked(tmp_path, step_function, array):
    with profile_trace(tmp_path, "outer") as capture:
        for _ in range(3):
            with profile_trace(tmp_path, "inner"):
                step_function(array)
    assert blocks_of(capture) == [("inner", 0), ("inner", 1), ("inner", 2), ("outer", 0)]


def test_a_function_that_calls_itself_is_one_entry(tmp_path, step_function, array):
    @gait.trace(tmp_path, block_name="calls_itself")
    def calls_itself(depth):
        return calls_itself(depth - 1) if depth else step_function(array)

    with profile_trace(tmp_path, "around_calls") as capture:
        for _ in range(2):
            calls_itself(2)
    assert blocks_of(capture) == [("around_calls", 0), ("calls_itself", 0), ("calls_itself", 1)]
    assert [name for name, _, _ in events_of(capture)].count("calls_itself") == 6


def test_every_block_has_its_name(tmp_path, step_function, array):
    @gait.trace(tmp_path)
    def decorated():
        return step_function(array)

    decorated()
    assert recorder.wait(60)
    (file,) = tmp_path.glob("plugins/**/*.xplane.pb")
    _, trace = run_with_jax_profiler(lambda: step_function(array), "named_block", str(tmp_path / "a"))
    with ProfileContext(str(tmp_path / "c")) as context:
        step_function(array)
    assert b"decorated" in file.read_bytes()
    assert blocks_of(trace.capture) == [("named_block", 0)]
    assert [name for name, _ in blocks_of(context.capture)] == ["ProfileContext"]


@pytest.mark.on_cpu
def test_a_block_lasts_until_its_work_is_over(tmp_path, big, long_seconds):
    with gait.trace(tmp_path, "lasting") as capture:
        long(big)
    (seconds,) = [seconds for name, _, seconds in events_of(capture) if name == "lasting"]
    assert seconds > 0.3 * long_seconds


@pytest.mark.on_cpu
def test_what_gait_does_itself_is_not_the_programs(tmp_path, big):
    """With Python calls recorded, as by JAX: gait's wait for what was launched is a wait, its program is nobody's."""
    with profile_trace(tmp_path, name="dropped") as capture:
        long(big)
    run = capture.load()
    assert "waiting for results" in run.host().answer
    assert "other code" not in run.host().answer
    assert not [row["name"] for row in run.hlo()["programs"].to_dicts() if "gait" in row["name"]]
    gaps = str(run.idle()["idle_gaps"].to_dicts())
    assert "_term.py" not in gaps and "_ending.py" not in gaps
