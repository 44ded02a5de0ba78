"""A loop that waits for each result has its device work inside its annotations: known without any trace."""

import statistics

import cpu_devices
import pytest
import windows

WAKES_WITHIN = 100_000_000  # ps; on a machine with a free core


@pytest.fixture(scope="module", params=[1, 8])
def waiting(request, made_captures):
    return made_captures(request.param, "waiting_loop.py")


def spans(capture) -> dict[int, tuple[int, int]]:
    return {number: (begin, end) for begin, end, number, _ in cpu_devices.annotations(windows.read(capture))}


def test_each_step_ends_inside_its_annotation(gait, waiting):
    rows = gait.rows(gait.document("steps", waiting), "step_devices")
    assert {row["step"] for row in rows} == spans(waiting).keys()
    for row in rows:
        begin, end = spans(waiting)[row["step"]]
        assert begin < row["begin"] + row["step_time"] <= end, (row["device"], row["step"])


def test_the_host_is_said_to_wait_for_each_step(gait, waiting):
    document = gait.document("steps", waiting)
    (row,) = gait.rows(document, "step_times")
    assert row["steps"] in (11, 12)  # the first too, unless the host takes long to go on
    if row["loop"] == "late":  # of a thread that a full machine wakes late nobody knows whether it was busy
        assert statistics.median(lags(gait, waiting)) > WAKES_WITHIN
    else:
        assert row["loop"] == "waits"
        assert "the host waits for each step" in document["answer"]


def lags(gait, waiting) -> list[int]:
    """By step: how long after the devices were done the host went on, in ps."""
    done: dict[int, int] = {}
    for row in gait.rows(gait.document("steps", waiting), "step_devices"):
        done[row["step"]] = max(done.get(row["step"], 0), row["begin"] + row["step_time"])
    return [end - done[number] for number, (_, end) in spans(waiting).items()]


def test_steps_equal_the_definition(gait, waiting):
    expected = cpu_devices.steps(windows.read(waiting))
    for row in gait.rows(gait.document("steps", waiting), "step_devices"):
        step = expected.pop((row["device"], row["step"]))
        assert (row["begin"], row["begin"] + row["step_time"]) == (step.begin, step.end)
        assert (row["idle"], row["events"]) == (step.idle, step.events)
    assert not expected
