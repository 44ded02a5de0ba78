"""Every program of examples/ runs, in its small size, and leaves what it says."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import gait

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SMALL = "--layers 1 --dim 32 --heads 2 --batch 2 --context 16 --steps 8".split()


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs a program of examples/ here; gives what it printed."""
    monkeypatch.chdir(tmp_path)

    def execute(name, *arguments):
        path = EXAMPLES / name
        monkeypatch.setattr(sys, "argv", [str(path), *map(str, arguments)])
        monkeypatch.syspath_prepend(str(path.parent))
        runpy.run_path(str(path), run_name="__main__")
        assert gait._capture.recorder.wait(60)
        return capsys.readouterr().out

    return execute


def runs(directory) -> list[str]:
    return sorted(
        str(path.relative_to(directory)).partition("/plugins")[0]
        for path in Path(directory).glob("**/*.xplane.pb")
    )


@pytest.mark.parametrize("mode", ["default", "step", "forward", "components"])
def test_seed_B18_modes_that_capture(run, mode):
    out = run("gpt/profile_training.py", mode, *SMALL, "--profile", "runs")
    assert runs("runs") == [mode]
    assert "events" in out
    if mode == "components":
        assert {"attention", "mlp", "lm_head", "embedding"} <= set(out.split())


def test_seed_B18_the_benchmark(run):
    out = run("gpt/profile_training.py", "benchmark", *SMALL)
    assert out.startswith("train_step: ") and "8 calls" in out
    assert not Path("runs").exists()


def test_seed_E19_a_task_with_the_mixin(run):
    out = run("mnist/train.py", "--steps", 30, "--every", 20, "--profile", "runs", "--detailed")
    assert float(out.rpartition(":")[2]) < 2.3  # better than guessing
    assert runs("runs") == ["train_step_step_0", "train_step_step_20"]
    scopes = [row["path"] or "" for row in gait.load("runs/train_step_step_20").ops(by="scope").to_dicts()]
    assert any("loss" in scope for scope in scopes)


def test_seed_B13_optimizers_are_compared(run):
    out = run("optimizers/compare.py", "--steps", 4, "--dim", 64, "--layers", 2)
    assert runs("runs/optimizers") == [f"optimizer_{name}" for name in ("adamw", "momentum", "muon", "sgd")]
    times = {line.split()[0]: float(line.split()[3]) for line in out.splitlines()[1:]}
    assert times["muon"] > times["sgd"]  # matrix products


def test_seed_B14_a_loader_that_fetches_ahead(run):
    out = run("data_loader/study.py", "--steps", 8, "--seconds", 0.02)
    assert runs("runs/data_loader") == ["ahead", "direct"]
    assert out.startswith("direct: ") and "\nahead: " in out


def on_devices(folder, name, *arguments) -> str:
    """In a process of its own: the number of devices is settled when JAX starts."""
    command = [sys.executable, EXAMPLES / name, *map(str, arguments)]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}  # which has as many as are asked for
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=240, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_training_loop_on_two_devices(tmp_path):
    out = on_devices(
        tmp_path, "gpt/train.py", *SMALL, "--devices", 2, "--profile", "runs", "--profile-steps", 3
    )
    assert "step    7  loss " in out
    assert len(gait.load(tmp_path / "runs").steps()["steps"]) == 3


def test_several_devices(tmp_path):
    out = on_devices(tmp_path, "sharding/train.py", "--devices", 4, "--dim", 32, "--steps", 6)
    assert "all-reduce" in out or "communication" in out
    rows = gait.load(tmp_path / "runs" / "sharding").collectives()["collectives"].to_dicts()
    assert {row["kind"] for row in rows} == {"all-reduce"}


def test_the_notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((EXAMPLES / "notebook" / "capture.ipynb").read_text())
    assert notebook["nbformat"] == 4
    names: dict = {}
    for number, cell in enumerate(notebook["cells"]):
        assert not cell.get("outputs")  # the tree keeps none
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    assert len(names["run"].steps()["steps"]) == 5
    assert names["run"]._repr_html_().startswith("<p>")
