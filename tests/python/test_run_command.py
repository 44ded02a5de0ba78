"""gait run: programs that know nothing of gait."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import jax.numpy as jnp
import numpy as np
import pytest

import gait
from gait import _environment
from gait._capture import recorder
from gait._command import command
from gait._ending import wait_until
from gait._launch import _Profiler
from gait._launch_marked import Marked, number_of
from gait._schedule import Schedule
from gait.compat.ueaj._config import ProfilingConfig

MARKED = """
import sys, jax, jax.numpy as jnp
f = jax.jit(lambda x: jnp.tanh(x @ x))
x = jnp.ones((64, 64))
for i in range(int(sys.argv[1])):
    with jax.profiler.StepTraceAnnotation("train", step_num=i):
        x = f(x)
x.block_until_ready()
print("out", *sys.argv[1:])
print("err", file=sys.stderr)
"""
UNMARKED = """
import sys, jax, jax.numpy as jnp
@jax.jit
def train_step(x):
    for _ in range(8):
        x = jnp.tanh(x @ x) + 1
    return x
x = jnp.ones((64, 64))
for i in range(int(sys.argv[1])):
    x = train_step(x)
    y = x + 1  # small programs are no steps
x.block_until_ready()
"""
AMONG_LARGER = """
import sys, jax, jax.numpy as jnp
@jax.jit
def init(key):
    return sum(jax.random.normal(k, (16, 16)) for k in jax.random.split(key, 3))
@jax.jit
def train_step(x):
    return jnp.tanh(x @ x)
@jax.jit
def evaluate(x):
    for _ in range(20):
        x = jnp.sin(x @ x) + jnp.cos(x)
    return x.sum()
x = init(jax.random.key(0))
if sys.argv[1] == "True":
    train_step = train_step.lower(x).compile()
for i in range(30):
    x = train_step(x)
    if i % 12 == 11:
        evaluate(x).block_until_ready()
"""

PROFILES_ITSELF = """
import sys, jax, jax.numpy as jnp
from jax._src.lib import _profiler
from jax.profiler import start_trace
f = jax.jit(lambda x: jnp.tanh(x @ x))
x = jnp.ones((64, 64))
for i in range(16):
    with jax.profiler.StepTraceAnnotation("train", step_num=i):
        if i == 4:
            with jax.profiler.trace(sys.argv[1]):
                x = f(x)
        if i == 9:
            session = _profiler.ProfilerSession()
            x = f(x)
            assert session.stop()
        if i == 14:
            start_trace(sys.argv[1] + "/second")
            jax.profiler.stop_trace()
        x = f(x)
"""
PROFILES_ITSELF_TWICE = """
import sys, jax, jax.numpy as jnp
f = jax.jit(lambda x: jnp.tanh(x @ x))
x = jnp.ones((64, 64))
for part in "ab":
    with jax.profiler.trace(sys.argv[1] + "/" + part):
        f(x).block_until_ready()
"""
TRAINS_AND_EVALUATES = """
import jax, jax.numpy as jnp, numpy as np
from jax.profiler import StepTraceAnnotation
f = jax.jit(lambda x: jnp.tanh(x @ x))
x = jnp.ones((64, 64))
def evaluate():
    for i in range(4):
        with StepTraceAnnotation("eval", step_num=i):
            f(x)
evaluate()
for i in np.arange(12):
    with StepTraceAnnotation("train", step_num=i):
        x = f(x)
    evaluate()
"""


def gait_run(*arguments, program=MARKED, steps=12, env=None, **options):
    words = [str(command()), "run", *map(str, arguments), "--", sys.executable, "-c", program, str(steps)]
    environment = {**os.environ, **(env or {})}
    return subprocess.run(
        words, capture_output=True, text=True, timeout=120, check=False, env=environment, **options
    )


def steps_of(directory) -> list[list[int]]:
    found = sorted(
        directory.glob("**/gait.json"), key=lambda file: json.loads(file.read_text())["capture"]["steps"]
    )
    return [json.loads(file.read_text())["capture"]["steps"] for file in found]


def test_marked_steps(tmp_path):
    done = gait_run("--dir", tmp_path, "--steps", "3:5")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "out 12\n"
    assert "err" in done.stderr
    assert steps_of(tmp_path) == [[3, 4, 5]]
    rows = gait.load(tmp_path).steps().tables["steps"].to_dicts()
    assert [row["step"] for row in rows] == [3, 4, 5]


@pytest.mark.on_cpu
def test_launches_are_counted_where_nothing_is_marked(tmp_path):
    """The window ends with the program."""
    done = gait_run("--dir", tmp_path, "--steps", "4:6", program=UNMARKED, steps=7)
    assert done.returncode == 0, done.stderr
    assert steps_of(tmp_path) == [[4, 5, 6]]
    rows = gait.load(tmp_path).dump().to_dicts()
    launches = {
        dict(row["arguments"])["run_id"]
        for row in rows
        if ["hlo_module", "jit_train_step"] in row["arguments"]
    }
    assert len(launches) == 3


@pytest.mark.parametrize("ahead", [False, True])
def test_the_program_that_repeats_is_counted_not_the_largest(tmp_path, ahead):
    done = gait_run("--dir", tmp_path, "--steps", "6:8", program=AMONG_LARGER, steps=ahead)
    assert done.returncode == 0, done.stderr
    assert steps_of(tmp_path) == [[6, 7, 8]]
    rows = gait.load(tmp_path).dump().to_dicts()
    calls = [row for row in rows if row["name"].startswith("PjitFunction(") and "train_step" in row["name"]]
    assert calls
    assert len(calls) % 3 == 0, "the last launch is in the capture as a whole"


@pytest.mark.parametrize(
    ("program", "counted"),
    [
        (UNMARKED, "Counted were 5 launches of jit(train_step)."),
        (UNMARKED.replace("for i", "for _ in range(1): train_step(x)\nfor i").replace("sys.argv[1]", "0"),
         "No function was launched again and again: 1 of jit(train_step)."),
        (MARKED, "The program marked the steps 0 to 4."),
        ("import jax", "The program launched no function that it jits."),
    ],
)  # fmt: skip
def test_a_window_that_never_came_is_said(tmp_path, program, counted):
    done = gait_run("--dir", tmp_path, "--steps", "20:24,30", program=program, steps=5)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stderr.split())
    assert "gait: nothing was captured: steps 20:24, 30 never came. " + counted in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("steps", "window", "captured"),
    [(10, "10:14", []), (11, "10:14", [[10]]), (40, "10:12,every=15", [[10, 11, 12], [25, 26, 27]])],
)
def test_a_window_right_behind_the_last_step(tmp_path, steps, window, captured):
    """Its capture begins where the launch before it ends: it holds no step, whatever the program does afterwards."""
    done = gait_run(
        program=UNMARKED + "print(float(jax.jit(lambda x: (x**2).sum())(x)))",
        steps=steps,
        env={"GAIT": f"dir={tmp_path},steps={window}"},
    )
    assert done.returncode == 0, done.stderr
    assert steps_of(tmp_path) == captured
    assert len(list(tmp_path.glob("plugins/profile/*"))) == len(captured)
    assert done.stderr.count("gait: captured") == len(captured)
    never = "nothing was captured: steps 10:14 never came. Counted were 10 launches of jit(train_step);"
    assert (never in " ".join(done.stderr.split())) == (not captured)


def test_the_steps_of_training_are_counted(tmp_path):
    """Their numbers are numpy's."""
    done = gait_run("--dir", tmp_path, "--steps", "5:7", program=TRAINS_AND_EVALUATES)
    assert done.returncode == 0, done.stderr
    assert steps_of(tmp_path) == [[5, 6, 7]]


def test_a_window_of_several_names_that_never_came(tmp_path):
    done = gait_run("--dir", tmp_path, "--steps", 20, program=TRAINS_AND_EVALUATES)
    counted = "The program marked the steps 0 to 11 of 'train'; not counted: 'eval'."
    assert f"step 20 never came. {counted}" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("steps", "counted"),
    [
        ("a0 a1 a2", "a0 a1 a2"),
        ("a0 b0 b1 b2 a1", "a0 b1 b2"),  # the most frequent
        ("a7 train0 a8 a9 train1", "a7 train0 train1"),  # whatever comes more often
        ("train_epoch0 Train0 Train1 Train2 train_epoch1", "train_epoch0 Train1 Train2"),
    ],
)
def test_whose_steps_are_counted(steps, counted):
    marked = Marked()
    found = []
    for step in steps.split():
        name, number = step[:-1], int(step[-1])
        if marked.begin(name, number) is marked.followed:
            found.append(step)
    assert found == counted.split()


class OnADevice:
    """A counter that a device has not computed yet."""

    def __init__(self, ready: bool):
        self.is_ready = lambda: ready

    def __index__(self) -> int:
        return 7


@pytest.mark.parametrize(
    ("value", "previous", "recording", "number"),
    [
        (3, None, False, 3),
        (np.int64(3), 1, False, 3),
        (jnp.int32(3), 1, True, 3),
        (OnADevice(ready=True), 4, False, 7),
        (OnADevice(ready=False), 4, False, 5),  # not waited for
        (OnADevice(ready=False), 4, True, 7),
        (OnADevice(ready=False), None, False, 7),
        (None, 4, False, None),
        (2.5, 4, False, None),
        ("3", 4, False, None),
    ],
)
def test_numbers_of_marked_steps(value, previous, recording, number):
    assert number_of(value, previous, recording) == number


def test_a_program_that_profiles_itself_goes_first(tmp_path):
    done = gait_run(
        "--dir",
        tmp_path / "gait",
        "--steps",
        "3:5,8:10,13:15",
        program=PROFILES_ITSELF,
        steps=tmp_path / "own",
    )
    assert done.returncode == 0, done.stderr
    assert steps_of(tmp_path / "gait") == [[3], [8], [13]]
    assert len(list((tmp_path / "own").glob("**/*.xplane.pb"))) == 2
    assert done.stderr.count("the program makes a profile of its own") == 3
    assert "this capture ends, after 1 of 3 steps." in done.stderr


def test_of_its_own_profiles_in_two_folders_the_last_is_taken_and_the_other_named(tmp_path):
    own = tmp_path / "own"
    done = gait_run("--dir", tmp_path / "gait", "--steps", "100", program=PROFILES_ITSELF_TWICE, steps=own)
    assert done.returncode == 0, done.stderr
    (taken,) = (tmp_path / "gait").glob("plugins/profile/*")
    last, other = (next((own / part).glob("plugins/profile/*")) for part in "ba")
    assert taken.name == last.name
    assert (
        f"the program's own profile is taken: {last}, the last; the program also made {other}\n"
        in done.stderr
    )


def test_a_profile_of_another_thread_waits_for_the_step_where_gpus_are(tmp_path, monkeypatch):
    """Who launches on a GPU must be the one that stops its session."""
    monkeypatch.setattr(type(recorder), "ends_beside", property(lambda _: False))
    profiler = _Profiler(Schedule(steps="0:4"), tmp_path, on_signal=None)
    profiler.on_step_begin(0)
    other = threading.Thread(target=profiler.give_way)
    other.start()
    assert wait_until(lambda: profiler._until < 0, 60)
    assert recorder.capture is not None
    profiler.on_step_end(0)
    other.join(60)
    assert not other.is_alive()
    assert profiler.captures[0].wait().steps == [0]


@pytest.mark.parametrize(("program", "before"), [(MARKED, 7), (UNMARKED, 6)])
def test_steps_before_the_window(tmp_path, program, before):
    """The one that begins it is none of them, nor is one that compiles: step 0. Of launches step 2 is the first."""
    done = gait_run(
        "--dir", tmp_path, "--steps", "8:9", program=program.replace("x)\n", "x).block_until_ready()\n")
    )
    assert done.returncode == 0, done.stderr
    (file,) = tmp_path.glob("**/gait.json")
    assert json.loads(file.read_text())["uncaptured"]["before"]["steps"] == before


def test_the_variable(tmp_path):
    done = gait_run(env={"GAIT": f"dir={tmp_path},steps=2:3,every=4"})
    assert done.returncode == 0, done.stderr
    assert steps_of(tmp_path) == [[2, 3], [6, 7], [10, 11]]


def test_options_stand_above_the_variable(tmp_path):
    done = gait_run("--steps", 7, env={"GAIT": f"dir={tmp_path},steps=2:3"})
    assert done.returncode == 0, done.stderr
    assert steps_of(tmp_path) == [[7]]


def test_seed_D12_the_variables_of_the_viewing_guide(tmp_path):
    done = gait_run(
        env={
            "PROFILE_ENABLED": "1",
            "PROFILE_DIR": str(tmp_path),
            "PROFILE_START_STEP": "2",
            "PROFILE_INTERVAL": "5",
            "PROFILE_DURATION": "2",
        }
    )
    assert done.returncode == 0, done.stderr
    assert steps_of(tmp_path) == [[2, 3], [7, 8]]
    assert (tmp_path / "step_00000002" / "plugins" / "profile").is_dir()


@pytest.mark.parametrize("status", [0, 1, 7])
def test_the_exit_code_is_the_programs(tmp_path, status):
    program = f"import sys; sys.exit({status})"
    assert gait_run("--dir", tmp_path, program=program).returncode == status


def test_signals_are_the_programs(tmp_path):
    program = "import jax, time; print('ready', flush=True); time.sleep(60)"
    words = [str(command()), "run", "--dir", str(tmp_path), "--", sys.executable, "-c", program]
    child = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    child.send_signal(signal.SIGTERM)
    assert child.wait(60) == -signal.SIGTERM
    child.stdout.close()


def test_standard_input_is_the_programs(tmp_path):
    done = gait_run("--dir", tmp_path, program="print(input())", input="hello\n")
    assert done.stdout == "hello\n"


def test_a_signal_asks_for_a_capture(tmp_path):
    program = MARKED.replace("x = f(x)", "x = f(x); __import__('time').sleep(0.02)").replace(
        "for i in", "print('ready', flush=True)\nfor i in"
    )
    words = [str(command()), "run", "--dir", str(tmp_path), "--start", "100000", "--count", "2", "--"]
    child = subprocess.Popen([*words, sys.executable, "-c", program, "150"], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGUSR2)
    assert child.wait(60) == 0
    child.stdout.close()
    (steps,) = steps_of(tmp_path)
    assert len(steps) == 2


WITHOUT_JAX = "gait: nothing was captured: the program never imported JAX.\n"


def test_programs_without_jax_are_left_alone(tmp_path):
    done = gait_run("--dir", tmp_path, program="print('plain')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "plain\n", WITHOUT_JAX)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("-I", "-I"), ("-uE", "-E"), ("-X utf8 -S", "-S"), ("-W ignore -Xdev -I", "-I"),
        ("-u", None), ("-X I", None), ("-XI", None),
    ],
)  # fmt: skip
def test_options_of_python_that_keep_gait_out(tmp_path, options, said):
    """The program's own, behind -c, are not Python's."""
    words = [command(), "run", "--", sys.executable, *options.split(), "-c", "print('plain')", "-I"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "plain\n")
    expected = f"gait: nothing can be captured: Python's option {said} keeps gait out of the program.\n"
    assert done.stderr.partition("      Run")[0] == (expected if said else WITHOUT_JAX)


def test_a_sitecustomize_of_the_program_still_runs(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("print('mine')")
    done = gait_run(program="print('program')", env={"PYTHONPATH": str(tmp_path)})
    assert done.stdout == "mine\nprogram\n"


def test_a_mistake_in_the_settings_is_said_and_the_program_runs(tmp_path):
    done = gait_run(env={"GAIT": "stepz=3"})
    assert done.returncode == 0
    assert "Did you mean steps=" in done.stderr
    assert done.stdout == "out 12\n"


def test_a_mistake_in_the_options_is_said_before_the_program_starts(tmp_path):
    done = gait_run("--dir", tmp_path, "--slow-step", "0.2")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--slow-step: '0.2' is no factor above 1." in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--steps 5:3", "--steps: '5:3' is no range of steps: it begins after its end."),
        ("--steps 1,x", "--steps: 'x' is no step and no range of steps such as 100:105."),
        ("--steps 3:", "--steps: '3:' is no step and no range of steps such as 100:105."),
        ("--steps -1", "--steps: '-1' is no step and no range of steps such as 100:105."),
        ("--start -1", "--start: '-1' is no whole number of at least 0."),
        ("--count 0", "--count: '0' is no whole number of at least 1."),
        ("--every 2.5", "--every: '2.5' is no whole number of at least 0."),
        ("--max-seconds 0", "--max-seconds: '0' is no time above zero, in seconds."),
        ("--name {epoch}", "--name: '{epoch}' may hold the first step"),
        ("--dir a,b=c", "--dir: 'a,b=c' has a ',' and then a '='"),
        ("--steps 5 --count 3", "--steps excludes --count."),
        ("--steps 5,7 --every 10", "--every repeats one range of steps, not 5,7."),
        ("--steps 5:9 --every 4", "--every 4 begins the next capture before the 5 steps of one are over."),
        ("--every 4", "--every 4 begins the next capture before the 5 steps of one are over."),
        ("--every 4 --count 4", None),
        ("--steps 5:8,10 --name {step:08d} --max-bytes 0 --hosts 0 --dir a,b", None),
    ],
)  # fmt: skip
def test_options_are_checked(tmp_path, options, said):
    """And what passes makes sense to the package too."""
    words = [
        command(),
        "run",
        *options.split(),
        "--",
        sys.executable,
        "-c",
        "import os; print(os.environ['GAIT'])",
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    if said is None:
        assert (done.returncode, done.stderr) == (0, WITHOUT_JAX)
        assert _environment.settings({"GAIT": done.stdout.strip()})
    else:
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr


@pytest.mark.parametrize("name", ["--dir", "--out", "-o"])
def test_names_of_the_directory(tmp_path, name):
    done = gait_run(name, tmp_path, "--steps", 3)
    assert done.returncode == 0, done.stderr
    assert steps_of(tmp_path) == [[3]]


def test_a_program_that_does_not_exist():
    done = subprocess.run(
        [command(), "run", "--", "no-such-program"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert "no-such-program: No such file" in done.stderr


@pytest.mark.parametrize(
    ("text", "windows"),
    [
        ("steps=100:105,every=1000", [100, 105, 1100, 1105]),
        ("steps=5,7:8", [5, 7, 8]),
        ("start=3,count=2", [3, 4]),
        ("1", [10, 14]),
        ("", [10, 14]),
    ],
)
def test_settings(text, windows):
    made = _environment.settings({"GAIT": text})
    assert all(made.schedule.due(step) for step in windows)
    assert made.dir == "runs"


@pytest.mark.parametrize(
    "variables",
    [
        {"PROFILE_ENABLED": "1", "PROFILE_INTERVAL": "2", "PROFILE_DURATION": "5"},
        {"PROFILE_ENABLED": "1", "PROFILE_START_STEP": "7", "PROFILE_INTERVAL": "0", "PROFILE_DURATION": "3"},
        {"PROFILE_ENABLED": "1", "PROFILE_STEP": "4", "PROFILE_DURATION": "9"},
        {"PROFILE_STEP": "4"},
    ],
)
def test_gait_run_and_maybe_profile_take_the_same_steps(monkeypatch, capsys, variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    schedule = _environment.settings(os.environ).schedule
    config = ProfilingConfig()
    steps = [step for step in range(110) if schedule.due(step)]
    assert steps
    assert steps == [step for step in range(110) if config.should_profile(step)]


@pytest.mark.parametrize("variable", ["PROFILE_MODE=x", "PROFILE_DURATION=0", "PROFILE_INTERVAL=-1"])
def test_gait_run_and_maybe_profile_take_the_same_instead(monkeypatch, variable, capsys):
    monkeypatch.setenv("PROFILE_ENABLED", "1")
    monkeypatch.setenv(*variable.split("="))
    config = ProfilingConfig()
    assert variable.split("=")[0] in capsys.readouterr().err
    assert _environment.settings(os.environ).schedule == config.schedule == gait.Schedule(100, 1000, 1)
    assert variable.split("=")[0] in capsys.readouterr().err


def test_no_settings():
    assert _environment.settings({}) is None
    assert _environment.settings({"PROFILE_ENABLED": "0"}) is None


@pytest.mark.parametrize(
    "text", ["nonsense", "count=x", "perfetto=maybe", "steps=1,5:6,every=10", "every=-1"]
)
def test_settings_that_make_no_sense(text):
    with pytest.raises(gait.OptionError):
        _environment.settings({"GAIT": text})
