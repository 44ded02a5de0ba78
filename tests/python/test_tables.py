"""gait.load: what the command says, as tables."""

import json
import subprocess
import sys
import types
from pathlib import Path

import pandas
import polars
import pyarrow
import pytest

import gait
from gait import _memory
from gait._command import command

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
CAPTURE = DATA / "h200" / "gpt.xplane.pb.gz"


@pytest.fixture(scope="module")
def run():
    return gait.load(CAPTURE)


def printed(verb, *arguments) -> dict:
    done = subprocess.run([command(), verb, CAPTURE, *arguments, "--json"], capture_output=True, check=True)
    return json.loads(done.stdout)


def rows_of(table: dict) -> list[dict]:
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row, strict=True)) for row in table["rows"]]


VERBS = [
    "overview",
    "info",
    "steps",
    "ops",
    "kernels",
    "idle",
    "memory",
    "transfers",
    "compile",
    "roofline",
    "host",
]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_what_the_command_says(run, verb):
    document = printed(verb)
    report = run.report(verb)
    assert list(report.tables) == list(document["tables"])
    assert report.answer == document["answer"]
    for name, table in report.tables.items():
        assert table.to_dicts() == rows_of(document["tables"][name]), name


def test_options_are_those_of_the_command(run):
    document = printed("ops", "--by", "category", "--steps", "1:2")
    report = run.ops(by="category", steps="1:2")
    assert report.table.to_dicts() == rows_of(document["tables"][report.table.name])


def test_arrow_pandas_and_polars_hold_the_same(run):
    table = run.kernels().table
    rows = table.to_dicts()
    arrow = pyarrow.table(table)
    assert arrow.num_rows == len(table) == len(rows) > 0
    assert arrow.column_names == table.columns
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == len(rows)
    small = table.to_polars()
    assert isinstance(small, polars.DataFrame)
    for name in table.columns:
        values = [row[name] for row in rows]
        if any(isinstance(value, (list, dict)) for value in values):
            continue  # lists are JSON there
        assert arrow[name].to_pylist() == values
        assert small[name].to_list() == values


def test_units_travel_with_the_columns(run):
    table = run.kernels().table
    timed = next(name for name, unit in table.units.items() if unit == "ps")
    assert pyarrow.table(table).schema.field(timed).metadata[b"unit"] == b"ps"


def test_arrow_copies_nothing(run):
    table = run.kernels().table
    first, second = pyarrow.table(table), pyarrow.table(table)
    name = next(iter(table.units))
    addresses = {part[name].chunk(0).buffers()[1].address for part in (first, second)}
    assert len(addresses) == 1


def test_an_arrow_table_outlives_the_run():
    arrow = gait.load(CAPTURE).kernels().to_arrow()
    import gc

    gc.collect()
    assert arrow.num_rows > 0
    assert arrow.to_pylist()


def test_reports_and_tables_show_themselves(run):
    report = run.overview()
    assert report.answer in repr(report)
    html = report._repr_html_()
    assert "<table>" in html
    assert "<script" not in html
    assert repr(run.steps().table)
    steps = run.steps().table
    shown = steps._repr_html_()
    assert ">step ms<" in shown  # in the terminal's units, and its columns
    assert str(steps["step_time"][0]) not in shown
    assert shown.count("<th") < len(steps.columns)
    assert run.doctor().table._repr_html_().startswith("<pre>")  # cards are no grid
    assert repr(run).startswith("<gait.Run")


def test_a_report_is_one_file(run, tmp_path):
    page = run.write_report(tmp_path / "report.html")
    assert page.read_text().startswith("<!doctype html>")
    assert run.write_report(tmp_path / "report.md").read_text().startswith("## ")
    with pytest.raises(gait.GaitError, match="no such directory"):
        run.write_report(tmp_path / "none" / "report.html")


def test_a_column_as_a_list(run):
    table = run.steps().tables["steps"]
    assert table["step"] == [row["step"] for row in table]
    with pytest.raises(KeyError, match="It has"):
        table["nonsense"]
    with pytest.raises(KeyError, match="has no table"):
        run.steps()["nonsense"]


def test_mistakes_are_told_as_on_the_command_line(run, tmp_path):
    with pytest.raises(gait.OptionError, match="cannot be shown by 'nonsense'"):
        run.ops(by="nonsense")
    with pytest.raises(AttributeError, match="Its verbs are"):
        run.nonsense()
    with pytest.raises(gait.OptionError):
        run.ops(nonsense=1)
    with pytest.raises(gait.GaitError):
        gait.load(tmp_path)
    (tmp_path / "x.xplane.pb").write_text("no capture")
    with pytest.raises(gait.GaitError, match=r"it is a text file\. Pass"):
        gait.load(tmp_path / "x.xplane.pb")
    with pytest.raises(gait.OptionError):
        run.report("list")


def test_names_in_a_capture_cannot_inject_html(tmp_path):
    with gait.trace(tmp_path) as capture, gait.scope("<script>alert(1)</script>"):
        pass
    assert "<script>" not in capture.load().dump()._repr_html_()


def test_memory_profile(tmp_path):
    import jax.numpy as jnp

    held = jnp.ones((256, 256))
    first = gait.memory_profile(tmp_path)
    second = gait.memory_profile(tmp_path, "second")
    assert second.path == tmp_path / "second.prof"
    assert first.path != second.path
    assert first.report().answer
    assert first.report(second).answer
    assert held.nbytes == 256 * 256 * 4


@pytest.mark.parametrize("what", ["full disk", "a file in the way"])
def test_memory_profile_that_cannot_be_written(tmp_path, monkeypatch, capsys, what):
    """Said, as for a capture; the program goes on."""
    folder = tmp_path
    if what == "full disk":
        monkeypatch.setattr(_memory.shutil, "disk_usage", lambda path: types.SimpleNamespace(free=200 << 20))
        why = "256 MB are to be kept free, and only 200 MB are"
    else:
        folder = tmp_path / "file"
        folder.write_text("")
        why = "File exists"
    profile = gait.memory_profile(folder)
    assert profile.path is None and why in profile.error and profile.bytes == 0
    assert why in capsys.readouterr().err
    assert not list(tmp_path.glob("**/*.prof"))
    with pytest.raises(gait.GaitError, match="no memory profile to look at"):
        profile.report()


def test_the_newest_run_is_opened(tmp_path, monkeypatch):
    from gait import _open

    with gait.trace(tmp_path) as capture:
        pass
    capture.wait()
    assert _open.latest(tmp_path) == capture.path
    started = []
    monkeypatch.setattr(_open.subprocess, "Popen", lambda words, **_: started.append(words))
    gait.open_latest(tmp_path)
    capture.open()
    assert [words[1:] for words in started] == [["view", str(capture.path)]] * 2


@pytest.mark.parametrize("what", ["make_tables.py", "make_gait_frames.py"])
def test_made_sources_are_those_of_now(what):
    made = subprocess.run([sys.executable, ROOT / "tools" / what, "--check"], check=False)
    assert made.returncode == 0, f"what it is made from has changed: python tools/{what}"
