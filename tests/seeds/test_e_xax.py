"""Document E: a task with the mixin; its profiles, and the viewer's commands."""

import json

import pytest
from readers import (
    ask,
    changes,
    free_port,
    once,
    products,
    profile_tab,
    program,
    rows,
    run,
    runs_of_tensorboard,
    tensorboard_by,
)


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    return once(tmp_path_factory, "e", lambda folder: run(program("e_xax.py"), cwd=folder))


def profile(folder, step):
    return folder / "experiment" / "profiles" / f"train_step_step_{step}"


def test_seed_E2_E3_profiles_below_the_experiment(experiment):
    folder, done = experiment
    made = sorted(path.name for path in (folder / "experiment" / "profiles").iterdir())
    assert made == sorted(f"train_step_step_{step}" for step in (0, 100, 200, 300))
    assert "Starting profiling session: train_step_step_0" in done.stderr


def test_seed_E4_E5_E19_the_first_profile_holds_work_too(experiment):
    """Step 0 compiles; the three seconds of a session are those in which something else goes on."""
    folder, _ = experiment
    for step in (0, 100):
        steps = rows(ask("steps", profile(folder, step)), "steps")
        assert [(row["series"], row["step"]) for row in steps] == [("train_step", step)]
        assert rows(ask("ops", profile(folder, step)), "ops")
        (manifest,) = profile(folder, step).glob("**/gait.json")
        said = json.loads(manifest.read_text())
        assert said["capture"]["launches"] >= 1 and said["losses"] == []


def test_seed_E8_E9_annotated_parts_have_their_time(experiment):
    folder, _ = experiment
    document = ask("ops", profile(folder, 100), "--by", "scope", "--top", 0)
    for part in ("compute_loss", "model_forward"):
        assert any(part in str(row["path"]) and row["self"] > 0 for row in rows(document, "ops")), part


def test_seed_E16_compilation_and_execution_are_told_apart(experiment):
    folder, _ = experiment
    compiled = rows(ask("compile", profile(folder, 0)), "compiles")
    assert "update" in {row["function"] for row in compiled}
    assert ask("compile", profile(folder, 100))["answer"].startswith("No compilation")


def test_seed_E11_E13_the_viewer_lists_and_extracts(experiment):
    folder, _ = experiment
    listed = run("-m", "gait.view", "--profile-dir=experiment/profiles", "--list-only", cwd=folder).stdout
    assert listed.count(".xplane.pb (") == 4 and " KB)" in listed
    assert "  1. train_step_step_300/" in listed
    run("-m", "gait.view", "--profile-dir=experiment/profiles", "--extract", cwd=folder)
    assert len(list((folder / "experiment").glob("**/*.trace.json"))) == 4


OPEN_LATEST = """
import signal, sys
from gait.compat.xax import open_latest_profile
signal.signal(signal.SIGTERM, signal.SIG_IGN)
viewer = open_latest_profile("experiment/profiles")  # returns while the viewer goes on
assert viewer.poll() is None
sys.stdin.read()
viewer.terminate()
viewer.wait()
"""


def test_seed_E10_the_newest_profile_in_a_real_tensorboard(experiment):
    folder, _ = experiment
    with tensorboard_by("-c", OPEN_LATEST, cwd=folder) as address:
        (name,) = runs_of_tensorboard(address)
        (newest,) = profile(folder, 300).glob("plugins/profile/*")
        assert name == newest.name
        assert any("trace_viewer" in tool for tool in profile_tab(address, "run_tools", run=name))


def test_seed_E11_E12_the_unified_viewer_starts_a_real_tensorboard(experiment):
    """As the document calls it; the module that Python 3.13 lacks is there for TensorBoard."""
    folder, _ = experiment
    port = free_port()
    words = ("-m", "gait.view", "--profile-dir=experiment/profiles", "--ui=tensorboard", f"--port={port}")
    with tensorboard_by(*words, cwd=folder) as address:
        assert f":{port}/?token=" in address
        assert len(runs_of_tensorboard(address)) == 4
    with pytest.raises(OSError):  # what ends the viewer ends TensorBoard
        runs_of_tensorboard(address)


def test_seed_E17_the_effect_of_a_change(experiment, tmp_path):
    """Four layers instead of one: at least twice the matrix products, and an answer that says so of the step."""
    folder, _ = experiment
    run(program("e_xax.py"), 101, 4, cwd=tmp_path)
    pair = profile(folder, 100), profile(tmp_path, 100)
    assert products(pair[1]) >= 2 * products(pair[0]) > 0
    assert all(time > 0 for time in changes(*pair)["matmul"])
