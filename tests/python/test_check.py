"""gait.check: the limits of `gait check` for programs and tests."""

import pytest
from conftest import DATA

import gait

STARVED = DATA / "h200" / "starved.xplane.pb.gz"
GPT = DATA / "h200" / "gpt.xplane.pb.gz"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """A gait.toml of the current folder would add its limits."""
    monkeypatch.chdir(tmp_path)


def test_limits_that_are_held():
    found = gait.check(GPT, "step_time < 25ms", "device_busy > 90%", compiles_after_warmup="== 0")
    assert found
    assert found.held
    assert found.broken == []
    assert found.reason == ""
    assert [limit.metric for limit in found.limits] == ["step_time", "device_busy", "compiles_after_warmup"]
    assert found.limits[0].unit == "ps"
    assert 19e9 < found.limits[0].value < 20e9


def test_a_broken_limit_is_an_assertion_with_reason_and_evidence():
    with pytest.raises(AssertionError) as failed:
        gait.check(STARVED, "step_time < 12ms", "device_busy > 20%")
    message = str(failed.value)
    assert "Failed: 1 of 2 limits." in message
    assert "step_time < 12ms: step_time is 51.6 ms" in message
    assert "Waiting for input" in message and "data_loading" in message
    assert [limit.limit for limit in failed.value.check.broken] == ["step_time < 12ms"]


def test_the_result_comes_back_where_nothing_is_raised():
    found = gait.check(STARVED, "step_time < 12ms", raises=False)
    assert not found
    assert "step_time is 51.6 ms" in repr(found)
    assert "step_time &lt; 12ms" in found._repr_html_()
    assert found.metrics["steps"] == 5
    assert found.metrics["mfu"] < 20


def test_rows_are_chosen_as_on_the_command_line():
    limits = ("device_busy > 20%", "step_time < 12ms", "steps == 5")
    found = gait.check(STARVED, *limits, raises=False, name="^steps")
    assert [limit.limit for limit in found.limits] == ["steps == 5"]
    assert not found.held  # all of them count
    assert len(gait.check(STARVED, *limits, raises=False, top=2, max_memory="4GB").limits) == 2
    with pytest.raises(gait.GaitError, match="no column"):
        gait.check(STARVED, *limits, sort="nonsense")


def test_seed_E17_a_change_is_held_to_its_baseline():
    run = gait.load(STARVED)
    with pytest.raises(gait.CheckFailed, match="slower"):
        gait.check(run, baseline=gait.load(GPT))
    assert gait.check(GPT, baseline=str(STARVED), max_slower="1%")
    assert gait.check(STARVED, baseline=STARVED, max_slower=0.01)
    with pytest.raises(gait.OptionError, match="300 %"):
        gait.check(STARVED, baseline=GPT, max_slower=3)


def test_limits_of_a_file_and_a_report(tmp_path):
    (tmp_path / "gait.toml").write_text('[check]\nlimits = ["step_time < 12ms"]\n')
    junit = tmp_path / "report.xml"
    assert not gait.check(STARVED, junit=junit, raises=False)
    assert 'name="step_time &lt; 12ms"' in junit.read_text()
    other = tmp_path / "other.toml"
    other.write_text('[check]\nlimits = ["step_time < 1s"]\n')
    assert gait.check(STARVED, config=other)


@pytest.mark.parametrize(
    ("limits", "metrics", "message"),
    [
        (["no_such_metric < 3"], {}, "no_such_metric"),
        (["step_time < 3 GB"], {}, "step_time"),
        ([], {"step_time": "12ms"}, "comparison"),
        ([], {"step_time": 12}, "comparison"),
        ([], {}, "nothing to check"),
    ],
)
def test_what_is_no_limit_is_told(limits, metrics, message):
    with pytest.raises(gait.GaitError, match=message):
        gait.check(GPT, *limits, **metrics)


def test_a_capture_is_a_run(tmp_path, step_function, array):
    with gait.trace(tmp_path) as capture:
        for number in range(3):
            with gait.step(number):
                step_function(array).block_until_ready()
    assert gait.check(capture, compiles_after_warmup="== 0", steps="> 0")
