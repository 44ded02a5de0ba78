"""What gait says of small loops is what the loops measured of themselves."""

import functools
import statistics
import subprocess
import sys
import time
from pathlib import Path

import jax
import label
import pytest
from loops import LOOPS, NAMED

# What gait says of one thing and the program measured of it may be this far apart: the program's clock is read a little
# before and after what it measures, and a standstill ends when a thread is back. Labels are of half a step or more.
OF_STEP = 0.15
LEAST = 0.001  # s

# What gait says today that is not true. Strict: who mends it takes the line away.
WRONG = {
    "puts an array": (
        "host idle overview path doctor",
        "waiting until device_put has copied is waiting for a result of an idle device: no result is awaited",
    ),
    "puts columns in data_loading": (
        "idle overview",
        "device_put inside data_loading is input, while gait host says to_device",
    ),
    "takes and runs ahead": (
        "host",
        "waiting for a batch counts as fetching only while no device works, though no batch is there before",
    ),
    "reads the loss with item": (
        "host",
        "the wait in item() is Python: it has no event, and the thread that goes on with the device tells nothing",
    ),
    "reads a large result": (
        "host",
        "asarray waits for the step before its own program without an event: that half is Python",
    ),
    "computes before it takes": (
        "host idle overview path",
        "Python before get() of a queue is input too, as nothing happens between the two",
    ),
    "evaluation under an annotation": (
        "whole",
        "an evaluation that is no step's on the device is part of the step before it on the host",
    ),
    "evaluation without a name": (
        "whole",
        "an evaluation that is no step's on the device is part of the step before it on the host",
    ),
    "more dev than training": (
        "host overview",
        "an evaluation that is called dev is the loop, as its devices work longer than in training",
    ),
}
if tuple(map(int, jax.__version__.split(".")[:2])) >= (0, 12):  # the wait is an event of the capture there
    del WRONG["puts an array"]
WRONG_NAMES = "decode_images sync_to_disk"


ATTEMPTS = 6
CALMER = 5  # s longer each time: what makes the machine busy may be over


def agrees(figure, choose=lambda loop: True):
    """A test of each loop of the table. A surprise has to be seen twice, undisturbed by other programs."""

    def decorate(check):
        def test(name, known):
            expected = figure not in WRONG.get(name, ("", ""))[0].split()
            for attempt in range(ATTEMPTS):
                case, wrong = known(name, attempt), None
                try:
                    check(case)
                except AssertionError as error:
                    wrong = error
                seen_twice = attempt > 0 and not case.label.disturbed
                if seen_twice or expected == (wrong is None):
                    break
            if wrong:
                raise wrong

        test.__name__ = check.__name__
        return pytest.mark.parametrize("name", list(cases(figure, choose)))(test)

    return decorate


def cases(figure, choose):
    for name, loop in LOOPS.items():
        if not choose(loop):
            continue
        figures, reason = WRONG.get(name, ("", ""))
        marks = [pytest.mark.xfail(strict=True, reason=reason)] if figure in figures.split() else []
        yield pytest.param(name, marks=marks, id=name.replace(" ", "-"))


class Case:
    """A loop, its label and what gait says of its capture."""

    def __init__(self, gait, name, directory):
        self.declared = LOOPS[name]
        self.label = label.read(directory)
        (self.capture,) = directory.glob("**/*.xplane.pb")
        self.document = functools.cache(lambda verb: gait.document(verb, self.capture))
        self.rows = lambda verb, table: gait.rows(self.document(verb), table)
        self.most = OF_STEP * self.label.step + LEAST

    def usual(self, values):
        """Of a figure of all steps: a busy machine is no matter of one step, and what is seldom has no median."""
        values = list(values)
        assert len(values) >= self.declared.steps // 2, "too few steps"
        return statistics.mean(values) if self.declared.ahead else statistics.median(values)

    def same(self, said, true, what):
        """`said` and `true` have figures by step."""
        off = self.usual(said[step] - true[step] for step in said.keys() & true.keys())
        assert abs(off) <= self.most, f"{what}: {1e3 * off:+.1f} ms a step, {1e3 * self.most:.1f} allowed"


@pytest.fixture(scope="module")
def known(gait, tmp_path_factory):
    """The case of a loop by its name, and of another capture of it."""
    command = [sys.executable, Path(__file__).parent / "loops.py", tmp_path_factory.mktemp("labels")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as loops:

        @functools.cache
        def capture(name, attempt):
            time.sleep(CALMER * attempt)
            print(name, file=loops.stdin, flush=True)
            return Case(gait, name, Path(loops.stdout.readline().strip()))

        yield capture
        loops.stdin.close()


def of(figures, kind):
    return {step: parts[kind] for step, parts in figures.items()}


def unnamed(figures, unseen):
    """With what has no event counted as Python's."""
    return {
        step: {kind: time for kind, time in parts.items() if kind not in (*unseen, "python")}
        | {"python": parts["python"] + sum(parts[kind] for kind in unseen)}
        for step, parts in figures.items()
    }


@agrees("host")
def test_the_parts_of_the_hosts_step(loop):
    said = unnamed(label.host_parts(loop.rows("host", "input_steps")), loop.declared.unseen)
    true = unnamed(loop.label.host, loop.declared.unseen)
    for kind in true[0]:
        loop.same(of(said, kind), of(true, kind), kind)
    if statistics.median(of(true, "input").values() if "input" in true[0] else [0]) > 0.6 * loop.label.step:
        assert "goes to fetching input" in loop.document("host")["answer"]


@agrees("whole", lambda loop: loop.after and not loop.series)
def test_what_happens_between_steps_is_part_of_one_on_the_host_as_on_the_device(loop):
    said = {
        step: sum(parts.values())
        for step, parts in label.host_parts(loop.rows("host", "input_steps")).items()
    }
    off = statistics.mean(time - sum(loop.label.host[step].values()) for step, time in said.items())
    assert abs(off) <= loop.most


@agrees("idle", lambda loop: not loop.ahead)
def test_the_causes_of_idle_time(loop):
    said = label.idle_causes(loop.rows("idle", "idle_steps"))
    true = unnamed(loop.label.device, loop.declared.unseen)
    for kind, cause in label.CAUSES.items():
        if kind in true[0]:
            loop.same(of(said, cause), of(true, kind), cause)
    # A call is over before or after the device begins.
    late = {step: sum(parts[cause] for cause in label.LATE_CAUSES) for step, parts in said.items()}
    python = {step: parts["python"] + parts.get("collect", 0) for step, parts in true.items()}
    more = loop.usual(late[step] - python[step] for step in late.keys() & python.keys())
    calls = loop.usual(parts["call"] for parts in true.values())
    assert -loop.most <= more <= calls + loop.most, f"Python: {1e3 * more:+.1f} ms a step"


@agrees("idle", lambda loop: loop.ahead and not loop.starved)
def test_the_device_has_work_where_the_host_runs_ahead(loop):
    said = label.idle_causes(loop.rows("idle", "idle_steps"))
    assert loop.usual(parts["idle"] for parts in said.values()) <= loop.most


@agrees("steps")
def test_the_time_of_a_step(loop):
    series = "train" if loop.declared.marked else loop.rows("steps", "step_times")[0]["series"]
    rows = [
        row
        for row in loop.rows("steps", "steps")
        if row["series"] == series and row["flags"] in ("", "compiles")
    ]
    times = {row["step"]: row["step_time"] / 1e12 for row in rows}
    true = {step: sum(parts.values()) for step, parts in loop.label.device.items()}
    if loop.declared.ahead:  # nobody knows when a step was done
        true = dict.fromkeys(times, loop.label.step)
    loop.same(times, true, "step")
    (row,) = (row for row in loop.rows("steps", "step_times") if row["series"] == series)
    allowed = ["asynchronous"] if loop.declared.ahead else ["waits", "inline"]
    # "It may have waited": where the machine was busy the work is done before the host asks, and nothing tells.
    assert row["loop"] in allowed + ["late"] * loop.label.disturbed


@agrees("evaluations", lambda loop: loop.series)
def test_the_time_of_evaluations(loop):
    assert set(loop.label.evaluations) == {loop.declared.series}
    for series, lengths in loop.label.evaluations.items():
        rows = [row for row in loop.rows("steps", "steps") if row["series"] == series]
        assert len(rows) == len(lengths)
        # The one from which the host came back soonest: the device's time does not hold how long that took.
        said = min(row["step_time"] / 1e12 for row in rows)
        assert said == pytest.approx(min(lengths), rel=OF_STEP, abs=LEAST)


def means(loop):
    """The kinds' seconds a step, of the steps that gait counts."""
    steps = label.idle_causes(loop.rows("idle", "idle_steps")).keys() & loop.label.device.keys()
    true = unnamed(loop.label.device, loop.declared.unseen)
    mean = {kind: statistics.mean(true[step][kind] for step in steps) for kind in true[0]}
    return mean | {"callback": statistics.mean(loop.label.callbacks[step] for step in steps)}


@agrees("overview", lambda loop: not loop.ahead)
def test_the_overview_says_where_the_time_goes(loop):
    mean = means(loop)
    said = {row["part"]: row["per_step"] / 1e12 for row in loop.rows("overview", "where")}
    for kind, part in label.WHERE.items():
        if kind in mean:
            assert said.get(part, 0) == pytest.approx(mean[kind], abs=loop.most), part
    (main,) = (row["value"] for row in loop.rows("overview", "overview") if row["quantity"] == "loop")
    assert main == "train" or not loop.declared.marked
    answer = loop.document("overview")["answer"]
    for kind, words in label.WORDS.items():
        if mean.get(kind, 0) > 0.5 * loop.label.step:
            assert words in answer


@agrees("path", lambda loop: not loop.ahead)
def test_the_path_holds_the_input(loop):
    mean = means(loop)
    said = {row["class"]: row["per_step"] / 1e12 for row in loop.rows("path", "path")}
    if "input" in mean:
        assert said.get("input", 0) == pytest.approx(mean["input"] + mean["transfer"], abs=loop.most)


RULES = {"input": "input", "transfer": "host_to_device", "compile": "recompile", "callback": "host_callback"}


@agrees("doctor", lambda loop: not loop.ahead)
def test_the_doctor_speaks_first_of_what_takes_most(loop):
    mean = means(loop)
    first = next((row["rule"] for row in loop.rows("doctor", "findings")), None)
    for kind, rule in RULES.items():
        share = mean.get(kind, 0) / loop.label.step
        assert first == rule or share < 0.6, kind
        assert first != rule or share > 0.1, kind


def named_cases():
    for name, kind in NAMED.items():
        wrong = name in WRONG_NAMES.split()
        marks = [pytest.mark.xfail(strict=True, reason=f"{name} is {kind}")] if wrong else []
        yield pytest.param(name, marks=marks, id=name)


@pytest.mark.parametrize("name", list(named_cases()))
def test_what_people_call_what_they_do(known, name):
    parts = {row["name"]: row["part"] for row in known("names", 0).rows("host", "host_activities")}
    assert label.PARTS[parts[name]] == NAMED[name]
