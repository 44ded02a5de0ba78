"""How a window ends: the session's end is beside the program, and comes whatever happens to the program."""

import _thread
import signal
import threading

import jax
import pytest

import gait
from gait import _capture, _ending, _jax, _session, _term
from gait._capture import recorder

from .helpers import run_python, whole


class Held:
    """Sessions whose bytes are handed out only when the test says so; their recorders are off before."""

    def __init__(self) -> None:
        self.entered, self.release = threading.Event(), threading.Event()
        self.order: list[str] = []

    def start(self, options):
        real = _jax.native_profiler().ProfilerSession(gait._options.native(options))

        class Raw:
            @staticmethod
            def stop():
                content = real.stop()
                self.order.append("off")
                self.entered.set()
                assert self.release.wait(60), "nobody went on"
                self.order.append("stopped")
                return content

        return Raw()


@pytest.fixture
def held(monkeypatch):
    made = Held()
    monkeypatch.setattr(_session, "_start_raw", made.start)
    yield made
    made.release.set()


@pytest.fixture
def on_gpus(monkeypatch):
    """As if there were some."""
    monkeypatch.setattr(_jax, "stops_beside", lambda: False)


def meanwhile(held: Held, *actions) -> threading.Thread:
    """`actions`, once the recorders are off, on another thread."""

    def work():
        assert held.entered.wait(60)
        for action in actions:
            action()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


@pytest.mark.on_cpu
def test_the_program_goes_on_while_its_bytes_are_made(tmp_path, held, step_function, array):
    with gait.trace(tmp_path) as capture:
        array = step_function(array)
    assert not gait.is_recording()
    assert held.order in ([], ["off"])
    assert (capture.state, capture.done, capture.error) == ("writing", False, None)
    with pytest.raises(TimeoutError, match="taking it from JAX"):
        capture.wait(0.01)
    held.release.set()
    assert capture.ok
    assert capture.events > 0


def test_where_gpus_are_the_program_waits(tmp_path, held, on_gpus):
    helper = meanwhile(held, held.release.set)
    with gait.trace(tmp_path) as capture:
        pass
    held.order.append("on")
    helper.join()
    assert held.order == ["off", "stopped", "on"]
    assert capture.ok


def test_the_tracer_of_python_calls_is_waited_for(tmp_path, held):
    helper = meanwhile(held, held.release.set)
    with gait.trace(tmp_path, options={"python_tracer_level": 1}):
        pass
    held.order.append("on")
    helper.join()
    assert held.order == ["off", "stopped", "on"]


def test_which_backends_a_session_may_be_stopped_over(monkeypatch):
    from jax._src import xla_bridge

    for backends, beside in (
        (["cpu"], True),
        (["tpu", "cpu"], True),
        (["cuda", "cpu"], False),
        (["new"], False),
    ):
        monkeypatch.setattr(xla_bridge, "backends", lambda names=backends: dict.fromkeys(names))
        assert _jax.stops_beside() == beside


@pytest.mark.on_cpu
def test_the_next_capture_waits_for_the_one_before(tmp_path, held, monkeypatch):
    with gait.trace(tmp_path) as first:
        pass

    def wait_until(condition, seconds=None):
        if seconds == _capture.STOP_SECONDS:
            held.order.append("waits")
            held.release.set()
        return _ending.wait_until(condition, seconds)

    monkeypatch.setattr(_capture, "wait_until", wait_until)
    with gait.trace(tmp_path) as second:
        pass
    assert first.ok and second.ok
    assert held.order.index("waits") < held.order.index("stopped")


@pytest.mark.on_cpu
def test_one_that_takes_for_ever_is_said(tmp_path, held, monkeypatch):
    monkeypatch.setattr(_capture, "STOP_SECONDS", 0.01)
    with gait.trace(tmp_path) as first:
        pass
    with gait.trace(tmp_path) as second:
        pass
    assert second.state == "skipped"
    assert "still being stopped" in second.error
    held.release.set()
    assert first.ok


def test_bounds_count_a_capture_that_is_being_stopped(tmp_path, held, step_function, array):
    held.release.set()
    profiler = gait.Profiler(
        gait.Schedule(start=0, every=1, count=1, max_sessions=2), tmp_path, on_signal=None
    )
    for i in range(5):
        with profiler.step(i):
            array = step_function(array)
    assert [capture.steps for capture in profiler.wait()] == [[0], [1]]


@pytest.mark.on_cpu
def test_jaxs_own_trace_may_begin_meanwhile(tmp_path, held):
    with gait.trace(tmp_path / "ours") as capture:
        pass
    helper = meanwhile(held, held.release.set)
    assert held.entered.wait(60)
    jax.profiler.start_trace(str(tmp_path / "theirs"))
    jax.profiler.stop_trace()
    helper.join()
    assert capture.ok
    assert list((tmp_path / "theirs").glob("**/*.xplane.pb"))


def interrupted_wait(monkeypatch):
    """Ctrl-C while the end of a capture waits for the devices; gives how often that was waited for."""
    waits = []

    def wait(result=None, only=False, launches=False):
        waits.append(threading.current_thread())
        if len(waits) == 2:  # the first is that of the beginning
            raise KeyboardInterrupt
        return 0.0

    monkeypatch.setattr(_jax, "wait_for_devices", wait)
    return waits


@pytest.mark.parametrize("form", ["trace", "profiler"])
def test_ctrl_c_while_waiting_for_the_devices(tmp_path, monkeypatch, form):
    interrupted_wait(monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        if form == "trace":
            with gait.trace(tmp_path) as capture:
                pass
        else:
            profiler = gait.Profiler(gait.Schedule(start=0, count=1), tmp_path, on_signal=None)
            with profiler.step(0):
                pass
    capture = capture if form == "trace" else profiler.last
    assert capture.ok
    assert "interrupted" in capture.warnings[0]
    with gait.trace(tmp_path) as again:
        pass
    assert again.ok
    jax.profiler.start_trace(str(tmp_path / "theirs"))
    jax.profiler.stop_trace()


def test_ctrl_c_does_not_stop_a_session_over_a_gpus_work(tmp_path, monkeypatch, on_gpus):
    waits = interrupted_wait(monkeypatch)
    with pytest.raises(KeyboardInterrupt), gait.trace(tmp_path) as capture:
        pass
    assert capture.ok
    assert len(waits) == 3  # again, before the session was stopped
    assert waits[2] is not threading.main_thread()


def test_ctrl_c_while_a_gpus_session_is_stopped(tmp_path, held, on_gpus):
    helper = meanwhile(held, _thread.interrupt_main, held.release.set)
    with pytest.raises(KeyboardInterrupt), gait.trace(tmp_path) as capture:
        pass
    assert held.order == ["off", "stopped"]
    helper.join()
    assert capture.ok


def test_ctrl_c_before_the_end_has_begun(tmp_path, monkeypatch):
    original, calls = _ending.Ending.start, []

    def start(self, work):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        original(self, work)

    monkeypatch.setattr(_ending.Ending, "start", start)
    with pytest.raises(KeyboardInterrupt), gait.trace(tmp_path) as capture:
        pass
    assert capture.ok


def test_ctrl_c_while_a_capture_begins(tmp_path, monkeypatch):
    def start():
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_capture._metrics, "start", start)
        with pytest.raises(KeyboardInterrupt), gait.trace(tmp_path):
            pass
    assert not gait.is_recording()
    assert recorder.capture is None
    assert not list(tmp_path.glob("plugins/profile/*"))
    with gait.trace(tmp_path) as again:
        pass
    assert again.ok


def test_an_interruption_is_kept_once():
    calls = []

    def action():
        calls.append(1)
        if len(calls) <= interruptions:
            raise KeyboardInterrupt(len(calls))

    for interruptions, made in ((0, 1), (1, 2), (2, 2)):  # the second is meant
        calls.clear()
        if interruptions:
            with pytest.raises(KeyboardInterrupt, match=str(interruptions)):
                _ending.insist(action)
        else:
            _ending.insist(action)
        assert len(calls) == made


def test_without_a_thread_it_ends_where_it_is(tmp_path, monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_ending._thread, "start_new_thread", refuse)
    with gait.trace(tmp_path) as capture:
        pass
    assert capture.state == "done"


@pytest.mark.parametrize("owner", [threading.Thread, _term.os])
def test_sigterm_is_not_worth_a_capture(tmp_path, monkeypatch, owner):
    """As in Python 3.12 and newer while a program ends, or where no more files can be open."""

    def refuse(*_):
        raise RuntimeError("no threads now") if owner is threading.Thread else OSError("no pipes now")

    monkeypatch.setattr(_term, "_pipe", None)
    monkeypatch.setattr(owner, "start" if owner is threading.Thread else "pipe", refuse)
    with gait.trace(tmp_path) as capture:
        pass
    assert capture.ok
    assert _term._pipe is None


def test_a_memory_profile_that_fails_does_not_cost_the_capture(tmp_path, monkeypatch):
    def fail():
        raise RuntimeError("no such thing here")

    monkeypatch.setattr(jax.profiler, "device_memory_profile", fail)
    with gait.trace(tmp_path, memory=True) as capture:
        pass
    assert capture.ok
    assert "no such thing here" in capture.warnings[0]


def test_a_timer_does_not_stop_a_session_over_a_gpus_work(tmp_path, on_gpus, step_function, array):
    with gait.trace(tmp_path, max_seconds=1000) as capture:
        with gait.step(0):
            capture_of = recorder.capture
            trace = gait._listeners._listeners[-1]
            trace._on_time(capture)  # what the timer does
            assert recorder.capture is capture_of
            array = step_function(array)
        assert recorder.capture is None
    assert capture.ok


HELD = """
import os, signal, sys, threading, time
import jax, jax.numpy as jnp
import gait
from gait import _jax, _options, _session
f = jax.jit(lambda x: jnp.tanh(x @ x))
x = f(jnp.ones((64, 64)))
class Raw:
    def __init__(self, options):
        self._real = _jax.native_profiler().ProfilerSession(_options.native(options))
    def stop(self):
        content = self._real.stop()
        meanwhile()
        return content
_session._start_raw = Raw
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("beside", [True, False])
def test_a_signal_while_the_session_is_stopped(tmp_path, name, beside):
    program = f"""
gait._jax.stops_beside = lambda: {beside}
def meanwhile():
    os.kill(os.getpid(), signal.{name})
    time.sleep(0.05)
with gait.trace({str(tmp_path)!r}):
    x = f(x)
time.sleep(60)
"""
    done = run_python(HELD + program)
    assert done.returncode == -getattr(signal, name), done.stderr
    whole(tmp_path)


def test_the_end_of_a_program_waits_for_the_session(tmp_path):
    program = f"""
def meanwhile():
    time.sleep(0.2)
with gait.trace({str(tmp_path)!r}):
    x = f(x)
"""
    done = run_python(HELD + program)
    assert done.returncode == 0, done.stderr
    whole(tmp_path)


@pytest.mark.on_cpu
def test_a_child_that_is_forked_meanwhile(tmp_path):
    program = f"""
entered, release = threading.Event(), threading.Event()
def meanwhile():
    entered.set()
    assert release.wait(60)
with gait.trace({str(tmp_path)!r}) as capture:
    x = f(x)
assert entered.wait(60)
child = os.fork()
if child == 0:
    from jax._src import profiler
    free = profiler._profile_state.lock.acquire(timeout=5)
    idle = not gait._capture.recorder.busy and gait._term._handler() == 0
    os._exit(0 if free and idle and capture.wait().state == "failed" else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert gait._term._handler() != 0
release.set()
assert capture.ok, capture
"""
    done = run_python(HELD + program)
    assert done.returncode == 0, done.stderr
    whole(tmp_path)


def test_sigterm_with_the_loop_in_another_thread(tmp_path):
    program = f"""
meanwhile = lambda: None
def loop():
    global x
    profiler = gait.Profiler(gait.Schedule(start=5, count=10**6), {str(tmp_path)!r})
    for i in range(10**6):
        with profiler.step(i):
            x = f(x).block_until_ready()
        if i == 20: os.kill(os.getpid(), signal.SIGTERM)
thread = threading.Thread(target=loop, daemon=True)
thread.start()
thread.join(60)
"""
    done = run_python(HELD + program)
    assert done.returncode == -signal.SIGTERM, done.stderr
    whole(tmp_path)


@pytest.mark.on_cpu  # on a GPU the program is halted first: it sets no handler any more
@pytest.mark.parametrize(
    ("then", "status"), [("", -signal.SIGTERM), ("signal.signal(signal.SIGTERM, print)", 0)]
)
def test_sigterm_close_to_the_end_of_the_program(tmp_path, then, status):
    """The program is over before the thread that heard it is. A handler that is set meanwhile has the last word."""
    program = f"""
meanwhile = lambda: None
finish = gait._exits.finish
def slowly():
    finish()
    if threading.current_thread() is not threading.main_thread():
        ended.wait()
        time.sleep(0.5)
ended = threading.Event()
gait._exits.finish = slowly
with gait.trace({str(tmp_path)!r}):
    x = f(x)
    os.kill(os.getpid(), signal.SIGTERM)
{then}
ended.set()
"""
    done = run_python(HELD + program)
    assert done.returncode == status, done.stderr
    whole(tmp_path)


def test_a_native_handler_of_sigterm_stays(tmp_path):
    import faulthandler

    with open(tmp_path / "theirs", "w") as file:
        faulthandler.register(signal.SIGTERM, file=file)
        try:
            theirs = _term._handler()
            with gait.trace(tmp_path) as capture:
                assert _term._handler() == theirs
            assert capture.ok
            assert _term._handler() == theirs
        finally:
            faulthandler.unregister(signal.SIGTERM)


def test_a_handler_of_sigterm_that_comes_and_goes(tmp_path, monkeypatch):
    """What the program restores is the default, as Python knows of no other."""
    monkeypatch.setattr(_term, "LOOK_MILLISECONDS", 1)
    with gait.trace(tmp_path):
        ours = _term._handler()
        found = signal.signal(signal.SIGTERM, lambda *_: None)
        try:
            theirs = _term._handler()
            _term._look_again()
            assert _term._handler() == theirs != ours
        finally:
            signal.signal(signal.SIGTERM, found)
        assert _ending.wait_until(lambda: _term._handler() == ours, 60)


def test_a_handler_of_sigterm_that_comes_while_ours_does(tmp_path, monkeypatch):
    import faulthandler

    register = faulthandler.register

    def after_another_thread(*args, **kwargs):
        signal.signal(signal.SIGTERM, handler)
        register(*args, **kwargs)

    def handler(*_):
        pass

    monkeypatch.setattr(faulthandler, "register", after_another_thread)
    try:
        with gait.trace(tmp_path):
            theirs = _term._handler()
            signal.signal(signal.SIGTERM, handler)
            assert _term._handler() == theirs
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@pytest.mark.on_cpu
def test_sigterm_is_the_default_again_once_it_is_written(tmp_path, step_function, array, held):
    assert _term._handler() == 0
    with gait.trace(tmp_path) as capture:
        assert _term._handler() != 0
        array = step_function(array)
    assert _term._handler() != 0
    held.release.set()
    assert capture.ok
    assert _term._handler() == 0
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_sigterm_halts_a_loop_that_must_not_launch(tmp_path):
    program = f"""
gait._jax.stops_beside = lambda: False
steps = []
def meanwhile():
    before = len(steps)
    time.sleep(0.2)
    print("launched meanwhile:", len(steps) - before, flush=True)
with gait.trace({str(tmp_path)!r}):
    while True:
        x = f(x).block_until_ready()
        steps.append(1)
        if len(steps) == 20: os.kill(os.getpid(), signal.SIGTERM)
"""
    done = run_python(HELD + program)
    assert done.returncode == -signal.SIGTERM, done.stderr
    assert "launched meanwhile: 0" in done.stdout
    whole(tmp_path)


def test_nothing_begins_after_sigterm(tmp_path, monkeypatch):
    monkeypatch.setattr(_term, "ending", True)
    with gait.trace(tmp_path) as capture:
        pass
    assert "SIGTERM has come" in capture.error
