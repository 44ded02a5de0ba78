"""gait.Profiler: the loop, the schedule, the triggers, the bounds."""

import json
import os
import signal
import threading
import time

import jax
import jax.numpy as jnp
import pytest

import gait

from .helpers import manifest


@pytest.fixture
def loop(step_function, array):
    """Runs steps under a profiler and gives the steps of each capture."""

    def run(profiler, numbers, between=lambda i: None):
        x = array
        with profiler:
            for i in numbers:
                with profiler.step(i) as step:
                    x = step_function(x)
                    step.result = x
                between(i)
        assert all(capture.ok for capture in profiler.captures), profiler.captures
        return [capture.steps for capture in profiler.captures]

    return run


def test_by_schedule(tmp_path, loop):
    profiler = gait.Profiler(gait.Schedule(start=3, every=10, count=2), tmp_path)
    assert loop(profiler, range(25)) == [[3, 4], [13, 14], [23, 24]]
    assert {capture.trigger for capture in profiler.captures} == {"schedule"}
    assert not profiler.is_profiling


@pytest.mark.on_cpu
def test_a_result_is_waited_for_and_nothing_else(tmp_path, loop, monkeypatch):
    profiler = gait.Profiler(gait.Schedule(steps="1:2"), tmp_path)

    def between(i):
        if i == 1:
            monkeypatch.setattr(jax, "live_arrays", lambda: pytest.fail("every array was looked for"))

    assert loop(profiler, range(4), between) == [[1, 2]]


def test_captured_steps_are_in_the_file(tmp_path, loop):
    profiler = gait.Profiler(gait.Schedule(steps="4:6"), tmp_path)
    loop(profiler, range(10))
    rows = profiler.last.load().steps().tables["steps"].to_dicts()
    assert [row["step"] for row in rows] == [4, 5, 6]


def test_a_range_entered_in_its_middle_ends_where_it_ends(tmp_path, loop):
    assert loop(gait.Profiler(gait.Schedule(steps="4:8"), tmp_path), range(6, 20)) == [[6, 7, 8]]


def test_resumed_behind_the_start(tmp_path, loop):
    assert loop(gait.Profiler(gait.Schedule(start=10, count=2), tmp_path), range(500, 510)) == [[500, 501]]


@pytest.mark.parametrize("schedule", [{"start": 3, "count": 2}, {"steps": "3:4"}])
def test_once_is_once_where_numbers_begin_anew(tmp_path, loop, schedule):
    profiler = gait.Profiler(gait.Schedule(**schedule), tmp_path)
    assert loop(profiler, [*range(6), *range(6), *range(6)]) == [[3, 4]]


def test_what_was_lost_is_captured_when_numbers_begin_anew(tmp_path, full_disk, monkeypatch):
    profiler = gait.Profiler(gait.Schedule(start=1, count=1), tmp_path, on_signal=None)
    for i in (0, 1, 2, 0, 1, 2, 0, 1, 2):
        with profiler.step(i):
            pass
        profiler.wait()
        if len(profiler.captures) == 1:
            monkeypatch.undo()  # there is room again
    assert [capture.state for capture in profiler.captures] == ["failed", "done"]


def test_every_goes_on_where_numbers_begin_anew(tmp_path, loop):
    profiler = gait.Profiler(gait.Schedule(start=3, every=10, count=1), tmp_path)
    assert loop(profiler, [*range(5), *range(5)]) == [[3], [3]]


def test_numbers_that_jump(tmp_path, loop):
    profiler = gait.Profiler(gait.Schedule(start=25, count=3), tmp_path)
    assert loop(profiler, range(0, 100, 10)) == [[30, 40, 50]]


@pytest.mark.parametrize(
    ("schedule", "request_at", "steps", "expected"),
    [
        ({"start": 10, "count": 5, "every": 20}, 8, 4, [[8, 9, 10, 11], [12, 13, 14], [30, 31, 32, 33, 34]]),
        ({"steps": "10:11,13:15"}, 9, 5, [[9, 10, 11, 12, 13], [14, 15]]),
        ({"start": 10, "count": 2}, 8, 6, [[8, 9, 10, 11, 12, 13]]),
        ({"start": 0, "count": 4}, 0, 2, [[0, 1], [2, 3]]),
        ({"steps": "10:15,13:18"}, None, 0, [[10, 11, 12, 13, 14, 15, 16, 17, 18]]),
    ],
)
def test_every_step_that_is_due_is_captured(tmp_path, loop, schedule, request_at, steps, expected):
    profiler = gait.Profiler(gait.Schedule(**schedule), tmp_path)
    if request_at == 0:
        profiler.capture_async(steps)
    assert (
        loop(profiler, range(40), lambda i: profiler.capture_async(steps) if i + 1 == request_at else None)
        == expected
    )


def test_begin_and_end(tmp_path, step_function, array):
    profiler = gait.Profiler(gait.Schedule(start=1, count=2), tmp_path, on_signal=None)
    for i in range(5):
        profiler.begin_step(i)
        assert profiler.is_profiling == (i in (1, 2))
        array = step_function(array)
        profiler.end_step(array)
    profiler.close()
    assert [capture.steps for capture in profiler.captures] == [[1, 2]]


def test_a_closed_one_captures_nothing(tmp_path, step_function, array):
    with gait.Profiler(gait.Schedule(start=0, count=3), tmp_path) as profiler, profiler.step(0):
        array = step_function(array)
    profiler.capture_async()
    for i in range(1, 4):
        with profiler.step(i):
            array = step_function(array)
    assert [capture.steps for capture in profiler.wait()] == [[0]]
    assert not profiler.is_profiling


def test_the_directory_is_that_of_when_it_was_made(tmp_path, loop, monkeypatch):
    monkeypatch.chdir(tmp_path)
    profiler = gait.Profiler(gait.Schedule(start=1, count=1), "runs")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    loop(profiler, range(3))
    assert profiler.last.path.is_relative_to(tmp_path / "runs")


def test_the_name_may_hold_the_step(tmp_path, loop):
    profiler = gait.Profiler(gait.Schedule(start=3, count=1), tmp_path, name="step_{step:08d}")
    loop(profiler, range(5))
    assert profiler.last.path.parent == tmp_path / "step_00000003" / "plugins" / "profile"


def test_a_request_captures_the_next_steps(tmp_path, loop):
    profiler = gait.Profiler(gait.Schedule(count=2), tmp_path)
    assert loop(profiler, range(10), lambda i: profiler.capture_async() if i == 4 else None) == [[5, 6]]
    assert profiler.last.trigger == "request"


def test_a_request_from_another_thread(tmp_path, loop):
    profiler = gait.Profiler(dir=tmp_path)

    def request(i):
        if i == 2:
            thread = threading.Thread(target=profiler.capture_async, args=(3,))
            thread.start()
            thread.join()

    assert loop(profiler, range(10), request) == [[3, 4, 5]]


def test_a_signal(tmp_path, loop):
    before = signal.getsignal(signal.SIGUSR2)
    profiler = gait.Profiler(gait.Schedule(count=1), tmp_path)
    steps = loop(profiler, range(6), lambda i: os.kill(os.getpid(), signal.SIGUSR2) if i == 2 else None)
    assert steps == [[3]]
    assert profiler.last.trigger == "signal"
    assert signal.getsignal(signal.SIGUSR2) == before


def test_a_handler_of_the_program_is_called_too(tmp_path, loop):
    heard = []
    before = signal.signal(signal.SIGUSR2, lambda *_: heard.append(1))
    try:
        profiler = gait.Profiler(gait.Schedule(count=1), tmp_path)
        loop(profiler, range(3), lambda i: os.kill(os.getpid(), signal.SIGUSR2) if i == 0 else None)
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert heard == [1]
    assert len(profiler.captures) == 1


def test_profilers_share_a_signal_and_give_it_back(tmp_path):
    before = signal.getsignal(signal.SIGUSR2)
    profilers = [gait.Profiler(dir=tmp_path) for _ in range(2)]
    os.kill(os.getpid(), signal.SIGUSR2)
    assert all(profiler.is_profiling for profiler in profilers)
    for profiler in profilers:  # in the order in which they were made
        assert signal.getsignal(signal.SIGUSR2) != before
        profiler.close()
    assert signal.getsignal(signal.SIGUSR2) == before


def test_in_another_thread_it_does_without_signals(tmp_path):
    made = []
    thread = threading.Thread(target=lambda: made.append(gait.Profiler(dir=tmp_path)))
    thread.start()
    thread.join()
    assert made


def test_a_file(tmp_path, loop):
    trigger = tmp_path / "capture"
    profiler = gait.Profiler(dir=tmp_path / "runs", trigger_file=trigger)

    def between(i):
        if i == 3:
            trigger.write_text("2\n")
            profiler._file._next = 0.0  # looked for only now and then

    assert loop(profiler, range(10), between) == [[4, 5]]
    assert profiler.last.trigger == "file"
    assert not trigger.exists()


def test_a_file_that_stays_counts_once(tmp_path, monkeypatch, capfd):
    from gait._triggers import FileTrigger

    def refuse(_path):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "capture").write_text("2")
    monkeypatch.chdir(tmp_path)
    trigger = FileTrigger("capture")
    monkeypatch.chdir("/")  # it stays where it was
    monkeypatch.setattr(type(trigger.path), "unlink", refuse)
    monkeypatch.setattr(FileTrigger, "SECONDS", 0)
    assert [trigger.look() for _ in range(3)] == [(True, 2), (False, None), (False, None)]
    assert capfd.readouterr().err.count("cannot be removed (Permission denied)") == 1
    (tmp_path / "capture").write_text("3")
    os.utime(tmp_path / "capture", ns=(1, 1))
    assert trigger.look() == (True, 3)


def test_a_slow_step(tmp_path, loop, monkeypatch):
    profiler = gait.Profiler(gait.Schedule(count=2), tmp_path, slow_step=5)
    durations = iter([0.01] * 25 + [0.2] + [0.01] * 14)
    add = profiler._slow.add
    monkeypatch.setattr(profiler._slow, "add", lambda _: add(next(durations)))
    assert loop(profiler, range(40)) == [[26, 27]]
    assert profiler.last.trigger == "slow step"


def test_a_step_beside_which_a_capture_is_made_is_not_judged(tmp_path, step_function, array, monkeypatch):
    from gait import _profiler

    profiler = gait.Profiler(dir=tmp_path, slow_step=1.5)
    judged = []
    monkeypatch.setattr(profiler._slow, "add", lambda seconds: judged.append(seconds))
    busy = iter([False, False, True, True, True, False, False, True])  # as steps begin and end
    monkeypatch.setattr(type(_profiler.recorder), "busy", property(lambda _: next(busy, False)))
    for i in range(4):
        with profiler.step(i):
            step_function(array)
    profiler.close()
    assert len(judged) == 1


def test_what_a_slow_step_is():
    from gait._triggers import SlowStep

    slow = SlowStep(1.5)
    assert not any(slow.add(seconds) for seconds in [9.0] * 9)  # too few to know
    slow = SlowStep(1.5)
    assert [slow.add(1.0) for _ in range(100)] == [False] * 100
    assert not slow.add(1.4)
    assert slow.add(1.6)
    for _ in range(100):  # slower from now on: that becomes the rule
        slow.add(3.0)
    assert not slow.add(3.0)
    assert len(slow._sorted) == len(slow._last) == SlowStep.REMEMBERED


def test_not_before_compilation_has_finished(tmp_path):
    f = jax.jit(lambda x: x * 2 + 1)
    profiler = gait.Profiler(gait.Schedule(start=0, count=1), tmp_path, after_compile=True)
    with profiler:
        for i in range(8):
            with profiler.step(i):
                f(jnp.ones(i + 1 if i < 4 else 4)).block_until_ready()  # steps 0 to 3 compile
    assert [capture.steps for capture in profiler.captures] == [[5]]


def test_at_most_so_many_captures(tmp_path, loop, capfd):
    schedule = gait.Schedule(start=0, every=3, count=1, max_sessions=2)
    assert loop(gait.Profiler(schedule, tmp_path), range(20)) == [[0], [3]]
    assert capfd.readouterr().err.count("max_sessions=2 is used up") == 1


@pytest.mark.parametrize("bound", [{"max_sessions": 2}, {"max_bytes": 10}])
def test_captures_that_are_lost_use_up_no_bound(tmp_path, full_disk, monkeypatch, bound):
    schedule = gait.Schedule(start=0, every=2, count=1, **bound)
    profiler = gait.Profiler(schedule, tmp_path, on_signal=None)
    for i in range(9):
        if i == 5:
            monkeypatch.undo()  # there is room again
        with profiler.step(i):
            pass
        profiler.wait()
    made = 2 if "max_sessions" in bound else 1
    assert [capture.state for capture in profiler.captures] == ["failed"] * 3 + ["done"] * made


def test_at_most_so_many_seconds(tmp_path, loop):
    schedule = gait.Schedule(start=0, count=1000, max_seconds=0.1)
    profiler = gait.Profiler(schedule, tmp_path)
    steps = loop(profiler, range(30), lambda i: time.sleep(0.02))
    assert len(steps) == 1
    assert 1 <= len(steps[0]) <= 8  # fewer where the machine was busy
    assert profiler.last.warnings == ["it was ended by max_seconds=0.1"]


def test_at_most_so_many_bytes(tmp_path, loop, capfd):
    schedule = gait.Schedule(start=0, every=5, count=2, max_bytes=10)
    assert loop(gait.Profiler(schedule, tmp_path), range(20)) == [[0, 1]]
    assert capfd.readouterr().err.count("max_bytes=10 is used up") == 1


def test_an_exception_in_a_step_ends_the_capture(tmp_path, step_function, array):
    profiler = gait.Profiler(gait.Schedule(start=0, count=10), tmp_path, on_signal=None)
    with pytest.raises(ValueError, match="mine"):
        for i in range(5):
            with profiler.step(i):
                step_function(array)
                if i == 2:
                    raise ValueError("mine")
    assert profiler.last.ok
    assert profiler.last.steps == [0, 1, 2]
    assert not gait.is_recording()


def test_an_exception_between_begin_and_end(tmp_path, step_function, array):
    profiler = gait.Profiler(gait.Schedule(start=0, count=10), tmp_path)
    with pytest.raises(ValueError, match="mine"), profiler:
        profiler.begin_step(0)
        raise ValueError("mine")
    assert profiler.last.ok


def test_E1_a_tracer_as_the_number(tmp_path):
    profiler = gait.Profiler(gait.Schedule(start=0), tmp_path, on_signal=None)

    @jax.jit
    def train_step(state):
        with profiler.step(state):
            return state + 1

    assert train_step(1) == 2
    profiler.close()


def test_what_another_session_prevents_is_said_and_training_goes_on(tmp_path, step_function, array):
    jax.profiler.start_trace(str(tmp_path / "theirs"))
    profiler = gait.Profiler(gait.Schedule(start=1, count=1), tmp_path / "ours", on_signal=None)
    for i in range(4):
        with profiler.step(i):
            array = step_function(array)
    jax.profiler.stop_trace()
    assert "start_trace" in profiler.last.error


@pytest.mark.usefixtures("keeps_pace")
def test_periods_around_the_window_are_in_the_manifest(tmp_path, step_function, array):
    profiler = gait.Profiler(gait.Schedule(start=30, count=2), tmp_path, on_signal=None)
    for i in range(70):
        with profiler.step(i):
            array = step_function(array)
            array.block_until_ready()
            time.sleep(0.001)
        profiler.wait()  # steps that the writer slows down do not count
    profiler.close()
    uncaptured = manifest(profiler.last)["uncaptured"]
    assert uncaptured["before"]["steps"] >= 30
    assert uncaptured["after"]["steps"] >= 20


def remember(monkeypatch, steps):
    """As if these had begun: numbers, times, names."""
    from gait import _periods

    monkeypatch.setattr(_periods._scope, "begun_steps", lambda after=0: (len(steps), steps[after:]))


def test_steps_of_another_capture_say_nothing_of_the_ones_before(monkeypatch):
    """All steps since were captured themselves, so the past holds none."""
    from gait import _periods

    remember(monkeypatch, [(0, 1, "train")])
    assert _periods.until(_periods.Past([], 0, whole=False), 0, "train") is None


def test_periods_are_of_the_captured_kind_of_steps(monkeypatch):
    """Each step of 1 ms is followed by two evaluations of 10 ms; before that another loop took 20 ms a step."""
    from gait import _periods

    ms = 1_000_000
    steps = [(i, i * 20 * ms, "train") for i in range(60)]
    for i in range(40):
        begin = (1200 + i * 21) * ms
        steps += [(i, begin, "train"), (2 * i, begin + ms, "eval"), (2 * i + 1, begin + 11 * ms, "eval")]
    remember(monkeypatch, steps)
    past = _periods.past(0, steps[-1][1] + 10 * ms)
    before, keeps_pace = _periods.before(past, "train")
    assert keeps_pace
    assert before == {"steps": 40, "period_ns": 21 * ms, "mean_ns": 21 * ms}
    # Those after a capture are of the loop that was captured, not of the one that follows.
    assert _periods.after(10, "train", True)["mean_ns"] == 20 * ms
    assert _periods.after(60 + 3 * 19, "train", True)["steps"] == 20
    assert _periods.after(60 + 3 * 20, "train", True) is None


def test_periods_after_a_capture_are_of_its_own_loop(monkeypatch):
    """Which ended with the capture; that of another Profiler, of 1 ms a step, begins at 0 again."""
    from gait import _periods

    ms = 1_000_000
    steps = [(i, i * 50 * ms, "train") for i in range(15)]
    steps += [(i, (1000 + i) * ms, "train") for i in range(90)]
    remember(monkeypatch, steps)
    for fewer in (False, True):
        assert _periods.after(15, "train", True, fewer) is None
    next_one = _periods.past(15, steps[-1][1] + ms)
    assert _periods.until(next_one, 15, "train") is None
    assert _periods.until(next_one, 20, "train")["mean_ns"] == ms
    # The loop that goes on until the next capture, with too few steps to tell of what follows.
    remember(monkeypatch, steps[:15])
    assert _periods.until(_periods.past(3, 15 * 50 * ms), 5, "train")["steps"] == 10


def test_which_kind_of_steps_a_capture_is_of(monkeypatch):
    """The most frequent is not asked for: a step of 5 ms is followed by two evaluations of 2 ms."""
    from gait import _periods

    ms = 1_000_000
    steps = []
    for i in range(40):
        begin = i * 9 * ms
        steps += [(i, begin, "train"), (2 * i, begin + 5 * ms, "eval"), (2 * i + 1, begin + 7 * ms, "eval")]
    end = 40 * 9 * ms
    remember(monkeypatch, steps)
    past = _periods.past(0, end)
    assert _periods.kind(past, 0, end) == "train"  # holds the most time
    assert _periods.kind(past, 61, end) == "train"  # an evaluation more
    assert _periods.kind(past, 61, end, "eval") == "eval"  # whose steps were counted
    assert _periods.kind(past, 61, end, "epoch") == "train"  # counted, but never marked
    assert _periods.kind(past, len(steps) - 1, end, "train") == "eval"  # all it has
    assert _periods.kind(past, len(steps), end) == "eval"  # no step in it: the last before it


@pytest.mark.parametrize("numbered_on", [True, False])
@pytest.mark.usefixtures("keeps_pace")
def test_the_period_in_the_manifest_is_that_of_the_profilers_steps(tmp_path, numbered_on):
    """Most steps, and most of the time, are those of evaluations between them."""
    with gait.Profiler(gait.Schedule(start=20, count=4), tmp_path, on_signal=None) as profiler:
        for i in range(60):
            with profiler.step(i):
                time.sleep(0.001)
            for j in range(2):
                with gait.step(2 * i * numbered_on + j, "eval"):
                    time.sleep(0.004)
            profiler.wait()
    uncaptured = manifest(profiler.last)["uncaptured"]
    assert uncaptured["name"] == "train"
    for side in ("before", "after"):
        assert uncaptured[side]["period_ns"] > 9_000_000, side


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.on_cpu
def test_a_single_step_is_not_compared_with_those_around_it(tmp_path, step_function, array, count):
    """Of what the loop does behind its results a single step holds nothing."""
    schedule = gait.Schedule(start=20, count=count)
    with gait.Profiler(schedule, tmp_path, on_signal=None) as profiler:
        for i in range(50):
            with profiler.step(i):
                step_function(array).block_until_ready()
    said = manifest(profiler.last)
    captured = quantities(profiler.last)["step"]["value"]
    # How long the others took is up to the machine; here ten times as long as the captured.
    others = {"steps": 20, "period_ns": captured // 100, "mean_ns": captured // 100}
    said["uncaptured"].update(before=others, after=others)
    profiler.last.manifest.write_text(json.dumps(said))
    run = gait.load(profiler.last.xplane)
    uncaptured = quantities(run)["uncaptured"]
    assert ("times as long" in uncaptured["note"]) == (count > 1)
    assert ("single step" in uncaptured["note"]) == (count == 1)
    answer = run.doctor().answer
    assert ("from step to step uncaptured" in answer) == (count == 1)
    assert ("as captured" in answer) == (count > 1)


def quantities(run) -> dict:
    return {row["quantity"]: row for row in run.overview().tables["overview"].to_dicts()}


def test_periods_of_a_loop_that_runs_ahead(monkeypatch):
    """Devices take 10 ms a step; the host begins the next after 1 ms, and is held back when 32 are in flight."""
    from gait import _periods

    ms = 1_000_000
    begun, finished = [0], [10 * ms]
    for i in range(1, 1500):
        begun.append(max(begun[-1] + ms, finished[i - 32] if i >= 32 else 0))
        finished.append(max(begun[-1], finished[-1]) + 10 * ms)
    # As a device that hands back several at once lets it: the median between steps says nothing then.
    begun = [begun[i - i % 8] + i % 8 * ms for i in range(1500)]

    remember(monkeypatch, [(i, time, "train") for i, time in enumerate(begun)])
    before, keeps_pace = _periods.before(_periods.past(0, finished[-1]), "train")
    assert not keeps_pace
    assert before["period_ns"] == pytest.approx(10 * ms, rel=0.06)
    after = _periods.after(100, "train", keeps_pace)
    assert after["period_ns"] == pytest.approx(10 * ms, rel=0.05)
    assert _periods.after(1500 - 600, "train", keeps_pace) is None  # too few to say
    assert _periods.after(1500 - 600, "train", keeps_pace, fewer=True)["steps"] == 599


@pytest.mark.parametrize("waits", [True, False])
def test_periods_of_a_loop_with_a_slow_step_now_and_then(monkeypatch, waits):
    """Every fifth step evaluates for 30 ms, and waits for that; the others take 2 ms each."""
    from gait import _periods

    ms = 1_000_000
    begun = [0]
    for i in range(1, 200):
        slow = i % 5 == 0
        launched = ms // 10 if not waits else 2 * ms
        begun.append(begun[-1] + ((32 if waits else 40) * ms if slow else launched))
    remember(monkeypatch, [(i, time, "train") for i, time in enumerate(begun)])
    before, keeps_pace = _periods.before(_periods.past(0, begun[-1] + 2 * ms), "train")
    assert keeps_pace
    for said in (before, _periods.after(60, "train", keeps_pace)):
        assert said["mean_ns"] == pytest.approx(8 * ms, rel=0.1)
        assert said["period_ns"] == (2 * ms if waits else ms // 10)


def test_the_next_capture_says_what_the_steps_after_one_took(tmp_path, monkeypatch, loop):
    from gait import _periods

    monkeypatch.setattr(_periods, "before", lambda past, _: ({"steps": len(past.steps)}, False))
    profiler = gait.Profiler(gait.Schedule(start=0, every=10, count=1), tmp_path)
    loop(profiler, range(12), lambda i: profiler.wait() if i == 0 else None)
    assert manifest(profiler.captures[0])["uncaptured"]["after"] == {"steps": 9}


@pytest.mark.parametrize(
    "options",
    [
        {"slow_step": 1},
        {"slow_step": 0.5},
        {"slow_step": "2"},
        {"name": "x{foo}"},
        {"name": "run{}"},
        {"name": "run{"},
        {"options": {"host_tracer_levl": 1}},
        {"options": {"python_tracer_level": True}},
        {"options": "x"},
        {"hosts": "0"},
        {"hosts": [0, "1"]},
        {"schedule": "runs"},
        {"schedule": {"start": 3}},
        {"dir": 5},
        {"step_name": 5},
        {"trigger_file": 5},
        {"on_signal": 9},
        {"on_signal": "USR1"},
        {"on_signal": 12345},
        {"on_signal": True},
        {"on_signal": []},
    ],
)
def test_mistakes_are_refused_at_once(tmp_path, options):
    with pytest.raises(gait.OptionError):
        gait.Profiler(**{"dir": tmp_path, "on_signal": None, **options})


@pytest.mark.parametrize("steps", ["5", 0, -1, 2.5, True])
def test_a_wrong_request_is_refused_where_it_is_made(tmp_path, steps):
    profiler = gait.Profiler(dir=tmp_path, on_signal=None)
    with pytest.raises(gait.OptionError, match="number of steps"):
        profiler.capture_async(steps)
    assert not profiler.is_profiling


def test_what_only_the_platform_refuses_is_said_and_training_goes_on(tmp_path, monkeypatch, capfd):
    from gait import _facts

    monkeypatch.setattr(_facts, "default_platform", lambda: "tpu")
    options = {"gpu_enable_nvtx_tracking": True}
    profiler = gait.Profiler(gait.Schedule(start=0, count=1), tmp_path, on_signal=None, options=options)
    for i in range(2):
        with profiler.step(i):
            pass
    assert profiler.last.state == "skipped"
    assert "not for this platform" in profiler.last.error
    assert "The program goes on" in capfd.readouterr().err
