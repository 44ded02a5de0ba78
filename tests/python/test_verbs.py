"""Every verb as a function and as a method of a run, with the options of the command line."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import gait
from gait import _native
from gait._command import command
from gait._verb_table import VERBS

ROOT = Path(__file__).resolve().parents[2]
GPT = ROOT / "tests" / "data" / "h200" / "gpt.xplane.pb.gz"
NOT_FUNCTIONS = {"run", "view"}


@pytest.fixture(scope="module")
def run():
    return gait.load(GPT)


def test_the_table_is_what_the_command_says():
    made = subprocess.run([sys.executable, ROOT / "tools" / "make_verbs.py", "--check"], check=False)
    assert made.returncode == 0, "the options of a verb have changed: python tools/make_verbs.py"


def test_every_verb_is_a_function_and_a_method():
    assert set(VERBS) == set(_native.verbs()) - NOT_FUNCTIONS
    for verb in VERBS:
        function = getattr(gait, verb)
        assert function.__doc__
        assert verb in gait.__all__
        assert inspect.signature(function).parameters
        if verb not in ("list", "diff", "scale", "report", "capture"):
            method = getattr(gait.Run, "critical_path" if verb == "path" else verb)
            assert method.__doc__ and "self" in inspect.signature(method).parameters


@pytest.mark.parametrize("verb", sorted(set(VERBS) - {"check"}))
def test_every_option_of_the_command_is_one_of_the_function(verb):
    said = subprocess.run([command(), verb, "--help"], capture_output=True, text=True, check=True).stdout
    parameters = inspect.signature(getattr(gait, verb)).parameters
    for option in ("--steps", "--device", "--by", "--top", "--sort", "--name", "--table", "--fail-if-slower"):
        if f"  {option} " in said or f" {option} " in said.split("Rows")[0]:
            assert option[2:].replace("-", "_") in parameters


def test_rows_are_chosen_as_on_the_command_line(run):
    every = run.ops()
    assert len(every) > 50
    assert len(run.ops(top=5)) == 5
    assert len(run.ops(top=0)) == len(every)
    named = run.ops(name="fusion")
    assert 0 < len(named) < len(every)
    assert all("fusion" in row["path"] for row in named)
    executions = [row["executions"] for row in run.ops(sort="executions")]
    assert executions == sorted(executions, reverse=True)
    assert list(run.kernels(table="kernels").tables) == ["kernels"]
    assert 0 < len(run.ops(min="300us")) < len(every)


def test_dump_has_a_name_and_a_top_of_its_own(run):
    events = gait.dump(run, name="fusion", top=7)
    assert len(events) == 7
    assert all("fusion" in row["name"] for row in events)


def test_functions_take_whatever_stands_for_a_run(run, tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture:
        step_function(array)
    for given in (run, GPT, str(GPT)):
        assert gait.overview(given).answer == run.overview().answer
    assert gait.info(capture).answer
    assert gait.list(tmp_path).answer.startswith("1 run")
    assert gait.diff(run, GPT).answer.startswith("No difference")
    assert gait.diff(run, GPT, fail_if_slower="3%").found is False
    assert "1 device" in gait.scale(run, GPT).answer
    assert gait.hlo(run, run.hlo().table["name"][0]).texts


def test_a_report_is_a_function(run, tmp_path):
    page = tmp_path / "report.html"
    assert str(page) in gait.report(run, output=str(page)).answer
    assert page.read_text().startswith("<!doctype html>")
    assert "No difference" in gait.report(run, GPT, diff=True, format="md").texts["md"]
    with pytest.raises(gait.GaitError, match="--diff compares two"):
        gait.report(run, GPT)


def test_a_capture_of_another_program_is_a_function(tmp_path):
    program = """
import sys, time, gait, jax, jax.numpy as jnp
server = gait.serve()
print(server.port, flush=True)
f, x = jax.jit(lambda x: x @ x), jnp.ones((64, 64))
while True:
    f(x).block_until_ready()
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as started:
        try:
            port = int(started.stdout.readline())
            said = gait.capture(port, duration="200ms", out=str(tmp_path), host_tracer=2)
        finally:
            started.kill()
    assert said.answer.startswith("Captured 200 ms of a program")
    assert gait.list(tmp_path).answer.startswith("1 run")
    with pytest.raises(gait.GaitError):
        gait.capture("localhost:1", duration="1 parsec")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tpo": 3}, "tpo"),
        ({"min": ""}, "min="),
        ({"min": "-5ms"}, "negative"),
        ({"top": "x"}, "top="),
        ({"sort": "none"}, "no column"),
        ({"name": 3}, "name="),
    ],
)
def test_mistakes_are_said(run, options, said):
    with pytest.raises(gait.GaitError, match=said):
        run.ops(**options)


@pytest.mark.parametrize("with_pyarrow", [True, False])
def test_integers_stay_integers_in_pandas(run, monkeypatch, with_pyarrow):
    pandas = pytest.importorskip("pandas")
    table = run.ops().table
    frame = table.to_pandas() if with_pyarrow else table._to_pandas_from_dicts(pandas)
    assert str(frame["program_id"].dtype) in ("Int64", "UInt64")
    assert frame["program_id"].isna().any()  # which makes a float of it, without a nullable type
    for row, identity in zip(table, frame["program_id"], strict=True):
        assert identity is pandas.NA or identity == row["program_id"]
    assert str(frame["share"].dtype) == "float64"


def test_a_notebook_shows_tables(run):
    for shown in (run, run.ops(), run.ops().table, gait.diff(run, GPT)):
        assert "<table>" in shown._repr_html_() or "<p>" in shown._repr_html_()
