"""What must not disturb a program: names that go astray, closed streams, threads, folders that vanish, silence."""

import json
import os
import subprocess
import sys
import threading

import jax.numpy as jnp
import pytest

import gait
from gait import _layout, _periods
from gait._command import command

from .helpers import manifest, run_python, xplanes


@pytest.fixture(autouse=True)
def _say_again():
    _layout.confined.cache_clear()


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("/abs/olute", "abs/olute"),
        ("../../evil", "evil"),
        ("a/../../b", "a/b"),
        ("..", "_"),
        ("half\ud800pair", "half?pair"),
        ("nul\0inside", "nul_inside"),
    ],
)
def test_names_stay_in_the_log_directory(tmp_path, step_function, array, capsys, name, folder):
    log_dir = tmp_path / "deep" / "runs"
    with gait.trace(log_dir, name) as capture:
        step_function(array)
    assert capture.ok, capture.error
    assert capture.log_dir == log_dir / folder
    assert [file.is_relative_to(log_dir / folder) for file in xplanes(tmp_path)] == [True]
    assert "does not stay in the log directory" in capsys.readouterr().err
    assert json.loads(capture.manifest.read_text())["files"]


def test_a_name_that_is_fine_is_left_alone(tmp_path, capsys):
    assert gait.Capture(tmp_path, "optimizer/adamw é").log_dir == tmp_path / "optimizer" / "adamw é"
    assert capsys.readouterr().err == ""


def test_a_log_directory_that_is_no_utf8_is_said(tmp_path, step_function, array, capsys):
    with gait.trace(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")) as capture:
        step_function(array)
    assert capture.lost
    assert "is no UTF-8" in capsys.readouterr().err


def test_a_program_with_odd_arguments_has_a_readable_manifest(tmp_path, step_function, array, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["train.py", "caf\udce9"])
    with gait.trace(tmp_path) as capture:
        step_function(array)
    assert manifest(capture)["capture"]["command"] == ["train.py", "caf?"]
    assert gait.load(capture.path).info().answer


def test_a_removed_log_directory_is_made_again(tmp_path, step_function, array):
    import shutil

    log_dir = tmp_path / "runs"
    with gait.trace(log_dir) as capture:
        step_function(array)
        shutil.rmtree(log_dir)
    assert capture.ok
    assert len(xplanes(log_dir)) == 1


def test_leaving_a_block_twice_is_nothing(tmp_path, step_function, array):
    block = gait.trace(tmp_path)
    with block as capture:
        step_function(array)
    block.__exit__(None, None, None)
    assert capture.ok


def test_threads_share_a_profiler(tmp_path, step_function):
    """Each marks steps of its own; those that began in the window are the capture's."""
    profiler = gait.Profiler(gait.Schedule(start=10, count=8), tmp_path, on_signal=None)
    begin = threading.Barrier(4)

    def loop(first):
        x = jnp.ones((64, 64))
        begin.wait()
        for i in range(first, 40, 4):
            with profiler.step(i):
                x = step_function(x)
        x.block_until_ready()

    threads = [threading.Thread(target=loop, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    captures = profiler.wait()
    assert [capture.state for capture in captures] == ["done"]
    assert len(captures[0].steps) == 8
    profiler.close()


def test_a_window_of_threads_that_share_a_loop_comes_once(tmp_path, step_function, array):
    """The numbers come out of order, so that a smaller one follows behind a window."""
    with gait.Profiler(gait.Schedule(start=20, count=6, every=100), tmp_path, on_signal=None) as profiler:
        numbers = iter(range(280))

        def work():
            for number in numbers:
                with profiler.step(number):
                    step_function(array)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        captures = profiler.wait()
    assert len(captures) == 3
    assert [sorted(capture.steps)[3] // 10 for capture in captures] == [
        2,
        12,
        22,
    ]  # a step may come very late


def test_windows_come_again_where_numbers_begin_anew(tmp_path, step_function, array):
    with gait.Profiler(gait.Schedule(start=5, count=2, every=10), tmp_path, on_signal=None) as profiler:
        for _ in range(2):
            for number in range(10):
                with profiler.step(number):
                    step_function(array)
        assert [capture.steps for capture in profiler.wait()] == [[5, 6], [5, 6]]


CLOSED = """
import os, sys, gait, jax, jax.numpy as jnp
report = os.dup(2)
os.close(1), os.close(2)
f = jax.jit(lambda x: x @ x)
with gait.trace(sys.argv[1]) as capture:
    f(jnp.ones((8, 8))).block_until_ready()
    for _ in range(3):
        try:
            print("a line", flush=True)
        except OSError:
            pass
capture.wait()
sys.stdout = sys.stderr = None  # what Python cannot write at its own end is no matter of gait
os.write(report, b"trained " + capture.state.encode())
"""


def test_prints_with_closed_streams_end_nothing(tmp_path):
    done = run_python(CLOSED, tmp_path)
    assert done.returncode == 0
    assert done.stderr.endswith("trained done")


NOBODYS = """
import sys
mine = open(sys.argv[1], "w")
assert mine.fileno() == 2
import gait, jax, jax.numpy as jnp
f = jax.jit(lambda x: x @ x)
with gait.trace(sys.argv[2], "/out/side") as capture:
    f(jnp.ones((8, 8))).block_until_ready()
capture.wait()
mine.write("mine " + capture.state)
"""


def test_standard_error_that_was_closed_is_nobodys(tmp_path):
    """Descriptor 2 is a file of the program; what gait says goes neither there nor to standard output."""
    words = [sys.executable, "-c", NOBODYS, str(tmp_path / "mine"), str(tmp_path / "runs")]
    done = subprocess.run(
        ["sh", "-c", '"$@" 2>&-', "sh", *words], capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0
    assert done.stdout == b""
    assert (tmp_path / "mine").read_text() == "mine done"
    assert len(xplanes(tmp_path / "runs")) == 1


NEVER = """
import sys, gait
profiler = gait.Profiler(gait.Schedule(start=500), sys.argv[1])
for i in range(30):
    with profiler.step(i):
        pass
"""


def test_a_window_that_never_came_is_said(tmp_path):
    done = run_python(NEVER, tmp_path)
    assert done.returncode == 0
    assert "nothing was captured: steps 500:504 never came. The program marked steps 0 to 29." in done.stderr


def test_a_loop_that_marks_no_steps_is_said(tmp_path):
    done = run_python(NEVER.replace("with profiler.step(i):", "if True:"), tmp_path)
    assert done.returncode == 0
    assert "nothing was captured: steps 500:504 never came. The program marked no steps." in done.stderr


def test_a_window_that_never_came_is_said_of_the_environment(tmp_path):
    program = """
from gait.compat.ueaj import maybe_profile
for step in range(30):
    with maybe_profile(step):
        pass
"""
    wanted = {"PROFILE_ENABLED": "1", "PROFILE_START_STEP": "500", "PROFILE_DIR": str(tmp_path)}
    done = run_python(program, env=wanted)
    assert "nothing was captured: step 500 never came. The program marked steps 0 to 29." in done.stderr


def test_a_window_that_came_is_not_missed(tmp_path, step_function, array, capsys):
    with gait.Profiler(gait.Schedule(start=1, count=1), tmp_path, on_signal=None) as profiler:
        for i in range(3):
            with profiler.step(i):
                array = step_function(array)
    assert "never came" not in capsys.readouterr().err


def gait_run(*words, **environment):
    return subprocess.run(
        [command(), "run", *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )


def test_a_program_without_jax_is_said(tmp_path):
    (tmp_path / "prepare.py").write_text(
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])\n"
    )
    done = gait_run("--dir", tmp_path, "--", sys.executable, tmp_path / "prepare.py")
    assert done.returncode == 0
    assert done.stderr.count("nothing was captured") == 1
    assert "prepare.py never imported JAX" in done.stderr


def test_uncaptured_steps_hold_no_compilation(tmp_path, keeps_pace):
    """Five steps before the window, the first of which compiles: that one says nothing of what a step takes."""
    import time

    import jax

    @jax.jit
    def step(x):
        time.sleep(0.5)  # while it is traced
        return jnp.tanh(x @ x)

    x = jnp.ones((64, 64))
    for count in (5, 6):
        jax.clear_caches()
        profiler = gait.Profiler(gait.Schedule(start=count, count=1), tmp_path / str(count), on_signal=None)
        for i in range(count + 2):
            with profiler.step(i):
                x = step(x).block_until_ready()
        profiler.close()
        before = manifest(profiler.last)["uncaptured"]["before"]
        if before is not None:
            assert before["mean_ns"] < 0.1e9
            assert before["steps"] >= _periods.FEWEST
        assert (before is None) == (count == 5)  # four are too few


RECOMPILES = """
import sys, time, gait, jax, jax.numpy as jnp
@jax.jit
def step(x):
    time.sleep(0.5)  # while it is traced
    return jnp.tanh(x @ x)
for i in range(20):
    size = 32 if i == 6 else 64
    x = jnp.ones((size, size))
    with gait.step(i):
        step(x).block_until_ready()
    if i == 15:
        with gait.trace(sys.argv[1]) as capture, gait.step(i):
            step(x).block_until_ready()
print(capture.wait().manifest)
"""


def test_a_block_in_a_loop_knows_which_steps_compiled_before_it(tmp_path):
    done = subprocess.run([sys.executable, "-c", RECOMPILES, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(done.stdout.strip()) as file:
        before = json.load(file)["uncaptured"]["before"]
    assert before["mean_ns"] < 0.1e9
    assert before["steps"] >= _periods.FEWEST
