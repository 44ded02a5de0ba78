"""However a program ends, and whatever goes wrong: captures are whole, sessions over, the program goes on."""

import os
import signal
import subprocess
import sys
import time
import types
from pathlib import Path

import jax
import pytest

import gait
from gait import _layout
from gait._capture import recorder

from .helpers import run_python, whole, xplanes

PROGRAM = """
import os, signal, sys, time
import jax, jax.numpy as jnp
import gait
f = jax.jit(lambda x: jnp.tanh(x @ x))
x = f(jnp.ones((64, 64)))
def body(how):
    global x
    for i in range(20):
        x = f(x)
        if i == 5:
            if how == "exception": raise ValueError("mine")
            if how == "interrupt": os.kill(os.getpid(), signal.SIGINT); time.sleep(5)
            if how == "exit": sys.exit(7)
            if how == "term": os.kill(os.getpid(), signal.SIGTERM); time.sleep(5)
            if how == "end": raise SystemExit(0)
"""


@pytest.mark.parametrize(
    ("how", "status"),
    [("exception", 1), ("interrupt", -signal.SIGINT), ("exit", 7), ("term", -signal.SIGTERM), ("end", 0)],
)
@pytest.mark.parametrize("form", ["trace", "profiler"])
def test_ends_of_a_program(tmp_path, how, status, form):
    forms = {
        "trace": f"with gait.trace({str(tmp_path)!r}): body({how!r})",
        "profiler": f"p = gait.Profiler(gait.Schedule(start=0, count=100), {str(tmp_path)!r})\n"
        f"for i in range(3):\n"
        f"    with p.step(i): body({how!r} if i == 2 else 'go on')",
    }
    done = run_python(PROGRAM + forms[form])
    assert done.returncode == status, done.stderr
    whole(tmp_path)


def test_begin_without_end_is_written_at_exit(tmp_path):
    program = f"gait.trace({str(tmp_path)!r}).__enter__()\nbody('go on')"
    done = run_python(PROGRAM + program)
    assert done.returncode == 0, done.stderr
    whole(tmp_path)


@pytest.mark.on_cpu  # a GPU is not to be used in forked processes
@pytest.mark.parametrize("captured_before", [False, True])
def test_workers_of_multiprocessing_write_their_captures(tmp_path, captured_before):
    program = f"""
import multiprocessing
def work():
    with gait.trace({str(tmp_path / "worker")!r}): pass
if {captured_before}:
    with gait.trace({str(tmp_path / "own")!r}): pass
worker = multiprocessing.get_context("fork").Process(target=work)
worker.start()
worker.join()
sys.exit(worker.exitcode)
"""
    done = run_python("import sys, gait\n" + program)
    assert done.returncode == 0, done.stderr
    assert len(xplanes(tmp_path / "worker")) == 1, done.stderr
    assert not list(tmp_path.glob("**/*.partial"))
    assert len(list(tmp_path.glob("**/gait.json"))) == 1 + captured_before


@pytest.mark.on_cpu
def test_a_fork_waits_for_a_session_that_is_being_stopped(tmp_path):
    """Else the child inherits JAX's profiler as taken, and never captures anything."""
    program = f"""
import os, sys, time, gait
from gait._session import Session
stop = Session.stop
def slowly(self):
    time.sleep(1)
    return stop(self)
Session.stop = slowly
with gait.trace({str(tmp_path / "own")!r}): pass
Session.stop = stop
if child := os.fork():
    sys.exit(os.waitpid(child, 0)[1])
with gait.trace({str(tmp_path / "child")!r}) as capture: pass
capture.wait()
os._exit(0)  # JAX does not always survive the end of a forked process
"""
    done = run_python(program)
    assert done.returncode == 0, done.stderr
    for name in ("own", "child"):
        assert len(xplanes(tmp_path / name)) == 1, done.stderr


def test_the_programs_own_handler_of_sigterm_stays(tmp_path):
    program = f"""
signal.signal(signal.SIGTERM, lambda *_: sys.exit(9))
with gait.trace({str(tmp_path)!r}): body("term")
"""
    done = run_python(PROGRAM + program)
    assert done.returncode == 9, done.stderr
    whole(tmp_path)


def test_a_forked_child_leaves_the_capture_alone(tmp_path):
    program = f"""
with gait.trace({str(tmp_path)!r}) as capture:
    x = f(x)
    child = os.fork()
    if child == 0:
        os._exit(1 if gait._session.Session.active() or gait._native.pending() else 0)  # as multiprocessing ends
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    x = f(x)
assert capture.ok, capture
"""
    done = run_python(PROGRAM + program)
    assert done.returncode == 0, done.stderr
    whole(tmp_path)


@pytest.mark.parametrize("when", ["inside", "behind"])
def test_a_program_that_changes_its_directory(tmp_path, monkeypatch, step_function, array, when):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with gait.trace("runs") as capture:
        step_function(array)
        if when == "inside":
            os.chdir("elsewhere")
    os.chdir(tmp_path / "elsewhere")
    assert capture.ok, capture
    whole(tmp_path / "runs")


def test_one_that_comes_too_late_leaves_the_others_session_alone(tmp_path, monkeypatch, step_function, array):
    """Another thread has begun one while this one was about to."""
    first, new_place = gait.trace(tmp_path / "first"), _layout.new_place

    def begin_first(*args):
        monkeypatch.setattr(_layout, "new_place", new_place)
        first.__enter__()
        return new_place(*args)

    monkeypatch.setattr(_layout, "new_place", begin_first)
    with gait.trace(tmp_path / "second") as second:
        step_function(array)
    assert second.state == "skipped"
    first.__exit__(None, None, None)
    assert recorder.wait(60)
    whole(tmp_path / "first")
    assert not xplanes(tmp_path / "second")


def test_an_exception_of_the_body_is_not_masked(tmp_path, step_function, array):
    with pytest.raises(ZeroDivisionError), gait.trace(tmp_path) as capture:
        array = step_function(array)
        raise ZeroDivisionError
    assert capture.ok


def test_an_exception_while_stopping(tmp_path, monkeypatch, capfd):
    from gait._session import Session

    original = Session.stop

    def stop(self):
        original(self)
        raise RuntimeError("CUPTI fell over")

    monkeypatch.setattr(Session, "stop", stop)
    with gait.trace(tmp_path) as capture:
        pass
    assert capture.wait().state == "failed"
    assert "CUPTI fell over" in capture.error
    assert "The program goes on" in capfd.readouterr().err
    assert not xplanes(tmp_path)
    monkeypatch.undo()
    with gait.trace(tmp_path) as capture:  # JAX's state was reset
        pass
    assert capture.ok


def test_a_session_of_jax_is_named_and_left_alone(tmp_path, capfd, step_function, array):
    jax.profiler.start_trace(str(tmp_path / "theirs"))
    with gait.trace(tmp_path / "ours") as capture:
        array = step_function(array)
    jax.profiler.stop_trace()
    assert capture.state == "skipped"
    assert "jax.profiler.start_trace" in capture.error
    assert str(tmp_path / "theirs") in capture.error
    assert "The program goes on" in capfd.readouterr().err
    assert xplanes(tmp_path / "theirs")
    assert not (tmp_path / "ours").exists()


def test_a_session_of_something_else_is_noticed(tmp_path):
    from gait import _jax

    profiler = _jax.native_profiler()
    theirs = profiler.ProfilerSession(profiler.ProfileOptions())
    with gait.trace(tmp_path) as capture:
        pass
    theirs.stop()
    assert "another profiler session" in capture.error


def test_jax_refuses_a_session_during_ours(tmp_path):
    with gait.trace(tmp_path / "ours") as capture, pytest.raises(RuntimeError, match="already"):
        jax.profiler.start_trace(str(tmp_path / "theirs"))
    assert capture.ok


def test_somebody_else_stops_our_session(tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture:
        array = step_function(array)
        jax.profiler.stop_trace()
    assert capture.wait().state == "failed"
    assert "stop_trace" in capture.error
    with gait.trace(tmp_path) as again:
        pass
    assert again.ok


def test_a_capture_inside_another_says_where_that_began(tmp_path):
    with gait.trace(tmp_path) as outer, gait.trace(tmp_path) as inner:
        pass
    assert outer.ok
    assert inner.state == "skipped"
    assert "test_nothing_is_lost.py" in inner.error


def test_a_directory_that_cannot_be_written(tmp_path, capfd):
    (tmp_path / "file").write_text("in the way")
    with gait.trace(tmp_path / "file" / "runs") as capture:
        pass
    assert capture.state == "skipped"
    assert "Not a directory" in capture.error
    assert "The program goes on" in capfd.readouterr().err


def test_a_read_only_directory(tmp_path):
    tmp_path.chmod(0o500)
    # Root may write into any folder but those that the kernel makes up.
    as_root = os.geteuid() == 0
    with gait.trace(Path("/proc/self/runs") if as_root else tmp_path / "runs") as capture:
        pass
    assert ("No such file" if as_root else "Permission denied") in capture.error


def test_a_working_directory_that_is_gone(tmp_path, monkeypatch, step_function, array):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with gait.trace(tmp_path / "runs") as capture:
        array = step_function(array)
    assert capture.ok


def test_a_full_disk(tmp_path, full_disk, capfd, step_function, array):
    with gait.trace(tmp_path, perfetto=True, memory=True) as capture:
        array = step_function(array)
    assert capture.wait().state == "failed" and capture.lost
    places = (capture.path, capture.xplane, capture.trace_json, capture.memory_profile, capture.manifest)
    assert places == (None,) * 5
    assert "disk is full" in capture.error
    assert "this capture is lost" in capfd.readouterr().err
    assert not list(tmp_path.glob("**/*.xplane.pb*")) and not list(tmp_path.glob("**/.*"))


def test_eight_processes_into_one_directory(tmp_path):
    program = PROGRAM + f"with gait.trace({str(tmp_path)!r}): body('go on')\n"
    children = [
        subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL) for _ in range(8)
    ]
    assert [child.wait(120) for child in children] == [0] * 8
    assert len(xplanes(tmp_path)) == 8
    assert len(list(tmp_path.glob("**/gait.json"))) == 8


DISTRIBUTED = """
import sys
import types
import jax
index, port, directory, hosts = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
jax.config.update("jax_platforms", "cpu")
jax.distributed.initialize(f"127.0.0.1:{port}", 2, index)
import gait
with gait.trace(directory, hosts=None if hosts == "all" else int(hosts)) as capture:
    jax.numpy.ones(3).sum().block_until_ready()
capture.wait()
"""


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize(("hosts", "files"), [("all", 2), ("0", 1)])
def test_processes_of_one_job_share_a_run(tmp_path, hosts, files):
    port = free_port()
    children = [
        subprocess.Popen(
            [sys.executable, "-c", DISTRIBUTED, str(i), str(port), str(tmp_path), hosts],
            stderr=subprocess.PIPE,
        )
        for i in range(2)
    ]
    errors = [child.communicate(timeout=120)[1].decode() for child in children]
    assert [child.returncode for child in children] == [0, 0], errors
    found = xplanes(tmp_path)
    assert len(found) == files
    assert len({file.parent for file in found}) == 1
    assert found[0].name.endswith("-p0.xplane.pb")
    if files == 2:
        assert len(gait.load(found[0].parent).hosts) == 2


class Job:
    """The store of a jax.distributed job, as its processes share it; `process` is the one that asks."""

    def __init__(self, monkeypatch, count=2):
        from gait import _jax, _layout

        self.values, self.count, self.index = {}, count, 0
        self.memory = [({}, set()) for _ in range(count)]
        self._layout, self._patch = _layout, monkeypatch
        monkeypatch.setattr(_jax, "process", lambda: (self.index, count))
        monkeypatch.setattr(_jax, "coordination_client", lambda: self)

    def key_value_set(self, key, value):
        if key in self.values:
            raise RuntimeError("ALREADY_EXISTS")
        self.values[key] = value

    def blocking_key_value_get(self, key, _timeout):
        return self.values[key]

    def process(self, index):
        self.index = index
        for name, value in zip(("_asked", "_taken"), self.memory[index], strict=True):
            self._patch.setattr(self._layout, name, value)


def test_a_capture_of_one_process_shifts_none_of_the_others(tmp_path, monkeypatch, step_function, array):
    job = Job(monkeypatch)
    made: dict = {}
    for index in (0, 1):
        job.process(index)
        profiler = gait.Profiler(
            gait.Schedule(start=50, every=50, count=2), tmp_path, on_signal=None, name="p0"
        )
        for i in range(160):
            if i == 10 and index == 1:
                profiler.capture_async(2)
            with profiler.step(i):
                array = step_function(array)
        profiler.close()
        made[index] = {capture.steps[0]: capture for capture in profiler.wait()}
    assert list(made[0]) == [50, 100, 150]
    assert list(made[1]) == [10, 50, 100, 150]
    for first in (50, 100, 150):
        assert made[0][first].path == made[1][first].path
    paths = [capture.path for capture in made[1].values()]
    assert len(set(paths)) == 4
    assert all(
        gait.load(capture.xplane).events for captures in made.values() for capture in captures.values()
    )
    assert len(list(tmp_path.glob("**/gait-p1.json"))) == 4
    assert not [folder for folder in tmp_path.glob("p0/plugins/profile/*") if not any(folder.iterdir())]


def test_a_process_that_was_started_anew_overwrites_nothing(tmp_path, monkeypatch):
    job = Job(monkeypatch)
    captures = []
    for _ in range(3):
        job.process(0)
        with gait.trace(tmp_path / "first"):
            pass
        job.memory[1] = ({}, set())
        job.process(1)
        with gait.trace(tmp_path / "second") as capture:
            pass
        captures.append(capture.wait().path)
    assert len(set(captures)) == 3


def test_an_empty_answer_of_the_profiler_is_an_error(tmp_path, monkeypatch):
    from gait._session import Session

    original = Session.stop

    def stop(self):
        original(self)
        return b""

    monkeypatch.setattr(Session, "stop", stop)
    with gait.trace(tmp_path) as capture:
        pass
    assert capture.wait().state == "failed"
    assert "2 GiB" in capture.error
    assert not xplanes(tmp_path)


def test_no_device_in_the_capture_is_a_loss(tmp_path, monkeypatch):
    from gait import _facts

    monkeypatch.setattr(_facts, "default_platform", lambda: "gpu")
    with gait.trace(tmp_path) as capture:
        pass
    assert "CUPTI" in capture.losses[0]["reason"]


def test_a_tracer_that_does_not_start_costs_only_its_part(tmp_path, monkeypatch, capfd):
    """As on an H200 where somebody else uses CUPTI: a session that is to tell of it has nothing when it is stopped."""
    from gait import _jax, _session

    real = _jax.native_profiler()

    class Session:
        def __init__(self, options):
            self.tells = options.raise_error_on_start_failure
            self.session = real.ProfilerSession(options)

        def stop(self):
            content = self.session.stop()
            if self.tells:
                raise RuntimeError("INTERNAL: CUPTI call error")
            return content

    profiler = types.SimpleNamespace(ProfileOptions=real.ProfileOptions, ProfilerSession=Session)
    monkeypatch.setattr(_session._jax, "native_profiler", lambda: profiler)
    with gait.trace(tmp_path) as capture:
        pass
    assert capture.ok, capture
    with gait.trace(tmp_path, options={"raise_error_on_start_failure": True}) as capture:
        pass
    assert not capture.ok and "CUPTI" in capfd.readouterr().err


def test_threads_may_use_the_writer_at_once(tmp_path):
    begin = time.monotonic()
    for i in range(10):
        with gait.trace(tmp_path / str(i)):
            pass
    assert recorder.wait(60)
    assert len(xplanes(tmp_path)) == 10
    assert time.monotonic() - begin < 60
