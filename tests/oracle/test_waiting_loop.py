"""A loop that waits for each result has its device work inside its annotations: known without any trace."""

import cpu_devices
import pytest
import windows


@pytest.fixture(scope="module", params=[1, 8])
def waiting(request, made_captures):
    return made_captures(request.param, "waiting_loop.py")


def test_each_step_ends_inside_its_annotation(gait, waiting):
    spans = {number: (begin, end) for begin, end, number, _ in cpu_devices.annotations(windows.read(waiting))}
    rows = gait.rows(gait.document("steps", waiting), "step_devices")
    assert {row["step"] for row in rows} == spans.keys()
    for row in rows:
        begin, end = spans[row["step"]]
        assert begin < row["begin"] + row["step_time"] <= end, (row["device"], row["step"])


def test_the_host_is_said_to_wait_for_each_step(gait, waiting):
    document = gait.document("steps", waiting)
    (row,) = gait.rows(document, "step_times")
    assert row["loop"] == "waits"
    assert row["steps"] in (11, 12)  # the first too, unless the host takes long to go on
    assert "the host waits for each step" in document["answer"]


def test_steps_equal_the_definition(gait, waiting):
    expected = cpu_devices.steps(windows.read(waiting))
    for row in gait.rows(gait.document("steps", waiting), "step_devices"):
        step = expected.pop((row["device"], row["step"]))
        assert (row["begin"], row["begin"] + row["step_time"]) == (step.begin, step.end)
        assert (row["idle"], row["events"]) == (step.idle, step.events)
    assert not expected
