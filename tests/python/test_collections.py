"""Python's garbage collections, which no tracer sees, are events of a capture."""

import contextlib
import gc
import threading
import time

import pytest

import gait
from gait._capture import recorder
from gait._collections import CollectionHook

from .helpers import run_python


@pytest.fixture(autouse=True)
def callbacks():
    """Afterwards gc.callbacks is as before."""
    before = list(gc.callbacks)
    yield before
    assert gc.callbacks == before


def hooks() -> int:
    return sum(isinstance(callback, CollectionHook) for callback in gc.callbacks)


def collections(capture) -> list[dict]:
    return capture.wait().load().dump(name="^garbage collection$").to_dicts()


class Stopwatch:
    """Seconds that Python collects, by the definition."""

    def __init__(self):
        self.seconds, self.count = 0.0, 0

    def __call__(self, phase, info):
        if phase == "start":
            self._begin = time.perf_counter()
        else:
            self.seconds += time.perf_counter() - self._begin
            self.count += 1


@pytest.fixture
def objects():
    """Many, and Python collects all generations often."""
    before = gc.get_threshold()
    gc.set_threshold(700, 3, 1)
    yield [[] for _ in range(150_000)]
    gc.set_threshold(*before)


@pytest.mark.on_cpu
def test_the_doctor_finds_automatic_collections(tmp_path, step_function, array, objects):
    steps = 8
    watch = Stopwatch()
    with gait.trace(tmp_path) as capture:
        gc.callbacks.append(watch)
        for i in range(steps):
            with gait.step(i):
                objects.extend([] for _ in range(60_000))
                step_function(array).block_until_ready()
        gc.callbacks.remove(watch)
    events = collections(capture)
    assert len(events) >= watch.count > 100
    assert sum(event["duration"] for event in events) / 1e12 > 0.9 * watch.seconds
    (finding,) = (f for f in capture.doctor().to_dicts() if f["rule"] == "garbage_collection")
    assert finding["severity"] == "high"
    assert 0.5 < finding["cost_ms_per_step"] * steps / (watch.seconds * 1e3) < 1.5


@pytest.mark.parametrize("generation", [0, 1, 2])
def test_each_says_its_generation(tmp_path, generation):
    gc.disable()
    try:
        with gait.trace(tmp_path) as capture:
            gc.collect(generation)
    finally:
        gc.enable()
    (one,) = collections(capture)
    assert one["arguments"] == [["generation", generation]]


def test_the_doctor_calls_a_capture_without_any_clean(tmp_path, step_function, array):
    gc.disable()
    try:
        with gait.trace(tmp_path) as capture:
            for i in range(4):
                with gait.step(i):
                    step_function(array).block_until_ready()
    finally:
        gc.enable()
    assert collections(capture) == []

    def result() -> str:
        rules = gait.load(capture.path).doctor().tables["rules"].to_dicts()
        return next(row["result"] for row in rules if row["rule"] == "garbage_collection")

    assert result() == "clean"
    capture.manifest.unlink()
    assert result() == "unchecked"


def test_a_collection_of_another_thread_is_on_its_line(tmp_path):
    gc.disable()
    try:
        with gait.trace(tmp_path) as capture:
            gc.collect()
            thread = threading.Thread(target=gc.collect)
            thread.start()
            thread.join()
    finally:
        gc.enable()
    first, second = collections(capture)
    assert first["track_id"] != second["track_id"]


def test_the_hook_is_there_only_while_something_records(tmp_path, callbacks):
    for _ in range(2):
        with gait.trace(tmp_path) as capture:
            assert hooks() == 1
            with gait.trace(tmp_path) as inner:  # which is refused
                assert hooks() == 1
            assert inner.lost
            assert hooks() == 1
        assert gc.callbacks == callbacks
        assert capture.wait().ok


def test_no_hook_where_the_host_is_not_recorded(tmp_path):
    with gait.trace(tmp_path, options={"host_tracer_level": 0}):
        assert hooks() == 0


def test_the_hook_goes_with_an_exception(tmp_path, callbacks):
    with contextlib.suppress(ZeroDivisionError), gait.trace(tmp_path):
        assert hooks() == 1
        _ = 1 / 0
    assert gc.callbacks == callbacks


def test_the_hook_goes_where_a_capture_cannot_begin(tmp_path, callbacks, monkeypatch):
    from gait import _metrics

    def fail():
        assert hooks() == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(_metrics, "start", fail)
    with pytest.raises(KeyboardInterrupt), gait.trace(tmp_path):
        pass
    assert gc.callbacks == callbacks


def test_a_program_that_clears_the_callbacks(tmp_path, callbacks):
    with gait.trace(tmp_path) as capture:
        gc.callbacks.clear()
    assert gc.callbacks == []
    gc.callbacks[:] = callbacks
    assert capture.wait().ok


def test_a_program_that_puts_an_older_list_back(tmp_path, callbacks):
    with gait.trace(tmp_path):
        kept = list(gc.callbacks)
    gc.callbacks[:] = kept
    with gait.trace(tmp_path) as capture:
        gc.disable()
        gc.collect()
        gc.enable()
    assert len(collections(capture)) == 1  # the first capture's hook is silent
    gc.callbacks[:] = callbacks


def test_a_program_with_a_list_of_its_own(tmp_path, callbacks, monkeypatch):
    with gait.trace(tmp_path):
        monkeypatch.setattr(gc, "callbacks", [])
    monkeypatch.undo()
    assert gc.callbacks == callbacks


def test_a_capture_that_ends_inside_a_collection(tmp_path):
    """Its collection ends with it, and nothing of it reaches the next capture."""

    def end(phase, info):
        if phase == "start":
            recorder.end(block=False)

    gc.disable()
    try:
        with gait.trace(tmp_path) as capture:
            gc.callbacks.append(end)
            gc.collect()
            gc.callbacks.remove(end)
        with gait.trace(tmp_path) as following:
            pass
    finally:
        gc.enable()
    assert len(collections(capture)) == 1
    assert collections(following) == []


def test_what_goes_wrong_in_it_is_not_the_programs(tmp_path, monkeypatch, capfd):
    with gait.trace(tmp_path) as capture:
        (hook,) = (callback for callback in gc.callbacks if isinstance(callback, CollectionHook))
        monkeypatch.setattr(hook, "_annotation", None)
        gc.collect()
    assert capture.wait().ok
    assert "Exception" not in capfd.readouterr().err


FORK = """
import gc, os, signal, sys
import jax
import gait

before = list(gc.callbacks)
with gait.trace(sys.argv[1]) as capture:
    for _ in range(3):  # a lock that another thread of XLA held stays held in the child
        child = os.fork()
        if child == 0:
            signal.alarm(15)
            gc.collect()
            os._exit(0 if gc.callbacks == before else 1)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            break
    assert len(gc.callbacks) == len(before) + 1
assert capture.wait().ok
print(os.waitstatus_to_exitcode(status), gc.callbacks == before)
"""


def test_a_forked_child_has_no_hook(tmp_path):
    ran = run_python(FORK, tmp_path)
    assert ran.stdout.split() == ["0", "True"], ran.stderr
