"""gait.compat.ueaj: profiling that PROFILE_* variables ask for (rows B7 and D of docs/seeds.md)."""

import dataclasses
import gzip
import json
from pathlib import Path

import pytest
from programs import folders

import gait
from gait.compat import ueaj

DATA = Path(__file__).resolve().parents[2] / "data"
VARIABLES = "ENABLED DIR START_STEP INTERVAL DURATION MODE STEP".split()


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """Sets PROFILE_*; the configuration is read anew."""
    monkeypatch.chdir(tmp_path)
    for name in VARIABLES:
        monkeypatch.delenv(f"PROFILE_{name}", raising=False)
    ueaj.get_profiling_config.cache_clear()

    def set_variables(**values):
        for name, value in values.items():
            monkeypatch.setenv(f"PROFILE_{name}", str(value))
        ueaj.get_profiling_config.cache_clear()

    yield set_variables
    ueaj.get_profiling_config.cache_clear()


@pytest.fixture
def train(step_function, array):
    """A training loop as the guide has it; gives the folders of its captures."""

    def run(steps, directory="profiles"):
        for step in steps:
            with ueaj.maybe_profile(step):
                result = step_function(array)
                result.block_until_ready()
        assert gait._capture.recorder.wait(60)
        return folders(directory)

    return run


def spans(path) -> list[dict]:
    with gzip.open(path) as file:
        return [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]


def test_seed_B7_every_n_steps_in_folders_that_do_not_nest(environment, train):
    environment(ENABLED=1, START_STEP=2, INTERVAL=4)
    assert train(range(12)) == ["step_00000002", "step_00000006", "step_00000010"]


def test_seed_D12_the_environment_decides(environment, train, capsys):
    assert train(range(3)) == []
    assert capsys.readouterr().out == ""
    environment(ENABLED="true")  # '1' only
    assert train(range(3)) == []
    environment(ENABLED=1, START_STEP=1, INTERVAL=0, DIR="here")
    assert train(range(3), "here") == ["step_00000001"]


def test_seed_D13_banner_and_lines(environment, train, capsys):
    environment(ENABLED=1, START_STEP=100, INTERVAL=0)
    train([99, 100, 101])
    rule = "=" * 60
    assert capsys.readouterr().out.splitlines() == [
        rule,
        "📊 PROFILING ENABLED",
        rule,
        "  Profile Dir:    ./profiles",
        "  Start Step:     100",
        "  Interval:       once",
        "  Duration:       1 step(s)",
        "  Mode:           tensorboard",
        rule,
        "📊 Profiling step 100...",
        "✓ Profile saved: ./profiles/step_00000100",
    ]


@pytest.mark.parametrize("duration", [1, 2, 3, 5])
def test_seed_D14_n_steps_means_n(environment, train, duration):
    environment(ENABLED=1, START_STEP=2, INTERVAL=0, DURATION=duration)
    assert train(range(9)) == [f"step_{i:08d}" for i in range(2, 2 + duration)]


def test_seed_D15_once_and_again(environment, train):
    environment(ENABLED=1, START_STEP=3, INTERVAL=0)
    assert train(range(8)) == ["step_00000003"]
    environment(DIR="again", INTERVAL=3)
    assert train(range(8), "again") == ["step_00000003", "step_00000006"]
    environment(DIR="default")
    assert ueaj.ProfilingConfig().interval == 3
    environment(DIR="resumed", INTERVAL=0)  # a program that resumed behind the start is profiled at once
    assert train(range(500, 505), "resumed") == ["step_00000500"]


def test_seed_D13_a_profile_that_is_lost_is_not_called_saved(environment, full_disk, train, capsys):
    environment(ENABLED=1, START_STEP=0, INTERVAL=0, MODE="perfetto")
    assert train(range(2)) == []
    assert "✓" not in capsys.readouterr().out


def test_seed_D15_asking_changes_nothing(environment):
    environment(ENABLED=1, START_STEP=10, INTERVAL=0, DURATION=2)
    config = ueaj.get_profiling_config()
    assert [[config.should_profile(step) for step in (9, 10, 11, 12)] for _ in range(3)] == [
        [False, True, True, False]
    ] * 3
    assert config.get_profile_name(100) == "step_00000100"
    assert config is ueaj.get_profiling_config()


def test_seed_D16_perfetto_writes_a_file_and_does_not_wait(environment, train, capsys):
    environment(ENABLED=1, START_STEP=0, INTERVAL=0, MODE="perfetto")
    assert train(range(2)) == ["step_00000000"]
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("✓ Perfetto: Upload ") and line.endswith(" to https://ui.perfetto.dev")
    assert spans(line.split()[3])


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("START_STEP", "soon", "PROFILE_START_STEP='soon' is no number of steps"),
        ("START_STEP", "-1", "PROFILE_START_STEP='-1' is below 0"),
        ("START_STEP", "1e3", "PROFILE_START_STEP='1e3' is no number of steps"),
        ("START_STEP", "9" * 5000, "is no number of steps"),
        ("INTERVAL", "-5", "PROFILE_INTERVAL='-5' is below 0: 1000 is taken"),
        ("DURATION", "0", "PROFILE_DURATION='0' is below 1: 1 is taken"),
        ("MODE", "x", "tensorboard, perfetto"),
        ("STRAT_STEP", "5", "PROFILE_STRAT_STEP means nothing here. Did you mean PROFILE_START_STEP?"),
    ],
)
def test_seed_D16_a_bad_value_is_named(environment, variable, value, said, capsys):
    """And never ends a training: the default is taken."""
    environment(ENABLED=1, **{variable: value})
    with ueaj.maybe_profile(0):
        pass
    assert said in capsys.readouterr().err
    assert ueaj.get_profiling_config().enabled


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PROFILE_ENABLED", "true", "gait: PROFILE_ENABLED='true' is not 1: it asks for nothing."),
        ("PROFILE_ENABLE", "1", "gait: PROFILE_ENABLE means nothing here. Did you mean PROFILE_ENABLED?"),
        ("PROFILE_SETUP", "1", ""),  # of others
        ("PROFILE_ENABLED", "0", ""),
    ],
)
def test_seed_D16_what_was_meant_to_ask_is_said(environment, monkeypatch, train, name, value, said, capsys):
    monkeypatch.setenv(name, value)
    assert train(range(2)) == []
    assert capsys.readouterr().err.strip() == said


def test_seed_D8_files_that_the_guide_names(environment, train, tmp_path):
    environment(ENABLED=1, START_STEP=1, INTERVAL=0)
    train(range(2))
    (run,) = (tmp_path / "profiles" / "step_00000001" / "plugins" / "profile").iterdir()
    (host,) = run.glob("*.xplane.pb")
    expected = run / host.name.replace(".xplane.pb", ".trace.json.gz")
    assert spans(expected)
    assert spans(run / "perfetto_trace.json.gz") == spans(expected)


def test_seed_D19_files_are_whole(environment, train, tmp_path):
    """No 0-byte file: each capture is read back after writing, and what a folder has is shown with its size."""
    environment(ENABLED=1, START_STEP=1, INTERVAL=0)
    train(range(2))
    for path in (tmp_path / "profiles").glob("**/*.gz"):
        assert path.stat().st_size > 0
        gzip.decompress(path.read_bytes())
    (manifest,) = (tmp_path / "profiles").glob("**/gait.json")
    assert json.loads(manifest.read_text())["files"][0]["events"] > 0


def test_PROFILE_STEP_of_the_training_program(environment, train):
    environment(STEP=3)
    assert train(range(6)) == ["step_00000003"]


def test_seed_D20_size_is_bounded(environment, tmp_path, step_function, array, capfd):
    """PROFILE_DURATION bounds the steps; the same schedule takes bounds of bytes and seconds too."""
    environment(ENABLED=1, START_STEP=0, INTERVAL=2, DURATION=1)
    bounded = dataclasses.replace(ueaj.get_profiling_config().schedule, max_bytes=1, max_seconds=60)
    with gait.Profiler(bounded, tmp_path / "bounded", on_signal=None) as profiler:
        for step in range(6):
            with profiler.step(step) as running:
                running.result = step_function(array)
    assert [capture.steps for capture in profiler.captures] == [[0]]  # and no further one
    assert "max_bytes=1 is used up" in capfd.readouterr().err


def test_seed_D18_every_item_of_the_checklist_has_an_answer():
    run = gait.load(DATA / "h200" / "gpt.xplane.pb.gz")
    devices = run.overview()["devices"].to_dicts()
    assert devices[0]["window"] > 0 and devices[0]["busy"] > 90  # device step time, utilisation
    top = run.ops(top=5)["ops"].to_dicts()
    assert [row["self"] for row in top] == sorted((row["self"] for row in top), reverse=True)
    memory = run.memory()["memory"].to_dicts()
    assert max(row["peak"] or 0 for row in memory) > 0
    assert min(row["occupancy"] for row in run.kernels()["kernels"].to_dicts() if row["occupancy"]) < 50
